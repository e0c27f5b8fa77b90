// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/** What a thread does between its ids. */
enum Pause {
    NOTHING,
    YIELD,
    PARK,
    SPIN;

    private static final long PARK_NANOS = 100_000;
    private static final long SPIN_NANOS = 2_000;

    @SuppressWarnings("ThreadPriorityCheck") // What users do is what is measured.
    void make() {
        switch (this) {
            case NOTHING -> {}
            case YIELD -> Thread.yield();
            case PARK -> LockSupport.parkNanos(PARK_NANOS);
            case SPIN -> {
                long begin = System.nanoTime();
                while (System.nanoTime() - begin < SPIN_NANOS) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
