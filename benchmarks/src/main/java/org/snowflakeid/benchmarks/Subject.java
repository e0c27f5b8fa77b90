// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Something that is measured.
 *
 * @param kind how it works, in a few words
 * @param cycleMillis the time in which its behaviour under load repeats itself: no shorter window says anything
 * @param columns the only ones it is ever measured in
 * @param busy whether it is measured on a busy machine too when everything is measured
 * @param opener makes a fresh instance: every measurement has one of its own
 */
record Subject(
        String name,
        String kind,
        IdTime time,
        long cycleMillis,
        Set<Column> columns,
        boolean busy,
        Supplier<Generator> opener) {

    static final int SHORT_WINDOWS = 5;

    Subject(String name, String kind, IdTime time, Supplier<Generator> opener) {
        this(name, kind, time, 1, EnumSet.allOf(Column.class), false, opener);
    }

    Subject withCycle(long millis) {
        return new Subject(name, kind, time, millis, columns, busy, opener);
    }

    Subject alsoBusy() {
        return new Subject(name, kind, time, cycleMillis, columns, true, opener);
    }

    /** Measured in these columns alone, to judge the measuring and not to be compared. */
    Subject asControl(Column first, Column... others) {
        return new Subject(name, kind, time, cycleMillis, EnumSet.of(first, others), busy, opener);
    }

    boolean isControl() {
        return columns.size() < Column.values().length;
    }

    /** Fewer if they are so long that each says more. */
    int leastWindows() {
        return cycleMillis > 1 ? 3 : SHORT_WINDOWS;
    }

    Generator open() {
        return opener.get();
    }
}
