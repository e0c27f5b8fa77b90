// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Something that is measured.
 *
 * @param kind how it works, in a few words
 * @param opener makes a fresh instance: every measurement has one of its own
 */
record Subject(String name, String kind, IdTime time, Set<Column> columns, Supplier<Generator> opener) {

    Subject(String name, String kind, IdTime time, Supplier<Generator> opener) {
        this(name, kind, time, EnumSet.allOf(Column.class), opener);
    }

    /** Measured to judge the measuring, not to be compared. */
    boolean isControl() {
        return columns.size() < Column.values().length;
    }

    Generator open() {
        return opener.get();
    }
}
