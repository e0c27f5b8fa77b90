// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.Stage.Actor;

/** A clock that is corrected: ids resume as soon as it allows, and until then the status agrees with what calls get. */
class CorrectedClockTest {

    private final Stage stage = Stage.ofDefaults(1);
    private final Actor process = stage.process();

    @AfterEach
    void assertSafe() {
        stage.assertSafe();
    }

    private Duration untilAnId() {
        Instant begun = stage.world.trueTime();
        stage.until("an id", () -> {
            try {
                process.ids().nextId();
                return true;
            } catch (SnowflakeException e) {
                return false;
            }
        });
        return Duration.between(begun, stage.world.trueTime());
    }

    // a whole window passed without ids, with 1,023 worker ids free
    @ParameterizedTest
    @ValueSource(strings = {"PT60S", "PT10M", "PT1H"})
    void whatACopyMayShareIsLeftForAnotherWorkerIdThatBeginsLater(String window) {
        stage.keys.put("snowflake.window", window);
        stage.store.timeAhead = Duration.ofSeconds(-9);
        process.open();
        stage.sleep(Duration.ofHours(2));
        long before = process.issue().timestamp().toEpochMilli();

        process.machine.stepClock(Duration.ofSeconds(-11));

        assertThat(untilAnId()).isLessThan(Duration.ofSeconds(12));
        assertThat(process.issue().timestamp().toEpochMilli()).isGreaterThan(before);
        process.issueFor(Duration.ofMinutes(3));
    }

    @Test
    void underThatOtherWorkerIdTheyRunAheadOfTheClockWhereTheyMay() {
        stage.keys.put("snowflake.clock.on-rollback", "continue");
        stage.keys.put("snowflake.clock.max-ahead", "PT30S");
        stage.store.timeAhead = Duration.ofSeconds(-9);
        process.open();
        stage.sleep(Duration.ofMinutes(5));
        IdParts before = process.issue();

        process.machine.stepClock(Duration.ofSeconds(-11));

        assertThat(untilAnId()).isLessThan(Duration.ofMillis(500));
        IdParts after = process.issue();
        assertThat(after.workerId()).isNotEqualTo(before.workerId());
        assertThat(after.timestamp()).isAfter(before.timestamp());
    }

    @Test
    void whereNoOtherIsFreeIdsGoOnBehindWhatIsShared() {
        stage.keys.put("snowflake.worker-ids", "0");
        stage.store.timeAhead = Duration.ofSeconds(-9);
        process.open();
        stage.sleep(Duration.ofMinutes(5));
        process.issue();

        process.machine.stepClock(Duration.ofSeconds(-11));

        assertThat(untilAnId()).isBetween(Duration.ofSeconds(40), Duration.ofSeconds(75));
    }

    // a worker id that another process gave back was not asked for while ids were waited for
    @Test
    void whereAnotherBecomesFreeIdsGoOnUnderThat() {
        stage.keys.put("snowflake.worker-ids", "0-1");
        stage.store.timeAhead = Duration.ofSeconds(-9);
        process.open();
        Actor other = stage.process();
        other.open();
        stage.sleep(Duration.ofMinutes(5));
        long before = process.issue().timestamp().toEpochMilli();
        process.machine.stepClock(Duration.ofSeconds(-11));
        stage.sleep(Duration.ofSeconds(14));

        other.close();

        assertThat(untilAnId()).isLessThan(Duration.ofSeconds(10));
        assertThat(process.issue().timestamp().toEpochMilli()).isGreaterThan(before);
        process.issueFor(Duration.ofMinutes(3));
    }

    // ids began under it at once, and ran ahead of the time for as long as it was reserved by another process
    @Test
    void noWorkerIdIsUsedTooSoonByAClockThatIsAheadAndNotBelieved() {
        stage.keys.put("snowflake.worker-ids", "0-1");
        stage.keys.put("snowflake.clock.max-skew", "PT30S");
        stage.store.tellsTime = false;
        process.open();
        stage.sleep(Duration.ofMinutes(5));
        Actor other = stage.process();
        other.open();
        int reserved = other.workerId();
        other.crash();
        stage.store.owners.remove(reserved);

        process.machine.stepClock(Duration.ofDays(1));
        Duration waited = untilAnId();

        IdParts id = process.issue();
        assertThat(id.workerId()).isEqualTo(reserved);
        assertThat(waited).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(12));
        assertThat(Duration.between(stage.world.trueTime(), id.timestamp()).abs())
                .isLessThan(Duration.ofSeconds(1));
    }

    // a call was let through in the very millisecond in which the clock had been found credible before it stepped
    @Test
    void aMillisecondThatWasFoundCredibleBeforeAStepIsNotCredibleAfterIt() {
        stage.keys.put("snowflake.window", "PT10M");
        process.open();
        stage.sleep(Duration.ofMinutes(5));
        Instant seen = process.issue().timestamp();
        process.wire.cut = true;
        stage.sleep(Duration.ofMillis(1));
        process.machine.stepClock(Duration.ofSeconds(-12));
        stage.sleep(Duration.between(Instant.ofEpochMilli(process.machine.wallMillis()), seen));

        assertThat(Instant.ofEpochMilli(process.machine.wallMillis())).isEqualTo(seen);
        assertThat(process.startCall().awaitFailure()).isNotNull();
    }

    // as above, while the keeper waits for an answer and looks at no clock
    @Test
    void aMillisecondIsNotCredibleAgainOnceACallHasSeenTheStep() {
        stage.keys.put("snowflake.window", "PT10M");
        process.open();
        stage.sleep(Duration.ofMinutes(5));
        process.wire.hangs = true;
        Instant reserved = process.ids().status().reservedUntil().orElseThrow();
        stage.sleep(Duration.between(stage.world.trueTime(), reserved).dividedBy(2));
        Instant seen = process.issue().timestamp();
        process.machine.stepClock(Duration.ofSeconds(-12));

        assertThat(process.startCall().awaitFailure()).isNotNull();
        stage.sleep(Duration.between(Instant.ofEpochMilli(process.machine.wallMillis()), seen));

        assertThat(process.startCall().awaitFailure()).isNotNull();
        process.wire.hangs = false;
    }

    // every call failed for minutes, and the generator was ACTIVE and ready at each look
    @ParameterizedTest
    @ValueSource(strings = {"1", "4"})
    void theStatusSaysWhatCallsGet(String workers) {
        stage.keys.put("snowflake.workers", workers);
        stage.store.tellsTime = false;
        process.open();
        stage.sleep(Duration.ofHours(2));
        for (int i = 0; i < 10; i++) {
            process.issueFor(Duration.ofSeconds(1));
        }

        process.machine.stepClock(Duration.ofSeconds(-9));

        int failed = 0;
        for (int i = 0; i < 80; i++) {
            stage.sleep(Duration.ofMillis(100));
            try {
                process.ids().nextId();
            } catch (SnowflakeException e) {
                failed++;
                assertThat(e.getMessage()).doesNotContain(" -");
                assertThat(process.ids().status().state()).isEqualTo(SnowflakeStatus.State.SUSPENDED);
                assertThat(process.ids().status().ready()).isFalse();
                assertThat(process.ids().status().lastError().orElseThrow()).contains("The clock is");
            }
        }
        assertThat(failed).isPositive();
    }

    // 159 s were granted, and none of 60 calls got an id
    @Test
    void aRetiredNamespaceLetsIdsRunOutThoughTheClockStepped() {
        stage.keys.put("snowflake.window", "PT5M");
        process.open();
        stage.sleep(Duration.ofMinutes(20));
        stage.store.putMeta(stage.store.meta.value().replace("state=active", "state=retired"));
        stage.sleep(Duration.ofMinutes(2));

        process.machine.stepClock(Duration.ofSeconds(2));
        stage.sleep(Duration.ofSeconds(3));

        process.issueFor(Duration.ofSeconds(40));
        process.machine.stepClock(Duration.ofSeconds(2));
        assertThat(untilAnId()).isLessThan(Duration.ofSeconds(3));
        process.issueFor(Duration.ofSeconds(20));
    }

    @Test
    void aCopyOfAProcessWhoseNamespaceIsRetiredIssuesNothing() {
        stage.keys.put("snowflake.window", "PT5M");
        stage.store.tellsTime = false;
        process.open();
        stage.sleep(Duration.ofMinutes(20));
        stage.store.putMeta(stage.store.meta.value().replace("state=active", "state=retired"));
        stage.sleep(Duration.ofMinutes(2));

        process.machine.stepClock(Duration.ofSeconds(2));
        stage.sleep(Duration.ofSeconds(3));

        assertThat(process.startCall().awaitFailure()).hasMessageContaining("no write can show");
        int[] reads = {0};
        process.wire.reads = snapshot -> {
            reads[0]++;
            return snapshot;
        };
        for (int i = 0; i < 10; i++) {
            assertThat(process.startCall().awaitFailure()).isNotNull();
        }
        assertThat(reads[0]).as("reads while calls failed for twenty seconds").isBetween(1, 25);
        assertThat(process.ids().status().state()).isEqualTo(SnowflakeStatus.State.SUSPENDED);
    }
}
