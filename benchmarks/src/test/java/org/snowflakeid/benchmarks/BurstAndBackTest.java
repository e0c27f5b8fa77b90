// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BurstAndBackTest {

    private static final long SLICE_NANOS = 50_000_000;

    @Test
    void halfSecondsAreBeforeInAndAfterTheBurst() {
        List<Double> shares = BurstAndBack.halfSeconds(course(0));

        assertThat(shares).hasSize(5);
        assertThat(shares.get(0)).isCloseTo(0.8, within(1e-3));
        assertThat(shares.get(1)).isCloseTo(1, within(1e-3));
        assertThat(shares.get(2)).isCloseTo(1, within(1e-3));
        assertThat(shares.get(3)).isCloseTo(0.8, within(1e-3));
        assertThat(shares.get(4)).isCloseTo(0.8, within(1e-3));
    }

    @Test
    void theFormerRateIsBackWithTheFirstOfTwoSlicesInARow() {
        assertThat(BurstAndBack.millisUntilBack(course(0))).isZero();
        assertThat(BurstAndBack.millisUntilBack(course(3))).isEqualTo(150);
        // A slice by itself says nothing.
        assertThat(BurstAndBack.millisUntilBack(course(5, 2))).isEqualTo(250);
    }

    @Test
    void aRateThatDoesNotComeBackIsLeftOpen() {
        assertThat(BurstAndBack.millisUntilBack(course(BurstAndBack.AFTER_SLICES)))
                .isInfinite();
        assertThat(BurstAndBack.millisUntilBack(course(BurstAndBack.AFTER_SLICES - 1)))
                .isInfinite();
    }

    @Test
    void aCourseHasAReadingForEachSlice() throws Exception {
        List<Reading> course = BurstAndBack.course(Subjects.named("ours"));

        assertThat(course).hasSize(BurstAndBack.AFTER + BurstAndBack.AFTER_SLICES + 1);
        assertThat(course).extracting(Reading::nanos).isSorted().doesNotHaveDuplicates();
        assertThat(course).extracting(Reading::ids).isSorted();
        assertThat(course.get(course.size() - 1).ids())
                .isGreaterThan(course.get(0).ids());
    }

    /** With so many slices after the burst that have a twentieth of the ceiling, but for those named. */
    private static List<Reading> course(int slow, Integer... butFor) {
        List<Reading> course = new ArrayList<>();
        double ids = 0;
        for (int i = 0; i <= BurstAndBack.AFTER + BurstAndBack.AFTER_SLICES; i++) {
            course.add(new Reading(1_000_000 + i * SLICE_NANOS, Math.round(ids), 0));
            boolean burst = i >= BurstAndBack.BURST && i < BurstAndBack.AFTER;
            int after = i - BurstAndBack.AFTER;
            boolean isSlow = after >= 0 && after < slow && !List.of(butFor).contains(after);
            ids += (burst ? 1 : isSlow ? 0.05 : 0.8) * Saturated.CEILING * SLICE_NANOS / 1e9;
        }
        return course;
    }
}
