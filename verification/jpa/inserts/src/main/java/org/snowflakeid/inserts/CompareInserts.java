// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.inserts;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.hibernate.Version;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.inserts.Sales.Inserted;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code bin/compare-inserts}. */
@Command(
        name = "bin/compare-inserts",
        mixinStandardHelpOptions = true,
        description =
                "Measures, on a PostgreSQL of its own, how long Hibernate takes to insert rows whose ids differ in"
                        + " kind, and how large the index of their keys is then.")
final class CompareInserts implements Callable<Integer> {

    /** Kept here, since a logger without a reference forgets its level. */
    private static final List<Logger> LOGGERS =
            List.of(Logger.getLogger("org.hibernate"), Logger.getLogger("org.snowflakeid"));

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "10000",
            description =
                    "how many rows are inserted each time, in one transaction up to 10,000; default: ${DEFAULT-VALUE}")
    private int rows;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "32",
            description = "how often each kind is measured, each time in another order; default: ${DEFAULT-VALUE}")
    private int rounds;

    @Option(
            names = "--warm-ups",
            paramLabel = "N",
            defaultValue = "4",
            description = "how often before, unmeasured; default: ${DEFAULT-VALUE}")
    private int warmUps;

    @Option(
            names = "--many",
            paramLabel = "N",
            defaultValue = "1000000",
            description =
                    "then so many rows of each kind, once, for the size of the index; default: ${DEFAULT-VALUE}, 0 for none")
    private int many;

    @Option(names = "--report", paramLabel = "FILE", description = "Markdown file to write, with a CSV file beside it")
    private @Nullable Path report;

    @Option(names = "--date", paramLabel = "DATE", defaultValue = "", description = "the date for the report")
    private String date = "";

    @Option(names = "--commit", defaultValue = "unknown", hidden = true)
    private String commit = "";

    @Option(names = "--arguments", defaultValue = "", hidden = true)
    private String arguments = "";

    public static void main(String... arguments) {
        System.exit(run(arguments));
    }

    /** Returns the exit status. */
    static int run(String... arguments) {
        return new CommandLine(new CompareInserts())
                .setOverwrittenOptionsAllowed(true)
                .execute(arguments);
    }

    @Override
    public Integer call() throws IOException {
        check();
        LOGGERS.forEach(logger -> logger.setLevel(Level.SEVERE));
        InsertsReport measured = new InsertsReport();
        List<String> preface;
        try (Sales sales = new Sales()) {
            preface = preface(sales.serverVersion());
            measured.rounds(rows, measure(sales));
            measured.sizes(InsertsReport.ROUNDS, rows, sales::size);
            if (many > 0) {
                many(sales, measured);
            }
        }
        measured.table().forEach(System.out::println);
        System.out.println();
        measured.csv().forEach(System.out::println);
        if (report != null) {
            measured.write(report, preface);
        }
        return 0;
    }

    private void check() {
        if (rows < 1 || rounds < 1 || warmUps < 0 || many < 0) {
            throw new ParameterException(
                    (spec == null ? CommandSpec.create() : spec).commandLine(),
                    "--rows and --rounds are at least 1, --warm-ups and --many at least 0: give greater numbers");
        }
    }

    /** Before anything is measured, since it says how busy the machine is. */
    List<String> preface(String serverVersion) throws IOException {
        return List.of(
                "Written by `bin/compare-inserts" + (arguments.isBlank() ? "" : " " + arguments.strip()) + "`, commit "
                        + commit + (date.isEmpty() ? "" : ", " + date) + ". JDK " + Runtime.version() + ", "
                        + Runtime.getRuntime().availableProcessors()
                        + " processors, which the application and the database share, with whatever else ran: the load average"
                        + " was " + load() + " at the start. PostgreSQL " + serverVersion
                        + " on the same machine, as it comes (`fsync` on, `shared_buffers` 128 MB). Hibernate "
                        + Version.getVersionString() + " in batches of " + Sales.BATCH
                        + ", flushed and cleared after each; `@Tsid` of hypersistence-utils " + tsidVersion()
                        + ". Ids of `@SnowflakeId` come from a worker id that is leased from the same PostgreSQL, which is called"
                        + " every 20 seconds. The entities are equal in all but the id.",
                String.format(
                        Locale.ROOT,
                        "*ms* is the time from before the first `persist` of %,d rows into an empty table until after the commit,"
                                + " the median of %d rounds after %d unmeasured ones, each in another order. *Of ours* is that time"
                                + " divided by that of `@SnowflakeId Long` in the same round, the median of all rounds and the"
                                + " *middle half* of them: 1.10 is one tenth slower. A batch is one *statement*. The *index* of the"
                                + " primary key is that of %,d rows%s.",
                        rows,
                        rounds,
                        warmUps,
                        many > 0 ? many : rows,
                        many > 0
                                ? ", inserted once by transactions of 10,000; how long that took in one run is no comparison"
                                : ""));
    }

    private static String load() {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        return load < 0 ? "not known" : String.format(Locale.ROOT, "%.1f", load);
    }

    private static String tsidVersion() throws IOException {
        Properties properties = new Properties();
        try (InputStream in = CompareInserts.class.getResourceAsStream(
                "/META-INF/maven/io.hypersistence/hypersistence-utils-hibernate-73/pom.properties")) {
            if (in != null) {
                properties.load(in);
            }
        }
        return properties.getProperty("version", "of an unknown version");
    }

    private Map<Kind, List<Inserted>> measure(Sales sales) {
        Map<Kind, List<Inserted>> measured = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            measured.put(kind, new ArrayList<>());
        }
        for (int round = -warmUps; round < rounds; round++) {
            for (Kind kind : order(round + warmUps)) {
                Inserted inserted = sales.insert(kind, rows);
                System.err.printf(
                        Locale.ROOT,
                        "%s %d %s %.0f ms%n",
                        round < 0 ? "warm-up" : "round",
                        round < 0 ? round + warmUps + 1 : round + 1,
                        kind,
                        inserted.millis());
                if (round >= 0) {
                    measured.computeIfAbsent(kind, any -> new ArrayList<>()).add(inserted);
                }
            }
        }
        return measured;
    }

    /**
     * Every other round is the reverse of the one before; in twice as many rounds as there are kinds, each kind has each position twice.
     */
    static List<Kind> order(int round) {
        List<Kind> order = new ArrayList<>(Arrays.asList(Kind.values()));
        Collections.rotate(order, -(round / 2));
        if (round % 2 == 1) {
            Collections.reverse(order);
        }
        return order;
    }

    private void many(Sales sales, InsertsReport measured) {
        for (Kind kind : Kind.values()) {
            Inserted inserted = sales.insert(kind, many);
            System.err.printf(Locale.ROOT, "%,d rows %s %.1f s%n", many, kind, inserted.millis() / 1000);
            measured.many(many, kind, inserted);
        }
        measured.sizes(InsertsReport.MANY, many, sales::size);
    }
}
