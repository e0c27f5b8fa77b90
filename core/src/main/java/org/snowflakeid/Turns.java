// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Lets threads that want more ids than there are wait for the next millisecond one after the other: the first of them waits for the clock,
 * the rest sleep until they are called. It is not a lock: an id is safe by the compare-and-set that takes it, in turn or not, so whoever
 * has waited long enough goes on without.
 */
final class Turns {

    private static final long PATIENCE_NANOS = 100_000_000;

    private final Platform platform;
    private final AtomicBoolean taken = new AtomicBoolean();
    private final Queue<Waiter> queue = new ConcurrentLinkedQueue<>();

    private static final class Waiter {
        final Thread thread = Thread.currentThread();

        /** Whether it has been woken and has not looked since: once is enough. */
        volatile boolean called;
    }

    Turns(Platform platform) {
        this.platform = platform;
    }

    /**
     * Waits for the turn, for bounded time.
     *
     * @return false without the turn, if the wait was too long or the thread is interrupted (its flag stays set)
     */
    boolean take() {
        if (queue.isEmpty() && taken.compareAndSet(false, true)) {
            return true;
        }
        Waiter self = new Waiter();
        queue.add(self);
        boolean mine = false;
        try {
            long deadline = platform.nanoTime() + PATIENCE_NANOS;
            if (!taken.get()) {
                call();
            }
            while (true) {
                self.called = false;
                mine = queue.peek() == self && taken.compareAndSet(false, true);
                long left = deadline - platform.nanoTime();
                if (mine || left <= 0 || Thread.currentThread().isInterrupted()) {
                    return mine;
                }
                platform.park(left);
            }
        } finally {
            queue.remove(self);
            if (!mine && !taken.get()) {
                // The call for it may have been meant for whoever is next.
                call();
            }
        }
    }

    void pass() {
        taken.set(false);
        call();
    }

    private void call() {
        Waiter next = queue.peek();
        if (next != null && !next.called) {
            next.called = true;
            platform.unpark(next.thread);
        }
    }
}
