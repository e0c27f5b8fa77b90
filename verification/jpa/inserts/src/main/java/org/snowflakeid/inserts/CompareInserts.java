// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.inserts;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
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

    @Option(names = "--report", paramLabel = "FILE", description = "write the tables as Markdown")
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
        List<String> lines = new ArrayList<>();
        try (Sales sales = new Sales()) {
            heading(lines, sales);
            Map<Kind, List<Inserted>> measured = measure(sales);
            times(lines, measured);
            sizes(lines, sales, rows, "");
            if (many > 0) {
                many(lines, sales);
            }
        }
        lines.forEach(System.out::println);
        if (report != null) {
            Files.write(report, lines);
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

    private void heading(List<String> lines, Sales sales) throws IOException {
        lines.add("# Inserts beside other kinds of ids");
        lines.add("");
        lines.add("Written by `bin/compare-inserts" + (arguments.isBlank() ? "" : " " + arguments.strip())
                + "`, commit " + commit + (date.isEmpty() ? "" : ", " + date) + ".");
        lines.add("");
        lines.add("- JDK " + Runtime.version() + ", " + Runtime.getRuntime().availableProcessors()
                + " processors, which the application and the database share, with whatever else ran: the load average was "
                + load() + " at the start.");
        lines.add("- PostgreSQL " + sales.serverVersion() + " on the same machine, reached by loopback, as it comes"
                + " (`fsync` on, `shared_buffers` 128 MB).");
        lines.add(
                "- Hibernate " + Version.getVersionString() + " with `hibernate.jdbc.batch_size` " + Sales.BATCH
                        + ", flushed and cleared after each batch; `@Tsid` of hypersistence-utils " + tsidVersion()
                        + "; UUIDs of version 7 by `@SnowflakeId` and by Hibernate's own generator, of version 4 by a default of the column.");
        lines.add(
                "- Ids of `@SnowflakeId` come from a worker id that is leased from the same PostgreSQL, which is called every"
                        + " 20 seconds.");
        lines.add("- The entities are equal in all but the id: a text, a number and an instant besides.");
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

    private void times(List<String> lines, Map<Kind, List<Inserted>> measured) {
        List<Inserted> ours = measured.getOrDefault(Kind.SNOWFLAKE, List.of());
        lines.add("");
        lines.add(String.format(
                Locale.ROOT,
                "%,d rows in an empty table, the time from before the first `persist` until after the commit, of %d rounds after"
                        + " %d unmeasured ones. In each round the order is another one. *Of ours* is the time divided by that of"
                        + " `@SnowflakeId` in the same round, the median of all rounds and the middle half of them: 1.10 is one"
                        + " tenth slower. A batch is one statement.",
                rows,
                rounds,
                warmUps));
        lines.add("");
        lines.add("| id | ms, median | range | rows/s | of ours | middle half | statements |");
        lines.add("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
        measured.forEach((kind, all) -> {
            List<Double> millis = all.stream().map(Inserted::millis).sorted().toList();
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < all.size(); i++) {
                ratios.add(all.get(i).millis() / ours.get(i).millis());
            }
            Collections.sort(ratios);
            lines.add(String.format(
                    Locale.ROOT,
                    "| %s | %.0f | %.0f–%.0f | %,.0f | %.2f | %.2f–%.2f | %,d |",
                    kind.title(),
                    quantile(millis, 0.5),
                    millis.get(0),
                    millis.get(millis.size() - 1),
                    rows / quantile(millis, 0.5) * 1000,
                    quantile(ratios, 0.5),
                    quantile(ratios, 0.25),
                    quantile(ratios, 0.75),
                    all.get(all.size() - 1).statements()));
        });
    }

    /** Between the two values next to it, in proportion. */
    static double quantile(List<Double> sorted, double share) {
        double place = share * (sorted.size() - 1);
        int below = (int) place;
        int above = Math.min(below + 1, sorted.size() - 1);
        return sorted.get(below) + (place - below) * (sorted.get(above) - sorted.get(below));
    }

    private static void sizes(List<String> lines, Sales sales, int rows, String how) {
        lines.add("");
        lines.add(String.format(
                Locale.ROOT,
                "What PostgreSQL has on its disk for %,d rows%s: the index of the primary key, and the table without it, in KiB"
                        + " (`pg_relation_size`).",
                rows,
                how));
        lines.add("");
        lines.add("| id | index | bytes a row | of ours | table | bytes a row |");
        lines.add("| --- | ---: | ---: | ---: | ---: | ---: |");
        double ours = sales.keyBytes(Kind.SNOWFLAKE);
        for (Kind kind : Kind.values()) {
            long key = sales.keyBytes(kind);
            long table = sales.tableBytes(kind);
            lines.add(String.format(
                    Locale.ROOT,
                    "| %s | %,d | %.1f | %.2f | %,d | %.1f |",
                    kind.title(),
                    key / 1024,
                    (double) key / rows,
                    key / ours,
                    table / 1024,
                    (double) table / rows));
        }
    }

    private void many(List<String> lines, Sales sales) {
        List<String> seconds = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            Inserted inserted = sales.insert(kind, many);
            seconds.add(String.format(Locale.ROOT, "%.1f s with %s", inserted.millis() / 1000, kind.title()));
            System.err.println(seconds.get(seconds.size() - 1));
        }
        sizes(lines, sales, many, ", inserted in the same way by transactions of 10,000");
        lines.add("");
        lines.add("Inserting them took " + String.join("; ", seconds)
                + ". That is one run of each, one after another, and no comparison.");
    }
}
