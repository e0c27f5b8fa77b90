// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.function.LongSupplier;

/** How far things have come at one moment. */
record Reading(long nanos, long ids, long cpuNanos) {

    private static final long AT_ONCE_NANOS = 200_000;
    private static final int ATTEMPTS = 20;

    /** Preempted in between, it would say what it counted at another time. So it reads until no more than a moment has passed. */
    static Reading atOnce(LongSupplier ids, LongSupplier cpuNanos) {
        Reading reading = new Reading(0, 0, 0);
        long shortest = Long.MAX_VALUE;
        for (int i = 0; i < ATTEMPTS && shortest > AT_ONCE_NANOS; i++) {
            long before = System.nanoTime();
            Reading next = new Reading(before, ids.getAsLong(), cpuNanos.getAsLong());
            long took = System.nanoTime() - before;
            if (took < shortest) {
                shortest = took;
                reading = next;
            }
        }
        return reading;
    }

    double idsPerSecondSince(Reading before) {
        return (ids - before.ids) / ((nanos - before.nanos) / 1e9);
    }

    double ratioSince(Reading before) {
        return idsPerSecondSince(before) / Saturated.CEILING;
    }

    /** Seconds of CPU for a million ids; NaN if there were none. */
    double cpuPerMillionSince(Reading before) {
        if (ids == before.ids) {
            return Double.NaN;
        }
        return ((cpuNanos - before.cpuNanos) / 1e9) / ((ids - before.ids) / 1e6);
    }
}
