// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.lease;

import java.util.concurrent.atomic.LongAdder;

/** Counts what happens off the id path. Ids are counted by their {@link Lease}. */
public final class Counters {

    /** How often something happened, and how long it took in total. */
    public static final class Timer {
        private final LongAdder count = new LongAdder();
        private final LongAdder nanos = new LongAdder();

        public void begin() {
            count.increment();
        }

        public void end(long tookNanos) {
            nanos.add(tookNanos);
        }

        long count() {
            return count.sum();
        }

        long nanos() {
            return nanos.sum();
        }
    }

    /** Calls that wait for more than the next millisecond. */
    public final Timer waits = new Timer();

    public final Timer extensions = new Timer();

    public final LongAdder failedExtensions = new LongAdder();
}
