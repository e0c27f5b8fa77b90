// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.ids;

import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.snowflakeid.ClockMovedBackwardsException;
import org.snowflakeid.Platform;
import org.snowflakeid.SnowflakeUnavailableException;
import org.snowflakeid.config.OnRollback;
import org.snowflakeid.config.Settings;
import org.snowflakeid.config.SnowflakeKeys;
import org.snowflakeid.lease.CallWatch;
import org.snowflakeid.lease.CurrentLease;
import org.snowflakeid.lease.Lease;
import org.snowflakeid.lease.Positions;
import org.snowflakeid.lease.Rollback;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.VettedClock;

/**
 * One call's waits for what may take longer than the next millisecond: the clock, its vetting, a grant. A setting bounds each of them, and the call
 * fails when that time is over. Used by the calling thread.
 */
final class LongWait {

    /** A clock that is set right again wakes no thread, so a call that waits for it looks this often. */
    private static final long CLOCK_LOOK_NANOS = 50_000_000;

    /** A call that waits for the keeper also looks this often: once the clock is credible, or within what is reserved, it needs no keeper. */
    private static final long KEEPER_LOOK_NANOS = 500_000_000;

    /** A clock further behind was wrong before, not just corrected a little. */
    private static final long LONG_BEHIND_MILLIS = 60_000;

    /** A look later than this means that the process was frozen, not that the machine is busy. */
    private static final long FROZEN_NANOS = 2_000_000_000L;

    /** A wall clock that shows the same millisecond for longer than this stands still. */
    private static final long STANDING_NANOS = 50_000_000;

    /** From the seal of a lease to the next lease it takes microseconds, unless the keeper is preempted in between. */
    private static final long LONGEST_SWAP_NANOS = 50_000_000;

    /** For this long a wait for a swap ignores interrupts, as one for the next millisecond does. */
    private static final long UNINTERRUPTED_SWAP_NANOS = 1_000_000;

    private final Settings settings;
    private final Positions positions;
    private final Platform platform;
    private final VettedClock clock;
    private final SharedState shared;
    private final CurrentLease inUse;
    private final Rollback rollback;

    /** Gives up the call's place in the queue. */
    private final Runnable leave;

    private BooleanSupplier elsewhere;

    /** Where the clock was last seen to move, and when that was by the monotonic clock. */
    private long movedTick = IdIssuer.NONE;

    private long movedNanos;

    /** Since when it waits, by the monotonic clock. */
    private long sinceNanos;

    /** When it last looked for what it waits for. */
    private long lookedNanos;

    /** How long the process was frozen meanwhile. */
    private long frozenNanos;

    /** How long earlier waits took, since the call last got ids. */
    private long waitedBeforeNanos;

    private boolean waiting;

    LongWait(IdIssuer issuer, BooleanSupplier elsewhere, Runnable leave) {
        this.settings = issuer.settings;
        this.positions = issuer.positions;
        this.platform = issuer.platform;
        this.clock = issuer.clock;
        this.shared = issuer.shared;
        this.inUse = issuer.inUse;
        this.rollback = issuer.rollback;
        this.elsewhere = elsewhere;
        this.leave = leave;
    }

    /** A batch that has begun stays with this worker id. */
    void stay() {
        elsewhere = () -> false;
    }

    /** The call got ids: a later wait has its full time again. */
    void succeed() {
        end();
        waitedBeforeNanos = 0;
    }

    /** Nothing is waited for any more. */
    void end() {
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
        leave.run();
        return sinceNanos;
    }

    /** How long the call has waited here, without its time in the queue, or frozen. */
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

    void requireUninterrupted() {
        if (Thread.currentThread().isInterrupted()) {
            throw new SnowflakeUnavailableException(shared.message("interrupted while waiting for an id."));
        }
    }

    /**
     * @param gapMillis until there are ids
     * @param behindMillis how far the clock is behind the last id
     * @return whether another worker id has ids now
     * @throws ClockMovedBackwardsException if the settings allow no longer wait
     */
    boolean awaitClock(long gapMillis, long behindMillis) {
        if (elsewhere.getAsBoolean()) {
            return true;
        }
        long left = rollback.maxWaitNanos() - waitedNanos();
        boolean standing = isClockStanding();
        if (rollback.failsAtOnce(gapMillis) || gapMillis > left / 1_000_000) {
            String reason = (standing
                            ? standsStill() + ", "
                            : "the clock (now " + Instant.ofEpochMilli(clock.millis()) + ") is ")
                    + behindMillis + " ms behind the last id. "
                    + switch (rollback.policy()) {
                        case FAIL -> settings.shown(SnowflakeKeys.ON_ROLLBACK) + " says not to wait.";
                        case WAIT ->
                            settings.shown(SnowflakeKeys.MAX_WAIT)
                                    + (standing ? " allows to wait no longer." : " allows to wait for less.");
                        case CONTINUE -> settings.shown(SnowflakeKeys.MAX_AHEAD) + " is used up.";
                    }
                    + (behindMillis > LONG_BEHIND_MILLIS ? " A process that is restarted has ids at once." : "");
            if (standing) {
                failedStanding(reason);
            } else {
                shared.failedBehind(reason);
            }
            throw new ClockMovedBackwardsException(shared.message(reason));
        }
        requireUninterrupted();
        platform.park(Math.min(gapMillis * 1_000_000, CLOCK_LOOK_NANOS));
        return false;
    }

    /** The wall clock is read last: a thread that is preempted in between finds that it has moved. */
    boolean isClockStanding() {
        long nanos = platform.nanoTime();
        long tick = clock.tick();
        if (tick != movedTick) {
            movedTick = tick;
            movedNanos = nanos;
        }
        return nanos - movedNanos > STANDING_NANOS;
    }

    /** Waits where the clock stands still: no worker id of this process has ids before it moves. */
    void awaitMovingClock() {
        shared.requireOpen();
        long left = rollback.maxWaitNanos() - waitedNanos();
        boolean fails = rollback.policy() == OnRollback.FAIL;
        if (fails || left <= 0) {
            String reason = standsStill() + ", and all ids of that millisecond are issued.";
            failedStanding(reason);
            throw new SnowflakeUnavailableException(shared.message("no id can be issued: " + reason + " "
                    + (fails
                            ? settings.shown(SnowflakeKeys.ON_ROLLBACK) + " says not to wait."
                            : settings.shown(SnowflakeKeys.MAX_WAIT) + " allows to wait no longer.")));
        }
        requireUninterrupted();
        platform.park(Math.min(left, CLOCK_LOOK_NANOS));
    }

    private String standsStill() {
        return "the system clock stands still at " + settings.layout().instantOf(movedTick);
    }

    private void failedStanding(String reason) {
        shared.failedStanding(movedTick, reason);
    }

    /** Waits until the keeper has vetted a wall clock that stepped. */
    void awaitVetting() {
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
        // Whatever the keeper found: the clock may have stepped again since, unnoticed by other threads.
        shared.await(
                () -> clock.isCredible(clock.tick()) || !shown.equals(clock.state()),
                Math.min(left, KEEPER_LOOK_NANOS));
    }

    /**
     * Waits until {@code next} is granted, by an extension or by another lease.
     *
     * @return whether another worker id has ids now
     */
    boolean awaitGrant(Lease current, long next) {
        shared.requireOpen();
        if (inUse.get() != current) {
            return false;
        }
        shared.wantMore(inUse);
        long now = platform.nanoTime();
        boolean endedBefore = current.endNanos() - waitingSince() < 0;
        // An outage must not fill request pools: once it has lasted that long, calls fail at once.
        long waited = waitedNanos();
        long outage = endedBefore ? now - current.noticeEnd(now) - frozenNanos : 0;
        // A lease sealed before its end is about to be replaced: wait for that, whatever is set.
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
                                    ? CallWatch.NOT_WRITTEN
                                    : shared.calls().underWay().orElse("No more is granted yet."))));
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
