// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.config.StaticCoordinatorProvider;

/** Many threads want more ids than there are. Processors are unlimited and infinitely fast here: only waiting takes time. */
class FairWaitingTest {

    private final VirtualWorld world = new VirtualWorld(1);
    private final VirtualWorld.Machine process = world.new Machine();
    private final List<Caller> callers = new ArrayList<>();
    private LeasedSnowflake ids;
    private boolean ended;
    private long waits;
    private Runnable beforeNextUnpark = () -> {};

    /** The thread that fails with an error when it wakes up. */
    private @Nullable Thread dying;

    private void open(int sequenceBits) {
        ids = LeasedSnowflake.open(
                SnowflakeSettings.of(Map.of(
                        "snowflake.coordinator", "static",
                        "snowflake.static.worker-id", "7",
                        "snowflake.sequence-bits", "" + sequenceBits)),
                new StaticCoordinatorProvider(),
                new CountingPlatform());
        world.sleep(Duration.ofMillis(10));
    }

    @AfterEach
    void endAll() {
        ended = true;
        ids.close();
    }

    private final class CountingPlatform extends DelegatingPlatform {
        CountingPlatform() {
            super(process);
        }

        @Override
        public void park(long nanos) {
            waits++;
            process.park(nanos);
            if (Thread.currentThread().equals(dying)) {
                throw new OutOfMemoryError("planted");
            }
        }

        @Override
        public void awaitNextMillis() {
            waits++;
            process.awaitNextMillis();
        }

        @Override
        public void unpark(Thread thread) {
            Runnable now = beforeNextUnpark;
            beforeNextUnpark = () -> {};
            now.run();
            process.unpark(thread);
        }
    }

    /** Takes ids until the end. */
    private class Caller implements Runnable {
        long calls;
        long longestNanos;

        /** When the current call began. */
        long calledNanos;

        void call() {
            long unused = ids.nextId();
        }

        @Override
        public void run() {
            try {
                while (!ended) {
                    calledNanos = world.nanoTime();
                    call();
                    longestNanos = longestNanos();
                    calls++;
                }
            } catch (SnowflakeUnavailableException closed) {
                // the end
            }
        }

        long longestNanos() {
            return Math.max(longestNanos, world.nanoTime() - calledNanos);
        }
    }

    private void start(int count) {
        for (int i = 0; i < count; i++) {
            start(new Caller());
        }
    }

    private void start(Caller caller) {
        callers.add(caller);
        process.start("caller", caller);
    }

    private double longestMillis() {
        return callers.stream().mapToLong(Caller::longestNanos).max().orElseThrow() / 1e6;
    }

    @Test
    void letsNoCallWaitLongerThanTwoRoundsOfAll() {
        open(4);
        start(200);

        world.sleep(Duration.ofSeconds(1));

        assertThat(longestMillis()).as("ms, where a round takes 12.5").isLessThanOrEqualTo(2 * 12.5);
        assertThat(callers).allSatisfy(caller -> assertThat(caller.calls).isBetween(70L, 100L));
    }

    @Test
    void letsNoCallWaitLongerThanTwoRoundsOfAThousand() {
        open(4);
        start(1_000);

        world.sleep(Duration.ofSeconds(1));

        assertThat(longestMillis()).as("ms, where a round takes 62.5").isLessThanOrEqualTo(2 * 62.5);
    }

    @Test
    void wakesAThreadOnlyForAnIdOrToWaitForTheClock() {
        open(4);
        start(200);
        world.sleep(Duration.ofMillis(100));
        waits = 0;

        world.sleep(Duration.ofSeconds(1));

        // In each millisecond 16 threads wait for their ids, and one of them for the clock.
        assertThat(waits).isLessThanOrEqualTo((16 + 4) * 1_000);
    }

    @Test
    void servesThreadsBesideOneThatWantsMillions() {
        open(4);
        start(20);
        start(new Caller() {
            @Override
            void call() {
                long[] unused = ids.nextIds(1_000_000);
            }
        });

        world.sleep(Duration.ofSeconds(1));

        // A large batch gets as much as it may take in its turn: half a millisecond's ids.
        assertThat(callers.subList(0, 20))
                .allSatisfy(caller -> assertThat(caller.longestNanos() / 1e6).isLessThanOrEqualTo(10))
                .allSatisfy(caller -> assertThat(caller.calls).isGreaterThan(200));
    }

    @Test
    void issuesAllThereIsWhileManyWait() {
        open(4);
        start(200);
        world.sleep(Duration.ofMillis(100));
        long before = callers.stream().mapToLong(caller -> caller.calls).sum();

        world.sleep(Duration.ofSeconds(1));

        long after = callers.stream().mapToLong(caller -> caller.calls).sum();
        assertThat(after - before).isBetween(15_900L, 16_016L);
    }

    @Test
    void servesACrowdThatWantsOneIdEachAsSoonAsThereAreIds() {
        open(12);
        long[] all = ids.nextIds(4_096);
        assertThat(all).hasSize(4_096);
        List<Long> got = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            process.start("once", () -> got.add(ids.nextId()));
        }

        world.sleep(Duration.ofMillis(3));

        assertThat(got).hasSize(3_000).doesNotHaveDuplicates();
    }

    // the id went to the call that was next then: it lay below one that had been returned before that call began
    @Test
    void losesTheIdOfACallThatEndedRatherThanGiveItToALaterOne() {
        open(3);
        List<Long> before = new ArrayList<>();
        List<Long> later = new ArrayList<>();
        process.start("leader", () -> {
            for (int i = 0; i < 9; i++) {
                before.add(ids.nextId());
            }
        });
        world.sleep(Duration.ofNanos(1_000));
        process.start("served", () -> before.add(ids.nextId()));
        world.sleep(Duration.ofNanos(1_000));
        Thread ending = process.start("ending", () -> before.add(ids.nextId()));
        beforeNextUnpark = () -> {
            dying = ending;
            process.unpark(ending);
            world.sleep(Duration.ofNanos(1_000));
            // All that is left of the millisecond, so that the next call waits behind the two.
            for (int i = 0; i < 5; i++) {
                before.add(ids.nextId());
            }
            process.start("later", () -> later.add(ids.nextId()));
            world.sleep(Duration.ofNanos(1_000));
        };

        world.sleep(Duration.ofMillis(3));

        assertThat(before).hasSize(15);
        assertThat(later).hasSize(1);
        assertThat(later.get(0)).isGreaterThan(Collections.max(before));
    }
}
