// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.lease;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.snowflakeid.Platform;

/** Threads that wait for the keeper. Each waits for a bounded time, and none holds a lock meanwhile. */
public final class WaitingThreads {

    private final Platform platform;
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();

    /** Made once, so that waking needs no memory. */
    private final Consumer<Thread> unpark;

    public WaitingThreads(Platform platform) {
        this.platform = platform;
        this.unpark = platform::unpark;
    }

    /**
     * Returns when {@code done} holds, {@code nanos} have passed, or the thread is interrupted (its flag stays set).
     *
     * @return whether {@code done} held
     */
    public boolean await(BooleanSupplier done, long nanos) {
        long deadline = platform.nanoTime() + nanos;
        Thread self = Thread.currentThread();
        threads.add(self);
        try {
            while (!done.getAsBoolean()) {
                long left = deadline - platform.nanoTime();
                if (left <= 0 || self.isInterrupted()) {
                    return false;
                }
                platform.park(left);
            }
            return true;
        } finally {
            threads.remove(self);
        }
    }

    public void wake() {
        threads.forEach(unpark);
    }
}
