// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.load;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code bin/coordinator-load}. */
@Command(
        name = "bin/coordinator-load",
        mixinStandardHelpOptions = true,
        description =
                "Measures, on real servers of its own: how long a fresh process takes to its first id, one claim and one"
                        + " extension, how long many take to claim at once, and what many holders cost the server.")
final class CoordinatorLoad implements Callable<Integer> {

    private static final Logger LOGGER = Logger.getLogger("org.snowflakeid");

    @Option(
            names = "--coordinators",
            split = ",",
            defaultValue = "static,file,etcd,zookeeper,redis,postgresql,mariadb,consul,nacos,kubernetes",
            description = "default: ${DEFAULT-VALUE}")
    private List<String> coordinators = List.of();

    @Option(
            names = "--starts",
            paramLabel = "N",
            defaultValue = "9",
            description = "how many fresh processes; default: ${DEFAULT-VALUE}, 0 for none")
    private int starts;

    @Option(
            names = "--calls",
            paramLabel = "N",
            defaultValue = "200",
            description = "how many claims and extensions; default: ${DEFAULT-VALUE}, 0 for none")
    private int calls;

    @Option(
            names = "--holders",
            split = ",",
            paramLabel = "N",
            defaultValue = "256",
            description =
                    "how many worker ids are claimed at once and held, at most 1024; default: ${DEFAULT-VALUE}, 0 for none")
    private List<Integer> holders = List.of();

    @Option(
            names = "--warm-ups",
            paramLabel = "N",
            defaultValue = "2",
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

    private final List<String> firstIds = new ArrayList<>();
    private final List<String> callTimes = new ArrayList<>();
    private final List<String> claims = new ArrayList<>();
    private final List<String> held = new ArrayList<>();

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
        List<String> failures = new ArrayList<>();
        for (String coordinator : coordinators) {
            System.err.println("Measuring " + coordinator);
            try {
                measure(coordinator);
            } catch (Exception e) {
                // What was measured before, and the others, are worth a report all the same.
                e.printStackTrace();
                failures.add("The rest of `" + coordinator + "` was not measured: " + e);
            }
        }
        List<String> lines = new ArrayList<>();
        lines.add("# Load of coordinators");
        lines.add("");
        lines.add(
                "Written by `bin/coordinator-load " + arguments.strip() + "`, commit " + commit
                        + (date.isEmpty() ? "" : ", " + date)
                        + ". JDK " + Runtime.version() + ", "
                        + Runtime.getRuntime().availableProcessors()
                        + " processors, which servers and clients share; one server, its data on this machine's disk, which it waits for"
                        + " before it answers. PostgreSQL and MariaDB are reached by a URL, without a pool. `kubernetes` is the mock of"
                        + " an API server, which keeps everything in memory, within the measuring process: its figures are the"
                        + " client's, and say nothing about a cluster. Neither it nor a folder has a process whose time could be measured.");
        table(
                lines,
                "From the start of a fresh process, with all coordinators on its class path, to its first id, median (range) of "
                        + starts + ":",
                "| coordinator | ms | of a processor's time, ms | memory, MiB |\n| --- | ---: | ---: | ---: |",
                firstIds);
        table(
                lines,
                "One call of a coordinator over a connection that is there, " + calls
                        + " of each, one after another, in ms (for each worker id a claim, then an extension):",
                "| coordinator | claim, median | claim, 99 % | extension, median | extension, 99 % |\n"
                        + "| --- | ---: | ---: | ---: | ---: |",
                callTimes);
        table(
                lines,
                "Claimed at once, each over an open connection of its own, all in one process; a start that fails is made again:",
                "| coordinator | claimants | s until half have one | s until all | failed starts | transactions each | server, processor s |\n"
                        + "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
                claims);
        table(
                lines,
                "Held, over " + seconds + " s, once the windows have their full length (an extension is one write):",
                "| coordinator | holders | window | writes/s | server, of a processor | ms of a processor per write | ready |\n"
                        + "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
                held);
        failures.forEach(failure -> lines.addAll(List.of("", failure)));
        lines.forEach(System.out::println);
        if (report != null) {
            Files.write(report, lines);
        }
        return failures.isEmpty() ? 0 : 1;
    }

    private void measure(String coordinator) throws Exception {
        try (MeasuredServer server = MeasuredServer.start(coordinator)) {
            if (starts > 0) {
                add(firstIds, Starts.measure(server, starts));
                add(firstIds, Starts.measureWithArchive(server, starts));
            }
            if (calls > 0 && !coordinator.equals("static")) {
                add(callTimes, Calls.measure(server, calls));
            }
            if (server.processorTime() == null) {
                return;
            }
        }
        List<Integer> counts = holders.stream().filter(count -> count > 0).toList();
        for (int i = 0; i < warmUps && !counts.isEmpty(); i++) {
            claimOnly(coordinator, Collections.max(counts));
        }
        for (int count : counts) {
            try (MeasuredServer server = MeasuredServer.start(coordinator);
                    Holders all = new Holders(server, window, count)) {
                add(claims, all.claim());
                if (seconds > 0) {
                    add(held, all.hold(seconds));
                }
            }
        }
    }

    /** Shown at once: a later one may fail. */
    private static void add(List<String> rows, String row) {
        System.err.println(row);
        rows.add(row);
    }

    private static void table(List<String> lines, String title, String head, List<String> rows) {
        if (!rows.isEmpty()) {
            lines.addAll(List.of("", title, "", head));
            lines.addAll(rows);
        }
    }

    private void claimOnly(String coordinator, int count) throws Exception {
        try (MeasuredServer server = MeasuredServer.start(coordinator);
                Holders all = new Holders(server, window, count)) {
            String unused = all.claim();
        }
    }
}
