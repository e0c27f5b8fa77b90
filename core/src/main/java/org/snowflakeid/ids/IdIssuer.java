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
 * millisecond, a clock that does not move or steps back, and a burst are the same case, so no branch can get one of them wrong. (While ids are used
 * up it may be {@code last + 1} although that tick is over: {@link CatchUp}.) A position is issued if it is below the lease's limit and not further
 * ahead of the clock than allowed; taking it is one compare-and-set on the lease's last position. The clock is read after the last position: in the
 * other order a thread preempted in between would see a clock that stepped back.
 *
 * <p>The coordinator is never called here. The keeper raises the limit from its own thread, seals a lease (its position becomes {@link Lease#SEALED},
 * so every compare-and-set on it fails) and publishes the next, which starts above everything the sealed one issued. A stale limit is a smaller
 * limit, and a pause between the compare-and-set and the return is harmless, since what was granted stays granted. Callers that can't get an id now
 * wait for a bounded time, without a lock.
 *
 * <p>If the wall clock steps ahead by more than a second, or far back, because it was set or this memory image was restored, callers wait until the
 * keeper has vetted it ({@link VettedClock}).
 *
 * <p>Taking an id is lock-free, and no call waits while there are ids, unless they are kept for a starved leader of the queue. When a millisecond is
 * used up, one thread, the leader, waits for the next; the others sleep behind it, and get their ids from it or lead in their turn ({@link
 * WaitingCall}, {@link WaitingLine}). Meanwhile a thread that keeps losing the compare-and-set leaves the rest of the millisecond to the others: if
 * one thread at a time runs through it, that costs a quarter of what contention for one word costs.
 */
public final class IdIssuer {

    /** No id; ids are never negative. */
    public static final long NONE = -1;

    // Used by calls that have to wait, too.
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

    /** The last tick in which threads wanted more ids than there were. */
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
     * The next id; {@link #NONE} if another thread was faster, or the call has to wait.
     *
     * @param fromTick the earliest tick that the id may have
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
     * As {@link #tryNextId}, but waits, as long as the settings allow.
     *
     * @param elsewhere whether another worker id has ids: if so, and this one has none, the result is {@link #NONE}
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
     * @param elsewhere whether another worker id has ids: if so, and this one has none, the result is {@link #NONE}, and nothing is written
     * @return the last one
     */
    public long nextIds(long[] into, int from, int count, long fromTick, BooleanSupplier elsewhere) {
        WaitingCall call = new WaitingCall(this, fromTick, false, elsewhere);
        int to = from + count;
        // Not read back from the array: other threads of the caller may write to it.
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

    /** A separate loop, which the compiler can vectorize. */
    private void fill(long[] ids, int from, int to, long first, int workerId) {
        for (int i = from; i < to; i++) {
            ids[i] = positions.id(first + (i - from), workerId);
        }
    }

    /** Whether there are ids of that tick or later in this millisecond or the next. */
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

    /** How many ticks the clock has to advance before there are ids of that tick or later; {@link Long#MAX_VALUE}: none are granted. */
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
