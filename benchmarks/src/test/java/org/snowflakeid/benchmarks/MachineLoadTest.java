// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class MachineLoadTest {

    private static final String OWN =
            "42 (a (strange) name) S 1 1 1 0 -1 4194304 116 0 0 0 %d %d 0 0 20 0 9 0 27 1 1 1\n";

    @Test
    void othersHaveWhatTheMachineWorkedAndThisProcessDidNot() {
        MachineLoad before =
                MachineLoad.of(0, "cpu  1000 200 300 5000 600 70 80 9 0 0\ncpu0 1 1 1 1\n", OWN.formatted(400, 50), 2);
        // A second later: 100 of the 200 ticks were idle or waited for disks, 70 were ours. By its other figures, which
        // may be estimates,
        // the machine worked for 150.
        MachineLoad after = MachineLoad.of(
                1_000_000_000L, "cpu  1130 205 305 5090 610 72 83 14 0 0\ncpu0 2 2 2 2\n", OWN.formatted(460, 60), 2);

        assertThat(after.othersSince(before)).isCloseTo(0.15, Offset.offset(1e-9));
    }

    @Test
    void othersNeverHaveLessThanNothing() {
        MachineLoad before = new MachineLoad(0, 100, 100, 2);

        assertThat(new MachineLoad(1_000_000_000, 250, 153, 2).othersSince(before))
                .isZero();
    }

    @Test
    void readsTheRunningMachine() throws Exception {
        MachineLoad now = MachineLoad.now();

        assertThat(now.idleTicks()).isNotNegative();
        assertThat(now.ownTicks()).isPositive();
    }

    @Test
    @Timeout(60)
    void cpuTimeOfThreadsGrowsWithTheirWorkAndStaysWhenTheyEnd() throws Exception {
        CpuTime cpu = new CpuTime();
        AtomicBoolean stop = new AtomicBoolean();
        long before = cpu.nanos();
        Thread worker = new Thread(() -> {
            while (!stop.get()) {
                Thread.onSpinWait();
            }
        });
        worker.start();
        long during;
        do {
            during = cpu.nanos();
        } while (during - before < 50_000_000
                || ManagementFactory.getThreadMXBean().getThreadCpuTime(worker.getId()) < 30_000_000);
        stop.set(true);
        worker.join();

        assertThat(cpu.nanos()).isGreaterThanOrEqualTo(during);
    }
}
