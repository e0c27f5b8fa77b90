// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.RecordLine;

/** Worker ids that are still reserved for a predecessor: their ids begin ahead of the clock, as startup-ahead allows. */
class StartAheadTest {

    private final Stage stage = Stage.ofDefaults(1);

    @AfterEach
    void assertSafe() {
        stage.assertSafe();
    }

    private void crashAfter(Duration running) {
        Actor predecessor = stage.process();
        predecessor.open();
        stage.sleep(running);
        predecessor.crash();
        stage.store.owners.clear();
    }

    /** Its ids begin 8 s ahead of the clock, 16 a millisecond. */
    private Actor openAheadOfTheClock() {
        stage.keys.put("snowflake.worker-ids", "0");
        stage.keys.put("snowflake.sequence-bits", "4");
        crashAfter(Duration.ofSeconds(2));
        stage.keys.put("snowflake.startup-ahead", "PT60S");
        Actor process = stage.process();
        process.open();
        assertThat(Duration.between(stage.world.trueTime(), process.issue().timestamp()))
                .isBetween(Duration.ofSeconds(7), Duration.ofSeconds(9));
        return process;
    }

    // "the clock is 8 s behind the last id", though no clock had moved, when it came to the first of them
    @Test
    void idsWithoutEndGoOnWhenTheClockComesToTheFirst() {
        Actor process = openAheadOfTheClock();
        Instant end = stage.world.trueTime().plusSeconds(30);

        while (stage.world.trueTime().isBefore(end)) {
            Instant asked = stage.world.trueTime();
            process.ids().nextIds(1600);
            assertThat(Duration.between(asked, stage.world.trueTime())).isLessThan(Duration.ofMillis(110));
        }

        process.issueFor(Duration.ofMinutes(2));
        assertThat(process.ids().status().drift()).isZero();
    }

    @Test
    void aStartWaitsForTheLastOfItsWorkerIdsIfIdsMayNotBeginAhead() {
        stage.keys.put("snowflake.worker-ids", "1");
        crashAfter(Duration.ofSeconds(2));
        stage.keys.putAll(Map.of("snowflake.worker-ids", "0-1", "snowflake.workers", "2"));
        Actor process = stage.process();

        process.open();

        Set<Integer> used = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            IdParts id = process.startCall().await();
            used.add(id.workerId());
            assertThat(id.timestamp()).isBeforeOrEqualTo(stage.world.trueTime());
        }
        assertThat(used).containsExactlyInAnyOrder(0, 1);
    }

    // callers of the worker id that began later waited for it, once the other had issued ids of ticks that only it has
    @Test
    void idsOfSeveralWorkerIdsBeginAtTheSameMillisecond() {
        for (int id = 0; id < 2; id++) {
            stage.keys.put("snowflake.worker-ids", String.valueOf(id));
            crashAfter(Duration.ofSeconds(2));
            stage.sleep(Duration.ofSeconds(4));
        }
        stage.keys.putAll(
                Map.of("snowflake.worker-ids", "0-1", "snowflake.workers", "2", "snowflake.startup-ahead", "PT60S"));
        long latest = Math.max(stage.store.mark(0).limit(), stage.store.mark(1).limit());
        assertThat(latest)
                .isGreaterThan(2_000
                        + Math.min(
                                stage.store.mark(0).limit(), stage.store.mark(1).limit()));
        Actor process = stage.process();
        process.open();

        Set<Integer> used = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            IdParts id = process.startCall().await();
            used.add(id.workerId());
            assertThat(SnowflakeLayout.STANDARD.tickOf(id.timestamp().toEpochMilli()))
                    .isBetween(latest, latest + 1_000);
        }
        assertThat(used).containsExactlyInAnyOrder(0, 1);
    }

    // after a swap the new one's ids would have begun at the clock, seconds below those of the other: no call may have
    // these
    @Test
    void aWorkerIdThatIsSwappedToMeanwhileGoesOnAsFarAhead() {
        for (int id = 0; id < 2; id++) {
            stage.keys.put("snowflake.worker-ids", String.valueOf(id));
            crashAfter(Duration.ofSeconds(2));
        }
        stage.keys.putAll(
                Map.of("snowflake.worker-ids", "0-2", "snowflake.workers", "2", "snowflake.startup-ahead", "PT60S"));
        takeOver(2, stage.store.mark(0), Duration.ofSeconds(40));
        Actor process = stage.process();
        process.open();
        assertThat(process.ids().status().workerIds()).containsExactlyInAnyOrder(0, 1);
        stage.store.marks.remove(2);
        takeOver(0, stage.store.mark(0), Duration.ofMinutes(1));
        stage.store.hintLoss();
        stage.within(
                Duration.ofSeconds(3),
                "swapped",
                () -> process.ids().status().workerIds().contains(2));

        Set<Integer> used = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            IdParts id = process.startCall().await();
            used.add(id.workerId());
            assertThat(id.timestamp()).isAfter(stage.world.trueTime().plusSeconds(1));
        }
        assertThat(used).containsExactlyInAnyOrder(1, 2);
    }

    /** By another process, for so long. */
    private void takeOver(int workerId, Mark from, Duration reserved) {
        Mark theirs = Mark.next(
                from.pairs(),
                from.limit() + reserved.toMillis(),
                "another",
                0,
                from.limit(),
                stage.world.trueTime(),
                SnowflakeLayout.STANDARD,
                1);
        stage.store.putMark(workerId, theirs.value());
    }

    // the same if the coordinator is away at that moment
    @Test
    void idsWithoutEndGoOnThoughTheCoordinatorIsAwayThen() {
        Actor process = openAheadOfTheClock();
        process.ids().nextIds(16 * 6_000);
        process.wire.cut = true;
        process.ids().nextIds(16 * 3_000);
        process.wire.cut = false;

        for (int i = 0; i < 20; i++) {
            process.ids().nextIds(16 * 1_000);
        }

        process.issueFor(Duration.ofMinutes(2));
    }

    // the lead ended when a wrong clock came to it, and calls failed once the clock was right again
    @Test
    void idsGoOnAfterAClockWasWrongForAMomentInAnOutage() {
        Actor process = openAheadOfTheClock();
        process.wire.cut = true;
        process.machine.stepClock(Duration.ofSeconds(40));
        Actor.Call unused = process.startCall();
        stage.sleep(Duration.ofSeconds(4));
        process.machine.stepClock(Duration.ofSeconds(-40));

        assertThat(process.issue().timestamp()).isAfter(stage.world.trueTime());
    }

    // the same at a hundred a second, where no call may wait for the clock
    @Test
    void fewIdsGoOnWhenTheClockComesToTheFirst() {
        stage.keys.put("snowflake.clock.on-rollback", "fail");
        Actor process = openAheadOfTheClock();

        for (int i = 0; i < 3_000; i++) {
            process.issue();
            // The keeper looks all the time.
            stage.store.hintLoss();
            stage.sleep(Duration.ofMillis(10));
        }

        assertThat(process.ids().status().drift()).isZero();
    }

    /** The predecessor's window is longer than that of the process which follows. */
    private void crashJustAfterAnExtensionOf(int workerId) {
        stage.keys.put("snowflake.worker-ids", String.valueOf(workerId));
        crashAfter(Duration.ofSeconds(124));
        stage.keys.put("snowflake.window", "PT12S");
    }

    private void assertThatTheClockIsNotReportedWrong(Actor process) {
        try (LogLines log = new LogLines()) {
            for (int i = 0; i < 120; i++) {
                assertThat(process.ids().status().lastError().orElse("")).doesNotContain("wrong");
                stage.sleep(Duration.ofSeconds(1));
            }
            assertThat(log.all()).noneSatisfy(line -> assertThat(line).contains("wrong"));
        }
    }

    // the status called the clock wrong because of what a predecessor had reserved
    @Test
    void theClockIsNotReportedWrongWhereIdsBeginAhead() {
        crashJustAfterAnExtensionOf(0);
        stage.keys.put("snowflake.startup-ahead", "PT60S");
        Actor process = stage.process();
        process.open();

        assertThatTheClockIsNotReportedWrong(process);

        process.issueFor(Duration.ofMinutes(1));
    }

    // nor may the status say so while a worker id is merely reserved for later
    @Test
    void theClockIsNotReportedWrongWhereAWorkerIdIsReservedForLater() {
        crashJustAfterAnExtensionOf(1);
        stage.keys.put("snowflake.worker-ids", "0-1");
        Actor process = stage.process();
        process.open();
        assertThat(process.workerId()).isZero();
        long limit = stage.store.mark(0).limit();
        // This lasts longer than the other worker id is reserved.
        Mark another = Mark.next(
                RecordLine.NONE,
                limit + 120_000,
                "another",
                0,
                limit,
                stage.world.trueTime(),
                SnowflakeLayout.STANDARD,
                1);
        stage.store.putMark(0, another.value());
        stage.store.owners.put(0, new FakeStore.Held("token=another", this, Long.MAX_VALUE));

        assertThatTheClockIsNotReportedWrong(process);

        assertThat(process.workerId()).isEqualTo(1);
        process.issueFor(Duration.ofMinutes(1));
    }
}
