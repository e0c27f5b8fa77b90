// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The result, as Markdown. */
final class Report {

    /** What is counted of each generator in each chapter. */
    record Column(String title, Function<Findings.Figures, String> shown) {

        /** – where it was not played. */
        String in(Result result, Chapter chapter) {
            return result.findings().chapters().containsKey(chapter)
                    ? shown.apply(result.findings().of(chapter))
                    : "–";
        }
    }

    private static final Column TWICE = new Column("Ids issued twice", figures -> number(figures.duplicates));

    static final List<Column> COLUMNS = List.of(
            TWICE,
            new Column(
                    "Longest time in which two processes used one worker id, in seconds",
                    figures -> seconds(figures.sharedNanos)),
            new Column("Ids lower than the one before in the same process", figures -> number(figures.disorder)),
            new Column(
                    "Longest time without an id of a process that ran, in seconds",
                    figures -> seconds(figures.longestGapNanos)),
            new Column("Slowest start, in seconds", Report::start));

    private final String run;
    private final List<Chapter.Plan> plans;
    private final List<Result> results;

    record Result(Trial.Outcome outcome, Findings findings, Sayings sayings) {
        static Result of(Trial.Outcome outcome) {
            return new Result(
                    outcome,
                    Oracle.examine(outcome.lives(), outcome.subject().workerIds()),
                    Sayings.of(outcome.lives()));
        }
    }

    /** @param run machine, commit, seed and command, as lines of Markdown */
    Report(String run, List<Chapter.Plan> plans, List<Result> results) {
        this.run = run;
        this.plans = plans;
        this.results = results;
    }

    /** @param data the name of the file beside it that has what {@link RawData} says */
    String markdown(String data) {
        return "# Report: the comparison\n\n" + run + "\n## What was seen\n\n" + table(TWICE)
                + "The other figures, what each said, the first ids that were issued twice, and the schedule: [" + data
                + "]("
                + data + "). The page \"The comparison\" says how each was set up.\n";
    }

    /** The tables that are the result. */
    String tables() {
        return COLUMNS.stream().map(this::table).collect(Collectors.joining());
    }

    /** Those that were played. */
    List<Chapter> chapters() {
        return Arrays.stream(Chapter.values())
                .filter(chapter -> plans.stream().anyMatch(plan -> plan.chapter() == chapter))
                .toList();
    }

    List<Chapter.Plan> plans() {
        return plans;
    }

    List<Result> results() {
        return results;
    }

    private String table(Column column) {
        StringBuilder text = new StringBuilder("### " + column.title + "\n\n| |");
        chapters().forEach(chapter -> text.append(' ').append(chapter).append(" |"));
        text.append(" all |\n|---|")
                .append("--:|".repeat(chapters().size() + 1))
                .append('\n');
        for (Result result : results) {
            text.append("| ").append(result.outcome().subject().title()).append(" |");
            for (Chapter chapter : chapters()) {
                text.append(' ').append(column.in(result, chapter)).append(" |");
            }
            text.append(' ').append(column.shown.apply(result.findings().all())).append(" |\n");
        }
        return text.append('\n').toString();
    }

    static String number(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.1f", nanos / 1e9);
    }

    private static String start(Findings.Figures figures) {
        return seconds(figures.slowestStartNanos)
                + (figures.startsWithoutIds == 0 ? "" : ", " + figures.startsWithoutIds + " without an id");
    }
}
