// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
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
            "lost the owner entry of worker id",
            "the lease of an owner entry was not renewed and ends within",
            "lost worker id",
            "left worker id",
            "could not be released; others can claim it after",
            "and is not believed yet",
            "it is not believed, ids go on as if it had not stepped",
            "calls fail: the clock (now",
            "a copy of this process may be running, since the system clock stepped, and no other worker id can be used sooner",
            "A call of the coordinator has not ended for");

    /** The only error that it logs: nothing of what was reserved is left. */
    private static final String KNOWN_ERROR = "what was reserved is used up, no ids:";

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
        problems.addAll(unknownErrors());
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

    private List<String> unknownErrors() {
        return outcome.logs().errors().stream()
                .filter(line -> !line.contains(KNOWN_ERROR))
                .toList();
    }

    private List<Map.Entry<String, Long>> unknownWarnings() {
        return outcome.logs().classes().stream()
                .filter(entry -> entry.getKey().startsWith("WARNING")
                        && KNOWN_WARNINGS.stream().noneMatch(entry.getKey()::contains))
                .toList();
    }

    /** What must have happened how often, so that finding nothing means something: seen, and wanted. */
    Map<String, long[]> happened() {
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

    long swaps() {
        return outcome.logs().count("lost worker id ") + outcome.logs().count("left worker id ");
    }

    long count(Count what) {
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

    /** @param file of Markdown; beside it {@link RawData} */
    void write(Path file) throws IOException {
        String data = String.valueOf(file.getFileName()).replaceAll("\\.md$", "") + ".csv";
        Files.writeString(file, markdown(data));
        Files.writeString(file.resolveSibling(data), new RawData(outcome, this).csv());
    }

    private String markdown(String data) {
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
        line("");
        line(
                "How often each fault happened, what the generators did, each worker's longest time without ids and what the logs said"
                        + " is in [" + data + "](" + data + ").");
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

    private static String shown(long nanos) {
        return RawData.shown(nanos);
    }

    /** A report that another run has written meanwhile is no change of what ran. */
    private static String commit() {
        String changes = git("status", "--porcelain", "--untracked-files=no", "--", ":/", ":(top,exclude)docs/reports");
        return git("rev-parse", "--short=12", "HEAD") + (changes.isEmpty() ? "" : " with changes");
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
