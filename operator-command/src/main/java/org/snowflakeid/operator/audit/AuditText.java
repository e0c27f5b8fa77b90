// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/** An audit for people. */
public final class AuditText {
    private static final int LAST_DAYS = 14;
    private static final int MOST_RANGES = 8;

    private AuditText() {}

    public static List<String> lines(AuditReport report) {
        List<String> lines = new ArrayList<>();
        AuditedColumn column = report.column();
        lines.add("table   " + column.table() + " at " + report.place() + ", column " + column.name() + " ("
                + column.type() + ")");
        lines.add("layout  " + report.layout().described()
                + (report.layoutGiven() ? "" : ". Taken for ours, since --layout names none."));
        lines.add("rows    " + rows(report));
        report.findings().forEach(finding -> lines.add(label(finding.result()) + finding.text()));
        hints(report).forEach(hint -> lines.add(label(Finding.Result.NOTE) + hint));
        lines.addAll(days(report.audit().days()));
        lines.add(report.faults() == 0 ? "No fault was found." : Counted.of(report.faults(), "fault") + " found.");
        return lines;
    }

    private static String label(Finding.Result result) {
        return switch (result) {
            case PASSED -> "passed  ";
            case NOTE -> "note    ";
            case FOUND -> "FOUND   ";
        };
    }

    private static String rows(AuditReport report) {
        Audit audit = report.audit();
        return audit.rows() == 0
                ? "0: the table has no ids"
                : String.format(Locale.ROOT, "%,d", audit.rows()) + ", ids from "
                        + dated(audit.smallest(), report.layout()) + " to " + dated(audit.largest(), report.layout());
    }

    private static String dated(long id, IdLayout layout) {
        return id + (id < 0 ? "" : " (" + layout.timestampOf(id) + ")");
    }

    private static List<String> hints(AuditReport report) {
        List<String> hints = new ArrayList<>();
        AuditedColumn column = report.column();
        if (!report.layoutGiven() && report.audit().rows() > 0) {
            hints.addAll(LayoutHint.of(report.audit().largest(), report.layout(), report.clock()));
        }
        if (report.rowsWithoutId() > 0) {
            hints.add(Counted.of(report.rowsWithoutId(), "row") + " without an id (null), not counted above.");
        }
        if (column.rowSecurity()) {
            hints.add("Row security may hide rows from this user, which were not looked at. Audit as the owner of the"
                    + " table, or as a user with BYPASSRLS.");
        }
        if (column.view()) {
            hints.add(
                    "This is a view. What it leaves out was not looked at, and each statement may read all of it: audit"
                            + " its table if you can.");
        } else if (!column.indexed()) {
            hints.add(
                    "No index begins with this column, so each statement read the whole table. Audit a replica, or raise"
                            + " --chunk (" + report.chunk() + ").");
        }
        return hints;
    }

    private static List<String> days(Days days) {
        Collection<Day> all = days.all();
        if (all.isEmpty()) {
            return List.of();
        }
        List<String> lines = new ArrayList<>();
        int most = all.stream().mapToInt(day -> day.workers.size()).max().orElse(0);
        lines.add("worker  " + Counted.of(days.workerIds(), "worker id") + ", on one day " + most + " at most"
                + (all.size() > LAST_DAYS ? ". The last " + LAST_DAYS + " of " + all.size() + " days:" : ":"));
        all.stream()
                .skip(Math.max(0, all.size() - LAST_DAYS))
                .forEach(day -> lines.add("        " + day.date + "  "
                        + Counted.of(day.rows, "row") + "  " + Counted.of(day.workers.size(), "worker id") + ": "
                        + ranges(day.workers.keySet())));
        if (days.rowsNotKept() > 0) {
            lines.add("        " + Counted.of(days.rowsNotKept(), "row")
                    + " more, of days and worker ids that are too many to keep: is this the right layout?");
        }
        return lines;
    }

    /** {@code 0-3, 7}. */
    static String ranges(Collection<Integer> ascending) {
        List<String> ranges = new ArrayList<>();
        Iterator<Integer> ids = ascending.iterator();
        int from = ids.next();
        int to = from;
        while (ids.hasNext() && ranges.size() < MOST_RANGES) {
            int next = ids.next();
            if (next != to + 1) {
                ranges.add(range(from, to));
                from = next;
            }
            to = next;
        }
        ranges.add(ranges.size() < MOST_RANGES ? range(from, to) : "…");
        return String.join(", ", ranges);
    }

    private static String range(int from, int to) {
        return from == to ? Integer.toString(from) : from + "-" + to;
    }
}
