// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Stage.Actor;

/** A coordinator whose calls heed neither their timeout nor an interrupt, like those of some drivers. */
class OverdueCallTest {

    private final Stage stage = Stage.ofDefaults(1);
    private final Actor process = stage.process();
    private final List<SnowflakeEvent> events = new ArrayList<>();
    private final LogLines log = new LogLines();

    @BeforeEach
    void settings() {
        stage.keys.put("snowflake.window", "PT3S");
        stage.keys.put("snowflake.startup-timeout", "PT5S");
        process.listener = events::add;
    }

    @AfterEach
    void assertSafe() {
        log.close();
        stage.assertSafe();
    }

    // 892 calls failed within 18 s, and nothing was logged
    @Test
    void callsThatFailMeanwhileAreToldWhy() {
        process.open();
        stage.sleep(Duration.ofSeconds(30));
        process.wire.hangs = true;
        stage.sleep(Duration.ofSeconds(20));

        String failure = process.startCall().awaitFailure().getMessage();

        assertThat(failure).contains("A call of the coordinator has not ended for");
        assertThat(process.ids().status().state()).isEqualTo(SnowflakeStatus.State.SUSPENDED);
        assertThat(process.ids().status().lastError().orElseThrow()).contains("has not ended for");
        assertThat(log.all())
                .filteredOn(line -> line.contains("has not ended for"))
                .hasSize(1);
        stage.sleep(Duration.ofSeconds(1));
        assertThat(events)
                .filteredOn(SnowflakeEvent.Suspended.class::isInstance)
                .singleElement()
                .satisfies(event ->
                        assertThat(((SnowflakeEvent.Suspended) event).reason()).contains("has not ended"));
    }

    @Test
    void itIsToldOnceForEachCallAndIdsComeAgain() {
        process.open();
        stage.sleep(Duration.ofSeconds(30));
        process.wire.hangs = true;
        stage.sleep(Duration.ofSeconds(20));
        for (int i = 0; i < 50; i++) {
            assertThat(process.startCall().awaitFailure()).isNotNull();
        }
        assertThat(log.all())
                .filteredOn(line -> line.contains("has not ended for"))
                .hasSize(1);

        process.wire.hangs = false;
        stage.sleep(Duration.ofSeconds(5));

        process.issueFor(Duration.ofMinutes(1));
        assertThat(process.ids().status().lastError()).isEmpty();
        assertThat(events).anyMatch(SnowflakeEvent.Resumed.class::isInstance);
    }

    // with a startup-timeout of 5 s a start still waited after 60 s
    @Test
    void aStartEndsInTime() {
        process.wire.hangs = true;
        Instant begun = stage.world.trueTime();

        process.startOpening();
        Throwable refusal = process.awaitRefusal();

        assertThat(Duration.between(begun, stage.world.trueTime())).isLessThanOrEqualTo(Duration.ofMillis(5_500));
        assertThat(refusal)
                .isInstanceOf(CoordinatorException.class)
                .hasMessageContaining("no worker id within snowflake.startup-timeout=PT5S")
                .hasMessageContaining("has not ended for");
    }

    // a worker id that a failed start claimed late stayed taken
    @Test
    void aStartThatWasGivenUpGivesBackWhatItClaimsAfterwards() {
        process.wire.latency = Duration.ofSeconds(4);
        process.startOpening();
        assertThat(process.awaitRefusal()).isNotNull();

        process.wire.latency = Duration.ZERO;
        stage.sleep(Duration.ofSeconds(20));

        assertThat(stage.store.owners).isEmpty();
        assertThat(process.threads).isEmpty();
    }

    @Test
    void closingEndsInTime() {
        process.open();
        process.wire.hangs = true;
        stage.sleep(Duration.ofSeconds(10));
        Instant begun = stage.world.trueTime();

        process.close();

        assertThat(Duration.between(begun, stage.world.trueTime())).isLessThan(Duration.ofSeconds(20));
    }

    // 586 calls failed in ten minutes, and nothing said why
    @Test
    void anOwnerEntryThatIsLetGoIsACallLikeOthers() {
        process.open();
        stage.sleep(Duration.ofSeconds(30));
        process.wire.abandonHangs = true;
        stage.store.takeOver(process.workerId(), 60_000);
        stage.sleep(Duration.ofSeconds(20));

        assertThat(process.startCall().awaitFailure()).hasMessageContaining("A call of the coordinator has not ended");
        assertThat(log.all()).anyMatch(line -> line.contains("has not ended for"));

        process.wire.abandonHangs = false;
        stage.sleep(Duration.ofSeconds(5));
        process.issueFor(Duration.ofMinutes(1));
    }

    // the keeper ended the notes of a worker id, and calls were told of a clock that had not been vetted
    @Test
    void notesThatAreEndedAreWatchedToo() {
        stage.keys.put("snowflake.resume.directory", "/resume");
        process.open();
        stage.sleep(Duration.ofSeconds(30));
        long written = process.disk.writes;
        stage.until("a note", () -> process.disk.writes > written);
        stage.sleep(Duration.ofMillis(300));
        process.disk.hangs = true;
        process.machine.stepClock(Duration.ofSeconds(5));
        stage.sleep(Duration.ofSeconds(20));

        assertThat(process.startCall().awaitFailure())
                .hasMessageContaining("A write to snowflake.resume.directory has not ended");
        assertThat(log.all()).anyMatch(line -> line.contains("snowflake.resume.directory has not ended for"));
        process.disk.hangs = false;
    }
}
