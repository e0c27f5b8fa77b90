// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.snowflakeid.records.RecordLine;
import org.snowflakeid.spi.Stored;

/**
 * The coordinator forgets what it had acknowledged, or an operator edits what it keeps, while ids are issued. Nothing can make that
 * harmless to those who already hold a grant; but each of them must stop at its next extension and say why, and with {@code create-fenced}
 * a wiped coordinator starts above all that was granted before. If the operator restores the namespace before any process reaches the
 * coordinator, no id repeats whatever was lost. And whatever operators do to a namespace that lost nothing, no id repeats.
 */
final class Disaster {

    enum Kind {
        /** No data is lost, yet operators are at work. */
        NONE,
        WIPE,
        OLD_BACKUP,
        MARKS_DELETED,
        META_DELETED,
        MARK_LOWERED,
        MARKS_EDITED,
        META_REPLACED,
        META_EDITED
    }

    /** When a clock steps. */
    enum ClockStep {
        /** The clock of a process that goes on in a retired namespace. */
        AFTER_RETIREMENT,
        AFTER_LOSS
    }

    /** Limits that no sane operator writes. */
    private static final List<String> ABSURD_LIMITS =
            List.of("9223372036854775807", "9223372036854775000", "2199023255552", "1e12", "", "-9223372036854775808");

    private static final List<String> ABSURD_WINDOWS =
            List.of("PT2562047788015H", "PT2000000000000H", "-PT1H", "PT0S", "P1Y", "");

    private final Simulation run;
    private final Operators operators;
    private final FakeStore store;
    private final Random steps;

    /** @param steps separate random numbers for clock steps, so that all else stays the same */
    Disaster(Simulation run, Operators operators, Random steps) {
        this.run = run;
        this.steps = steps;
        this.operators = operators;
        store = run.store;
    }

    void play() {
        int faults = run.random.nextInt(4);
        run.faults.play(run.creeping.happens() ? 0 : faults);
        run.endFaults();
        run.creeping.play();
        run.world.sleep(Duration.ofMillis(run.random.nextInt(6000)));
        FakeStore.Backup backup = store.backup();
        run.world.sleep(Duration.ofMillis(100 + run.random.nextInt(9000)));
        Kind kind = run.random.nextInt(4) == 0 ? Kind.NONE : Kind.values()[run.random.nextInt(Kind.values().length)];
        run.tally.count(kind);
        run.note("DISASTER " + kind);
        if (kind == Kind.NONE) {
            run.creeping.end();
            SimulatedProcess forgotten = steps.nextBoolean() ? forgetOne() : null;
            operators.work(run.random.nextInt(3) > 0 ? 4 + run.random.nextInt(8) : 0);
            if (forgotten != null) {
                remember(forgotten);
            }
            operators.awaitIds();
            return;
        }

        List<SimulatedProcess> issuing = run.processes.stream()
                .filter(process -> process.generator() != null && !isSuperseded(process))
                .toList();
        LateWitnesses witnesses = new LateWitnesses(run, run.checkpoints, issuing);
        boolean restored = lose(kind, backup, witnesses);
        if (steps.nextInt(3) == 0) {
            step(run.processes.get(steps.nextInt(run.processes.size())), ClockStep.AFTER_LOSS);
        }
        if (!restored) {
            witnesses.play();
        }
        // A paused process notices nothing before it goes on.
        Duration pause = issuing.stream()
                .map(process -> process.machine.pauseLeft())
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
        // A third of the window until the next extension is due; calls under way, each at most 2 s; a retry.
        run.world.sleep(pause.plus(run.simulated.window.dividedBy(3)).plusSeconds(7));
        run.oracle.requireCoveredAgain(issuing);
        if (!restored) {
            witnesses.requireStopped();
        }
        run.creeping.end();
        if (run.random.nextInt(3) == 0) {
            operators.work(0);
        }
        if (restored) {
            operators.awaitIds();
        }
    }

    /** Its clock steps after it has learned that its namespace was retired. */
    private SimulatedProcess forgetOne() {
        SimulatedProcess forgotten = run.processes.get(steps.nextInt(run.processes.size()));
        forgotten.isForgotten = true;
        Duration noticed = run.simulated.window.dividedBy(3).plusMillis(steps.nextInt(4_000));
        operators.retired = () -> run.world.later(noticed, () -> {
            if (forgotten.isForgotten && forgotten.generator() != null) {
                step(forgotten, ClockStep.AFTER_RETIREMENT);
            }
        });
        return forgotten;
    }

    private void remember(SimulatedProcess forgotten) {
        long half = run.simulated.window.toMillis() / 2;
        run.world.sleep(Duration.ofMillis(half + steps.nextLong(half)));
        forgotten.isForgotten = false;
        forgotten.closeSoon();
        run.creeping.end();
    }

    /** Steps a clock by no more than max-skew, and mostly by enough to be noticed. */
    private void step(SimulatedProcess process, ClockStep when) {
        long most = run.simulated.maxSkew.toMillis();
        // A step of just as much as callers follow is credible in one part of a millisecond, and not in the other.
        long least = Math.min(most - 2, 1_100);
        long millis = least + steps.nextLong(Math.max(1, most - 1_100));
        run.tally.count(when);
        run.note("CLOCK STEP " + when + " " + process.name);
        process.stepClock(Duration.ofMillis(steps.nextBoolean() ? millis : -millis));
    }

    /** Another process was granted the ticks after this one's: it no longer compares its clock, and its ids end with its window. */
    private boolean isSuperseded(SimulatedProcess process) {
        SnowflakeStatus status = process.status();
        if (status.reservedUntil().isEmpty()) {
            return false;
        }
        long granted = run.simulated.tickOf(status.reservedUntil().get().toEpochMilli());
        return status.workerIds().stream()
                .map(store.marks::get)
                .allMatch(mark -> mark != null && RecordLine.parse(mark.value()).number("from") >= granted);
    }

    /** @return whether an operator restored the namespace before any process saw what had happened */
    private boolean lose(Kind kind, FakeStore.Backup backup, LateWitnesses witnesses) {
        boolean operated = run.random.nextBoolean();
        VirtualWorld.Machine operator = run.world.new Machine();
        if (operated) {
            store.reservedFor = operator;
        }
        strike(kind, backup);
        witnesses.keepThoseThatLost();
        run.oracle.dataLost(kind == Kind.WIPE);
        boolean restored = operated && operators.restore(operator, operators.first());
        store.reservedFor = null;
        if (restored) {
            run.oracle.requireFloorAboveAllThatWasGranted(store);
            run.oracle.dataLost(true);
        }
        return restored;
    }

    private void strike(Kind kind, FakeStore.Backup backup) {
        switch (kind) {
            case NONE -> {}
            case WIPE -> store.wipe();
            case OLD_BACKUP -> store.restore(backup);
            case MARKS_DELETED -> store.marks.clear();
            case META_DELETED -> store.putMeta(null);
            case MARK_LOWERED ->
                store.marks.replaceAll((id, mark) -> with(
                        mark,
                        "limit",
                        String.valueOf(RecordLine.parse(mark.value()).number("limit") - 1000)));
            case MARKS_EDITED -> store.marks.replaceAll((id, mark) -> with(mark, "limit", oneOf(ABSURD_LIMITS)));
            case META_REPLACED -> editMeta("id", "another");
            case META_EDITED -> editMeta("max-window", oneOf(ABSURD_WINDOWS));
        }
    }

    private String oneOf(List<String> values) {
        return values.get(run.random.nextInt(values.size()));
    }

    private void editMeta(String key, String value) {
        Stored meta = store.meta;
        if (meta != null) {
            store.putMeta(with(meta, key, value).value());
        }
    }

    private static Stored with(Stored stored, String key, String value) {
        return new Stored(RecordLine.parse(stored.value()).with(key, value).toString(), stored.version() + 1);
    }
}
