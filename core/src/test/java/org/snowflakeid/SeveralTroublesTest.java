// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.Wire.Kind;
import org.snowflakeid.Wire.Request;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.RecordLine;

/** A generator loses or gives up a worker id while something else changes or fails too. */
class SeveralTroublesTest {

    private static final String OTHER = "token=other host=elsewhere pid=1 since=2026-03-01T09:00:00Z process=another";

    private final Stage stage = Stage.ofDefaults(1);

    @AfterEach
    void assertSafe() {
        stage.assertSafe();
    }

    /** Reserves a worker id as another process does, which still owns it or is gone. */
    private void reserve(int id, Instant from, Instant until, boolean owned) {
        SnowflakeLayout layout = SnowflakeLayout.STANDARD;
        Mark mark = Mark.next(
                RecordLine.NONE,
                layout.tickOf(until.toEpochMilli()),
                "other",
                1,
                layout.tickOf(from.toEpochMilli()),
                stage.world.trueTime(),
                layout,
                1);
        stage.store.putMark(id, mark.value());
        if (owned) {
            stage.store.owners.put(id, new FakeStore.Held(OTHER, this, Long.MAX_VALUE));
        } else {
            stage.store.owners.remove(id);
        }
    }

    // granted ids went unused while the coordinator was unreachable
    @Test
    void whatWasClaimedToFollowIsUsedThoughTheCoordinatorIsAway() {
        stage.keys.put("snowflake.worker-ids", "0-1");
        Actor process = stage.process();
        process.open();
        stage.sleep(Duration.ofMinutes(2));
        int lost = process.workerId();
        int other = 1 - lost;
        process.wire.cut = true;
        Instant end = process.ids().status().reservedUntil().orElseThrow();
        stage.until(
                "20 s are left", () -> stage.world.trueTime().plusSeconds(20).isAfter(end));
        Instant free = end.plusSeconds(10);
        reserve(lost, end, end.plusSeconds(600), true);
        reserve(other, Instant.EPOCH.plus(Duration.ofDays(365 * 51L)), free, false);

        process.wire.cut = false;
        stage.until("claimed", () -> stage.store.owners.containsKey(other));
        // The answer is on its way.
        stage.sleep(Duration.ofSeconds(1));
        process.wire.cut = true;
        // A call without an answer may be under way when the worker id becomes usable.
        stage.until("usable", () -> stage.world.trueTime().isAfter(free.plusSeconds(4)));

        IdParts id = process.issue();
        assertThat(id.workerId()).isEqualTo(other);
        assertThat(id.timestamp()).isBetween(free.plusSeconds(4), free.plusSeconds(5));
    }

    // the mark was taken for one that a copy of the process had written, and the generator went on
    @ParameterizedTest
    @ValueSource(strings = {"limit=1e12", "edited"})
    void aMarkThatNoProcessWritesIsNotTakenForThatOfACopy(String edited) {
        stage.keys.put("snowflake.worker-ids", "0-1");
        Actor process = stage.process();
        process.open();
        int left = process.workerId();
        stage.sleep(Duration.ofMinutes(2));
        process.wire.hold(Kind.RELEASE);
        process.machine.stepClock(Duration.ofSeconds(5));
        Request release = process.wire.next();
        assertThat(process.workerId()).isEqualTo(1 - left);

        stage.store.putMark(left, edited);
        process.wire.release(Kind.RELEASE);
        release.answer(release.arrive());

        stage.until("stopped", () -> process.ids().status().state() == State.SUSPENDED);
        assertThatThrownBy(process::issue)
                .isInstanceOf(CoordinatorRegressedException.class)
                .hasMessageContaining("shows for worker id " + left + " the mark '" + edited + "'");
    }

    // the status said that the coordinator had not answered, for ever
    @Test
    void aRetiredNamespaceIsStillSaidAfterTheCoordinatorWasAway() {
        Actor process = stage.process();
        process.open();
        stage.sleep(Duration.ofMinutes(2));
        stage.store.putMeta(stage.store.meta.value().replace("state=active", "state=retired"));
        stage.until("retired", () -> error(process).contains("was retired"));

        process.wire.cut = true;
        process.machine.stepClock(Duration.ofSeconds(3));
        assertThat(process.startCall().awaitFailure()).isInstanceOf(SnowflakeUnavailableException.class);
        process.wire.cut = false;
        stage.sleep(Duration.ofSeconds(5));

        assertThat(process.issue().workerId()).isEqualTo(process.workerId());
        assertThat(error(process)).contains("was retired");
    }

    private static String error(Actor process) {
        return process.ids().status().lastError().orElse("");
    }

    // the worker id stayed reserved for as long as the window
    @Test
    void aWorkerIdIsGivenBackThoughALongerWindowWasJustJoined() {
        Actor process = stage.process();
        process.open();
        int id = process.workerId();
        stage.sleep(Duration.ofMinutes(2));
        stage.until(
                "it has extended just now",
                () -> stage.store.mark(id).at().isAfter(stage.world.trueTime().minusMillis(100)));
        stage.keys.put("snowflake.window", "PT10M");
        Actor another = stage.process();
        another.open();

        process.close();

        assertThat(stage.store.owners).doesNotContainKey(id);
        assertThat(SnowflakeLayout.STANDARD.instantOf(stage.store.mark(id).limit()))
                .isBefore(stage.world.trueTime().plusSeconds(1));
    }

    // the generator reported a loss of data
    @Test
    void anOperatorWhoIsReplacingAnUnreadableRecordIsSaidToDoSo() {
        Actor process = stage.process();
        process.open();
        String retired = RecordLine.parse(stage.store.meta.value())
                .with("id", "0123456789abcdef0123456789abcdef")
                .with("state", "retired")
                .toString();

        stage.store.putMeta(retired);
        stage.until("noticed", () -> process.ids().status().lastError().isPresent());

        assertThat(process.ids().status().lastError())
                .hasValueSatisfying(error -> assertThat(error).contains("as by an operator who restored it"));
    }

    // each successful extension reported that extension works again, though none had failed
    @Test
    void aMissingWorkerIdIsNoFailureOfTheCoordinator() {
        stage.keys.put("snowflake.worker-ids", "0-1");
        stage.keys.put("snowflake.workers", "2");
        Actor process = stage.process();
        process.open();
        stage.sleep(Duration.ofMinutes(2));
        Instant end = stage.world.trueTime().plusSeconds(600);

        try (LogLines log = new LogLines()) {
            reserve(1, end, end.plusSeconds(600), true);
            stage.until("taken over", () -> process.ids().status().lastError().isPresent());
            for (int i = 0; i < 120; i++) {
                stage.sleep(Duration.ofSeconds(1));
                assertThat(process.ids().status().lastError())
                        .hasValueSatisfying(error -> assertThat(error).contains("2 of 2 worker ids are held"));
            }

            assertThat(log.all()).noneMatch(line -> line.contains("works again"));
            assertThat(log.all())
                    .filteredOn(line -> line.contains("no other worker id"))
                    .hasSizeBetween(5, 10);
        }
    }
}
