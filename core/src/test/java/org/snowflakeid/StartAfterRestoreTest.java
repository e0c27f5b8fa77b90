// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.administration.NamespaceAdministration;
import org.snowflakeid.administration.NamespaceDoubt;
import org.snowflakeid.records.NamespaceRecord;
import org.snowflakeid.spi.Stored;

/** An operator who restores or moves a namespace starts its processes at once, though ids begin minutes later. */
class StartAfterRestoreTest {

    private final Stage stage = Stage.ofDefaults(1);

    @AfterEach
    void assertSafe() {
        stage.assertSafe();
    }

    private Instant restore() {
        Actor operator = stage.process();
        Instant[] firstIds = new Instant[1];
        Thread unused = operator.machine.start("restore", () -> {
            SnowflakeSettings settings = SnowflakeSettings.of(Map.copyOf(stage.keys));
            try (NamespaceAdministration namespace = NamespaceAdministration.open(settings, operator.wire, operator)) {
                firstIds[0] = namespace.prepareRestore().carryOut(EnumSet.allOf(NamespaceDoubt.class));
            }
        });
        stage.until("restored", () -> firstIds[0] != null);
        return firstIds[0];
    }

    private Actor running() {
        Actor process = stage.process();
        process.open();
        stage.sleep(Duration.ofMinutes(2));
        return process;
    }

    // a start failed by default: the floor lies 119 s ahead, startup-timeout is 90 s
    @Test
    void aStartWaitsForTheFirstIdsAndSaysSo() {
        running().crash();
        Instant firstIds = restore();
        assertThat(Duration.between(stage.world.trueTime(), firstIds)).isGreaterThan(Duration.ofSeconds(100));

        Actor process = stage.process();
        try (LogLines log = new LogLines()) {
            process.open();

            assertThat(log.all())
                    .filteredOn(line -> line.contains("was restored, moved or created anew, and its ids begin at "
                            + firstIds + ". The start waits for that, in spite of snowflake.startup-timeout=PT1M30S."))
                    .hasSize(1);
        }
        assertThat(process.issue().timestamp()).isBetween(firstIds, firstIds.plusSeconds(5));
    }

    // the same after a move
    @Test
    void aStartWaitsForTheFirstIdsAfterAMove() {
        running().crash();
        Actor operator = stage.process();
        operator.startMoving(new Wire(stage.world, stage.elsewhere()));
        operator.awaitMoved();
        stage.keys.put("snowflake.namespace", "elsewhere");

        Actor process = stage.process(stage.elsewhere());
        process.open();

        process.issueFor(Duration.ofMinutes(1));
    }

    // a start gave up after 90 s: none waited for more than an hour
    @ParameterizedTest
    @CsvSource({"PT1H, PT10S", "PT1M, PT1H", "PT1H, PT1H"})
    void aStartWaitsForTheFirstIdsAfterTheLongestWindowsAndTheLargestSkew(String window, String maxSkew) {
        running().crash();
        Map<String, String> ofTheStart = Map.copyOf(stage.keys);
        stage.keys.put("snowflake.window", window);
        stage.keys.put("snowflake.clock.max-skew", maxSkew);
        Instant firstIds = restore();
        stage.keys.clear();
        stage.keys.putAll(ofTheStart);
        Duration ahead = Duration.between(stage.world.trueTime(), firstIds);
        assertThat(ahead).isGreaterThan(Duration.ofMinutes(80));

        Actor process = stage.process();
        process.startOpening();
        stage.within(ahead.plusMinutes(10), "open", process::isDecided);

        process.awaitOpen();
        assertThat(process.issue().timestamp()).isBetween(firstIds, firstIds.plusSeconds(5));
    }

    @Test
    void aStartThatCannotReachTheCoordinatorEndsAllTheSame() {
        running().crash();
        Instant firstIds = restore();
        Actor process = stage.process();
        process.startOpening();
        stage.sleep(Duration.ofSeconds(5));
        process.wire.cut = true;

        assertThat(process.awaitRefusal()).isInstanceOf(CoordinatorException.class);
        assertThat(stage.world.trueTime()).isBefore(firstIds.plusSeconds(30));
    }

    @Test
    void aFloorTooFarAheadToWaitForEndsTheStartInTime() {
        running().crash();
        long tooFar = SnowflakeLayout.STANDARD.tickOf(
                stage.world.trueTime().plus(Duration.ofHours(5)).toEpochMilli());
        String record = stage.store.meta.value();
        stage.store.meta = new Stored(record.replace(" floor=0 ", " floor=" + tooFar + " "), 99);
        assertThat(stage.store.meta.value()).contains("floor=" + tooFar);
        Instant asked = stage.world.trueTime();
        Actor process = stage.process();
        process.startOpening();

        assertThat(process.awaitRefusal())
                .isInstanceOf(NoFreeWorkerIdException.class)
                .hasMessageContaining("the floor of the namespace, which was restored, moved or created anew");
        assertThat(Duration.between(asked, stage.world.trueTime())).isLessThan(Duration.ofSeconds(95));
    }

    // a running process was told "was replaced by another of the same name: restore it", which invites a second restore
    @Test
    void aProcessThatStillRunsWhenAnUnreadableRecordIsRestoredIsToldToRestart() {
        Actor process = running();
        stage.store.meta = new Stored("garbage", 99);
        Instant unused = restore();
        stage.sleep(Duration.ofMinutes(1));

        assertThat(process.ids().status().lastError()).hasValueSatisfying(error -> assertThat(error)
                .contains("as by an operator who restored it")
                .contains("Restart."));
    }

    @Test
    void aPlaceThatIsKeptForAnotherNamespaceSaysSo() {
        running().crash();
        String record = stage.store.meta.value();
        stage.store.meta = new Stored(NamespaceRecord.reserved(record, "cafe"), 99);
        Actor process = stage.process();
        process.startOpening();

        assertThat(process.awaitRefusal())
                .hasMessageContaining(
                        "is kept for another namespace, which is to move here. Start again when that is done.");
    }

    // the fence lay 15 s below what was granted: it allowed for one wrong clock, and not for two
    @Test
    void aFenceLiesAboveWhatWasGrantedThoughBothClocksAreWrong() {
        stage.keys.put("snowflake.worker-ids", "0");
        Actor cutOff = stage.process();
        cutOff.setClock(stage.world.trueTime().plusSeconds(10));
        cutOff.open();
        stage.sleep(Duration.ofMinutes(2));
        Instant before = cutOff.ids().status().reservedUntil().orElseThrow();
        stage.until(
                "extended",
                () -> cutOff.ids().status().reservedUntil().orElseThrow().isAfter(before));
        cutOff.wire.cut = true;
        stage.store.wipe();
        stage.keys.put("snowflake.namespace-creation", "create-fenced");
        Actor creator = stage.process();
        creator.setClock(stage.world.trueTime().minusSeconds(9));

        creator.open();

        assertThat(creator.issue().timestamp())
                .isAfterOrEqualTo(cutOff.ids().status().reservedUntil().orElseThrow());
    }

    // its record had a floor after the end, so that no process could read it
    @Test
    void noNamespaceIsCreatedWithAFenceAfterTheEndOfItsTimestamps() {
        Instant end = stage.world.trueTime().plusSeconds(65);
        stage.keys.put("snowflake.epoch", end.minusMillis((1L << 40) - 1).toString());
        stage.keys.put("snowflake.sequence-bits", "13");
        stage.keys.put("snowflake.namespace-creation", "create-fenced");
        Actor process = stage.process();
        process.startOpening();

        assertThat(process.awaitRefusal())
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(
                        "can't be created with snowflake.namespace-creation=create-fenced: its ids would begin at ")
                .hasMessageContaining("end at " + end);
        assertThat(stage.store.meta).isNull();
    }

    // a clock that leapt to 2012 while the process started left a record with a floor of -248795976129, which no
    // process could read
    @ParameterizedTest
    @ValueSource(strings = {"2012-02-12T10:00:00Z", "2115-01-01T00:00:00Z"})
    void noNamespaceIsCreatedByAClockThatIdsCannotShow(String clock) {
        stage.keys.put("snowflake.namespace-creation", "create-fenced");
        stage.store.tellsTime = false;
        Actor process = stage.process();
        process.wire.reads = snapshot -> {
            process.setClock(Instant.parse(clock));
            return snapshot;
        };
        process.startOpening();

        assertThat(process.awaitRefusal())
                .isInstanceOf(CoordinatorException.class)
                .hasMessageContaining("can't be created: the system clock says " + clock.substring(0, 10))
                .hasMessageContaining("Correct the one that is wrong");
        assertThat(stage.store.meta).isNull();
    }
}
