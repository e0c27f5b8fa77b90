// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.SnowflakeEvent.Claimed;
import org.snowflakeid.SnowflakeEvent.Lost;
import org.snowflakeid.SnowflakeEvent.Resumed;
import org.snowflakeid.SnowflakeEvent.Suspended;
import org.snowflakeid.SnowflakeEvent.Swapped;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.keeper.EventDelivery;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.RecordLine;

class SnowflakeEventTest {

    private static final String NAME = SnowflakeSettings.DEFAULT_GENERATOR;

    private VirtualWorld world = new VirtualWorld(1);
    private FakeStore store = new FakeStore(world);
    private final Map<String, String> keys = new HashMap<>(Map.of("snowflake.worker-ids", "0-1"));
    private final List<SnowflakeEvent> told = new ArrayList<>();
    private final List<Instant> times = new ArrayList<>();

    private LeasedSnowflake open(VirtualWorld.Machine process, Consumer<SnowflakeEvent> listener) {
        return LeasedSnowflake.open(SnowflakeSettings.of(keys), store, process, listener);
    }

    private LeasedSnowflake open() {
        return open(world.new Machine(), this::note);
    }

    private void note(SnowflakeEvent event) {
        told.add(event);
        times.add(world.trueTime());
    }

    private int workerId(LeasedSnowflake generator) {
        return generator.status().workerId().orElseThrow();
    }

    private void seconds(long seconds) {
        world.sleep(Duration.ofSeconds(seconds));
    }

    /** Another process was granted the ticks after ours. */
    private void takeOver(int id) {
        long limit = store.mark(id).limit();
        store.putMark(
                id,
                Mark.next(
                                RecordLine.NONE,
                                limit + 5000,
                                "another",
                                0,
                                limit,
                                world.trueTime(),
                                SnowflakeLayout.STANDARD,
                                1)
                        .value());
    }

    @Test
    void tellsOfTheFirstClaimOnce() {
        LeasedSnowflake ids = open();

        seconds(300);

        assertThat(told).containsExactly(new Claimed(NAME, workerId(ids)));
    }

    @Test
    void aLostOwnerEntryIsToldAndThatItsWorkerIdIsClaimedAgain() {
        LeasedSnowflake ids = open();
        int id = workerId(ids);
        seconds(60);
        told.clear();

        store.owners.clear();
        store.hintLoss();
        seconds(60);

        assertThat(told)
                .containsExactly(new Lost(NAME, id, "The owner entry in fake is gone."), new Swapped(NAME, id, id));
    }

    @Test
    void aTakeoverIsToldAndWhichWorkerIdFollows() {
        LeasedSnowflake ids = open();
        int id = workerId(ids);
        seconds(60);
        told.clear();

        takeOver(id);
        seconds(60);

        assertThat(told).hasSize(2).element(0).isInstanceOfSatisfying(Lost.class, lost -> {
            assertThat(lost.workerId()).isEqualTo(id);
            assertThat(lost.reason()).startsWith("Another process was granted what comes after 2026-03-01T10:");
        });
        assertThat(told).element(1).isEqualTo(new Swapped(NAME, id, 1 - id));
    }

    @Test
    void aUsedUpWindowIsToldWhenItEndsThoughNoCallAsksForIds() {
        LeasedSnowflake ids = open();
        int id = workerId(ids);
        seconds(60);
        told.clear();
        times.clear();
        Instant end = ids.status().reservedUntil().orElseThrow();

        store.down = true;
        seconds(120);

        assertThat(told).singleElement().isInstanceOfSatisfying(Suspended.class, suspended -> {
            assertThat(suspended.workerId()).isEqualTo(id);
            assertThat(suspended.reason()).contains("Last error from fake");
        });
        assertThat(times.get(0)).isBetween(end, end.plusSeconds(3));
        Instant back = world.trueTime();

        store.down = false;
        seconds(60);

        assertThat(told).last().isEqualTo(new Resumed(NAME, workerId(ids)));
        // The owner entry expired meanwhile.
        assertThat(told.subList(1, told.size() - 1)).hasOnlyElementsOfTypes(Lost.class, Swapped.class);
        assertThat(times.get(times.size() - 1)).isBetween(back, back.plusSeconds(3));
    }

    @Test
    void aShortOutageIsNotTold() {
        open();
        seconds(60);
        told.clear();

        store.down = true;
        seconds(38);
        store.down = false;
        seconds(60);

        assertThat(told).isEmpty();
    }

    @Test
    void aClockThatStaysBehindIsTold() {
        keys.put("snowflake.clock.max-skew", "PT5M");
        VirtualWorld.Machine process = world.new Machine();
        LeasedSnowflake ids = open(process, this::note);
        seconds(60);
        ids.nextId();
        told.clear();

        process.stepClock(Duration.ofMinutes(-2));
        seconds(25);

        assertThat(told).singleElement().isInstanceOfSatisfying(Suspended.class, suspended -> assertThat(
                        suspended.reason())
                .contains("behind the last id"));

        process.restoreClock();
        seconds(2);

        assertThat(told).last().isEqualTo(new Resumed(NAME, workerId(ids)));
    }

    @Test
    void lostDataIsToldAsTheEndOfIds() {
        LeasedSnowflake ids = open();
        int id = workerId(ids);
        seconds(60);
        told.clear();

        store.marks.clear();
        seconds(300);

        assertThat(told).singleElement().isInstanceOfSatisfying(Suspended.class, suspended -> {
            assertThat(suspended.workerId()).isEqualTo(id);
            assertThat(suspended.reason()).contains("lost the mark of worker id " + id);
        });
        assertThatThrownBy(ids::nextId).isInstanceOf(CoordinatorRegressedException.class);
    }

    @Test
    void theEndOfIdsInARetiredNamespaceIsToldWhenItComes() {
        LeasedSnowflake ids = open();
        seconds(60);
        told.clear();
        times.clear();
        store.putMeta(store.meta.value().replace("state=active", "state=retired"));
        Instant end = ids.status().reservedUntil().orElseThrow();
        seconds(7);
        store.hintLoss();

        seconds(300);

        assertThat(told).singleElement().isInstanceOfSatisfying(Suspended.class, suspended -> assertThat(
                        suspended.reason())
                .contains("retired"));
        assertThat(times.get(0)).isBetween(end, end.plusMillis(10));
    }

    @Test
    void aStartThatFailsTellsNothing() {
        open(world.new Machine(), event -> {});
        open(world.new Machine(), event -> {});

        assertThatThrownBy(this::open).isInstanceOf(NoFreeWorkerIdException.class);

        seconds(60);
        assertThat(told).isEmpty();
    }

    /** Whatever happens, events make sense and agree with the generator's status. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void eventsTellAConsistentStory(long seed) {
        world = new VirtualWorld(seed);
        store = new FakeStore(world);
        Random random = world.random();
        LeasedSnowflake ids = open();
        for (int i = 0; i < 60; i++) {
            switch (random.nextInt(4)) {
                case 0 -> store.down = !store.down;
                case 1 -> store.owners.clear();
                case 2 -> ids.status().workerId().ifPresent(this::takeOver);
                default -> store.hintLoss();
            }
            seconds(random.nextInt(90));
        }
        store.down = false;
        seconds(300);

        assertThat(ids.status().state()).isEqualTo(State.ACTIVE);
        assertThat(told).first().isInstanceOf(Claimed.class);
        int workerId = told.get(0).workerId();
        boolean lost = false;
        boolean suspended = false;
        for (SnowflakeEvent event : told.subList(1, told.size())) {
            assertThat(event).as("%s", told).isNotInstanceOf(Claimed.class);
            if (event instanceof Swapped swapped) {
                assertThat(swapped.previousWorkerId()).isEqualTo(workerId);
                assertThat(lost).as("%s", told).isTrue();
                lost = false;
                workerId = swapped.workerId();
            } else if (event instanceof Lost) {
                assertThat(lost).as("%s", told).isFalse();
                lost = true;
            } else {
                assertThat(event instanceof Suspended).as("%s", told).isEqualTo(!suspended);
                suspended = !suspended;
            }
            assertThat(event.workerId()).isEqualTo(workerId);
        }
        assertThat(workerId).isEqualTo(workerId(ids));
        assertThat(lost).isFalse();
        assertThat(suspended).isFalse();
        Map<Class<?>, Long> counts = told.stream().collect(toMap(SnowflakeEvent::getClass, event -> 1L, Long::sum));
        assertThat(counts).containsKeys(Lost.class, Swapped.class, Suspended.class, Resumed.class);
    }

    @Nested
    class Listeners {

        @Test
        void aSlowOneDelaysNoExtensionAndHearsAllInOrder() {
            LeasedSnowflake ids = open(world.new Machine(), event -> {
                seconds(600);
                note(event);
            });
            int id = workerId(ids);
            for (int i = 0; i < 25; i++) {
                seconds(20);
                assertThat(ids.status().ready()).isTrue();
                ids.nextId();
            }
            assertThat(told).isEmpty();
            store.owners.clear();
            seconds(25);
            assertThat(store.owner(id)).isNotNull();

            seconds(1800);

            assertThat(told).hasSize(3);
            assertThat(told.get(0)).isEqualTo(new Claimed(NAME, id));
            assertThat(told.get(1)).isInstanceOf(Lost.class);
            assertThat(told.get(2)).isEqualTo(new Swapped(NAME, id, id));
        }

        @Test
        void oneThatThrowsHearsTheNextEvent() {
            LeasedSnowflake ids = open(world.new Machine(), event -> {
                note(event);
                Thread.currentThread().interrupt();
                if (event instanceof Claimed) {
                    throw new AssertionError("no");
                }
                throw new IllegalStateException("not yet");
            });
            seconds(60);
            store.owners.clear();
            seconds(25);

            assertThat(told).hasSize(3);
            assertThat(ids.status().ready()).isTrue();
        }

        @Test
        void nothingIsToldAfterClose() {
            LeasedSnowflake ids = open(world.new Machine(), event -> {
                note(event);
                seconds(100);
            });
            seconds(60);
            store.owners.clear();
            seconds(25);

            ids.close();
            seconds(300);

            assertThat(told).singleElement().isInstanceOf(Claimed.class);
        }

        @Test
        void oneMayCloseTheGenerator() {
            List<LeasedSnowflake> opened = new ArrayList<>();
            opened.add(open(world.new Machine(), event -> {
                if (event instanceof Lost) {
                    opened.get(0).close();
                }
                note(event);
            }));
            seconds(60);

            store.owners.clear();
            seconds(25);

            assertThat(told).hasSize(2).last().isInstanceOf(Lost.class);
            assertThat(opened.get(0).status().state()).isEqualTo(State.CLOSED);
        }

        @Test
        void whatIsTooMuchForOneIsDroppedAndLoggedOnce() {
            List<String> lines = new ArrayList<>();
            Handler handler = noting(lines);
            Logger logger = Logger.getLogger("org.snowflakeid");
            logger.addHandler(handler);
            try {
                EventDelivery events = new EventDelivery(world.new Machine(), NAME, event -> {
                    note(event);
                    seconds(10);
                });
                for (int i = 0; i < 100; i++) {
                    events.add(new Claimed(NAME, i));
                }
                seconds(1000);

                assertThat(told).hasSize(64).last().isEqualTo(new Claimed(NAME, 63));
                assertThat(lines)
                        .containsExactly("snowflake 'default': a listener is too slow: events are dropped, first "
                                + new Claimed(NAME, 64));

                events.add(new Claimed(NAME, 100));
                seconds(10);

                assertThat(told).last().isEqualTo(new Claimed(NAME, 100));
            } finally {
                logger.removeHandler(handler);
            }
        }

        private static Handler noting(List<String> lines) {
            return new Handler() {
                @Override
                public void publish(LogRecord line) {
                    lines.add(line.getMessage());
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };
        }

        @Test
        void theirThreadHasTheCallersClassLoaderAndEndsWhenAllIsTold() throws Exception {
            Thread caller = Thread.currentThread();
            ClassLoader before = caller.getContextClassLoader();
            ClassLoader application = new ClassLoader(before) {};
            List<Thread> threads = new ArrayList<>();
            List<ClassLoader> loaders = new ArrayList<>();
            CountDownLatch heard = new CountDownLatch(1);
            caller.setContextClassLoader(application);
            try (LeasedSnowflake ids = LeasedSnowflake.open(
                    SnowflakeSettings.of(Map.of("snowflake.coordinator", "static", "snowflake.static.worker-id", "7")),
                    event -> {
                        threads.add(Thread.currentThread());
                        loaders.add(Thread.currentThread().getContextClassLoader());
                        heard.countDown();
                    })) {
                caller.setContextClassLoader(before);

                assertThat(heard.await(10, TimeUnit.SECONDS)).isTrue();
                assertThat(ids.nextId()).isPositive();
                assertThat(loaders).containsExactly(application);
                assertThat(threads).singleElement().satisfies(thread -> {
                    assertThat(thread.getName()).isEqualTo("snowflake-default-events");
                    assertThat(thread.isDaemon()).isTrue();
                    thread.join(10_000);
                    assertThat(thread.isAlive()).isFalse();
                });
            } finally {
                caller.setContextClassLoader(before);
            }
        }
    }
}
