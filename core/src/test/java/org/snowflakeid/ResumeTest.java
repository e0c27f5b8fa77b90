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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.Wire.Kind;
import org.snowflakeid.Wire.Request;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.UnresolvedValueException;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.RecordLine;
import org.snowflakeid.spi.CasResult;

/** {@code snowflake.resume.directory}: a process takes over from one before it on its host while the coordinator is down. */
class ResumeTest {

    private final Stage stage = Stage.ofDefaults(1);
    private final Actor before = stage.process();
    private final Actor after = stage.processOnHostOf(before);
    private final SimulatedDisk disk = before.disk;

    @BeforeEach
    void set() {
        stage.keys.putAll(Map.of(
                "snowflake.resume.directory", "/resume",
                "snowflake.worker-ids", "0-1",
                "snowflake.window", "PT60S"));
    }

    @AfterEach
    void assertSafe() {
        stage.assertSafe();
    }

    /** A process that has been running for a while is killed, and the coordinator is gone. */
    private int killAndCut() {
        before.open();
        before.issueFor(Duration.ofSeconds(30));
        int workerId = before.workerId();
        stage.store.down = true;
        before.crash();
        return workerId;
    }

    private void awaitExtension(Actor process) {
        Instant reserved = process.ids().status().reservedUntil().orElseThrow();
        stage.until(
                "extended",
                () -> process.ids().status().reservedUntil().orElseThrow().isAfter(reserved));
    }

    private String error(Actor process) {
        return process.ids().status().lastError().orElse("");
    }

    @Nested
    class WhileTheCoordinatorIsDown {

        @Test
        void aProcessGoesOnWithTheWorkerIdOfTheOneBefore() {
            int workerId = killAndCut();
            Instant until = disk.note(workerId)
                    .meta()
                    .layout()
                    .instantOf(disk.note(workerId).hi());
            try (LogLines log = new LogLines()) {
                Instant began = stage.world.trueTime();

                after.open();

                assertThat(Duration.between(began, stage.world.trueTime())).isLessThan(Duration.ofSeconds(10));
                assertThat(after.workerId()).isEqualTo(workerId);
                after.issueFor(Duration.ofSeconds(10));
                assertThat(after.ids().status().state()).isEqualTo(State.ACTIVE);
                assertThat(after.ids().status().reservedUntil()).contains(until);
                assertThat(error(after))
                        .contains("worker id " + workerId)
                        .contains("taken over from a process before this one")
                        .contains(until.toString());
                assertThat(log.all())
                        .anyMatch(line -> line.contains("took worker id " + workerId + " over")
                                && line.contains(until.toString()));
            }
        }

        // the process believed the clock that the coordinator had just contradicted, and dated ids by it
        @Test
        void aProcessWhoseClockTheCoordinatorContradictsTakesNothingOver() {
            int unused = killAndCut();
            stage.store.down = false;
            after.machine.stepClock(Duration.ofSeconds(30));
            after.startOpening();
            stage.sleep(Duration.ofSeconds(2));
            stage.store.down = true;
            stage.sleep(Duration.ofSeconds(10));

            assertThat(after.isDecided()).isFalse();
        }

        @Test
        void idsEndWithTheGrantAndAProcessThatComesTooLateStartsNotAtAll() {
            int workerId = killAndCut();
            after.open();
            Instant until = after.ids().status().reservedUntil().orElseThrow();

            assertThatThrownBy(() -> after.issueFor(Duration.ofMinutes(2)))
                    .isInstanceOf(SnowflakeUnavailableException.class)
                    .hasMessageContaining("worker id " + workerId);
            assertThat(stage.world.trueTime()).isAfterOrEqualTo(until);
            assertThat(after.ids().status().state()).isEqualTo(State.SUSPENDED);

            after.crash();
            Actor late = stage.processOnHostOf(before);
            try (LogLines log = new LogLines()) {
                late.startOpening();
                assertThat(late.awaitRefusal()).isInstanceOf(CoordinatorException.class);
                assertThat(log.all())
                        .anyMatch(line -> line.contains("is not taken over: what it was granted ended at " + until));
            }
        }

        @Test
        void onAnotherHostNothingCanBeTakenOver() {
            int unused = killAndCut();
            Actor elsewhere = stage.process();
            elsewhere.startOpening();

            assertThat(elsewhere.awaitRefusal()).isInstanceOf(CoordinatorException.class);
        }

        @Test
        void itsSuccessorsTakeOverOneAfterTheOther() {
            int workerId = killAndCut();
            for (int i = 0; i < 3; i++) {
                Actor next = stage.processOnHostOf(before);
                next.open();
                assertThat(next.workerId()).isEqualTo(workerId);
                next.issue();
                next.crash();
            }
        }

        @Test
        void aProcessThatWasClosedLeavesItsFileToTheNext() {
            before.open();
            before.issueFor(Duration.ofSeconds(30));
            int workerId = before.workerId();
            stage.store.down = true;

            before.close();

            assertThat(disk.has(workerId)).isTrue();
            after.open();
            assertThat(after.workerId()).isEqualTo(workerId);
            after.issue();
        }

        @Test
        void twoProcessesTakeOverFromTwo() {
            Actor other = stage.processOnHostOf(before);
            before.open();
            other.open();
            before.issueFor(Duration.ofSeconds(30));
            other.issue();
            stage.store.down = true;
            before.crash();
            other.crash();
            Actor third = stage.processOnHostOf(before);

            after.startOpening();
            third.startOpening();
            after.awaitOpen();
            third.awaitOpen();

            assertThat(after.workerId()).isNotEqualTo(third.workerId());
            after.issue();
            third.issue();
        }

        @Test
        void severalWorkerIdsOfOneGeneratorAreTakenOverTogether() {
            stage.keys.put("snowflake.workers", "2");
            int unused = killAndCut();

            after.open();

            assertThat(after.ids().status().workerIds()).containsExactlyInAnyOrder(0, 1);
            after.issueFor(Duration.ofSeconds(5));
            stage.store.down = false;
            awaitExtension(after);
            stage.until("well", () -> error(after).isEmpty());
            after.issue();
        }

        @Test
        void fewerWorkerIdsThanAGeneratorNeedsAreLeft() {
            int workerId = killAndCut();
            stage.keys.put("snowflake.workers", "2");
            after.startOpening();
            assertThat(after.awaitRefusal()).isInstanceOf(CoordinatorException.class);

            assertThat(disk.has(workerId)).isTrue();
        }

        @Test
        void aBurstMayRunAheadOfTheClockAfterwards() {
            stage.keys.put("snowflake.burst", "PT10S");
            int unused = killAndCut();
            after.open();

            for (int i = 0; i < 4; i++) {
                long[] ids = after.ids().nextIds(1_000_000);
                assertThat(ids).isSorted();
            }
        }

        @Test
        void aStepOfTheClockKeepsIdsBackUntilItCanBeVetted() {
            int unused = killAndCut();
            after.open();
            after.issue();
            after.machine.stepClock(Duration.ofSeconds(5));

            assertThatThrownBy(after::issue).isInstanceOf(SnowflakeUnavailableException.class);

            stage.store.down = false;
            stage.until("vetted", () -> error(after).isEmpty());
            after.issue();
        }
    }

    @Nested
    class WhenTheCoordinatorIsBack {

        @Test
        void theGrantIsExtendedAndItsOwnerEntryIsReplaced() {
            int workerId = killAndCut();
            after.open();
            Mark noted = disk.note(workerId).mark();
            assertThat(stage.store.marks.get(workerId).value()).isEqualTo(noted.value());

            stage.store.down = false;
            awaitExtension(after);
            after.issueFor(Duration.ofMinutes(3));

            assertThat(after.workerId()).isEqualTo(workerId);
            assertThat(error(after)).isEmpty();
            Mark mark = stage.store.mark(workerId);
            assertThat(mark.token()).isEqualTo(noted.token());
            assertThat(mark.from()).isEqualTo(noted.from());
            assertThat(stage.store.owner(workerId)).contains("process=" + after.machine.process());
        }

        @Test
        void theOwnerEntryIsHadAgainAtOnceThoughThatOfTheProcessBeforeHasNotExpired() {
            before.open();
            before.issueFor(Duration.ofSeconds(30));
            int workerId = before.workerId();
            stage.store.down = true;
            before.crash();
            after.open();
            assertThat(stage.store.owner(workerId)).contains("process=" + before.machine.process());

            stage.store.down = false;
            stage.within(Duration.ofSeconds(20), "owned", () -> String.valueOf(stage.store.owner(workerId))
                    .contains("process=" + after.machine.process()));

            assertThat(after.workerId()).isEqualTo(workerId);
        }

        @Test
        void aStrangersOwnerEntryIsLeftAndAnotherWorkerIdIsClaimed() {
            int workerId = killAndCut();
            after.open();
            stage.store.owners.put(
                    workerId, new FakeStore.Held("token=another process=another", "holder", Long.MAX_VALUE));

            stage.store.down = false;
            stage.until("another worker id", () -> after.workerId() != workerId);

            after.issue();
            assertThat(stage.store.owner(workerId)).contains("token=another");
        }

        @Test
        void aTakeoverOfWhatComesAfterIsLawful() {
            int workerId = killAndCut();
            after.open();
            Mark noted = disk.note(workerId).mark();
            stage.store.owners.clear();
            stage.store.putMark(
                    workerId,
                    Mark.next(
                                    RecordLine.NONE,
                                    noted.limit() + 60_000,
                                    "another",
                                    0,
                                    noted.limit(),
                                    stage.world.trueTime(),
                                    SnowflakeLayout.STANDARD,
                                    1)
                            .value());

            stage.store.down = false;
            after.issueFor(Duration.ofSeconds(10));

            stage.until("another worker id", () -> after.workerId() != workerId);
            after.issue();
        }

        @Test
        void aMarkThatWasLostOrLoweredEndsAllIdsAndTheFile() {
            int workerId = killAndCut();
            after.open();
            Mark noted = disk.note(workerId).mark();
            stage.store.putMark(
                    workerId, noted.pairs().with("limit", noted.limit() - 1).toString());

            stage.store.down = false;
            stage.until("stopped", () -> after.ids().status().state() == State.SUSPENDED);

            assertThatThrownBy(after::issue).isInstanceOf(CoordinatorRegressedException.class);
            assertThat(disk.has(workerId)).isFalse();
        }

        @Test
        void anotherNamespaceOfTheNameEndsAllIds() {
            int workerId = killAndCut();
            after.open();
            stage.store.putMeta(RecordLine.parse(stage.store.meta.value())
                    .with("id", "another")
                    .toString());

            stage.store.down = false;
            stage.until("stopped", () -> after.ids().status().state() == State.SUSPENDED);

            assertThatThrownBy(after::issue).isInstanceOf(CoordinatorRegressedException.class);
            assertThat(disk.has(workerId)).isFalse();
        }

        @Test
        void aNamespaceThatWasRetiredExtendsNothing() {
            int workerId = killAndCut();
            after.open();
            Instant until = after.ids().status().reservedUntil().orElseThrow();
            stage.store.putMeta(RecordLine.parse(stage.store.meta.value())
                    .with("state", "retired")
                    .toString());
            String mark = stage.store.marks.get(workerId).value();

            stage.store.down = false;
            stage.until("said", () -> error(after).contains("was retired"));

            after.issue();
            stage.until("over", () -> after.ids().status().state() == State.SUSPENDED);
            assertThat(stage.world.trueTime()).isAfterOrEqualTo(until);
            assertThat(stage.store.marks.get(workerId).value()).isEqualTo(mark);
        }

        // the coordinator's clock was compared from then on only, and seemed to show that no time had been missed
        @Test
        void aCopyThatWasMadeInTheOutageIssuesNothingWhereTheNamespaceIsRetired() {
            stage.keys.putAll(Map.of("snowflake.window", "PT10M", "snowflake.startup-timeout", "PT20M"));
            before.open();
            stage.sleep(Duration.ofMinutes(20));
            stage.store.down = true;
            before.crash();
            after.open();
            after.issue();
            Duration missed = Duration.ofMinutes(1);
            after.machine.stepClock(missed);
            stage.store.timeAhead = missed;
            stage.store.putMeta(RecordLine.parse(stage.store.meta.value())
                    .with("state", "retired")
                    .toString());

            stage.store.down = false;
            stage.until("said", () -> error(after).contains("was retired"));
            stage.sleep(Duration.ofMinutes(4));

            assertThat(after.startCall().awaitFailure()).hasMessageContaining("no write can show");
        }

        @Test
        void aClockThatItContradictsRaisesNoMark() {
            stage.keys.put("snowflake.clock.max-skew", "PT1S");
            int workerId = killAndCut();
            after.machine.stepClock(Duration.ofSeconds(15));
            after.open();
            String mark = stage.store.marks.get(workerId).value();

            stage.store.down = false;
            stage.until("said", () -> error(after).contains("The system clock says"));
            stage.sleep(Duration.ofSeconds(10));

            assertThat(stage.store.marks.get(workerId).value()).isEqualTo(mark);
        }

        @Test
        void aWiderWindowIsConfiguredMeanwhile() {
            int unused = killAndCut();
            stage.keys.putAll(Map.of("snowflake.window", "PT2M", "snowflake.startup-timeout", "PT3M"));
            after.open();

            stage.store.down = false;
            awaitExtension(after);

            assertThat(stage.store.meta.value()).contains("max-window=PT2M");
        }
    }

    @Nested
    class AWriteOfTheProcessBefore {

        private int workerId;
        private Request extension;

        @BeforeEach
        void isOnItsWayWhenTheProcessIsKilled() {
            before.open();
            before.issueFor(Duration.ofSeconds(15));
            workerId = before.workerId();
            before.wire.hold(Kind.EXTEND);
            extension = before.wire.next();
            stage.store.down = true;
            before.crash();
            after.open();
            after.issue();
        }

        @Test
        void arrivesBeforeTheNextAsksAndIsNotTakenForALoss() {
            stage.store.down = false;
            // This runs before any other thread of the process.
            after.wire.cut = true;
            assertThat(extension.arrive()).isInstanceOf(CasResult.Applied.class);
            after.wire.cut = false;

            after.issueFor(Duration.ofSeconds(5));
            stage.until("another worker id", () -> after.workerId() != workerId);
            after.issue();
        }

        @Test
        void arrivesBeforeTheNextExtendsAndIsNotTakenForALoss() {
            after.wire.hold(Kind.EXTEND);
            stage.store.down = false;
            Request own = after.wire.next();
            assertThat(extension.arrive()).isInstanceOf(CasResult.Applied.class);
            own.answer(own.arrive());
            after.wire.release(Kind.EXTEND);

            after.issueFor(Duration.ofSeconds(5));
            stage.until("another worker id", () -> after.workerId() != workerId);
            after.issue();
        }

        // a process took a copy of itself for its predecessor, for ever
        @Test
        void isNoneOnceTheNextHasExtended() {
            stage.store.down = false;
            awaitExtension(after);
            Mark ours = stage.store.mark(after.workerId());
            stage.store.putMark(
                    after.workerId(),
                    Mark.next(
                                    ours.pairs(),
                                    ours.limit() + 5_000,
                                    ours.token(),
                                    ours.count() + 1,
                                    ours.from(),
                                    stage.world.trueTime(),
                                    SnowflakeLayout.STANDARD,
                                    1)
                            .value());
            stage.sleep(Duration.ofSeconds(25));

            assertThatThrownBy(after::issue).isInstanceOf(CoordinatorRegressedException.class);
        }

        @Test
        void arrivesAfterTheNextExtendedAndChangesNothing() {
            stage.store.down = false;
            stage.until("owned", () -> String.valueOf(stage.store.owner(workerId))
                    .contains("process=" + after.machine.process()));
            String mark = stage.store.marks.get(workerId).value();

            assertThat(extension.arrive()).isInstanceOf(CasResult.Rejected.class);
            assertThat(stage.store.marks.get(workerId).value()).isEqualTo(mark);
            assertThat(after.workerId()).isEqualTo(workerId);
            after.issue();
        }
    }

    @Nested
    class TheDisk {

        @Test
        void isWrittenToAboutEveryTwoSeconds() {
            before.open();
            before.issueFor(Duration.ofSeconds(10));
            int writes = disk.writes;
            before.issueFor(Duration.ofMinutes(1));

            assertThat(disk.writes - writes).isBetween(25, 40);
        }

        @Test
        void isSlowAndIdsWaitForItAndGoOn() {
            before.open();
            before.issue();
            disk.stuck = true;
            Actor.Call call = before.startCallAfter(Duration.ofSeconds(5));
            stage.sleep(Duration.ofSeconds(6));
            assertThat(call.isOver()).isFalse();
            assertThat(before.ids().status().state()).isEqualTo(State.SUSPENDED);

            disk.stuck = false;

            IdParts unused = call.await();
            assertThat(before.ids().status().state()).isEqualTo(State.ACTIVE);
        }

        @Test
        void isStuckAndIdsStopWithTheReason() {
            List<SnowflakeEvent> events = new ArrayList<>();
            before.listener = events::add;
            before.open();
            before.issue();
            disk.stuck = true;
            LogLines log = new LogLines();
            stage.sleep(Duration.ofSeconds(5));

            assertThatThrownBy(before::issue)
                    .hasMessageContaining("what is noted for worker id")
                    .hasMessageContaining("the disk has not answered");
            assertThat(log.all())
                    .filteredOn(line -> line.contains("the disk has not answered"))
                    .hasSize(1);
            assertThat(events)
                    .filteredOn(SnowflakeEvent.Suspended.class::isInstance)
                    .allSatisfy(event -> assertThat(((SnowflakeEvent.Suspended) event).reason())
                            .contains("the disk has not answered"))
                    .isNotEmpty();
            disk.stuck = false;
            stage.sleep(Duration.ofMillis(10));
            before.issue();
            log.close();
        }

        @Test
        void isStuckInAWriteThatNoOtherMayOvertake() {
            before.open();
            before.issueFor(Duration.ofSeconds(12));
            disk.stuck = true;
            stage.sleep(Duration.ofSeconds(3));
            stage.store.down = true;
            before.close();

            after.startOpening();
            stage.sleep(Duration.ofSeconds(15));
            assertThat(after.isDecided()).isFalse();

            disk.stuck = false;
            after.awaitOpen();
            after.issue();
        }

        @Test
        void isFullAndIdsGoOnWithoutAFile() {
            before.open();
            before.issue();
            int workerId = before.workerId();
            try (LogLines log = new LogLines()) {
                disk.full = true;
                before.issueFor(Duration.ofMinutes(2));

                assertThat(disk.has(workerId)).isFalse();
                assertThat(error(before)).contains("can't be written").contains("no space left");
                assertThat(log.all().stream()
                                .filter(line -> line.contains("can't be written") && line.contains("Ids go on")))
                        .hasSize(1);
                disk.full = false;
                stage.until("written again", () -> disk.has(workerId));
                stage.until("well", () -> error(before).isEmpty());
                assertThat(log.all()).anyMatch(line -> line.contains("can be written again"));
            }
            before.issueFor(Duration.ofSeconds(70));
            stage.store.down = true;
            before.crash();
            after.open();
            after.issue();
        }

        @Test
        void isDeadAndIdsStopWhereTheFileSaysThatTheyDo() {
            before.open();
            before.issueFor(Duration.ofSeconds(30));
            int workerId = before.workerId();
            try (LogLines log = new LogLines()) {
                disk.full = true;
                disk.dead = true;

                assertThatThrownBy(() -> before.issueFor(Duration.ofMinutes(1)))
                        .isInstanceOf(SnowflakeUnavailableException.class)
                        .hasMessageContaining("nor ended");
                assertThat(before.ids().status().state()).isEqualTo(State.SUSPENDED);
                assertThat(log.all().stream().filter(line -> line.contains("Ids stop until they can")))
                        .hasSize(1);
            }
            // Whatever has become of the disk, the next process may go on.
            disk.full = false;
            disk.dead = false;
            stage.store.down = true;
            before.crash();
            after.open();
            assertThat(after.workerId()).isEqualTo(workerId);
            after.issue();
        }

        @Test
        void keepsTheFileOfAClosedProcessWhoseMarkIsNotLoweredThen() {
            before.open();
            before.issue();
            int workerId = before.workerId();
            String mark = stage.store.marks.get(workerId).value();
            disk.dead = true;

            before.close();

            assertThat(stage.store.marks.get(workerId).value()).isEqualTo(mark);
            disk.dead = false;
            stage.store.down = true;
            after.open();
            after.issue();
        }

        @Test
        void holdsNothingOfAWorkerIdThatWasGivenUp() {
            before.open();
            before.issue();
            int workerId = before.workerId();
            before.wire.cut = true;
            stage.sleep(Duration.ofSeconds(30));
            stage.store.takeOver(workerId, 60_000);
            before.wire.cut = false;

            stage.until("another worker id", () -> before.workerId() != workerId);

            assertThat(disk.has(workerId)).isFalse();
            assertThat(disk.has(before.workerId())).isTrue();
            before.issue();
        }

        // the file of the lost worker id stayed locked, as if by another process, and the process had none for its next
        // claim
        @Test
        void isThereAgainForAWorkerIdThatIsHadAgain() {
            stage.keys.put("snowflake.worker-ids", "0");
            before.open();
            before.issue();
            before.wire.cut = true;
            stage.sleep(Duration.ofSeconds(61));
            stage.store.owners.clear();
            Actor another = stage.process();
            another.open();
            another.issue();
            before.wire.cut = false;
            stage.sleep(Duration.ofSeconds(30));

            another.close();
            stage.until("had again", () -> String.valueOf(stage.store.owner(0))
                    .contains("process=" + before.machine.process()));
            stage.sleep(Duration.ofSeconds(5));

            assertThat(disk.has(0)).isTrue();
            assertThat(disk.note(0).mark().token())
                    .isEqualTo(stage.store.mark(0).token());
            before.issueFor(Duration.ofMinutes(1));
        }

        @Test
        void holdsTheNotesOfTheProcessThatClaimedTheWorkerIdLast() {
            stage.keys.put("snowflake.worker-ids", "0");
            before.open();
            before.issue();
            before.wire.cut = true;
            stage.sleep(Duration.ofSeconds(61));
            stage.store.owners.clear();

            after.open();

            long id = after.ids().nextId();
            assertThat(after.ids().layout().decode(id).workerId()).isZero();
            assertThat(disk.note(0).mark().token())
                    .isEqualTo(stage.store.mark(0).token());
        }
    }

    @Nested
    class AProcessThatWasAsleep {

        private int workerId;

        /** Only what it does later tells a suspended process from one that has ended. */
        @BeforeEach
        void isTakenForOneThatHasEnded() {
            before.open();
            before.issueFor(Duration.ofSeconds(30));
            workerId = before.workerId();
            stage.store.down = true;
            before.machine.pause(Duration.ofSeconds(20));
            after.open();
            assertThat(after.workerId()).isEqualTo(workerId);
            after.issueFor(Duration.ofSeconds(5));
        }

        @Test
        void issuesNothingThatTheNextMayIssueAndSaysWhy() {
            long limit = disk.note(workerId).hi();
            stage.sleep(Duration.ofSeconds(20));

            assertThatThrownBy(before::issue)
                    .isInstanceOf(SnowflakeUnavailableException.class)
                    .hasMessageContaining("were taken over by another process of this host");
            assertThat(before.ids().status().state()).isEqualTo(State.SUSPENDED);
            assertThat(disk.note(workerId).hi()).isEqualTo(limit);
            after.issueFor(Duration.ofSeconds(5));
        }

        // the log said for how long its window lasts
        @Test
        void doesNotSayThatItsIdsContinue() {
            after.crash();
            try (LogLines log = new LogLines()) {
                stage.sleep(Duration.ofSeconds(20));

                assertThat(log.all())
                        .anyMatch(line -> line.contains("what was reserved is used up, no ids: "))
                        .noneMatch(line -> line.contains("ids continue"));
            }
        }

        @Test
        void claimsAnotherWorkerIdAsSoonAsTheCoordinatorAnswers() {
            stage.sleep(Duration.ofSeconds(20));
            stage.store.down = false;

            stage.until("another worker id", () -> before.workerId() != workerId);
            before.issueFor(Duration.ofSeconds(5));
            stage.until("owned", () -> String.valueOf(stage.store.owner(workerId))
                    .contains("process=" + after.machine.process()));
            assertThat(after.workerId()).isEqualTo(workerId);
            after.issueFor(Duration.ofMinutes(2));
            before.issueFor(Duration.ofSeconds(5));
            assertThat(error(before)).isEmpty();
            assertThat(error(after)).isEmpty();
        }

        // the successor's mark looked as if the coordinator had lost data
        @Test
        void isNotAlarmedByWhatTheNextHasWritten() {
            before.machine.pause(Duration.ofMinutes(1));
            stage.store.down = false;
            awaitExtension(after);
            awaitExtension(after);

            stage.until("another worker id", () -> before.workerId() != workerId);
            before.issueFor(Duration.ofSeconds(5));
            after.issueFor(Duration.ofSeconds(5));
        }

        @Test
        void isNotAlarmedThoughTheNextHasEndedToo() {
            before.machine.pause(Duration.ofMinutes(1));
            stage.store.down = false;
            awaitExtension(after);
            after.close();
            assertThat(stage.store.mark(workerId).token()).startsWith("free-");
            stage.sleep(Duration.ofMinutes(2));

            before.issueFor(Duration.ofSeconds(5));
            assertThat(error(before)).isEmpty();
        }

        // what can't be looked up on a disk that hangs was taken for a loss of data
        @Test
        void isNotAlarmedByItWhileItsWriteIsStuck() {
            disk.stuck = true;
            stage.sleep(Duration.ofSeconds(20));
            before.machine.pause(Duration.ofMinutes(1));
            stage.store.down = false;
            awaitExtension(after);
            stage.sleep(Duration.ofMinutes(2));
            assertThatThrownBy(before::issue).isInstanceOf(SnowflakeUnavailableException.class);

            disk.stuck = false;

            stage.until(
                    "another worker id", () -> before.ids().status().workerId().orElse(workerId) != workerId);
            before.issueFor(Duration.ofSeconds(5));
            after.issueFor(Duration.ofSeconds(5));
        }

        @Test
        void givesNothingBackThatTheNextIssues() {
            stage.sleep(Duration.ofSeconds(20));
            String mark = stage.store.marks.get(workerId).value();

            before.close();

            assertThat(stage.store.marks.get(workerId).value()).isEqualTo(mark);
            after.issueFor(Duration.ofSeconds(5));
        }
    }

    @Nested
    class AFileIsLeft {

        private void assertLeft(String reason) {
            try (LogLines log = new LogLines()) {
                after.startOpening();
                assertThat(after.awaitRefusal()).isInstanceOf(CoordinatorException.class);
                assertThat(log.all().stream().filter(line -> line.contains("is not taken over: ")))
                        .singleElement()
                        .asString()
                        .contains(reason);
            }
        }

        @Test
        void ofAnotherLayout() {
            int unused = killAndCut();
            stage.keys.put("snowflake.epoch", "2021-01-01T00:00:00Z");

            assertLeft("it was written with epoch=2020-01-01T00:00:00Z");
        }

        private void setDatabase(Actor process, String url) {
            process.wire.keys =
                    List.of(Key.address("snowflake.fake.url", "a URL").meaning("Where the database is."));
            stage.keys.put("snowflake.fake.url", url);
        }

        // it was taken for that of the same one: ids repeated
        @Test
        void ofAnotherSchemaOfTheDatabase() {
            setDatabase(before, "jdbc:fake://db/ids?currentSchema=a");
            int unused = killAndCut();
            setDatabase(after, "jdbc:fake://db/ids?currentSchema=b");

            assertLeft("another coordinator");
        }

        // so was one of another of the places that a server keeps apart
        @Test
        void ofAnotherDatacenter() {
            before.wire.keys = after.wire.keys = List.of(
                    Key.address("snowflake.fake.url", "a URL").meaning("Where the agent is."),
                    Key.text("snowflake.fake.datacenter").place().meaning("Whose records."));
            stage.keys.put("snowflake.fake.url", "http://agent");
            stage.keys.put("snowflake.fake.datacenter", "dc1");
            int unused = killAndCut();
            stage.keys.put("snowflake.fake.datacenter", "dc2");

            assertLeft("another coordinator");
        }

        // so was one of another application, where its own database is used
        @Test
        void ofAnApplicationThatNothingTellsFromOthers() {
            setDatabase(before, "");

            before.startOpening();

            assertThat(before.awaitRefusal())
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining(
                            "snowflake.resume.directory=/resume holds files of one application, and nothing says of"
                                    + " which: none of snowflake.fake.url is set.")
                    .hasMessageContaining(
                            "Set snowflake.namespace too; where the application has one already, that is snowflake.");
            assertThat(before.wire.connections()).isZero();
            stage.keys.put("snowflake.namespace", "snowflake");
            before.open();
        }

        // with a schema alone, notes of another database were taken over
        @Test
        void ofAnApplicationWhoseDatabaseHasOnlyASchemaOfThatName() {
            before.wire.keys = List.of(
                    Key.address("snowflake.fake.url", "a URL").meaning("Where the database is."),
                    Key.text("snowflake.fake.datacenter").place().meaning("The schema."));
            stage.keys.put("snowflake.fake.datacenter", "ids");

            before.startOpening();

            assertThat(before.awaitRefusal())
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("nothing says of which: none of snowflake.fake.url is set.");
        }

        // the message said that none of them is set
        @Test
        void noneOfAnApplicationWhosePlaceRefersToNothing() {
            setDatabase(before, "");
            SnowflakeSettings settings = SnowflakeSettings.of("default", name -> {
                if (name.equals("snowflake.fake.url")) {
                    throw new UnresolvedValueException(name, "${DB}");
                }
                return stage.keys.get(name);
            });

            assertThatThrownBy(() -> LeasedSnowflake.open(settings, before.wire, before))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("snowflake.fake.url=${DB} refers to a property that is not set")
                    .hasMessageNotContaining("nothing says of which");
        }

        @Test
        void ofAnotherCoordinator() {
            int workerId = killAndCut();
            disk.edit(workerId, "place=fake", "place=etcd");

            assertLeft("another coordinator");
        }

        @Test
        void ofAnotherWorkerId() {
            int workerId = killAndCut();
            disk.edit(workerId, "worker-id=" + workerId, "worker-id=" + (1 - workerId));

            assertLeft("it is that of worker id " + (1 - workerId));
        }

        @Test
        void thatIsDamaged() {
            int workerId = killAndCut();
            disk.edit(workerId, "limit=", "limit=9");

            assertLeft("unreadable: lo=");
        }

        @Test
        void thatEndsBeforeItsOwnBeginning() {
            int workerId = killAndCut();
            disk.edit(workerId, "lo=", "lo=9");

            assertLeft("unreadable: lo=9");
        }

        @Test
        void whoseRestBeginsInAFarFuture() {
            int unused = killAndCut();
            after.machine.stepClock(Duration.ofMinutes(-5));

            assertLeft("may be running still, or the clock is behind");
        }

        @Test
        void ofAWorkerIdThatIsNotToBeUsedAnyMore() {
            int workerId = killAndCut();
            stage.keys.put("snowflake.worker-ids", String.valueOf(1 - workerId));
            after.startOpening();

            assertThat(after.awaitRefusal()).isInstanceOf(CoordinatorException.class);
        }
    }

    @Test
    void whereTheCoordinatorAnswersAnotherGrantIsClaimedAndNothingTakenOver() {
        before.open();
        before.issue();
        int workerId = before.workerId();
        before.crash();

        after.open();

        assertThat(after.workerId()).isNotEqualTo(workerId);
        assertThat(disk.note(workerId).mark().token())
                .isEqualTo(stage.store.mark(workerId).token());
    }

    @Test
    void aCopyLeavesNoFileThatSaysMoreThanItKnows() {
        stage.keys.put("snowflake.worker-ids", "0");
        stage.store.tellsTime = false;
        before.open();
        before.issue();
        before.machine.stepClock(Duration.ofSeconds(3));
        Actor.Call call = before.startCall();

        try (LogLines log = new LogLines()) {
            stage.until("left", () -> !disk.has(0));
            stage.sleep(Duration.ofSeconds(30));
            assertThat(log.all())
                    .filteredOn(
                            line -> line.contains("the notes of worker id 0 in snowflake.resume.directory were ended"))
                    .hasSize(1);
        }
        assertThat(call.isOver()).isTrue();
        assertThat(disk.has(0)).isFalse();
        long id = before.ids().nextId();
        assertThat(id).isPositive();
    }

    @Test
    void aCopysWriteEndsIdsThoughItCantBeToldFromASuccessors() {
        stage.keys.put("snowflake.wait-timeout", "PT0S");
        before.open();
        int workerId = before.workerId();
        stage.until("a new note", () -> ticksLeft(workerId) > 3_900);
        disk.stuck = true;
        extendTo(stage.store.mark(workerId).count() + 1, workerId);
        Mark ours = stage.store.mark(workerId);
        stage.store.putMark(
                workerId,
                ours.pairs().with("k", ours.count() + 1).with("random", "1").toString());
        stage.store.hintLoss();

        stage.sleep(Duration.ofMillis(2_500));

        assertThat(ticksLeft(workerId)).isPositive();
        assertThatThrownBy(before::issue).isInstanceOf(SnowflakeUnavailableException.class);
    }

    private void extendTo(long count, int workerId) {
        stage.store.hintLoss();
        stage.within(
                Duration.ofSeconds(1),
                "extended",
                () -> stage.store.mark(workerId).count() >= count);
    }

    /** So many are noted ahead of the clock. */
    private long ticksLeft(int workerId) {
        return disk.note(workerId).lo() - before.ids().layout().tickOf(before.machine.wallMillis());
    }

    @Test
    void aPermanentFailureIsNoReasonToTakeOver() {
        int unused = killAndCut();
        after.wire.throwInsteadOf(Kind.READ, Integer.MAX_VALUE, new CoordinatorException("wrong password", true));
        after.startOpening();

        assertThat(after.awaitRefusal()).hasMessageContaining("wrong password");
    }
}
