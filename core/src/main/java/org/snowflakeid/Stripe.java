// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeSettings.OnRollback;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * One worker id of a generator: hands out the ids that carry it.
 *
 * <p>A position is a tick and a sequence in one number. The next position is {@code max(last + 1, now)}: an exhausted
 * millisecond, a clock that stands still or steps back, and a burst are the same case, so no branch can get one of them wrong.
 * It is issued if it lies below the lease's limit and not further ahead of the clock than allowed; taking it is one
 * compare-and-set on the lease's last position. The clock is read after that position: the other order would make a thread
 * that was preempted in between see a clock that stepped back.
 *
 * <p>The coordinator is never called here. {@link LeaseKeeper} raises the limit from its own thread, seals a lease (its
 * position becomes {@link Lease#SEALED}, so every compare-and-set on it fails) and publishes the next, which starts above
 * everything the sealed one issued. A stale limit is a smaller limit, and a pause between the compare-and-set and the return is
 * harmless, since what was granted stays granted. Callers that can't get an id now wait for bounded time, without a lock.
 *
 * <p>Nobody waits while there are ids, and taking one is lock-free. When a millisecond is used up, one thread waits for the next and the others
 * sleep behind it ({@link Turns}). While that is so, a thread that keeps losing the compare-and-set to another leaves it the rest of the
 * millisecond. So one thread at a time runs through it, which costs a quarter of what a fight for one word costs, and each comes to ids
 * in its turn.
 */
final class Stripe {

    /** Ids are never negative. */
    static final long NONE = -1;

    /** More in a row are lost only against threads that do nothing else. */
    private static final int MAX_LOST = 3;

    private final SnowflakeSettings settings;
    private final SnowflakeLayout layout;
    private final String coordinatorName;
    private final Platform platform;
    private final VettedClock clock;
    private final WaitingThreads waiting;
    private final Turns turns;
    private final EventDelivery events;
    private final LeaseKeeper keeper;

    private final int sequenceBits;
    private final int tickShift;
    private final long sequenceMask;

    /** A new millisecond begins at a rolling sequence, so that rare ids spread evenly modulo 2, 8, 32. */
    private final long roll;

    private final OnRollback onRollback;
    private final long maxAheadTicks;
    private final long maxWaitNanos;
    private final long waitTimeoutNanos;

    /** The last tick that was used up: threads want more than there is. */
    private volatile long usedUpTick;

    private volatile Lease lease = new Lease(0, 0);
    private volatile boolean started;
    private volatile boolean closed;
    private volatile @Nullable SnowflakeException broken;

    /** Does not claim yet: {@link #start} does. */
    Stripe(
            SnowflakeSettings settings,
            WorkerCoordinatorProvider provider,
            Platform platform,
            @Nullable Consumer<? super SnowflakeEvent> listener) {
        this.settings = settings;
        this.layout = settings.layout();
        this.coordinatorName = provider.name();
        this.platform = platform;
        this.clock = new VettedClock(platform, layout, settings.maxSkew().toMillis());
        this.waiting = new WaitingThreads(platform);
        this.turns = new Turns(platform);
        this.events = new EventDelivery(platform, settings.generator(), listener);
        this.sequenceBits = layout.sequenceBits();
        this.tickShift = layout.workerIdBits() + layout.sequenceBits();
        this.sequenceMask = layout.maxSequence();
        this.roll = Math.min(31, sequenceMask >> 2);
        this.onRollback = settings.onRollback();
        this.maxAheadTicks = settings.maxAhead().toMillis();
        this.maxWaitNanos = settings.maxWait().toNanos();
        this.waitTimeoutNanos = settings.waitTimeout().toNanos();
        requireLastingLayout();
        this.keeper = new LeaseKeeper(settings, provider, platform, clock, waiting, this, events);
    }

    private void requireLastingLayout() {
        Instant now = Instant.ofEpochMilli(platform.wallMillis());
        if (!layout.epoch().isBefore(now)) {
            throw new InvalidSettingsException(List.of(
                    message("snowflake.epoch=" + layout.epoch() + " is not in the past of the system clock, which says "
                            + now + ". Correct the one that is wrong.")));
        }
        if (!layout.exhaustedAt().isAfter(now.plus(settings.window()))) {
            throw new InvalidSettingsException(List.of(message("snowflake.worker-id-bits=" + layout.workerIdBits()
                    + " and snowflake.sequence-bits=" + sequenceBits + " leave " + (63 - tickShift)
                    + " bits for the timestamp, which ran out on "
                    + layout.exhaustedAt().toString().substring(0, 10) + " counting from snowflake.epoch="
                    + layout.epoch()
                    + " (the system clock says " + now
                    + "). Lower one of them, or use a new namespace with a later epoch.")));
        }
    }

    /** Begins to claim. */
    void start() {
        keeper.start();
    }

    /** Waits until there is a worker id; closes itself if there will be none. */
    void awaitStart() {
        while (!started && broken == null) {
            waiting.await(() -> started || broken != null, Duration.ofHours(1).toNanos());
            if (Thread.currentThread().isInterrupted() && !started) {
                close();
                throw new SnowflakeUnavailableException(message("interrupted while claiming a worker id."));
            }
        }
        SnowflakeException failure = broken;
        if (failure != null) {
            close();
            throw failure;
        }
    }

    /** The next id; {@link #NONE} if others were faster, or it has to be waited for. */
    long tryNextId() {
        Lease current = lease;
        long last = current.position();
        long now = clock.tick();
        long next = next(last, now);
        if (last != Lease.SEALED && next < end(current, next, now) && current.advance(last, next)) {
            return encode(current, next);
        }
        return NONE;
    }

    /** Whether ids are to be had in this millisecond or the next. */
    boolean isIssuing() {
        Lease current = lease;
        return current.position() != Lease.SEALED
                && broken == null
                && !closed
                && clock.tick() << sequenceBits < current.limit();
    }

    /** Of an id of this generator's layout. */
    long tickOf(long id) {
        return id >>> tickShift;
    }

    /**
     * Issues ids, however long it takes. While threads want more than there is, one that keeps losing against others leaves them the rest
     * of the millisecond: two that fight for one word take four times the processor time for the same ids.
     *
     * @param ids to be filled; null: the one id is returned
     * @param fromTick no id of an earlier tick
     * @return the last id
     */
    long issue(long @Nullable [] ids, int count, long fromTick) {
        int filled = 0;
        int lost = 0;
        long leftToOthers = Long.MIN_VALUE;
        long waitingSince = 0;
        boolean patient = true;
        boolean myTurn = false;
        try {
            while (true) {
                Lease current = lease;
                long last = current.position();
                if (last == Lease.SEALED) {
                    myTurn = leave(myTurn);
                    waitingSince = awaitGrant(current, Long.MAX_VALUE, waitingSince);
                    continue;
                }
                long now = clock.tick();
                long next = Math.max(next(last, now), fromTick << sequenceBits);
                long end = Math.min(end(current, next, now), next + (count - filled));
                if (next >= end && !isTickUsedUp(current, next, now)) {
                    myTurn = leave(myTurn);
                    waitingSince = awaitPosition(current, next, now, waitingSince);
                } else if (next >= end || now == leftToOthers) {
                    if (next >= end) {
                        usedUpTick = now;
                    }
                    if (!myTurn && patient) {
                        myTurn = turns.take();
                        patient = myTurn;
                    } else {
                        awaitNextMillis();
                    }
                    waitingSince = 0;
                } else if (!current.advance(last, end - 1)) {
                    lost++;
                    if (lost % MAX_LOST == 0 && now - usedUpTick <= 1) {
                        leftToOthers = now;
                    }
                } else if (ids == null) {
                    return encode(current, next);
                } else {
                    int taken = (int) (end - next);
                    encode(current, next, ids, filled, filled + taken);
                    filled += taken;
                    if (filled == count) {
                        return ids[count - 1];
                    }
                    waitingSince = 0;
                    myTurn = leave(myTurn);
                }
            }
        } finally {
            myTurn = leave(myTurn);
        }
    }

    private void awaitNextMillis() {
        platform.awaitNextMillis();
        if (Thread.currentThread().isInterrupted()) {
            throw interrupted();
        }
    }

    /** Nobody keeps the turn who waits for more than the next millisecond. */
    private boolean leave(boolean myTurn) {
        if (myTurn) {
            turns.pass();
        }
        return false;
    }

    private long next(long last, long now) {
        return Math.max(last + 1, (now << sequenceBits) | ((last + 1) & roll));
    }

    private long encode(Lease current, long position) {
        return ((position >>> sequenceBits) << tickShift)
                | ((long) current.workerId << sequenceBits)
                | (position & sequenceMask);
    }

    /** A loop of its own, which the compiler can do with several ids at a time. */
    private void encode(Lease current, long first, long[] ids, int from, int to) {
        for (int i = from; i < to; i++) {
            ids[i] = encode(current, first + (i - from));
        }
    }

    /** Positions from here on may not be issued now: they are not granted, or too far ahead of the clock. */
    private long end(Lease current, long next, long now) {
        long end = Math.min(current.limit(), (now + current.ahead() + 1) << sequenceBits);
        if (next >= end && onRollback == OnRollback.CONTINUE && clockSteppedBack(current, next, now)) {
            end = Math.min(current.limit(), (now + current.ahead() + maxAheadTicks + 1) << sequenceBits);
        }
        return end;
    }

    /** Otherwise the sequence of the last tick allowed is merely used up. */
    private boolean clockSteppedBack(Lease current, long next, long now) {
        return (next >> sequenceBits) - now - current.ahead() > 1;
    }

    private boolean isTickUsedUp(Lease current, long next, long now) {
        return next < current.limit() && !clockSteppedBack(current, next, now);
    }

    /** Waits for what keeps {@code next} from being issued. Returns since when the call waits for more than the next tick. */
    private long awaitPosition(Lease current, long next, long now, long waitingSince) {
        return next >= current.limit()
                ? awaitGrant(current, next, waitingSince)
                : awaitClock((next >> sequenceBits) - permitted(current, now), waitingSince);
    }

    /** The last tick that may be issued while the clock is behind, if it is granted. */
    private long permitted(Lease current, long now) {
        return now + current.ahead() + (onRollback == OnRollback.CONTINUE ? maxAheadTicks : 0);
    }

    private long awaitClock(long gapMillis, long waitingSince) {
        if (gapMillis > settings.maxSkew().toMillis()) {
            keeper.vetClockSoon();
        }
        long nanos = platform.nanoTime();
        long since = waitingSince != 0 ? waitingSince : nanos;
        long left = maxWaitNanos - (nanos - since);
        if (onRollback == OnRollback.FAIL || gapMillis > left / 1_000_000) {
            throw new ClockMovedBackwardsException(message("the clock (now " + Instant.ofEpochMilli(clock.millis())
                    + ") is " + gapMillis + " ms behind the last id. "
                    + switch (onRollback) {
                        case FAIL -> "snowflake.clock.on-rollback=fail says not to wait.";
                        case WAIT -> "snowflake.clock.max-wait=" + settings.maxWait() + " allows to wait for less.";
                        case CONTINUE -> "snowflake.clock.max-ahead=" + settings.maxAhead() + " is used up.";
                    }
                    + " Ids go on when the clock has caught up; find out what sets it back."));
        }
        platform.park(gapMillis * 1_000_000);
        if (Thread.currentThread().isInterrupted()) {
            throw interrupted();
        }
        return since;
    }

    /** Waits until {@code next} is granted, by an extension or by another lease. */
    private long awaitGrant(Lease current, long next, long waitingSince) {
        SnowflakeException stopped = broken;
        if (stopped != null) {
            throw restate(stopped);
        }
        if (closed) {
            throw new SnowflakeUnavailableException(message("is closed."));
        }
        long nanos = platform.nanoTime();
        long since = waitingSince != 0 ? waitingSince : nanos;
        // An outage must not fill request pools: once it has lasted, callers fail at once.
        boolean overSinceLong = current.endNanos() - since < 0;
        long left = (overSinceLong ? current.endNanos() : since) + waitTimeoutNanos - nanos;
        if (left > 0) {
            long correction = clock.correctionMillis();
            keeper.extendSoon();
            waiting.await(
                    () -> lease != current
                            || next < current.limit()
                            || correction != clock.correctionMillis()
                            || closed
                            || broken != null,
                    left);
            if (Thread.currentThread().isInterrupted()) {
                throw interrupted();
            }
            return since;
        }
        throw new SnowflakeUnavailableException(message("no id can be issued: what is reserved for worker id "
                + current.workerId + " ended at " + layout.instantOf(limitTick(current)) + ". "
                + keeper.lastError().orElse("The coordinator has not answered yet.")));
    }

    private SnowflakeUnavailableException interrupted() {
        return new SnowflakeUnavailableException(message("interrupted while waiting for an id."));
    }

    /** A fresh exception for this caller, with the keeper's as its cause. */
    private static SnowflakeException restate(SnowflakeException stopped) {
        String text = String.valueOf(stopped.getMessage());
        return stopped instanceof CoordinatorRegressedException
                ? new CoordinatorRegressedException(text, stopped)
                : new SnowflakeUnavailableException(text, stopped);
    }

    private long limitTick(Lease current) {
        return current.limit() >> sequenceBits;
    }

    SnowflakeStatus status() {
        Lease current = lease;
        long last = current.position();
        boolean issuing = last != Lease.SEALED;
        long windowTicks = current.windowTicks();
        long now = clock.tick();
        long drift = issuing ? (last >> sequenceBits) - now : 0;
        long ticksLeft = limitTick(current) - now;
        long behind = issuing ? ((last + 1) >> sequenceBits) - permitted(current, now) : 0;
        boolean clockBehind = behind > 1 && (onRollback == OnRollback.FAIL || behind > maxWaitNanos / 1_000_000);
        SnowflakeStatus.State state;
        if (closed) {
            state = SnowflakeStatus.State.CLOSED;
        } else if (!started) {
            state = SnowflakeStatus.State.STARTING;
        } else if (broken != null || !issuing || ticksLeft <= 0 || clockBehind) {
            state = SnowflakeStatus.State.SUSPENDED;
        } else {
            state = SnowflakeStatus.State.ACTIVE;
        }
        return new SnowflakeStatus(
                settings.generator(),
                state,
                issuing ? List.of(current.workerId) : List.of(),
                settings.namespace(),
                coordinatorName,
                issuing ? Optional.of(layout.instantOf(limitTick(current))) : Optional.empty(),
                Duration.ofMillis(Math.max(0, drift)),
                state == SnowflakeStatus.State.ACTIVE && ticksLeft > windowTicks / 3,
                clockBehind ? Optional.of("The clock is " + behind + " ms behind the last id.") : keeper.lastError(),
                keeper.clockWarning());
    }

    void close() {
        beginClose();
        awaitClose();
    }

    /** Stops issuing. Calls that wait for an id fail. */
    void beginClose() {
        events.close();
        closed = true;
        keeper.stop(!started);
        waiting.wake();
    }

    /** Waits until the worker id is given back, a few seconds at most. */
    void awaitClose() {
        waiting.await(keeper::hasEnded, keeper.longestCloseNanos());
    }

    // What follows is called by the keeper's thread.

    /** Hands out from {@code next} from now on. The lease before must have been sealed. */
    void publish(Lease next) {
        lease = next;
        started = true;
        waiting.wake();
    }

    /** No id will be issued again; every caller is told why. */
    void breakDown(SnowflakeException reason) {
        broken = reason;
        waiting.wake();
    }

    private String message(String text) {
        return "snowflake '" + settings.generator() + "': " + text;
    }
}
