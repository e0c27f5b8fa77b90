// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The right to issue under one worker id, from the first tick of a claim up to a limit that only grows. Worker id, limit and
 * state live in this one object, so that no caller can pair one lease's worker id with another's limit.
 *
 * <p>Positions are ticks and sequences in one number: {@code tick << sequenceBits | sequence}.
 */
final class Lease {

    /** The position of a lease that issues nothing any more, or nothing yet. */
    static final long SEALED = Long.MIN_VALUE;

    /** In the middle of an array, since every id taken makes other processors read again what lies within 128 bytes. */
    private static final int POSITION = 16;

    final int workerId;

    private final AtomicLongArray words = new AtomicLongArray(2 * POSITION + 1);
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
        words.set(POSITION, SEALED);
    }

    /** The last position issued, or {@link #SEALED}. */
    long position() {
        return words.get(POSITION);
    }

    boolean advance(long from, long to) {
        return words.compareAndSet(POSITION, from, to);
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
        words.set(POSITION, start);
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
            last = words.get(POSITION);
        } while (last != SEALED && last < floor - 1 && !words.compareAndSet(POSITION, last, floor - 1));
    }

    /** Ends issuing for good. When it returns, {@link #lastIssued} is final. */
    void seal() {
        long last = words.getAndSet(POSITION, SEALED);
        if (last != SEALED) {
            finalPosition = last;
        }
    }

    /** The highest position issued until now; {@link #SEALED} if there is none. */
    long lastIssued() {
        long last = words.get(POSITION);
        if (last == SEALED) {
            last = finalPosition;
        }
        return last > start ? last : SEALED;
    }
}
