// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.concurrent.locks.LockSupport;

final class SystemPlatform implements Platform {

    static final SystemPlatform INSTANCE = new SystemPlatform();

    private final Clock clock = Clock.systemUTC();

    private SystemPlatform() {}

    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public long nanosToNextMillis() {
        return 1_000_000L - clock.instant().getNano() % 1_000_000;
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
    public void unpark(Thread thread) {
        LockSupport.unpark(thread);
    }

    @Override
    public Thread start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Override
    public long randomLong() {
        return KernelRandom.SOURCE.nextLong();
    }

    /** Made at first use, never at build time of a native image. */
    private static final class KernelRandom {
        static final SecureRandom SOURCE = open();

        /** The other algorithms keep a state in memory, which a copy of the process would share. */
        private static SecureRandom open() {
            try {
                return SecureRandom.getInstance("NativePRNGNonBlocking");
            } catch (NoSuchAlgorithmException notUnix) {
                return new SecureRandom();
            }
        }
    }
}
