// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.Arrays;

/** Durations by their logarithm, eight steps to a doubling: each is known to an eighth. */
final class Histogram {
    private static final int STEPS_BITS = 3;
    private static final int STEPS = 1 << STEPS_BITS;

    private final int[] counts = new int[(Long.SIZE - STEPS_BITS) * STEPS];

    void add(long nanos) {
        counts[index(nanos)]++;
    }

    void addAll(Histogram other) {
        for (int i = 0; i < counts.length; i++) {
            counts[i] += other.counts[i];
        }
    }

    long count() {
        return count(0);
    }

    /** Counts those that took at least so long. */
    long count(long leastNanos) {
        return Arrays.stream(counts, index(leastNanos), counts.length)
                .asLongStream()
                .sum();
    }

    /** Of those that took at least so long; an upper bound of the value; 0 if there is none. */
    long percentile(double share, long leastNanos) {
        long all = count(leastNanos);
        long rank = (long) Math.ceil(all * share);
        for (int i = index(leastNanos); i < counts.length && all > 0; i++) {
            rank -= counts[i];
            if (rank <= 0) {
                return upper(i);
            }
        }
        return 0;
    }

    static int index(long nanos) {
        if (nanos < STEPS) {
            return (int) Math.max(0, nanos);
        }
        int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos) - STEPS_BITS;
        return (shift + 1) * STEPS + (int) (nanos >>> shift) - STEPS;
    }

    private static long upper(int index) {
        return index < STEPS ? index : ((STEPS + index % STEPS + 1L) << (index / STEPS - 1)) - 1;
    }
}
