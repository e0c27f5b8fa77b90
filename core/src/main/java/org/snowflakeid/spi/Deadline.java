// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spi;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.snowflakeid.CoordinatorException;

/** The moment by which a call must have ended, on a monotonic clock: the wall clock does not matter. */
public final class Deadline {
    private final LongSupplier nanoTime;
    private final long atNanos;

    private Deadline(Duration timeout, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.atNanos = nanoTime.getAsLong() + timeout.toNanos();
    }

    /** By {@link System#nanoTime}, from now on. */
    public static Deadline after(Duration timeout) {
        return after(timeout, System::nanoTime);
    }

    /** By another clock than {@link System#nanoTime}. */
    public static Deadline after(Duration timeout, LongSupplier nanoTime) {
        return new Deadline(timeout, nanoTime);
    }

    /** The reading of that clock at the deadline. */
    public long atNanos() {
        return atNanos;
    }

    /** The time left in nanoseconds; 0 once the deadline has passed. */
    public long nanosLeft() {
        return Math.max(0, atNanos - nanoTime.getAsLong());
    }

    /**
     * The time left for the next of several requests; more than zero.
     *
     * @throws CoordinatorException if nothing is left
     */
    public Duration left() {
        long nanos = nanosLeft();
        if (nanos == 0) {
            throw new CoordinatorException("no time was left for another request", false);
        }
        return Duration.ofNanos(nanos);
    }
}
