// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What happened in many runs, for a report: a simulation in which nothing happens proves nothing. */
final class Tally {

    enum Count {
        RUNS,
        IDS,
        REFUSED,
        STARTS,
        STARTS_REFUSED,
        CHECKPOINTS,
        CHECKPOINTS_REFUSED,
        WRITES,
        CLAIMS,
        TAKEOVERS,
        /** Marks stored after the namespace was retired or replaced: they grant nothing. */
        VOID_WRITES,
        EXTENSIONS,
        RELEASES,
        MISHAPS,
        RESUMPTIONS,
        NOTES_LOST,
        REGRESSIONS_NOTICED,
        RECOVERIES,
        /** Of runs: the coordinator lost what was granted, and no operator made up for that. What was issued before is compared. */
        DUPLICATES_EXCUSED,
        SLOW_CALLS
    }

    private final Map<Enum<?>, long[]> counts = new HashMap<>();
    private long longestRecoveryMillis;

    void count(Enum<?> what) {
        count(what, 1);
    }

    void count(Enum<?> what, long times) {
        counts.computeIfAbsent(what, first -> new long[1])[0] += times;
    }

    long of(Enum<?> what) {
        long[] count = counts.get(what);
        return count == null ? 0 : count[0];
    }

    /** The events that never happened. */
    <E extends Enum<E>> List<E> missing(Class<E> kinds) {
        return Arrays.stream(kinds.getEnumConstants())
                .filter(kind -> of(kind) == 0)
                .toList();
    }

    void recovered(long millis) {
        count(Count.RECOVERIES);
        longestRecoveryMillis = Math.max(longestRecoveryMillis, millis);
    }

    /** The counts by name, to be added to those of other processes. */
    Map<String, Long> byName() {
        Map<String, Long> all = new TreeMap<>();
        counts.forEach(
                (what, count) -> all.put(TallyReport.group(what.getDeclaringClass()) + "." + what.name(), count[0]));
        all.put(TallyReport.LONGEST_RECOVERY, longestRecoveryMillis);
        return all;
    }

    @Override
    public String toString() {
        return TallyReport.line(byName());
    }
}
