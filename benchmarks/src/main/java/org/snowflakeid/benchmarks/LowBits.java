// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/** How evenly rare ids fall on 32 shards: the share of the fullest, 1/32 at best. */
final class LowBits {

    private static final int SHARDS = 32;
    private static final int IDS = 1_024;
    private static final long APART_NANOS = 3_000_000;

    private LowBits() {}

    static void measure(Subject subject, Figures figures) {
        int[] shards = new int[SHARDS];
        try (Generator generator = subject.open()) {
            long due = System.nanoTime();
            for (int i = 0; i < IDS; i++) {
                due = Math.max(due, System.nanoTime()) + APART_NANOS;
                for (long left = APART_NANOS; left > 0; left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                shards[Math.floorMod(generator.nextId(), SHARDS)]++;
            }
        }
        figures.put("low", Figure.counted(topShare(shards)));
    }

    static double topShare(int[] shards) {
        return (double) Arrays.stream(shards).max().orElse(0)
                / Arrays.stream(shards).sum();
    }
}
