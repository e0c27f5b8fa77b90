// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import static org.snowflakeid.operator.audit.Finding.Result.NOTE;

import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Half a year and more without any id: numbers of a sequence, or ids of another layout, look like that. */
final class TimeJumps {
    private static final String NAME = "jumps";
    private static final long QUIET_DAYS = 180;
    private static final int MOST = 5;

    private TimeJumps() {}

    static Finding finding(Days days) {
        List<String> jumps = new ArrayList<>();
        Examples examples = new Examples();
        long before = 0;
        long count = 0;
        @Nullable Day last = null;
        for (Day day : days.all()) {
            if (last != null && ChronoUnit.DAYS.between(last.date, day.date) >= QUIET_DAYS) {
                count++;
                examples.add(day.smallest);
                if (jumps.size() < MOST) {
                    jumps.add("from " + last.date + " to " + day.date + ", with " + Counted.of(before, "row")
                            + " before it, at id " + day.smallest);
                }
            }
            before += day.rows;
            last = day;
        }
        return count == 0
                ? days.passed(NAME, "No jump of half a year in time: the ids are of one layout, as far as dates tell.")
                : new Finding(
                        NAME,
                        NOTE,
                        count,
                        Counted.of(count, "jump") + " of half a year or more in time: " + String.join("; ", jumps)
                                + ". The table has ids of two layouts, numbers of a sequence before the first id, or no"
                                + " row of that time.",
                        examples.ids());
    }
}
