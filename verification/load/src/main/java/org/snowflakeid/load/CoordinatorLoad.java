// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code bin/coordinator-load}. */
@Command(
        name = "bin/coordinator-load",
        mixinStandardHelpOptions = true,
        description =
                "Measures, on real servers of its own: how long a fresh process takes to its first id, how long many take"
                        + " to claim at once, and what many holders cost the server.")
final class CoordinatorLoad implements Callable<Integer> {

    private static final Logger LOGGER = Logger.getLogger("org.snowflakeid");

    @Option(
            names = "--coordinators",
            split = ",",
            defaultValue = "etcd,zookeeper",
            description = "default: ${DEFAULT-VALUE}")
    private List<String> coordinators = List.of();

    @Option(
            names = "--starts",
            paramLabel = "N",
            defaultValue = "9",
            description = "how many fresh processes; default: ${DEFAULT-VALUE}, 0 for none")
    private int starts;

    @Option(
            names = "--holders",
            split = ",",
            paramLabel = "N",
            defaultValue = "1024,512,256",
            description = "how many worker ids are claimed at once and held, at most 1024; default: ${DEFAULT-VALUE}")
    private List<Integer> holders = List.of();

    @Option(
            names = "--warm-ups",
            paramLabel = "N",
            defaultValue = "8",
            description =
                    "how often the largest number claims before, unmeasured, until this process has compiled what would run"
                            + " on as many machines; default: ${DEFAULT-VALUE}")
    private int warmUps;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "60",
            description = "how long they are held and measured; default: ${DEFAULT-VALUE}, 0 for not at all")
    private int seconds;

    @Option(
            names = "--window",
            paramLabel = "DURATION",
            defaultValue = "PT60S",
            description = "snowflake.window of the holders; default: ${DEFAULT-VALUE}")
    private String window = "";

    @Option(names = "--report", paramLabel = "FILE", description = "write the tables as Markdown")
    private @Nullable Path report;

    @Option(names = "--date", paramLabel = "DATE", defaultValue = "", description = "the date for the report")
    private String date = "";

    @Option(names = "--commit", defaultValue = "unknown", hidden = true)
    private String commit = "";

    @Option(names = "--arguments", defaultValue = "", hidden = true)
    private String arguments = "";

    private final List<String> lines = new ArrayList<>();

    public static void main(String... arguments) {
        System.exit(run(arguments));
    }

    /** Returns the exit status. */
    static int run(String... arguments) {
        return new CommandLine(new CoordinatorLoad())
                .setOverwrittenOptionsAllowed(true)
                .execute(arguments);
    }

    @Override
    public Integer call() throws Exception {
        LOGGER.setLevel(Level.SEVERE);
        add("# Load of coordinators");
        add("");
        add("Written by `bin/coordinator-load " + arguments + "`, commit " + commit
                + (date.isEmpty() ? "" : ", " + date)
                + ". JDK " + Runtime.version() + ", " + Runtime.getRuntime().availableProcessors()
                + " processors, which servers and clients share; one server, its data on this machine's disk.");
        if (starts > 0) {
            add("");
            add("From the start of a fresh process to its first id, median (range) of " + starts + ":");
            add("");
            add("| coordinator | ms | of a processor's time, ms | memory, MiB |");
            add("| --- | ---: | ---: | ---: |");
            measureStarts();
        }
        List<String> held = new ArrayList<>();
        add("");
        add("Claimed at once, each over an open connection of its own, all in one process:");
        add("");
        add(
                "| coordinator | claimants | s until half have one | s until all | transactions each | server, processor s |");
        add("| --- | ---: | ---: | ---: | ---: | ---: |");
        for (String coordinator : coordinators) {
            for (int i = 0; i < warmUps; i++) {
                claimOnly(coordinator, Collections.max(holders));
            }
            for (int count : holders) {
                try (MeasuredServer server = MeasuredServer.start(coordinator);
                        Holders all = new Holders(server, window, count)) {
                    add(all.claim());
                    if (seconds > 0) {
                        held.add(all.hold(seconds));
                    }
                }
            }
        }
        if (seconds > 0) {
            add("");
            add("Held, over " + seconds + " s, once the windows have their full length:");
            add("");
            add(
                    "| coordinator | holders | window | writes/s | server, of a processor | ms of a processor per write | ready |");
            add("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
            held.forEach(this::add);
        }
        if (report != null) {
            Files.write(report, lines);
        }
        return 0;
    }

    private void claimOnly(String coordinator, int count) throws Exception {
        try (MeasuredServer server = MeasuredServer.start(coordinator);
                Holders all = new Holders(server, window, count)) {
            all.claim();
        }
    }

    private void measureStarts() throws IOException, InterruptedException {
        add(Starts.measure(
                "static, no coordinator",
                Map.of("snowflake.coordinator", "static", "snowflake.static.worker-id", "1"),
                starts));
        Path folder = Files.createTempDirectory("coordinator-load-");
        try {
            add(Starts.measure(
                    "file",
                    Map.of("snowflake.coordinator", "file", "snowflake.file.directory", folder.toString()),
                    starts));
        } finally {
            delete(folder);
        }
        for (String coordinator : coordinators) {
            try (MeasuredServer server = MeasuredServer.start(coordinator)) {
                add(Starts.measure(coordinator, server.settings(), starts));
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private void add(String line) {
        System.out.println(line);
        lines.add(line);
    }
}
