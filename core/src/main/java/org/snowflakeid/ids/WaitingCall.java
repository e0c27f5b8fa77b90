// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.ids;

import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.ClockMovedBackwardsException;
import org.snowflakeid.Platform;
import org.snowflakeid.SnowflakeUnavailableException;
import org.snowflakeid.config.OnRollback;
import org.snowflakeid.config.Settings;
import org.snowflakeid.config.SnowflakeKeys;
import org.snowflakeid.ids.WaitingLine.Waiter;
import org.snowflakeid.lease.Availability;
import org.snowflakeid.lease.CurrentLease;
import org.snowflakeid.lease.Lease;
import org.snowflakeid.lease.Positions;
import org.snowflakeid.lease.Rollback;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.VettedClock;

/**
 * One call that could not be answered at once, or that is for several ids, and what it has waited for until now: its turn, the clock, the
 * keeper. Used by the thread that calls. What may be issued, {@link IdIssuer} says.
 */
public final class WaitingCall {

    private static final long NONE = IdIssuer.NONE;

    /** More in a row are lost only against threads that do nothing else. */
    private static final int MAX_LOST = 3;

    /** A clock that is set right again wakes no thread, so a call that waits for it looks this often. */
    private static final long CLOCK_LOOK_NANOS = 50_000_000;

    /** A call that waits for the keeper looks this often too: back at a time that is reserved, or credible, there are ids without it. */
    private static final long KEEPER_LOOK_NANOS = 500_000_000;

    /** The clock was wrong before, not only corrected a little. */
    private static final long LONG_BEHIND_MILLIS = 60_000;

    /** No look comes so late on a busy machine. */
    private static final long FROZEN_NANOS = 2_000_000_000L;

    /** A wall clock that shows the same millisecond for so long does not run. */
    private static final long STANDING_NANOS = 50_000_000;

    /** From the seal of a lease to the next one it takes microseconds, unless the keeper is preempted there. */
    private static final long LONGEST_SWAP_NANOS = 50_000_000;

    /** An interrupt does not end it sooner than a wait for the next millisecond. */
    private static final long UNINTERRUPTED_SWAP_NANOS = 1_000_000;

    private final IdIssuer issuer;
    private final Settings settings;
    private final Positions positions;
    private final Platform platform;
    private final VettedClock clock;
    private final SharedState shared;
    private final CurrentLease inUse;
    private final Rollback rollback;
    private final Availability availability;
    private final WaitingLine line;
    private final long idsPerTick;
    private final long fromTick;

    /** Whether it is for one id, which another call may take for it. */
    private final boolean single;

    private BooleanSupplier elsewhere;

    /** What the positions taken last belong to. */
    private Lease lease;

    private int taken;
    private int lost;
    private long leftToOthers = NONE;

    /** Of the clock when the call began to look. */
    private long firstTick = NONE;

    /** Of the clock when it was last seen to move, and when that was by the monotonic clock. */
    private long movedTick = NONE;

    private long movedNanos;

    /** Its place in the queue; null: none. */
    private @Nullable Waiter me;

    /** Since when the call waits for more than the next tick, by the monotonic clock. */
    private long sinceNanos;

    /** When it last looked for what it waits for. */
    private long lookedNanos;

    /** How long it was frozen meanwhile, with its process. */
    private long frozenNanos;

    /** How long it has waited so before, since it last got something. */
    private long waitedBeforeNanos;

    private boolean waiting;

    WaitingCall(IdIssuer issuer, long fromTick, boolean single, BooleanSupplier elsewhere) {
        this.issuer = issuer;
        this.settings = issuer.settings;
        this.positions = issuer.positions;
        this.platform = issuer.platform;
        this.clock = issuer.clock;
        this.shared = issuer.shared;
        this.inUse = issuer.inUse;
        this.rollback = issuer.rollback;
        this.availability = issuer.availability;
        this.line = issuer.line;
        this.idsPerTick = positions.first(1);
        this.fromTick = fromTick;
        this.single = single;
        this.elsewhere = elsewhere;
        this.lease = inUse.get();
    }

    /** What the positions taken last belong to. */
    Lease lease() {
        return lease;
    }

    /** How many positions were taken last. */
    int taken() {
        return taken;
    }

    /** A batch that has begun is not left to another worker id. */
    void stay() {
        elsewhere = () -> false;
    }

    /** The id that another call took for this one. */
    long given() {
        return me == null ? NONE : me.id();
    }

    /**
     * Takes positions in a row, at least one.
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
                if (awaitGrant(current, Long.MAX_VALUE)) {
                    return NONE;
                }
                continue;
            }
            long now = clock.tick();
            firstTick = firstTick == NONE ? now : firstTick;
            long next = issuer.next(last, now, fromTick);
            long end = availability.end(current, next, now);
            if (!clock.isCredible(now)) {
                awaitVetting();
            } else if (next >= current.limit()) {
                if (awaitGrant(current, next)) {
                    return NONE;
                }
            } else if (availability.isBehind(current, next, end, now)) {
                long behind = Math.max(positions.tick(last), fromTick) - now;
                if (awaitClock(availability.gapTicks(current, next, now), behind)) {
                    return NONE;
                }
            } else if (isForNextTick(last, next, end, now, leads) || !(leads || line.isOpen())) {
                boolean forNextTick = isForNextTick(last, next, end, now, leads);
                if (awaitTurn(next >= end, forNextTick, positions.tick(next), now)) {
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
        return next >= end || now == leftToOthers || (leads && !line.isDue(last, idsPerTick, now));
    }

    /** Takes positions for this call and, if it leads the queue, for others in it. */
    private boolean advance(
            Lease current, long last, long next, long end, int most, long now, long arrived, boolean leads) {
        int others = 0;
        long free = end - next;
        long tick = positions.tick(next);
        Waiter leader = me;
        if (leads && leader != null) {
            line.close(leader);
            free = Math.min(end, positions.first(tick + 1)) - next;
            // A batch leaves half of a millisecond to others.
            others = line.select(arrived, last, idsPerTick, tick, Math.max(free - most, free / 2));
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
        endWait();
        waitedBeforeNanos = 0;
        return true;
    }

    /** Nothing is waited for any more, whatever came of the call. */
    void end() {
        leave();
        endWait();
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
    private boolean awaitTurn(boolean usedUp, boolean forNextTick, long wantedTick, long now) {
        Waiter waiter = me;
        if (waiter != null && waiter.id() >= 0) {
            shared.requireOpen();
            return true;
        }
        if (isClockStanding()) {
            awaitMovingClock();
            return false;
        }
        endWait();
        if (usedUp) {
            issuer.usedUpTick = now;
            issuer.catchUp.want(wantedTick);
        }
        // Every call may wait for the next millisecond. A flag that is set would keep it from that.
        if (now > firstTick) {
            requireUninterrupted();
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
                platform.park(1);
            }
            if (!waiter.leads()) {
                line.await(waiter, interrupted ? 1_000_000 : Long.MAX_VALUE);
            } else if (forNextTick) {
                if (usedUp) {
                    line.close(waiter);
                }
                platform.awaitNextMillis();
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

    private void endWait() {
        if (waiting) {
            waiting = false;
            long waited = platform.nanoTime() - sinceNanos;
            waitedBeforeNanos += waited;
            shared.counters().waits.end(waited);
        }
    }

    private long waitingSince() {
        if (!waiting) {
            sinceNanos = platform.nanoTime();
            lookedNanos = sinceNanos;
            waiting = true;
            shared.counters().waits.begin();
        }
        leave();
        return sinceNanos;
    }

    /** How long it has waited for more than the next tick, its time in the queue apart. */
    private long waitedNanos() {
        long since = waitingSince();
        long now = platform.nanoTime();
        if (now - lookedNanos > FROZEN_NANOS) {
            // The process was frozen: what is waited for had no chance to come.
            frozenNanos += now - lookedNanos;
            sinceNanos = since + (now - lookedNanos);
        }
        lookedNanos = now;
        return waitedBeforeNanos + (now - sinceNanos);
    }

    private void requireUninterrupted() {
        if (Thread.currentThread().isInterrupted()) {
            throw new SnowflakeUnavailableException(shared.message("interrupted while waiting for an id."));
        }
    }

    /**
     * @param gapMillis until there are ids
     * @param behindMillis how far the clock is behind the last id
     * @return whether another worker id has ids now
     */
    private boolean awaitClock(long gapMillis, long behindMillis) {
        if (elsewhere.getAsBoolean()) {
            return true;
        }
        long left = rollback.maxWaitNanos() - waitedNanos();
        if (rollback.failsAtOnce(gapMillis) || gapMillis > left / 1_000_000) {
            String reason = "the clock (now " + Instant.ofEpochMilli(clock.millis()) + ") is " + behindMillis
                    + " ms behind the last id. "
                    + switch (rollback.policy()) {
                        case FAIL -> settings.shown(SnowflakeKeys.ON_ROLLBACK) + " says not to wait.";
                        case WAIT -> settings.shown(SnowflakeKeys.MAX_WAIT) + " allows to wait for less.";
                        case CONTINUE -> settings.shown(SnowflakeKeys.MAX_AHEAD) + " is used up.";
                    }
                    + (behindMillis > LONG_BEHIND_MILLIS ? " A process that is restarted has ids at once." : "");
            shared.failedBehind(reason);
            throw new ClockMovedBackwardsException(shared.message(reason));
        }
        requireUninterrupted();
        platform.park(Math.min(gapMillis * 1_000_000, CLOCK_LOOK_NANOS));
        return false;
    }

    /** The wall clock is read last: a thread that is preempted in between finds that it has moved. */
    private boolean isClockStanding() {
        long nanos = platform.nanoTime();
        long tick = clock.tick();
        if (tick != movedTick) {
            movedTick = tick;
            movedNanos = nanos;
        }
        return nanos - movedNanos > STANDING_NANOS;
    }

    /** The next millisecond does not come, at no worker id of this process, and when it will is unknown. */
    private void awaitMovingClock() {
        shared.requireOpen();
        boolean fails = rollback.policy() == OnRollback.FAIL;
        long left = rollback.maxWaitNanos() - waitedNanos();
        if (fails || left <= 0) {
            String reason = "the system clock stands still at "
                    + settings.layout().instantOf(movedTick) + ", and all ids of that millisecond are issued.";
            String unused = shared.refusedSince(inUse, reason);
            throw new SnowflakeUnavailableException(shared.message("no id can be issued: " + reason + " "
                    + (fails
                            ? settings.shown(SnowflakeKeys.ON_ROLLBACK) + " says not to wait."
                            : settings.shown(SnowflakeKeys.MAX_WAIT) + " allows to wait no longer.")));
        }
        requireUninterrupted();
        platform.park(Math.min(left, CLOCK_LOOK_NANOS));
    }

    /** The wall clock has stepped, and it is not known yet whether rightly. */
    private void awaitVetting() {
        shared.requireOpen();
        Object shown = clock.state();
        shared.wantVetting();
        long left = settings.waitTimeout().toNanos() - waitedNanos();
        if (left <= 0) {
            throw new SnowflakeUnavailableException(shared.message("no id can be issued: "
                    + shared.suspendedBy(
                            inUse,
                            "the system clock stepped, to " + Instant.ofEpochMilli(clock.millis())
                                    + ", and has not been vetted yet.")));
        }
        requireUninterrupted();
        // Whatever was found: the clock may have stepped again since, which no other thread need have noticed.
        shared.await(
                () -> clock.isCredible(clock.tick()) || !shown.equals(clock.state()),
                Math.min(left, KEEPER_LOOK_NANOS));
    }

    /**
     * Waits until {@code next} is granted, by an extension or by another lease.
     *
     * @return whether another worker id has ids now
     */
    private boolean awaitGrant(Lease current, long next) {
        shared.requireOpen();
        if (inUse.get() != current) {
            return false;
        }
        shared.wantMore(inUse);
        long now = platform.nanoTime();
        boolean endedBefore = current.endNanos() - waitingSince() < 0;
        // An outage must not fill request pools: once it has lasted, callers fail at once.
        long waited = waitedNanos();
        long outage = endedBefore ? now - current.noticeEnd(now) - frozenNanos : 0;
        // Sealed before its end it is about to be replaced, and that has to be waited for whatever is set.
        boolean swaps = next == Long.MAX_VALUE && !endedBefore;
        long patience = swaps
                ? Math.max(LONGEST_SWAP_NANOS, settings.waitTimeout().toNanos())
                : settings.waitTimeout().toNanos();
        long left = patience - Math.max(outage, waited);
        if (left <= 0) {
            String ended = inUse.hasBegun()
                    ? "what is " + (current.isHeldBack() ? "noted" : "reserved") + " for worker id "
                            + current.workerId + " ended at "
                            + settings.layout().instantOf(positions.tick(current.limit()))
                    : "no worker id could be claimed since a checkpoint was refused";
            throw new SnowflakeUnavailableException(shared.message("no id can be issued: " + ended + ". "
                    + shared.refusedSince(
                            inUse,
                            current.isHeldBack()
                                    ? "The file in " + SnowflakeKeys.RESUME_DIRECTORY + " has not been written yet."
                                    : shared.calls().isUnderWay()
                                            ? "The coordinator has not answered yet."
                                            : "No more is granted yet.")));
        }
        if (!swaps || waitedNanos() > UNINTERRUPTED_SWAP_NANOS) {
            requireUninterrupted();
        }
        Object shown = clock.state();
        boolean interrupted = swaps && Thread.interrupted();
        try {
            shared.await(
                    () -> inUse.get() != current
                            || next < current.limit()
                            || !shown.equals(clock.state())
                            || elsewhere.getAsBoolean(),
                    Math.min(left, interrupted ? UNINTERRUPTED_SWAP_NANOS : KEEPER_LOOK_NANOS));
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return elsewhere.getAsBoolean();
    }
}
