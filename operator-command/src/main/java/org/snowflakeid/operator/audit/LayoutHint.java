// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * By which layouts the newest id of a table would be of the last day. That is a hint and no proof: layouts of several generators are the same but
 * for their epoch, and a table may be at rest.
 */
final class LayoutHint {
    private static final Duration RECENT = Duration.ofDays(1);

    /** Clocks may differ. */
    private static final Duration AHEAD = Duration.ofSeconds(10);

    private LayoutHint() {}

    /** @return empty if the layout that was taken is one of them, or if there are none */
    static List<String> of(long newest, IdLayout taken, Instant now) {
        if (newest < 0 || isRecent(newest, taken, now)) {
            return List.of();
        }
        Map<Instant, List<String>> recent = new TreeMap<>();
        for (IdLayout layout : IdLayout.known().values()) {
            if (isRecent(newest, layout, now)) {
                recent.computeIfAbsent(layout.timestampOf(newest), key -> new ArrayList<>())
                        .add(layout.name());
            }
        }
        List<String> hints = new ArrayList<>();
        recent.forEach((at, names) -> hints.add("By the layout of " + String.join(", ", names)
                + " the largest id would be of " + at + ", which is recent. Try --layout " + names.get(0) + "."));
        return hints;
    }

    private static boolean isRecent(long newest, IdLayout layout, Instant now) {
        Instant at = layout.timestampOf(newest);
        return at.isAfter(now.minus(RECENT)) && at.isBefore(now.plus(AHEAD));
    }
}
