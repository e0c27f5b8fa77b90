// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.SnowflakeEvent.Claimed;
import org.snowflakeid.SnowflakeEvent.Resumed;
import org.snowflakeid.SnowflakeEvent.Suspended;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.Wire.Kind;
import org.snowflakeid.Wire.Request;

/**
 * A wall clock that steps ahead while the monotonic clock does not: no id follows it by more than a second before the clock is vetted, and
 * none is issued at all before a write is won, since a memory image that is restored twice looks the same.
 */
class ClockJumpAheadTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Stage stage = Stage.ofDefaults(1);
    private final Actor process = stage.process();
    private final List<SnowflakeEvent> heard = new ArrayList<>();

    @AfterEach
    void assertSafe() {
        stage.assertSafe();
    }

    private void openAndRunFor(Duration duration) {
        process.listener = heard::add;
        process.open();
        stage.sleep(duration);
    }

    private void assertUnaffected(IdParts id) {
        assertThat(Duration.between(stage.world.trueTime(), id.timestamp()).abs())
                .as("%s at %s", id, stage.world.trueTime())
                .isLessThanOrEqualTo(SECOND);
        SnowflakeStatus status = process.ids().status();
        assertThat(status.state()).isEqualTo(State.ACTIVE);
        assertThat(status.ready()).as(status.toString()).isTrue();
    }

    /** Issues an id every 100 ms, none of which has to be waited for. */
    private void assertUnaffectedFor(Duration duration) {
        Instant end = stage.world.trueTime().plus(duration);
        while (stage.world.trueTime().isBefore(end)) {
            Instant asked = stage.world.trueTime();
            IdParts id = process.issue();
            assertThat(Duration.between(asked, stage.world.trueTime())).isLessThan(Duration.ofMillis(100));
            assertUnaffected(id);
            stage.sleep(Duration.ofMillis(100));
        }
    }

    /** The coordinator's clock shows that the step was wrong. */
    @Nested
    class Contradicted {

        private final LogLines log = new LogLines();

        @AfterEach
        void assertThatNoMessageSpeaksOfCopies() {
            log.close();
            assertThat(log.all()).noneSatisfy(line -> assertThat(line).contains("copy"));
            assertThat(heard).hasOnlyElementsOfType(Claimed.class);
        }

        // six seconds of ids dated 30 s ahead, then 40 s without any, readiness down, and talk of a copy
        @ParameterizedTest
        @CsvSource({"1, 30, 0", "1, 30, 7", "1, 30, 15", "1, 20, 3", "1, 86400, 5", "2, 30, 7"})
        void hasNoEffectAtAll(int workers, long step, long afterwards) {
            stage.keys.put("snowflake.workers", String.valueOf(workers));
            openAndRunFor(Duration.ofSeconds(120 + afterwards));
            process.issue();

            process.machine.stepClock(Duration.ofSeconds(step));

            assertUnaffectedFor(Duration.ofSeconds(90));
            assertThat(process.ids().status().clockWarning()).isPresent();
        }

        // the same in a namespace of one worker id, which leaves no other to go to
        @Test
        void hasNoEffectWhereThereIsOneWorkerId() {
            stage.keys.put("snowflake.worker-ids", "0");
            openAndRunFor(Duration.ofSeconds(127));
            process.issue();

            process.machine.stepClock(Duration.ofSeconds(30));

            assertUnaffectedFor(Duration.ofSeconds(90));
        }

        // the same without a call in between
        @ParameterizedTest
        @ValueSource(longs = {1, 3, 19, 61})
        void hasNoEffectOnALaterCall(long seconds) {
            openAndRunFor(Duration.ofSeconds(127));
            process.issue();

            process.machine.stepClock(Duration.ofSeconds(30));
            stage.sleep(Duration.ofSeconds(seconds));

            assertUnaffectedFor(Duration.ofSeconds(60));
        }

        // the same for batches
        @Test
        void hasNoEffectOnBatches() {
            openAndRunFor(Duration.ofSeconds(127));
            process.ids().nextIds(10_000);

            process.machine.stepClock(Duration.ofSeconds(30));
            for (int i = 0; i < 100; i++) {
                for (long id : process.ids().nextIds(10_000)) {
                    assertUnaffected(process.ids().layout().decode(id));
                }
                stage.sleep(Duration.ofMillis(300));
            }
        }

        // a call that had begun while the coordinator was unreachable slept on after the coordinator had answered
        @Test
        void wakesACallThatWaitsSinceTheCoordinatorCouldNotBeAsked() {
            stage.keys.put("snowflake.wait-timeout", "PT30S");
            openAndRunFor(Duration.ofSeconds(127));
            process.wire.cut = true;

            process.machine.stepClock(Duration.ofSeconds(30));
            Actor.Call call = process.startCall();
            stage.sleep(Duration.ofSeconds(5));
            assertThat(call.isOver()).isFalse();
            process.wire.cut = false;
            Instant whole = stage.world.trueTime();
            call.await();

            assertThat(Duration.between(whole, stage.world.trueTime())).isLessThan(Duration.ofSeconds(4));
            heard.removeIf(event -> event instanceof Suspended || event instanceof Resumed);
        }

        // ids were dated as far ahead once a clock that had been behind was set right
        @Test
        void hasNoEffectWhereAClockThatWasFoundToBeBehindIsSetRight() {
            openAndRunFor(Duration.ofSeconds(127));
            process.machine.stepClock(Duration.ofSeconds(-25));
            stage.until("a warning", () -> process.ids().status().clockWarning().isPresent());
            assertUnaffectedFor(Duration.ofSeconds(30));

            process.machine.restoreClock();

            assertUnaffectedFor(Duration.ofSeconds(90));
        }
    }

    /** The process's clock was slow, or its time stood still; the coordinator's clock shows that the step is right. */
    @Nested
    class Confirmed {

        private void openWithAClockBehind(Duration by) {
            process.machine.stepClock(by.negated());
            stage.store.tellsTime = false;
            openAndRunFor(Duration.ofMinutes(2));
            stage.store.tellsTime = true;
            process.issue();
        }

        // an id was dated by the clock before the keeper had asked the coordinator about it
        @ParameterizedTest
        @ValueSource(longs = {1_500, 5_000, 11_000, 30_000, 3_600_000})
        void isFollowedAfterAWriteOnly(long millis) {
            openWithAClockBehind(Duration.ofMillis(millis));
            int applied = process.wire.applied();

            process.machine.restoreClock();
            Instant stepped = stage.world.trueTime();
            Actor.Call call = process.startCall();
            call.await();

            assertThat(process.wire.applied()).as("writes since the step").isGreaterThan(applied);
            assertThat(Duration.between(stepped, stage.world.trueTime())).isLessThan(SECOND);
            stage.sleep(Duration.ofSeconds(2));
            assertUnaffectedFor(Duration.ofSeconds(90));
            assertThat(process.ids().status().clockWarning()).isEmpty();
        }

        // a clock that stepped back during the start was measured against what it had shown before
        @Test
        void isFollowedAfterAWriteOnlyWhereItSteppedBackDuringTheStart() {
            process.wire.hold(Kind.META);
            process.startOpening();
            Request created = process.wire.next();
            process.machine.stepClock(Duration.ofSeconds(-4));
            process.wire.release(Kind.META);
            created.answer(created.arrive());
            process.awaitOpen();
            process.issue();
            int applied = process.wire.applied();

            process.machine.restoreClock();
            process.issue();

            assertThat(process.wire.applied()).as("writes since the step").isGreaterThan(applied);
        }

        // the same where the clock stepped back before it was first vetted: the generator took that for the effect of a
        // copy
        @Test
        void isFollowedAfterAWriteOnlyWhereItSteppedBackBeforeItWasVetted() {
            stage.keys.put("snowflake.clock.max-skew", "PT1S");
            stage.keys.put("snowflake.worker-ids", "0");
            stage.keys.put("snowflake.wait-timeout", "PT30S");
            stage.store.tellsTime = false;
            process.wire.cut = true;
            process.startOpening();
            stage.sleep(Duration.ofSeconds(2));
            process.machine.stepClock(Duration.ofSeconds(-8));
            process.wire.cut = false;
            process.wire.hold(Kind.EXTEND);
            process.awaitOpen();
            process.issue();

            process.machine.restoreClock();
            Actor.Call call = process.startCall();
            stage.sleep(Duration.ofMillis(1_500));

            assertThat(call.isOver()).isFalse();
            stage.sleep(Duration.ofSeconds(5));
            assertThat(process.ids().status().state()).isEqualTo(State.SUSPENDED);
        }

        // two copies of a memory image issued the same ids until the next extension
        @ParameterizedTest
        @ValueSource(longs = {1_500, 5_000, 11_000, 30_000})
        void letsNoIdOutBeforeTheWriteIsApplied(long millis) {
            openWithAClockBehind(Duration.ofMillis(millis));
            process.wire.hold(Kind.EXTEND);
            process.wire.hold(Kind.CLAIM);

            process.machine.restoreClock();
            Actor.Call call = process.startCall();
            Request write = process.wire.next();
            stage.sleep(Duration.ofSeconds(1));
            assertThat(call.isOver()).isFalse();
            process.wire.release(Kind.EXTEND);
            process.wire.release(Kind.CLAIM);
            write.answer(write.arrive());

            call.await();
        }

        // the same while the coordinator is away
        @ParameterizedTest
        @ValueSource(longs = {1_500, 5_000, 11_000, 30_000})
        void endsIdsWhileNothingCanBeWritten(long millis) {
            openWithAClockBehind(Duration.ofMillis(millis));
            process.wire.cut = true;

            process.machine.restoreClock();
            Actor.Call call = process.startCall();

            assertThat(call.awaitFailure()).isInstanceOf(SnowflakeUnavailableException.class);
            stage.sleep(Duration.ofSeconds(3));
            assertThat(process.startCall().awaitFailure()).isInstanceOf(SnowflakeUnavailableException.class);
            process.wire.cut = false;
            stage.sleep(Duration.ofSeconds(5));
            assertUnaffectedFor(Duration.ofMinutes(1));
        }
    }

    // calls were refused while the status reported no problem
    @Test
    void isSaidInTheStatusBeforeItIsVetted() {
        stage.keys.put("snowflake.wait-timeout", "PT0S");
        openAndRunFor(Duration.ofSeconds(127));
        process.issue();
        assertThat(process.ids().status().clockWarning()).isEmpty();

        process.machine.stepClock(Duration.ofSeconds(30));

        assertThat(process.startCall().awaitFailure()).hasMessageContaining("has not been vetted yet");
        assertThat(process.ids().status().clockWarning())
                .hasValueSatisfying(warning -> assertThat(warning).contains("The system clock stepped, to"));
    }

    /** Nothing shows whether the step is right. */
    @Test
    void withoutAnyReferenceIsFollowedOnceTheClockRanSteadilyAndNotBefore() {
        stage.store.tellsTime = false;
        openAndRunFor(Duration.ofSeconds(127));
        process.issue();

        process.machine.stepClock(Duration.ofSeconds(30));

        assertUnaffectedFor(Duration.ofSeconds(9));
        stage.sleep(Duration.ofSeconds(45));
        IdParts later = process.issue();
        assertThat(Duration.between(stage.world.trueTime(), later.timestamp()))
                .isBetween(Duration.ofSeconds(29), Duration.ofSeconds(31));
        assertThat(process.ids().status().state()).isEqualTo(State.ACTIVE);
    }

    // rare calls, or a process that stood still, must not be taken for such a step
    @Test
    void timeThatPassedOnBothClocksIsNoStep() {
        openAndRunFor(Duration.ofSeconds(125));
        process.issue();
        process.wire.cut = true;

        stage.sleep(Duration.ofSeconds(13));
        assertUnaffected(process.issue());
        process.machine.pause(Duration.ofSeconds(12));
        stage.sleep(Duration.ofSeconds(12));
        process.startCall().await();
    }
}
