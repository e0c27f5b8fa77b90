// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.lease;

import org.jspecify.annotations.Nullable;
import org.snowflakeid.Platform;
import org.snowflakeid.SnowflakeLayout;

/**
 * The wall clock, doubted when it steps against the monotonic one, or when the coordinator's contradicts it.
 *
 * <p><b>For marks.</b> Ids tolerate any clock. A mark raised by a wrong one would reserve a worker id far into the future. So the keeper
 * vets the clock before each claim and extension, and while the clock is not believed, time runs on from the last moment it was.
 *
 * <p><b>Clocks that creep.</b> Small steps add up, and both clocks of a machine may run fast together. So the time in each answer of the coordinator
 * to a write is {@link #compare compared}, whatever the clocks did meanwhile. With such a witness, no mark is raised by a time more than {@code
 * snowflake.clock.max-skew} ahead of it, and while it contradicts, time runs on from when it last agreed. A difference that drift explains is
 * corrected, down to what is allowed; one that comes from setting the coordinator's clock is not.
 *
 * <p><b>For callers.</b> They use what the keeper has {@link #show shown} last: the wall clock where it is believed, else the monotonic one. Where
 * the wall clock is more than a second ahead of the monotonic one, or far behind ({@link #isCredible}), they wait until the keeper has looked: so a
 * wrong clock reaches no id, and a copy of a memory image, whose clock also seems to have stepped, issues nothing before the keeper knows whether
 * there is another copy ({@link #isCopySuspected}). That costs one comparison per id, and a look at the monotonic clock per millisecond. Rarer looks
 * would not do: after a pause in calls, a copy's clock may show a time that was compared long ago.
 */
public final class VettedClock {

    public enum Verdict {
        /** The wall clock is in use. */
        BELIEVED,
        /** It stepped and a reference confirms it: it is in use from now on. */
        ACCEPTED,
        /** A reference contradicts it. */
        CONTRADICTED,
        /** It stepped, and nothing shows yet whether it is right. */
        UNDECIDED
    }

    /** The longest step that callers follow, or fail to notice. */
    private static final long CREDIBLE_MILLIS = 1_000;

    /**
     * A coordinator's clock this near to the expected time shows that no more time passed unseen than callers may fail to notice anyway. Many report
     * whole seconds only, as the middle of the second.
     */
    private static final long SAME_TIME_MILLIS = CREDIBLE_MILLIS - 500;

    /** Both clocks have to be read within this time. */
    private static final long ONE_MOMENT_NANOS = 10_000_000;

    /** If the thread is paused in each attempt, the last reading counts, which rather shows a step than misses one. */
    private static final int READINGS = 10;

    /** A coordinator's clock is read to about a second. */
    private static final long WITNESS_MILLIS = 1_000;

    /** An answer that took longer says little about the present time. */
    private static final long LONGEST_AGE_MILLIS = 5_000;

    /** Up to one part in this many is drift: crystals drift by one in ten thousand, a virtual machine's clock by one in some thousand. */
    private static final long DRIFT_OF = 500;

    /** What the wall clock and the coordinator's said at one time. */
    public record Contradiction(long wallMillis, long coordinatorMillis) {}

    /** A reading of both clocks. */
    private static final class Reading {
        final long wallMillis;
        final long nanos;

        /** The time in use minus the wall clock; 0 while that is believed. */
        final long correctionMillis;

        /** Whether the clock was seen to step since: it is credible again only where it should be. */
        final boolean stepSeen;

        /** What the wall clock showed when a thread last found it credible by the monotonic clock. */
        volatile long credibleMillis;

        Reading(long wallMillis, long nanos, long correctionMillis) {
            this(wallMillis, nanos, correctionMillis, false);
        }

        private Reading(long wallMillis, long nanos, long correctionMillis, boolean stepSeen) {
            this.wallMillis = wallMillis;
            this.nanos = nanos;
            this.correctionMillis = correctionMillis;
            this.stepSeen = stepSeen;
            this.credibleMillis = stepSeen ? Long.MIN_VALUE : wallMillis;
        }

        /** A copy: this one must not change, since a caller may be about to set {@link #credibleMillis}. */
        Reading withStepSeen() {
            return new Reading(wallMillis, nanos, correctionMillis, true);
        }

        /** Reads both clocks at one moment: a pause between them would look like a step, or hide one. */
        static Reading of(Platform platform) {
            for (int attempt = 1; ; attempt++) {
                long before = platform.nanoTime();
                long wall = platform.wallMillis();
                long after = platform.nanoTime();
                if (after - before < ONE_MOMENT_NANOS || attempt == READINGS) {
                    return new Reading(wall, after, 0);
                }
            }
        }

        /** What the wall clock shows at that moment if it does not step. */
        long expectedMillis(long atNanos) {
            return wallMillis + (atNanos - nanos) / 1_000_000;
        }
    }

    private final Platform platform;
    private final long epochMillis;
    private final long maxSkewMillis;

    /** What callers go by. */
    private volatile Reading shown;

    /** Added to the wall clock for marks: 0 while it is believed. */
    private long correctionMillis;

    private boolean anchored;
    private long anchorMillis;
    private long anchorNanos;

    /** Whether the coordinator tells the time. The anchor is then where it agreed last. */
    private boolean witnessed;

    /** The time that it told last, unless its clock was set, and when that call ended. */
    private long witnessMillis;

    private long witnessNanos;

    /** Of the last comparison, if that did not agree. */
    private @Nullable Contradiction contradiction;

    /** Since when drift may still have to be corrected. */
    private long driftSinceNanos;

    private boolean doubted;
    private long stepMillis;
    private long stepNanos;

    /** Both clocks when they were last compared here: a step between two comparisons makes a copy suspected. */
    private Reading seen;

    /** How many steps were seen that may mean a copy, and for how many of them it is known that there is none. */
    private int steps;

    private int stepsWithoutCopy;

    /** The largest step ahead that may mean a copy; 0: the clock only stepped back. */
    private long largestStepMillis;

    public VettedClock(Platform platform, SnowflakeLayout layout, long maxSkewMillis) {
        this.platform = platform;
        this.epochMillis = layout.epoch().toEpochMilli();
        this.maxSkewMillis = maxSkewMillis;
        this.seen = Reading.of(platform);
        this.shown = seen;
    }

    // ---- for any thread

    /** The time in use: the wall clock, or, while that is not believed, the monotonic clock counting on from when it was. */
    public long millis() {
        Reading now = shown;
        return now.correctionMillis == 0
                ? platform.wallMillis()
                : now.expectedMillis(platform.nanoTime()) + now.correctionMillis;
    }

    public long tick() {
        return millis() - epochMillis;
    }

    /** Another object each time that the time in use may have changed other than by passing. */
    public Object state() {
        return shown;
    }

    /**
     * Whether the wall clock, from which {@code tick} was just read, is not ahead of the monotonic clock by more than a second, and not so far behind
     * it that time may have passed unseen.
     */
    public boolean isCredible(long tick) {
        Reading now = shown;
        long time = tick + epochMillis;
        if (now.correctionMillis == 0) {
            return time == now.credibleMillis || isCredible(now, time);
        }
        long wall = platform.wallMillis();
        return isTimeOf(now, time) && (wall == now.credibleMillis || isCredible(now, wall));
    }

    /** Whether {@code time} is the corrected time, not one read while the wall clock was still believed. */
    private boolean isTimeOf(Reading now, long time) {
        long shownMillis = now.expectedMillis(platform.nanoTime()) + now.correctionMillis;
        return Math.abs(time - shownMillis) <= CREDIBLE_MILLIS;
    }

    private boolean isCredible(Reading now, long wall) {
        // Read after the wall clock: a pause in between must not look like a step.
        long expected = now.expectedMillis(platform.nanoTime());
        long ahead = wall - expected;
        if (isNotCredible(now, ahead)) {
            // Otherwise a call would be let through when the clock shows that very millisecond again.
            now.credibleMillis = Long.MIN_VALUE;
            return false;
        }
        now.credibleMillis = wall;
        return true;
    }

    private boolean isNotCredible(Reading now, long ahead) {
        if (now.stepSeen) {
            // Back where it should be, the clock was only wrong for a while. Anywhere else, it hides how much time was
            // missed.
            return Math.abs(ahead) > CREDIBLE_MILLIS;
        }
        return isStep(ahead, ahead - now.correctionMillis);
    }

    /** The time in use, or what it should be if the clock is not credible. */
    public long credibleTick() {
        long tick = tick();
        return isCredible(tick) ? tick : shownMillis(platform.nanoTime()) - epochMillis;
    }

    /** What callers take for the right time, by the monotonic clock. */
    public long shownMillis(long nanos) {
        Reading now = shown;
        return now.expectedMillis(nanos) + now.correctionMillis;
    }

    // ---- for the keeper's thread

    /** Lets callers go by what was vetted last. Not while a copy of this process is suspected. */
    public void show() {
        Reading now = Reading.of(platform);
        boolean steady = isSteady(now);
        if (anchored && !isCopySuspected()) {
            shown = new Reading(now.wallMillis, now.nanos, steady ? 0 : correctionMillis);
        }
    }

    /**
     * Whether time may have passed that this process did not see, as when its memory image was restored: then another copy of it may be running.
     * Callers wait meanwhile.
     */
    public boolean isCopySuspected() {
        return steps != stepsWithoutCopy;
    }

    /** Forgets the millisecond that was found credible: callers would trust it if the clock showed it again much later. */
    public void forgetCredible() {
        shown.credibleMillis = Long.MIN_VALUE;
    }

    /** Looks at the clocks now; {@link #isCopySuspected} says what earlier looks have seen. */
    public boolean lookForCopy() {
        boolean unused = isSteady();
        return isCopySuspected();
    }

    /** How many steps that may mean a copy were seen so far. */
    public int steps() {
        return steps;
    }

    /**
     * Notes that nothing in use here may be in use by a copy.
     *
     * @param seen {@link #steps} before that was begun: a later step may mean another copy
     */
    public void copyExcluded(int seen) {
        stepsWithoutCopy = seen;
        if (!isCopySuspected()) {
            largestStepMillis = 0;
        }
    }

    /**
     * Whether the wall clock has run steadily since it was last believed; it is then believed further. If not, the time in use
     * runs on from that moment until {@link #judge} finds it right.
     */
    public boolean isSteady() {
        return isSteady(Reading.of(platform));
    }

    /**
     * The time by which to raise a mark, in ticks. The clock may have stepped since it was vetted, while the coordinator was asked: so this very
     * reading is checked too.
     */
    public long vettedTick() {
        Reading now = Reading.of(platform);
        boolean steady = isSteady(now);
        long time = steady ? now.wallMillis : now.wallMillis + correctionMillis;
        // A believed clock may have crept on.
        return (witnessed ? Math.min(time, latest(now.nanos)) : time) - epochMillis;
    }

    /** The latest time that is not too far ahead of the coordinator's. */
    private long latest(long nanos) {
        return witness(nanos) + maxSkewMillis;
    }

    /** What the coordinator's clock says if it has run on as the monotonic one. */
    private long witness(long nanos) {
        return witnessMillis + (nanos - witnessNanos) / 1_000_000;
    }

    private boolean isSteady(Reading now) {
        if (!anchored) {
            // Nothing is used yet that a copy might use too.
            seen = now;
            return false;
        }
        long wall = now.wallMillis;
        long nanos = now.nanos;
        long expected = expected(nanos);
        long step = wall - seen.expectedMillis(nanos);
        long ahead = wall - shownMillis(nanos);
        if (isStep(step, ahead)) {
            steps++;
            largestStepMillis = Math.max(largestStepMillis, isSetBackTooLittle(step, ahead) ? ahead : step);
            shown = shown.withStepSeen();
        }
        seen = now;
        // A clock in doubt is judged even if it came back: near the time in use it may still be far from the right
        // time.
        if (!doubted && Math.abs(wall - expected) <= maxSkewMillis) {
            if (!witnessed) {
                believe(wall, nanos);
            }
            return true;
        }
        doubt(now);
        return false;
    }

    private void doubt(Reading now) {
        if (!doubted || hasSteppedAgain(now)) {
            doubted = true;
            stepMillis = now.wallMillis;
            stepNanos = now.nanos;
        }
        correctionMillis = expected(now.nanos) - now.wallMillis;
    }

    /** While it is doubted. */
    private boolean hasSteppedAgain(Reading now) {
        return Math.abs((now.wallMillis - stepMillis) - (now.nanos - stepNanos) / 1_000_000) > maxSkewMillis;
    }

    /**
     * Whether time may have passed unseen. A copy's clock steps back if its machine's clock is behind by more than the time missed, or was ahead by
     * more and has been set right since.
     *
     * @param step of the wall clock against the monotonic one, in milliseconds
     * @param ahead how far the wall clock is ahead of the time in use then
     */
    private boolean isStep(long step, long ahead) {
        return step > CREDIBLE_MILLIS || step < -maxSkewMillis || isSetBackTooLittle(step, ahead);
    }

    private static boolean isSetBackTooLittle(long step, long ahead) {
        return step < -CREDIBLE_MILLIS && ahead > CREDIBLE_MILLIS;
    }

    /** What the wall clock would say now, had it run steadily since it was last believed. */
    private long expected(long nanos) {
        return anchorMillis + (nanos - anchorNanos) / 1_000_000;
    }

    /** How many milliseconds the wall clock is ahead of where it should be, while {@link #isSteady} is false. */
    public long step() {
        return -correctionMillis;
    }

    /**
     * Judges a clock that is not steady, or was never vetted, where the coordinator tells no time. Only the coordinator can confirm what it has
     * contradicted.
     *
     * @param reference another clock's time in milliseconds, read after the step; null if there is none
     * @param referenceAge by how much the reference may lag behind its clock, in milliseconds
     * @param anotherMayFollow whether there may soon be a reference: until then an unconfirmed step stays undecided
     */
    public Verdict judge(@Nullable Long reference, long referenceAge, boolean anotherMayFollow) {
        Reading now = Reading.of(platform);
        long wall = now.wallMillis;
        long nanos = now.nanos;
        if (contradiction != null) {
            return Verdict.UNDECIDED;
        }
        if (reference != null) {
            boolean agrees = wall >= reference - maxSkewMillis && wall <= reference + referenceAge + maxSkewMillis;
            if (!agrees) {
                return Verdict.CONTRADICTED;
            }
        } else if (anchored && Math.abs(wall - expected(nanos)) > maxSkewMillis) {
            boolean young = nanos - stepNanos < maxSkewMillis * 1_000_000;
            if (anotherMayFollow || young || hasSteppedAgain(now)) {
                return Verdict.UNDECIDED;
            }
        }
        witnessed = false;
        return accept(now);
    }

    private Verdict accept(Reading now) {
        Verdict verdict = anchored ? Verdict.ACCEPTED : Verdict.BELIEVED;
        believe(now.wallMillis, now.nanos);
        return verdict;
    }

    /**
     * Judges the clock, in doubt or not, by the coordinator's own time.
     *
     * @param askedNanos a moment before it was asked for: the coordinator read its clock after that
     */
    public Verdict compare(long coordinatorMillis, long askedNanos) {
        Reading now = Reading.of(platform);
        long age = (now.nanos - askedNanos) / 1_000_000;
        if (age > LONGEST_AGE_MILLIS) {
            if (anchored) {
                return Verdict.UNDECIDED;
            }
            age = LONGEST_AGE_MILLIS;
        }
        long least = coordinatorMillis - WITNESS_MILLIS - maxSkewMillis;
        long most = coordinatorMillis + age + WITNESS_MILLIS + maxSkewMillis;
        if (now.wallMillis >= least && now.wallMillis <= most) {
            contradiction = null;
            noteWitness(coordinatorMillis, now.nanos);
            return accept(now);
        }
        if (anchored) {
            contradiction = new Contradiction(now.wallMillis, coordinatorMillis);
            long expected = expected(now.nanos);
            long off = Math.max(least, Math.min(most, expected)) - expected;
            long drift = (now.nanos - driftSinceNanos) / 1_000_000 / DRIFT_OF;
            if (Math.abs(off) <= LONGEST_AGE_MILLIS + drift) {
                anchorMillis += Math.max(-drift, Math.min(drift, off));
                // It may have been set after all: marks must not fall behind what callers use.
                long gently = witnessed ? witness(now.nanos) - drift : coordinatorMillis;
                noteWitness(Math.max(coordinatorMillis, gently), now.nanos);
            }
            // The rest, less than a millisecond of drift, counts next time.
            driftSinceNanos = off == 0 ? now.nanos : driftSinceNanos + drift * DRIFT_OF * 1_000_000;
            doubt(now);
        }
        return Verdict.CONTRADICTED;
    }

    private void noteWitness(long coordinatorMillis, long nanos) {
        witnessed = true;
        witnessMillis = coordinatorMillis;
        witnessNanos = nanos;
    }

    /** Whether it was found to be wrong, and has not been confirmed since. */
    public boolean isDoubted() {
        return doubted;
    }

    /** If the coordinator contradicted it in the last comparison, what both said; else null. */
    @Nullable
    public Contradiction contradiction() {
        return contradiction;
    }

    /**
     * To be called when the coordinator's clock and the monotonic one have run alike since the start: this process missed no time, and the system
     * clock was merely set. For where no write can tell whether there is a copy.
     */
    public void ranOn() {
        copyExcluded(steps);
    }

    /**
     * Takes note of the coordinator's own time. If it agrees with the monotonic clock after a step larger than its possible error, no time has passed
     * unseen: the wall clock was merely set, and this process cannot have been copied meanwhile. Only for a coordinator whose clock has run like the
     * monotonic one since the start: any difference would hide as much missed time.
     *
     * @param ageMillis by how much it may lag behind
     * @param askedNanos when it was asked for: if the answer took long, that looks like time that passed unseen, never the other way round
     */
    public void compareWith(long coordinatorMillis, long ageMillis, long askedNanos) {
        long off = Math.abs(coordinatorMillis - shownMillis(askedNanos));
        boolean contradicted = largestStepMillis == 0 || largestStepMillis > maxSkewMillis + ageMillis;
        if (off <= SAME_TIME_MILLIS && contradicted) {
            copyExcluded(steps);
        }
    }

    private void believe(long wall, long nanos) {
        anchored = true;
        anchorMillis = wall;
        anchorNanos = nanos;
        driftSinceNanos = nanos;
        doubted = false;
        correctionMillis = 0;
    }
}
