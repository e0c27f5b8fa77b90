// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.List;

/**
 * What the windows that were kept showed.
 *
 * @param value their median; NaN if nothing could be measured for all that others did
 * @param low the least of their values
 * @param high the greatest
 * @param others the share of the machine that others took in the most disturbed of them
 */
record Figure(double value, double low, double high, double others) {

    private static final double DISTURBED = 0.2;

    /** Something counted, which no load of the machine makes wrong. */
    static Figure counted(double value) {
        return new Figure(value, value, value, 0);
    }

    static Figure over(List<Double> values, double others) {
        double[] sorted = Percentile.sorted(values);
        return new Figure(Percentile.of(sorted, 0.5), sorted[0], sorted[sorted.length - 1], others);
    }

    boolean disturbed() {
        return others > DISTURBED || Double.isNaN(value);
    }
}
