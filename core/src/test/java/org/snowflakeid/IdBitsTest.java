// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.administration.NamespaceAdministration;
import org.snowflakeid.administration.NamespaceRefusedException;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.RecordLine;

/** {@code snowflake.id-bits}: ids end where readers that keep fewer bits would round them. */
class IdBitsTest {

    private static final long TWO_TO_THE_53 = 1L << 53;

    private final Stage stage = new Stage();
    private final Actor process = stage.process();

    @AfterEach
    void assertSafe() {
        stage.assertSafe();
    }

    private void set(String key, Object value) {
        stage.keys.put("snowflake." + key, value.toString());
    }

    @Test
    void idsOfALayoutThatFitsStayBelowTheBound() {
        set("id-bits", 53);
        set("epoch", "2026-01-01T00:00:00Z");
        set("worker-id-bits", 5);
        set("sequence-bits", 7);

        process.open();

        assertThat(process.ids().nextIds(10_000)[9_999]).isPositive().isLessThan(TWO_TO_THE_53);
        assertThat(SnowflakeSettings.of(stage.keys).values().exhaustedAt()).isEqualTo("2095-09-07T15:47:35.551Z");
    }

    @Nested
    class AtTheEndOfTheBits {

        private static final long LAST_TICK = (1L << 40) - 1;

        /** With 40 bits of milliseconds below 2^53, of which 20 seconds are left. */
        private final Instant end = stage.world.trueTime().plusSeconds(20);

        private final Instant epoch = end.minusMillis(LAST_TICK);

        private void endSoon() {
            set("epoch", epoch);
            set("worker-id-bits", 5);
            set("sequence-bits", 8);
        }

        @Test
        void idsEnd() {
            endSoon();
            set("id-bits", 53);
            process.open();
            long last = 0;
            for (int i = 0; i < 195; i++) {
                last = process.ids().nextId();
                assertThat(last).isLessThan(TWO_TO_THE_53);
                stage.sleep(Duration.ofMillis(100));
            }
            assertThat(process.ids().layout().decode(last).timestamp()).isAfter(end.minusSeconds(1));
            assertThat(process.ids().status().lastError().orElseThrow())
                    .contains("with snowflake.id-bits=53 end at " + end, "raise snowflake.id-bits");

            stage.sleep(Duration.ofSeconds(1));

            assertThatThrownBy(process::issue)
                    .isInstanceOf(SnowflakeUnavailableException.class)
                    .hasMessageContaining("snowflake.id-bits=53 end at " + end);
            assertThat(process.ids().status().reservedUntil()).contains(end);
            assertThat(stage.store.mark(0).limit()).isEqualTo(LAST_TICK);
        }

        // ten writes a second, for ever
        @Test
        void atTheEndTheOwnerEntryIsKeptByNoMoreWritesThanBefore() {
            endSoon();
            set("id-bits", 53);
            process.open();
            stage.until("granted to the end", () -> stage.store.mark(0).limit() == LAST_TICK);
            int before = stage.store.writes;

            stage.sleep(Duration.ofMinutes(2));

            // One for each third of a window of 12 s.
            assertThat(stage.store.writes - before).isBetween(25, 31);
            assertThat(stage.store.owners).containsKey(0);
        }

        @Test
        void aClaimEndsToo() {
            endSoon();
            set("id-bits", 53);
            Actor crashed = stage.process();
            crashed.open();
            stage.sleep(Duration.ofSeconds(5));
            crashed.crash();
            stage.store.owners.clear();

            process.open();

            assertThat(stage.store.mark(0).limit()).isEqualTo(LAST_TICK);
            assertThat(process.issueAtTheEnd().timestamp()).isEqualTo(end.minusMillis(1));
        }

        @Test
        void aProcessOfTheSameNamespaceWithMoreBitsGoesOn() {
            endSoon();
            process.open();
            process.issueFor(Duration.ofSeconds(30));

            assertThat(process.ids().nextId()).isGreaterThan(TWO_TO_THE_53);
            assertThat(stage.store.mark(0).limit()).isGreaterThan(LAST_TICK);
        }

        @Test
        void whatWasGrantedToMoreBitsIsNotClaimed() {
            endSoon();
            set("window", "PT30S");
            Actor withMore = stage.process();
            withMore.open();
            stage.until("a mark above the bound", () -> stage.store.mark(0).limit() > LAST_TICK);
            withMore.crash();
            stage.store.owners.clear();
            set("id-bits", 53);
            set("window", "PT3S");

            process.startOpening();

            assertThat(process.awaitRefusal())
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("with snowflake.id-bits=53 end at " + end);
        }

        @Test
        void whatAProcessBeforeWithMoreBitsWasGrantedIsNotTakenOver() {
            endSoon();
            set("window", "PT30S");
            set("resume.directory", "/resume");
            Actor before = stage.process();
            before.open();
            stage.until("a mark above the bound", () -> stage.store.mark(0).limit() > LAST_TICK);
            stage.store.down = true;
            before.crash();
            set("id-bits", 53);
            set("window", "PT3S");
            Actor after = stage.processOnHostOf(before);

            try (LogLines log = new LogLines()) {
                after.startOpening();

                assertThat(after.awaitRefusal()).isInstanceOf(CoordinatorException.class);
                assertThat(log.all())
                        .anyMatch(line -> line.contains("is not taken over: ")
                                && line.contains("snowflake.id-bits=53 end at " + end));
            }
        }

        @Test
        void anotherBoundChangesNothingInTheRecordOfTheNamespace() {
            endSoon();
            process.open();
            String record = stage.store.meta.value();
            process.close();
            set("id-bits", 53);

            Actor other = stage.process();
            other.open();

            assertThat(stage.store.meta.value()).isEqualTo(record);
        }
    }

    /** Whatever the layout, to the end of the bits and beyond. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void noIdReachesTheBound(long seed) {
        Random random = new Random(seed);
        int idBits = 53 + random.nextInt(11);
        int lowBits = Math.max(idBits - 40, 2) + random.nextInt(8);
        int workerIdBits =
                Math.max(1, lowBits - 20) + random.nextInt(Math.min(20, lowBits - 1) - Math.max(1, lowBits - 20) + 1);
        long lastTick = (1L << (idBits - lowBits)) - 1;
        Instant end = stage.world.trueTime().plusMillis(13_000 + random.nextInt(20_000));
        set("id-bits", idBits);
        set("worker-id-bits", workerIdBits);
        set("sequence-bits", lowBits - workerIdBits);
        set("epoch", end.minusMillis(lastTick));
        set("burst", "PT" + random.nextInt(6) + "S");
        process.open();
        long highest = 0;

        for (int i = 0; i < 500; i++) {
            try {
                long[] ids = process.ids().nextIds(1 + random.nextInt(20));
                highest = ids[ids.length - 1];
                assertThat(highest >>> idBits).isZero();
            } catch (SnowflakeUnavailableException atTheEnd) {
                break;
            }
            stage.sleep(Duration.ofMillis(random.nextInt(200)));
        }

        assertThat(process.ids().layout().decode(highest).timestamp())
                .isBetween(end.minusSeconds(10), end.minusMillis(1));
        assertThat(highest >>> lowBits).isLessThan(lastTick);
    }

    // the search for another worker id ended the one in use for good
    @Test
    void idsGoOnToTheEndThoughNoOtherWorkerIdHasTicksLeft() {
        Instant end = stage.world.trueTime().plusSeconds(17);
        SnowflakeLayout layout = SnowflakeLayout.STANDARD;
        set("id-bits", 53);
        set("epoch", end.minusMillis((1L << (53 - 22)) - 1));
        set("worker-ids", "0-1");
        process.open();
        int mine = process.workerId();
        stage.sleep(Duration.ofSeconds(5));
        long lastTick = SnowflakeSettings.of(stage.keys).values().lastTick();
        for (int id : List.of(mine, 1 - mine)) {
            Mark reserved =
                    Mark.next(RecordLine.NONE, lastTick, "another", 0, lastTick - 1, stage.world.trueTime(), layout, 1);
            stage.store.putMark(id, reserved.value());
        }
        Instant until = process.ids().status().reservedUntil().orElseThrow();
        stage.until("noticed", () -> process.ids().status().lastError().isPresent());

        assertThat(stage.world.trueTime()).isBefore(until.minusSeconds(2));
        process.issueFor(Duration.ofSeconds(1));
    }

    /** The operator's settings have the bound too. */
    @Nested
    class InAnotherNamespace {

        private NamespaceAdministration namespace(FakeStore store) {
            return NamespaceAdministration.open(
                    SnowflakeSettings.of(stage.keys), new Wire(stage.world, store), process);
        }

        // the old namespace was retired, and no process could start in the new one
        @Test
        void aMoveToWhereIdsDoNotFitAnyMoreIsRefused() {
            process.open();
            String record = stage.store.meta.value();
            try (NamespaceAdministration old = namespace(stage.store)) {
                set("id-bits", 53);
                try (NamespaceAdministration next = namespace(stage.elsewhere())) {
                    assertThatThrownBy(() -> old.prepareMove(next).carryOut(Set.of()))
                            .isInstanceOf(NamespaceRefusedException.class)
                            .hasMessageContaining(
                                    ": ids would have to be dated after 2020-01-25T20:31:23.647Z, when the timestamps of"
                                            + " epoch=2020-01-01T00:00:00Z worker-id-bits=10 sequence-bits=12 with"
                                            + " snowflake.id-bits=53 end");
                }
            }

            assertThat(stage.store.meta.value()).isEqualTo(record);
        }

        @Test
        void aRestoreWhoseFirstIdsWouldNotFitIsRefused() {
            Instant end = stage.world.trueTime().plusSeconds(40);
            set("epoch", end.minusMillis((1L << 40) - 1));
            set("worker-id-bits", 5);
            set("sequence-bits", 8);
            set("id-bits", 53);
            process.open();
            String record = stage.store.meta.value();
            try (NamespaceAdministration namespace = namespace(stage.store)) {
                assertThatThrownBy(() -> namespace.prepareRestore().carryOut(Set.of()))
                        .isInstanceOf(NamespaceRefusedException.class)
                        .hasMessageContaining("dated after " + end)
                        .hasMessageContaining("with snowflake.id-bits=53 end");
            }

            assertThat(stage.store.meta.value()).isEqualTo(record);
        }
    }

    @Nested
    class AtTheStart {

        @Test
        void aLayoutWhoseIdsDoNotFitAnyMoreIsRefused() {
            set("id-bits", 53);

            process.startOpening();

            assertThat(process.awaitRefusal())
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageStartingWith(
                            "snowflake 'default': snowflake.id-bits=53, snowflake.worker-id-bits=10 and"
                                    + " snowflake.sequence-bits=12 leave 31 bits for the timestamp, which ran out on 2020-01-25"
                                    + " counting from snowflake.epoch=2020-01-01T00:00:00Z (the system clock says 2026-03-01T10:00:00")
                    .hasMessageContaining(
                            "For example, snowflake.worker-id-bits=5 and snowflake.sequence-bits=7 with this"
                                    + " epoch last until 2089-09-06.");
        }

        @Test
        void whatIsProposedWorks() {
            set("id-bits", 53);
            set("worker-id-bits", 5);
            set("sequence-bits", 7);

            process.open();

            assertThat(process.ids().nextId()).isLessThan(TWO_TO_THE_53);
        }

        @ParameterizedTest
        @CsvSource({"53,5,7", "54,5,8", "60,8,11", "63,10,12"})
        void anotherEpochIsProposedWhereThisOneLeavesTooLittle(int idBits, int workerIdBits, int sequenceBits) {
            set("id-bits", idBits);
            set("worker-id-bits", 20);
            set("sequence-bits", 20);
            set("epoch", "1970-01-01T00:00:00Z");
            process.setClock(Instant.parse("2045-06-07T08:09:10Z"));

            process.startOpening();

            assertThat(process.awaitRefusal())
                    .hasMessageContaining("For example, snowflake.worker-id-bits=" + workerIdBits
                            + " and snowflake.sequence-bits=" + sequenceBits
                            + " with snowflake.epoch=2045-01-01T00:00:00Z last until 2114-09-08.");
        }

        @Test
        void anEndThatIsNearerThanAWindowIsRefused() {
            set("id-bits", 53);
            set("worker-id-bits", 5);
            set("sequence-bits", 8);
            set("epoch", stage.world.trueTime().plusSeconds(12).minusMillis((1L << 40) - 1));

            process.startOpening();

            assertThat(process.awaitRefusal())
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("leave 40 bits for the timestamp, which ran out on 2026-03-01");
        }
    }

    @Test
    void oneGeneratorMayHaveFewerBitsThanOthers() {
        set("generators.orders.id-bits", 53);

        SnowflakeSettings orders = SnowflakeSettings.of("orders", stage.keys);

        assertThat(orders.values().lastTick()).isEqualTo((1L << 31) - 1);
        assertThat(SnowflakeSettings.of(stage.keys).values().lastTick()).isEqualTo(SnowflakeLayout.STANDARD.lastTick());
        assertThatThrownBy(() -> LeasedSnowflake.open(orders, stage.process().wire, process))
                .hasMessageStartingWith(
                        "snowflake 'orders': snowflake.generators.orders.id-bits=53, snowflake.worker-id-bits=10");
    }
}
