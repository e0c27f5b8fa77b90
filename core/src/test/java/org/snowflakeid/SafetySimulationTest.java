// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Processes on fewer worker ids than they need, in a world where everything fails at random. Checked are the grants at every
 * write of a mark, not only the ids: two overlapping grants are an error even if nobody happened to issue the same tick.
 */
class SafetySimulationTest {

    private static final Logger LOGGER = Logger.getLogger(LeasedSnowflake.class.getName());
    private static final int SEEDS_PER_BLOCK = 50;

    @BeforeAll
    static void quiet() {
        LOGGER.setLevel(Level.OFF);
    }

    @AfterAll
    static void loud() {
        LOGGER.setLevel(null);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void noFaultMakesGrantsOverlapOrIdsRepeat(int block) {
        for (int i = 0; i < SEEDS_PER_BLOCK; i++) {
            new Run((long) block * SEEDS_PER_BLOCK + i).play();
        }
    }

    private static final class Run {
        final long seed;
        final VirtualWorld world;
        final FakeStore store;
        final Random random;
        final int slots;
        final Map<Integer, Long> highestIssued = new HashMap<>();
        final Set<Long> issued = new HashSet<>();
        final Map<String, String> keys;
        final List<Participant> processes = new ArrayList<>();
        boolean over;

        Run(long seed) {
            this.seed = seed;
            world = new VirtualWorld(seed);
            store = new FakeStore(world);
            random = world.random();
            slots = 1 + random.nextInt(2);
            keys = Map.of(
                    "snowflake.window",
                    "PT12S",
                    "snowflake.startup-timeout",
                    "PT40S",
                    "snowflake.worker-ids",
                    "0-" + (slots - 1),
                    "snowflake.clock.on-rollback",
                    random.nextBoolean() ? "wait" : "continue",
                    "snowflake.burst",
                    random.nextInt(4) == 0 ? "PT1S" : "PT0S");
            store.observer = this::check;
            store.tellsTime = random.nextBoolean();
            store.mishapsOneIn = 4 + random.nextInt(20);
        }

        void check(int id, Mark before, Mark after) {
            long limit = before == null ? 0 : before.limit();
            String context = "seed " + seed + ", worker id " + id + ": " + before + " -> " + after;
            boolean released = after.token().startsWith("free-");
            if (released) {
                assertThat(after.limit()).as(context).isLessThanOrEqualTo(limit);
            } else if (before != null && before.from() == after.from() && after.count() == before.count() + 1) {
                assertThat(after.limit()).as(context).isGreaterThanOrEqualTo(limit);
            } else {
                assertThat(after.count()).as(context).isZero();
                assertThat(after.from()).as(context).isGreaterThanOrEqualTo(limit);
            }
            assertThat(after.limit()).as(context).isGreaterThan(highestIssued.getOrDefault(id, -1L));
        }

        void play() {
            int count = 2 + random.nextInt(2);
            for (int i = 0; i < count; i++) {
                processes.add(new Participant(this));
            }
            for (int round = 0; round < 40; round++) {
                world.sleep(Duration.ofMillis(random.nextInt(6000)));
                fault();
            }
            store.down = false;
            store.mishapsOneIn = 0;
            processes.forEach(process -> process.machine.restoreClock());
            world.sleep(Duration.ofMinutes(3));
            long before = issued.size();
            world.sleep(Duration.ofMinutes(2));
            assertThat(issued.size())
                    .as("seed %d: ids after the faults ended; %s %s", seed, store.marks, store.owners)
                    .isGreaterThan((int) before);
            over = true;
            processes.forEach(process -> process.machine.crash());
            world.sleep(Duration.ofSeconds(1));
            processes.forEach(
                    process -> assertThat(process.failure).as("seed " + seed).isNull());
        }

        void fault() {
            Participant process = processes.get(random.nextInt(processes.size()));
            switch (random.nextInt(9)) {
                case 0 -> store.down = !store.down;
                case 1 -> store.owners.clear();
                case 2 -> process.machine.pause(Duration.ofMillis(random.nextInt(25_000)));
                case 3 -> process.machine.stepClock(Duration.ofMillis(random.nextInt(40_000) - 20_000));
                // Without a reference the first process of all is believed whatever it says, and may poison every mark.
                case 4 ->
                    process.machine.stepClock(
                            store.tellsTime
                                    ? Duration.ofDays(random.nextInt(51_100) - 25_550)
                                    : Duration.ofSeconds(-8));
                case 5 -> process.machine.restoreClock();
                case 6 -> {
                    process.machine.crash();
                    processes.set(processes.indexOf(process), new Participant(this));
                }
                case 7 -> process.close = true;
                default -> store.hintLoss();
            }
        }
    }

    /** Opens, issues, closes and opens again. */
    private static final class Participant {
        final VirtualWorld.Machine machine;
        boolean close;
        Throwable failure;

        Participant(Run run) {
            machine = run.world.new Machine();
            Thread unused = machine.start("process", () -> live(run));
        }

        private void live(Run run) {
            try {
                while (!run.over) {
                    try (LeasedSnowflake ids =
                            LeasedSnowflake.open(SnowflakeSettings.of(run.keys), run.store, machine)) {
                        close = false;
                        issue(run, ids);
                    } catch (SnowflakeException e) {
                        run.world.sleep(Duration.ofSeconds(1));
                    }
                }
            } catch (AssertionError | RuntimeException e) {
                failure = e;
            }
        }

        private void issue(Run run, LeasedSnowflake ids) {
            long last = -1;
            while (!close) {
                try {
                    long[] batch = run.random.nextBoolean()
                            ? new long[] {ids.nextId()}
                            : ids.nextIds(1 + run.random.nextInt(5000));
                    for (long id : batch) {
                        assertThat(id).as("seed %d: ids increase", run.seed).isGreaterThan(last);
                        last = id;
                        IdParts parts = ids.layout().decode(id);
                        long tick = ids.layout().tickOf(parts.timestamp().toEpochMilli());
                        run.highestIssued.merge(parts.workerId(), tick, Math::max);
                    }
                    assertThat(run.issued.add(batch[0]))
                            .as("seed %d: duplicate %d", run.seed, batch[0])
                            .isTrue();
                    if (batch.length > 1) {
                        assertThat(run.issued.add(last))
                                .as("seed %d: duplicate %d", run.seed, last)
                                .isTrue();
                    }
                } catch (CoordinatorRegressedException e) {
                    throw new AssertionError("seed " + run.seed + ": false alarm", e);
                } catch (SnowflakeException unavailable) {
                    // another time
                }
                run.world.sleep(Duration.ofMillis(50 + run.random.nextInt(3000)));
            }
        }
    }
}
