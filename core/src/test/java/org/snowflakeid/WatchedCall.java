// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

/** One call for ids, and what must hold for it. */
final class WatchedCall {

    /** What a call takes besides the waits that are allowed to it. */
    private static final long TAKES_MILLIS = 100;

    /** A call that lasts longer waits for more than the next millisecond. */
    private static final long WAITS_MILLIS = 20;

    /** So long a call may sleep on while others that began later get ids. */
    private static final long OVERTAKEN_MILLIS = 1_000;

    /** An id may be dated so much after the one before by a clock that nobody has vetted. */
    private static final long LOOK_MILLIS = 500;

    private static final long UNVETTED_MILLIS = 1000;

    /** Within it the keeper looks at the clock, unless it is kept by the coordinator. */
    private static final long LATELY_MILLIS = 15_000;

    private final Watch watch;
    private final SimulatedSettings settings;
    private final int count;
    private final long lastIdOfThread;
    private final long highestIdBefore;
    private final long highestTickBefore;
    private final long beganMillis;
    private final long beganWallMillis;
    private final long pausedAtBegin;
    private final boolean closedBefore;
    private final int stepsBefore;
    private final int checkpointsBefore;
    private long overtakenMillis;
    private long pausedAtOvertaken;

    /** @param lastIdOfThread -1: it has none yet */
    WatchedCall(Watch watch, int count, long lastIdOfThread) {
        this.watch = watch;
        this.settings = watch.settings;
        this.count = count;
        this.lastIdOfThread = lastIdOfThread;
        highestIdBefore = watch.highestId;
        highestTickBefore = watch.highestTick;
        beganMillis = watch.millis();
        beganWallMillis = watch.machine.wallNow();
        pausedAtBegin = watch.pausedMillis();
        closedBefore = watch.isClosed();
        stepsBefore = watch.steps.count();
        checkpointsBefore = watch.checkpoints;
        watch.calls.add(this);
    }

    boolean isBatch() {
        return count > 1;
    }

    long tookMillis() {
        return watch.millis() - beganMillis - (watch.pausedMillis() - pausedAtBegin);
    }

    // ---- it got ids

    void returned(long[] ids) {
        end();
        requireOrder(ids);
        if (closedBefore) {
            watch.violated("issued " + ids[0] + " after it was closed");
        }
        requireYoung(ids[0]);
        long now = watch.millis();
        long tick = settings.tick(ids[ids.length - 1]);
        if (watch.highestTick >= 0) {
            requireVettedDate(ids, now);
        }
        requireLookedAfterStepBack();
        for (WatchedCall other : watch.calls) {
            if (other.beganMillis < beganMillis && other.overtakenMillis == 0) {
                other.overtakenMillis = now;
                other.pausedAtOvertaken = watch.pausedMillis();
            }
        }
        watch.refusedSinceMillis = 0;
        watch.lastIssuedMillis = now;
        if (tick > watch.highestTick) {
            watch.highestMillis = now;
        }
        if (tick - now >= watch.furthestAhead || now - watch.furthestAheadMillis > LATELY_MILLIS) {
            watch.furthestAhead = tick - now;
            watch.furthestAheadMillis = now;
        }
        watch.highestId = Math.max(watch.highestId, ids[ids.length - 1]);
        watch.highestTick = Math.max(watch.highestTick, tick);
        LeasedSnowflake generator = watch.generator();
        if (generator != null && !watch.isClosing()) {
            watch.told.served(generator.status());
        }
    }

    /** Nothing that others were given is left for it. */
    void forgetOvertaken() {
        overtakenMillis = 0;
    }

    /** Strictly for each thread, and for all of them with one worker id; else to the millisecond. */
    private void requireOrder(long[] ids) {
        long previous = lastIdOfThread;
        for (long id : ids) {
            if (id <= previous) {
                watch.violated("issued " + id + " after " + previous + " to the same thread");
            }
            previous = id;
        }
        if (settings.workers == 1 && ids[0] <= highestIdBefore) {
            watch.violated("issued " + ids[0] + " after " + highestIdBefore);
        }
        if (settings.tick(ids[0]) < highestTickBefore) {
            watch.violated("issued an id dated " + (highestTickBefore - settings.tick(ids[0]))
                    + " ms before one that was returned to another thread before the call began");
        }
    }

    /** Ids that others left behind are no older than is allowed. */
    private void requireYoung(long id) {
        long age = settings.tickOf(beganWallMillis) - settings.tick(id);
        if (age > settings.maxLag.toMillis() && !watch.process.clockTouched) {
            watch.violated("dated an id " + age + " ms before the call for it began");
        }
    }

    private void requireVettedDate(long[] ids, long now) {
        long tick = settings.tick(ids[ids.length - 1]);
        // Not by the id before: after a step back it may have been dated too early, and the next is dated as vetted
        // again.
        long jump = tick - now - watch.furthestAhead;
        long allowed = UNVETTED_MILLIS
                + TAKES_MILLIS
                + watch.steps.vettedMillis
                + settings.burst.toMillis()
                + (count >> settings.sequenceBits);
        // Worker ids of one generator may begin at different times, which is no matter of clocks.
        if (jump > allowed && watch.steps.areUnvetted() && !watch.isBehindShared(settings.tick(ids[0]))) {
            watch.violated("dated an id " + (tick - watch.highestTick) + " ms after the one before, "
                    + (now - watch.highestMillis) + " ms later, by a step of the clock that was not vetted");
        }
        watch.steps.vettedMillis -= Math.max(0, Math.min(watch.steps.vettedMillis, jump));
    }

    /** After a step back by more than a clock may be wrong by time may have passed unseen, as in a copy: the keeper looks first. */
    private void requireLookedAfterStepBack() {
        LeasedSnowflake generator = watch.generator();
        if (generator == null || stepsBefore != watch.steps.count() || watch.machine.isBeingCopied()) {
            return;
        }
        long seenBack = settings.maxSkew.toMillis() + 1;
        long unseenBack = -watch.steps.unseenMillis();
        long behindShown = generator.issuer().clock.shownMillis(watch.machine.nanosNow()) - watch.machine.wallNow();
        // Else it was not believed before, and what of it callers go by is known to the generator only.
        boolean wasBelieved = Math.abs(behindShown - unseenBack) <= UNVETTED_MILLIS;
        if (unseenBack > seenBack && behindShown > seenBack && wasBelieved && !watch.steps.showsOnceMore()) {
            watch.violated("issued an id after its clock stepped back by " + behindShown
                    + " ms, and before its keeper looked");
        }
    }

    // ---- it got none

    /** @return whether its application has reason to close the generator */
    boolean refused(SnowflakeException e) {
        end();
        if (!watch.machine.isBeingCopied()) {
            watch.process.run.tally.count(Tally.Count.REFUSED);
        }
        if (watch.refusedSinceMillis == 0) {
            watch.refusedSinceMillis = watch.millis();
        }
        LeasedSnowflake generator = watch.generator();
        if (generator == null || watch.isClosing()) {
            return false;
        }
        SnowflakeStatus status = generator.status();
        boolean interrupted = Thread.currentThread().isInterrupted();
        if (e instanceof ClockMovedBackwardsException) {
            if (!watch.process.clockTouched) {
                watch.violated("says that its clock moved, which it did not: " + e.getMessage());
            }
        } else if (interrupted) {
            requireReasonToWait(e, status);
        } else if (status.state() == SnowflakeStatus.State.ACTIVE
                && status.lastError().isEmpty()
                && status.clockWarning().isEmpty()) {
            watch.violated("refuses an id and does not say so in its status: " + e.getMessage() + " " + status);
        } else {
            requirePatienceAfterFreeze(e, status);
        }
        if (!interrupted) {
            watch.told.refused(this, e, status);
        }
        requireTrueReason(status);
        requireWord();
        return e instanceof CoordinatorRegressedException || Accidents.isReason(e);
    }

    /** Something that no contract names came out of it. */
    void failed(Throwable e) {
        end();
        watch.violated("threw " + e + " at a call for ids");
    }

    /** The next millisecond comes sooner than an interrupt could matter. */
    private void requireReasonToWait(SnowflakeException e, SnowflakeStatus status) {
        boolean flowing = status.state() == SnowflakeStatus.State.ACTIVE
                && status.ready()
                && !watch.process.clockTouched
                && status.drift().compareTo(settings.burst.plusMillis(1)) <= 0
                && settings.startupAhead.isZero();
        // A batch may begin at a quarter of a millisecond's sequence, and leaves half of the rest to others.
        boolean fitsIntoOne = count <= Math.max(1, (1 << settings.sequenceBits) / 4);
        // While the one who leads the queue sleeps on, nobody has an id of the next millisecond.
        if (flowing && fitsIntoOne && tookMillis() <= 1 && !watch.machine.isOversleeping()) {
            watch.violated("refused an id of the next millisecond because of an interrupt: " + e.getMessage());
        }
    }

    /** A process that was frozen could not notice the end of its window before it went on. */
    private void requirePatienceAfterFreeze(SnowflakeException e, SnowflakeStatus status) {
        SimulatedProcess process = watch.process;
        long patience = settings.waitTimeout.toMillis() - TAKES_MILLIS;
        if (process.clockTouched || status.reservedUntil().isEmpty() || process.run.operations > 0) {
            return;
        }
        // What was noted may have ended before, if the file could not be written.
        if (status.lastError().orElse("").contains("the file of worker id")) {
            return;
        }
        // On a slow disk it may have waited for the file since before the freeze.
        if (settings.resumes() && beganMillis <= process.frozenAtMillis) {
            return;
        }
        // Its patience began before.
        if (beganMillis + WAITS_MILLIS < process.frozenAtMillis) {
            return;
        }
        // Not what it learned of later: the end of what it knew of may have been noticed before the freeze.
        long until = process.reservedWhenFrozenMillis;
        if (until > process.frozenAtWallMillis
                && until <= process.thawedAtWallMillis
                && process.machine.wallNow() < process.thawedAtWallMillis + patience
                && tookMillis() < patience) {
            watch.violated("refused an id " + (process.machine.wallNow() - process.thawedAtWallMillis)
                    + " ms after a freeze in which its window ended: " + e.getMessage());
        }
    }

    private void requireTrueReason(SnowflakeStatus status) {
        String error = status.lastError().orElse("");
        if (error.contains("the clock was wrong")
                && watch.process.run.processes.stream().noneMatch(process -> process.clockTouched)) {
            watch.violated("says that a clock was wrong, and none was: " + error);
        }
    }

    /** Whoever reads the log or listens must have heard of it. */
    private void requireWord() {
        long window = settings.window.toMillis();
        long refused = watch.millis() - watch.refusedSinceMillis;
        if (refused > window / 3 + 8000 && !watch.hasSaidSince(watch.refusedSinceMillis - window - 20_000)) {
            watch.violated("has refused ids for " + refused + " ms without a word in the log or to its listener");
        }
    }

    // ---- either way

    /**
     * A copy may use the worker id too: it was left, and none follows yet, or it is not known whether there is one. And for so long nobody has got
     * an id. What a later call got before is of no use to this one.
     */
    private boolean isEverybodyKeptWaiting() {
        LeasedSnowflake generator = watch.generator();
        if (generator == null) {
            return false;
        }
        // Its status may still say so when the first of those who wait has an id.
        long last = watch.lastIssuedBefore(OVERTAKEN_MILLIS);
        if (generator.status().state() == SnowflakeStatus.State.SUSPENDED) {
            last = Math.min(last, watch.lastIssuedMillis);
        }
        return last - overtakenMillis <= OVERTAKEN_MILLIS;
    }

    private void end() {
        watch.calls.remove(this);
        if (checkpointsBefore != watch.checkpoints) {
            // It waited twice: for what it waited for before, and for the restore.
            return;
        }
        long took = tookMillis();
        long allowed = settings.waitTimeout.plus(settings.maxWait).toMillis() + TAKES_MILLIS;
        if (watch.pausedMillis() > pausedAtBegin) {
            // The look that a pause was in is made once more.
            allowed += LOOK_MILLIS;
        }
        if (count == 1 && took > allowed) {
            watch.violated("waited " + took + " ms for an id, which may take " + allowed + " ms");
        }
        long overtaken = overtakenMillis == 0
                ? 0
                : watch.millis() - overtakenMillis - (watch.pausedMillis() - pausedAtOvertaken);
        if (count == 1 && overtaken > OVERTAKEN_MILLIS && !isEverybodyKeptWaiting()) {
            watch.violated("let a call sleep for " + overtaken + " ms after a later one had got its id");
        }
    }
}
