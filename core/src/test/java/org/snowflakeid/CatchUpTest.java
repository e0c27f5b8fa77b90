// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.config.StaticCoordinatorProvider;

/**
 * A generator whose ids are used up, on a machine where threads that wait for the next millisecond wake up late. It has 16 ids a
 * millisecond.
 */
class CatchUpTest {

    private static final int PER_TICK = 16;

    private final StoppedClock platform = new StoppedClock();
    private final Map<String, String> keys =
            new HashMap<>(Map.of("snowflake.worker-ids", "7", "snowflake.sequence-bits", "4"));

    private LeasedSnowflake ids;
    private long begin;

    /** Moves only where a test says so, and by {@link #wakesAfter} milliseconds where a thread waits for the next one. */
    private static final class StoppedClock extends DelegatingPlatform {
        private final AtomicLong millis = new AtomicLong();
        private final long wall = System.currentTimeMillis();
        private volatile int wakesAfter = 1;
        private final AtomicLong waits = new AtomicLong();

        StoppedClock() {
            super(Platform.system());
        }

        @Override
        public long wallMillis() {
            return wall + millis.get();
        }

        @Override
        public long nanoTime() {
            return millis.get() * 1_000_000;
        }

        @Override
        public void awaitNextMillis() {
            waits.incrementAndGet();
            millis.addAndGet(wakesAfter);
        }
    }

    @BeforeEach
    void open() {
        openWith();
    }

    private void openWith(String... keysAndValues) {
        if (ids != null) {
            ids.close();
        }
        for (int i = 0; i < keysAndValues.length; i += 2) {
            keys.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        ids = LeasedSnowflake.open(SnowflakeSettings.of(keys), new StaticCoordinatorProvider(), platform);
        begin = platform.wallMillis();
    }

    @AfterEach
    void close() {
        ids.close();
    }

    /** How many milliseconds after the beginning of the test an id is dated. */
    private long dated(long id) {
        return ids.layout().decode(id).timestamp().toEpochMilli() - begin;
    }

    private long[] dated(long... several) {
        return LongStream.of(several).map(this::dated).toArray();
    }

    /** Uses up the first millisecond and takes the first id after it; a thread that waits for that wakes up so many milliseconds later. */
    private long useUpAndWakeAfter(int millis) {
        platform.wakesAfter = millis;
        long id = ids.nextId();
        while (platform.waits.get() == 0) {
            id = ids.nextId();
        }
        platform.wakesAfter = 1;
        return id;
    }

    private long[] take(int count) {
        return LongStream.generate(ids::nextId).limit(count).toArray();
    }

    @Test
    void nothingIsLostByWakingLate() {
        long first = useUpAndWakeAfter(5);

        long[] rest = take(5 * PER_TICK - 1);

        assertThat(dated(first)).isEqualTo(1);
        assertThat(dated(rest[PER_TICK - 2])).isEqualTo(1);
        assertThat(dated(rest[PER_TICK - 1])).isEqualTo(2);
        assertThat(dated(rest[rest.length - 1])).isEqualTo(5);
        assertThat(rest).isSorted().doesNotHaveDuplicates();
        assertThat(platform.waits).as("waits").hasValue(1);

        assertThat(dated(ids.nextId())).isEqualTo(6);
        assertThat(platform.waits).as("waits").hasValue(2);
    }

    @Test
    void nothingIsLostBySeveralLateWakesInARow() {
        long[] all = new long[40 * PER_TICK];
        platform.wakesAfter = 7;

        Arrays.setAll(all, i -> ids.nextId());

        long ticks = dated(all[all.length - 1]) - dated(all[0]) + 1;
        // The first tick may begin at any of its first sequence numbers.
        assertThat(ticks).isBetween(40L, 41L);
    }

    @Test
    void aThreadThatIsPreemptedInAMillisecondAfterOneThatWasUsedUpGoesOnInIt() {
        long first = useUpAndWakeAfter(1);
        assertThat(dated(first)).isEqualTo(1);

        platform.millis.addAndGet(6);

        assertThat(dated(take(2))).containsExactly(1, 1);
    }

    @Test
    void aBatchGoesOnTooAndWhatFollowsIt() {
        long first = useUpAndWakeAfter(9);

        long[] batch = ids.nextIds(3 * PER_TICK);
        long next = ids.nextId();

        assertThat(dated(first)).isEqualTo(1);
        assertThat(dated(batch[0])).isEqualTo(1);
        assertThat(dated(batch[batch.length - 1])).isEqualTo(4);
        assertThat(dated(next)).isEqualTo(4);
        assertThat(platform.waits).as("waits").hasValue(1);
    }

    @Test
    void idsAreNoOlderThanMaxLag() {
        assertThat(dated(useUpAndWakeAfter(11))).isEqualTo(1);

        platform.millis.addAndGet(1);

        assertThat(dated(ids.nextId())).isEqualTo(12);
    }

    @Test
    void idsAreNoOlderThanMaxLagAllowsWhereItIsSet() {
        openWith("snowflake.clock.max-lag", "PT0.003S");

        assertThat(dated(useUpAndWakeAfter(5))).isEqualTo(5);
    }

    @Test
    void withoutLagIdsAreDatedNow() {
        openWith("snowflake.clock.max-lag", "PT0S");

        assertThat(dated(useUpAndWakeAfter(3))).isEqualTo(3);
        assertThat(dated(ids.nextId())).isEqualTo(3);
    }

    @Test
    void aGeneratorThatWasNotUsedUpDatesItsIdsNow() {
        for (int i = 1; i <= 100; i++) {
            platform.millis.addAndGet(i % 5 + 1);
            long now = platform.wallMillis() - begin;

            assertThat(dated(take(i % 9 + 1))).containsOnly(now);
        }
    }

    @Test
    void afterItHasCaughtUpIdsAreDatedNow() {
        long first = useUpAndWakeAfter(4);
        assertThat(dated(first)).isEqualTo(1);
        assertThat(dated(take(3 * PER_TICK + 5))).contains(4);

        platform.millis.addAndGet(11);
        long[] later = take(3);
        platform.millis.addAndGet(2);
        long[] last = take(3);

        assertThat(dated(later)).containsOnly(15);
        assertThat(dated(last)).containsOnly(17);
    }

    @Test
    void theLimitHolds() {
        openWith("snowflake.clock.max-lag", "PT0.01S", "snowflake.burst", "PT0.002S");
        platform.wakesAfter = 8;

        long[] all = take(100 * PER_TICK);

        assertThat(all).isSorted().doesNotHaveDuplicates();
        assertThat(dated(all[all.length - 1])).isLessThanOrEqualTo(platform.wallMillis() - begin + 2);
    }
}
