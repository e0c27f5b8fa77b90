// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The results of one run as tables in Markdown. */
final class ResultTable {

    private static final String DISTURBED = "†";
    private static final String NONE = "–";

    private record Heading(String text, Function<Figures, String> cell) {}

    private static final List<Heading> HEADINGS = Stream.concat(
                    Saturated.THREADS.stream()
                            .map(count -> new Heading(
                                    count + (count == 1 ? " thread" : " threads"),
                                    of -> load(of, "saturated-" + count))),
                    Stream.of(
                            new Heading("drift ms", ResultTable::drift),
                            new Heading("1,000 virtual", of -> load(of, "virtual")),
                            new Heading("solo ns", ResultTable::solo),
                            new Heading("two ns", of -> joined(of, "%.0f", "two.p50", "two.p90")),
                            new Heading("paced ns", of -> joined(of, "%.0f", "paced.p50", "paced.p99", "paced.p99.9")),
                            new Heading("batch ns", of -> joined(of, "%.1f", "batch")),
                            new Heading("into ns", of -> joined(of, "%.1f", "into")),
                            new Heading("burst ms", of -> joined(of, "%.1f", "burst")),
                            new Heading("B/id", of -> joined(of, "%.1f", "allocation")),
                            new Heading(
                                    "low %",
                                    of -> of.get("low")
                                            .map(figure -> format("%.1f", 100 * figure.value()))
                                            .orElse(NONE)),
                            new Heading("duplicates", of -> joined(of, "%,.0f", "duplicates"))))
            .toList();

    /** What the report shows; all else is in the file beside it. */
    private static final List<Heading> SUMMARY = List.of(
            new Heading("8 threads", of -> load(of, "saturated-8")),
            new Heading("1,000 virtual", of -> load(of, "virtual")),
            new Heading("8 threads, half taken", of -> load(of, Column.BUSY_50 + "-saturated-8")),
            new Heading("pausing threads", ResultTable::pausing),
            new Heading("drift ms", ResultTable::drift),
            new Heading("solo ns", of -> joined(of, "%.0f", "solo")));

    private static List<Heading> headingsOf(Column busy) {
        return Stream.concat(
                        Saturated.THREADS.stream()
                                .map(count -> new Heading(
                                        count + (count == 1 ? " thread" : " threads"),
                                        of -> load(of, busy + "-saturated-" + count))),
                        Stream.of(
                                new Heading("1,000 virtual", of -> load(of, busy + "-virtual")),
                                new Heading("burst ms", of -> joined(of, "%.1f", busy + "-burst"))))
                .toList();
    }

    /** @param prefix of the figures' names */
    private static List<Heading> headingsOfBurstAndBack(String prefix) {
        String back = prefix + "back.";
        return List.of(
                new Heading("wanted", of -> joined(of, "%.2f", back + "wanted", back + "wanted-in-burst")),
                new Heading("before", of -> joined(of, "%.2f", back + "before")),
                new Heading("in the burst", of -> joined(of, "%.2f", back + "burst-1", back + "burst-2")),
                new Heading("after it", of -> joined(of, "%.2f", back + "after-1", back + "after-2")),
                new Heading("back, ms", of -> joined(of, "%.0f", back + "millis")));
    }

    private final List<Measured> all;

    ResultTable(List<Measured> all) {
        this.all = all;
    }

    /** Whether everything could be measured, no generator but the control issued an id twice, and the control was caught. */
    boolean isSound() {
        return all.stream()
                .allMatch(measured -> measured.failures().isEmpty()
                        && measured.figures()
                                .get("duplicates")
                                .map(figure -> (figure.value() > 0)
                                        == measured.subject().isControl())
                                .orElse(true));
    }

    /** All tables. */
    String markdown() {
        List<Measured> rows = compared();
        StringBuilder text = new StringBuilder();
        table(text, "", HEADINGS, rows);
        table(text, "While 30 % of each processor are taken by another process:", headingsOf(Column.BUSY_30), rows);
        table(text, "While 50 % of each processor are taken by another process:", headingsOf(Column.BUSY_50), rows);
        String busy = ", while 30 % of each processor are taken:";
        String pausing = "Threads that do something between their ids";
        between(text, pausing + ":", "", rows);
        between(text, pausing + busy, "busy-30-", rows);
        String burst = "64 threads, for a second 64 more, then 64 again";
        table(text, burst + ":", headingsOfBurstAndBack(""), rows);
        table(text, burst + busy, headingsOfBurstAndBack("busy-30-"), rows);
        return remarks(text);
    }

    /** The one table of a report. */
    String summary() {
        StringBuilder text = new StringBuilder();
        table(text, "", SUMMARY, compared());
        return remarks(text);
    }

    private List<Measured> compared() {
        return all.stream().filter(measured -> !measured.subject().isControl()).toList();
    }

    private String remarks(StringBuilder text) {
        controls().forEach(line -> text.append('\n').append(line).append('\n'));
        if (text.indexOf(DISTURBED) >= 0) {
            text.append("\n" + DISTURBED + " Others took more than 20 % of the machine even in the calmest windows;"
                    + " `?`: so much that nothing could be measured.\n");
        }
        for (Measured measured : all) {
            for (String failure : measured.failures()) {
                text.append("\nFailed: ")
                        .append(measured.subject().name())
                        .append(", ")
                        .append(failure)
                        .append('\n');
            }
        }
        return text.toString();
    }

    /** Leaves out columns and rows without a figure. */
    private static void table(StringBuilder text, String title, List<Heading> headings, List<Measured> rows) {
        List<Heading> shown = headings.stream()
                .filter(heading -> rows.stream().anyMatch(row -> isMeasured(row, heading)))
                .toList();
        if (shown.isEmpty()) {
            return;
        }
        if (!title.isEmpty()) {
            text.append(text.length() == 0 ? "" : "\n").append(title).append("\n\n");
        }
        row(text, "", shown.stream().map(Heading::text), "how");
        row(text, "---", shown.stream().map(heading -> "---:"), "---");
        for (Measured row : rows) {
            if (shown.stream().anyMatch(heading -> isMeasured(row, heading))) {
                row(
                        text,
                        row.subject().name(),
                        shown.stream().map(heading -> heading.cell().apply(row.figures())),
                        row.subject().kind());
            }
        }
    }

    /** A row for each mix, a column for each subject. */
    private static void between(StringBuilder text, String title, String prefix, List<Measured> rows) {
        List<Mix> mixes = Between.mixes(prefix, rows);
        if (mixes.isEmpty()) {
            return;
        }
        List<Measured> shown = rows.stream()
                .filter(row -> mixes.stream()
                        .anyMatch(mix -> !between(row, prefix, mix).equals(NONE)))
                .toList();
        text.append(text.length() == 0 ? "" : "\n").append(title).append("\n\n");
        row(text, "", shown.stream().map(row -> row.subject().name()), "wanted");
        row(text, "---", shown.stream().map(row -> "---:"), "---:");
        for (Mix mix : mixes) {
            row(text, mix.title(), shown.stream().map(row -> between(row, prefix, mix)), wanted(shown, prefix, mix));
        }
    }

    private static String between(Measured row, String prefix, Mix mix) {
        String name = Between.name(prefix, mix);
        String cell = cell(
                row.figures(),
                List.of(name + ".share", name + ".cpu", name + ".p99.9", name + ".longest"),
                figures -> load(figures) + ", " + millis(figures.get(2)) + "/" + millis(figures.get(3)) + " ms");
        return cell
                + Drift.of(row.figures(), name)
                        .filter(Drift::isFar)
                        .map(far -> ", " + far + " ms")
                        .orElse("");
    }

    private static String millis(Figure figure) {
        return format(figure.value() < 10 ? "%.1f" : "%,.0f", figure.value());
    }

    /** Each process measures it for itself: the least and the most. */
    private static String wanted(List<Measured> rows, String prefix, Mix mix) {
        DoubleSummaryStatistics wanted = rows.stream()
                .flatMap(row -> row.figures().get(Between.name(prefix, mix) + ".wanted").stream())
                .mapToDouble(Figure::value)
                .summaryStatistics();
        return format("%.2f–%.2f", wanted.getMin(), wanted.getMax());
    }

    private static boolean isMeasured(Measured row, Heading heading) {
        return !heading.cell().apply(row.figures()).equals(NONE);
    }

    private static void row(StringBuilder text, String first, Stream<String> cells, String last) {
        text.append(Stream.of(Stream.of(first), cells, Stream.of(last))
                .flatMap(Function.identity())
                .collect(Collectors.joining(" | ", "| ", " |\n")));
    }

    private List<String> controls() {
        List<String> lines = new ArrayList<>();
        for (Measured measured : all) {
            if (measured.subject().isControl()) {
                String figures = HEADINGS.stream()
                        .map(heading -> heading.text() + " " + heading.cell().apply(measured.figures()))
                        .filter(text -> !text.endsWith(" " + NONE))
                        .collect(Collectors.joining(", "));
                lines.add("`" + measured.subject().name() + "`, "
                        + measured.subject().kind() + ": " + figures + ".");
            }
        }
        return lines;
    }

    private static String load(Figures of, String name) {
        return cell(of, List.of(name + ".ratio", name + ".cpu"), ResultTable::load);
    }

    /** @param figures a share and its CPU first */
    private static String load(List<Figure> figures) {
        return format("%.2f", figures.get(0).value()) + "/"
                + format("%.3f", figures.get(1).value()).replaceFirst("^(-?)0\\.", "$1.");
    }

    /** The least and the greatest share of all that threads do between their ids. */
    private static String pausing(Figures of) {
        List<String> shares = of.names()
                .filter(name -> name.startsWith("between-") && name.endsWith(".share"))
                .toList();
        return shares.isEmpty()
                ? NONE
                : cell(of, shares, figures -> {
                    DoubleSummaryStatistics all =
                            figures.stream().mapToDouble(Figure::value).summaryStatistics();
                    return format("%.2f–%.2f", all.getMin(), all.getMax());
                });
    }

    private static String solo(Figures of) {
        return cell(of, List.of("solo"), figures -> {
            Figure solo = figures.get(0);
            return format("%.0f (%.0f–%.0f)", solo.value(), solo.low(), solo.high());
        });
    }

    private static String joined(Figures of, String format, String... names) {
        return cell(of, List.of(names), figures -> figures.stream()
                .map(figure -> format(format, figure.value()))
                .collect(Collectors.joining("/")));
    }

    /** The number of threads with which it drifted furthest from the clock: at most, and at the end. */
    private static String drift(Figures of) {
        List<Drift> drifts = Drift.of(of);
        return drifts.isEmpty() ? NONE : drifts.get(0).toString();
    }

    private static String cell(Figures of, List<String> names, Function<List<Figure>, String> text) {
        List<Figure> figures =
                names.stream().map(of::get).flatMap(Optional::stream).toList();
        if (figures.size() < names.size()) {
            return NONE;
        }
        boolean measured = figures.stream().noneMatch(figure -> Double.isNaN(figure.value()));
        boolean disturbed = figures.stream().anyMatch(Figure::disturbed);
        return (measured ? text.apply(figures) : "?") + (disturbed ? " " + DISTURBED : "");
    }

    @SuppressWarnings("AnnotateFormatMethod") // The annotation is in a library that nothing else here needs.
    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values).replace("Infinity", "∞");
    }
}
