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
    INTO,
    BURST,
    ALLOCATION,
    LOW,
    DUPLICATES,
    BUSY_30,
    BUSY_50;

    boolean isBusy() {
        return this == BUSY_30 || this == BUSY_50;
    }

    /** Leaves figures; none if the subject or this JDK has nothing to measure. */
    void measure(Subject subject, Windows windows, Figures figures) throws Exception {
        switch (this) {
            case SATURATED -> Saturated.byPlatformThreads(subject, windows, figures);
            case VIRTUAL -> Saturated.byVirtualThreads(subject, windows, figures);
            case SOLO -> CallCost.solo(subject, windows, figures);
            case TWO -> CallCost.two(subject, windows, figures);
            case PACED -> CallCost.paced(subject, windows, figures);
            case BATCH -> CallCost.batch(subject, windows, figures);
            case INTO -> CallCost.into(subject, windows, figures);
            case BURST -> Burst.measure(subject, windows, figures);
            case ALLOCATION -> Allocation.measure(subject, figures);
            case LOW -> LowBits.measure(subject, figures);
            case DUPLICATES -> Duplicates.measure(subject, figures);
            case BUSY_30 -> underNoise(0.3, subject, windows, figures);
            case BUSY_50 -> underNoise(0.5, subject, windows, figures);
        }
    }

    private void underNoise(double share, Subject subject, Windows windows, Figures figures) throws Exception {
        Figures noisy = new Figures();
        try (Noise noise = Noise.taking(share)) {
            Windows alike = windows.with(noise::load);
            Saturated.byPlatformThreads(subject, alike, noisy);
            Saturated.byVirtualThreads(subject, alike, noisy);
            Burst.measure(subject, alike, noisy);
        }
        figures.putAll(this + "-", noisy);
    }

    static Column named(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
