// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spi;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.snowflakeid.CoordinatorException;

/** When a call must have ended, by a monotonic clock, whatever becomes of the wall clock meanwhile. */
public final class Deadline {
    private final LongSupplier nanoTime;
    private final long atNanos;

    private Deadline(Duration timeout, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.atNanos = nanoTime.getAsLong() + timeout.toNanos();
    }

    public static Deadline after(Duration timeout) {
        return after(timeout, System::nanoTime);
    }

    /** By another clock than {@link System#nanoTime}. */
    public static Deadline after(Duration timeout, LongSupplier nanoTime) {
        return new Deadline(timeout, nanoTime);
    }

    /** By that clock. */
    public long atNanos() {
        return atNanos;
    }

    /** 0 once it has passed. */
    public long nanosLeft() {
        return Math.max(0, atNanos - nanoTime.getAsLong());
    }

    /**
     * For the next of several requests.
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
