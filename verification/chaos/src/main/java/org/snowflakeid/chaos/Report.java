// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
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

/** What a run showed, in Markdown, and what was wrong with it. */
final class Report {

    /**
     * What the generator says when something is done to it. A warning that is none of these is unexpected; so is any error.
     */
    private static final List<String> KNOWN_WARNINGS = List.of(
            "(first start). If it existed before",
            "extension failed (",
            "no other worker id (",
            "still without a worker id:",
            "is used up, no ids:",
            "lost the owner entry of worker id",
            "lost worker id",
            "left worker id",
            "could not be released; others can claim it after",
            "and is not believed yet",
            "it is not believed, ids go on as if it had not stepped",
            "calls fail: the clock (now",
            "a copy of this process may be running, since the system clock stepped, and no other worker id can be used sooner");

    private final ChaosRun.Outcome outcome;
    private final IdChecker.Findings findings;
    private final Map<String, long[]> events = new TreeMap<>();
    private final StringBuilder text = new StringBuilder();

    Report(ChaosRun.Outcome outcome) {
        this.outcome = outcome;
        this.findings = outcome.findings();
    }

    // ---- what was wrong

    /** Empty if all is well: no id twice, all workers recovered, and enough happened to say so. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        report(problems, findings.duplicates(), "ids were issued twice");
        report(problems, findings.orderViolations(), "violations of the order");
        report(problems, findings.aheadViolations(), "ids were further ahead of the true time than allowed");
        report(problems, findings.rangeViolations(), "worker ids out of range");
        problems.addAll(outcome.marksTooLow());
        report(problems, outcome.marksFarAhead().size(), "worker ids were lost to a clock that was wrong");
        report(problems, count(Count.REGRESSED), "calls failed since the coordinator seemed to have regressed");
        if (!outcome.allIssuedAgain()) {
            problems.add("not every worker issued again after the faults");
        }
        problems.addAll(outcome.unexpected());
        problems.addAll(outcome.logs().errors());
        unknownWarnings().forEach(entry -> problems.add(entry.getValue() + " times: " + entry.getKey()));
        outcome.logs().strangers().keySet().stream().limit(10).forEach(line -> problems.add("in a log: " + line));
        happened().forEach((what, seen) -> {
            if (seen[0] < seen[1]) {
                problems.add("proves little: " + what + " " + seen[0] + ", at least " + seen[1] + " are wanted");
            }
        });
        return problems;
    }

    private static void report(List<String> problems, long count, String what) {
        if (count > 0) {
            problems.add(count + " " + what);
        }
    }

    private List<Map.Entry<String, Long>> unknownWarnings() {
        return outcome.logs().classes().stream()
                .filter(entry -> entry.getKey().startsWith("WARNING")
                        && KNOWN_WARNINGS.stream().noneMatch(entry.getKey()::contains))
                .toList();
    }

    /** What must have happened how often, so that finding nothing means something: seen, and wanted. */
    private Map<String, long[]> happened() {
        if (events.isEmpty()) {
            double minutes = outcome.options().length().toMillis() / 60_000.0;
            expect("ids", findings.ids(), minutes * 5_000_000);
            expect("faults", outcome.executed().size(), minutes * 40);
            expect("extensions", count(Count.EXTENSIONS), minutes * 40);
            expect("takeovers", count(Count.TAKEOVERS), minutes * 1.5);
            expect("takeovers noticed by the former holder", count(Count.TAKEOVERS_NOTICED), minutes / 4);
            expect("swaps", swaps(), minutes / 2);
            expect("windows used up", outcome.logs().count("is used up, no ids"), minutes / 2);
            expect("owner entries claimed again", count(Count.REOWNS), minutes);
            expect("extensions of unknown outcome", count(Count.EXTENSIONS_UNKNOWN), minutes / 2);
            expect("doubts of the clock", outcome.logs().count("is not believed yet"), minutes);
            for (Fault.Kind kind : Fault.Kind.values()) {
                long planned = outcome.options().schedule().faults().stream()
                        .filter(fault -> fault.kind() == kind)
                        .count();
                expect("faults " + kind, effective(kind), planned / 3.0 - 1);
            }
        }
        return events;
    }

    private void expect(String what, long seen, double wanted) {
        events.put(what, new long[] {seen, Math.round(wanted)});
    }

    private long effective(Fault.Kind kind) {
        return outcome.executed().stream()
                .filter(e -> e.fault().kind() == kind && e.hadEffect())
                .count();
    }

    private long swaps() {
        return outcome.logs().count("lost worker id ") + outcome.logs().count("left worker id ");
    }

    private long count(Count what) {
        return outcome.tally().getOrDefault(what, 0L);
    }

    String summary() {
        return String.format(
                Locale.ROOT,
                "%,d ids in %,d runs, %d faults, %d duplicates, %d order violations, %d ids too far ahead, CPU %.2f cores",
                findings.ids(),
                findings.runs(),
                outcome.executed().size(),
                findings.duplicates(),
                findings.orderViolations(),
                findings.aheadViolations(),
                cores());
    }

    private double cores() {
        return (double) outcome.processorTime().toMillis()
                / Math.max(1, (outcome.toNanos() - outcome.fromNanos()) / 1_000_000);
    }

    // ---- Markdown

    String markdown() {
        List<String> problems = problems();
        line("# Chaos on " + outcome.coordinator());
        line("");
        line(
                problems.isEmpty()
                        ? "**Nothing was found**: no id twice, none out of order, every worker recovered."
                        : "**Found: " + problems.size() + "**, see the end.");
        line("");
        table("", "");
        row("seed", outcome.options().seed());
        row("commit", commit());
        row("began", outcome.began().truncatedTo(ChronoUnit.SECONDS));
        row(
                "machine",
                Runtime.getRuntime().availableProcessors() + " cores, " + System.getProperty("os.name") + ", JDK "
                        + Runtime.version());
        row("coordinator", outcome.version() + ", members: " + outcome.options().members());
        row(
                "workers",
                outcome.options().workers() + " at a time on "
                        + outcome.options().workerIds()
                        + " worker ids, window " + outcome.options().window() + ", " + outcome.processes()
                        + " processes in all");
        row("faults for", shown(outcome.toNanos() - outcome.fromNanos()));
        row("processor", String.format(Locale.ROOT, "%.2f cores on average, everything together", cores()));
        row("**ids**", String.format(Locale.ROOT, "**%,d**, each recorded and checked", findings.ids()));
        row("runs of ids", String.format(Locale.ROOT, "%,d", findings.runs()));
        row("generators, threads", findings.generators() + ", " + findings.recordings());
        row("**faults**", "**" + outcome.executed().size() + "**");
        row("**duplicates**", "**" + findings.duplicates() + "**");
        row("**order violations**", "**" + findings.orderViolations() + "**");
        row("ids further ahead than allowed", findings.aheadViolations());
        row(
                "furthest ahead of the true time",
                findings.mostAheadMillis() + " ms (a burst of 500 ms is allowed to some)");
        row("the same with a clock that is wrong or was within a minute", findings.mostAheadSteppedMillis() + " ms");
        row("worker ids out of range", findings.rangeViolations());
        row("marks not above every id", outcome.marksTooLow().size());
        row("marks left more than an hour ahead", outcome.marksFarAhead().size());
        row(
                "every worker issued again after the faults",
                (outcome.allIssuedAgain() ? "yes, after " : "NO, not within ")
                        + outcome.untilAllIssued().toSeconds() + " s");
        faults();
        counts();
        gaps();
        messages();
        if (!problems.isEmpty()) {
            line("");
            line("## Found");
            line("");
            problems.stream().limit(100).forEach(problem -> line("- " + problem));
            findings.details().forEach(detail -> line("- " + detail));
            outcome.marksFarAhead().forEach(mark -> line("- far ahead: " + mark));
        }
        return text.toString();
    }

    private void faults() {
        line("");
        line("## Faults");
        line("");
        table("kind", "planned", "had an effect", "longest");
        Map<Fault.Kind, List<ChaosRun.Executed>> kinds = new TreeMap<>(outcome.executed().stream()
                .collect(Collectors.groupingBy(e -> e.fault().kind())));
        kinds.forEach((kind, all) -> row(
                kind.text,
                all.size(),
                all.stream().filter(ChaosRun.Executed::hadEffect).count(),
                shown(all.stream()
                        .filter(ChaosRun.Executed::hadEffect)
                        .mapToLong(e -> e.fault().lasts().toNanos())
                        .max()
                        .orElse(0))));
        line("");
        line("At the same time: up to " + mostAtOnce()
                + ". An owner entry that is not there, or a leader that is not known, cannot be hurt.");
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
        line("");
        line("## What the generators did");
        line("");
        table("", "times");
        for (Count what : Count.values()) {
            row(what.text, String.format(Locale.ROOT, "%,d", count(what)));
        }
        row("swaps to another worker id while running", swaps());
        row("windows used up", outcome.logs().count("is used up, no ids"));
        row("clock doubted after a jump", outcome.logs().count("is not believed yet"));
        row("clock contradicted, and not followed", outcome.logs().count("it is not believed, ids go on"));
        row("calls failed, since the clock was behind", outcome.logs().count("calls fail: the clock (now"));
        line("");
        line("Wanted at least, so that finding nothing means something: "
                + happened().entrySet().stream()
                        .filter(e -> e.getValue()[1] > 0)
                        .map(e -> e.getKey() + " " + e.getValue()[1])
                        .collect(Collectors.joining(", "))
                + ".");
    }

    // ---- gaps

    private void gaps() {
        line("");
        line("## Longest time without ids");
        line("");
        line("There are fewer worker ids than workers, so a worker always waits for one; workers 3 and 7 pause up to a"
                + " window by themselves. Times of faults are those within the gap.");
        line("");
        table(
                "worker",
                "ids",
                "longest gap",
                "began after",
                "spent",
                "faults that overlap it",
                "what it said meanwhile");
        for (int worker = 0; worker < outcome.options().workers(); worker++) {
            long ids = findings.idsOfWorkers().getOrDefault(worker, 0L);
            Gap longest = findings.gaps().getOrDefault(worker, List.of()).stream()
                    .max(Comparator.comparingLong(Gap::nanos))
                    .orElse(null);
            if (longest == null) {
                row(worker, String.format(Locale.ROOT, "%,d", ids), "under 2 s", "", "", "", "");
            } else {
                row(
                        worker,
                        String.format(Locale.ROOT, "%,d", ids),
                        shown(longest.nanos()),
                        shown(Math.max(0, longest.fromNanos() - outcome.fromNanos())),
                        spent(longest),
                        explanation(longest),
                        said(longest));
            }
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

    private void messages() {
        line("");
        line("## Warnings and errors in the workers' logs");
        line("");
        line("Numbers are replaced by #. Unexpected: "
                + (unknownWarnings().isEmpty() && outcome.logs().errors().isEmpty() ? "none" : "see below") + ".");
        line("");
        table("times", "message");
        List<Map.Entry<String, Long>> merged = mergedClasses();
        merged.forEach(entry -> row(entry.getValue(), entry.getKey()));
    }

    /** Classes that are equal as far as they are shown are one row. */
    private List<Map.Entry<String, Long>> mergedClasses() {
        Map<String, Long> merged = new TreeMap<>();
        outcome.logs().classes().forEach(entry -> merged.merge(shorten(entry.getKey()), entry.getValue(), Long::sum));
        return merged.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .toList();
    }

    private static String shown(long nanos) {
        return String.format(Locale.ROOT, "%.1f s", Duration.ofNanos(nanos).toMillis() / 1000.0);
    }

    private static String commit() {
        return git("rev-parse", "--short=12", "HEAD")
                + (git("status", "--porcelain", "--untracked-files=no").isEmpty() ? "" : " with changes");
    }

    private static String git(String... arguments) {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        try {
            Process git = new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.waitFor() == 0 ? output : "unknown";
        } catch (IOException e) {
            return "unknown";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "unknown";
        }
    }

    private void table(String... heads) {
        row((Object[]) heads);
        line("|" + "---|".repeat(heads.length));
    }

    private void row(Object... cells) {
        StringBuilder row = new StringBuilder("|");
        for (Object cell : cells) {
            String shown = cell instanceof Instant instant ? instant.toString() : String.valueOf(cell);
            row.append(' ').append(shown.replace("|", "\\|")).append(" |");
        }
        line(row.toString());
    }

    private void line(String line) {
        text.append(line).append('\n');
    }
}
