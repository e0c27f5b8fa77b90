// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

/** One call for ids, and what must hold for it. */
final class WatchedCall {

    /** How long a call takes besides the waits that are allowed. */
    private static final long TAKES_MILLIS = 100;

    /** A call that lasts longer waits for more than the next millisecond. */
    private static final long WAITS_MILLIS = 20;

    /** How long a call may sleep on while others that began later get ids. */
    private static final long OVERTAKEN_MILLIS = 1_000;

    /** How long a look at the clock takes that is repeated after a pause. */
    private static final long LOOK_MILLIS = 500;

    /** How far after the one before an id may be dated by a clock that was not vetted. */
    private static final long UNVETTED_MILLIS = 1000;

    /** The keeper looks at the clock within this time, unless the coordinator keeps it waiting. */
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

    /** @param lastIdOfThread -1: the thread has none yet */
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
        if (watch.steps.showsTheSameAfterAStepBack()) {
            // This one was dated too early, and is no measure for the next.
            watch.furthestAheadMillis = now;
        } else if (tick - now >= watch.furthestAhead || now - watch.furthestAheadMillis > LATELY_MILLIS) {
            // This one may have been dated too early.
            boolean other = now - watch.highestMillis <= LATELY_MILLIS;
            long ahead = Math.max(tick - now, other ? watch.highestTick - watch.highestMillis : tick - now);
            watch.steps.fellBack(watch.furthestAhead - ahead);
            watch.furthestAhead = ahead;
            watch.furthestAheadMillis = now;
        }
        if (tick > watch.highestTick) {
            watch.highestMillis = now;
        }
        watch.highestId = Math.max(watch.highestId, ids[ids.length - 1]);
        watch.highestTick = Math.max(watch.highestTick, tick);
        LeasedSnowflake generator = watch.generator();
        if (generator != null && !watch.isClosing()) {
            watch.told.served(generator.status());
        }
    }

    /** Ids that later calls got are no longer available to this call. */
    void forgetOvertaken() {
        overtakenMillis = 0;
    }

    /** Ids increase strictly within each thread, and across threads with one worker id; otherwise across threads to the millisecond. */
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

    /** An id left behind by another call is no older than allowed. */
    private void requireYoung(long id) {
        long age = settings.tickOf(beganWallMillis) - settings.tick(id);
        if (age > settings.maxLag.toMillis() && !watch.process.clockTouched) {
            watch.violated("dated an id " + age + " ms before the call for it began");
        }
    }

    private void requireVettedDate(long[] ids, long now) {
        long tick = settings.tick(ids[ids.length - 1]);
        // The id before is no measure alone: after a step back it may have been dated too early, and the next is dated
        // by
        // the vetted time again. Nor is the clock of a restored image: it may be years behind.
        long jump =
                Math.min(tick - now - watch.furthestAhead, (tick - watch.highestTick) - (now - watch.highestMillis));
        long allowed = UNVETTED_MILLIS
                + TAKES_MILLIS
                + watch.steps.vettedMillis
                + settings.burst.toMillis()
                + (count >> settings.sequenceBits);
        // Worker ids of one generator may begin at different times, whatever the clock.
        if (jump > allowed && watch.steps.areUnvetted() && !watch.isBehindShared(settings.tick(ids[0]))) {
            watch.violated("dated an id " + (tick - watch.highestTick) + " ms after the one before, "
                    + (now - watch.highestMillis) + " ms later, by a step of the clock that was not vetted");
        }
        watch.steps.followed(jump);
    }

    /** After a step back by more than max-skew, time may have passed unseen, as in a copy: the keeper has to look first. */
    private void requireLookedAfterStepBack() {
        LeasedSnowflake generator = watch.generator();
        if (generator == null || stepsBefore != watch.steps.count() || watch.machine.isBeingCopied()) {
            return;
        }
        long seenBack = settings.maxSkew.toMillis() + 1;
        long unseenBack = -watch.steps.unseenMillis();
        long behindShown = generator.issuer().clock.shownMillis(watch.machine.nanosNow()) - watch.machine.wallNow();
        if (unseenBack > seenBack
                && behindShown > seenBack
                && !watch.steps.showsOnceMore()
                && followWallClock(generator)) {
            watch.violated("issued an id after its clock stepped back by " + behindShown
                    + " ms, and before its keeper looked");
        }
    }

    private boolean followWallClock(LeasedSnowflake generator) {
        long inUse = watch.machine.look(generator.issuer().clock::millis);
        return Math.abs(inUse - watch.machine.wallNow()) <= UNVETTED_MILLIS;
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

    /** The call threw what no contract names. */
    void failed(Throwable e) {
        end();
        watch.violated("threw " + e + " at a call for ids");
    }

    /** A wait for the next millisecond is so short that no interrupt may end it. */
    private void requireReasonToWait(SnowflakeException e, SnowflakeStatus status) {
        boolean flowing = status.state() == SnowflakeStatus.State.ACTIVE
                && status.ready()
                && !watch.process.clockTouched
                && status.drift().compareTo(settings.burst.plusMillis(1)) <= 0
                && settings.startupAhead.isZero();
        // A batch may begin at a quarter of a millisecond's sequence, and leaves half of the rest to others.
        boolean fitsIntoOne = count <= Math.max(1, (1 << settings.sequenceBits) / 4);
        // While the thread that leads the queue sleeps on, no call has an id of the next millisecond.
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
        // The noted ids may have ended before, if the file could not be written.
        if (status.lastError().orElse("").contains("the file of worker id")) {
            return;
        }
        // On a slow disk the call may have waited for the file since before the freeze.
        if (settings.resumes() && beganMillis <= process.frozenAtMillis) {
            return;
        }
        // The call began to wait before the freeze.
        if (beganMillis + WAITS_MILLIS < process.frozenAtMillis) {
            return;
        }
        // Only the reservation known at the freeze counts, since the process may have noticed its end before.
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

    /** The log or the listener must have told of it; a checkpoint lasts for as long as the image is not resumed. */
    private void requireWord() {
        if (watch.checkpoints % 2 == 1) {
            return;
        }
        long window = settings.window.toMillis();
        long refused = watch.millis() - watch.refusedSinceMillis;
        if (refused > window / 3 + 8000 && !watch.hasSaidSince(watch.refusedSinceMillis - window - 20_000)) {
            watch.violated("has refused ids for " + refused + " ms without a word in the log or to its listener");
        }
    }

    // ---- either way

    /**
     * A copy may use the worker id too: the generator left it, and has no other yet, or does not know yet whether there is a copy. And no
     * call has got an id since. What a later call got before is of no use to this one.
     */
    private boolean isEveryCallKeptWaiting() {
        LeasedSnowflake generator = watch.generator();
        if (generator == null) {
            return false;
        }
        // The status may still be SUSPENDED when the first waiting call has an id, or be CLOSED when the last one has
        // none.
        long last = watch.lastIssuedBefore(OVERTAKEN_MILLIS);
        if (generator.status().state() != SnowflakeStatus.State.ACTIVE) {
            last = Math.min(last, watch.lastIssuedMillis);
        }
        return last - overtakenMillis <= OVERTAKEN_MILLIS;
    }

    private void end() {
        watch.calls.remove(this);
        if (checkpointsBefore != watch.checkpoints) {
            // The call waited twice: for its id, and for the restore.
            return;
        }
        long took = tookMillis();
        long allowed = settings.waitTimeout.plus(settings.maxWait).toMillis() + TAKES_MILLIS;
        if (watch.pausedMillis() > pausedAtBegin) {
            // A look at the clock that a pause interrupted is repeated, and a second pause may follow.
            allowed += 2 * LOOK_MILLIS;
        }
        if (count == 1 && took > allowed) {
            watch.violated("waited " + took + " ms for an id, which may take " + allowed + " ms");
        }
        long overtaken = overtakenMillis == 0
                ? 0
                : watch.millis() - overtakenMillis - (watch.pausedMillis() - pausedAtOvertaken);
        // Set back and forth, a clock may let one call through between two looks of another.
        overtaken = Math.min(overtaken, watch.runningMillis() - watch.steps.lastIncredibleMillis());
        if (count == 1 && overtaken > OVERTAKEN_MILLIS && !isEveryCallKeptWaiting()) {
            watch.violated("let a call sleep for " + overtaken + " ms after a later one had got its id");
        }
    }
}
