// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A world in which time passes only while every thread waits, and in which one thread runs at a time, chosen by a seeded random
 * number: the same seed gives the same run. The thread that makes the world takes part in it.
 */
final class VirtualWorld {

    static final Instant BEGIN = Instant.parse("2026-03-01T10:00:00Z");

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Task> tasks = new ArrayList<>();
    private final Random random;
    private long nanos = 1_000_000_000L;
    private Task running;

    VirtualWorld(long seed) {
        random = new Random(seed);
        running = new Task(Thread.currentThread(), null);
        tasks.add(running);
    }

    /** What a perfect clock would say. */
    Instant trueTime() {
        return BEGIN.plusNanos(nanos - 1_000_000_000L);
    }

    long nanoTime() {
        return nanos;
    }

    Random random() {
        return random;
    }

    void sleep(Duration duration) {
        long until = nanos + duration.toNanos();
        while (nanos < until) {
            park(until - nanos);
        }
    }

    void park(long forNanos) {
        lock.lock();
        try {
            Task me = running;
            if (!me.thread.equals(Thread.currentThread())) {
                throw new IllegalStateException(Thread.currentThread() + " is not of this world");
            }
            if (!me.permit && !me.thread.isInterrupted()) {
                me.parked = true;
                me.wakeNanos = nanos + Math.max(0, forNanos);
                handOver();
                while (running != me) {
                    me.turn.awaitUninterruptibly();
                }
                me.parked = false;
            }
            me.permit = false;
            if (me.machine != null && me.machine.crashed) {
                throw new Crash();
            }
        } finally {
            lock.unlock();
        }
    }

    void unpark(Thread thread) {
        lock.lock();
        try {
            tasks.stream().filter(t -> t.thread.equals(thread)).forEach(t -> t.permit = true);
        } finally {
            lock.unlock();
        }
    }

    private Thread start(String name, Runnable work, @Nullable Machine machine) {
        lock.lock();
        try {
            Thread[] holder = new Thread[1];
            Thread thread = new Thread(() -> runInTurn(holder[0], work), name);
            holder[0] = thread;
            thread.setDaemon(true);
            Task task = new Task(thread, machine);
            task.permit = true;
            task.parked = true;
            tasks.add(task);
            thread.start();
            return thread;
        } finally {
            lock.unlock();
        }
    }

    private void runInTurn(Thread thread, Runnable work) {
        Task me = null;
        lock.lock();
        try {
            for (Task task : tasks) {
                if (task.thread.equals(thread)) {
                    me = task;
                }
            }
            while (running != me) {
                me.turn.awaitUninterruptibly();
            }
            me.parked = false;
            me.permit = false;
        } finally {
            lock.unlock();
        }
        try {
            work.run();
        } catch (Crash end) {
            // as if the process had never been
        } finally {
            lock.lock();
            try {
                tasks.remove(me);
                handOver();
            } finally {
                lock.unlock();
            }
        }
    }

    private void handOver() {
        List<Task> ready = new ArrayList<>();
        long earliest = Long.MAX_VALUE;
        for (Task task : tasks) {
            long at = task.readyAt();
            if (at < earliest && at > nanos) {
                earliest = at;
            }
            if (at <= nanos) {
                ready.add(task);
            }
        }
        if (ready.isEmpty()) {
            nanos = earliest;
            for (Task task : tasks) {
                if (task.readyAt() <= nanos) {
                    ready.add(task);
                }
            }
        }
        running = ready.get(random.nextInt(ready.size()));
        running.turn.signal();
    }

    /** Runs outside of any process. */
    void later(Duration delay, Runnable event) {
        Thread unused = start(
                "later",
                () -> {
                    sleep(delay);
                    event.run();
                },
                null);
    }

    /** Ends a thread of a crashed process. */
    private static final class Crash extends Error {
        private static final long serialVersionUID = 1L;

        Crash() {
            super("crash", null, false, false);
        }
    }

    private final class Task {
        final Thread thread;
        final Condition turn = lock.newCondition();
        boolean parked;
        boolean permit;
        long wakeNanos;
        final @Nullable Machine machine;

        Task(Thread thread, @Nullable Machine machine) {
            this.thread = thread;
            this.machine = machine;
        }

        long readyAt() {
            if (machine != null && machine.crashed) {
                return nanos;
            }
            long at = !parked || permit || thread.isInterrupted() ? nanos : wakeNanos;
            return machine == null ? at : Math.max(at, machine.pausedUntilNanos);
        }
    }

    /** One process of this world, with a wall clock of its own. */
    final class Machine implements Platform {
        private long wallOffsetMillis;
        private long pausedUntilNanos;
        private boolean crashed;

        /** Every thread of this process stands still, as in a garbage collection; clocks run on. */
        void pause(Duration duration) {
            pausedUntilNanos = Math.max(pausedUntilNanos, nanos + duration.toNanos());
        }

        /** Every thread of this process ends where it stands. */
        void crash() {
            crashed = true;
        }

        /** Moves this process's wall clock, and nothing else. */
        void stepClock(Duration by) {
            wallOffsetMillis += by.toMillis();
        }

        void restoreClock() {
            wallOffsetMillis = 0;
        }

        @Override
        public long wallMillis() {
            return trueTime().toEpochMilli() + wallOffsetMillis;
        }

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public void park(long forNanos) {
            VirtualWorld.this.park(forNanos);
        }

        @Override
        public void awaitNextMillis() {
            VirtualWorld.this.park(1_000_000 - nanos % 1_000_000);
        }

        @Override
        public void unpark(Thread thread) {
            VirtualWorld.this.unpark(thread);
        }

        @Override
        public Thread start(String name, Runnable task) {
            return VirtualWorld.this.start(name, task, this);
        }

        @Override
        public long randomLong() {
            return random.nextLong();
        }
    }
}
