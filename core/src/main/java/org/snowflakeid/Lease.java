// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The right to issue under one worker id, from the first tick of a claim up to a limit that only grows. Worker id, limit and
 * state live in this one object, so that no caller can pair one lease's worker id with another's limit.
 *
 * <p>Positions are ticks and sequences in one number: {@code tick << sequenceBits | sequence}.
 */
final class Lease {

    /** The position of a lease that issues nothing any more, or nothing yet. */
    static final long SEALED = Long.MIN_VALUE;

    final int workerId;

    private final AtomicLong position = new AtomicLong(SEALED);
    private long start = SEALED;
    private long finalPosition = SEALED;
    private volatile long limit;
    private volatile long endNanos;
    private volatile long windowTicks;
    private volatile long ahead;

    /** @param limit exclusive position */
    Lease(int workerId, long limit) {
        this.workerId = workerId;
        this.limit = limit;
    }

    /** The last position issued, or {@link #SEALED}. */
    long position() {
        return position.get();
    }

    boolean advance(long from, long to) {
        return position.compareAndSet(from, to);
    }

    /** Positions at or above it are not granted. */
    long limit() {
        return limit;
    }

    /** How far ahead of the clock ticks may be issued. */
    long ahead() {
        return ahead;
    }

    /** When, by the monotonic clock, the clock will reach the limit. */
    long endNanos() {
        return endNanos;
    }

    /** How many ticks the last extension reserved ahead of the clock. */
    long windowTicks() {
        return windowTicks;
    }

    // What follows is called by the keeper's thread only.

    void open(long firstPosition, long aheadTicks) {
        ahead = aheadTicks;
        start = firstPosition - 1;
        position.set(start);
    }

    void allowAhead(long ticks) {
        ahead = ticks;
    }

    void grant(long newLimit, long newEndNanos, long newWindowTicks) {
        endNanos = newEndNanos;
        limit = Math.max(limit, newLimit);
        // Last, and read first: a longer window beside the old limit would look like one that is nearly used up.
        windowTicks = newWindowTicks;
    }

    /** Gives up every position below {@code floor} that was not issued. */
    void skipTo(long floor) {
        long last;
        do {
            last = position.get();
        } while (last != SEALED && last < floor - 1 && !position.compareAndSet(last, floor - 1));
    }

    /** Ends issuing for good. When it returns, {@link #lastIssued} is final. */
    void seal() {
        long last = position.getAndSet(SEALED);
        if (last != SEALED) {
            finalPosition = last;
        }
    }

    /** The highest position issued until now; {@link #SEALED} if there is none. */
    long lastIssued() {
        long last = position.get();
        if (last == SEALED) {
            last = finalPosition;
        }
        return last > start ? last : SEALED;
    }
}
