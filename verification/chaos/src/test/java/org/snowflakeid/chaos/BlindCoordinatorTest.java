// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.SnowflakeLayout;

/** The whole chain, from a rule that is broken in a worker process to the duplicate that is reported. */
class BlindCoordinatorTest {

    @TempDir
    private Path directory;

    private final ConcurrentLinkedQueue<String> unexpected = new ConcurrentLinkedQueue<>();

    private WorkerProcess worker(int number, Cluster cluster) {
        Map<String, String> keys = Map.of(
                "snowflake.coordinator", "etcd",
                "snowflake.worker-ids", "0",
                "snowflake.window", "PT3S");
        return new WorkerProcess(
                new Worker.Options(directory, number, 0, 100_000, true, keys), cluster, unexpected::add);
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + Duration.ofMinutes(3).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    @Test
    void duplicatesOfAProcessThatGoesOnAfterATakeoverAreFound() throws Exception {
        try (Cluster cluster = new ChaosOnEtcd(1);
                WorkerProcess frozen = worker(0, cluster);
                WorkerProcess successor = worker(1, cluster)) {
            frozen.start();
            successor.start();
            await(() -> frozen.hasWorkerId() || successor.hasWorkerId());
            List<WorkerProcess> both = frozen.hasWorkerId() ? List.of(frozen, successor) : List.of(successor, frozen);
            both.get(0).freeze();
            await(both.get(1)::hasWorkerId);
            assertThat(check().violations()).isZero();

            both.get(0).thaw();

            await(() -> check().duplicates() > 0);
            assertThat(check().details()).anySatisfy(detail -> assertThat(detail)
                    .contains("ids twice", "w00-p0001-g0000", "w01-p0001-g0000"));
        }
        assertThat(unexpected).isEmpty();
    }

    private IdChecker.Findings check() {
        return new IdChecker(SnowflakeLayout.STANDARD, 0, 0).check(directory, System.nanoTime());
    }
}
