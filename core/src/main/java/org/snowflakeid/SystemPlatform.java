// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

final class SystemPlatform implements Platform {

    static final SystemPlatform INSTANCE = new SystemPlatform();

    /**
     * Kept open, so that a process without a free file descriptor can still draw. Null: closed for a checkpoint, or there is no such device. Guarded
     * by this.
     */
    private @Nullable FileInputStream kernel = kernel();

    /** Spreads the bits of a clock: 2^64 divided by the golden ratio. */
    private static final long ODD = 0x9E3779B97F4A7C15L;

    /** A parked thread wakes up about this late, so the last part of the millisecond is spent spinning. */
    private static final long PARK_OVERSHOOT_NANOS = 80_000;

    private final Clock clock = Clock.systemUTC();

    /** Drawn on first use: what an image was given ahead of time, several processes would share. */
    private @Nullable String process;

    /** Names before checkpoints. An entry with one of them was written by this process or by a copy of it. */
    private final Set<String> former = new HashSet<>();

    private SystemPlatform() {}

    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public void park(long nanos) {
        LockSupport.parkNanos(this, nanos);
    }

    @Override
    public void awaitNextMillis() {
        long rest = 1_000_000L - clock.instant().getNano() % 1_000_000;
        long boundary = System.nanoTime() + rest;
        // Again if it ended early: a thread that was woken or interrupted before has a permit left.
        for (long left = rest;
                left > PARK_OVERSHOOT_NANOS && !Thread.currentThread().isInterrupted();
                left = boundary - System.nanoTime()) {
            LockSupport.parkNanos(this, left - PARK_OVERSHOOT_NANOS);
        }
        while (System.nanoTime() - boundary < 0 && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void unpark(Thread thread) {
        LockSupport.unpark(thread);
    }

    @Override
    public Thread start(String name, Runnable task) {
        // Inherits no thread locals: a generator opened in a request would keep the user of that request for ever.
        Thread thread = new Thread(null, task, name, 0, false);
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Override
    public synchronized String process() {
        if (process == null) {
            process = HexFormat.of().toHexDigits(randomLong());
        }
        return process;
    }

    @Override
    public synchronized boolean isProcess(String name) {
        return name.equals(process) || former.contains(name);
    }

    @Override
    public synchronized void beforeCheckpoint() {
        if (process != null) {
            former.add(process);
            process = null;
        }
        FileInputStream open = kernel;
        kernel = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                // Nothing was written to it.
            }
        }
    }

    @Override
    public long randomLong() {
        // The snapshot of a whole virtual machine copies the kernel's random state too, but its clocks go on.
        Instant now = clock.instant();
        long wall = now.getEpochSecond() * 1_000_000_000 + now.getNano();
        return kernelLong() ^ Long.rotateLeft(wall * ODD, 32) ^ System.nanoTime() * ODD;
    }

    /** SecureRandom only as a last resort: its providers keep state or read-ahead in memory, which a copy of this process shares. */
    private long kernelLong() {
        byte[] drawn = new byte[Long.BYTES];
        for (int attempt = 0; attempt < 2; attempt++) {
            FileInputStream open = openKernel();
            try {
                if (open != null && open.read(drawn) == drawn.length) {
                    return ByteBuffer.wrap(drawn).getLong();
                }
            } catch (IOException closedMeanwhile) {
                // By a checkpoint: it is opened again.
            }
        }
        return new SecureRandom().nextLong();
    }

    private synchronized @Nullable FileInputStream openKernel() {
        if (kernel == null) {
            kernel = kernel();
        }
        return kernel;
    }

    private static @Nullable FileInputStream kernel() {
        try {
            return new FileInputStream("/dev/urandom");
        } catch (IOException noSuchDevice) {
            return null;
        }
    }
}
