// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.snowflakeid.config.StaticCoordinatorProvider;

/** UUIDs of version 7 that are made of ids. */
class UuidTest {

    /** As databases compare them, and their texts. */
    private static final Comparator<UUID> UNSIGNED = (one, other) -> {
        int high = Long.compareUnsigned(one.getMostSignificantBits(), other.getMostSignificantBits());
        return high != 0 ? high : Long.compareUnsigned(one.getLeastSignificantBits(), other.getLeastSignificantBits());
    };

    private static final Instant LAST_OF_UUIDS = Instant.ofEpochMilli((1L << 48) - 1);

    static Stream<SnowflakeLayout> layouts() {
        Instant epoch = SnowflakeLayout.STANDARD.epoch();
        return Stream.of(
                SnowflakeLayout.STANDARD,
                new SnowflakeLayout(epoch, 5, 12),
                new SnowflakeLayout(epoch, 13, 9),
                new SnowflakeLayout(epoch, 8, 4),
                new SnowflakeLayout(Instant.EPOCH, 1, 1),
                new SnowflakeLayout(Instant.EPOCH, 1, 20),
                new SnowflakeLayout(Instant.EPOCH, 20, 1),
                new SnowflakeLayout(Instant.EPOCH, 10, 12),
                new SnowflakeLayout(epoch, 20, 20),
                new SnowflakeLayout(Instant.parse("1900-01-01T00:00:00Z"), 3, 8),
                new SnowflakeLayout(LAST_OF_UUIDS.minusMillis(5000), 10, 12));
    }

    /** Those that have a UUID: the extremes of each part, and others. */
    private static List<Long> ids(SnowflakeLayout layout) {
        Instant first = layout.epoch().isBefore(Instant.EPOCH) ? Instant.EPOCH : layout.epoch();
        Instant last = layout.exhaustedAt().isAfter(LAST_OF_UUIDS) ? LAST_OF_UUIDS : layout.exhaustedAt();
        long span = Duration.between(first, last).toMillis();
        List<Long> ids = new ArrayList<>();
        for (long millis : new long[] {0, 1, span / 2, span - 1, span}) {
            for (int workerId : new int[] {0, 1, layout.maxWorkerId()}) {
                for (int sequence : new int[] {0, 1, layout.maxSequence()}) {
                    ids.add(layout.encode(new IdParts(first.plusMillis(millis), workerId, sequence)));
                }
            }
        }
        Random random = new Random(7);
        for (int i = 0; i < 10_000; i++) {
            ids.add(layout.encode(new IdParts(
                    first.plusMillis((long) (random.nextDouble() * span)),
                    random.nextInt(layout.maxWorkerId() + 1),
                    random.nextInt(layout.maxSequence() + 1))));
        }
        return ids;
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void eachIdIsAUuidOfVersion7AndIsFoundInIt(SnowflakeLayout layout) {
        for (long id : ids(layout)) {
            UUID uuid = layout.uuid(id);

            assertThat(uuid.version()).isEqualTo(7);
            assertThat(uuid.variant()).isEqualTo(2);
            assertThat(uuid.getMostSignificantBits() >>> 16)
                    .isEqualTo(layout.decode(id).timestamp().toEpochMilli());
            assertThat(layout.id(uuid)).isEqualTo(id);
            assertThat(layout.id(UUID.fromString(uuid.toString()))).isEqualTo(id);
        }
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void uuidsOfOneWorkerIdHaveTheOrderOfTheirIds(SnowflakeLayout layout) {
        List<Long> ids = ids(layout).stream()
                .filter(id -> layout.decode(id).workerId() == layout.maxWorkerId())
                .distinct()
                .sorted()
                .toList();

        List<UUID> uuids = ids.stream().map(layout::uuid).toList();

        assertThat(ids).hasSizeGreaterThan(9);
        assertThat(uuids).isSortedAccordingTo(UNSIGNED).doesNotHaveDuplicates();
        assertThat(uuids.stream().map(UUID::toString)).isSorted();
    }

    @Test
    void sequenceAndWorkerIdAreLeftAlignedInTheirFields() {
        Instant time = Instant.ofEpochMilli(0x019A_BCDE_F012L);

        UUID uuid = SnowflakeLayout.STANDARD.uuid(
                SnowflakeLayout.STANDARD.encode(new IdParts(time, 0b10_1010_1011, 0xABC)));
        UUID ofMoreSequences = new SnowflakeLayout(Instant.EPOCH, 5, 16)
                .uuid(new SnowflakeLayout(Instant.EPOCH, 5, 16).encode(new IdParts(time, 0b10011, 0xABCD)));

        assertThat(uuid.toString()).startsWith("019abcde-f012-7abc-80");
        // After two bits of variant and eight of sequence: 1010101011 and ten zeros.
        assertThat(uuid.getLeastSignificantBits() >>> 34).isEqualTo(0b10_00000000_1010101011_0000000000L);
        assertThat(ofMoreSequences.toString()).startsWith("019abcde-f012-7abc-");
        assertThat(ofMoreSequences.getLeastSignificantBits() >>> 34).isEqualTo(0b10_11010000_10011_000000000000000L);
    }

    // RFC 9562, A.6
    @Test
    void theExampleOfTheRfcIsReadByItsFields() {
        UUID example = UUID.fromString("017F22E2-79B0-7CC3-98C4-DC0C0C07398F");
        SnowflakeLayout layout = new SnowflakeLayout(Instant.parse("2022-02-22T19:00:00Z"), 20, 20);

        IdParts parts = layout.decode(layout.id(example));

        assertThat(parts).isEqualTo(new IdParts(Instant.parse("2022-02-22T19:22:22Z"), 0x04DC0 << 2 | 0b11, 0xCC363));
    }

    @Test
    void theRestIsRandom() {
        long id = SnowflakeLayout.STANDARD.minId(Instant.parse("2026-03-01T09:14:02.345Z"));
        long random = (1L << 34) - 1;
        long ones = 0;
        long zeros = 0;
        Set<UUID> uuids = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            UUID uuid = SnowflakeLayout.STANDARD.uuid(id);
            ones |= uuid.getLeastSignificantBits();
            zeros |= ~uuid.getLeastSignificantBits();
            uuids.add(uuid);
        }

        assertThat(ones & random).isEqualTo(random);
        assertThat(zeros & random).isEqualTo(random);
        assertThat(uuids).hasSize(100);
    }

    @ParameterizedTest
    @CsvSource({
        "f47ac10b-58cc-4372-a567-0e02b2c3d479, 4, 2",
        "c232ab00-9414-11ec-b3c8-9f6bdeced846, 1, 2",
        "1ec9414c-232a-6b00-b3c8-9f6bdeced846, 6, 2",
        "00000000-0000-0000-0000-000000000000, 0, 0",
        "ffffffff-ffff-ffff-ffff-ffffffffffff, 15, 7",
        "019abcde-f012-7abc-40aa-c00000000000, 7, 0"
    })
    void refusesAnotherVersionOrVariant(UUID uuid, int version, int variant) {
        assertThatThrownBy(() -> SnowflakeLayout.STANDARD.id(uuid))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("UUID " + uuid + " has version " + version + " and variant " + variant
                        + ", not version 7 and variant 2 of RFC 9562");
    }

    @ParameterizedTest
    @CsvSource({
        "019abcde-f012-7abc-8040-000000000000, sequence, abc01, 12",
        "019abcde-f012-7abc-bfc0-000000000000, sequence, abcff, 12",
        "019abcde-f012-7abc-8000-000400000000, worker id, 00001, 10",
        "019abcde-f012-7abc-8000-0ffc00000000, worker id, 003ff, 10"
    })
    void refusesWhatTheLayoutHasNoBitsFor(UUID uuid, String part, String field, int bits) {
        assertThatThrownBy(() -> SnowflakeLayout.STANDARD.id(uuid))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("UUID " + uuid + ": its " + part + " field 0x" + field + " has more than " + bits
                        + " bits. It was made with another layout, or not of a snowflake.");
    }

    @Test
    void refusesATimeThatTheLayoutHasNotGot() {
        SnowflakeLayout layout = SnowflakeLayout.STANDARD;
        UUID before = uuid(layout.epoch().toEpochMilli() - 1);
        UUID past = uuid(layout.exhaustedAt().toEpochMilli() + 1);

        assertThat(layout.id(uuid(layout.epoch().toEpochMilli()))).isZero();
        assertThat(layout.id(uuid(layout.exhaustedAt().toEpochMilli()))).isEqualTo(layout.minId(layout.exhaustedAt()));
        assertThatThrownBy(() -> layout.id(before))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("UUID " + before + ": 2019-12-31T23:59:59.999Z is not between the epoch"
                        + " 2020-01-01T00:00:00Z and 2089-09-06T15:47:35.551Z");
        assertThatThrownBy(() -> layout.id(past))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("UUID " + past + ": 2089-09-06T15:47:35.552Z is not between the epoch"
                        + " 2020-01-01T00:00:00Z and 2089-09-06T15:47:35.551Z");
    }

    /** Of the first sequence and worker id. */
    private static UUID uuid(long unixMillis) {
        return new UUID(unixMillis << 16 | 0x7000, 1L << 63);
    }

    @Test
    void refusesAnIdWhoseTimeNoUuidHolds() {
        SnowflakeLayout early = new SnowflakeLayout(Instant.parse("1969-12-31T23:59:59.999Z"), 10, 12);
        SnowflakeLayout late = new SnowflakeLayout(LAST_OF_UUIDS, 10, 12);

        assertThat(early.uuid(1L << 22).toString()).startsWith("00000000-0000-7000-");
        assertThat(late.uuid(0).toString()).startsWith("ffffffff-ffff-7000-");
        assertThatThrownBy(() -> early.uuid(5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("id 5 is of 1969-12-31T23:59:59.999Z, and a UUID has times from 1970-01-01T00:00:00Z to"
                        + " +10889-08-02T05:31:50.655Z");
        assertThatThrownBy(() -> late.uuid(1L << 22))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("id 4194304 is of +10889-08-02T05:31:50.656Z");
        assertThatThrownBy(() -> late.uuid(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("id -1 is negative");
    }

    @Test
    void theJdksOwnOrderIsTheSameUntil6429() {
        SnowflakeLayout layout = new SnowflakeLayout(Instant.EPOCH, 1, 1);
        long turn = 1L << 47;

        UUID last = layout.uuid(layout.maxId(Instant.ofEpochMilli(turn - 1)));
        UUID first = layout.uuid(layout.minId(Instant.ofEpochMilli(turn)));

        assertThat(layout.uuid(0)).isLessThan(last);
        assertThat(layout.uuid(0)).isLessThan(layout.uuid(1));
        assertThat(Instant.ofEpochMilli(turn)).asString().startsWith("6429");
        assertThat(UNSIGNED.compare(last, first)).isNegative();
        assertThat(last.compareTo(first)).isPositive();
    }

    /** Has only what each generator must have. */
    private static Snowflake counting(long firstId) {
        return new Snowflake() {
            private long next = firstId;

            @Override
            public long nextId() {
                return next++;
            }

            @Override
            public long[] nextIds(int count) {
                throw new UnsupportedOperationException();
            }

            @Override
            public SnowflakeLayout layout() {
                return SnowflakeLayout.STANDARD;
            }

            @Override
            public SnowflakeStatus status() {
                throw new UnsupportedOperationException();
            }
        };
    }

    @Test
    void everyGeneratorMakesThemOfItsNextIds() {
        Snowflake ids = counting(77L << 22);

        assertThat(SnowflakeLayout.STANDARD.id(ids.nextUuid())).isEqualTo(77L << 22);
        assertThat(SnowflakeLayout.STANDARD.id(ids.nextUuid())).isEqualTo((77L << 22) + 1);
    }

    @Test
    void aMillionOfEightGeneratorsAreDistinctAndIncrease() throws Exception {
        List<UUID[]> all = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        CountDownLatch ready = new CountDownLatch(8);
        for (int workerId = 0; workerId < 8; workerId++) {
            SnowflakeSettings settings = SnowflakeSettings.of(Map.of(
                    "snowflake.coordinator", "static", "snowflake.static.worker-id", Integer.toString(workerId)));
            UUID[] mine = new UUID[125_000];
            all.add(mine);
            threads.add(new Thread(() -> {
                try (LeasedSnowflake ids =
                        LeasedSnowflake.open(settings, new StaticCoordinatorProvider(), Platform.system())) {
                    ready.countDown();
                    ready.await();
                    for (int i = 0; i < mine.length; i++) {
                        mine[i] = ids.nextUuid();
                    }
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        // Not by AssertJ, whose lists of a million take long.
        Set<Long> ids = new HashSet<>();
        for (UUID[] mine : all) {
            for (int i = 0; i < mine.length; i++) {
                if (i > 0 && UNSIGNED.compare(mine[i - 1], mine[i]) >= 0) {
                    assertThat(mine[i]).as("after %s", mine[i - 1]).isNull();
                }
                ids.add(SnowflakeLayout.STANDARD.id(mine[i]));
            }
        }
        assertThat(ids).hasSize(1_000_000);
        assertThat(all.stream().flatMap(Arrays::stream).distinct().count()).isEqualTo(1_000_000);
    }

    @Test
    void theyIncreaseOverAChangeOfTheWorkerIdAndAStepOfTheClock() {
        VirtualWorld world = new VirtualWorld(1);
        FakeStore store = new FakeStore(world);
        VirtualWorld.Machine process = world.new Machine();
        Set<Integer> workerIds = new HashSet<>();
        List<UUID> uuids = new ArrayList<>();

        try (LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(new HashMap<>()), store, process)) {
            for (int i = 0; i < 4_000; i++) {
                if (i % 1000 == 500) {
                    process.stepClock(Duration.ofMillis(-300));
                }
                if (i % 1000 == 0) {
                    int held = ids.status().workerId().orElseThrow();
                    workerIds.add(held);
                    store.takeOver(held, 5000);
                }
                uuids.add(ids.nextUuid());
                world.sleep(Duration.ofMillis(20));
            }
        }

        assertThat(workerIds).hasSizeGreaterThan(2);
        assertThat(uuids).isSortedAccordingTo(UNSIGNED).doesNotHaveDuplicates();
    }

    @Test
    void ofSeveralWorkerIdsTheyIncreaseForEachThread() throws Exception {
        VirtualWorld world = new VirtualWorld(1);
        FakeStore store = new FakeStore(world);
        VirtualWorld.Machine process = world.new Machine();
        Map<String, String> keys = Map.of("snowflake.workers", "3");
        List<List<UUID>> all = new ArrayList<>();
        try (LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(keys), store, process)) {
            for (int thread = 0; thread < 6; thread++) {
                List<UUID> mine = new ArrayList<>();
                all.add(mine);
                Thread unused = process.start("caller", () -> {
                    for (int i = 0; i < 10_000; i++) {
                        mine.add(ids.nextUuid());
                    }
                });
            }
            while (all.stream().anyMatch(mine -> mine.size() < 10_000)) {
                world.sleep(Duration.ofMillis(1));
            }
        }

        all.forEach(mine -> assertThat(mine).isSortedAccordingTo(UNSIGNED));
        assertThat(all.stream().flatMap(List::stream).distinct().count()).isEqualTo(60_000);
    }
}
