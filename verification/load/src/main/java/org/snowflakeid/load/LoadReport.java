// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** What was measured: a page with the table that a reader needs, and beside it all values, each on a line of CSV. */
final class LoadReport {

    static final String START = "start";
    static final String ARCHIVE = "start with an archive";
    static final String CALL = "call";
    static final String CLAIM = "claims at once";
    static final String HOLD = "hold";

    private static final String NOT_MEASURED = "–";

    /** @param value without separators of thousands */
    record Figure(String name, String value) {
        static Figure of(String name, String format, Object value) {
            return new Figure(name, String.format(Locale.ROOT, format, value));
        }
    }

    /** @param holders 0 where there are none */
    private record Measured(String measurement, String coordinator, int holders, Figure figure) {
        String line() {
            return String.join(
                    ",",
                    measurement,
                    coordinator,
                    holders == 0 ? "" : Integer.toString(holders),
                    figure.name(),
                    figure.value());
        }
    }

    private final List<Measured> all = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    /** Shown at once: a later one may fail. */
    void add(String measurement, String coordinator, int holders, List<Figure> figures) {
        for (Figure figure : figures) {
            Measured measured = new Measured(measurement, coordinator, holders, figure);
            System.err.println(measured.line());
            all.add(measured);
        }
    }

    void failed(String coordinator, Exception failure) {
        failures.add("The rest of `" + coordinator + "` was not measured: " + failure);
    }

    boolean isComplete() {
        return failures.isEmpty();
    }

    void write(Path file, List<String> preface) throws IOException {
        String data = String.valueOf(file.getFileName()).replaceAll("\\.md$", "") + ".csv";
        Files.write(file, page(preface, data));
        Files.write(file.resolveSibling(data), csv());
    }

    List<String> csv() {
        List<String> lines = new ArrayList<>(List.of("measurement,coordinator,holders,figure,value"));
        all.forEach(measured -> lines.add(measured.line()));
        return lines;
    }

    private List<String> page(List<String> preface, String data) {
        List<String> some = coordinators();
        String which = some.isEmpty() || some.size() > 3 ? "coordinators" : String.join(" and ", some);
        List<String> lines = new ArrayList<>(List.of("# Load of " + which, ""));
        preface.forEach(paragraph -> lines.addAll(List.of(paragraph, "")));
        lines.addAll(List.of("All figures are in [" + data + "](" + data + "). A dash is what was not measured.", ""));
        lines.addAll(table());
        return lines;
    }

    List<String> table() {
        List<String> lines = new ArrayList<>(List.of(
                "| coordinator | start, ms | with an archive | claim, ms | extension, ms | holders | s until all had one"
                        + " | server, % of a processor |",
                "|---|---:|---:|---:|---:|---:|---:|---:|"));
        coordinators().forEach(coordinator -> rows(lines, coordinator));
        failures.forEach(failure -> lines.addAll(List.of("", failure)));
        return lines;
    }

    private List<String> coordinators() {
        return all.stream().map(Measured::coordinator).distinct().toList();
    }

    /** One for each number of holders, the first of them with what does not depend on it. */
    private void rows(List<String> lines, String coordinator) {
        List<Integer> counts = all.stream()
                .filter(measured -> measured.coordinator().equals(coordinator))
                .map(Measured::holders)
                .filter(holders -> holders > 0)
                .distinct()
                .toList();
        List<String> once = List.of(
                value(START, coordinator, 0, Starts.MEDIAN),
                value(ARCHIVE, coordinator, 0, Starts.MEDIAN),
                value(CALL, coordinator, 0, Calls.CLAIM),
                value(CALL, coordinator, 0, Calls.EXTENSION));
        if (counts.isEmpty()) {
            lines.add(row(coordinator, once, List.of(NOT_MEASURED, NOT_MEASURED, NOT_MEASURED)));
        }
        for (int count : counts) {
            boolean first = count == counts.get(0);
            lines.add(row(
                    coordinator,
                    first ? once : Collections.nCopies(once.size(), ""),
                    List.of(
                            String.format(Locale.ROOT, "%,d", count),
                            value(CLAIM, coordinator, count, Holders.UNTIL_ALL),
                            value(HOLD, coordinator, count, Holders.SERVER))));
        }
    }

    private static String row(String coordinator, List<String> once, List<String> ofHolders) {
        return "| " + coordinator + " | " + String.join(" | ", once) + " | " + String.join(" | ", ofHolders) + " |";
    }

    private String value(String measurement, String coordinator, int holders, String figure) {
        return all.stream()
                .filter(measured -> measured.measurement().equals(measurement)
                        && measured.coordinator().equals(coordinator)
                        && measured.holders() == holders
                        && measured.figure().name().equals(figure))
                .map(measured -> measured.figure().value())
                .findFirst()
                .orElse(NOT_MEASURED);
    }
}
