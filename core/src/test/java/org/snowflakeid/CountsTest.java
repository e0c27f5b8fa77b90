// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.Stage.Actor;

/** The counts that a generator keeps of its work; and batches that fill a given array. */
class CountsTest {

    private static LeasedSnowflake openStatic() {
        return LeasedSnowflake.open(
                SnowflakeSettings.of(Map.of("snowflake.coordinator", "static", "snowflake.static.worker-id", "7")));
    }

    @Test
    void eachIdIsCountedOnceWhicheverThreadTakesIt() throws Exception {
        try (LeasedSnowflake ids = openStatic()) {
            List<Callable<Long>> callers = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int pauseMillis = t == 0 ? 3 : 0;
                boolean batches = t == 1;
                callers.add(() -> {
                    long taken = 0;
                    for (int i = 0; i < (pauseMillis > 0 ? 20 : 20_000); i++) {
                        long seen = ids.counts().issued();
                        taken += batches ? ids.nextIds(7).length : ids.nextId() > 0 ? 1 : 0;
                        assertThat(ids.counts().issued() >= seen).isTrue();
                        // A pause skips milliseconds, which might be miscounted.
                        if (pauseMillis > 0) {
                            Thread.sleep(pauseMillis);
                        }
                    }
                    return taken;
                });
            }
            long taken = 0;
            ExecutorService threads = Executors.newFixedThreadPool(callers.size());
            try {
                for (Future<Long> caller : threads.invokeAll(callers)) {
                    taken += caller.get();
                }
            } finally {
                threads.shutdownNow();
            }

            assertThat(ids.counts().issued()).isEqualTo(taken);
        }
    }

    @Nested
    class OnAStage {
        private final Stage stage = new Stage();
        private final Actor process = stage.process();

        private SnowflakeCounts counts() {
            return process.ids().counts();
        }

        private void issue(int count) {
            for (int i = 0; i < count; i++) {
                IdParts unused = process.issue();
                stage.sleep(Duration.ofMillis(7));
            }
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 3})
        void idsOfAllWorkerIdsAreCounted(int workers) {
            stage.keys.put("snowflake.workers", Integer.toString(workers));
            stage.keys.put("snowflake.worker-ids", "0-7");
            process.open();
            assertThat(counts()).isEqualTo(SnowflakeCounts.NONE);

            issue(50);

            assertThat(counts().issued()).isEqualTo(50);
            assertThat(counts().swaps()).isZero();
            process.close();
            assertThat(counts().issued()).isEqualTo(50);
        }

        @Test
        void extensionsAreCountedAndTimedAndThoseThatFail() {
            process.open();
            stage.sleep(Duration.ofMinutes(1));
            SnowflakeCounts well = counts();
            assertThat(well.extensions()).isBetween(10L, 30L);
            assertThat(well.failedExtensions()).isZero();

            process.wire.cut = true;
            stage.sleep(Duration.ofSeconds(30));
            SnowflakeCounts ill = counts();

            assertThat(ill.failedExtensions()).isPositive();
            // One extension may be under way.
            assertThat(ill.extensions() - well.extensions())
                    .isBetween(ill.failedExtensions(), ill.failedExtensions() + 1);
            assertThat(ill.extending()).isGreaterThan(well.extending());
        }

        @Test
        void aCallThatWaitsForTheCoordinatorIsCountedWhenItBeginsAndTimedWhenItEnds() {
            stage.keys.put("snowflake.wait-timeout", "PT1M");
            process.open();
            process.wire.cut = true;
            stage.sleep(Duration.ofSeconds(20));

            Actor.Call call = process.startCall();
            stage.sleep(Duration.ofSeconds(3));
            assertThat(counts().waits()).isEqualTo(1);
            process.wire.cut = false;
            IdParts unused = call.await();

            assertThat(counts().waits()).isEqualTo(1);
            assertThat(counts().waited()).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(20));
        }

        @Test
        void aCallThatIsRefusedHasWaitedToo() {
            process.open();
            process.wire.cut = true;
            stage.sleep(Duration.ofSeconds(11));

            assertThatThrownBy(() -> process.startCall().await()).hasMessageContaining("no id can be issued");

            assertThat(counts().waits()).isEqualTo(1);
            assertThat(counts().waited()).isPositive();
            assertThat(counts().issued()).isZero();
        }

        @Test
        void aSwapIsCountedAndNoIdIsForgotten() {
            stage.keys.put("snowflake.worker-ids", "0-1");
            process.open();
            issue(10);
            int first = process.workerId();
            Map<String, String> before = new HashMap<>(stage.keys);
            stage.store.owners.clear();
            stage.keys.put("snowflake.worker-ids", Integer.toString(first));
            stage.process().open();
            stage.keys.putAll(before);
            stage.until("swapped", () -> process.ids().status().workerId().orElse(first) != first);

            issue(10);

            assertThat(counts().swaps()).isEqualTo(1);
            assertThat(counts().issued()).isEqualTo(20);
        }
    }

    @Nested
    class IntoAnArray {

        @Test
        void idsAreWhereTheyWereWantedAndNowhereElse() {
            try (LeasedSnowflake ids = openStatic()) {
                long before = ids.nextId();
                long[] into = new long[20_000];

                ids.nextIds(into, 5_000, 10_000);

                assertThat(into[4_999]).isZero();
                assertThat(into[15_000]).isZero();
                assertThat(Arrays.copyOfRange(into, 5_000, 15_000)).isSorted().doesNotHaveDuplicates();
                assertThat(into[5_000]).isGreaterThan(before);
                assertThat(ids.counts().issued()).isEqualTo(10_001);
            }
        }

        @Test
        void whatDoesNotFitTakesNoId() {
            try (LeasedSnowflake ids = openStatic()) {
                long[] into = new long[10];

                assertThatThrownBy(() -> ids.nextIds(into, 5, 6)).isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> ids.nextIds(into, -1, 6)).isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> ids.nextIds(into, 0, 0))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("snowflake 'default': count 0 is not between 1 and 1000000");

                assertThat(into).containsOnly(0);
                assertThat(ids.counts().issued()).isZero();
            }
        }
    }
}
