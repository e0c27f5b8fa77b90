// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What the recordings of one generator show.
 *
 * @param chapters only those that were run
 * @param details of the first ids that were issued twice
 */
record Findings(Map<Chapter, Figures> chapters, List<String> details) {

    /** Of one chapter. Nanoseconds are those during which the process was not paused. */
    static final class Figures {
        long ids;
        long duplicates;
        long disorder;
        long longestGapNanos;
        long slowestStartNanos;
        int startsWithoutIds;
        long sharedNanos;

        Figures plus(Figures other) {
            Figures sum = new Figures();
            sum.ids = ids + other.ids;
            sum.duplicates = duplicates + other.duplicates;
            sum.disorder = disorder + other.disorder;
            sum.longestGapNanos = Math.max(longestGapNanos, other.longestGapNanos);
            sum.slowestStartNanos = Math.max(slowestStartNanos, other.slowestStartNanos);
            sum.startsWithoutIds = startsWithoutIds + other.startsWithoutIds;
            sum.sharedNanos = Math.max(sharedNanos, other.sharedNanos);
            return sum;
        }
    }

    Findings {
        chapters = new EnumMap<>(chapters);
    }

    Figures of(Chapter chapter) {
        return chapters.getOrDefault(chapter, new Figures());
    }

    Figures all() {
        return chapters.values().stream().reduce(new Figures(), Figures::plus);
    }
}
