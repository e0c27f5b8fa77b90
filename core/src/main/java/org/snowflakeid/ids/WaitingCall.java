// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.ids;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.ids.WaitingLine.Waiter;
import org.snowflakeid.lease.Availability;
import org.snowflakeid.lease.CurrentLease;
import org.snowflakeid.lease.Lease;
import org.snowflakeid.lease.Positions;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.VettedClock;

/**
 * One call that could not be answered at once, or that is for several ids: it takes what there is, and waits for its turn or, in a {@link LongWait},
 * for more. Used by the calling thread. {@link IdIssuer} says what may be issued.
 */
public final class WaitingCall {

    private static final long NONE = IdIssuer.NONE;

    /** A call loses more in a row only against threads that do nothing else. */
    private static final int MAX_LOST = 3;

    private final IdIssuer issuer;
    private final Positions positions;
    private final VettedClock clock;
    private final SharedState shared;
    private final CurrentLease inUse;
    private final Availability availability;
    private final WaitingLine line;
    private final long idsPerTick;
    private final long fromTick;

    /** Whether it is for one id, which another call may take for it. */
    private final boolean single;

    private final LongWait longWait;

    /** The lease of the positions taken last. */
    private Lease lease;

    private int taken;
    private int lost;
    private long leftToOthers = NONE;

    /** The clock when the call first read it. */
    private long firstTick = NONE;

    /** Its place in the queue; null: none. */
    private @Nullable Waiter me;

    WaitingCall(IdIssuer issuer, long fromTick, boolean single, BooleanSupplier elsewhere) {
        this.issuer = issuer;
        this.positions = issuer.positions;
        this.clock = issuer.clock;
        this.shared = issuer.shared;
        this.inUse = issuer.inUse;
        this.availability = issuer.availability;
        this.line = issuer.line;
        this.idsPerTick = positions.first(1);
        this.fromTick = fromTick;
        this.single = single;
        this.longWait = new LongWait(issuer, elsewhere, this::leave);
        this.lease = inUse.get();
    }

    /** The lease of the positions taken last. */
    Lease lease() {
        return lease;
    }

    /** How many positions were taken last. */
    int taken() {
        return taken;
    }

    /** A batch that has begun stays with this worker id. */
    void stay() {
        longWait.stay();
    }

    /** The id that another call took for this one. */
    long given() {
        return me == null ? NONE : me.id();
    }

    /**
     * Takes consecutive positions, at least one.
     *
     * @return the first of them; {@link #NONE} if an id was {@link #given}, or another worker id has some
     */
    long take(int most) {
        while (true) {
            boolean leads = me != null && me.leads();
            long arrived = leads ? line.lastArrival() : 0;
            Lease current = inUse.get();
            long last = current.position();
            if (last == Lease.SEALED) {
                if (longWait.awaitGrant(current, Long.MAX_VALUE)) {
                    return NONE;
                }
                continue;
            }
            long now = clock.tick();
            firstTick = firstTick == NONE ? now : firstTick;
            long next = issuer.next(last, now, fromTick);
            long end = availability.end(current, next, now);
            if (!clock.isCredible(now)) {
                longWait.awaitVetting();
            } else if (next >= current.limit()) {
                if (longWait.awaitGrant(current, next)) {
                    return NONE;
                }
            } else if (availability.isBehind(current, next, end, now)) {
                long behind = Math.max(positions.tick(last), fromTick) - now;
                if (longWait.awaitClock(availability.gapTicks(current, next, now), behind)) {
                    return NONE;
                }
            } else if (isForNextTick(last, next, end, now, leads)) {
                if (awaitTurn(next >= end, positions.tick(next), now)) {
                    return NONE;
                }
            } else if (advance(current, last, next, end, most, now, arrived, leads)) {
                return next;
            } else if (++lost % MAX_LOST == 0 && !leads && now - issuer.usedUpTick <= 1) {
                leftToOthers = now;
            }
        }
    }

    private boolean isForNextTick(long last, long next, long end, long now, boolean leads) {
        return next >= end
                || now == leftToOthers
                || (leads ? !line.isDue(last, idsPerTick, now) : line.keepsForLeader());
    }

    /** Takes positions for this call and, if it leads the queue, for others in it. */
    private boolean advance(
            Lease current, long last, long next, long end, int most, long now, long arrived, boolean leads) {
        int others = 0;
        long free = end - next;
        long tick = positions.tick(next);
        Waiter leader = me;
        if (leads && leader != null) {
            free = Math.min(end, positions.first(tick + 1)) - next;
            // A batch leaves half of a millisecond to others.
            others = line.select(arrived, last, idsPerTick, tick, now, Math.max(free - most, free / 2));
            free = others == 0 ? end - next : free - others;
        }
        int mine = (int) Math.min(most, free);
        long highest = next + mine + others - 1;
        if (!current.advance(last, next, highest)) {
            return false;
        }
        if (leads) {
            line.serve(arrived, positions.id(next + mine, current.workerId), others, tick, highest, now);
        }
        if (positions.tick(highest) > tick) {
            issuer.catchUp.want(positions.tick(highest));
        }
        lease = current;
        taken = mine;
        longWait.succeed();
        return true;
    }

    /** Ends all waiting, whatever came of the call. */
    void end() {
        leave();
        longWait.end();
    }

    /** Ends a wait in the queue: no call keeps the lead while it waits for more than the next millisecond. */
    void leave() {
        Waiter left = me;
        if (left != null) {
            me = null;
            line.leave(left);
        }
    }

    /**
     * Waits for the next millisecond if this call leads the queue, else to be given an id, or the lead.
     *
     * @return whether it was given an id
     */
    private boolean awaitTurn(boolean usedUp, long wantedTick, long now) {
        Waiter waiter = me;
        if (waiter != null && waiter.id() >= 0) {
            shared.requireOpen();
            return true;
        }
        if (longWait.isClockStanding()) {
            longWait.awaitMovingClock();
            return false;
        }
        longWait.end();
        if (usedUp) {
            issuer.usedUpTick = now;
            issuer.catchUp.want(wantedTick);
        }
        // Every call may wait for the next millisecond, an interrupted one no longer than that.
        if (now > firstTick) {
            longWait.requireUninterrupted();
        }
        if (waiter == null) {
            waiter = line.waiter(single, fromTick);
            me = waiter;
            line.join(waiter);
        }
        boolean interrupted = Thread.interrupted();
        try {
            if (interrupted) {
                // The interrupt ends one more wait. What another thread woke this one for is looked at below.
                issuer.platform.park(1);
            }
            if (!waiter.leads()) {
                line.await(waiter, interrupted ? 1_000_000 : Long.MAX_VALUE);
            } else {
                if (usedUp) {
                    line.keepIfStarved(waiter);
                }
                issuer.platform.awaitNextMillis();
                line.wentOn(waiter);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        if (waiter.id() >= 0) {
            shared.requireOpen();
            return true;
        }
        return false;
    }
}
