// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A world in which time passes only while every thread waits, and in which one thread runs at a time, chosen by a seeded random
 * number: the same seed gives the same run. The thread that makes the world takes part in it; all others are virtual threads,
 * between which control is handed over in less than a microsecond if the scheduler has one carrier
 * ({@code -Djdk.virtualThreadScheduler.parallelism=1}).
 */
final class VirtualWorld {

    static final Instant BEGIN = Instant.parse("2026-03-01T10:00:00Z");

    private static final long BEGIN_NANOS = 1_000_000_000L;

    /** So many turns while no time passes are taken for an endless loop. */
    private static final int TURNS_AT_ONCE = 100_000;

    private final List<Task> tasks = new ArrayList<>();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Random random;
    private long nanos = BEGIN_NANOS;
    private int turnsAtOnce;
    private long eventsAdded;
    private volatile Task running;

    VirtualWorld(long seed) {
        random = new Random(seed);
        running = new Task(null);
        running.thread = Thread.currentThread();
        tasks.add(running);
    }

    /** What a perfect clock would say. */
    Instant trueTime() {
        return BEGIN.plusNanos(nanos - BEGIN_NANOS);
    }

    long trueMillis() {
        return BEGIN.toEpochMilli() + (nanos - BEGIN_NANOS) / 1_000_000;
    }

    long nanoTime() {
        return nanos;
    }

    Random random() {
        return random;
    }

    /** The process whose thread runs now; null: none, the one that made this world. */
    @Nullable
    Machine runningMachine() {
        return running.machine;
    }

    /** Not ended by an interrupt; the flag is kept. */
    void sleep(Duration duration) {
        long until = nanos + duration.toNanos();
        boolean interrupted = false;
        while (nanos < until) {
            interrupted |= Thread.interrupted();
            park(until - nanos);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    void park(long forNanos) {
        Task me = running;
        if (!me.thread.equals(Thread.currentThread())) {
            throw new IllegalStateException(Thread.currentThread() + " is not of this world");
        }
        if (!me.permit && !me.thread.isInterrupted()) {
            me.parked = true;
            me.wakeNanos = nanos + Math.max(0, forNanos);
            handOver();
            awaitTurn(me);
            me.parked = false;
        } else if (++turnsAtOnce > TURNS_AT_ONCE) {
            throw new AssertionError(me + " never waits, and no time passes");
        }
        me.permit = false;
        if (me.machine != null && me.machine.crashed) {
            throw new Crash();
        }
    }

    private void awaitTurn(Task me) {
        boolean interrupted = false;
        while (running != me) {
            LockSupport.park(this);
            if (running != me && me.thread.isInterrupted()) {
                // Its turn comes when the others say so, and a set flag would keep it from waiting for that.
                me.permit = true;
                interrupted |= Thread.interrupted();
            }
        }
        if (interrupted) {
            me.thread.interrupt();
        }
    }

    void unpark(Thread thread) {
        for (Task task : tasks) {
            if (task.thread.equals(thread)) {
                task.permit = true;
            }
        }
    }

    private Thread start(String name, Runnable work, @Nullable Machine machine) {
        Task task = new Task(machine);
        Thread thread = Thread.ofVirtual().name(name).unstarted(() -> runInTurn(task, work));
        task.thread = thread;
        task.permit = true;
        task.parked = true;
        tasks.add(task);
        thread.start();
        return thread;
    }

    private void runInTurn(Task me, Runnable work) {
        awaitTurn(me);
        me.parked = false;
        me.permit = false;
        try {
            if (me.machine == null || !me.machine.crashed) {
                work.run();
            }
        } catch (Crash end) {
            // as if the process had never been
        } finally {
            tasks.remove(me);
            handOver();
        }
    }

    private void handOver() {
        int ready = countReady();
        if (ready == 0) {
            turnsAtOnce = 0;
            while (ready == 0) {
                nanos = Math.max(nanos, nextNanos());
                while (!events.isEmpty() && events.peek().nanos() <= nanos) {
                    events.remove().action().run();
                }
                ready = countReady();
            }
        } else if (++turnsAtOnce > TURNS_AT_ONCE) {
            throw new AssertionError("threads take turns without end and no time passes: " + tasks);
        }
        int chosen = ready == 1 ? 0 : random.nextInt(ready);
        for (Task task : tasks) {
            if (task.readyAt() <= nanos && chosen-- == 0) {
                running = task;
                break;
            }
        }
        LockSupport.unpark(running.thread);
    }

    private int countReady() {
        int ready = 0;
        for (Task task : tasks) {
            if (task.readyAt() <= nanos) {
                ready++;
            }
        }
        return ready;
    }

    private long nextNanos() {
        Event event = events.peek();
        long earliest = event == null ? Long.MAX_VALUE : event.nanos();
        for (Task task : tasks) {
            earliest = Math.min(earliest, task.readyAt());
        }
        return earliest;
    }

    /** Runs outside of any process; it must not wait. */
    void later(Duration delay, Runnable action) {
        events.add(new Event(nanos + delay.toNanos(), eventsAdded++, action));
    }

    private record Event(long nanos, long number, Runnable action) implements Comparable<Event> {

        @Override
        public int compareTo(Event other) {
            return nanos != other.nanos ? Long.compare(nanos, other.nanos) : Long.compare(number, other.number);
        }
    }

    /** Ends a thread of a crashed process. */
    private static final class Crash extends Error {
        private static final long serialVersionUID = 1L;

        Crash() {
            super("crash", null, false, false);
        }
    }

    private final class Task {
        volatile boolean permit;
        Thread thread;
        boolean parked;
        long wakeNanos;
        final @Nullable Machine machine;

        Task(@Nullable Machine machine) {
            this.machine = machine;
        }

        long readyAt() {
            if (machine != null && machine.crashed) {
                return nanos;
            }
            long at = !parked || permit || thread.isInterrupted() ? nanos : wakeNanos;
            return machine == null ? at : Math.max(at, machine.pausedUntilNanos);
        }

        @Override
        public String toString() {
            return thread.getName();
        }
    }

    /** One process of this world, with a wall clock of its own. */
    final class Machine implements Platform {
        private long wallOffsetMillis;
        private long pausedUntilNanos;
        private long pausedNanos;
        private boolean crashed;

        /** Every thread of this process stands still, as in a garbage collection; clocks run on. */
        void pause(Duration duration) {
            long until = Math.max(pausedUntilNanos, nanos + duration.toNanos());
            pausedNanos += until - Math.max(pausedUntilNanos, nanos);
            pausedUntilNanos = until;
        }

        /** For how long altogether. */
        long pausedNanos() {
            return pausedNanos;
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
            return trueMillis() + wallOffsetMillis;
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
