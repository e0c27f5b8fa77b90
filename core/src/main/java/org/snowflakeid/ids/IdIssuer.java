// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.ids;

import java.util.function.BooleanSupplier;
import org.snowflakeid.Platform;
import org.snowflakeid.config.Settings;
import org.snowflakeid.lease.Availability;
import org.snowflakeid.lease.CurrentLease;
import org.snowflakeid.lease.Lease;
import org.snowflakeid.lease.Positions;
import org.snowflakeid.lease.Rollback;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.VettedClock;

/**
 * Hands out the ids of one worker id, on the callers' threads.
 *
 * <p>A position is a tick and a sequence in one number ({@link Positions}). The next position is {@code max(last + 1, now)}: an exhausted
 * millisecond, a clock that does not move or steps back, and a burst are the same case, so no branch can get one of them wrong. A generator that
 * is used up may go on at {@code last + 1} though that is over ({@link CatchUp}).
 * It is issued if it is below the lease's limit and not further ahead of the clock than allowed; taking it is one
 * compare-and-set on the lease's last position. The clock is read after that position: the other order would make a thread
 * that was preempted in between see a clock that stepped back.
 *
 * <p>The coordinator is never called here. The keeper raises the limit from its own thread, seals a lease (its
 * position becomes {@link Lease#SEALED}, so every compare-and-set on it fails) and publishes the next, which starts above
 * everything the sealed one issued. A stale limit is a smaller limit, and a pause between the compare-and-set and the return is
 * harmless, since what was granted stays granted. Callers that can't get an id now wait for bounded time, without a lock.
 *
 * <p>Where the wall clock has stepped ahead by more than a second, or far back, since it was set, or since this memory image was resumed, a
 * caller waits until the keeper has vetted it ({@link VettedClock}).
 *
 * <p>No call waits while there are ids, unless they are kept for a leader of the queue that was starved, and taking one is lock-free. When a millisecond is used up, one thread waits for the next and the others
 * sleep behind it, and get their ids from it or lead in their turn ({@link WaitingCall}, {@link WaitingLine}). While that is so, a thread that keeps losing the
 * compare-and-set to another leaves it the rest of the millisecond. So one thread at a time runs through it, which costs a quarter of what
 * a fight for one word costs.
 */
public final class IdIssuer {

    /** Ids are never negative. */
    public static final long NONE = -1;

    // Known to the calls that have to wait, too.
    final Settings settings;
    public final Positions positions;
    final Platform platform;
    public final VettedClock clock;
    public final SharedState shared;
    final CurrentLease inUse;
    final Rollback rollback;
    final Availability availability;
    final WaitingLine line;
    final CatchUp catchUp;

    /** The last tick that was used up: threads want more than there is. */
    volatile long usedUpTick;

    public IdIssuer(Settings settings, Platform platform, VettedClock clock, SharedState shared, CurrentLease inUse) {
        this.settings = settings;
        this.positions = Positions.of(settings.layout());
        this.platform = platform;
        this.clock = clock;
        this.shared = shared;
        this.inUse = inUse;
        this.rollback = Rollback.of(settings);
        this.availability = new Availability(positions, rollback);
        this.line = new WaitingLine(platform);
        this.catchUp = new CatchUp(positions, settings.maxLag().toMillis());
    }

    /**
     * The next id; {@link #NONE} if others were faster, or it has to be waited for.
     *
     * @param fromTick no id of an earlier tick
     */
    public long tryNextId(long fromTick) {
        Lease current = inUse.get();
        long last = current.position();
        long now = clock.tick();
        long next = next(last, now, fromTick);
        if (last != Lease.SEALED
                && !line.keeps()
                && next < availability.end(current, next, now)
                && clock.isCredible(now)
                && current.advance(last, next, next)) {
            return positions.id(next, current.workerId);
        }
        return NONE;
    }

    /**
     * As {@link #tryNextId}, however long it takes.
     *
     * @param elsewhere whether another worker id has ids: {@link #NONE} then if this one has none
     */
    public long nextId(long fromTick, BooleanSupplier elsewhere) {
        WaitingCall call = new WaitingCall(this, fromTick, true, elsewhere);
        try {
            long position = call.take(1);
            return position == NONE ? call.given() : positions.id(position, call.lease().workerId);
        } finally {
            call.end();
        }
    }

    /**
     * Writes {@code count} ascending ids into the array, from an index on.
     *
     * @param elsewhere whether another worker id has ids: {@link #NONE} then if this one has none, and nothing is filled
     * @return the last one
     */
    public long nextIds(long[] into, int from, int count, long fromTick, BooleanSupplier elsewhere) {
        WaitingCall call = new WaitingCall(this, fromTick, false, elsewhere);
        int to = from + count;
        // Not read from the array: that is the caller's, who may have other threads write to it.
        long last = NONE;
        try {
            for (int filled = from; filled < to; filled += call.taken()) {
                long first = call.take(to - filled);
                if (first == NONE) {
                    return NONE;
                }
                call.stay();
                fill(into, filled, filled + call.taken(), first, call.lease().workerId);
                last = positions.id(first + call.taken() - 1, call.lease().workerId);
                call.leave();
            }
            return last;
        } finally {
            call.end();
        }
    }

    /** A loop of its own, which the compiler can do with several ids at a time. */
    private void fill(long[] ids, int from, int to, long first, int workerId) {
        for (int i = from; i < to; i++) {
            ids[i] = positions.id(first + (i - from), workerId);
        }
    }

    /** Whether ids of that tick or later are to be had in this millisecond or the next. */
    boolean isIssuing(long fromTick) {
        Lease current = inUse.get();
        long last = current.position();
        long now = clock.tick();
        long next = next(last, now, fromTick);
        return last != Lease.SEALED
                && !shared.isBroken()
                && clock.isCredible(now)
                && next < current.limit()
                && !availability.isBehind(current, next, availability.end(current, next, now), now);
    }

    /** How many ticks the clock has to come nearer before there are ids of that tick or later; {@link Long#MAX_VALUE}: none are granted. */
    long gapTicks(long fromTick) {
        Lease current = inUse.get();
        long last = current.position();
        long now = clock.tick();
        long next = next(last, now, fromTick);
        return last == Lease.SEALED || next >= current.limit()
                ? Long.MAX_VALUE
                : Math.max(0, availability.gapTicks(current, next, now));
    }

    /** When, by the monotonic clock, the clock reaches the end of what is granted. */
    long endNanos() {
        return inUse.get().endNanos();
    }

    /** Of an id of this generator's layout. */
    long tickOf(long id) {
        return positions.tickOfId(id);
    }

    long next(long last, long now, long fromTick) {
        return Math.max(catchUp.next(last, now), positions.first(fromTick));
    }
}
