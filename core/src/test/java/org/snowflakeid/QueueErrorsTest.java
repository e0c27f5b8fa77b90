// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.snowflakeid.config.StaticCoordinatorProvider;

/** An Error that ends one call, wherever that waits, does not slow down the others. */
class QueueErrorsTest {

    private static final Map<String, String> TWO_IDS_A_MILLISECOND = Map.of(
            "snowflake.coordinator", "static",
            "snowflake.static.worker-id", "7",
            "snowflake.sequence-bits", "1");

    /** What a call asks of the platform. */
    private enum Asked {
        WALL_MILLIS,
        NANO_TIME,
        PARK,
        AWAIT_NEXT_MILLIS,
        UNPARK
    }

    /** In virtual time: the test chooses which call fails, and counts how fast the others are. */
    @Nested
    class Chosen {
        private final VirtualWorld world = new VirtualWorld(1);
        private final VirtualWorld.Machine process = world.new Machine();
        private final LeasedSnowflake ids = LeasedSnowflake.open(
                SnowflakeSettings.of(TWO_IDS_A_MILLISECOND), new StaticCoordinatorProvider(), new FailingPlatform());

        private @Nullable Thread doomed;
        private @Nullable Asked fatal;
        private Supplier<Error> error = StackOverflowError::new;
        private int spared;
        private int errors;
        private int issued;
        private boolean ended;

        private final class FailingPlatform extends DelegatingPlatform {
            FailingPlatform() {
                super(process);
            }

            private void pass(Asked asked) {
                if (asked == fatal && Thread.currentThread().equals(doomed) && spared-- <= 0) {
                    errors++;
                    throw error.get();
                }
            }

            @Override
            public long wallMillis() {
                pass(Asked.WALL_MILLIS);
                return process.wallMillis();
            }

            @Override
            public long nanoTime() {
                pass(Asked.NANO_TIME);
                return process.nanoTime();
            }

            @Override
            public void park(long nanos) {
                pass(Asked.PARK);
                process.park(nanos);
            }

            @Override
            public void awaitNextMillis() {
                pass(Asked.AWAIT_NEXT_MILLIS);
                process.awaitNextMillis();
            }

            @Override
            public void unpark(Thread thread) {
                pass(Asked.UNPARK);
                process.unpark(thread);
            }
        }

        private void issueUntilTheEnd() {
            try {
                while (!ended) {
                    long unused = ids.nextId();
                    issued++;
                }
            } catch (SnowflakeUnavailableException closed) {
                // the end
            }
        }

        /** A caller whose calls fail at the first, second, third … time that they ask the platform for something. */
        private void callInVain(Asked asked, int times) {
            Random random = new Random(7);
            fatal = asked;
            for (int i = 0; i < times; i++) {
                spared = random.nextInt(3);
                try {
                    long unused = ids.nextId();
                } catch (Error expected) {
                    // The error ended the call, as planned.
                }
                process.park(random.nextInt(500_000));
            }
            fatal = null;
        }

        private void othersGoOnAtTheFullRate(Asked asked) {
            for (int i = 0; i < 6; i++) {
                process.start("caller", this::issueUntilTheEnd);
            }
            world.sleep(Duration.ofMillis(50));
            boolean[] done = new boolean[1];
            doomed = process.start("doomed", () -> {
                callInVain(asked, 40);
                done[0] = true;
            });
            for (int waited = 0; !done[0]; waited++) {
                assertThat(waited).as("ms until 40 calls have failed").isLessThan(10_000);
                world.sleep(Duration.ofMillis(1));
            }
            // By now every call has noticed.
            world.sleep(Duration.ofMillis(50));
            int before = issued;

            world.sleep(Duration.ofMillis(500));

            assertThat(errors).isPositive();
            assertThat(issued - before).as("ids in 500 ms").isGreaterThanOrEqualTo(980);
            ended = true;
            ids.close();
        }

        @Test
        void atTheClock() {
            othersGoOnAtTheFullRate(Asked.WALL_MILLIS);
        }

        @Test
        void atTheTimer() {
            othersGoOnAtTheFullRate(Asked.NANO_TIME);
        }

        @Test
        void asleep() {
            error = () -> new OutOfMemoryError("asleep");
            othersGoOnAtTheFullRate(Asked.PARK);
        }

        @Test
        void waitingForTheClock() {
            othersGoOnAtTheFullRate(Asked.AWAIT_NEXT_MILLIS);
        }

        @Test
        void wakingAnother() {
            othersGoOnAtTheFullRate(Asked.UNPARK);
        }
    }

    /** A stack that overflows somewhere inside a call, at each depth in turn. */
    @Nested
    @Timeout(120)
    class OfTheStack {
        private static final int CALLERS = 4;

        private final LeasedSnowflake ids = LeasedSnowflake.open(
                SnowflakeSettings.of(TWO_IDS_A_MILLISECOND), new StaticCoordinatorProvider(), Platform.system());
        private volatile boolean ended;
        private int overflows;

        /** Recurses as deep as the stack allows, and calls at each of the last levels on the way back. */
        @SuppressWarnings("InfiniteRecursion") // until the stack ends
        private int descend(int callsLeft) {
            int left = callsLeft;
            try {
                left = descend(callsLeft);
            } catch (StackOverflowError end) {
                overflows++;
            }
            if (left > 0) {
                try {
                    long unused = ids.nextId();
                } catch (StackOverflowError end) {
                    overflows++;
                }
            }
            return left - 1;
        }

        private void issueUntilTheEnd() {
            while (!ended) {
                long unused = ids.nextId();
            }
        }

        @Test
        void leavesTheOthersTheirFullRate() throws Exception {
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                callers.add(new Thread(this::issueUntilTheEnd, "caller"));
            }
            callers.forEach(Thread::start);
            try {
                for (int round = 0; round < 20; round++) {
                    CountDownLatch done = new CountDownLatch(1);
                    int calls = 40 + round;
                    Thread overflowing = new Thread(
                            null,
                            () -> {
                                descend(calls);
                                done.countDown();
                            },
                            "overflowing",
                            256 * 1024);
                    overflowing.start();
                    assertThat(done.await(20, TimeUnit.SECONDS))
                            .as("a call has returned")
                            .isTrue();
                }

                long begin = System.nanoTime();
                for (int i = 0; i < 400; i++) {
                    long unused = ids.nextId();
                }
                long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);

                assertThat(overflows).isPositive();
                // 400 of the 2,000 ids that five threads take in a second.
                assertThat(millis).as("ms, a second if nothing disturbs").isLessThan(10_000);
            } finally {
                ended = true;
                for (Thread caller : callers) {
                    caller.join();
                }
                ids.close();
            }
        }
    }
}
