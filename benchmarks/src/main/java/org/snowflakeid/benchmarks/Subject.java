// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Something that is measured.
 *
 * @param kind how it works, in a few words
 * @param cycleMillis the time in which its behaviour under load repeats itself: no shorter window says anything
 * @param columns the only ones it is ever measured in
 * @param compared whether it is measured on a busy machine, and by threads that pause, when everything is measured
 * @param opener makes a fresh instance: every measurement has one of its own
 * @param otherLayouts the same with another number of sequence bits than 12; none if it has no such choice
 */
record Subject(
        String name,
        String kind,
        IdTime time,
        long cycleMillis,
        Set<Column> columns,
        boolean compared,
        Supplier<Generator> opener,
        @Nullable IntFunction<Generator> otherLayouts) {

    static final int SHORT_WINDOWS = 5;
    static final int SEQUENCE_BITS = 12;

    Subject(String name, String kind, IdTime time, Supplier<Generator> opener) {
        this(name, kind, time, 1, EnumSet.allOf(Column.class), false, opener, null);
    }

    Subject withCycle(long millis) {
        return new Subject(name, kind, time, millis, columns, compared, opener, otherLayouts);
    }

    Subject alsoCompared() {
        return new Subject(name, kind, time, cycleMillis, columns, true, opener, otherLayouts);
    }

    Subject withSequenceBits(IntFunction<Generator> layouts) {
        return new Subject(name, kind, time, cycleMillis, columns, compared, opener, layouts);
    }

    /** Measured in these columns alone, to judge the measuring and not to be compared. */
    Subject asControl(Column first, Column... others) {
        return new Subject(name, kind, time, cycleMillis, EnumSet.of(first, others), compared, opener, otherLayouts);
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

    boolean hasSequenceBits(int bits) {
        return bits == SEQUENCE_BITS || otherLayouts != null;
    }

    Generator open(int sequenceBits) {
        if (sequenceBits == SEQUENCE_BITS) {
            return open();
        }
        if (otherLayouts == null) {
            throw new IllegalStateException(name + " has " + SEQUENCE_BITS + " sequence bits only");
        }
        return otherLayouts.apply(sequenceBits);
    }
}
