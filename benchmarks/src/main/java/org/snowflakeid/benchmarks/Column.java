// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.List;
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
    BUSY_50,
    BETWEEN,
    BACK,
    BETWEEN_BUSY_30,
    BACK_BUSY_30;

    /** These take as long as everything else together. */
    boolean isLong() {
        return compareTo(BUSY_30) >= 0;
    }

    boolean isOfMixes() {
        return this == BETWEEN || this == BETWEEN_BUSY_30;
    }

    /**
     * Leaves figures; none if the subject or this JDK has nothing to measure.
     *
     * @param mixes what threads do between their ids; none: those chosen for the column
     */
    void measure(Subject subject, Windows windows, List<Mix> mixes, Figures figures) throws Exception {
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
            case BUSY_30 -> underNoise(0.3, windows, figures, (alike, noisy) -> everyLoad(subject, alike, noisy));
            case BUSY_50 -> underNoise(0.5, windows, figures, (alike, noisy) -> everyLoad(subject, alike, noisy));
            case BETWEEN -> Between.measure(subject, mixes.isEmpty() ? Mix.CHOSEN : mixes, windows, figures);
            case BACK -> BurstAndBack.measure(subject, windows, figures);
            case BETWEEN_BUSY_30 ->
                underNoise(
                        0.3,
                        windows,
                        figures,
                        (alike, noisy) ->
                                Between.measure(subject, mixes.isEmpty() ? Mix.CHOSEN_BUSY : mixes, alike, noisy));
            case BACK_BUSY_30 ->
                underNoise(0.3, windows, figures, (alike, noisy) -> BurstAndBack.measure(subject, alike, noisy));
        }
    }

    private static void everyLoad(Subject subject, Windows windows, Figures figures) throws Exception {
        Saturated.byPlatformThreads(subject, windows, figures);
        Saturated.byVirtualThreads(subject, windows, figures);
        Burst.measure(subject, windows, figures);
    }

    private interface Body {
        void measure(Windows windows, Figures figures) throws Exception;
    }

    /** What the figures are called says how busy the machine was: {@code busy-30-burst}. */
    private static void underNoise(double share, Windows windows, Figures figures, Body body) throws Exception {
        Figures noisy = new Figures();
        try (Noise noise = Noise.taking(share)) {
            body.measure(windows.with(noise::load), noisy);
        } finally {
            figures.putAll("busy-" + Math.round(100 * share) + "-", noisy);
        }
    }

    static Column named(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
