// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that takes a share of each processor, like the other load of a busy machine: of every ten milliseconds it computes for some,
 * then sleeps. If it runs late, it does not catch up.
 */
final class Noise implements AutoCloseable {

    private static final long PERIOD_NANOS = 10_000_000;

    private final Process process;

    private Noise(Process process) {
        this.process = process;
    }

    /** @param share of each processor, between 0 and 1 */
    static Noise taking(double share) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Noise.class.getName(),
                        Double.toString(share))
                .redirectErrorStream(true)
                .start();
        // It says so when it makes noise.
        if (process.getInputStream().read() < 0) {
            throw new IllegalStateException("the process that makes noise ended with " + process.waitFor());
        }
        return new Noise(process);
    }

    /** The load of the machine, with what this process takes as if it were the measured one's. */
    MachineLoad load() throws IOException {
        return MachineLoad.now(process.pid());
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String... arguments) throws IOException {
        long busyNanos = (long) (Double.parseDouble(arguments[0]) * PERIOD_NANOS);
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
            new Thread(() -> takeTurns(busyNanos)).start();
        }
        System.out.print('.');
        System.out.flush();
        // Ends when the process that started it ends, in whatever way.
        while (System.in.read() >= 0) {}
        System.exit(0);
    }

    private static void takeTurns(long busyNanos) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long turn = System.nanoTime();
        while (true) {
            long until = threads.getCurrentThreadCpuTime() + busyNanos;
            while (threads.getCurrentThreadCpuTime() < until) {
                Thread.onSpinWait();
            }
            turn = Math.max(turn + PERIOD_NANOS, System.nanoTime());
            for (long left = turn - System.nanoTime(); left > 0; left = turn - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        }
    }
}
