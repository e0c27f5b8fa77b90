// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The tables, as Markdown. */
final class Report {
    private static final int MOST_SAYINGS = 6;

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

    String markdown() {
        StringBuilder text = new StringBuilder("# Report: the comparison\n\n");
        text.append(run).append("\n## What was seen\n\n").append(tables());
        text.append("## What each said\n\n");
        text.append("Numbers and times are left out, so that equal messages count together.\n");
        results.forEach(result -> text.append(sayings(result)));
        text.append("\n## Ids issued twice\n\nThe first that were found.\n\n");
        results.forEach(result -> result.findings().details().stream().limit(5).forEach(detail -> text.append("- ")
                .append(result.outcome().subject().title())
                .append(": ")
                .append(detail)
                .append('\n')));
        text.append("\n## How each was set up\n\n");
        results.forEach(result -> text.append(setUp(result)));
        text.append("\n## The schedule\n\n");
        plans.forEach(plan -> text.append(schedule(plan)));
        return text.toString();
    }

    /** The tables that are the result. */
    String tables() {
        return table("Ids issued twice", figures -> number(figures.duplicates))
                + table(
                        "Longest time in which two processes used one worker id, in seconds",
                        figures -> seconds(figures.sharedNanos))
                + table("Ids lower than the one before in the same process", figures -> number(figures.disorder))
                + table(
                        "Longest time without an id of a process that ran, in seconds",
                        figures -> seconds(figures.longestGapNanos))
                + table("Slowest start, in seconds", Report::start);
    }

    private String table(String title, Function<Findings.Figures, String> column) {
        List<Chapter> chapters = Arrays.stream(Chapter.values())
                .filter(chapter -> plans.stream().anyMatch(plan -> plan.chapter() == chapter))
                .toList();
        StringBuilder text = new StringBuilder("### " + title + "\n\n| |");
        chapters.forEach(chapter -> text.append(' ').append(chapter).append(" |"));
        text.append(" all |\n|---|").append("--:|".repeat(chapters.size() + 1)).append('\n');
        for (Result result : results) {
            text.append("| ").append(result.outcome().subject().title()).append(" |");
            for (Chapter chapter : chapters) {
                boolean run = result.findings().chapters().containsKey(chapter);
                text.append(' ')
                        .append(run ? column.apply(result.findings().of(chapter)) : "–")
                        .append(" |");
            }
            text.append(' ').append(column.apply(result.findings().all())).append(" |\n");
        }
        return text.append('\n').toString();
    }

    private static String number(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.1f", nanos / 1e9);
    }

    private static String start(Findings.Figures figures) {
        return seconds(figures.slowestStartNanos)
                + (figures.startsWithoutIds == 0 ? "" : ", " + figures.startsWithoutIds + " without an id");
    }

    private static String sayings(Result result) {
        StringBuilder text =
                new StringBuilder("\n### " + result.outcome().subject().title() + "\n\n");
        List<String> lines = new ArrayList<>();
        for (Chapter chapter : result.findings().chapters().keySet()) {
            List<Map.Entry<String, Long>> said = result.sayings().in(chapter);
            said.stream()
                    .limit(MOST_SAYINGS)
                    .forEach(entry -> lines.add("- " + chapter + ", " + number(entry.getValue())
                            + (entry.getValue() == 1 ? " time: `" : " times: `")
                            + entry.getKey().replace('`', '\'') + "`"));
            if (said.size() > MOST_SAYINGS) {
                lines.add("- " + chapter + ": " + (said.size() - MOST_SAYINGS) + " kinds more");
            }
        }
        text.append(lines.isEmpty() ? "Nothing." : String.join("\n", lines)).append('\n');
        return text.toString();
    }

    private static String setUp(Result result) {
        Subject subject = result.outcome().subject();
        String coordinator = result.outcome().coordinator();
        return "- **" + subject.title() + "** (`" + subject.name() + "`"
                + (coordinator.isEmpty() ? "" : ", " + coordinator) + "), "
                + number(result.findings().all().ids) + " ids in "
                + number(result.outcome().lives().size()) + " processes. " + subject.setUp() + " " + subject.claims()
                + "\n";
    }

    private static String schedule(Chapter.Plan plan) {
        String events = plan.events().stream().map(Event::toString).collect(Collectors.joining("; "));
        return "- **" + plan.chapter() + "**: " + plan.chapter().explanation() + ". "
                + (events.isEmpty() ? "End at " : "After the first ids, " + events + "; end at ")
                + seconds(plan.length().toNanos()) + " s.\n";
    }
}
