// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.inserts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.snowflakeid.inserts.Sales.Inserted;
import org.snowflakeid.inserts.Sales.Size;

/** What was measured: a page with the table that a reader needs, and beside it all values, each on a line of CSV. */
final class InsertsReport {

    static final String ROUNDS = "rounds";
    static final String MANY = "many rows once";

    private static final String MEDIAN = "median ms";
    private static final String OF_OURS = "of ours";
    private static final String LOWER_QUARTILE = "lower quartile of ours";
    private static final String UPPER_QUARTILE = "upper quartile of ours";
    private static final String STATEMENTS = "statements";
    private static final String INDEX = "index KiB";
    private static final String INDEX_OF_OURS = "index of ours";

    /** @param value without separators of thousands */
    private record Measured(String measurement, Kind kind, String figure, String value) {
        String line() {
            String id = kind.title().replace("`", "");
            return String.join(",", measurement, id.contains(",") ? '"' + id + '"' : id, figure, value);
        }
    }

    private final List<Measured> all = new ArrayList<>();

    private void add(String measurement, Kind kind, String figure, String format, Object value) {
        all.add(new Measured(measurement, kind, figure, String.format(Locale.ROOT, format, value)));
    }

    /** @param measured each round of each kind, in order */
    void rounds(int rows, Map<Kind, List<Inserted>> measured) {
        List<Inserted> ours = measured.getOrDefault(Kind.SNOWFLAKE, List.of());
        measured.forEach((kind, rounds) -> {
            List<Double> millis = rounds.stream().map(Inserted::millis).sorted().toList();
            List<Double> ratios = IntStream.range(0, rounds.size())
                    .mapToObj(round ->
                            rounds.get(round).millis() / ours.get(round).millis())
                    .sorted()
                    .toList();
            add(ROUNDS, kind, "rows", "%d", rows);
            add(ROUNDS, kind, MEDIAN, "%.0f", quantile(millis, 0.5));
            add(ROUNDS, kind, "least ms", "%.0f", millis.get(0));
            add(ROUNDS, kind, "most ms", "%.0f", millis.get(millis.size() - 1));
            add(ROUNDS, kind, "rows a second", "%.0f", rows / quantile(millis, 0.5) * 1000);
            add(ROUNDS, kind, OF_OURS, "%.2f", quantile(ratios, 0.5));
            add(ROUNDS, kind, LOWER_QUARTILE, "%.2f", quantile(ratios, 0.25));
            add(ROUNDS, kind, UPPER_QUARTILE, "%.2f", quantile(ratios, 0.75));
            add(ROUNDS, kind, STATEMENTS, "%d", rounds.get(rounds.size() - 1).statements());
            for (int round = 0; round < rounds.size(); round++) {
                add(
                        ROUNDS,
                        kind,
                        "ms of round " + (round + 1),
                        "%.1f",
                        rounds.get(round).millis());
            }
        });
    }

    /** Between the two values next to it, in proportion. */
    static double quantile(List<Double> sorted, double share) {
        double place = share * (sorted.size() - 1);
        int below = (int) place;
        int above = Math.min(below + 1, sorted.size() - 1);
        return sorted.get(below) + (place - below) * (sorted.get(above) - sorted.get(below));
    }

    void many(int rows, Kind kind, Inserted inserted) {
        add(MANY, kind, "rows", "%d", rows);
        add(MANY, kind, "s", "%.1f", inserted.millis() / 1000);
    }

    void sizes(String measurement, int rows, Function<Kind, Size> sizes) {
        double ours = sizes.apply(Kind.SNOWFLAKE).index();
        for (Kind kind : Kind.values()) {
            Size bytes = sizes.apply(kind);
            add(measurement, kind, INDEX, "%d", bytes.index() / 1024);
            add(measurement, kind, "index bytes a row", "%.1f", (double) bytes.index() / rows);
            add(measurement, kind, INDEX_OF_OURS, "%.2f", bytes.index() / ours);
            add(measurement, kind, "table KiB", "%d", bytes.table() / 1024);
            add(measurement, kind, "table bytes a row", "%.1f", (double) bytes.table() / rows);
        }
    }

    void write(Path file, List<String> preface) throws IOException {
        String data = String.valueOf(file.getFileName()).replaceAll("\\.md$", "") + ".csv";
        Files.write(file, page(preface, data));
        Files.write(file.resolveSibling(data), csv());
    }

    List<String> csv() {
        List<String> lines = new ArrayList<>(List.of("measurement,id,figure,value"));
        all.forEach(measured -> lines.add(measured.line()));
        return lines;
    }

    private List<String> page(List<String> preface, String data) {
        List<String> lines = new ArrayList<>(List.of("# Inserts beside other kinds of ids", ""));
        preface.forEach(paragraph -> lines.addAll(List.of(paragraph, "")));
        lines.addAll(List.of("All figures are in [" + data + "](" + data + ").", ""));
        lines.addAll(table());
        return lines;
    }

    List<String> table() {
        List<String> lines = new ArrayList<>(List.of(
                "| id | ms | of ours | middle half | statements | index, KiB | index of ours |",
                "|---|---:|---:|---:|---:|---:|---:|"));
        boolean many = all.stream().anyMatch(measured -> measured.measurement().equals(MANY));
        for (Kind kind : Kind.values()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "| %s | %s | %s | %s–%s | %,d | %,d | %s |",
                    kind.title(),
                    value(ROUNDS, kind, MEDIAN),
                    value(ROUNDS, kind, OF_OURS),
                    value(ROUNDS, kind, LOWER_QUARTILE),
                    value(ROUNDS, kind, UPPER_QUARTILE),
                    Long.parseLong(value(ROUNDS, kind, STATEMENTS)),
                    Long.parseLong(value(many ? MANY : ROUNDS, kind, INDEX)),
                    value(many ? MANY : ROUNDS, kind, INDEX_OF_OURS)));
        }
        return lines;
    }

    private String value(String measurement, Kind kind, String figure) {
        return all.stream()
                .filter(measured -> measured.measurement().equals(measurement)
                        && measured.kind() == kind
                        && measured.figure().equals(figure))
                .map(Measured::value)
                .findFirst()
                .orElseThrow();
    }
}
