// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.Wire.Kind;
import org.snowflakeid.Wire.Request;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.RecordLine;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;

/**
 * The shortest schedules by which the protocol without one of its rules issues a duplicate, as TLC found them, step by step with
 * the real core. The name of the model's configuration stands above each test; numbers are the states of its trace.
 */
class ModelCounterexamplesTest {

    private final Stage stage = new Stage();
    private final Actor p1 = stage.process();
    private final Actor p2 = stage.process();

    @AfterEach
    void assertSafe() {
        stage.assertSafe();
    }

    private long limit() {
        return stage.store.mark(0).limit();
    }

    private String mark() {
        return stage.store.marks.get(0).value();
    }

    private void expireOwner() {
        stage.store.owners.clear();
    }

    // bad_ownerguard_blindput
    @Test
    void lateExtensionBehindANewerOneLowersNothing() {
        p1.open(); // 2-4
        p1.wire.hold(Kind.EXTEND);
        Request late = p1.wire.next(); // 5
        late.lose(); // 6
        Request again = p1.wire.next(); // 7: where the model sends another, core repeats itself
        assertThat(again.value).isEqualTo(late.value);
        again.answer(again.arrive()); // 8, 9
        Request newer = p1.wire.next();
        newer.answer(newer.arrive());
        stage.until("granted", () -> p1.ids()
                .status()
                .reservedUntil()
                .orElseThrow()
                .equals(SnowflakeLayout.STANDARD.instantOf(limit())));
        String standing = mark();

        assertThat(late.arrive()).isInstanceOf(CasResult.Rejected.class); // 10
        assertThat(mark()).isEqualTo(standing);

        p1.issueAtTheEnd(); // 11
        expireOwner(); // 12
        p2.open(); // 13-15
        p2.issue(); // 16
    }

    // bad_valuecas_aba
    @Test
    void lateClaimFindsAnotherMarkThoughItsLimitIsTheSameAgain() {
        // This makes the second claim end at the same limit.
        p1.holdClock(stage.world.trueTime());
        p2.wire.hold(Kind.CLAIM);
        p1.wire.hold(Kind.CLAIM);
        p1.startOpening();
        Request first = p1.wire.next(); // 2
        p2.startOpening();
        Request late = p2.wire.next(); // 3
        first.answer(first.arrive()); // 4, 5
        p1.awaitOpen();
        long claimed = limit();
        p1.wire.hold(Kind.RELEASE);
        p1.startClosing();
        Request trim = p1.wire.next(); // 6, 7: sent once, delivered twice
        trim.lose(); // 8
        p1.awaitClosed();
        assertThat(trim.arrive()).isInstanceOf(CasResult.Applied.class); // 9
        assertThat(limit()).isZero();
        p1.wire.release(Kind.CLAIM);
        p1.open(); // 10-12
        p1.holdClock(null);
        assertThat(limit()).isEqualTo(claimed);
        String standing = mark();

        assertThat(trim.arrive()).isInstanceOf(CasResult.Rejected.class); // 13
        expireOwner();
        assertThat(late.arrive()).isInstanceOf(CasResult.Rejected.class); // 14
        assertThat(mark()).isEqualTo(standing);

        p2.wire.release(Kind.CLAIM);
        late.lose(); // 15
        p2.awaitOpen();
        p1.issueAtTheEnd(); // 16
        p2.issue(); // 17
    }

    // bad_trim_noseal
    @Test
    void nothingIsIssuedOnceTheTrimIsSent() {
        p1.open(); // 2-4
        Actor.Call begun = p1.startCallStoppedAtClock(stage.world.trueTime());
        p1.wire.hold(Kind.RELEASE);
        p1.startClosing();
        Request trim = p1.wire.next(); // 5
        assertThat(trim.arrive()).isInstanceOf(CasResult.Applied.class); // 6
        assertThat(limit()).isZero();
        p2.open(); // 7-9

        begun.goOn(); // 10, in a call that began before
        assertThat(begun.awaitFailure()).hasMessageContaining("closed");
        assertThatThrownBy(p1::issue).hasMessageContaining("closed"); // 10, in one that begins now
        p2.issue(); // 11
    }

    // bad_trim_nofloor
    @Test
    void aProcessThatIssuedNothingGivesBackNoTickOfItsPredecessors() {
        p1.open(); // 2-4
        p1.issue(); // 5
        long granted = limit();
        p1.crash(); // 6
        expireOwner(); // 7
        Actor again = stage.process();
        again.open(); // 8-10
        again.close(); // 11, 12

        assertThat(limit()).isEqualTo(granted);

        p2.open(); // 13-15
        p2.issue(); // 16
    }

    // bad_readopt
    @Test
    void restartedProcessDoesNotResumeItsFormerGrant() {
        p1.open(); // 2-4
        p1.issue(); // 5
        Instant end = SnowflakeLayout.STANDARD.instantOf(limit());
        p1.crash(); // 6
        expireOwner();

        // The same host and process id, as in a container.
        Actor again = stage.process();
        again.open(); // 7

        assertThat(again.issue().timestamp()).isAfterOrEqualTo(end); // 8
    }

    // bad_readopt, with a claim whose outcome its sender never learned
    @Test
    void restartedProcessDoesNotAdoptAClaimItsPredecessorSent() {
        p1.wire.hold(Kind.CLAIM);
        p1.startOpening();
        Request claim = p1.wire.next();
        p1.crash();
        Actor again = stage.process();
        again.wire.hold(Kind.CLAIM);
        again.startOpening();
        Request own = again.wire.next();
        assertThat(claim.arrive()).isInstanceOf(CasResult.Applied.class);
        Instant end = SnowflakeLayout.STANDARD.instantOf(limit());

        again.wire.release(Kind.CLAIM);
        own.answer(own.arrive());
        again.awaitOpen();

        assertThat(again.issue().timestamp()).isAfterOrEqualTo(end);
    }

    /** A memory image restored twice: the test writes what the copy would write. */
    @Nested
    class Copies {

        /** Time has passed that the copies did not see. A coordinator that told the time would show that none has. */
        @BeforeEach
        void coordinatorTellsNoTime() {
            stage.store.tellsTime = false;
        }

        /** The bytes of another copy that noticed the jump too. */
        private void copyExtends() {
            Mark shared = stage.store.mark(0);
            Mark copys = Mark.next(
                    shared.pairs(),
                    shared.limit() + 12_000,
                    "token-of-the-copy",
                    shared.count() + 1,
                    shared.from(),
                    stage.world.trueTime(),
                    SnowflakeLayout.STANDARD,
                    1);
            stage.store.putMark(0, copys.value());
        }

        // bad_clone: 2-5; steps 6 and 7, before either copy noticed, are assumption A2
        @Test
        void theCopyThatComesSecondStops() {
            p1.open();
            p1.wire.hold(Kind.EXTEND);
            p1.machine.stepClock(Duration.ofSeconds(11));
            Request write = p1.wire.next();
            copyExtends();

            write.answer(write.arrive());
            stage.sleep(Duration.ofMillis(1));

            assertThatThrownBy(p1::issue).isInstanceOf(CoordinatorRegressedException.class);
        }

        // bad_clone
        @Test
        void theCopyThatComesFirstLeavesTheTicksTheyShare() {
            p1.open();
            Instant shared = SnowflakeLayout.STANDARD.instantOf(limit());
            p1.wire.hold(Kind.EXTEND);
            Request write = beforeItsExtensionIsDue();
            String random = Mark.parse(stage.store.marks.get(0)).pairs().text("random");
            assertThat(RecordLine.parse(write.value).text("random")).isNotEqualTo(random);
            p1.machine.restoreClock();

            write.answer(write.arrive());
            stage.sleep(Duration.ofMillis(5));

            assertThat(p1.issue().timestamp()).isAfterOrEqualTo(shared);
        }

        // copied_unmarked
        @Test
        void theCopyThatComesFirstLowersNoMarkEvenIfItsClockIsPastTheTicksTheyShare() {
            p1.open();
            long shared = limit();
            p1.machine.stepClock(Duration.ofSeconds(11));
            stage.until("extended", () -> limit() > shared);
            long extended = limit();

            p1.ids().close();

            assertThat(limit()).isEqualTo(extended);
        }

        // copied_next_kept
        @Test
        void whatWasReservedAheadWhenTheImageWasTakenIsNeitherUsedNorGivenBack() {
            stage.keys.put("snowflake.worker-ids", "0-1");
            p1.open();
            int other = 1 - p1.workerId();
            Mark own = stage.store.mark(p1.workerId());
            stage.store.putMark(p1.workerId(), foreign(own.limit()));
            stage.store.putMark(other, foreign(own.limit() - 2000));
            stage.until("reserved ahead", () -> stage.store.owner(other) != null);
            Mark reserved = stage.store.mark(other);

            p1.machine.stepClock(Duration.ofSeconds(11));
            stage.sleep(Duration.ofSeconds(9));

            assertThat(stage.store.mark(other).from()).isGreaterThanOrEqualTo(reserved.limit());
        }

        private String foreign(long limit) {
            return Mark.next(
                            RecordLine.NONE,
                            limit,
                            "another",
                            0,
                            limit,
                            stage.world.trueTime(),
                            SnowflakeLayout.STANDARD,
                            1)
                    .value();
        }

        private Request beforeItsExtensionIsDue() {
            p1.machine.stepClock(Duration.ofSeconds(11));
            return p1.wire.next();
        }

        // bad_clone, with a write under way when the image was taken
        @Test
        void bytesDrawnBeforeTheImageWasTakenGrantNothing() {
            p1.open();
            p1.wire.hold(Kind.EXTEND);
            Request shared = p1.wire.next();
            p1.wire.release(Kind.EXTEND);
            p1.machine.stepClock(Duration.ofSeconds(11));
            shared.lose();
            // The copy sends it too.
            assertThat(shared.arrive()).isInstanceOf(CasResult.Applied.class);
            Instant end = SnowflakeLayout.STANDARD.instantOf(limit());
            stage.sleep(Duration.ofSeconds(1));

            assertThat(p1.issue().timestamp()).isAfterOrEqualTo(end);
        }

        // the same in a window that is far from used up
        @Test
        void aProcessThatMayHaveWonByBytesDrawnBeforeTheImageWasTakenIssuesNothingBelowThem() {
            stage.keys.put("snowflake.window", "PT60S");
            stage.keys.put("snowflake.startup-timeout", "PT90S");
            p1.open();
            stage.sleep(Duration.ofMinutes(2));
            p1.wire.hold(Kind.EXTEND);
            Request shared = p1.wire.next();
            p1.wire.release(Kind.EXTEND);
            p1.machine.stepClock(Duration.ofSeconds(11));
            assertThat(limit()).isGreaterThan(SnowflakeLayout.STANDARD.tickOf(p1.machine.wallMillis()) + 20_000);
            shared.lose();
            assertThat(shared.arrive()).isInstanceOf(CasResult.Applied.class);
            Instant end = SnowflakeLayout.STANDARD.instantOf(limit());
            stage.sleep(Duration.ofSeconds(1));

            assertThat(p1.issue().timestamp()).isAfterOrEqualTo(end);
        }

        // the same, won by the copy: it has gone on by a write of its own
        @Test
        void aProcessThatFindsThatTheCopyWentOnFromBytesDrawnBeforeTheImageWasTakenStops() {
            p1.open();
            p1.wire.hold(Kind.EXTEND);
            Request shared = p1.wire.next();
            p1.wire.release(Kind.EXTEND);
            p1.machine.stepClock(Duration.ofSeconds(11));
            shared.lose();
            assertThat(shared.arrive()).isInstanceOf(CasResult.Applied.class);
            copyExtends();
            stage.sleep(Duration.ofSeconds(1));

            assertThatThrownBy(p1::issue).isInstanceOf(CoordinatorRegressedException.class);
        }
    }

    @Nested
    class LostCoordinator {

        private void wipe() {
            stage.store.marks.clear();
            stage.store.owners.clear();
            stage.store.putMeta(null);
        }

        /** Goes on until both have sent their claims, and the first has issued under its own. */
        private Request secondClaimIsLate() {
            p1.wire.hold(Kind.CLAIM);
            p2.wire.hold(Kind.CLAIM);
            p1.startOpening();
            Request first = p1.wire.next(); // 2
            p2.startOpening();
            Request late = p2.wire.next(); // 3
            first.answer(first.arrive()); // 4, 5
            p1.awaitOpen();
            p1.issue(); // 6
            return late;
        }

        // bad_wipe
        @Test
        void claimSentBeforeAWipeClaimsNothingAfterIt() {
            Request late = secondClaimIsLate();
            wipe(); // 7

            CasResult result = late.arrive(); // 8

            assertThat(result).isInstanceOf(CasResult.Rejected.class);
            assertThat(stage.store.marks).isEmpty();
            late.answer(result); // 9
            assertThat(p2.awaitRefusal()).isInstanceOf(CoordinatorRegressedException.class); // 10
            stage.sleep(Duration.ofSeconds(5));
            assertThatThrownBy(p1::issue).isInstanceOf(CoordinatorRegressedException.class);
        }

        // w_q_nometa: the namespace is created again with a fence
        @Test
        void claimSentBeforeAWipeClaimsNothingInTheNamespaceCreatedAfterIt() {
            Request late = secondClaimIsLate();
            wipe(); // 7
            stage.keys.put("snowflake.namespace-creation", "create-fenced");
            Actor creator = stage.process();
            creator.wire.hold(Kind.CLAIM);
            creator.startOpening();
            stage.until("created", () -> stage.store.meta != null);

            CasResult result = late.arrive(); // 8

            assertThat(result).isInstanceOf(CasResult.Rejected.class);
            late.answer(result); // 9
            assertThat(p2.awaitRefusal()).isInstanceOf(CoordinatorRegressedException.class); // 10
            p1.issueAtTheEnd();
            Request claim = creator.wire.next();
            claim.answer(claim.arrive());
            creator.awaitOpen();
            assertThat(creator.issue().timestamp()).isAfter(stage.world.trueTime());
        }
    }

    @Nested
    class MovingHouse {

        private final FakeStore there = stage.elsewhere();
        private final Actor q = stage.process(there);
        private final Actor operator = stage.process();
        private final Wire operatorThere = new Wire(stage.world, there);

        private void startMoving() {
            operator.wire.hold(Kind.META);
            operatorThere.hold(Kind.META);
            operator.startMoving(operatorThere);
            Request reservation = operatorThere.next();
            reservation.answer(reservation.arrive());
        }

        private void retire() {
            Request retire = operator.wire.next();
            retire.answer(retire.arrive());
        }

        private void setFloorElsewhere() {
            Request floor = operatorThere.next();
            floor.answer(floor.arrive());
            Request note = operator.wire.next();
            note.answer(note.arrive());
            operator.awaitMoved();
        }

        // mv_noextmeta
        @Test
        void extensionAfterTheMoveIsRefused() {
            p1.wire.hold(Kind.CLAIM);
            p1.startOpening();
            Request claim = p1.wire.next(); // 2
            CasResult claimed = claim.arrive(); // 3
            startMoving();
            retire(); // 4
            setFloorElsewhere(); // 5
            long granted = limit();
            claim.answer(claimed); // 6
            p1.awaitOpen();
            p1.wire.hold(Kind.EXTEND);
            Request extension = p1.wire.next(); // 7

            CasResult result = extension.arrive(); // 8

            assertThat(result).isInstanceOf(CasResult.Rejected.class);
            extension.answer(result); // 9
            stage.sleep(Duration.ofMillis(1));
            p1.issueAtTheEnd(); // 10
            assertThat(limit()).isEqualTo(granted);
            q.open(); // 11-13
            assertThat(q.issue().timestamp()).isAfterOrEqualTo(SnowflakeLayout.STANDARD.instantOf(granted)); // 14
        }

        // mv_noretire: the operator retires before the marks are read; here a claim is under way meanwhile
        @Test
        void claimSentBeforeTheMoveClaimsNothingAfterIt() {
            p2.open();
            expireOwner();
            p1.wire.hold(Kind.CLAIM);
            p1.startOpening();
            Request claim = p1.wire.next(); // 3
            String standing = mark();
            startMoving();
            retire();
            setFloorElsewhere(); // 2

            CasResult result = claim.arrive(); // 4

            assertThat(result).isInstanceOf(CasResult.Rejected.class);
            assertThat(mark()).isEqualTo(standing);
            claim.answer(result); // 5
            assertThat(p1.awaitRefusal()).hasMessageContaining("retired"); // 6
            q.open(); // 7-9
            q.issue(); // 10
        }
    }

    /** Schedules that the model with re-own, stale reads and repeated delivery (Marks2) passes; here core has to. */
    @Nested
    class Deliveries {

        // m2_reown
        @Test
        void ownerEntryIsNotTakenBackFromASuccessor() {
            p1.open();
            p1.wire.hold(Kind.CLAIM);
            expireOwner();
            Request reown = p1.wire.next();
            p2.open();

            CasResult late = reown.arrive();

            assertThat(late).isInstanceOf(CasResult.Rejected.class);
            reown.answer(late);
            p1.issueAtTheEnd();
            p2.issue();
        }

        // m2_reown
        @Test
        void claimOverAMarkThatWasOwnedAgainIsRefused() {
            p1.open();
            expireOwner();
            p2.wire.hold(Kind.CLAIM);
            p2.startOpening();
            Request late = p2.wire.next();
            stage.until("owned again", () -> stage.store.owner(0) != null);
            String standing = mark();

            CasResult result = late.arrive();

            assertThat(result).isInstanceOf(CasResult.Rejected.class);
            assertThat(mark()).isEqualTo(standing);
            late.answer(result);
            p1.issueAtTheEnd();
            p1.crash();
            p2.wire.release(Kind.CLAIM);
            p2.awaitOpen();
            p2.issue();
        }

        private Snapshot freeAndMarked(@Nullable Stored mark) {
            return new Snapshot(stage.store.meta, List.of(new Slot(0, mark, null)), stage.world.trueTime());
        }

        // m2_stale
        @Test
        void staleReadLeadsToNoClaimOverANewerMark() {
            p1.open();
            Snapshot stale = freeAndMarked(stage.store.marks.get(0));
            stage.until("extended", () -> stage.store.mark(0).count() > 0);
            expireOwner();
            p2.wire.reads = now -> stale;
            p2.wire.hold(Kind.CLAIM);
            p2.startOpening();
            String standing = mark();

            CasResult result = p2.wire.next().arrive();

            assertThat(result).isInstanceOf(CasResult.Rejected.class);
            assertThat(mark()).isEqualTo(standing);
            p1.issueAtTheEnd();
        }

        // m2_stale
        @Test
        void claimThatAStaleReadDoesNotShowIsNotUsed() {
            p1.wire.hold(Kind.CLAIM);
            p1.startOpening();
            Request claim = p1.wire.next();
            Snapshot stale = freeAndMarked(null);
            p1.wire.reads = now -> stale;
            assertThat(claim.arrive()).isInstanceOf(CasResult.Applied.class);
            Instant unused = SnowflakeLayout.STANDARD.instantOf(limit());
            p1.wire.release(Kind.CLAIM);
            claim.lose();
            stage.until("abandoned", () -> stage.store.owner(0) == null);
            p1.wire.reads = now -> now;

            p1.awaitOpen();

            assertThat(p1.issue().timestamp()).isAfterOrEqualTo(unused);
        }

        // m2_dup
        @Test
        void extensionDeliveredTwiceExtendsOnce() {
            p1.open();
            p1.wire.hold(Kind.EXTEND);
            Request extension = p1.wire.next();
            CasResult applied = extension.arrive();

            assertThat(extension.arrive()).isInstanceOf(CasResult.Rejected.class);

            extension.answer(applied);
            stage.sleep(Duration.ofMillis(1));
            p1.issueAtTheEnd();
            expireOwner();
            p2.open();
            assertThat(extension.arrive()).isInstanceOf(CasResult.Rejected.class);
            p2.issue();
        }

        // m2_dup: what a client's silent retry looks like
        @Test
        void extensionWhoseRepetitionIsRejectedByItselfCounts() {
            p1.open();
            p1.wire.hold(Kind.EXTEND);
            Request extension = p1.wire.next();
            assertThat(extension.arrive()).isInstanceOf(CasResult.Applied.class);

            extension.answer(extension.arrive());
            stage.sleep(Duration.ofMillis(1));

            assertThat(p1.ids().status().reservedUntil()).contains(SnowflakeLayout.STANDARD.instantOf(limit()));
            p1.issueAtTheEnd();
        }

        // m2_freedup
        @Test
        void claimDeliveredAgainAfterItsReleaseClaimsNothing() {
            p1.open();
            p1.issue();
            p1.close();
            p2.wire.hold(Kind.CLAIM);
            p2.startOpening();
            Request claim = p2.wire.next();
            claim.answer(claim.arrive());
            p2.awaitOpen();
            long found = Mark.parse(stage.store.marks.get(0)).from();
            p2.close();
            assertThat(limit()).isLessThanOrEqualTo(found);
            String free = mark();

            assertThat(claim.arrive()).isInstanceOf(CasResult.Rejected.class);

            assertThat(mark()).isEqualTo(free);
            Actor p3 = stage.process();
            p3.open();
            p3.issue();
        }

        // m2_dup
        @Test
        void releaseDeliveredTwiceDoesNotTrimTheNextHolder() {
            p1.open();
            p1.issue();
            p1.wire.hold(Kind.RELEASE);
            p1.startClosing();
            Request release = p1.wire.next();
            release.answer(release.arrive());
            p1.awaitClosed();
            p2.open();
            String standing = mark();

            assertThat(release.arrive()).isInstanceOf(CasResult.Rejected.class);

            assertThat(mark()).isEqualTo(standing);
            assertThat(stage.store.owner(0)).isNotNull();
            p2.issueAtTheEnd();
        }
    }
}
