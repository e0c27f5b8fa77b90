// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.testservers.ZooKeeperServer;

/** What a server forgets to which an old backup is restored, under processes that issue all the time. Files stay in target/chaos. */
@Tag("nightly")
class OldBackupIT {

    private static final int WORKER_IDS = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** Those that hold a worker id look when they are connected again, and stop; they and the fifth start again under the restored marks. */
    @Test
    void aBackupOfTwentySecondsAgoUnderFiveProcessesOnFourWorkerIdsRepeatsNoId() throws Exception {
        Path directory = Files.createTempDirectory(Files.createDirectories(Path.of("target", "chaos")), "backup-");
        Queue<String> unexpected = new ConcurrentLinkedQueue<>();
        long from = System.nanoTime();
        try (ChaosOnZooKeeper cluster = new ChaosOnZooKeeper(1)) {
            List<WorkerProcess> workers = IntStream.rangeClosed(0, WORKER_IDS)
                    .mapToObj(number -> worker(number, directory, cluster, unexpected))
                    .toList();
            try {
                workers.forEach(WorkerProcess::start);
                await("all worker ids are held", () -> holders(workers) == WORKER_IDS);
                // Time is what is tested: for extensions, then for the age of the backup, then for ids beside others.
                TimeUnit.SECONDS.sleep(10);
                Path backup = cluster.server(0).backup();
                TimeUnit.SECONDS.sleep(20);

                restore(cluster.server(0), backup);

                long back = System.nanoTime();
                await("the holders said what happened", () -> regressions(directory) == WORKER_IDS);
                System.out.printf(
                        "An old backup under five processes: all four holders stopped within %d ms%n",
                        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - back));
                await("ids again", () -> holders(workers) == WORKER_IDS);
                TimeUnit.SECONDS.sleep(5);
                workers.forEach(WorkerProcess::stop);
            } finally {
                workers.forEach(WorkerProcess::close);
            }
        }

        IdChecker.Findings findings = new IdChecker(SnowflakeLayout.STANDARD, 0, WORKER_IDS - 1).check(directory, from);
        System.out.printf(
                "%,d ids of %d generators, %d duplicates%n",
                findings.ids(), findings.generators(), findings.duplicates());
        assertThat(findings.idsOfWorkers()).hasSizeGreaterThanOrEqualTo(WORKER_IDS);
        assertThat(findings.details()).as("see %s", directory).isEmpty();
        assertThat(findings.violations()).isZero();
        assertThat(unexpected).isEmpty();
    }

    private static WorkerProcess worker(
            int number, Path directory, ChaosOnZooKeeper cluster, Queue<String> unexpected) {
        Map<String, String> keys = Map.of(
                "snowflake.coordinator",
                cluster.coordinator(),
                "snowflake.worker-ids",
                "0-" + (WORKER_IDS - 1),
                "snowflake.window",
                "PT30S",
                "snowflake.startup-timeout",
                PATIENCE.toString());
        // Numbers by four take batches on two threads.
        Worker.Options options = new Worker.Options(directory, number * 4, 0, 10_000, false, keys);
        return new WorkerProcess(options, cluster, unexpected::add);
    }

    private static void restore(ZooKeeperServer server, Path backup) {
        server.kill();
        server.restore(backup);
        server.startAgain();
        server.awaitHealthy();
    }

    private static long holders(List<WorkerProcess> workers) {
        return workers.stream().filter(WorkerProcess::hasWorkerId).count();
    }

    private static long regressions(Path directory) {
        return WorkerLogs.read(directory).errors().stream()
                .filter(line -> line.contains("regressed: "))
                .map(line -> line.replaceFirst(":.*", ""))
                .distinct()
                .count();
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("%s within %s", what, PATIENCE).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }
}
