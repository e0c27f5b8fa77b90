// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.RecordLine;

/** A generator with a resume folder in trouble that has nothing to do with the folder: all goes as without one. */
class NotesBesideTroubleTest {

    private final Stage stage = Stage.ofDefaults(1);

    @AfterEach
    void assertSafe() {
        stage.assertSafe();
    }

    private Actor open(boolean withFolder, String window) {
        stage.keys.putAll(Map.of("snowflake.window", window, "snowflake.worker-ids", "0"));
        if (withFolder) {
            stage.keys.put("snowflake.resume.directory", "/resume");
        }
        Actor process = stage.process();
        process.open();
        return process;
    }

    private static Optional<String> error(Actor process) {
        return process.ids().status().lastError();
    }

    // what is noted ends after some seconds, which looked like the end of the window: an extension was tried each
    // second
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anOutageIsTriedAsSeldomAndIdsAreSaidToContinueForTheWindow(boolean withFolder) {
        Actor process = open(withFolder, "PT10M");
        process.issueFor(Duration.ofMinutes(20));
        long before = process.ids().counts().failedExtensions();
        process.wire.cut = true;

        try (LogLines log = new LogLines()) {
            process.issueFor(Duration.ofSeconds(95));

            assertThat(process.ids().counts().failedExtensions() - before).isBetween(3L, 20L);
            assertThat(log.all())
                    .filteredOn(line -> line.contains("ids continue for"))
                    .isNotEmpty()
                    .allMatch(line -> line.matches(".*ids continue for \\d{2,3}\\.\\d s"));
        }
    }

    // the notes of the present claim were ended by those of the next: ids stopped, and the status named a process that
    // there was not
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWorkerIdThatIsClaimedAnewKeepsWhatIsGranted(boolean withFolder) {
        Actor process = open(withFolder, "PT60S");
        process.issueFor(Duration.ofMinutes(2));
        Instant end = process.ids().status().reservedUntil().orElseThrow();
        // Another process claimed what comes after, and gave it back without having used any.
        SnowflakeLayout layout = SnowflakeLayout.STANDARD;
        long limit = layout.tickOf(end.toEpochMilli());
        stage.store.putMark(
                0,
                Mark.next(RecordLine.NONE, limit, "free-other", 0, limit, stage.world.trueTime(), layout, 1)
                        .value());
        stage.store.owners.remove(0);

        while (stage.world.trueTime().isBefore(end.plusSeconds(30))) {
            assertThat(process.issue().workerId()).isZero();
            stage.sleep(Duration.ofMillis(500));
        }

        stage.sleep(Duration.ofMinutes(5));
        assertThat(process.ids().status().state()).isEqualTo(State.ACTIVE);
        assertThat(error(process)).isEmpty();
        if (withFolder) {
            assertThat(process.disk.note(0).mark().token())
                    .isEqualTo(stage.store.mark(0).token());
        }
    }

    /** As above, where each of the generator's two places for a worker id may claim what the other one lost. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void aWorkerIdThatAnotherPlaceOfTheGeneratorClaimsKeepsWhatIsGrantedToo(long seed) {
        Stage two = Stage.ofDefaults(seed);
        two.keys.put("snowflake.workers", "2");
        two.keys.put("snowflake.worker-ids", "0-1");
        two.keys.put("snowflake.window", "PT60S");
        two.keys.put("snowflake.resume.directory", "/resume");
        Actor process = two.process();
        process.open();
        process.issueFor(Duration.ofMinutes(2));
        Instant end = process.ids().status().reservedUntil().orElseThrow();
        SnowflakeLayout layout = SnowflakeLayout.STANDARD;
        for (int id = 0; id < 2; id++) {
            long limit = two.store.mark(id).limit();
            two.store.putMark(
                    id,
                    Mark.next(RecordLine.NONE, limit, "free-other", 0, limit, two.world.trueTime(), layout, 1)
                            .value());
            two.store.owners.remove(id);
        }

        while (two.world.trueTime().isBefore(end.plusSeconds(30))) {
            assertThat(process.issue().workerId()).isBetween(0, 1);
            two.sleep(Duration.ofMillis(100));
        }

        two.sleep(Duration.ofMinutes(5));
        assertThat(process.ids().status().state()).isEqualTo(State.ACTIVE);
        assertThat(error(process)).isEmpty();
        two.assertSafe();
    }

    // the status went on to say that the file has not been written, for a third of an hour
    @Test
    void aRefusalIsForgottenWhenTheDiskAnswers() {
        Actor process = open(true, "PT1H");
        process.issueFor(Duration.ofHours(2));
        process.disk.stuck = true;
        stage.sleep(Duration.ofSeconds(5));
        assertThat(process.startCall().awaitFailure()).isInstanceOf(SnowflakeUnavailableException.class);
        assertThat(error(process)).isPresent();

        process.disk.stuck = false;

        stage.within(Duration.ofSeconds(5), "no error", () -> error(process).isEmpty());
        process.issueFor(Duration.ofSeconds(1));
    }
}
