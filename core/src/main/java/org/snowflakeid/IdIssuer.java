// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Turns.Waiter;

/**
 * Hands out the ids of one worker id, on the callers' threads.
 *
 * <p>A position is a tick and a sequence in one number ({@link Positions}). The next position is {@code max(last + 1, now)}: an exhausted
 * millisecond, a clock that does not move or steps back, and a burst are the same case, so no branch can get one of them wrong.
 * It is issued if it is below the lease's limit and not further ahead of the clock than allowed; taking it is one
 * compare-and-set on the lease's last position. The clock is read after that position: the other order would make a thread
 * that was preempted in between see a clock that stepped back.
 *
 * <p>The coordinator is never called here. The keeper raises the limit from its own thread, seals a lease (its
 * position becomes {@link Lease#SEALED}, so every compare-and-set on it fails) and publishes the next, which starts above
 * everything the sealed one issued. A stale limit is a smaller limit, and a pause between the compare-and-set and the return is
 * harmless, since what was granted stays granted. Callers that can't get an id now wait for bounded time, without a lock.
 *
 * <p>Where the wall clock has stepped ahead by more than a second, since it was set, or since this memory image was resumed, a caller waits
 * until the keeper has vetted it ({@link VettedClock}).
 *
 * <p>Nobody waits while there are ids, and taking one is lock-free. When a millisecond is used up, one thread waits for the next and the others
 * sleep behind it, and get their ids from it or lead in their turn ({@link Turns}). While that is so, a thread that keeps losing the
 * compare-and-set to another leaves it the rest of the millisecond. So one thread at a time runs through it, which costs a quarter of what
 * a fight for one word costs.
 */
final class IdIssuer {

    /** Ids are never negative. */
    static final long NONE = -1;

    /** More in a row are lost only against threads that do nothing else. */
    private static final int MAX_LOST = 3;

    /** A clock that is set right again wakes nobody, so whoever waits for it looks this often. */
    private static final long CLOCK_LOOK_NANOS = 50_000_000;

    /** Whoever waits for the keeper looks this often too: back at a time that is reserved, or credible, there are ids without it. */
    private static final long KEEPER_LOOK_NANOS = 500_000_000;

    private final SnowflakeSettings settings;
    private final Positions positions;
    private final Platform platform;
    private final VettedClock clock;
    private final Handover handover;
    private final LeaseInUse inUse;
    private final Rollback rollback;
    private final Turns turns;
    private final long waitTimeoutNanos;
    private final long idsPerTick;

    /** The last tick that was used up: threads want more than there is. */
    private volatile long usedUpTick;

    IdIssuer(SnowflakeSettings settings, Platform platform, VettedClock clock, Handover handover, LeaseInUse inUse) {
        this.settings = settings;
        this.positions = Positions.of(settings.layout());
        this.platform = platform;
        this.clock = clock;
        this.handover = handover;
        this.inUse = inUse;
        this.rollback = Rollback.of(settings);
        this.turns = new Turns(platform);
        this.idsPerTick = positions.first(1);
        this.waitTimeoutNanos = settings.waitTimeout().toNanos();
    }

    /**
     * The next id; {@link #NONE} if others were faster, or it has to be waited for.
     *
     * @param fromTick no id of an earlier tick
     */
    long tryNextId(long fromTick) {
        Lease current = inUse.get();
        long last = current.position();
        long now = clock.tick();
        long next = next(last, now, fromTick);
        if (turns.isOpen()
                && last != Lease.SEALED
                && next < end(current, next, now)
                && clock.isCredible(now)
                && current.advance(last, next)) {
            return positions.id(next, current.workerId);
        }
        return NONE;
    }

    /**
     * As {@link #tryNextId}, however long it takes.
     *
     * @param elsewhere whether another worker id has ids: {@link #NONE} then if this one has none
     */
    long nextId(long fromTick, BooleanSupplier elsewhere) {
        Call call = new Call(fromTick, true, elsewhere);
        try {
            long position = call.take(1);
            return position == NONE ? call.given() : positions.id(position, call.lease.workerId);
        } finally {
            call.leave();
        }
    }

    /**
     * Fills the array with ascending ids.
     *
     * @param elsewhere whether another worker id has ids: {@link #NONE} then if this one has none, and nothing is filled
     * @return the last one
     */
    long nextIds(long[] ids, long fromTick, BooleanSupplier elsewhere) {
        Call call = new Call(fromTick, false, elsewhere);
        try {
            for (int filled = 0; filled < ids.length; filled += call.taken) {
                long first = call.take(ids.length - filled);
                if (first == NONE) {
                    return NONE;
                }
                call.elsewhere = () -> false;
                fill(ids, filled, filled + call.taken, first, call.lease.workerId);
                call.leave();
            }
            return ids[ids.length - 1];
        } finally {
            call.leave();
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
        return last != Lease.SEALED && !handover.isBroken() && next(last, clock.tick(), fromTick) < current.limit();
    }

    /** When, by the monotonic clock, the clock reaches the end of what is granted. */
    long endNanos() {
        return inUse.get().endNanos();
    }

    /** Of an id of this generator's layout. */
    long tickOf(long id) {
        return positions.tickOfId(id);
    }

    private long next(long last, long now, long fromTick) {
        return Math.max(positions.next(last, now), positions.first(fromTick));
    }

    /** Positions from here on may not be issued now: they are not granted, or too far ahead of the clock. */
    private long end(Lease current, long next, long now) {
        long ahead = ahead(current, next, now);
        long end = Math.min(current.limit(), positions.first(now + ahead + 1));
        if (next >= end && rollback.maxAheadTicks() > 0 && Rollback.isBehind(positions.tick(next), now, ahead)) {
            end = Math.min(current.limit(), positions.first(rollback.lastTick(now, ahead) + 1));
        }
        return end;
    }

    private long ahead(Lease current, long next, long now) {
        return current.ahead(now, positions.tick(next - 1));
    }

    /** One call that could not be answered at once, and what it has waited for until now. */
    private final class Call {
        private final long fromTick;

        /** Whether it is for one id, which another call may take for it. */
        private final boolean single;

        private BooleanSupplier elsewhere;

        /** What the positions taken last belong to. */
        private Lease lease = inUse.get();

        private int taken;
        private int lost;
        private long leftToOthers = NONE;

        /** Of the clock when the call began to look. */
        private long firstTick = NONE;

        /** Its place in the queue; null: none. */
        private @Nullable Waiter me;

        /** Since when the call waits for more than the next tick, by the monotonic clock. */
        private long sinceNanos;

        private boolean waiting;

        Call(long fromTick, boolean single, BooleanSupplier elsewhere) {
            this.fromTick = fromTick;
            this.single = single;
            this.elsewhere = elsewhere;
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
                long arrived = leads ? turns.lastArrival() : 0;
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
                long next = next(last, now, fromTick);
                long end = end(current, next, now);
                if (!clock.isCredible(now)) {
                    awaitVetting();
                } else if (next >= current.limit()) {
                    if (awaitGrant(current, next)) {
                        return NONE;
                    }
                } else if (next >= end && Rollback.isBehind(positions.tick(next), now, ahead(current, next, now))) {
                    awaitClock(positions.tick(next) - rollback.lastTick(now, ahead(current, next, now)));
                } else if (isForNextTick(last, next, end, now, leads) || !(leads || turns.isOpen())) {
                    if (awaitTurn(next >= end, isForNextTick(last, next, end, now, leads), now)) {
                        return NONE;
                    }
                } else if (advance(current, last, next, end, most, now, arrived, leads)) {
                    return next;
                } else if (++lost % MAX_LOST == 0 && !leads && now - usedUpTick <= 1) {
                    leftToOthers = now;
                }
            }
        }

        private boolean isForNextTick(long last, long next, long end, long now, boolean leads) {
            return next >= end || now == leftToOthers || (leads && !turns.isDue(last, idsPerTick, now));
        }

        /** Takes positions for this call and, if it leads the queue, for others in it. */
        private boolean advance(
                Lease current, long last, long next, long end, int most, long now, long arrived, boolean leads) {
            int others = 0;
            long free = end - next;
            Waiter leader = me;
            if (leads && leader != null) {
                turns.close(leader);
                long tick = positions.tick(next);
                free = Math.min(end, positions.first(tick + 1)) - next;
                // A batch leaves half of a millisecond to others.
                others = turns.select(arrived, last, idsPerTick, tick, Math.max(free - most, free / 2));
                free = others == 0 ? end - next : free - others;
            }
            int mine = (int) Math.min(most, free);
            long highest = next + mine + others - 1;
            if (!current.advance(last, highest)) {
                return false;
            }
            if (leads) {
                turns.serve(arrived, positions.id(next + mine, current.workerId), others, highest, now);
            }
            lease = current;
            taken = mine;
            waiting = false;
            return true;
        }

        /** Ends a wait in the queue: nobody keeps the lead who waits for more than the next millisecond. */
        void leave() {
            Waiter left = me;
            if (left != null) {
                me = null;
                turns.leave(left);
            }
        }

        /**
         * Waits for the next millisecond if this call leads the queue, else to be given an id, or the lead.
         *
         * @return whether it was given an id
         */
        private boolean awaitTurn(boolean usedUp, boolean forNextTick, long now) {
            waiting = false;
            if (usedUp) {
                usedUpTick = now;
            }
            // Every call may wait for the next millisecond. A flag that is set would keep it from that.
            if (now > firstTick) {
                requireUninterrupted();
            }
            Waiter waiter = me;
            if (waiter == null) {
                waiter = turns.waiter(single, fromTick);
                me = waiter;
                turns.join(waiter);
            }
            boolean interrupted = Thread.interrupted();
            try {
                if (!waiter.leads()) {
                    turns.await(waiter, interrupted ? 1_000_000 : Long.MAX_VALUE);
                } else if (forNextTick) {
                    if (usedUp) {
                        turns.close(waiter);
                    }
                    platform.awaitNextMillis();
                    turns.wentOn(waiter);
                }
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
            if (waiter.id() >= 0) {
                handover.requireOpen();
                return true;
            }
            return false;
        }

        private long waitingSince() {
            if (!waiting) {
                waiting = true;
                sinceNanos = platform.nanoTime();
            }
            leave();
            return sinceNanos;
        }

        private void requireUninterrupted() {
            if (Thread.currentThread().isInterrupted()) {
                throw new SnowflakeUnavailableException(handover.message("interrupted while waiting for an id."));
            }
        }

        private void awaitClock(long gapMillis) {
            if (gapMillis > settings.maxSkew().toMillis()) {
                handover.wantVetting();
            }
            long left = rollback.maxWaitNanos() - (platform.nanoTime() - waitingSince());
            if (rollback.failsAtOnce(gapMillis) || gapMillis > left / 1_000_000) {
                throw new ClockMovedBackwardsException(handover.message("the clock (now "
                        + Instant.ofEpochMilli(clock.millis()) + ") is " + gapMillis + " ms behind the last id. "
                        + switch (rollback.policy()) {
                            case FAIL -> "snowflake.clock.on-rollback=fail says not to wait.";
                            case WAIT -> "snowflake.clock.max-wait=" + settings.maxWait() + " allows to wait for less.";
                            case CONTINUE -> "snowflake.clock.max-ahead=" + settings.maxAhead() + " is used up.";
                        }));
            }
            requireUninterrupted();
            platform.park(Math.min(gapMillis * 1_000_000, CLOCK_LOOK_NANOS));
        }

        /** The wall clock has stepped ahead, and it is not known yet whether rightly. */
        private void awaitVetting() {
            handover.requireOpen();
            Object shown = clock.state();
            handover.wantVetting();
            long left = waitTimeoutNanos - (platform.nanoTime() - waitingSince());
            if (left <= 0) {
                throw new SnowflakeUnavailableException(handover.message("no id can be issued: "
                        + handover.suspendedBy("the system clock stepped ahead, to "
                                + Instant.ofEpochMilli(clock.millis()) + ", and has not been vetted yet.")));
            }
            requireUninterrupted();
            // Whatever was found: the clock may have stepped again since, of which nobody else need know.
            handover.await(
                    () -> clock.isCredible(clock.tick()) || !shown.equals(clock.state()),
                    Math.min(left, KEEPER_LOOK_NANOS));
        }

        /**
         * Waits until {@code next} is granted, by an extension or by another lease.
         *
         * @return whether another worker id has ids now
         */
        private boolean awaitGrant(Lease current, long next) {
            handover.requireOpen();
            handover.wantMore(inUse);
            long now = platform.nanoTime();
            long since = waitingSince();
            // An outage must not fill request pools: once it has lasted, callers fail at once.
            boolean endedBefore = current.endNanos() - since < 0;
            long from = endedBefore ? Math.min(current.noticeEnd(now) - now, since - now) : since - now;
            long left = from + waitTimeoutNanos;
            if (left <= 0) {
                throw new SnowflakeUnavailableException(handover.message(
                        "no id can be issued: what is reserved for worker id " + current.workerId + " ended at "
                                + settings.layout().instantOf(positions.tick(current.limit())) + ". "
                                + handover.refusedSince("The coordinator has not answered yet.")));
            }
            requireUninterrupted();
            Object shown = clock.state();
            handover.await(
                    () -> inUse.get() != current
                            || next < current.limit()
                            || !shown.equals(clock.state())
                            || elsewhere.getAsBoolean(),
                    Math.min(left, KEEPER_LOOK_NANOS));
            return elsewhere.getAsBoolean();
        }
    }
}
