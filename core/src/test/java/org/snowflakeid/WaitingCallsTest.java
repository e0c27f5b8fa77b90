// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.Wire.Kind;

/** What calls wait for that can't have an id now, and what ends their wait. */
class WaitingCallsTest {

    private final Stage stage = Stage.ofDefaults(1);
    private final Actor process = stage.process();

    @AfterEach
    void assertSafe() {
        stage.assertSafe();
    }

    /** With 16 ids a millisecond, so that a burst uses a window up. */
    @Nested
    class WithoutAnyWait {

        private void openWithoutWait() {
            stage.keys.put("snowflake.wait-timeout", "PT0S");
            stage.keys.put("snowflake.sequence-bits", "4");
            stage.keys.put("snowflake.burst", "PT30S");
            process.open();
        }

        private boolean issues() {
            try {
                process.issue();
                return true;
            } catch (SnowflakeUnavailableException e) {
                return false;
            }
        }

        // with wait-timeout=PT0S a call asked for no extension: there were no ids until the next one was due by itself
        @Test
        void anExtensionIsAskedForWhereABurstHasUsedTheWindowUp() {
            openWithoutWait();
            while (issues()) {}
            Instant usedUp = stage.world.trueTime();

            stage.within(Duration.ofMillis(50), "ids", this::issues);

            assertThat(usedUp).isBefore(VirtualWorld.BEGIN.plusSeconds(1));
        }

        // batches did not ask for one either
        @Test
        void anExtensionIsAskedForByBatchesToo() {
            openWithoutWait();
            while (issues()) {}

            stage.within(Duration.ofMillis(50), "ids", () -> {
                try {
                    return process.ids().nextIds(1000).length == 1000;
                } catch (SnowflakeUnavailableException e) {
                    return false;
                }
            });
        }
    }

    // a call slept until the next extension, since the write that got the owner entry again woke no call
    @Test
    void callsAreWokenWhenTheOwnerEntryIsGotAgainAfterAnOutage() {
        stage.keys.put("snowflake.wait-timeout", "PT60S");
        process.open();
        stage.sleep(Duration.ofMinutes(2));
        process.wire.cut = true;
        stage.store.expireOwners();
        stage.sleep(Duration.ofSeconds(70));
        List<Actor.Call> calls = Stream.generate(process::startCall).limit(3).toList();
        stage.sleep(Duration.ofSeconds(5));
        assertThat(calls).noneMatch(Actor.Call::isOver);

        process.wire.cut = false;
        Instant whole = stage.world.trueTime();
        calls.forEach(Actor.Call::await);

        assertThat(Duration.between(whole, stage.world.trueTime())).isLessThan(Duration.ofSeconds(4));
    }

    @Test
    void theFirstCallInAnOutageThatHasLastedFailsAtOnce() {
        process.open();
        stage.sleep(Duration.ofMinutes(2));
        process.wire.cut = true;
        stage.sleep(Duration.ofMinutes(3));
        Instant asked = stage.world.trueTime();

        process.startCall().awaitFailure();

        assertThat(Duration.between(asked, stage.world.trueTime())).isLessThan(Duration.ofMillis(50));
    }

    // the status was SUSPENDED until the coordinator was back, though the log had reported before that ids went on
    @Test
    void aStepOfTheClockInAnOutageSuspendsIdsForAsLongAsItLasts() {
        process.open();
        stage.sleep(Duration.ofMinutes(2));
        process.wire.cut = true;
        try (LogLines log = new LogLines()) {
            process.machine.stepClock(Duration.ofSeconds(5));
            assertThat(process.startCall().awaitFailure()).hasMessageContaining("stepped");
            assertThat(process.ids().status().state()).isEqualTo(State.SUSPENDED);
            assertThat(log.all()).anyMatch(line -> line.contains("extension failed"));
            assertThat(log.all()).noneMatch(line -> line.contains("ids continue"));
        }

        process.machine.restoreClock();
        stage.sleep(Duration.ofSeconds(3));

        process.issue();
        assertThat(process.ids().status().state()).isEqualTo(State.ACTIVE);
        assertThat(process.ids().status().ready()).isTrue();
        assertThat(process.ids().status().lastError().orElse("")).doesNotContain("stepped");
    }

    // a call waited for ever, and could not be interrupted
    @Test
    void aClockThatStandsStillIsWaitedForAsLongAsOneThatIsBehind() {
        stage.keys.put("snowflake.sequence-bits", "1");
        process.open();
        process.holdClock(stage.world.trueTime());
        while (process.startCallAfter(Duration.ZERO).await().sequence() == 0) {}
        Instant asked = stage.world.trueTime();

        SnowflakeException failure = process.startCall().awaitFailure();

        assertThat(failure).hasMessageContaining("stands still").hasMessageContaining("snowflake.clock.max-wait=");
        assertThat(Duration.between(asked, stage.world.trueTime())).isLessThan(Duration.ofMillis(700));
        assertThat(process.ids().status().lastError().orElse("")).contains("stands still");
        assertThat(process.ids().status().state()).isEqualTo(State.SUSPENDED);
        assertThat(process.ids().status().ready()).isFalse();
        Actor.Call waiting = process.startCall();
        stage.sleep(Duration.ofMillis(200));
        process.holdClock(null);
        waiting.await();
        assertThat(process.ids().status().state()).isEqualTo(State.ACTIVE);
    }

    // the status said ACTIVE, no line was logged, and a call was told of 300 ms where 500 are allowed
    @ParameterizedTest
    @ValueSource(ints = {0, 300})
    void aClockThatStandsStillIsSaidAndIsAnEvent(int back) {
        List<SnowflakeEvent> events = new ArrayList<>();
        stage.keys.put("snowflake.sequence-bits", "1");
        process.listener = events::add;
        process.open();
        stage.sleep(Duration.ofSeconds(10));
        try (LogLines log = new LogLines()) {
            process.issue();
            process.holdClock(stage.world.trueTime().minusMillis(back));
            Actor.Call last = process.startCall();
            while (true) {
                stage.until("over", last::isOver);
                if (last.failure().isPresent()) {
                    break;
                }
                last = process.startCall();
            }

            assertThat(last.failure().orElseThrow())
                    .isInstanceOf(back == 0 ? SnowflakeUnavailableException.class : ClockMovedBackwardsException.class)
                    .hasMessageContaining("the system clock stands still at")
                    .hasMessageContaining("allows to wait no longer");
            assertThat(process.ids().status().state()).isEqualTo(State.SUSPENDED);
            stage.sleep(Duration.ofSeconds(2));
            assertThat(log.all()).anyMatch(line -> line.contains("calls fail: the system clock stands still"));
            assertThat(events).anyMatch(SnowflakeEvent.Suspended.class::isInstance);

            process.holdClock(null);
            stage.sleep(Duration.ofSeconds(3));
            assertThat(process.ids().status().ready()).isTrue();
            assertThat(events).anyMatch(SnowflakeEvent.Resumed.class::isInstance);
        }
    }

    // each worker id sent its calls to the other one, without end, and they could not be interrupted
    @Test
    void aClockThatStandsStillIsWaitedForNoLongerWithSeveralWorkerIds() {
        stage.keys.put("snowflake.sequence-bits", "1");
        stage.keys.put("snowflake.workers", "2");
        process.open();
        process.holdClock(stage.world.trueTime());
        // Each worker id has two ids a millisecond, and a half of the threads.
        List<Actor.Call> calls = Stream.generate(process::startCall).limit(8).toList();

        stage.within(
                Duration.ofMillis(700), "all of them over", () -> calls.stream().allMatch(Actor.Call::isOver));

        assertThat(calls.stream().map(Actor.Call::failure).flatMap(Optional::stream))
                .hasSize(4)
                .allSatisfy(failure -> assertThat(failure).hasMessageContaining("stands still"));
    }

    // it was how far the clock was behind what max-ahead allows
    @Test
    void aClockThatIsBehindIsBehindTheLastId() {
        stage.keys.put("snowflake.clock.on-rollback", "continue");
        stage.keys.put("snowflake.clock.max-ahead", "PT2S");
        process.open();
        process.issue();
        process.machine.stepClock(Duration.ofSeconds(-9));

        String message = process.startCall().awaitFailure().getMessage();

        assertThat(message)
                .containsPattern(" (8\\d\\d\\d|9000) ms behind the last id\\. snowflake\\.clock\\.max-ahead=PT2S");
        assertThat(process.ids().status().lastError().orElse("")).containsPattern(" (8\\d\\d\\d|9000) ms behind");
    }

    // the wait began anew where a call had been in the queue meanwhile: 3.4 s where two are allowed
    @Test
    void theWaitTimeoutCountsFromTheFirstThingThatIsWaitedFor() {
        stage.keys.put("snowflake.sequence-bits", "1");
        process.open();
        process.wire.cut = true;
        Instant end = process.ids().status().reservedUntil().orElseThrow();
        stage.sleep(Duration.between(stage.world.trueTime(), end).minusMillis(1_700));
        process.machine.stepClock(Duration.ofHours(1));
        stage.sleep(Duration.ofMillis(100));
        Instant asked = stage.world.trueTime();
        // They look again a tenth of a second before the end, when two have an id each millisecond.
        List<Actor.Call> calls = Stream.generate(process::startCall).limit(400).toList();
        stage.sleep(Duration.ofMillis(1_400));
        assertThat(calls).noneMatch(Actor.Call::isOver);

        process.machine.restoreClock();
        stage.until("all of them over", () -> calls.stream().allMatch(Actor.Call::isOver));

        assertThat(Duration.between(asked, stage.world.trueTime())).isLessThan(Duration.ofMillis(2_200));
    }

    // a coordinator that had just been reached again was asked up to a second later
    @Test
    void aHintEndsThePauseAfterFailures() {
        process.open();
        stage.sleep(Duration.ofMinutes(2));
        process.wire.throwInsteadOf(Kind.EXTEND, 1_000_000, new CoordinatorException("away", false));
        stage.until("failures", () -> process.ids().status().lastError().isPresent());
        for (int attempt = 0; attempt < 20; attempt++) {
            stage.sleep(Duration.ofMillis(1_237));
            process.wire.heal();
            stage.store.hintLoss();

            stage.within(
                    Duration.ofMillis(110),
                    "extended",
                    () -> process.ids().status().lastError().isEmpty());
            process.wire.throwInsteadOf(Kind.EXTEND, 1_000_000, new CoordinatorException("away", false));
            stage.store.hintLoss();
            stage.sleep(Duration.ofSeconds(8));
        }
    }

    // a call went on sleeping beside later ones that got ids of what was still reserved by the clock's new time
    @Test
    void callsAreServedWhenTheClockStepsBackIntoWhatIsReserved() {
        stage.keys.put("snowflake.wait-timeout", "PT60S");
        process.open();
        stage.sleep(Duration.ofMinutes(2));
        process.wire.hold(Kind.EXTEND);
        Instant end = process.ids().status().reservedUntil().orElseThrow();
        stage.sleep(Duration.between(stage.world.trueTime(), end.plusSeconds(2)));
        Actor.Call call = process.startCall();
        stage.sleep(Duration.ofSeconds(3));
        assertThat(call.isOver()).isFalse();

        process.machine.stepClock(Duration.ofSeconds(-6));

        stage.within(Duration.ofSeconds(1), "an id", call::isOver);
        assertThat(call.await().timestamp()).isBefore(end);
    }

    // the same when a clock that had leapt ahead comes back by itself, while the coordinator does not answer
    @Test
    void callsAreServedWhenTheClockIsCredibleAgain() {
        stage.keys.put("snowflake.wait-timeout", "PT60S");
        process.open();
        stage.sleep(Duration.ofMinutes(2));
        process.wire.cut = true;
        process.machine.stepClock(Duration.ofDays(365));
        Actor.Call call = process.startCall();
        stage.sleep(Duration.ofSeconds(5));
        assertThat(call.isOver()).isFalse();

        process.machine.restoreClock();

        stage.within(Duration.ofSeconds(1), "an id", call::isOver);
        call.await();
    }

    /** Calls that wait for a clock that stepped back. */
    // the keeper made a round for each call that failed
    @Test
    void callsThatFailLeaveTheKeeperItsSleep() {
        stage.keys.put("snowflake.worker-ids", "0");
        process.open();
        stage.sleep(Duration.ofMinutes(2));
        stage.store.takeOver(0, 3_600_000);
        stage.sleep(Duration.ofMinutes(2));
        int[] looks = {0};
        Actor.Stop unused = process.stopKeeperAtClock(() -> {
            looks[0]++;
            return false;
        });

        for (int i = 0; i < 1000; i++) {
            assertThatThrownBy(process::issue).isInstanceOf(SnowflakeUnavailableException.class);
            stage.sleep(Duration.ofMillis(1));
        }

        assertThat(looks[0]).isLessThan(2000);
    }

    @Nested
    class ForTheClock {

        private List<Actor.Call> callsThatWait(Duration back) {
            stage.keys.put("snowflake.clock.max-wait", "PT1M");
            process.open();
            stage.sleep(Duration.ofMinutes(2));
            process.issue();
            process.machine.stepClock(back.negated());
            return Stream.generate(process::startCall).limit(5).toList();
        }

        // calls slept for 25 s though the coordinator had contradicted the clock at once
        @ParameterizedTest
        @ValueSource(longs = {15, 25, 50})
        void areWokenWhenTheClockIsFoundToBeWrong(long seconds) {
            List<Actor.Call> calls = callsThatWait(Duration.ofSeconds(seconds));
            Instant stepped = stage.world.trueTime();

            calls.forEach(Actor.Call::await);

            assertThat(Duration.between(stepped, stage.world.trueTime())).isLessThan(Duration.ofSeconds(1));
            process.issueFor(Duration.ofMinutes(2));
        }

        // the same just after an extension
        @Test
        void areWokenWhenTheClockIsFoundToBeWrongJustAfterItWasFoundRight() {
            stage.keys.put("snowflake.clock.max-wait", "PT1M");
            process.open();
            stage.sleep(Duration.ofMinutes(2));
            int applied = process.wire.applied();
            stage.until("extended", () -> process.wire.applied() > applied);
            process.issue();
            process.machine.stepClock(Duration.ofSeconds(-25));
            Instant stepped = stage.world.trueTime();

            process.startCall().await();

            assertThat(Duration.between(stepped, stage.world.trueTime())).isLessThan(Duration.ofMillis(1500));
        }

        // calls slept for as long as the step had been, though the clock had been set right meanwhile
        @ParameterizedTest
        @ValueSource(longs = {5, 9})
        void areWokenWhenTheClockIsSetRight(long seconds) {
            List<Actor.Call> calls = callsThatWait(Duration.ofSeconds(seconds));
            stage.sleep(Duration.ofMillis(1234));
            assertThat(calls).noneMatch(Actor.Call::isOver);

            process.machine.restoreClock();
            Instant right = stage.world.trueTime();
            calls.forEach(Actor.Call::await);

            assertThat(Duration.between(right, stage.world.trueTime())).isLessThan(Duration.ofMillis(150));
        }
    }
}
