// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How far ids departed from the clock under full load.
 *
 * @param max how far they were ahead at most, in milliseconds
 * @param end how far they were ahead at the end; negative if behind
 */
record Drift(double max, double end) {

    /** Beyond what a thread that runs late may show, or ids that are late on purpose. */
    private static final double FAR_MILLIS = 20;

    /** With each number of threads, the worst first. */
    static List<Drift> of(Figures figures) {
        return Saturated.THREADS.stream()
                .flatMap(count -> of(figures, "saturated-" + count).stream())
                .sorted(Comparator.comparingDouble(Drift::size).reversed())
                .toList();
    }

    /** @param name of what was measured */
    static Optional<Drift> of(Figures figures, String name) {
        return figures.get(name + ".max-ahead")
                .flatMap(max -> figures.get(name + ".end-ahead").map(end -> new Drift(max.value(), end.value())));
    }

    boolean isFar() {
        return size() > FAR_MILLIS;
    }

    private double size() {
        return Math.max(Math.abs(max), Math.abs(end));
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%+,.0f/%+,.0f", max, end);
    }
}
