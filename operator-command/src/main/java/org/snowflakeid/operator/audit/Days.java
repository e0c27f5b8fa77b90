// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import static org.snowflakeid.operator.audit.Finding.Result.NOTE;

import java.time.Duration;
import java.time.LocalDate;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The days of the table and the worker ids of each. What it keeps is bounded, whatever is read: beyond that, rows are only counted. Ids that
 * are no snowflakes, or are read by the wrong layout, spread over all days and worker ids.
 */
final class Days {
    private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();

    private final TreeMap<Long, Day> days = new TreeMap<>();
    private final Set<Integer> workerIds = new HashSet<>();
    private final int most;
    private int workers;
    private long rowsNotKept;

    /** @param most pairs of a day and a worker id, some 130 bytes each */
    Days(int most) {
        this.most = most;
    }

    /** The worker id's on the day of this id; null if there are too many. */
    Day.@Nullable Worker see(SeenId id) {
        long number = Math.floorDiv(id.millis(), DAY_MILLIS);
        Day day = days.get(number);
        if (day == null && workers < most) {
            day = new Day(LocalDate.ofEpochDay(number));
            days.put(number, day);
        }
        Day.Worker worker = day == null ? null : worker(day, id.workerId());
        if (day == null || worker == null) {
            rowsNotKept += id.rows();
            return null;
        }
        day.rows += id.rows();
        day.smallest = Math.min(day.smallest, id.id());
        day.largest = Math.max(day.largest, id.id());
        worker.rows += id.rows();
        worker.duplicates += id.rows() > 1 ? 1 : 0;
        return worker;
    }

    private Day.@Nullable Worker worker(Day day, int workerId) {
        Day.Worker known = day.workers.get(workerId);
        if (known != null || workers == most) {
            return known;
        }
        workers++;
        workerIds.add(workerId);
        Day.Worker added = new Day.Worker();
        day.workers.put(workerId, added);
        return added;
    }

    /** By date. */
    Collection<Day> all() {
        return days.values();
    }

    int workerIds() {
        return workerIds.size();
    }

    /** Of days and worker ids that were too many. */
    long rowsNotKept() {
        return rowsNotKept;
    }

    /** What is said if nothing was found in the days. Where some were not kept, that is no more than a note. */
    Finding passed(String name, String text) {
        return rowsNotKept == 0
                ? Finding.passed(name, text)
                : new Finding(
                        name,
                        NOTE,
                        rowsNotKept,
                        text + " Not looked at for this: " + Counted.of(rowsNotKept, "row")
                                + ", of days and worker ids that are too many to keep. If the layout is right, audit a"
                                + " view of the newest ids.",
                        List.of());
    }
}
