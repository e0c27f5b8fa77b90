// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class FairnessTest {

    @Test
    void knowsEachDurationToAnEighth() {
        for (long nanos = 1; nanos < 10_000_000_000L; nanos = nanos * 9 / 8 + 1) {
            Histogram one = new Histogram();
            one.add(nanos);
            assertThat((double) one.percentile(1, 0)).isBetween((double) nanos, nanos * 1.125);
        }
    }

    @Test
    void tellsThoseThatWaitedFromTheRest() {
        Histogram histogram = new Histogram();
        for (int i = 0; i < 990; i++) {
            histogram.add(40);
        }
        for (int i = 0; i < 10; i++) {
            histogram.add(1_000_000L * (i + 1));
        }

        assertThat(histogram.percentile(0.5, 0)).isLessThan(50);
        assertThat(histogram.percentile(0.5, 100_000)).isBetween(5_000_000L, 5_700_000L);
        assertThat(histogram.percentile(0.5, 100_000_000)).isZero();
    }

    @Test
    void dividesTheRateFairly() {
        assertThat(Crowd.parse("400p/4").fairShareMillis()).isEqualTo(25);
        assertThat(Crowd.parse("10000v/12")).isEqualTo(new Crowd(10_000, true, 12));
        assertThatThrownBy(() -> Crowd.parse("400/4")).hasMessageContaining("'400/4' is not like 400p/4");
    }
}
