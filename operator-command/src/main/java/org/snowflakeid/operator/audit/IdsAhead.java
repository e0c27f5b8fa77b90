// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import static org.snowflakeid.operator.audit.Finding.Result.FOUND;

import java.time.Instant;
import java.time.InstantSource;

/** Ids that are dated later than now: of a clock that was wrong, of a generator that borrows the future, or of another layout. */
final class IdsAhead {
    private static final String NAME = "ahead";

    /** Clocks of two machines may differ by as much. */
    private static final long TOLERANCE_MILLIS = 10_000;

    private final InstantSource clock;
    private final Examples examples = new Examples();
    private long rows;
    private long lastMillis;

    IdsAhead(InstantSource clock) {
        this.clock = clock;
    }

    void see(SeenId id) {
        // Asked each time: rows are inserted while others are read.
        if (id.millis() > clock.millis() + TOLERANCE_MILLIS) {
            rows += id.rows();
            lastMillis = Math.max(lastMillis, id.millis());
            examples.add(id.id());
        }
    }

    Finding finding() {
        return rows == 0
                ? Finding.passed(NAME, "No id is dated later than this machine's clock, but for ten seconds.")
                : new Finding(
                        NAME,
                        FOUND,
                        rows,
                        Counted.of(rows, "row") + " dated later than this machine's clock, up to "
                                + Instant.ofEpochMilli(lastMillis) + ": " + examples
                                + ". A clock was wrong, the generator runs ahead of it, or the ids are of another layout:"
                                + " see --layout.",
                        examples.ids());
    }
}
