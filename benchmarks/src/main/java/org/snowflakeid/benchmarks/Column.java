// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.Locale;

/** What can be asked for with {@code --columns}. */
enum Column {
    SATURATED,
    VIRTUAL,
    SOLO,
    TWO,
    PACED,
    BATCH,
    BURST,
    ALLOCATION,
    LOW,
    DUPLICATES;

    /** Leaves figures; none if the subject or this JDK has nothing to measure. */
    void measure(Subject subject, Windows windows, Figures figures) throws Exception {
        switch (this) {
            case SATURATED -> Saturated.byPlatformThreads(subject, windows, figures);
            case VIRTUAL -> Saturated.byVirtualThreads(subject, windows, figures);
            case SOLO -> CallCost.solo(subject, windows, figures);
            case TWO -> CallCost.two(subject, windows, figures);
            case PACED -> CallCost.paced(subject, windows, figures);
            case BATCH -> CallCost.batch(subject, windows, figures);
            case BURST -> Burst.measure(subject, windows, figures);
            case ALLOCATION -> Allocation.measure(subject, figures);
            case LOW -> LowBits.measure(subject, figures);
            case DUPLICATES -> Duplicates.measure(subject, figures);
        }
    }

    static Column named(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
