// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Shows one {@link Tally} or several in a line or a table. */
final class TallyReport {

    static final String LONGEST_RECOVERY = "longest recovery, ms";

    private static final String TOTALS = group(Tally.Count.class);

    private TallyReport() {}

    /** A name such as {@code Simulation Fault}: several enums have the same simple name. */
    static String group(Class<?> kinds) {
        return kinds.getEnclosingClass().getSimpleName() + " " + kinds.getSimpleName();
    }

    static Map<String, Long> sum(List<Map<String, Long>> tallies) {
        Map<String, Long> sum = new TreeMap<>();
        for (Map<String, Long> tally : tallies) {
            tally.forEach(
                    (name, count) -> sum.merge(name, count, name.equals(LONGEST_RECOVERY) ? Math::max : Long::sum));
        }
        return sum;
    }

    private static Map<String, Map<String, Long>> groups(Map<String, Long> tally) {
        Map<String, Map<String, Long>> groups = new TreeMap<>();
        tally.forEach((name, count) -> {
            int dot = name.indexOf('.');
            if (dot > 0) {
                groups.computeIfAbsent(name.substring(0, dot), group -> new TreeMap<>())
                        .put(words(name.substring(dot + 1)), count);
            }
        });
        return groups;
    }

    private static String words(String name) {
        return name.toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    static String line(Map<String, Long> tally) {
        List<String> parts = new ArrayList<>();
        Map<String, Map<String, Long>> groups = groups(tally);
        groups.getOrDefault(TOTALS, Map.of()).forEach((name, count) -> parts.add(String.format("%,d %s", count, name)));
        parts.add(String.format("ids again at most %.1f s after the faults", seconds(tally)));
        groups.forEach((group, counts) -> {
            if (!group.equals(TOTALS)) {
                parts.add(words(group) + " " + counts);
            }
        });
        return String.join(", ", parts);
    }

    private static double seconds(Map<String, Long> tally) {
        return tally.getOrDefault(LONGEST_RECOVERY, 0L) / 1000.0;
    }

    /** The table for docs/reports. */
    static List<String> table(String domain, String command, String commit, String took, Map<String, Long> tally) {
        List<String> lines = new ArrayList<>(List.of(
                "| | " + domain + " |",
                "|---|---|",
                "| command | `" + command + "` |",
                "| commit | " + commit + " |",
                "| **violations** | **0** |"));
        Map<String, Map<String, Long>> groups = groups(tally);
        groups.getOrDefault(TOTALS, Map.of())
                .forEach((name, count) -> lines.add(String.format("| %s | %,d |", name, count)));
        lines.add(String.format("| ids again after the faults, at most | %.1f s |", seconds(tally)));
        groups.forEach((group, counts) -> {
            if (!group.equals(TOTALS)) {
                List<String> each = new ArrayList<>();
                counts.forEach((name, count) -> each.add(String.format("%s %,d", name, count)));
                lines.add("| " + words(group) + " | " + String.join(", ", each) + " |");
            }
        });
        lines.add("| time | " + took + " |");
        return lines;
    }
}
