// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.load;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
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

    @Option(names = "--report", paramLabel = "FILE", description = "Markdown file to write, with a CSV file beside it")
    private @Nullable Path report;

    @Option(names = "--date", paramLabel = "DATE", defaultValue = "", description = "the date for the report")
    private String date = "";

    @Option(names = "--commit", defaultValue = "unknown", hidden = true)
    private String commit = "";

    @Option(names = "--arguments", defaultValue = "", hidden = true)
    private String arguments = "";

    private final LoadReport measured = new LoadReport();

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
        for (String coordinator : coordinators) {
            System.err.println("Measuring " + coordinator);
            try {
                measure(coordinator);
            } catch (Exception e) {
                // What was measured before, and the others, are worth a report all the same.
                e.printStackTrace();
                measured.failed(coordinator, e);
            }
        }
        measured.table().forEach(System.out::println);
        System.out.println();
        measured.csv().forEach(System.out::println);
        if (report != null) {
            measured.write(report, preface());
        }
        return measured.isComplete() ? 0 : 1;
    }

    private List<String> preface() {
        return List.of(
                "Written by `bin/coordinator-load " + arguments.strip() + "`, commit " + commit
                        + (date.isEmpty() ? "" : ", " + date)
                        + ". JDK " + Runtime.version() + ", "
                        + Runtime.getRuntime().availableProcessors()
                        + " processors, which servers and clients share; one server, which waits for its disk before it answers."
                        + ifAny(
                                List.of("postgresql", "mariadb"),
                                " PostgreSQL and MariaDB are reached by a URL, without a pool.")
                        + ifAny(
                                List.of("kubernetes"),
                                " `kubernetes` is the mock of an API server, in memory, within the measuring process: its"
                                        + " figures say nothing about a cluster."),
                String.format(
                        Locale.ROOT,
                        "*Start* is from the start of a fresh process, with all coordinators on its class path, to its first id, the"
                                + " median of %d; *with an archive*, of classes, its JVM loads most of them from there. *Claim* and"
                                + " *extension* are the medians of %d calls, one after another, over an open connection. The"
                                + " *holders* claim at once, each over an open connection of its own, all in one process. The share"
                                + " of the *server* is over %d s, once windows have their full length.",
                        starts,
                        calls,
                        seconds));
    }

    private String ifAny(List<String> of, String sentence) {
        return Collections.disjoint(coordinators, of) ? "" : sentence;
    }

    private void measure(String coordinator) throws Exception {
        try (MeasuredServer server = MeasuredServer.start(coordinator)) {
            if (starts > 0) {
                measured.add(LoadReport.START, coordinator, 0, Starts.measure(server, starts));
                measured.add(LoadReport.ARCHIVE, coordinator, 0, Starts.measureWithArchive(server, starts));
            }
            if (calls > 0 && !coordinator.equals("static")) {
                measured.add(LoadReport.CALL, coordinator, 0, Calls.measure(server, calls));
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
                measured.add(LoadReport.CLAIM, coordinator, count, all.claim());
                if (seconds > 0) {
                    measured.add(LoadReport.HOLD, coordinator, count, all.hold(seconds));
                }
            }
        }
    }

    private void claimOnly(String coordinator, int count) throws Exception {
        try (MeasuredServer server = MeasuredServer.start(coordinator);
                Holders all = new Holders(server, window, count)) {
            List<LoadReport.Figure> unused = all.claim();
        }
    }
}
