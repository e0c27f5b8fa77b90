// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code bin/chaos}. */
@Command(
        name = "chaos",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Runs worker processes on a real coordinator under faults, records every id and looks for duplicates.",
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {"0:nothing was found", "1:something was found; all files are kept"})
public final class Chaos implements Callable<Integer> {

    private enum Coordinator {
        ETCD(3),
        ZOOKEEPER(3),
        JDBC(1),
        REDIS(1);

        /** How many servers it has. */
        private final int members;

        Coordinator(int members) {
            this.members = members;
        }

        private IntFunction<Cluster> cluster() {
            return switch (this) {
                case ETCD -> ChaosOnEtcd::new;
                case ZOOKEEPER -> ChaosOnZooKeeper::new;
                case JDBC -> ChaosOnPostgres::new;
                case REDIS -> ChaosOnRedis::new;
            };
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = "--coordinator",
            defaultValue = "etcd",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private Coordinator coordinator = Coordinator.ETCD;

    @Option(names = "--minutes", defaultValue = "2", description = "how long faults happen (default: ${DEFAULT-VALUE})")
    private double minutes;

    @Option(names = "--seed", description = "of the schedule of faults (default: the time)")
    private @Nullable Long seed;

    @Option(
            names = "--between",
            defaultValue = "PT1.15S",
            description = "from fault to fault, on average (default: ${DEFAULT-VALUE})")
    private Duration between = Duration.ZERO;

    @Option(names = "--workers", defaultValue = "8", description = "processes (default: ${DEFAULT-VALUE})")
    private int workers;

    @Option(
            names = "--worker-ids",
            defaultValue = "5",
            description = "how many there are for them (default: ${DEFAULT-VALUE})")
    private int workerIds;

    @Option(names = "--window", defaultValue = "PT8S", description = "snowflake.window (default: ${DEFAULT-VALUE})")
    private Duration window = Duration.ZERO;

    @Option(
            names = "--rate",
            defaultValue = "120000",
            description = "ids per second and worker that issues in batches (default: ${DEFAULT-VALUE})")
    private int rate;

    @Option(
            names = "--report",
            description =
                    "Markdown file to write, with a CSV file beside it (default: report.md beside the recordings)")
    private @Nullable Path report;

    @Option(
            names = "--directory",
            description =
                    "for recordings and logs; new or empty (default: a temporary one, deleted if nothing is found)")
    private @Nullable Path directory;

    @Option(names = "--blind", description = "breaks the coordinator: extensions are granted without being compared")
    private boolean blind;

    public static void main(String... arguments) {
        System.exit(new CommandLine(new Chaos())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        boolean temporary = directory == null;
        Path files = directory == null ? Files.createTempDirectory("chaos-") : directory;
        ChaosRun.Options options = new ChaosRun.Options(
                seed == null ? System.currentTimeMillis() : seed,
                Duration.ofMillis(Math.round(minutes * 60_000)),
                between,
                workers,
                workerIds,
                window,
                rate,
                files,
                blind,
                coordinator.members);
        Schedule schedule = options.schedule();
        System.out.println("Seed " + schedule.seed() + ", " + schedule.faults().size() + " faults, files in " + files);
        schedule.faults().forEach(System.out::println);

        ChaosRun.Outcome outcome = new ChaosRun(options, schedule, System.out).run(coordinator.cluster());
        Report written = new Report(outcome);
        Path markdown = report == null ? files.resolve("report.md") : report;
        written.write(markdown);
        List<String> problems = written.problems();
        System.out.println(written.summary());
        problems.forEach(problem -> System.out.println("FOUND: " + problem));
        boolean keep = !temporary || report == null || !problems.isEmpty();
        if (!keep) {
            delete(files);
        }
        System.out.println("Report: " + markdown + (keep ? ", files: " + files : ""));
        return problems.isEmpty() ? 0 : 1;
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }
}
