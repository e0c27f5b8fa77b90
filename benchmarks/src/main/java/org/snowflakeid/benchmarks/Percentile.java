// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.Collection;

/** Of measured values, by the nearest rank: always one that was measured. */
final class Percentile {

    private Percentile() {}

    static double[] sorted(Collection<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    }

    /** @param share 0.5 for the median */
    static double of(double[] sorted, double share) {
        return sorted[rank(sorted.length, share)];
    }

    static int of(int[] sorted, double share) {
        return sorted[rank(sorted.length, share)];
    }

    private static int rank(int count, double share) {
        return Math.max(0, (int) Math.ceil(count * share) - 1);
    }
}
