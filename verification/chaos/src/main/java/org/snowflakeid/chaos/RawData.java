// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.snowflakeid.chaos.Fault.Target;
import org.snowflakeid.chaos.IdChecker.Gap;
import org.snowflakeid.chaos.Tally.Count;

/** What a run showed besides the {@link Report}, as lines of CSV: a table, one of its rows, one of its columns, and the value there. */
final class RawData {

    private final ChaosRun.Outcome outcome;
    private final Report report;
    private final StringBuilder text = new StringBuilder();

    RawData(ChaosRun.Outcome outcome, Report report) {
        this.outcome = outcome;
        this.report = report;
    }

    String csv() {
        value("table", "row", "column", "value");
        faults();
        counts();
        gaps();
        messages();
        return text.toString();
    }

    private void faults() {
        Map<Fault.Kind, List<ChaosRun.Executed>> kinds = new TreeMap<>(outcome.executed().stream()
                .collect(Collectors.groupingBy(e -> e.fault().kind())));
        kinds.forEach((kind, all) -> {
            value("faults", kind.text, "planned", all.size());
            value(
                    "faults",
                    kind.text,
                    "had an effect",
                    all.stream().filter(ChaosRun.Executed::hadEffect).count());
            value(
                    "faults",
                    kind.text,
                    "longest",
                    shown(all.stream()
                            .filter(ChaosRun.Executed::hadEffect)
                            .mapToLong(e -> e.fault().lasts().toNanos())
                            .max()
                            .orElse(0)));
        });
        value("faults", "all", "most at the same time", mostAtOnce());
    }

    private long mostAtOnce() {
        return outcome.executed().stream()
                .mapToLong(one -> outcome.executed().stream()
                        .filter(other -> other.fromNanos() <= one.fromNanos() && other.toNanos() > one.fromNanos())
                        .count())
                .max()
                .orElse(0);
    }

    private void counts() {
        for (Count what : Count.values()) {
            value("counts", what.text, "times", report.count(what));
        }
        value("counts", "swaps to another worker id while running", "times", report.swaps());
        logged("windows used up", "is used up, no ids");
        logged("clock doubted after a jump", "is not believed yet");
        logged("clock contradicted, and not followed", "it is not believed, ids go on");
        logged("calls failed, since the clock was behind", "calls fail: the clock (now");
        // So that finding nothing means something.
        report.happened().forEach((what, seen) -> value("wanted", what, "at least", seen[1]));
    }

    private void logged(String what, String part) {
        value("counts", what, "times", outcome.logs().count(part));
    }

    /** Workers 3 and 7 pause up to a window by themselves, and there are fewer worker ids than workers. */
    private void gaps() {
        for (int worker = 0; worker < outcome.options().workers(); worker++) {
            String name = "worker " + worker;
            value("gaps", name, "ids", outcome.findings().idsOfWorkers().getOrDefault(worker, 0L));
            outcome.findings().gaps().getOrDefault(worker, List.of()).stream()
                    .max(Comparator.comparingLong(Gap::nanos))
                    .ifPresent(longest -> {
                        value("gaps", name, "longest", shown(longest.nanos()));
                        value(
                                "gaps",
                                name,
                                "began after",
                                shown(Math.max(0, longest.fromNanos() - outcome.fromNanos())));
                        value("gaps", name, "spent", spent(longest));
                        value("gaps", name, "faults that overlap it", explanation(longest));
                        value("gaps", name, "said meanwhile", said(longest));
                    });
        }
    }

    private String explanation(Gap gap) {
        List<ChaosRun.Executed> overlapping = outcome.executed().stream()
                .filter(ChaosRun.Executed::hadEffect)
                .filter(e -> overlap(e, gap) > 0 || (e.fault().lasts().isZero() && overlap(e, gap) > -1_000_000_000))
                .filter(e -> e.fault().kind().target != Target.WORKER_ID)
                .filter(e ->
                        e.fault().kind().target != Target.WORKER || e.fault().target() == gap.worker())
                .sorted(Comparator.comparingLong((ChaosRun.Executed e) -> overlap(e, gap))
                        .reversed())
                .toList();
        String shown = overlapping.stream()
                .limit(6)
                .map(e -> e.fault().kind() + (e.fault().lasts().isZero() ? "" : " " + shown(overlap(e, gap))))
                .collect(Collectors.joining(", "));
        return shown + (overlapping.size() > 6 ? " and " + (overlapping.size() - 6) + " shorter" : "");
    }

    /** Negative: so far apart. */
    private static long overlap(ChaosRun.Executed executed, Gap gap) {
        return Math.min(executed.toNanos(), gap.toNanos()) - Math.max(executed.fromNanos(), gap.fromNanos());
    }

    /** How the gap was spent; spans may overlap, and what is missing is mostly a process that starts. */
    private String spent(Gap gap) {
        WorkerLogs.Idleness idleness =
                outcome.logs().idleness(gap.worker(), wallMillis(gap.fromNanos()), wallMillis(gap.toNanos()));
        List<String> parts = new ArrayList<>();
        part(parts, "frozen", during(gap, Fault.Kind.FREEZE_WORKER));
        part(parts, "killed", during(gap, Fault.Kind.KILL_WORKER));
        part(parts, "waiting for a worker id", idleness.waitingForWorkerId());
        part(parts, "window used up", idleness.windowUsedUp());
        return String.join(", ", parts);
    }

    private static void part(List<String> parts, String what, long millis) {
        if (millis >= 100) {
            parts.add(what + " " + shown(TimeUnit.MILLISECONDS.toNanos(millis)));
        }
    }

    /** For how many milliseconds of a gap its worker suffered from that. */
    private long during(Gap gap, Fault.Kind kind) {
        return outcome.executed().stream()
                        .filter(e -> e.hadEffect()
                                && e.fault().kind() == kind
                                && e.fault().target() == gap.worker())
                        .mapToLong(e -> Math.max(0, overlap(e, gap)))
                        .sum()
                / 1_000_000;
    }

    private static long wallMillis(long nanos) {
        return System.currentTimeMillis() - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }

    private String said(Gap gap) {
        Map<String, Long> classes = new TreeMap<>();
        outcome.logs()
                .of(gap.worker(), wallMillis(gap.fromNanos()), wallMillis(gap.toNanos()))
                .forEach(line -> classes.merge(shorten(line.messageClass()), 1L, Long::sum));
        return classes.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(3)
                .map(entry -> entry.getValue() + " × " + entry.getKey())
                .collect(Collectors.joining("; "));
    }

    private static String shorten(String message) {
        String text = message.replace("snowflake 'default': ", "");
        return text.length() <= 110 ? text : text.substring(0, 110) + "…";
    }

    /** Numbers are replaced by #. */
    private void messages() {
        mergedClasses().forEach(entry -> value("log", entry.getKey(), "times", entry.getValue()));
    }

    /** Classes that are equal as far as they are shown are one row. */
    private List<Map.Entry<String, Long>> mergedClasses() {
        Map<String, Long> merged = new TreeMap<>();
        outcome.logs().classes().forEach(entry -> merged.merge(shorten(entry.getKey()), entry.getValue(), Long::sum));
        return merged.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .toList();
    }

    static String shown(long nanos) {
        return String.format(Locale.ROOT, "%.1f s", Duration.ofNanos(nanos).toMillis() / 1000.0);
    }

    private void value(String table, String row, String column, Object value) {
        text.append(Csv.line(table, row, column, value)).append('\n');
    }
}
