// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.snowflakeid.mutants.Laboratory.Outcome;

/** What became of the mutants: a page, and beside it a line of CSV for each of them. */
final class MutantsReport {

    /** @param simulation empty if it did not run */
    record Row(String folder, Mutant mutant, boolean survives, Outcome tests, String simulation) {}

    private final List<Row> rows = new ArrayList<>();

    void add(Row row) {
        rows.add(row);
    }

    void write(Path file, int effort, String commit) throws IOException {
        String data = String.valueOf(file.getFileName()).replaceAll("\\.md$", "") + ".csv";
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.write(file, page(file, data, effort, commit));
        Files.write(file.resolveSibling(data), csv());
    }

    private List<String> page(Path file, String data, int effort, String commit) {
        List<Row> survivors = rows.stream().filter(Row::survives).toList();
        List<String> lines = new ArrayList<>(List.of(
                "# Mutants",
                "",
                "Written by `bin/mutants --report " + file + " --effort " + effort + "`, commit " + commit + ".",
                "",
                "Each mutant is one mistake in one place: one of [the rules](../evidence/safety-argument.md#the-rules) broken"
                        + " in the real code. The tests that [mutants.txt](../../verification/mutants/mutants.txt) names for it"
                        + " run until one fails."
                        + (effort > 0
                                ? " Core's simulation runs besides, from seed 0 on, " + effort
                                        + " % of the seeds that are named there."
                                : "")
                        + " There are the originals, too, and what replaces them.",
                "",
                "**" + (rows.size() - survivors.size()) + " of " + rows.size() + " killed.** [" + data + "](" + data
                        + ") has for each its rule, what goes wrong, the test that fails first, and after how many seconds.",
                "",
                "| module | mutants | killed | slowest, s |",
                "|---|---:|---:|---:|"));
        Map<String, List<Row>> folders = new LinkedHashMap<>();
        rows.forEach(row -> folders.computeIfAbsent(row.folder(), folder -> new ArrayList<>())
                .add(row));
        folders.forEach((folder, all) -> lines.add("| " + folder + " | " + all.size() + " | "
                + all.stream().filter(row -> !row.survives()).count() + " | "
                + all.stream()
                        .mapToLong(row -> row.tests().took().toSeconds())
                        .max()
                        .orElse(0) + " |"));
        if (!survivors.isEmpty()) {
            lines.addAll(List.of("", "## Survivors", ""));
            survivors.forEach(row ->
                    lines.add("- " + row.mutant().name() + ": " + row.mutant().harm()));
        }
        return lines;
    }

    private List<String> csv() {
        List<String> lines = new ArrayList<>(List.of("mutant,module,rule,harm,killer,seconds,simulation"));
        for (Row row : rows) {
            String killer = row.tests().killer();
            lines.add(String.join(
                    ",",
                    row.mutant().name(),
                    row.folder(),
                    quoted(row.mutant().rule()),
                    quoted(row.mutant().harm()),
                    quoted(killer == null ? (row.survives() ? "survives" : "the simulation") : killer),
                    Long.toString(row.tests().took().toSeconds()),
                    quoted(row.simulation())));
        }
        return lines;
    }

    private static String quoted(String value) {
        return value.contains(",") || value.contains("\"") ? '"' + value.replace("\"", "\"\"") + '"' : value;
    }
}
