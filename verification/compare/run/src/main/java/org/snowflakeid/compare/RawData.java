// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.snowflakeid.chaos.Csv;

/** All that was seen, as lines of CSV: what, of which generator, in which chapter, how often or how much, and in words. */
final class RawData {

    private static final int MOST_EXAMPLES = 5;

    private final Report report;
    private final List<String> lines = new ArrayList<>();

    RawData(Report report) {
        this.report = report;
    }

    List<String> csv() {
        line("what", "generator", "chapter", "value", "text");
        Report.COLUMNS.forEach(this::figures);
        report.results().forEach(this::said);
        report.results().forEach(this::examples);
        report.results().forEach(this::size);
        report.plans().forEach(this::schedule);
        return lines;
    }

    private void figures(Report.Column column) {
        for (Report.Result result : report.results()) {
            String title = result.outcome().subject().title();
            report.chapters().stream()
                    .filter(result.findings().chapters()::containsKey)
                    .forEach(chapter -> figure(column, title, chapter.toString(), column.in(result, chapter)));
            figure(column, title, "all", column.shown().apply(result.findings().all()));
        }
    }

    /** Without the separators of thousands that people like. */
    private void figure(Report.Column column, String title, String chapter, String shown) {
        String[] numberAndText = shown.split(", ", 2);
        boolean withText = numberAndText.length == 2;
        line(column.title(), title, chapter, numberAndText[0].replace(",", ""), withText ? numberAndText[1] : "");
    }

    /** Numbers and times are left out, so that equal messages count together. */
    private void said(Report.Result result) {
        for (Chapter chapter : result.findings().chapters().keySet()) {
            result.sayings()
                    .in(chapter)
                    .forEach(said -> line(
                            "said",
                            result.outcome().subject().title(),
                            chapter.toString(),
                            said.getValue().toString(),
                            said.getKey()));
        }
    }

    private void examples(Report.Result result) {
        result.findings().details().stream()
                .limit(MOST_EXAMPLES)
                .forEach(detail ->
                        line("issued twice", result.outcome().subject().title(), "", "", detail));
    }

    private void size(Report.Result result) {
        String title = result.outcome().subject().title();
        line("ids", title, "all", Long.toString(result.findings().all().ids), "");
        line(
                "processes",
                title,
                "all",
                Integer.toString(result.outcome().lives().size()),
                "");
        line("coordinator", title, "", "", result.outcome().coordinator());
    }

    private void schedule(Chapter.Plan plan) {
        line(
                "schedule",
                "",
                plan.chapter().toString(),
                "",
                plan.events().stream().map(Event::toString).collect(Collectors.joining("; ")) + "; end at "
                        + Report.seconds(plan.length().toNanos()) + " s");
    }

    private void line(String what, String generator, String chapter, String value, String text) {
        lines.add(Csv.line(what, generator, chapter, value, text));
    }
}
