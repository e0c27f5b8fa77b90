// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.lease;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * The right to issue under one worker id, from the first tick of a claim up to a limit that only grows. Worker id, limit and
 * state are in this one object, so that no caller can pair one lease's worker id with another's limit.
 */
public final class Lease {

    /** The position of a lease that issues nothing any more, or nothing yet. */
    public static final long SEALED = Long.MIN_VALUE;

    private static final long NOT_NOTICED = Long.MIN_VALUE;

    /** In the middle of an array: every id taken makes other processors reload what lies within 128 bytes. */
    private static final int POSITION = 16;

    public final int workerId;

    private final AtomicLongArray words = new AtomicLongArray(2 * POSITION + 1);

    /** How many positions were skipped, as between ticks in which ids were wanted. */
    private final LongAdder unissued = new LongAdder();

    /** The position before the first; {@link #SEALED} until it is opened. Guarded by this. */
    private long start = SEALED;

    /** What was issued last when it was sealed. Guarded by this. */
    private long finalPosition = SEALED;

    /** The last position issued before the last skip, and the last one skipped by it. Guarded by this. */
    private long skippedFrom = SEALED;

    private long skippedTo = SEALED;

    /** The limit for callers: the lower of {@link #granted} and {@link #noted}. */
    private volatile long limit;

    private volatile long granted;

    /** Guarded by this. */
    private long noted = Long.MAX_VALUE;

    private volatile long endNanos;
    private volatile long endNoticedNanos = NOT_NOTICED;
    private volatile long windowTicks;

    // Set before other threads see this lease.
    private long allowedTicks;

    /** How far ahead of the clock ids had to begin; 0: not at all, or the clock has caught up. */
    private volatile long leadTicks;

    /** @param limit exclusive position */
    public Lease(int workerId, long limit) {
        this.workerId = workerId;
        this.limit = limit;
        this.granted = limit;
        words.set(POSITION, SEALED);
    }

    /** The last position issued, or {@link #SEALED}. */
    public long position() {
        return words.get(POSITION);
    }

    public boolean advance(long from, long to) {
        return words.compareAndSet(POSITION, from, to);
    }

    /** As {@link #advance}, where the positions between {@code from} and {@code first} are skipped. */
    public boolean advance(long from, long first, long to) {
        long unused = first - from - 1;
        if (unused == 0) {
            return advance(from, to);
        }
        // Counted first, so that they never count as issued.
        unissued.add(unused);
        if (advance(from, to)) {
            return true;
        }
        unissued.add(-unused);
        return false;
    }

    /** Positions at or above it may not be issued: they are not granted, or not noted yet. */
    public long limit() {
        return limit;
    }

    /** Positions at or above it are not granted. */
    long granted() {
        return granted;
    }

    /** Whether positions are granted that may not be issued before they are {@link #note noted}. */
    public boolean isHeldBack() {
        return limit < granted;
    }

    /**
     * How many ticks ahead of the clock ids may be. Where they had to begin ahead of it, they stay as far ahead until the clock has caught up.
     *
     * @param now in ticks
     * @param lastTick of the position before
     */
    public long ahead(long now, long lastTick) {
        long lead = leadTicks;
        return lead == 0 || lastTick - now <= allowedTicks ? allowedTicks : lead;
    }

    /** When, by the monotonic clock, the clock will reach the limit. */
    public long endNanos() {
        return endNanos;
    }

    /**
     * When a thread first noticed that the window had ended: in a process that was frozen meanwhile, when it goes on.
     *
     * @param now not before {@link #endNanos}
     */
    public long noticeEnd(long now) {
        long noticed = endNoticedNanos;
        // Before the present end: it was an earlier window's end, noticed while the next was granted.
        if (noticed == NOT_NOTICED || noticed - endNanos < 0) {
            noticed = now;
            endNoticedNanos = now;
        }
        return noticed;
    }

    /** How many ticks the last extension reserved ahead of the clock. */
    long windowTicks() {
        return windowTicks;
    }

    // For the keeper's thread, except note(), seal(), and methods that only read.

    /**
     * Holds granted positions back until they are noted somewhere. Unless this is called, all that are granted may be issued.
     *
     * @param position positions at or above it are not noted; a lower one than before does not affect what was issued
     */
    public synchronized void note(long position) {
        noted = position;
        limit = Math.min(granted, noted);
    }

    /**
     * Starts issuing. Only the first call has an effect, so that nothing is issued twice.
     *
     * @param aheadTicks how far ahead of the clock ids may be issued at any time
     * @param now in ticks, perhaps before the first position
     * @param firstTick of the first position
     */
    public synchronized void open(long firstPosition, long firstTick, long aheadTicks, long now) {
        if (start != SEALED) {
            return;
        }
        allowedTicks = aheadTicks;
        leadTicks = firstTick - now > aheadTicks ? firstTick - now : 0;
        start = firstPosition - 1;
        words.set(POSITION, start);
    }

    /** Ends the lead with which ids had to begin, if the clock has caught up. */
    public void endLead(long now, long lastTick) {
        if (lastTick - now <= allowedTicks) {
            leadTicks = 0;
        }
    }

    public void grant(long newLimit, long newEndNanos, long newWindowTicks) {
        endNanos = newEndNanos;
        if (newLimit > granted) {
            endNoticedNanos = NOT_NOTICED;
            raise(newLimit);
        }
        // Written last, and read first: a longer window with the old limit would look nearly used up.
        windowTicks = newWindowTicks;
    }

    private synchronized void raise(long newLimit) {
        granted = newLimit;
        limit = Math.min(granted, noted);
    }

    /** Gives up every position below {@code floor} that was not issued. Synchronized, so that {@link #issued} sees no half update. */
    public synchronized void skipTo(long floor) {
        long last;
        do {
            last = words.get(POSITION);
        } while (last != SEALED && last < floor - 1 && !words.compareAndSet(POSITION, last, floor - 1));
        if (last != SEALED && last < floor - 1) {
            unissued.add(floor - 1 - last);
            skippedFrom = last == skippedTo ? skippedFrom : last;
            skippedTo = floor - 1;
        }
    }

    /** Whether the next position follows some that were {@link #skipTo skipped}. */
    public synchronized boolean isSkipped() {
        long last = words.get(POSITION);
        return last != SEALED && last == skippedTo;
    }

    /** Ends issuing for good, for any thread. When it returns, {@link #lastIssued} is final. */
    public synchronized void seal() {
        long last = words.getAndSet(POSITION, SEALED);
        if (last != SEALED) {
            finalPosition = last;
        }
    }

    /** The highest position issued until now; {@link #SEALED} if there is none. */
    public synchronized long lastIssued() {
        long last = words.get(POSITION);
        if (last == SEALED) {
            last = finalPosition;
        }
        return last > start ? last : SEALED;
    }

    /** As {@link #lastIssued}, without those that were {@link #skipTo skipped}: a copy of this process may have issued them. */
    public synchronized long lastIssuedHere() {
        long last = lastIssued();
        if (last != SEALED && last == skippedTo) {
            last = skippedFrom;
        }
        return last > start ? last : SEALED;
    }

    /** No higher position was issued, here or by this generator before. {@link #SEALED} if this was never opened. */
    synchronized long highest() {
        long last = words.get(POSITION);
        return last == SEALED ? finalPosition : last;
    }

    /** How many positions were issued. While calls take some, the result may be too low, never too high. */
    public synchronized long issued() {
        long last = lastIssued();
        return last == SEALED ? 0 : Math.max(0, last - start - unissued.sum());
    }
}
