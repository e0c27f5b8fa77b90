// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.Wire.Kind;
import org.snowflakeid.Wire.Request;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.RecordLine;
import org.snowflakeid.spi.CasResult;

/**
 * A clock that steps a day ahead where the coordinator tells no time: only the marks of other processes count. A process that could vouch
 * for its own clock would always be right.
 */
class OwnClockWitnessTest {

    /** A worker id beside those that the process claims. */
    private static final int PEERS_ID = 99;

    private Stage stage = Stage.ofDefaults(1);

    /** Another process with a right clock extends every 20 s; its owner entry names another host. */
    private void peerWrites(long count) {
        Instant now = stage.world.trueTime();
        long tick = SnowflakeLayout.STANDARD.tickOf(now.toEpochMilli());
        Mark mark = Mark.next(RecordLine.NONE, tick + 60_000, "peer", count, tick, now, SnowflakeLayout.STANDARD, 1);
        stage.store.putMark(PEERS_ID, mark.value());
        String owner = "token=peer host=elsewhere pid=1 since=2026-03-01T09:00:00Z process=another";
        stage.store.owners.put(PEERS_ID, new FakeStore.Held(owner, this, Long.MAX_VALUE));
        stage.world.later(Duration.ofSeconds(20), () -> peerWrites(count + 1));
    }

    private Actor open(long seed, int workers, String... settings) {
        stage = Stage.ofDefaults(seed);
        stage.store.tellsTime = false;
        for (int i = 0; i < settings.length; i += 2) {
            stage.keys.put(settings[i], settings[i + 1]);
        }
        stage.keys.put("snowflake.workers", String.valueOf(workers));
        stage.keys.put("snowflake.worker-ids", "0-" + PEERS_ID);
        // There is no namespace yet, and so no peer: the process may claim the peer's worker id.
        Actor process = stage.process();
        process.open();
        while (process.ids().status().workerIds().contains(PEERS_ID)) {
            process.close();
            process.open();
        }
        peerWrites(0);
        stage.sleep(Duration.ofMinutes(2));
        return process;
    }

    private void assertNoMarkIsPoisoned() {
        for (int id : stage.store.marks.keySet()) {
            Instant until =
                    SnowflakeLayout.STANDARD.instantOf(stage.store.mark(id).limit());
            assertThat(until)
                    .as("worker id %s", id)
                    .isBefore(stage.world.trueTime().plusSeconds(75));
        }
    }

    // each worker id of a generator vouched for the clock of the other: marks a day ahead
    @ParameterizedTest
    @CsvSource({"1, 2", "2, 2", "3, 2", "4, 2", "5, 2", "6, 3", "7, 8", "8, 16"})
    void workerIdsOfOneGeneratorDoNotVouchForEachOther(long seed, int workers) {
        Actor process = open(seed, workers);

        process.machine.stepClock(Duration.ofDays(1));
        for (int i = 0; i < 60; i++) {
            stage.sleep(Duration.ofSeconds(5));
            assertNoMarkIsPoisoned();
            assertThat(process.issue().timestamp())
                    .isBefore(stage.world.trueTime().plusSeconds(2));
        }

        assertThat(process.ids().status().clockWarning()).isPresent();
        stage.assertSafe();
    }

    // nor may the marks of two generators vouch, which plain Java can open in one process
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void generatorsOfOneProcessDoNotVouchForEachOther(long seed) {
        Actor process = open(seed, 1);
        LeasedSnowflake second =
                LeasedSnowflake.open(SnowflakeSettings.of(Map.copyOf(stage.keys)), process.wire, process);
        stage.sleep(Duration.ofMinutes(2));

        process.machine.stepClock(Duration.ofDays(1));
        for (int i = 0; i < 60; i++) {
            stage.sleep(Duration.ofSeconds(5));
            assertNoMarkIsPoisoned();
            assertThat(second.layout().decode(second.nextId()).timestamp())
                    .isBefore(stage.world.trueTime().plusSeconds(2));
            assertThat(process.issue().timestamp())
                    .isBefore(stage.world.trueTime().plusSeconds(2));
        }

        assertThat(process.ids().status().clockWarning()).isPresent();
        stage.assertSafe();
    }

    // a process took over a worker id whose owner entry was still its predecessor's, and read its own mark as a peer's
    @Test
    void aWorkerIdThatWasTakenOverIsNoWitness() {
        Actor before = open(1, 1, "snowflake.resume.directory", "/resume");
        before.crash();
        stage.store.down = true;
        Actor process = stage.processOnHostOf(before);
        process.open();
        process.wire.hold(Kind.EXTEND);
        process.wire.hold(Kind.CLAIM);
        stage.store.down = false;
        arrive(process, true);

        process.machine.stepClock(Duration.ofDays(1));
        for (int i = 0; i < 10; i++) {
            arrive(process, i % 2 == 1);
            assertNoMarkIsPoisoned();
        }

        assertThat(process.ids().status().clockWarning()).isPresent();
        process.wire.release(Kind.EXTEND);
        process.wire.release(Kind.CLAIM);
        stage.assertSafe();
    }

    // a process took its predecessor's mark for its own: without another peer it believed a clock that had leapt while
    // the coordinator was away
    @Test
    void theMarkOfTheProcessBeforeIsAWitness() {
        Actor before = open(1, 1, "snowflake.resume.directory", "/resume");
        before.crash();
        stage.store.down = true;
        Actor process = stage.processOnHostOf(before);
        process.open();
        process.machine.stepClock(Duration.ofDays(1));
        stage.store.down = false;

        for (int i = 0; i < 30; i++) {
            stage.sleep(Duration.ofSeconds(1));
            assertNoMarkIsPoisoned();
        }

        assertThat(process.ids().status().lastError()).hasValueSatisfying(error -> assertThat(error)
                .contains(
                        "The system clock says 2026-03-02T10:", "but the median of 2 live peers says 2026-03-01T10:"));
        stage.assertSafe();
    }

    /** Lets the next extension arrive, and loses claims of the owner entry. */
    private static void arrive(Actor process, boolean answered) {
        Request request = process.wire.next();
        while (request.kind == Kind.CLAIM) {
            request.lose();
            request = process.wire.next();
        }
        CasResult result = request.arrive();
        if (answered) {
            request.answer(result);
        } else {
            request.lose();
        }
    }

    // a second generator started by the first one's wrong clock, though the peer contradicted it
    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 1", "4, 40", "5, 40", "6, 40"})
    void aGeneratorDoesNotVouchForTheStartOfAnother(long seed, int workers) {
        Actor process = open(seed, workers);
        stage.keys.put("snowflake.workers", "1");
        process.machine.stepClock(Duration.ofDays(1));
        stage.sleep(Duration.ofSeconds(45));

        try {
            LeasedSnowflake second =
                    LeasedSnowflake.open(SnowflakeSettings.of(Map.copyOf(stage.keys)), process.wire, process);
            // The second generator goes by the first one's corrected time.
            assertThat(second.layout().decode(second.nextId()).timestamp())
                    .isBefore(stage.world.trueTime().plusSeconds(2));
        } catch (CoordinatorException refused) {
            assertThat(refused).hasMessageContaining("2026-03-02T10:").hasMessageContaining("2026-03-01T10:");
        }

        assertNoMarkIsPoisoned();
        stage.assertSafe();
    }
}
