// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.Wire.Kind;
import org.snowflakeid.Wire.Request;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.NamespaceRecord;
import org.snowflakeid.records.RecordLine;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Stored;

/** What the rules of the protocol demand beyond the schedules that the models found. */
class ProtocolRulesTest {

    private final Stage stage = new Stage();
    private final Actor process = stage.process();

    @AfterEach
    void assertSafe() {
        stage.assertSafe();
    }

    private Instant end() {
        return process.ids().status().reservedUntil().orElseThrow();
    }

    private String mark(int id) {
        return stage.store.marks.get(id).value();
    }

    @Test
    void preemptedCallSeesNoStepBackOfTheClock() {
        stage.keys.put("snowflake.clock.on-rollback", "fail");
        process.open();
        Actor.Call preempted = process.startCallStoppedAtClock(stage.world.trueTime());
        stage.sleep(Duration.ofMillis(100));
        IdParts meanwhile = process.issue();

        preempted.goOn();

        assertThat(preempted.await().timestamp()).isAfterOrEqualTo(meanwhile.timestamp());
    }

    @Test
    void theLastTickOfAWindowIsUsedUpAndNothingBeyond() {
        process.open();
        process.wire.hold(Kind.EXTEND);
        Instant last = end().minusMillis(1);
        process.setBothClocks(last);

        assertThat(idsUntilThereAreNoMore(last)).isGreaterThan(4000);
    }

    @Test
    void theLastTickOfAWindowIsUsedUpAndNothingBeyondThoughTheClockSteppedBack() {
        process.open();
        process.wire.hold(Kind.EXTEND);
        Instant last = end().minusMillis(1);
        process.issueAt(last);

        assertThat(idsUntilThereAreNoMore(last)).isGreaterThan(4000);
    }

    // it went on to the end of its window, as if the namespace had only been retired
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void lostDataIsFoundThoughTheNamespaceIsBeingRestored(int lost) {
        stage.keys.putAll(Map.of("snowflake.workers", "2", "snowflake.worker-ids", "0-1"));
        process.open();
        int id = process.ids().status().workerIds().get(lost);
        stage.sleep(Duration.ofMinutes(1));
        FakeStore.Backup backup = stage.store.backup();
        String before = mark(id);
        stage.until("an extension", () -> !mark(id).equals(before));
        stage.store.marks.put(id, backup.marks().get(id));
        stage.store.takeOver(id, 10_000);
        stage.store.putMeta(NamespaceRecord.parse(backup.meta()).retired());

        stage.store.hintLoss();
        stage.sleep(Duration.ofSeconds(1));

        assertThatThrownBy(process::issue)
                .isInstanceOf(CoordinatorRegressedException.class)
                .hasMessageContaining("shows for worker id " + id + " the mark");
    }

    @Test
    void whatWasAskedForWithoutAnAnswerIsNotGranted() {
        process.open();
        Instant end = end();
        process.wire.hold(Kind.EXTEND);
        process.wire.next().lose();
        stage.sleep(Duration.ofMillis(100));

        process.setBothClocks(end.plusMillis(1));

        assertThatThrownBy(process::issue).isInstanceOf(SnowflakeUnavailableException.class);
    }

    private int idsUntilThereAreNoMore(Instant tick) {
        for (int issued = 0; issued <= 4096; issued++) {
            IdParts id;
            try {
                id = process.issue();
            } catch (SnowflakeUnavailableException e) {
                return issued;
            }
            assertThat(id.timestamp()).isEqualTo(tick);
        }
        throw new AssertionError("more ids than a tick has");
    }

    @Test
    void idsGoOnToTheLimitAfterATakeover() {
        process.open();
        stage.sleep(Duration.ofSeconds(30));
        stage.store.takeOver(0, 60_000);
        stage.until("noticed", () -> process.ids().status().lastError().isPresent());

        process.issue();
    }

    @Test
    void claimDeliveredAgainFindsOtherBytesThoughAllElseIsTheSame() {
        Actor crashed = stage.process();
        crashed.open();
        crashed.crash();
        stage.store.owners.clear();
        process.open();
        process.close();
        Mark free = stage.store.mark(0);
        Actor second = stage.process();
        second.wire.hold(Kind.CLAIM);
        second.startOpening();
        Request claim = second.wire.next();
        claim.answer(claim.arrive());
        second.awaitOpen();
        second.setClock(free.at());
        second.close();
        RecordLine freeAgain = stage.store.mark(0).pairs();
        assertThat(freeAgain
                        .with("token", free.token())
                        .with("random", free.pairs().text("random"))
                        .toString())
                .as("the same but for its random bits")
                .isEqualTo(free.value());

        CasResult again = claim.arrive();

        assertThat(again).isInstanceOf(CasResult.Rejected.class);
    }

    // a claim whose write was late was adopted, though the floor of the namespace that had followed meanwhile knew
    // nothing of it
    @Test
    void aClaimThatIsReadBackIsNoneInANamespaceThatWasRetired() {
        process.wire.hold(Kind.CLAIM);
        process.startOpening();
        Request claim = process.wire.next();
        CasResult unused = claim.arrive();
        stage.store.putMeta(NamespaceRecord.parse(stage.store.meta).retired("fake:elsewhere", "successor"));

        claim.lose();
        process.wire.release(Kind.CLAIM);

        assertThat(process.awaitRefusal()).hasMessageContaining("it moved to fake:elsewhere");
    }

    @Test
    void extensionByAClockThatSteppedBackLowersNothing() {
        // Another generator reserves more, and so may a claim or an extension begin further ahead of the clock.
        stage.keys.putAll(
                Map.of("snowflake.window", "PT60S", "snowflake.startup-timeout", "PT90S", "snowflake.worker-ids", "1"));
        stage.process().open();
        stage.keys.putAll(Map.of("snowflake.window", "PT12S", "snowflake.worker-ids", "0"));
        process.open();
        long limit = stage.store.mark(0).limit();
        process.machine.stepClock(Duration.ofSeconds(-9));

        stage.until("extended", () -> stage.store.mark(0).count() > 0);

        assertThat(stage.store.mark(0).limit()).isGreaterThanOrEqualTo(limit);
    }

    @Test
    void restoredBackupStopsIdsAndLowersNoMarkThatWasReservedAhead() {
        stage.keys.put("snowflake.worker-ids", "1");
        Actor crashed = stage.process();
        crashed.open();
        crashed.crash();
        stage.store.owners.clear();
        stage.keys.put("snowflake.worker-ids", "0-1");
        stage.keys.put("snowflake.startup-ahead", "PT0S");
        process.open();
        assertThat(process.workerId()).isZero();
        String backup = mark(0);
        // Another process's entry: the worker id can be used to its limit, but not be kept.
        stage.store.owners.put(0, new FakeStore.Held("another", this, Long.MAX_VALUE));
        stage.until("another claimed", () -> stage.store.owner(1) != null);
        assertThat(process.workerId()).isZero();
        Mark reserved = stage.store.mark(1);
        process.wire.hold(Kind.ABANDON);
        stage.store.putMark(0, backup);

        stage.until("noticed", () -> process.ids().status().state() == SnowflakeStatus.State.SUSPENDED);

        assertThatThrownBy(process::issue).isInstanceOf(CoordinatorRegressedException.class);
        stage.sleep(Duration.ofSeconds(5));
        // A copy of this process may be issuing there.
        assertThat(stage.store.mark(1).limit()).isGreaterThanOrEqualTo(reserved.limit());
        assertThat(stage.store.mark(1).token()).isEqualTo(reserved.token());
        assertThat(stage.store.owner(1)).isNull();
    }

    @Test
    void anUnreadableMarkEndsIds() {
        process.open();
        int id = process.workerId();

        stage.store.putMark(id, "spoilt");
        stage.until("noticed", () -> process.ids().status().state() == SnowflakeStatus.State.SUSPENDED);

        assertThatThrownBy(process::issue)
                .isInstanceOf(CoordinatorRegressedException.class)
                .hasMessageContaining("shows for worker id " + id + " the mark 'spoilt'");
    }

    /** What an extension is answered shows by itself that data was lost. A read would show it too, in the same step of the keeper. */
    @Nested
    class LostDataThoughNoReadIsAnswered {

        private int worker;

        @BeforeEach
        void refuseReads() {
            process.open();
            stage.sleep(Duration.ofMinutes(1));
            worker = process.workerId();
            process.wire.throwInsteadOf(Kind.READ, 1_000, new CoordinatorException("no read", false));
        }

        private void requireRegression(String message) {
            stage.until("noticed", () -> process.ids().status().state() == SnowflakeStatus.State.SUSPENDED);

            assertThatThrownBy(process::issue)
                    .isInstanceOf(CoordinatorRegressedException.class)
                    .hasMessageContaining(message);
        }

        @Test
        void aRestoredMarkEndsIds() {
            String backup = mark(worker);
            stage.sleep(Duration.ofMinutes(1));

            stage.store.putMark(worker, backup);

            requireRegression("shows for worker id " + worker + " the mark '" + backup + "'");
        }

        @Test
        void aLostMarkEndsIds() {
            stage.store.marks.clear();

            requireRegression("lost the mark of worker id " + worker);
        }
    }

    /** A clock that was wrong by an hour and believed, since no other clock contradicted it. */
    @Nested
    class PoisonedClock {

        private void openAndBelieveAWrongClock() {
            // It leaves one at each step, since a copy of it may be running.
            stage.keys.put("snowflake.worker-ids", "0-3");
            stage.store.tellsTime = false;
            process.open();
            process.machine.stepClock(Duration.ofHours(1));
            stage.sleep(Duration.ofSeconds(30));
            assertThat(process.issue().timestamp())
                    .isAfter(stage.world.trueTime().plus(Duration.ofMinutes(59)));
            process.machine.restoreClock();
            stage.sleep(Duration.ofSeconds(30));
        }

        @Test
        void isNotCarriedToAnotherWorkerId() {
            openAndBelieveAWrongClock();
            int id = process.workerId();
            Mark mine = stage.store.mark(id);
            Mark successors = Mark.next(
                    RecordLine.NONE,
                    mine.limit() + 1000,
                    "another",
                    0,
                    mine.limit(),
                    stage.world.trueTime(),
                    SnowflakeLayout.STANDARD,
                    1);
            stage.store.putMark(id, successors.value());
            Map<Integer, Stored> marks = Map.copyOf(stage.store.marks);
            assertThat(marks).as("one worker id is as good as new").hasSizeLessThan(4);

            stage.sleep(Duration.ofSeconds(60));

            assertThat(stage.store.marks).isEqualTo(marks);
        }

        @Test
        void isFollowedByNoGrantUntilTheRightClockGetsThere() {
            openAndBelieveAWrongClock();
            int id = process.workerId();
            long limit = stage.store.mark(id).limit();

            stage.sleep(Duration.ofMinutes(2));

            assertThat(stage.store.mark(id).limit()).isEqualTo(limit);
            assertThat(process.ids().status().lastError()).isPresent();
        }
    }

    @Test
    void aContradictedClockIsNotBelievedForComingSomewhatNearer() {
        process.open();
        process.machine.stepClock(Duration.ofSeconds(10));
        assertThat(secondsAheadAfterAWhile()).isEqualTo(10);
        process.machine.stepClock(Duration.ofSeconds(11));
        assertThat(secondsAheadAfterAWhile()).isEqualTo(10);

        process.machine.stepClock(Duration.ofSeconds(-2));

        assertThat(secondsAheadAfterAWhile()).isEqualTo(10);
        assertThat(process.ids().status().clockWarning()).isPresent();
        process.machine.restoreClock();
        assertThat(secondsAheadAfterAWhile()).isZero();
        assertThat(process.ids().status().clockWarning()).isEmpty();
    }

    @Test
    void aClockThatCameBackIsBelievedAtOnceWhereNoOtherClockContradictsIt() {
        stage.keys.put("snowflake.window", "PT6S");
        stage.store.tellsTime = false;
        process.open();
        process.machine.stepClock(Duration.ofSeconds(20));
        stage.sleep(Duration.ofSeconds(3));
        assertThat(process.ids().status().clockWarning()).isPresent();

        process.machine.stepClock(Duration.ofSeconds(-17));

        stage.sleep(Duration.ofSeconds(3));
        assertThat(process.ids().status().clockWarning()).isEmpty();
        assertThat(process.issue().timestamp()).isAfter(stage.world.trueTime().plusSeconds(2));
    }

    private long secondsAheadAfterAWhile() {
        stage.sleep(Duration.ofSeconds(60));
        return Math.round(
                Duration.between(stage.world.trueTime(), process.issue().timestamp())
                                .toMillis()
                        / 1e3);
    }

    /** A process that was resumed from its memory image, while another may have been resumed from the same. */
    @Nested
    class ResumedImage {

        private void resume() {
            // Time has passed that this process did not see. A coordinator that told the time would show that none has.
            stage.store.tellsTime = false;
            process.wire.hold(Kind.EXTEND);
            process.machine.stepClock(Duration.ofSeconds(11));
            Request write = process.wire.next();
            process.machine.restoreClock();
            process.wire.release(Kind.EXTEND);
            write.answer(write.arrive());
            stage.sleep(Duration.ofMillis(10));
        }

        @Test
        void givesBackNothingOfTheWindowThatItShares() {
            process.open();
            resume();
            long limit = stage.store.mark(0).limit();

            process.close();

            assertThat(stage.store.mark(0).limit()).isEqualTo(limit);
        }

        @Test
        void goesOnUnderAnotherWorkerIdAndGivesBackNothingOfTheFormer() {
            stage.keys.put("snowflake.worker-ids", "0-1");
            process.open();
            int shared = process.workerId();

            resume();
            stage.until("another worker id", () -> process.workerId() != shared);

            stage.sleep(Duration.ofMillis(10));
            assertThat(stage.store.mark(shared).token()).startsWith("free-");
            assertThat(SnowflakeLayout.STANDARD.instantOf(
                            stage.store.mark(shared).limit()))
                    .isAfter(stage.world.trueTime().plusSeconds(8));
            process.issue();
        }
    }

    /** With 33 bits of milliseconds, of which 20 seconds are left. */
    @Nested
    class EndOfTheTimestamps {

        private final SnowflakeLayout layout =
                new SnowflakeLayout(stage.world.trueTime().plusSeconds(20).minusMillis((1L << 33) - 1), 10, 20);

        private void shortenTimestamps() {
            stage.keys.put("snowflake.epoch", layout.epoch().toString());
            stage.keys.put("snowflake.sequence-bits", "20");
        }

        @Test
        void isTheEndOfIds() {
            shortenTimestamps();
            process.open();
            Instant last = null;
            for (int i = 0; i < 195; i++) {
                last = process.issue().timestamp();
                stage.sleep(Duration.ofMillis(100));
            }
            assertThat(last).isAfter(layout.exhaustedAt().minusSeconds(1));

            stage.sleep(Duration.ofSeconds(1));

            assertThatThrownBy(process::issue)
                    .isInstanceOf(SnowflakeUnavailableException.class)
                    .hasMessageContaining(layout.exhaustedAt().toString());
            assertThat(stage.store.mark(0).limit()).isEqualTo((1L << 33) - 1);
        }

        @Test
        void isTheEndOfAClaimToo() {
            shortenTimestamps();
            Actor crashed = stage.process();
            crashed.open();
            stage.sleep(Duration.ofSeconds(5));
            crashed.crash();
            stage.store.owners.clear();

            process.open();

            assertThat(stage.store.mark(0).limit()).isEqualTo((1L << 33) - 1);
            assertThat(process.issueAtTheEnd().timestamp())
                    .isEqualTo(layout.exhaustedAt().minusMillis(1));
        }
    }

    @Test
    void oneWrongClockAmongThePeersIsOutvoted() {
        stage.keys.put("snowflake.worker-ids", "0-3");
        stage.store.tellsTime = false;
        Actor[] peers = {stage.process(), stage.process(), stage.process()};
        for (Actor peer : peers) {
            peer.open();
        }
        int id = peers[1].workerId();
        RecordLine wrong =
                stage.store.mark(id).pairs().with("at", stage.world.trueTime().plus(Duration.ofHours(1)));
        stage.store.putMark(id, wrong.toString());
        Instant before = stage.world.trueTime();

        process.open();

        assertThat(Duration.between(before, stage.world.trueTime())).isLessThan(Duration.ofSeconds(1));
        process.issue();
    }

    @Test
    void aStartReadsAllWorkerIdsOnlyWithoutTheTimeAndWithFewPeers() {
        stage.keys.put("snowflake.worker-ids", "0-59");
        stage.process().open();
        int withTime = slotsReadByAStart();
        stage.store.tellsTime = false;
        int withoutTime = slotsReadByAStart();
        IntStream.range(0, 37).forEach(i -> stage.process().open());
        int amongPeers = slotsReadByAStart();

        assertThat(withoutTime - withTime).isEqualTo(60);
        assertThat(amongPeers).isEqualTo(withTime);
    }

    private int slotsReadByAStart() {
        int before = stage.store.slotsRead;
        stage.process().open();
        return stage.store.slotsRead - before;
    }
}
