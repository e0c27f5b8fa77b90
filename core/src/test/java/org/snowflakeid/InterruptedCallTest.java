// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.config.StaticCoordinatorProvider;

/** An interrupt ends only waits for more than the next millisecond, and is never lost. */
class InterruptedCallTest {

    private final VirtualWorld world = new VirtualWorld(1);
    private final FakeStore store = new FakeStore(world);
    private final VirtualWorld.Machine process = world.new Machine();
    private final Map<String, String> keys = new HashMap<>(Map.of("snowflake.sequence-bits", "4"));
    private LeasedSnowflake ids;

    private void open() {
        ids = LeasedSnowflake.open(SnowflakeSettings.of(Map.copyOf(keys)), store, process);
        // Sleeps to the beginning of a millisecond.
        world.sleep(Duration.ofNanos(1_000_000 - world.nanoTime() % 1_000_000));
    }

    @AfterEach
    void close() {
        Thread.interrupted();
        ids.close();
    }

    /** Uses up the ids of this millisecond. */
    private void useUpThisMillisecond() {
        long begin = world.trueMillis();
        int taken = 0;
        while (taken < 16) {
            long[] first = ids.nextIds(1);
            taken = ids.layout().decode(first[0]).sequence() + 1;
        }
        assertThat(world.trueMillis()).isEqualTo(begin);
    }

    private void interrupt() {
        Thread.currentThread().interrupt();
    }

    private boolean isInterrupted() {
        return Thread.currentThread().isInterrupted();
    }

    // an interrupt ends one wait, but the call itself set the flag again: it looked at the clock a thousand times a
    // millisecond
    @Test
    void sleepsWhileItWaitsForItsTurn() throws Exception {
        AtomicInteger parks = new AtomicInteger();
        open();
        try (LeasedSnowflake few = LeasedSnowflake.open(
                SnowflakeSettings.of(Map.of(
                        "snowflake.coordinator", "static",
                        "snowflake.static.worker-id", "1",
                        "snowflake.sequence-bits", "1")),
                new StaticCoordinatorProvider(),
                new CountingParks(parks))) {
            List<Thread> callers = Stream.generate(() -> new Thread(() -> callInterrupted(few, 200)))
                    .limit(4)
                    .toList();
            callers.forEach(Thread::start);
            for (Thread caller : callers) {
                caller.join();
            }
        }

        // Most calls fail, since they would have to wait for longer. A call that does wait parks a few times.
        assertThat(parks).hasValueLessThan(4 * 200 * 20);
    }

    private static void callInterrupted(LeasedSnowflake generator, int calls) {
        Thread.currentThread().interrupt();
        for (int i = 0; i < calls; i++) {
            try {
                long unused = generator.nextId();
            } catch (SnowflakeUnavailableException wouldHaveToWait) {
                // The call fails, as it should.
            }
        }
    }

    /** The system's platform, except for that. */
    private static final class CountingParks extends DelegatingPlatform {
        private final AtomicInteger parks;

        CountingParks(AtomicInteger parks) {
            super(Platform.system());
            this.parks = parks;
        }

        @Override
        public void park(long nanos) {
            parks.incrementAndGet();
            super.park(nanos);
        }
    }

    @Test
    void getsAnIdOfThisMillisecond() {
        open();
        interrupt();

        assertThat(ids.nextId()).isPositive();

        assertThat(isInterrupted()).isTrue();
    }

    @Test
    void getsAnIdOfTheNextMillisecond() {
        open();
        useUpThisMillisecond();
        long before = world.trueMillis();
        interrupt();

        long id = ids.nextId();

        assertThat(isInterrupted()).isTrue();
        assertThat(ids.layout().decode(id).timestamp().toEpochMilli()).isEqualTo(before + 1);
    }

    @Test
    void getsAnIdOfTheNextMillisecondIfInterruptedWhileItWaits() {
        open();
        useUpThisMillisecond();
        Thread caller = Thread.currentThread();
        world.later(Duration.ofNanos(100_000), caller::interrupt);

        assertThat(ids.nextId()).isPositive();

        assertThat(isInterrupted()).isTrue();
    }

    @Test
    void getsABatchThatEndsInTheNextMillisecond() {
        open();
        useUpThisMillisecond();
        interrupt();

        assertThat(ids.nextIds(16)).hasSize(16);

        assertThat(isInterrupted()).isTrue();
    }

    @Test
    void getsNoBatchThatTakesSeveralMilliseconds() {
        open();
        useUpThisMillisecond();
        long before = world.trueMillis();
        interrupt();

        assertThatThrownBy(() -> ids.nextIds(100))
                .isInstanceOf(SnowflakeUnavailableException.class)
                .hasMessageContaining("interrupted");

        assertThat(isInterrupted()).isTrue();
        assertThat(world.trueMillis() - before).isLessThanOrEqualTo(2);
    }

    @Test
    void getsNoIdFromAWindowThatHasEnded() {
        open();
        store.down = true;
        world.sleep(Duration.ofSeconds(70));
        interrupt();

        assertThatThrownBy(() -> ids.nextId()).isInstanceOf(SnowflakeUnavailableException.class);

        assertThat(isInterrupted()).isTrue();
    }

    @Test
    void getsNoIdWhileTheClockIsFarBehind() {
        open();
        assertThat(ids.nextId()).isPositive();
        process.stepClock(Duration.ofMillis(-400));
        long before = world.trueMillis();
        interrupt();

        assertThatThrownBy(() -> ids.nextId())
                .isInstanceOf(SnowflakeUnavailableException.class)
                .hasMessageContaining("interrupted");

        assertThat(isInterrupted()).isTrue();
        assertThat(world.trueMillis() - before).isLessThanOrEqualTo(2);
    }

    @Test
    void doesNotWaitBehindMoreThanTheNextMillisecondServes() {
        open();
        for (int i = 0; i < 200; i++) {
            process.start("other", () -> {
                try {
                    long[] unused = ids.nextIds(1_000_000);
                } catch (SnowflakeUnavailableException closed) {
                    // the end
                }
            });
        }
        world.sleep(Duration.ofMillis(50));
        long before = world.trueMillis();
        interrupt();

        try {
            assertThat(ids.nextId()).isPositive();
        } catch (SnowflakeUnavailableException e) {
            assertThat(e).hasMessageContaining("interrupted");
        }

        assertThat(isInterrupted()).isTrue();
        assertThat(world.trueMillis() - before).isLessThanOrEqualTo(3);
    }
}
