// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class SaturatedTest {

    private static final Reading BEFORE = new Reading(5_000_000_000L, 1_000_000, 70_000_000);

    @Test
    void ratioIsOneAtTwelveBitsOfSequenceAMillisecond() {
        assertThat(new Reading(5_500_000_000L, 1_000_000 + 2_048_000, 0).ratioSince(BEFORE))
                .isEqualTo(1.0);
        assertThat(new Reading(6_000_000_000L, 1_000_000 + 1_024_000, 0).ratioSince(BEFORE))
                .isEqualTo(0.25);
    }

    @Test
    void aProcessorThatSpinsAtTheCeilingCostsAQuarterOfASecondPerMillionIds() {
        Reading after = new Reading(6_000_000_000L, 1_000_000 + 4_096_000, 1_070_000_000);

        assertThat(after.cpuPerMillionSince(BEFORE)).isCloseTo(0.244, Offset.offset(0.001));
    }

    @Test
    void withoutAnyIdNothingIsSaidOfItsCpu() {
        Reading after = new Reading(6_000_000_000L, BEFORE.ids(), 1_070_000_000);

        assertThat(after.ratioSince(BEFORE)).isZero();
        assertThat(after.cpuPerMillionSince(BEFORE)).isNaN();
    }

    @Test
    void readsUntilBothReadingsAreOfOneMoment() {
        AtomicInteger attempts = new AtomicInteger();

        Reading reading = Reading.atOnce(() -> attempts.incrementAndGet() * 1_000L, () -> {
            long begin = System.nanoTime();
            // Late at first, as if it had been preempted.
            while (attempts.get() < 3 && System.nanoTime() - begin < 2_000_000) {
                Thread.onSpinWait();
            }
            return attempts.get();
        });

        assertThat(reading.ids()).isGreaterThanOrEqualTo(3_000);
        assertThat(reading.cpuNanos()).isEqualTo(reading.ids() / 1_000);
    }

    @Test
    void callersCountTheIdsTheyTake() throws Exception {
        Callers callers = Callers.platformThreads(Subjects.named("agrona"), 2);
        while (callers.taken() < 10_000) {
            Thread.onSpinWait();
        }
        callers.close();

        assertThat(callers.maxAhead()).isLessThanOrEqualTo(1);
        assertThat(callers.lastAhead()).isLessThanOrEqualTo(callers.maxAhead());
    }
}
