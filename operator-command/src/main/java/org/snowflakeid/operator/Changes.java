// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.administration.NamespaceReport;
import org.snowflakeid.administration.NamespaceReport.Worker;

/** What changed from one look at a namespace to the next, for people. */
final class Changes {

    /** A thousand holders extend fifty times a second; single extensions tell an operator nothing. */
    private static final int NAMED = 10;

    private final List<String> lines = new ArrayList<>();
    private final List<Integer> extended = new ArrayList<>();

    private Changes() {}

    static List<String> between(SeenNamespace before, SeenNamespace now) {
        Changes changes = new Changes();
        changes.compare(ReportText.facts(before.report()), ReportText.facts(now.report()));
        if (!before.clocks().agree().equals(now.clocks().agree())) {
            changes.lines.add("clocks: " + now.clocks().inWords());
        }
        Map<Integer, Worker> old = byId(before.report());
        Map<Integer, Worker> current = byId(now.report());
        TreeSet<Integer> ids = new TreeSet<>(old.keySet());
        ids.addAll(current.keySet());
        ids.forEach(id -> changes.compare(id, old.get(id), current.get(id)));
        changes.addExtended();
        return changes.lines;
    }

    private static Map<Integer, Worker> byId(NamespaceReport report) {
        return report.workers().stream()
                .collect(Collectors.toMap(Worker::workerId, worker -> worker, (a, b) -> b, TreeMap::new));
    }

    private void compare(Map<String, String> before, Map<String, String> now) {
        TreeSet<String> names = new TreeSet<>(before.keySet());
        names.addAll(now.keySet());
        for (String name : names) {
            String was = before.getOrDefault(name, "unknown");
            String is = now.getOrDefault(name, "unknown");
            if (!was.equals(is)) {
                lines.add(name + ": " + is + " (was " + was + ")");
            }
        }
    }

    private void compare(int id, @Nullable Worker before, @Nullable Worker now) {
        String was = holder(before);
        String is = holder(now);
        if (!was.equals(is)) {
            lines.add("worker id " + id + ": " + is + " (was " + was + ")");
        }
        Instant end = end(before);
        Instant newEnd = end(now);
        if (before != null
                && (now == null || now.unreadable() != before.unreadable() || (end != null && newEnd == null))) {
            lines.add("worker id " + id + ": " + mark(now) + " (was " + mark(before) + ")");
        } else if (end != null && newEnd != null && newEnd.isBefore(end)) {
            // Right if it was given back; if it is still held, it was edited or the coordinator lost data.
            lines.add("worker id " + id + ": " + mark(now) + ", lowered (was " + mark(before) + ")");
        } else if (newEnd != null && !newEnd.equals(end)) {
            extended.add(id);
        }
    }

    private static String holder(@Nullable Worker worker) {
        return worker == null
                ? "free"
                : worker.heldBy().map(by -> "held by " + by).orElse("free");
    }

    private static @Nullable Instant end(@Nullable Worker worker) {
        return worker == null ? null : worker.reservedUntil().orElse(null);
    }

    private static String mark(@Nullable Worker worker) {
        return worker == null ? "no mark" : ReportText.mark(worker);
    }

    private void addExtended() {
        if (!extended.isEmpty()) {
            String named = extended.stream().limit(NAMED).map(String::valueOf).collect(Collectors.joining(", "));
            int more = extended.size() - NAMED;
            lines.add("extended: " + named + (more > 0 ? " and " + more + " more" : ""));
        }
    }
}
