// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import static org.snowflakeid.operator.audit.Finding.Result.FOUND;

/** A generator that ran out of timestamps, or numbers of another origin. */
final class NegativeIds {
    private static final String NAME = "negative";

    private final Examples examples = new Examples();
    private long rows;

    void see(long id, long rowsOfIt) {
        if (id < 0) {
            rows += rowsOfIt;
            examples.add(id);
        }
    }

    Finding finding() {
        return rows == 0
                ? Finding.passed(NAME, "No id is negative.")
                : new Finding(
                        NAME,
                        FOUND,
                        rows,
                        Counted.of(rows, "row") + " with a negative id: " + examples
                                + ". A generator whose timestamps have run out makes such ids, and they sort before all"
                                + " others. They were not taken apart.",
                        examples.ids());
    }
}
