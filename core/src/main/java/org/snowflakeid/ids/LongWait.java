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
 * What one call waits for that may take longer than the next millisecond: the clock, its vetting, a grant. A setting bounds each of these waits,
 * and the call fails at its end. Used by the thread that calls.
 */
final class LongWait {

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

    private final Settings settings;
    private final Positions positions;
    private final Platform platform;
    private final VettedClock clock;
    private final SharedState shared;
    private final CurrentLease inUse;
    private final Rollback rollback;

    /** No call keeps its place in the queue meanwhile. */
    private final Runnable leave;

    private BooleanSupplier elsewhere;

    /** Of the clock when it was last seen to move, and when that was by the monotonic clock. */
    private long movedTick = IdIssuer.NONE;

    private long movedNanos;

    /** Since when it waits, by the monotonic clock. */
    private long sinceNanos;

    /** When it last looked for what it waits for. */
    private long lookedNanos;

    /** How long it was frozen meanwhile, with its process. */
    private long frozenNanos;

    /** How long it has waited so before, since the call last got something. */
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

    /** A call that has begun is not left to another worker id. */
    void stay() {
        elsewhere = () -> false;
    }

    /** The call got something: what it waits for later begins anew. */
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

    /** Its time in the queue apart. */
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

    /** The next millisecond does not come, at no worker id of this process, and when it will is unknown. */
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

    /** The wall clock has stepped, and it is not known yet whether rightly. */
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
    boolean awaitGrant(Lease current, long next) {
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
