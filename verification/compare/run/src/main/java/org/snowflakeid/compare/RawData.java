// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What was seen besides the {@link Report}'s page, as lines of CSV: what, of which generator, in which chapter, and the value. */
final class RawData {

    private static final int MOST_EXAMPLES = 5;

    private final Report report;
    private final List<String> lines = new ArrayList<>();

    RawData(Report report) {
        this.report = report;
    }

    List<String> csv() {
        line("what", "generator", "chapter", "value");
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
                    .forEach(chapter -> line(column.title(), title, chapter.toString(), column.in(result, chapter)));
        }
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
                            said.getValue() + " × " + said.getKey()));
        }
    }

    private void examples(Report.Result result) {
        result.findings().details().stream()
                .limit(MOST_EXAMPLES)
                .forEach(detail ->
                        line("issued twice", result.outcome().subject().title(), "", detail));
    }

    private void size(Report.Result result) {
        String title = result.outcome().subject().title();
        line("ids", title, "", Report.number(result.findings().all().ids));
        line("processes", title, "", Report.number(result.outcome().lives().size()));
        line("coordinator", title, "", result.outcome().coordinator());
    }

    private void schedule(Chapter.Plan plan) {
        line(
                "schedule",
                "",
                plan.chapter().toString(),
                plan.events().stream().map(Event::toString).collect(Collectors.joining("; ")) + "; end at "
                        + Report.seconds(plan.length().toNanos()) + " s");
    }

    private void line(String... values) {
        lines.add(List.of(values).stream().map(RawData::quoted).collect(Collectors.joining(",")));
    }

    private static String quoted(String value) {
        return value.matches("[^\",\n\r]*") ? value : '"' + value.replace("\"", "\"\"") + '"';
    }
}
