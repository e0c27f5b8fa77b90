// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How long the whole machine had nothing to do until now, and how much this process has worked, in ticks of the kernel, 100 a second.
 *
 * <p>What the machine worked, the kernel may only estimate, by looking every few milliseconds. A thread that wakes up each millisecond is then
 * seen working four times as much as it does, and the rest would look like the work of others. Idle time is measured.
 *
 * @param idleTicks of all processors together; what the host took away is none of it
 */
record MachineLoad(long nanos, long idleTicks, long ownTicks, int processors) {

    private static final double NANOS_PER_TICK = 10_000_000;

    static MachineLoad now() throws IOException {
        return of(
                System.nanoTime(),
                Files.readString(Path.of("/proc/stat")),
                Files.readString(Path.of("/proc/self/stat")),
                Runtime.getRuntime().availableProcessors());
    }

    /** Counts another process as if it were this one. */
    static MachineLoad now(long otherPid) throws IOException {
        MachineLoad alone = now();
        long otherTicks = ticksOf(Files.readString(Path.of("/proc/" + otherPid + "/stat")));
        return new MachineLoad(alone.nanos, alone.idleTicks, alone.ownTicks + otherTicks, alone.processors);
    }

    /** From the two files' text. */
    static MachineLoad of(long nanos, String machine, String process, int processors) {
        // cpu  user nice system idle iowait irq softirq steal ...
        String[] all = machine.lines().findFirst().orElse("").split(" +", -1);
        long idle = Long.parseLong(all[4]) + Long.parseLong(all[5]);
        return new MachineLoad(nanos, idle, ticksOf(process), processors);
    }

    private static long ticksOf(String process) {
        // The second field is the command in parentheses, which may hold anything.
        String[] fields = process.substring(process.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }

    /** The share of the machine that was taken by others since {@code before}: 0 to 1. */
    double othersSince(MachineLoad before) {
        double there = (nanos - before.nanos) / NANOS_PER_TICK * processors;
        double taken = there - (idleTicks - before.idleTicks) - (ownTicks - before.ownTicks);
        return Math.min(1, Math.max(0, taken / there));
    }
}
