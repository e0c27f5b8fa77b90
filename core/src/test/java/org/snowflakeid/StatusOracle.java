// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.config.OnRollback;
import org.snowflakeid.records.RecordLine;
import org.snowflakeid.spi.Stored;

/**
 * A generator gives true reasons: its status, its readiness and its messages agree with what its calls get (rule 26 of the protocol), and
 * what it reports of the clock, the coordinator and worker ids is true.
 *
 * <p>A status may contradict a call for a moment, since a call that has waited fails where the next would not, and since a call may get an
 * id before the keeper has looked. So it is a violation only if the status contradicts all calls of {@link #MOMENT_MILLIS}, and at least
 * {@link #CALLS} of them, each as soon as it has ended.
 */
final class StatusOracle {

    private static final long MOMENT_MILLIS = 2_000;

    private static final int CALLS = 3;

    /** How often a call looks at a clock that stepped back. */
    private static final long CLOCK_LOOK_MILLIS = 50;

    /** After a step. A large one is believed once the clock has run steadily for as long as it may be wrong by. */
    private static final long VETTED_MILLIS = 3_000;

    private static final Pattern NEGATIVE = Pattern.compile("-\\d+ ms (behind|ahead)");

    private final Watch watch;
    private final Contradicted refused = new Contradicted();
    private final Contradicted served = new Contradicted();
    private final Contradicted withheld = new Contradicted();

    /** When something last kept the generator from vetting its clock, by {@link Watch#runningMillis}. */
    private long disturbedMillis;

    /** Calls in a row that the status contradicts. */
    private final class Contradicted {
        private int calls;
        private long sinceMillis;

        /** @return how long the contradiction has lasted; 0: no longer than is allowed */
        long note(boolean contradicted) {
            if (!contradicted) {
                calls = 0;
                return 0;
            }
            if (calls++ == 0) {
                sinceMillis = watch.runningMillis();
            }
            long lasted = watch.runningMillis() - sinceMillis;
            return calls >= CALLS && lasted > MOMENT_MILLIS ? lasted : 0;
        }
    }

    StatusOracle(Watch watch) {
        this.watch = watch;
    }

    // ---- calls

    void served(SnowflakeStatus status) {
        refused.calls = 0;
        withheld.calls = 0;
        long lasted = served.note(status.state() == State.SUSPENDED);
        if (lasted > 0) {
            watch.violated("issues, and has said for " + lasted + " ms that it does not: " + status);
        }
    }

    void refused(WatchedCall call, SnowflakeException e, SnowflakeStatus status) {
        served.calls = 0;
        long lasted = wouldAnotherWait(call, e) ? 0 : refused.note(status.state() == State.ACTIVE && status.ready());
        if (lasted > 0) {
            watch.violated("refuses all ids by " + e.getClass().getSimpleName() + ", and has said for " + lasted
                    + " ms that it is active and ready: " + e.getMessage() + " " + status);
        }
        requireGranted(call, e, status);
        requirePlausible(e.getMessage());
        Stream.of(status.lastError(), status.clockWarning())
                .flatMap(Optional::stream)
                .forEach(this::requirePlausible);
        if (e instanceof ClockMovedBackwardsException) {
            requireBehind(call, e, status);
            requireReason(e, status, "clock");
        } else {
            requireReason(e, status, "");
            requireUnanswered(e);
        }
    }

    /** A call that has waited for something else before has less patience left with the clock than a new one has. */
    private boolean wouldAnotherWait(WatchedCall call, SnowflakeException e) {
        return e instanceof ClockMovedBackwardsException
                && watch.settings.onRollback != OnRollback.FAIL
                && call.tookMillis() > watch.settings.maxWait.toMillis() + CLOCK_LOOK_MILLIS;
    }

    /** @param word that the reason contains */
    private void requireReason(SnowflakeException e, SnowflakeStatus status, String word) {
        boolean said = Stream.of(status.lastError(), status.clockWarning())
                .flatMap(Optional::stream)
                .anyMatch(text -> text.toLowerCase(Locale.ROOT).contains(word));
        if (!said && status.state() == State.SUSPENDED) {
            watch.violated("gives no reason that fits in its status, for " + e.getMessage() + " " + status);
        }
    }

    private void requirePlausible(@Nullable String text) {
        if (text != null && NEGATIVE.matcher(text).find()) {
            watch.violated("says what makes no sense: " + text);
        }
    }

    /**
     * Calls get what is granted: however a clock stepped, the generator has vetted it by then.
     *
     * <p>This does not hold where the namespace was retired at a coordinator that tells no time: there no write and no other clock can rule
     * out that this is the copy of a process that went on, and rule 21 forbids such a copy to issue. Nor where the process's own clocks creep:
     * a monotonic clock that is slow has missed time as a copy has.
     */
    private void requireGranted(WatchedCall call, SnowflakeException e, SnowflakeStatus status) {
        Simulation run = watch.process.run;
        FakeStore store = watch.place.store();
        long time = Math.min(wallTick(), shownTick());
        boolean granted = status.reservedUntil()
                .filter(until -> watch.settings.tickOf(until.toEpochMilli()) > time + 1)
                .isPresent();
        boolean retired = String.valueOf(e.getMessage()).contains("the namespace is retired");
        boolean lasting =
                retired ? store.tellsTime && !run.creeping.happens() : store.tellsTime || run.oracle.isActive(store);
        if (isDisturbed()) {
            disturbedMillis = watch.runningMillis();
        }
        long vetted =
                Math.max(watch.steps.lastMillis(), watch.steps.lastLargeMillis() + watch.settings.maxSkew.toMillis());
        long since = Math.max(disturbedMillis, vetted);
        boolean calm = watch.runningMillis() - since > VETTED_MILLIS;
        long lasted = withheld.note(granted
                && lasting
                && !watch.areNotesTakenOver()
                && calm
                && !call.isBatch()
                && highestTick(status) <= time);
        if (lasted > 0) {
            watch.violated("has refused for " + lasted + " ms what is granted, " + (watch.runningMillis() - since)
                    + " ms after anything happened: " + e.getMessage() + " " + status);
        }
    }

    private boolean isDisturbed() {
        SimulatedProcess process = watch.process;
        Simulation run = process.run;
        FakeStore store = watch.place.store();
        boolean wrongAnswers = run.oracle.isDataLost() || run.oracle.copies.isCopied(watch.machine);
        boolean accidents = run.accidentsOneIn > 0 && !run.accidentsOver;
        return wrongAnswers
                || accidents
                || !store.isWell()
                || !process.disk.isWell()
                || !run.rim.spares(watch.machine)
                || watch.machine.isPaused();
    }

    // ---- the clock

    private long wallTick() {
        return watch.settings.tickOf(watch.machine.wallNow());
    }

    /** The tick of the time in use, which may differ from the clock's. */
    private long shownTick() {
        LeasedSnowflake generator = watch.generator();
        return generator == null
                ? wallTick()
                : watch.settings.tickOf(generator.issuer().clock.shownMillis(watch.machine.nanosNow()));
    }

    /** The tick after which the next ids come. */
    private long highestTick(SnowflakeStatus status) {
        return Math.max(
                Math.max(watch.highestTick, skippedTick(status)), Math.max(watch.sharedTick(), firstTick(status)));
    }

    /**
     * A generator skips what a copy may have issued. It doesn't report that if the clock was past it already, but the clock may then step
     * back.
     */
    private long skippedTick(SnowflakeStatus status) {
        return status.drift().isZero() ? -1 : shownTick() + status.drift().toMillis();
    }

    /** The generator calls the clock behind only while it is, by more than calls wait for. */
    private void requireBehind(WatchedCall call, SnowflakeException e, SnowflakeStatus status) {
        // A batch under way has taken ids later than the returned ones, which this class does not see yet.
        boolean hidden = call.isBatch() || watch.calls.stream().anyMatch(WatchedCall::isBatch);
        if (watch.machine.isBeingCopied() || hidden) {
            return;
        }
        SimulatedSettings settings = watch.settings;
        long behind = highestTick(status) + 1 - Math.min(wallTick(), shownTick()) - settings.burst.toMillis();
        // The next tick comes where one is used up, unless ids are ahead of the clock already.
        long usual = 1;
        if (settings.onRollback == OnRollback.CONTINUE) {
            behind -= settings.maxAhead.toMillis();
            usual = 0;
        }
        boolean waitedFor = settings.onRollback != OnRollback.FAIL
                && behind + call.tookMillis() + CLOCK_LOOK_MILLIS < settings.maxWait.toMillis();
        if (behind <= usual || waitedFor) {
            watch.violated("says that the clock is behind, which is so by " + behind + " ms: " + e.getMessage());
        }
    }

    /** The first tick of its claims, even if it has issued nothing of them yet. */
    private long firstTick(SnowflakeStatus status) {
        return status.workerIds().stream()
                .mapToLong(id -> number(watch.place.store().marks.get(id), "from"))
                .max()
                .orElse(-1);
    }

    private static long number(@Nullable Stored mark, String key) {
        try {
            return mark == null ? -1 : RecordLine.parse(mark.value()).number(key);
        } catch (IllegalArgumentException edited) {
            return -1;
        }
    }

    // ---- the coordinator

    private void requireUnanswered(SnowflakeException e) {
        boolean blamed = String.valueOf(e.getMessage()).contains("The coordinator has not answered yet");
        if (blamed && !watch.isAsking(MOMENT_MILLIS)) {
            watch.violated("blames the coordinator, which it has not asked: " + e.getMessage());
        }
    }

    /** The generator warned in its log. */
    void warned(String text) {
        requirePlausible(text);
    }
}
