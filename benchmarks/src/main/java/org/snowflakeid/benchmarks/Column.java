// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.Locale;

/** What can be asked for with {@code --columns}. */
enum Column {
    SATURATED(Saturated::byPlatformThreads),
    VIRTUAL(Saturated::byVirtualThreads),
    SOLO(CallCost::solo),
    TWO(CallCost::two),
    PACED(CallCost::paced),
    BATCH(CallCost::batch),
    BURST(Burst::measure),
    ALLOCATION(Allocation::measure),
    LOW(LowBits::measure),
    DUPLICATES(Duplicates::measure);

    private final Measurement measurement;

    Column(Measurement measurement) {
        this.measurement = measurement;
    }

    static Column named(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    void measure(Subject subject, Windows windows, Figures figures) throws Exception {
        measurement.measure(subject, windows, figures);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Leaves figures; none if the subject or this JDK has nothing to measure. */
    private interface Measurement {
        void measure(Subject subject, Windows windows, Figures figures) throws Exception;
    }
}
