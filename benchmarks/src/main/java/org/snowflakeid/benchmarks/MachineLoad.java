// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How much the whole machine and this process have worked until now, in ticks of the kernel, 100 a second.
 *
 * @param busyTicks of all processors together; what the host took away counts as busy
 */
record MachineLoad(long nanos, long busyTicks, long ownTicks, int processors) {

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
        return new MachineLoad(alone.nanos, alone.busyTicks, alone.ownTicks + otherTicks, alone.processors);
    }

    /** From the two files' text. */
    static MachineLoad of(long nanos, String machine, String process, int processors) {
        // cpu  user nice system idle iowait irq softirq steal ...
        String[] all = machine.lines().findFirst().orElse("").split(" +", -1);
        long busy = 0;
        for (int field : new int[] {1, 2, 3, 6, 7, 8}) {
            busy += Long.parseLong(all[field]);
        }
        return new MachineLoad(nanos, busy, ticksOf(process), processors);
    }

    private static long ticksOf(String process) {
        // The second field is the command in parentheses, which may hold anything.
        String[] fields = process.substring(process.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }

    /** The share of the machine that was taken by others since {@code before}: 0 to 1. */
    double othersSince(MachineLoad before) {
        double taken = (busyTicks - before.busyTicks) - (ownTicks - before.ownTicks);
        double there = (nanos - before.nanos) / NANOS_PER_TICK * processors;
        return Math.min(1, Math.max(0, taken / there));
    }
}
