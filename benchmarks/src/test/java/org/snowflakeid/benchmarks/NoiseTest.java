// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class NoiseTest {

    private static List<ProcessHandle> noises() {
        return ProcessHandle.current()
                .descendants()
                .filter(each -> each.info().commandLine().orElse("").contains(Noise.class.getName()))
                .toList();
    }

    @Test
    @Timeout(60)
    void worksAndCountsAsWhatIsMeasuredAndEnds() throws Exception {
        try (Noise noise = Noise.taking(0.3)) {
            MachineLoad before = noise.load();
            while (noise.load().ownTicks() - before.ownTicks() < 20) {
                Thread.sleep(10);
            }
            assertThat(noises()).hasSize(1);
        }

        assertThat(noises()).isEmpty();
    }
}
