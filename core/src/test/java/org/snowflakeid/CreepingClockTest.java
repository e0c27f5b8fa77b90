// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.Wire.Kind;
import org.snowflakeid.Wire.Request;
import org.snowflakeid.administration.NamespaceAdministration;
import org.snowflakeid.administration.NamespaceDoubt;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Snapshot;

/**
 * A wall clock that goes wrong little by little, by no more at a time than a clock may be wrong: the coordinator's time contradicts it at an
 * extension, and neither ids nor marks follow.
 */
class CreepingClockTest {

    private static final Duration WINDOW = Duration.ofSeconds(60);

    /** How far a clock may differ from the coordinator's, plus how late or imprecise the coordinator's time may be. */
    private static final Duration SKEW = Duration.ofSeconds(10);

    private static final Duration READING = Duration.ofMillis(1_500);

    private final Stage stage = Stage.ofDefaults(1);
    private final Actor process = stage.process();

    @AfterEach
    void assertSafe() {
        stage.assertSafe();
    }

    private void openAndRunFor(Duration duration) {
        process.open();
        stage.sleep(duration);
    }

    private Duration ahead(Instant time) {
        return Duration.between(stage.world.trueTime(), time);
    }

    private void assertFollowsTheCoordinator() {
        assertFollowsTheCoordinator(process, WINDOW);
    }

    private void assertFollowsTheCoordinator(Actor issuer, Duration window) {
        Instant asked = stage.world.trueTime();
        IdParts id = issuer.issue();
        assertThat(ahead(id.timestamp()).abs())
                .as("%s at %s", id, stage.world.trueTime())
                .isLessThanOrEqualTo(SKEW.plus(READING));
        assertThat(Duration.between(asked, stage.world.trueTime())).isLessThan(Duration.ofMillis(100));
        for (int worker : stage.store.marks.keySet()) {
            Instant until =
                    SnowflakeLayout.STANDARD.instantOf(stage.store.mark(worker).limit());
            assertThat(ahead(until))
                    .as("the mark of worker id %s", worker)
                    .isLessThan(window.plus(SKEW).plus(READING));
        }
        SnowflakeStatus status = issuer.ids().status();
        assertThat(status.state()).isEqualTo(State.ACTIVE);
        assertThat(status.ready()).as(status.toString()).isTrue();
    }

    private void assertWarned(String clock) {
        assertThat(process.ids().status().clockWarning()).hasValueSatisfying(warning -> assertThat(warning)
                .contains("The system clock says " + clock)
                .contains("but fake says " + stage.world.trueTime().toString().substring(0, 14)));
    }

    private void assertBelievedAgain(Duration within) {
        stage.within(
                within,
                "no warning",
                () -> process.ids().status().clockWarning().isEmpty());
        stage.sleep(Duration.ofSeconds(1));
        assertThat(ahead(process.issue().timestamp()).abs()).isLessThan(Duration.ofSeconds(1));
    }

    /** Restores the namespace by the runbook after the coordinator lost all data. */
    private Instant restore() {
        Actor operator = stage.process();
        Instant[] firstIds = new Instant[1];
        Thread unused = operator.machine.start("restore", () -> {
            SnowflakeSettings settings = SnowflakeSettings.of(Map.copyOf(stage.keys));
            try (NamespaceAdministration namespace = NamespaceAdministration.open(settings, operator.wire, operator)) {
                firstIds[0] = namespace.prepareRestore().carryOut(EnumSet.allOf(NamespaceDoubt.class));
            }
        });
        stage.until("restored", () -> firstIds[0] != null);
        return firstIds[0];
    }

    /** No id repeats, though the coordinator has forgotten what was granted. */
    private void assertNothingRepeatsAfterARestore(Actor old) {
        int worker = old.workerId();
        Instant granted =
                SnowflakeLayout.STANDARD.instantOf(stage.store.mark(worker).limit());
        // The process does not reach the coordinator in time: it issues its grant to the end.
        old.wire.cut = true;
        stage.store.wipe();

        Instant floor = restore();

        assertThat(floor).isAfterOrEqualTo(granted);
        stage.keys.put("snowflake.worker-ids", String.valueOf(worker));
        Actor next = stage.process();
        next.open();
        next.issueFor(Duration.ofSeconds(5));
    }

    private void stepsOfNineSeconds(int sign) {
        for (int i = 0; i < 60; i++) {
            process.machine.stepClock(Duration.ofSeconds(9L * sign));
            for (int second = 0; second < 40; second++) {
                if (i > 1 || sign > 0) {
                    assertFollowsTheCoordinator();
                }
                stage.sleep(Duration.ofSeconds(1));
            }
        }
    }

    @Nested
    class BySteps {

        // 539 s ahead, ACTIVE, ready, and no warning
        @Test
        void doesNotCarryIdsAway() {
            openAndRunFor(Duration.ofMinutes(2));

            stepsOfNineSeconds(1);

            assertWarned("2026-03-01T10:5");
        }

        @Test
        void doesNotHoldIdsBack() {
            openAndRunFor(Duration.ofMinutes(2));

            stepsOfNineSeconds(-1);

            assertWarned("2026-03-01T10:3");
        }

        @Test
        void doesNotCarryTheIdsOfSeveralWorkersAway() {
            stage.keys.put("snowflake.workers", "2");
            openAndRunFor(Duration.ofMinutes(2));

            for (int i = 0; i < 600; i++) {
                process.machine.stepClock(Duration.ofMillis(40));
                assertFollowsTheCoordinator();
                stage.sleep(Duration.ofSeconds(4));
            }

            assertWarned("2026-03-01T10:4");
        }

        // steps that callers follow without a look
        @Test
        void doesNotCarryIdsAwayBySmallOnes() {
            openAndRunFor(Duration.ofMinutes(2));

            for (int i = 0; i < 600; i++) {
                process.machine.stepClock(Duration.ofMillis(900));
                assertFollowsTheCoordinator();
                stage.sleep(Duration.ofSeconds(4));
            }

            assertWarned("2026-03-01T10:5");
        }

        // while the coordinator was away no clock was compared, and the first write after that raised a mark by the
        // whole error
        @Test
        void raisesNoMarkAfterAnOutage() {
            openAndRunFor(Duration.ofMinutes(2));
            process.wire.cut = true;
            for (int i = 0; i < 60; i++) {
                process.machine.stepClock(Duration.ofMillis(900));
                stage.sleep(Duration.ofSeconds(5));
            }

            process.wire.cut = false;
            stage.sleep(Duration.ofMinutes(1));

            assertFollowsTheCoordinator();
            assertWarned("2026-03-01T10:08");
        }

        @Test
        void isSaidOnceInTheLog() {
            try (LogLines log = new LogLines()) {
                openAndRunFor(Duration.ofMinutes(2));

                stepsOfNineSeconds(1);

                assertThat(log.all())
                        .filteredOn(line -> line.contains("The system clock says"))
                        .hasSize(1);
            }
        }

        // the start was refused: its predecessor's reservation lay 539 s ahead
        @Test
        void leavesTheNextStartAlone() {
            stage.keys.put("snowflake.worker-ids", "0");
            openAndRunFor(Duration.ofMinutes(2));
            for (int i = 0; i < 60; i++) {
                process.machine.stepClock(Duration.ofSeconds(9));
                stage.sleep(Duration.ofSeconds(40));
            }
            process.crash();

            Actor next = stage.process();
            next.open();

            assertThat(ahead(next.issue().timestamp())).isLessThan(SKEW);
        }

        // 200 ids were equal to old ones
        @Test
        void repeatsNothingAfterARestoreByTheBook() {
            openAndRunFor(Duration.ofMinutes(2));
            for (int i = 0; i < 60; i++) {
                process.machine.stepClock(Duration.ofSeconds(9));
                process.issue();
                stage.sleep(Duration.ofSeconds(40));
            }

            assertNothingRepeatsAfterARestore(process);
        }

        @Test
        void isForgottenWhenTheClockIsCorrected() {
            openAndRunFor(Duration.ofMinutes(2));
            for (int i = 0; i < 10; i++) {
                process.machine.stepClock(Duration.ofSeconds(9));
                stage.sleep(Duration.ofSeconds(40));
            }
            assertWarned("2026-03-01T10:10");

            process.machine.restoreClock();

            assertBelievedAgain(Duration.ofSeconds(21));
        }

        // callers saw the step before the keeper had asked the coordinator about it
        @Test
        void isComparedByTheWriteThatAStepLeadsToBeforeCallersSeeIt() {
            openAndRunFor(Duration.ofMinutes(2));
            process.machine.stepClock(Duration.ofSeconds(9));
            stage.sleep(Duration.ofSeconds(40));
            process.issue();
            process.wire.reads = seen -> new Snapshot(seen.meta(), seen.slots(), null);
            process.wire.hold(Kind.EXTEND);

            process.machine.stepClock(Duration.ofSeconds(9));
            Actor.Call call = process.startCall();
            Request write = process.wire.next();
            process.wire.release(Kind.EXTEND);
            write.answer(write.arrive());

            assertThat(ahead(call.await().timestamp())).isLessThan(SKEW);
        }
    }

    /** Both clocks of a machine run fast or slow together, so that neither shows the other to be wrong. */
    @Nested
    class ByDrift {

        private static final Duration FORTNIGHT = Duration.ofDays(14);

        private static final Duration LONG_WINDOW = Duration.ofMinutes(5);

        private void runFor(Duration duration, long ppm, Runnable look) {
            openAndRunFor(Duration.ofMinutes(20));
            process.machine.drift(ppm);
            for (Instant end = stage.world.trueTime().plus(duration);
                    stage.world.trueTime().isBefore(end);
                    stage.sleep(Duration.ofMinutes(7))) {
                look.run();
            }
        }

        /** Drifts as far as in a fortnight, but sooner. */
        private void runFast() {
            runFor(FORTNIGHT.dividedBy(4), 400, process::issue);
        }

        // two minutes ahead, and no warning
        @ParameterizedTest
        @ValueSource(longs = {100, -100})
        void isNotFollowedFurtherThanAClockMayBeWrong(long ppm) {
            stage.keys.put("snowflake.window", LONG_WINDOW.toString());
            runFor(FORTNIGHT, ppm, () -> assertFollowsTheCoordinator(process, LONG_WINDOW));

            assertWarned("2026-03-15T");
            process.machine.drift(0);
            process.machine.restoreClock();
            assertBelievedAgain(LONG_WINDOW.dividedBy(3));
        }

        // a drift was made up for in whole milliseconds, and what was left of one was lost: in 4 s one of 1,333 ms
        @ParameterizedTest
        @ValueSource(strings = {"PT4S", "PT8S"})
        void isMadeUpForByAFiveHundredthAlsoWhereWindowsAreShort(String window) {
            stage.keys.put("snowflake.window", window);

            runFor(Duration.ofHours(12), 1_900, () -> assertFollowsTheCoordinator(process, Duration.parse(window)));

            assertWarned("2026-03-01T22:");
        }

        @Test
        void repeatsNothingAfterARestoreByTheBook() {
            runFast();

            assertNothingRepeatsAfterARestore(process);
        }

        @Test
        void leavesTheNextStartAlone() {
            runFast();
            stage.keys.put("snowflake.worker-ids", String.valueOf(process.workerId()));
            process.crash();

            Actor next = stage.process();
            next.open();

            assertThat(ahead(next.issue().timestamp())).isLessThan(SKEW);
        }
    }

    // a process without a worker id extends none, and claimed by a clock that it had not compared for hours
    @Test
    void aClaimAfterALongWaitIsByAClockThatWasCompared() {
        stage.keys.put("snowflake.worker-ids", "0");
        stage.keys.put("snowflake.clock.max-skew", "PT1S");
        openAndRunFor(Duration.ofMinutes(2));
        process.wire.cut = true;
        stage.sleep(Duration.ofMinutes(3));
        Actor holder = stage.process();
        holder.open();
        process.wire.cut = false;
        process.machine.drift(400);
        stage.sleep(Duration.ofHours(3));

        holder.close();
        stage.until("ids again", () -> process.ids().status().state() == State.ACTIVE);

        Instant until = SnowflakeLayout.STANDARD.instantOf(stage.store.mark(0).limit());
        assertThat(ahead(until)).isBetween(Duration.ofSeconds(8), Duration.ofSeconds(12));
        assertWarned("2026-03-01T13:");
    }

    // as above, and no read for a worker id that was superseded tells the time meanwhile
    @Test
    void norDoesAStartThatHasWaitedForLongClaimByIt() {
        stage.keys.put("snowflake.worker-ids", "0");
        stage.keys.put("snowflake.clock.max-skew", "PT1S");
        stage.keys.put("snowflake.startup-timeout", "PT5H");
        openAndRunFor(Duration.ofMinutes(2));
        Actor late = stage.process();
        late.startOpening();
        stage.sleep(Duration.ofMinutes(2));
        late.machine.drift(400);
        stage.sleep(Duration.ofHours(3));

        process.close();
        stage.sleep(Duration.ofMinutes(2));

        assertThat(late.isDecided()).isFalse();
        assertThat(stage.store.mark(0).token()).startsWith("free-");
        late.machine.drift(0);
        late.machine.restoreClock();
        stage.until("ids", late::isOpen);
    }

    /** The coordinator's clock is wrong. */
    @Nested
    class OfTheCoordinator {

        private void assertUnaffectedFor(Duration duration) {
            Instant end = stage.world.trueTime().plus(duration);
            while (stage.world.trueTime().isBefore(end)) {
                assertFollowsTheCoordinator();
                assertThat(ahead(process.issue().timestamp()).abs()).isLessThan(Duration.ofMillis(200));
                stage.sleep(Duration.ofSeconds(1));
            }
        }

        // back and forth, and again back and forth
        @ParameterizedTest
        @CsvSource({"3600, 2", "-3600, 2", "60, 2", "-60, 2", "86400, 1"})
        void neitherStopsNorMovesIds(long seconds, int times) {
            openAndRunFor(Duration.ofMinutes(2));

            for (int i = 0; i < times; i++) {
                stage.store.timeAhead = Duration.ofSeconds(seconds);
                assertUnaffectedFor(Duration.ofMinutes(30));
                assertThat(process.ids().status().clockWarning()).isPresent();
                stage.store.timeAhead = Duration.ZERO;
                assertUnaffectedFor(Duration.ofMinutes(5));
                assertThat(process.ids().status().clockWarning()).isEmpty();
            }
        }

        // the clock differs by so little that a drift might explain it
        @ParameterizedTest
        @CsvSource({"13, PT60S", "-13, PT60S", "15, PT3S", "-15, PT3S"})
        void movesIdsSlowlyWhereItMayBeADrift(long seconds, String window) {
            stage.keys.put("snowflake.window", window);
            openAndRunFor(Duration.ofMinutes(2));
            stage.store.timeAhead = Duration.ofSeconds(seconds);

            assertMovesIdsSlowly();
        }

        // it was followed at once: the drift was reckoned from when the machine was started
        @ParameterizedTest
        @ValueSource(longs = {13, -13})
        void movesThemSlowlyTooWhereItToldNoTimeBefore(long seconds) {
            stage.store.tellsTime = false;
            stage.sleep(Duration.ofDays(10));
            openAndRunFor(Duration.ofMinutes(2));
            stage.store.timeAhead = Duration.ofSeconds(seconds);
            stage.store.tellsTime = true;

            assertMovesIdsSlowly();
        }

        private void assertMovesIdsSlowly() {
            // They agreed last at an extension before, 20 s ago at the most.
            Duration most = Duration.ofSeconds(60 + 20).dividedBy(500);
            for (int second = 0; second < 60; second++) {
                Instant asked = stage.world.trueTime();
                assertThat(ahead(process.issue().timestamp()).abs()).isLessThanOrEqualTo(most);
                assertThat(Duration.between(asked, stage.world.trueTime())).isLessThan(Duration.ofMillis(100));
                stage.sleep(Duration.ofSeconds(1));
            }

            assertThat(process.ids().status().clockWarning()).isPresent();
        }

        @Test
        void isFollowedWhereBothClocksAreSetToIt() {
            openAndRunFor(Duration.ofMinutes(2));
            stage.store.timeAhead = Duration.ofHours(1);
            assertUnaffectedFor(Duration.ofMinutes(1));

            process.machine.stepClock(Duration.ofHours(1));

            stage.within(
                    Duration.ofSeconds(21),
                    "no warning",
                    () -> process.ids().status().clockWarning().isEmpty());
            stage.sleep(Duration.ofSeconds(1));
            assertThat(ahead(process.issue().timestamp())).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(61));
        }

        // the process goes on by what was compared last: it believes a clock that no other contradicts, as where the
        // coordinator never tells the time
        @Test
        void thatIsToldNoLongerLeavesLargeStepsToBeVetted() {
            openAndRunFor(Duration.ofMinutes(2));
            stage.store.tellsTime = false;
            for (int i = 0; i < 3; i++) {
                process.machine.stepClock(Duration.ofSeconds(5));
                stage.sleep(Duration.ofSeconds(2));
            }
            assertThat(ahead(process.issue().timestamp())).isLessThan(SKEW);
            assertThat(process.ids().status().clockWarning()).isPresent();

            stage.sleep(Duration.ofSeconds(40));

            assertThat(process.ids().status().clockWarning()).isEmpty();
            assertThat(process.ids().status().state()).isEqualTo(State.ACTIVE);
            assertThat(ahead(process.issue().timestamp())).isBetween(Duration.ofSeconds(14), Duration.ofSeconds(16));
        }

        // a clock that the coordinator had contradicted was believed as soon as no answer contradicted it, and then
        // contradicted again
        @Test
        void thatIsToldNowAndThenIsNotForgottenInBetween() {
            openAndRunFor(Duration.ofMinutes(2));
            for (int i = 0; i < 60; i++) {
                stage.store.tellsTime = i % 3 == 0;
                process.machine.stepClock(Duration.ofSeconds(9));
                stage.sleep(Duration.ofSeconds(40));
            }

            assertThat(ahead(process.issue().timestamp())).isLessThan(SKEW.multipliedBy(4));
        }
    }

    /** An answer that took long tells the time of some moment while it was on its way. */
    @Nested
    class ByALateAnswer {

        private void extendWithAnAnswerAfter(Duration there, Duration back) {
            process.wire.hold(Kind.EXTEND);
            Request write = process.wire.next();
            stage.sleep(there);
            CasResult answer = write.arrive();
            stage.sleep(back);
            process.wire.release(Kind.EXTEND);
            write.answer(answer);
            stage.sleep(Duration.ofMillis(1));
        }

        // an answer that had been long on its way contradicted a clock that was right
        @Test
        void aClockThatIsRightIsNotContradicted() {
            stage.keys.put("snowflake.clock.max-skew", "PT1S");
            openAndRunFor(Duration.ofMinutes(2));
            process.machine.stepClock(Duration.ofMillis(900));

            extendWithAnAnswerAfter(Duration.ZERO, Duration.ofMillis(1_900));

            assertThat(process.ids().status().clockWarning()).isEmpty();
        }

        // a process that stood still meanwhile believed any time that its clock showed
        @Test
        void anAnswerOfLongAgoShowsNothing() {
            openAndRunFor(Duration.ofMinutes(2));
            process.machine.stepClock(Duration.ofSeconds(9));
            stage.sleep(Duration.ofSeconds(40));
            process.wire.hold(Kind.EXTEND);
            Request write = process.wire.next();
            process.machine.stepClock(Duration.ofSeconds(5));
            process.machine.pause(Duration.ofSeconds(15));
            stage.sleep(Duration.ofMillis(14_999));
            write.answer(write.arrive());
            process.wire.release(Kind.EXTEND);

            for (int i = 0; i < 40; i++) {
                assertThat(ahead(process.issue().timestamp())).isLessThan(SKEW.plus(READING));
                stage.sleep(Duration.ofSeconds(1));
            }
        }
    }
}
