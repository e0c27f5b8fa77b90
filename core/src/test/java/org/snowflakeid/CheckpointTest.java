// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.RecordLine;

/** A generator that is sealed before a checkpoint, and claims anew after a restore. */
class CheckpointTest {

    private final Stage stage = Stage.ofDefaults(1);
    private final Actor process = stage.process();
    private final List<SnowflakeEvent> events = new ArrayList<>();
    private final LogLines log = new LogLines();

    @AfterEach
    void assertSafe() {
        log.close();
        stage.assertSafe();
    }

    private static String processIn(String owner) {
        return RecordLine.parse(owner).entries().get("process");
    }

    private Actor opened() {
        process.listener = events::add;
        process.open();
        stage.sleep(Duration.ofSeconds(30));
        return process;
    }

    @Nested
    class BeforeACheckpoint {

        @Test
        void theWorkerIdIsGivenBackAndItsMarkIsTrimmed() {
            int workerId = opened().workerId();
            IdParts last = process.issue();

            process.ids().beforeCheckpoint();

            assertThat(stage.store.owners).isEmpty();
            Mark mark = stage.store.mark(workerId);
            assertThat(mark.token()).startsWith("free-");
            assertThat(SnowflakeLayout.STANDARD.instantOf(mark.limit()))
                    .isEqualTo(last.timestamp().plusMillis(1));
        }

        @ParameterizedTest
        @ValueSource(ints = {2, 16})
        void eachOfSeveralWorkerIdsIsGivenBack(int workers) {
            stage.keys.put("snowflake.workers", String.valueOf(workers));
            assertThat(opened().ids().status().workerIds()).hasSize(workers);

            process.ids().beforeCheckpoint();

            assertThat(stage.store.owners).isEmpty();
            process.ids().afterRestore();
            assertThat(process.ids().status().workerIds()).hasSize(workers);
            process.issueFor(Duration.ofMinutes(1));
        }

        @Test
        void theStatusSaysWhyThereAreNoIds() {
            opened().ids().beforeCheckpoint();

            SnowflakeStatus status = process.ids().status();
            assertThat(status.state()).isEqualTo(State.SUSPENDED);
            assertThat(status.ready()).isFalse();
            assertThat(status.workerIds()).isEmpty();
            assertThat(status.reservedUntil()).isEmpty();
            assertThat(status.lastError().orElseThrow()).startsWith("it was sealed for a checkpoint at ");
        }

        @Test
        void noThreadAndNoConnectionIsLeft() {
            stage.keys.put("snowflake.resume.directory", "/run/app");
            opened().ids().beforeCheckpoint();
            stage.sleep(Duration.ofSeconds(1));

            assertThat(process.threads).isEmpty();
            assertThat(process.wire.connections()).isZero();
            int applied = process.wire.applied();
            stage.sleep(Duration.ofMinutes(10));
            assertThat(process.wire.applied()).isEqualTo(applied);
            assertThat(process.threads).isEmpty();
        }

        @Test
        void noIdIsIssuedFromThenOnWhateverTheKeeperIsDoing() {
            opened();
            process.wire.hangs = true;
            stage.sleep(Duration.ofSeconds(25));
            process.issue();

            Thread unused =
                    process.machine.start("checkpoint", () -> process.ids().beforeCheckpoint());
            stage.sleep(Duration.ofMillis(1));
            Actor.Call call = process.startCall();
            stage.sleep(Duration.ofSeconds(1));

            assertThat(call.isOver()).isFalse();
            process.wire.hangs = false;
            stage.sleep(Duration.ofMinutes(1));
            assertThat(stage.store.owners).isEmpty();
            assertThat(call.awaitFailure()).hasMessageContaining("sealed for a checkpoint");
        }

        @Test
        void callsWaitAndThenFailSayingSo() {
            opened().ids().beforeCheckpoint();
            Instant asked = stage.world.trueTime();

            SnowflakeException failure = process.startCall().awaitFailure();

            assertThat(Duration.between(asked, stage.world.trueTime()))
                    .isBetween(Duration.ofSeconds(2), Duration.ofMillis(2_100));
            assertThat(failure)
                    .isInstanceOf(SnowflakeUnavailableException.class)
                    .hasMessageStartingWith(
                            "snowflake 'default': no id can be issued: it was sealed for a checkpoint at ");
        }

        @Test
        void aCallThatIsInterruptedFailsAndKeepsTheFlag() {
            opened().ids().beforeCheckpoint();
            Actor.Call call = process.startCall();
            stage.sleep(Duration.ofMillis(100));

            call.interrupt();

            assertThat(call.awaitFailure()).hasMessageContaining("interrupted");
        }

        @Test
        void noNoteIsLeftToAnotherProcess() {
            stage.keys.put("snowflake.resume.directory", "/run/app");
            int workerId = opened().workerId();
            assertThat(process.disk.has(workerId)).isTrue();

            process.ids().beforeCheckpoint();

            assertThat(process.disk.has(workerId)).isFalse();
        }

        @Test
        void whatFailedForGoodStaysSo() {
            int workerId = opened().workerId();
            stage.store.marks.remove(workerId);
            stage.until("stopped", () -> process.ids().status().state() == State.SUSPENDED);

            process.ids().beforeCheckpoint();
            process.ids().afterRestore();

            assertThat(process.wire.connections()).isZero();
            assertThatThrownBy(() -> process.ids().nextId()).isInstanceOf(CoordinatorRegressedException.class);
        }
    }

    @Nested
    class AfterARestore {

        @Test
        void thereAreIdsWhenItReturns() {
            opened().ids().beforeCheckpoint();
            stage.sleep(Duration.ofDays(1));

            process.ids().afterRestore();

            assertThat(process.ids().status().state()).isEqualTo(State.ACTIVE);
            assertThat(process.wire.connections()).isEqualTo(1);
            process.issueFor(Duration.ofMinutes(2));
        }

        @Test
        void aCallThatWaitedAllTheTimeGetsAnId() {
            opened().ids().beforeCheckpoint();
            Actor.Call call = process.startCall();
            stage.sleep(Duration.ofSeconds(1));
            process.machine.pause(Duration.ofDays(1));
            stage.sleep(Duration.ofDays(1));

            process.ids().afterRestore();

            assertThat(call.await()).isNotNull();
        }

        @Test
        void aBatchThatTheCheckpointEndsBeginsAnew() {
            stage.keys.put("snowflake.sequence-bits", "1");
            opened();
            List<Long> issued = new ArrayList<>();
            Thread unused = process.machine.start("batch", () -> {
                for (long id : process.ids().nextIds(2_000)) {
                    issued.add(id);
                }
            });
            stage.sleep(Duration.ofMillis(100));

            process.ids().beforeCheckpoint();
            stage.sleep(Duration.ofMillis(100));
            process.ids().afterRestore();
            stage.until("the batch", () -> issued.size() == 2_000);

            assertThat(issued).doesNotHaveDuplicates().isSorted();
            assertThat(process.ids().layout().decode(issued.get(0)).workerId()).isEqualTo(process.workerId());
        }

        // with one worker id and with several, all of which may differ after the restore
        @ParameterizedTest
        @ValueSource(ints = {1, 4})
        void idsGoOnAboveAllThatWereIssued(int workers) {
            stage.keys.put("snowflake.workers", String.valueOf(workers));
            stage.keys.put("snowflake.clock.on-rollback", "continue");
            stage.keys.put("snowflake.clock.max-ahead", "PT1H");
            stage.keys.put("snowflake.startup-ahead", "PT1H");
            opened();
            Instant last = Instant.MIN;
            for (int i = 0; i < 100; i++) {
                Instant issued = process.startCall().await().timestamp();
                last = issued.isAfter(last) ? issued : last;
            }

            process.ids().beforeCheckpoint();
            stage.store.tellsTime = false;
            process.machine.stepClock(Duration.ofSeconds(-50));
            process.ids().afterRestore();

            for (int i = 0; i < 10; i++) {
                assertThat(process.startCall().await().timestamp()).isAfter(last);
            }
        }

        // a claim that issued nothing had still begun above all ids issued before it
        @Test
        void idsGoOnAboveThoseOfLeasesThatWereLeftBefore() {
            stage.keys.put("snowflake.clock.on-rollback", "continue");
            stage.keys.put("snowflake.clock.max-ahead", "PT1H");
            stage.keys.put("snowflake.startup-ahead", "PT1H");
            stage.store.tellsTime = false;
            Instant last = opened().issue().timestamp();
            process.ids().beforeCheckpoint();
            process.ids().afterRestore();
            process.ids().beforeCheckpoint();

            process.machine.stepClock(Duration.ofSeconds(-50));
            process.ids().afterRestore();

            assertThat(process.issue().timestamp()).isAfter(last);
        }

        @ParameterizedTest
        @ValueSource(longs = {-86_400_000, -5_000, 5_000, 86_400_000})
        void clocksThatJumpedAreReadAnew(long millis) {
            stage.keys.put("snowflake.clock.on-rollback", "fail");
            opened().ids().beforeCheckpoint();
            // As on another machine, whose monotonic clock differs too.
            stage.store.tellsTime = false;
            process.machine.stepClock(Duration.ofMillis(Math.max(0, millis)));
            process.machine.stepNanos(millis * 7);

            process.ids().afterRestore();

            assertThat(process.ids().status().state()).isEqualTo(State.ACTIVE);
            assertThat(process.ids().status().clockWarning()).isEmpty();
            process.issueFor(Duration.ofMinutes(1));
            assertThat(log.all()).noneMatch(line -> line.contains("a copy of this process may be running"));
        }

        @Test
        void theProcessHasAnotherName() {
            int workerId = opened().workerId();
            String before = processIn(stage.store.owner(workerId));
            process.ids().beforeCheckpoint();

            process.ids().afterRestore();

            assertThat(processIn(stage.store.owner(process.workerId()))).isNotEqualTo(before);
            assertThat(process.isProcess(before)).isTrue();
        }

        @Test
        void whereTheCoordinatorIsDownItThrowsAsAStartDoesAndMayBeCalledAgain() {
            stage.keys.put("snowflake.window", "PT3S");
            stage.keys.putAll(Map.of("snowflake.window", "PT3S", "snowflake.startup-timeout", "PT5S"));
            opened().ids().beforeCheckpoint();
            stage.store.down = true;
            Instant begun = stage.world.trueTime();

            assertThatThrownBy(() -> process.ids().afterRestore())
                    .isInstanceOf(CoordinatorException.class)
                    .hasMessageContaining("no worker id within snowflake.startup-timeout=PT5S");

            assertThat(Duration.between(begun, stage.world.trueTime())).isLessThan(Duration.ofSeconds(10));
            Instant asked = stage.world.trueTime();
            assertThat(process.startCall().awaitFailure())
                    .hasMessageContaining("no worker id could be claimed after a restore");
            assertThat(Duration.between(asked, stage.world.trueTime())).isLessThan(Duration.ofMillis(100));
            assertThat(process.ids().status().state()).isEqualTo(State.SUSPENDED);

            stage.store.down = false;
            process.ids().afterRestore();
            process.issueFor(Duration.ofMinutes(1));
        }

        // a restore for which there was no thread counted as one whose call does not end: each later checkpoint was
        // refused
        @Test
        void whereNoThreadCanBeStartedItThrowsAndLaterCheckpointsAreNoneTheWorse() {
            opened().ids().beforeCheckpoint();
            process.beforeThread = name -> {
                throw new OutOfMemoryError("unable to create native thread");
            };
            assertThatThrownBy(() -> process.ids().afterRestore()).hasMessageContaining("no thread can be started");
            process.beforeThread = name -> {};
            process.ids().afterRestore();
            process.issueFor(Duration.ofMinutes(1));

            process.ids().beforeCheckpoint();

            assertThat(stage.store.owners).isEmpty();
            assertThat(process.wire.connections()).isZero();
            assertThat(process.threads).isEmpty();
        }

        @Test
        void countsGoOn() {
            opened();
            for (int i = 0; i < 100; i++) {
                process.issue();
            }
            long extensions = process.ids().counts().extensions();
            process.ids().beforeCheckpoint();
            assertThat(process.ids().counts().issued()).isEqualTo(100);
            assertThat(process.startCall().awaitFailure()).isNotNull();

            process.ids().afterRestore();
            process.issue();

            assertThat(process.ids().counts().issued()).isEqualTo(101);
            assertThat(process.ids().counts().extensions()).isGreaterThanOrEqualTo(extensions);
            assertThat(process.ids().counts().waited()).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
        }

        @Test
        void itIsAnEvent() {
            opened();
            process.ids().beforeCheckpoint();
            process.ids().afterRestore();
            stage.sleep(Duration.ofSeconds(1));

            assertThat(events)
                    .hasExactlyElementsOfTypes(
                            SnowflakeEvent.Claimed.class, SnowflakeEvent.Suspended.class, SnowflakeEvent.Resumed.class);
        }
    }

    /** The coordinator does not confirm that the worker ids were given back. */
    @Nested
    class Unreleased {

        @Test
        void theCheckpointIsRefusedInTimeAndTheGeneratorGoesOn() {
            opened();
            process.wire.cut = true;
            Instant begun = stage.world.trueTime();

            assertThatThrownBy(() -> process.ids().beforeCheckpoint())
                    .isInstanceOf(SnowflakeUnavailableException.class)
                    .hasMessageMatching(
                            "snowflake 'default': no checkpoint: fake did not confirm that the worker ids were"
                                    + " given back \\(worker id \\d+: no answer within PT2S\\). The generator goes on with other"
                                    + " worker ids. Try again when fake answers, or set snowflake.checkpoint.unreleased=allow: then"
                                    + " they stay taken until their windows have ended.");

            assertThat(Duration.between(begun, stage.world.trueTime())).isLessThan(Duration.ofSeconds(12));
            assertThat(process.startCall().awaitFailure())
                    .hasMessageContaining("no worker id could be claimed since a checkpoint was refused");
            assertThat(process.ids().status().state()).isEqualTo(State.SUSPENDED);
            // That is longer than a start may take.
            stage.sleep(Duration.ofMinutes(5));
            assertThat(log.all()).noneMatch(line -> line.contains("ids continue for 1"));
            process.wire.cut = false;
            stage.within(
                    Duration.ofSeconds(10),
                    "ids again",
                    () -> process.ids().status().state() == State.ACTIVE);
            process.issueFor(Duration.ofMinutes(2));
            process.ids().afterRestore();
            process.issue();
        }

        @Test
        void anAnswerThatIsLostIsNoConfirmation() {
            opened();
            process.wire.throwAfter(Kind.RELEASE, 9, new CoordinatorException("connection reset", false));

            assertThatThrownBy(() -> process.ids().beforeCheckpoint()).hasMessageContaining("connection reset");

            process.wire.heal();
            process.issueFor(Duration.ofMinutes(1));
        }

        @Test
        void aCallThatDoesNotEndIsNotWaitedForAndTouchesNothingLater() {
            opened();
            process.wire.hangs = true;
            Instant begun = stage.world.trueTime();

            assertThatThrownBy(() -> process.ids().beforeCheckpoint())
                    .hasMessageContaining("A call of the coordinator has not ended");

            assertThat(Duration.between(begun, stage.world.trueTime())).isLessThan(Duration.ofSeconds(15));
            process.wire.hangs = false;
            stage.within(
                    Duration.ofSeconds(10),
                    "ids again",
                    () -> process.ids().status().state() == State.ACTIVE);
            process.issueFor(Duration.ofMinutes(2));
            assertThat(process.wire.connections()).isEqualTo(1);
            assertThat(stage.store.owners).hasSize(1);
        }

        @Test
        void whereItIsAllowedIdsStaySealed() {
            stage.keys.put("snowflake.checkpoint.unreleased", "allow");
            int workerId = opened().workerId();
            process.wire.cut = true;

            process.ids().beforeCheckpoint();

            assertThat(stage.store.owners).containsKey(workerId);
            assertThat(process.ids().status().state()).isEqualTo(State.SUSPENDED);
            assertThat(process.startCall().awaitFailure()).hasMessageContaining("sealed for a checkpoint");
            assertThat(log.all()).anyMatch(line -> line.contains("allowed by snowflake.checkpoint.unreleased=allow"));
            process.wire.cut = false;
            process.ids().afterRestore();
            assertThat(process.workerId()).isNotEqualTo(workerId);
            process.issueFor(Duration.ofMinutes(2));
        }

        /** The keeper's call ends in each copy. Until then the checkpoint is allowed, with a thread in it. */
        private void imaged() {
            stage.keys.put("snowflake.checkpoint.unreleased", "allow");
            opened();
            process.wire.hangs = true;
            stage.sleep(Duration.ofSeconds(25));
            process.ids().beforeCheckpoint();
        }

        private int workerId() {
            return stage.store.owners.keySet().iterator().next();
        }

        /** As another copy does, which got an answer sooner. */
        private void giveBack(int workerId) {
            Mark mark = stage.store.mark(workerId);
            stage.store.owners.remove(workerId);
            stage.store.putMark(
                    workerId,
                    Mark.next(
                                    mark.pairs(),
                                    mark.limit() - 10_000,
                                    "free-another",
                                    0,
                                    mark.from(),
                                    stage.world.trueTime(),
                                    SnowflakeLayout.STANDARD,
                                    1)
                            .value());
        }

        // the reason was "java.lang.IllegalStateException: not joined"
        @Test
        void aNamespaceThatIsRetiredIsGivenAsTheReasonForNoIds() {
            opened();
            stage.store.putMeta(stage.store.meta.value().replace("state=active", "state=retired"));

            assertThatThrownBy(() -> process.ids().beforeCheckpoint()).hasMessageContaining("no checkpoint");
            stage.sleep(Duration.ofMinutes(1));

            assertThat(process.startCall().awaitFailure()).hasMessageContaining("was retired");
            assertThat(process.ids().status().lastError().orElseThrow()).contains("was retired");
            assertThat(log.all()).noneMatch(line -> line.contains("unexpected"));
        }

        // it was taken for lost data: afterRestore() did nothing, and each call failed for good
        @Test
        void aCopyThatIsShownWhatAnotherGaveBackClaimsAnew() {
            imaged();
            giveBack(workerId());
            process.wire.hangs = false;
            stage.sleep(Duration.ofSeconds(1));
            Actor.Call call = process.startCall();
            stage.sleep(Duration.ofSeconds(1));

            process.ids().afterRestore();

            call.await();
            process.issueFor(Duration.ofMinutes(2));
            assertThat(process.wire.connections()).isEqualTo(1);
            assertThat(log.all()).noneMatch(line -> line.contains("lost data"));
        }

        // it stopped for good, though a process that was started there had ids
        @Test
        void aNamespaceThatWasRestoredSinceTheImageWasMadeIsJoined() {
            imaged();
            String record = stage.store.meta.value();
            String id = RecordLine.parse(record).entries().get("id");
            stage.store.putMeta(record.replace("id=" + id, "id=another") + " replaces=" + id);
            process.wire.hangs = false;
            stage.sleep(Duration.ofSeconds(1));

            process.ids().afterRestore();

            process.issueFor(Duration.ofMinutes(2));
        }
    }

    /** A release may be the last call that can show it: what is claimed afterwards knows nothing of before. */
    @Nested
    class LostData {

        @ParameterizedTest
        @CsvSource({"wiped, refuse", "wiped, allow", "old, refuse", "old, allow"})
        void isFoundWhenTheWorkerIdIsGivenBack(String how, String unreleased) {
            stage.keys.put("snowflake.checkpoint.unreleased", unreleased);
            process.open();
            FakeStore.Backup backup = stage.store.backup();
            stage.sleep(Duration.ofSeconds(30));
            if (how.equals("wiped")) {
                stage.store.wipe();
            } else {
                stage.store.restore(backup);
            }

            process.ids().beforeCheckpoint();
            process.ids().afterRestore();

            assertThat(process.startCall().awaitFailure()).isInstanceOf(CoordinatorRegressedException.class);
            assertThat(process.ids().status().state()).isEqualTo(State.SUSPENDED);
            assertThat(process.ids().status().lastError().orElseThrow()).contains("lost data");
            assertThat(log.all()).anyMatch(line -> line.contains("Restore it"));
        }

        @Test
        void isFoundAfterACheckpointThatWasRefused() {
            opened();
            process.wire.cut = true;
            assertThatThrownBy(() -> process.ids().beforeCheckpoint()).hasMessageContaining("no checkpoint");
            stage.store.wipe();
            stage.process().open();

            process.wire.cut = false;
            stage.sleep(Duration.ofMinutes(1));

            assertThat(process.startCall().awaitFailure())
                    .isInstanceOf(CoordinatorRegressedException.class)
                    .hasMessageContaining("was replaced by another of the same name");
        }

        @ParameterizedTest
        @ValueSource(strings = {"old", "gone", "unreadable"})
        void ofItsMarksIsFoundAfterACheckpointThatWasRefused(String marks) {
            process.open();
            FakeStore.Backup backup = stage.store.backup();
            stage.sleep(Duration.ofMinutes(2));
            process.issue();
            int workerId = process.workerId();
            process.wire.cut = true;
            assertThatThrownBy(() -> process.ids().beforeCheckpoint()).hasMessageContaining("no checkpoint");
            switch (marks) {
                case "old" -> stage.store.restore(backup);
                case "gone" -> stage.store.marks.clear();
                default -> stage.store.putMark(workerId, "limit=");
            }

            process.wire.cut = false;
            stage.sleep(Duration.ofMinutes(1));

            assertThat(process.startCall().awaitFailure())
                    .isInstanceOf(CoordinatorRegressedException.class)
                    .hasMessageContaining("worker id " + workerId)
                    .hasMessageContaining("see \"The coordinator went back to old data\" in the runbook");
        }

        @Test
        void isFoundAfterTwoCheckpointsThatWereRefused() {
            process.open();
            FakeStore.Backup backup = stage.store.backup();
            stage.sleep(Duration.ofMinutes(2));
            process.issue();
            process.wire.cut = true;
            assertThatThrownBy(() -> process.ids().beforeCheckpoint()).hasMessageContaining("no checkpoint");
            process.wire.cut = false;
            process.wire.hangs = true;
            stage.sleep(Duration.ofMinutes(1));
            assertThatThrownBy(() -> process.ids().beforeCheckpoint()).hasMessageContaining("no checkpoint");
            stage.store.restore(backup);

            process.wire.hangs = false;
            stage.sleep(Duration.ofMinutes(1));

            assertThat(process.startCall().awaitFailure()).isInstanceOf(CoordinatorRegressedException.class);
        }

        @Test
        void isNotWhatAnotherProcessWroteAfterACheckpointThatWasRefused() {
            int workerId = opened().workerId();
            process.wire.cut = true;
            assertThatThrownBy(() -> process.ids().beforeCheckpoint()).hasMessageContaining("no checkpoint");
            stage.store.takeOver(workerId, 5);

            process.wire.cut = false;
            stage.sleep(Duration.ofMinutes(1));

            process.issueFor(Duration.ofMinutes(1));
        }

        @Test
        void isNoQuestionAfterARestore() {
            opened().ids().beforeCheckpoint();
            stage.store.wipe();

            process.ids().afterRestore();

            process.issueFor(Duration.ofMinutes(1));
        }
    }

    @Nested
    class CallsThatDoNotEnd {

        @Test
        void ofARestoreThatFailedRefuseTheNextCheckpoint() {
            stage.keys.putAll(Map.of("snowflake.window", "PT3S", "snowflake.startup-timeout", "PT5S"));
            opened().ids().beforeCheckpoint();
            process.wire.hangs = true;
            assertThatThrownBy(() -> process.ids().afterRestore()).isInstanceOf(CoordinatorException.class);

            assertThatThrownBy(() -> process.ids().beforeCheckpoint())
                    .isInstanceOf(SnowflakeUnavailableException.class)
                    .hasMessageContaining(
                            "no checkpoint: a call of fake has not ended, so a thread and a connection are left. Try again");

            process.wire.hangs = false;
            stage.sleep(Duration.ofSeconds(1));
            process.ids().beforeCheckpoint();
            assertThat(process.threads).isEmpty();
            assertThat(process.wire.connections()).isZero();
            int applied = process.wire.applied();
            stage.sleep(Duration.ofMinutes(1));
            assertThat(process.wire.applied()).isEqualTo(applied);
        }

        @Test
        void ofAGeneratorThatWasReplacedRefuseTheNextCheckpoint() {
            opened();
            process.wire.hangs = true;
            assertThatThrownBy(() -> process.ids().beforeCheckpoint()).hasMessageContaining("has not ended");

            assertThatThrownBy(() -> process.ids().beforeCheckpoint()).hasMessageContaining("no checkpoint");

            process.wire.hangs = false;
            stage.within(
                    Duration.ofSeconds(10),
                    "ids again",
                    () -> process.ids().status().state() == State.ACTIVE);
            process.ids().beforeCheckpoint();
            assertThat(process.threads).isEmpty();
            assertThat(process.wire.connections()).isZero();
        }

        @Test
        void leaveNothingOpenThatTheMachineGave() {
            stage.keys.putAll(Map.of("snowflake.window", "PT3S", "snowflake.startup-timeout", "PT5S"));
            opened().ids().beforeCheckpoint();
            process.wire.cut = true;
            assertThatThrownBy(() -> process.ids().afterRestore()).isInstanceOf(CoordinatorException.class);
            String drawn = process.process();

            process.ids().beforeCheckpoint();

            assertThat(process.process()).isNotEqualTo(drawn);
        }
    }

    @Nested
    class InAnyOrder {

        @Test
        void twiceIsOnce() {
            opened().ids().afterRestore();
            process.issue();
            process.ids().beforeCheckpoint();
            process.ids().beforeCheckpoint();

            process.ids().afterRestore();
            int claimed = process.workerId();
            process.ids().afterRestore();

            assertThat(process.workerId()).isEqualTo(claimed);
            assertThat(stage.store.owners).hasSize(1);
            process.issue();
        }

        @Test
        void severalThreadsTakeTurns() {
            opened();
            List<String> over = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                int number = i;
                Thread unused = process.machine.start("turn", () -> {
                    if (number % 2 == 0) {
                        process.ids().beforeCheckpoint();
                    } else {
                        process.ids().afterRestore();
                    }
                    over.add("one");
                });
            }
            stage.until("all", () -> over.size() == 8);
            process.ids().afterRestore();

            assertThat(process.wire.connections()).isEqualTo(1);
            assertThat(stage.store.owners).hasSize(1);
            process.issueFor(Duration.ofMinutes(1));
        }

        @Test
        void closeInBetweenIsTheEnd() {
            opened().ids().beforeCheckpoint();

            process.close();
            process.ids().afterRestore();
            process.ids().beforeCheckpoint();

            assertThat(process.ids().status().state()).isEqualTo(State.CLOSED);
            assertThat(process.wire.connections()).isZero();
            assertThatThrownBy(() -> process.ids().nextId()).hasMessageContaining("is closed");
        }

        @Test
        void closeWhileItClaimsAnewGivesBackWhatWasClaimed() {
            opened().ids().beforeCheckpoint();
            process.wire.latency = Duration.ofSeconds(1);
            Thread unused = process.machine.start("restore", () -> process.ids().afterRestore());
            stage.sleep(Duration.ofMillis(1_500));

            process.close();
            stage.sleep(Duration.ofSeconds(10));

            assertThat(stage.store.owners).isEmpty();
            assertThat(process.wire.connections()).isZero();
            assertThat(process.threads).isEmpty();
        }

        @Test
        void closeEndsARestoreThatTriesInVain() {
            opened().ids().beforeCheckpoint();
            stage.store.down = true;
            List<String> over = new ArrayList<>();
            Thread unused = process.machine.start("restore", () -> {
                process.ids().afterRestore();
                over.add("one");
            });
            stage.sleep(Duration.ofSeconds(5));

            process.close();
            stage.sleep(Duration.ofSeconds(5));

            assertThat(over).hasSize(1);
            assertThat(process.threads).isEmpty();
        }

        @Test
        void closeEndsACallThatWaits() {
            opened().ids().beforeCheckpoint();
            Actor.Call call = process.startCall();
            stage.sleep(Duration.ofMillis(500));

            process.close();

            assertThat(call.awaitFailure()).hasMessageContaining("is closed");
        }
    }
}
