// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.administration.NamespaceReport;

/** A namespace in words. */
final class ReportText {

    private ReportText() {}

    static List<String> summary(SeenNamespace seen, GivenSettings given) {
        NamespaceReport report = seen.report();
        List<String> lines = new ArrayList<>();
        lines.add("namespace    " + described(report, given.place()));
        given.profile().described().ifPresent(profile -> lines.add("profile      " + profile));
        facts(report)
                .forEach((name, text) -> lines.add(String.format(Locale.ROOT, "%-12s %s", name, text)
                        + (name.equals("floor")
                                ? ", " + distance(report.clock(), report.floor().orElseThrow())
                                : "")));
        lines.add("worker ids   " + count(report));
        lines.add("clocks       " + seen.clocks().inWords());
        return lines;
    }

    static String described(NamespaceReport report, String place) {
        return report.namespace() + " at " + report.coordinator() + (place.isEmpty() ? "" : " (" + place + ")");
    }

    static String record(NamespaceReport report) {
        return switch (report.state()) {
            case ABSENT -> "absent: it never existed, or was lost";
            case UNREADABLE -> "unreadable";
            case ACTIVE -> withId("active", report);
            case RESERVED ->
                withId("reserved", report) + ", for the move from id "
                        + report.replaces().orElse("?");
            case RESTORING -> withId("retired", report) + ", to be restored: run restore to finish it";
            case MOVING -> withId("retired", report) + ", moving to " + goal(report) + ": run move to finish it";
            case MOVED -> withId("moved", report) + ", to " + goal(report);
        };
    }

    private static String withId(String state, NamespaceReport report) {
        return state + ", id " + report.id().orElse("?");
    }

    private static String goal(NamespaceReport report) {
        return report.movedTo().orElse("another place")
                + report.successor().map(id -> " (id " + id + ")").orElse("");
    }

    static String layout(SnowflakeLayout layout) {
        return "epoch " + layout.epoch() + ", " + layout.workerIdBits() + " bits of worker id, " + layout.sequenceBits()
                + " of sequence";
    }

    static long held(NamespaceReport report) {
        return report.workers().stream()
                .filter(worker -> worker.heldBy().isPresent())
                .count();
    }

    /** What stays the same unless the record is written, each under its name. */
    static Map<String, String> facts(NamespaceReport report) {
        Map<String, String> facts = new LinkedHashMap<>();
        if (!report.location().isEmpty()) {
            facts.put("location", report.location());
        }
        facts.put("record", record(report));
        report.layout().ifPresent(layout -> facts.put("layout", layout(layout)));
        report.maxWindow().ifPresent(window -> facts.put("max-window", window.toString()));
        report.floor().ifPresent(floor -> facts.put("floor", floor.toString()));
        return facts;
    }

    static String mark(NamespaceReport.Worker worker) {
        return worker.unreadable()
                ? "unreadable mark"
                : worker.reservedUntil().map(end -> "reserved until " + end).orElse("no mark");
    }

    private static String count(NamespaceReport report) {
        long unreadable = report.workers().stream()
                .filter(NamespaceReport.Worker::unreadable)
                .count();
        return held(report) + " held, " + report.workers().size() + " ever claimed"
                + report.layout()
                        .map(layout -> " of " + (layout.maxWorkerId() + 1))
                        .orElse("")
                + (unreadable == 0 ? "" : ", " + unreadable + " with unreadable marks");
    }

    /** @param all also those without a holder and a reservation */
    static List<String> workers(NamespaceReport report, boolean all) {
        List<String> lines = new ArrayList<>();
        for (NamespaceReport.Worker worker : report.workers()) {
            boolean ahead = worker.reservedUntil()
                    .filter(until -> until.isAfter(report.clock()))
                    .isPresent();
            if (all || ahead || worker.unreadable() || worker.heldBy().isPresent()) {
                String until = mark(worker)
                        + worker.reservedUntil()
                                .map(end -> ", " + distance(report.clock(), end))
                                .orElse("");
                lines.add(String.format(
                        Locale.ROOT,
                        "%7d      %s; %s",
                        worker.workerId(),
                        until,
                        worker.heldBy().map(by -> "held by " + by).orElse("free")));
            }
        }
        return lines;
    }

    static String distance(Instant now, Instant then) {
        Duration ahead = Duration.between(now, then);
        return ahead.isNegative() ? inWords(ahead.negated()) + " ago" : inWords(ahead) + " from now";
    }

    private static String inWords(Duration span) {
        if (span.compareTo(Duration.ofDays(2)) >= 0) {
            return span.toDays() + " days";
        }
        if (span.compareTo(Duration.ofMinutes(10)) >= 0) {
            return span.toMinutes() + " min";
        }
        return span.toSeconds() + " s";
    }
}
