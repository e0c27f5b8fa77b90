// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import static org.snowflakeid.operator.audit.Finding.Result.NOTE;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** How evenly rows are shared out to 2, 8 or 32 shards by the remainder of their id. */
final class SequenceSkew {
    private static final String NAME = "skew";
    private static final int[] SHARDS = {2, 8, 32};
    private static final int MOST_SHARDS = 32;

    private final long[] rows = new long[MOST_SHARDS];

    void see(long id, long rowsOfIt) {
        // The remainder, also of negative ids.
        rows[(int) (id & (MOST_SHARDS - 1))] += rowsOfIt;
    }

    /** Rows by the remainder of their id. */
    long[] rows(int shards) {
        long[] folded = new long[shards];
        for (int remainder = 0; remainder < MOST_SHARDS; remainder++) {
            folded[remainder % shards] += rows[remainder];
        }
        return folded;
    }

    Finding finding() {
        List<String> shares = new ArrayList<>();
        long uneven = 0;
        for (int shards : SHARDS) {
            long[] folded = rows(shards);
            int fullest = IntStream.range(0, shards)
                    .reduce((a, b) -> folded[b] > folded[a] ? b : a)
                    .orElse(0);
            shares.add(String.format(
                    Locale.ROOT,
                    "mod %d: %s have %d (even: %.1f %%)",
                    shards,
                    Counted.percent(folded[fullest], total()),
                    fullest,
                    100.0 / shards));
            uneven += isUneven(folded[fullest], shards) ? 1 : 0;
        }
        String text = String.join(", ", shares) + ".";
        return uneven == 0
                ? Finding.passed(NAME, "The remainders of the ids are even. " + text)
                : new Finding(
                        NAME,
                        NOTE,
                        uneven,
                        "The remainders of the ids are uneven. " + text
                                + " Shards or partitions by remainder would fill unevenly: use a hash of the id.",
                        List.of());
    }

    /** Half as many again as would be even, and more than chance makes of few rows. */
    private boolean isUneven(long fullest, int shards) {
        double even = (double) total() / shards;
        return fullest > 1.5 * even && fullest > even + 6 * Math.sqrt(even);
    }

    private long total() {
        return IntStream.range(0, MOST_SHARDS).mapToLong(i -> rows[i]).sum();
    }
}
