// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.Wire.Kind;
import org.snowflakeid.Wire.Request;
import org.snowflakeid.spi.CasResult;

/**
 * The shortest schedules by which other ways to hand out worker ids issue a duplicate, as TLC found them, with the real core in
 * their place. The name of the model's configuration stands above each test; numbers are the states of its trace.
 */
class PeerCounterexamplesTest {

    private final Stage stage = new Stage();
    private final Actor a = stage.process();
    private final Actor b = stage.process();

    @AfterEach
    void assertSafe() {
        stage.assertSafe();
    }

    private Instant limit() {
        return SnowflakeLayout.STANDARD.instantOf(stage.store.mark(0).limit());
    }

    private void awaitOwnersEnd() {
        stage.until("the owner's end", () -> stage.store.owner(0) == null);
    }

    // lease_watch_perfectclock
    @Test
    void leaseThatEndedUnnoticedEndsNoGrant() {
        a.open(); // 2
        a.wire.cut = true;
        stage.sleep(Duration.ofSeconds(9)); // 3, 4
        stage.store.owners.clear(); // 5
        a.issue(); // 6
        b.open(); // 7

        IdParts ofB = b.issue(); // 8

        IdParts ofA = a.issueAtTheEnd();
        assertThat(ofB.timestamp()).isAfter(ofA.timestamp());
        assertThatThrownBy(() -> a.issueAt(ofB.timestamp())).isInstanceOf(SnowflakeUnavailableException.class);
    }

    // lease_deadline_jump
    @Test
    void clockThatStepsBackAfterTheClaimGetsNoTickBelowIt() {
        stage.keys.put("snowflake.startup-ahead", "PT0S");
        a.open(); // 2
        stage.sleep(Duration.ofSeconds(1)); // 3
        IdParts ofA = a.issue(); // 4
        a.wire.cut = true;
        awaitOwnersEnd(); // 5, 6
        b.open(); // 7

        IdParts ofB = b.issueAt(ofA.timestamp()); // 8, 9

        assertThat(ofB.timestamp()).isAfter(ofA.timestamp());
    }

    // leaf_restart_rollback
    @Test
    void restartWithAClockSetBackBeginsAboveTheMark() {
        stage.keys.put("snowflake.startup-ahead", "PT0S");
        a.open();
        IdParts before = a.issue(); // 2
        stage.sleep(Duration.ofSeconds(2)); // 3, 4
        a.crash(); // 5
        stage.store.owners.clear();
        Instant limit = limit();
        Actor restarted = stage.process();
        restarted.setClock(before.timestamp()); // 6
        restarted.open(); // 7

        IdParts after = restarted.issue(); // 8

        assertThat(after.timestamp()).isAfterOrEqualTo(limit);
    }

    // leaf_localfile: nothing is cached, so that a start without the coordinator gets no worker id
    @Test
    void restartWithoutTheCoordinatorIssuesNothing() {
        a.open();
        IdParts before = a.issue(); // 2
        stage.sleep(Duration.ofSeconds(1)); // 3
        a.crash(); // 4
        stage.sleep(Duration.ofSeconds(3)); // 5-7
        Actor restarted = stage.process();
        restarted.wire.cut = true;
        restarted.setClock(before.timestamp()); // 8
        restarted.startOpening(); // 9

        assertThat(restarted.awaitRefusal()).hasMessageContaining("no worker id within"); // 10
    }

    // leaf_init_race
    @Test
    void twoThatBothFindAnEmptyCoordinatorGetWorkerIdsApart() {
        stage.keys.put("snowflake.worker-ids", "0-1");
        a.wire.hold(Kind.META);
        b.wire.hold(Kind.META);
        a.startOpening();
        Request ofA = a.wire.next(); // 2
        b.startOpening();
        Request ofB = b.wire.next(); // 3
        ofA.answer(ofA.arrive()); // 4
        a.awaitOpen();
        a.issue(); // 5
        CasResult second = ofB.arrive();
        assertThat(second).isInstanceOf(CasResult.Rejected.class);
        ofB.answer(second); // 6
        b.awaitOpen();

        b.issue(); // 7

        assertThat(b.workerId()).isNotEqualTo(a.workerId());
    }

    // leaf_init_race, one step on: both claim a worker id that no process ever had
    @Test
    void twoThatBothFindAWorkerIdUnusedDoNotBothGetIt() {
        a.wire.hold(Kind.CLAIM);
        b.wire.hold(Kind.CLAIM);
        a.startOpening();
        Request ofA = a.wire.next();
        b.startOpening();
        Request ofB = b.wire.next();
        ofA.answer(ofA.arrive());
        a.awaitOpen();
        a.issue();

        CasResult second = ofB.arrive();

        assertThat(second).isInstanceOf(CasResult.Rejected.class);
        ofB.answer(second);
        b.wire.release(Kind.CLAIM);
        stage.sleep(Duration.ofSeconds(5));
        assertThat(b.isOpen()).isFalse();
        a.issueAtTheEnd();
        a.close();
        b.awaitOpen();
        b.issue();
    }

    // redis_mod
    @Test
    void moreProcessesThanWorkerIdsShareNone() {
        stage.keys.put("snowflake.worker-ids", "0-1");
        a.open(); // 2
        b.open(); // 3
        Actor c = stage.process();
        c.startOpening(); // 4
        stage.sleep(Duration.ofSeconds(1)); // 5

        assertThat(a.issue().workerId()).isNotEqualTo(b.issue().workerId()); // 6, 7

        assertThat(c.awaitRefusal()).isInstanceOf(NoFreeWorkerIdException.class);
    }

    // cosid_partition
    @Test
    void partitionedHolderIsFollowedAboveItsLimitOnly() {
        stage.keys.put("snowflake.startup-ahead", "PT0S");
        a.open(); // 2
        a.wire.cut = true;
        b.startOpening();
        stage.sleep(Duration.between(stage.world.trueTime(), limit().minusMillis(2))); // 3, 4
        a.issueAtTheEnd(); // 5
        b.awaitOpen(); // 6

        IdParts ofB = b.issue(); // 7

        assertThatThrownBy(() -> a.issueAt(ofB.timestamp())).isInstanceOf(SnowflakeException.class);
    }

    // cosid_localfile
    @Test
    void restartAfterItsWorkerIdWentToAnotherGetsItNotBack() {
        a.open(); // 2
        stage.sleep(Duration.ofSeconds(1)); // 3
        a.crash(); // 4
        awaitOwnersEnd(); // 5
        Actor restarted = stage.process();
        restarted.open(); // 6
        restarted.issue(); // 7
        b.startOpening(); // 8
        stage.sleep(Duration.ofSeconds(5));
        assertThat(b.isOpen()).isFalse();
        restarted.wire.cut = true;
        b.awaitOpen();

        b.issue(); // 9

        assertThatThrownBy(restarted::issue).isInstanceOf(SnowflakeException.class);
    }

    // cosid_skew
    @Test
    void holderWhoseClockStepsBackLooksNotAbandoned() {
        a.open(); // 2
        IdParts ofA = a.issue(); // 3
        Instant limit = limit();
        a.machine.stepClock(Duration.ofSeconds(-9)); // 4
        stage.until("extended", () -> stage.store.mark(0).count() > 0); // 5
        assertThat(limit()).isAfterOrEqualTo(limit);
        b.startOpening(); // 6
        stage.sleep(Duration.ofSeconds(3));
        assertThat(b.isOpen()).isFalse();
        a.wire.cut = true;
        b.awaitOpen();

        IdParts ofB = b.issueAt(ofA.timestamp()); // 7

        assertThat(ofB.timestamp()).isAfterOrEqualTo(limit);
        a.issueAtTheEnd();
    }
}
