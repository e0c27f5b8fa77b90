// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.concurrent.atomic.LongAdder;

/** What happens beside the id path, counted. Ids are counted by their {@link Lease}. */
final class Counters {

    /** Times of one kind. */
    static final class Timer {
        private final LongAdder count = new LongAdder();
        private final LongAdder nanos = new LongAdder();

        void begin() {
            count.increment();
        }

        void end(long tookNanos) {
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
    final Timer waits = new Timer();

    final Timer extensions = new Timer();

    final LongAdder failedExtensions = new LongAdder();
}
