// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A world in which time passes only while every thread waits, and in which one thread runs at a time, chosen by a seeded random
 * number: the same seed gives the same run. The thread that makes the world takes part in it; all others are virtual threads,
 * between which control is handed over in less than a microsecond if the scheduler has one carrier
 * ({@code -Djdk.virtualThreadScheduler.parallelism=1}).
 */
final class VirtualWorld {

    static final Instant BEGIN = Instant.parse("2026-03-01T10:00:00Z");

    /** Of a machine that has been up for a while: a field that begins at 0 is no moment near this. */
    private static final long BEGIN_NANOS = Duration.ofDays(100).toNanos();

    /** More turns than this while no time passes count as an endless loop. */
    private static final int TURNS_AT_ONCE = 100_000;

    /** More looks at the clock than this while no time passes count as a loop that does not even wait. */
    private static final int LOOKS_AT_ONCE = 10_000_000;

    private final List<Task> tasks = new ArrayList<>();

    /** The tasks that could go on at the last look. */
    private final List<Task> ready = new ArrayList<>();

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Random random;
    private long nanos = BEGIN_NANOS;
    private int machines;
    private int turnsAtOnce;
    private int looksAtOnce;
    private long eventsAdded;
    private volatile Task running;

    /** The thread that made this world, and what ended it for that thread: no other goes on then. */
    private final Task maker;

    private volatile @Nullable AssertionError end;

    /** Whose memory is being copied now, and the thread that waits for it; see {@link MemoryImage}. */
    private @Nullable Machine copied;

    private @Nullable Task copier;

    VirtualWorld(long seed) {
        random = new Random(seed);
        maker = new Task(null);
        maker.thread = Thread.currentThread();
        running = maker;
        tasks.add(maker);
    }

    /** The time of a perfect clock. */
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
        if (me.machine != null && me.machine.isBeingCopied()) {
            parkAsBefore(me, forNanos);
            return;
        }
        if (!me.permit && !me.thread.isInterrupted()) {
            me.parked = true;
            me.wakeNanos = nanos + Math.max(0, forNanos);
            handOver(me);
            awaitTurn(me);
            me.parked = false;
        } else if (++turnsAtOnce > TURNS_AT_ONCE) {
            endWorld(me, new AssertionError(me + " never waits, and no time passes"));
        }
        me.permit = false;
        if (me.machine != null) {
            vanishIfCrashed(me);
            me.machine.remember(me.number, MemoryImage.Kind.TURN, null);
        }
    }

    /** Parks as this thread's original did on the machine whose memory is copied: it goes on when the original went on. */
    private void parkAsBefore(Task me, long forNanos) {
        me.parked = true;
        me.wakeNanos = me.machine.past.nanos() + Math.max(0, forNanos);
        MemoryImage.Entry turn = awaitEntry(me);
        if (turn != null) {
            require(turn, MemoryImage.Kind.TURN);
        }
        me.parked = false;
        me.permit = false;
        vanishIfCrashed(me);
    }

    /**
     * The process vanishes: none of its code runs any more, not even finally blocks. The thread is collected as garbage
     * ({@code -Djdk.trackAllThreads=false}).
     */
    private void vanishIfCrashed(Task me) {
        if (me.machine.crashed) {
            tasks.remove(me);
            handOver(me);
            awaitTurn(me);
        }
    }

    /** Waits until the next entry is this thread's; null: the copy is complete, and it is this thread's turn. */
    private MemoryImage.@Nullable Entry awaitEntry(Task me) {
        MemoryImage past = me.machine.past;
        while (me.machine.isBeingCopied()) {
            MemoryImage.Entry next = past.peek();
            if (next != null && next.thread() == me.number) {
                return past.take();
            }
            copyOn(me.machine);
            awaitTurn(me);
        }
        return null;
    }

    /** Runs the thread whose original ran next. */
    private void copyOn(Machine machine) {
        MemoryImage past = machine.past;
        MemoryImage.Entry next = past.peek();
        while (next != null && next.thread() == MemoryImage.OUTSIDE) {
            machine.commanded = true;
            past.take().command(machine);
            machine.commanded = false;
            next = past.peek();
        }
        running = next == null ? copier : machine.threads.get(next.thread());
        if (next == null) {
            copied = null;
        }
        LockSupport.unpark(running.thread);
    }

    private void awaitTurn(Task me) {
        boolean interrupted = false;
        while (running != me) {
            LockSupport.park(this);
            if (running != me && me.thread.isInterrupted()) {
                // The other threads decide when its turn comes, and a set flag would keep it from waiting for that.
                me.permit = true;
                interrupted |= Thread.interrupted();
            }
        }
        AssertionError reason = end;
        if (reason != null) {
            throw reason;
        }
        if (interrupted) {
            me.thread.interrupt();
        }
    }

    /** The maker gets errors of the world itself: simulated code might catch them and go on. */
    private void endWorld(Task by, AssertionError reason) {
        end = reason;
        running = maker;
        LockSupport.unpark(maker.thread);
        awaitTurn(by);
    }

    private MemoryImage.Entry require(MemoryImage.Entry entry, MemoryImage.Kind kind) {
        try {
            return entry.require(kind);
        } catch (AssertionError otherwise) {
            endWorld(running, otherwise);
            throw otherwise;
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
        if (machine != null) {
            task.number = machine.threads.size();
            machine.threads.add(task);
        }
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
        if (me.machine != null) {
            if (me.machine.isBeingCopied()) {
                MemoryImage.Entry turn = awaitEntry(me);
                if (turn != null) {
                    require(turn, MemoryImage.Kind.TURN);
                }
            } else {
                me.machine.remember(me.number, MemoryImage.Kind.TURN, null);
            }
        }
        me.parked = false;
        me.permit = false;
        try {
            if (me.machine == null || !me.machine.crashed) {
                work.run();
            }
        } finally {
            tasks.remove(me);
            if (me.machine != null && me.machine.isBeingCopied()) {
                copyOn(me.machine);
            } else {
                handOver(me);
            }
        }
    }

    private void handOver(Task me) {
        if (end != null) {
            return;
        }
        try {
            chooseNext();
            LockSupport.unpark(running.thread);
        } catch (RuntimeException | AssertionError e) {
            endWorld(me, e instanceof AssertionError error ? error : new AssertionError(e));
        }
    }

    private void chooseNext() {
        findReady();
        if (ready.isEmpty()) {
            turnsAtOnce = 0;
            looksAtOnce = 0;
            while (ready.isEmpty()) {
                nanos = Math.max(nanos, nextNanos());
                while (!events.isEmpty() && events.peek().nanos() <= nanos) {
                    events.remove().action().run();
                }
                findReady();
            }
        } else if (++turnsAtOnce > TURNS_AT_ONCE) {
            throw new AssertionError("threads take turns without end and no time passes: " + tasks);
        }
        running = ready.get(ready.size() == 1 ? 0 : random.nextInt(ready.size()));
    }

    private void findReady() {
        ready.clear();
        for (Task task : tasks) {
            if (task.readyAt() <= nanos) {
                ready.add(task);
            }
        }
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

    private final class Task {
        volatile boolean permit;
        Thread thread;

        /** Its number among the threads of its machine, in the order of their starts. */
        int number;

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

    /** One process of this world, with clocks of its own. */
    final class Machine implements Platform {
        private final List<Task> threads = new ArrayList<>();

        /** The name in its memory; a copy has the original's. */
        private @Nullable String process = "process-" + ++machines;

        /** Names that it had before checkpoints. */
        private final Set<String> former = new HashSet<>();

        /** Its input so far, or, while it becomes a copy, the input yet to be replayed; null: it is never copied. */
        private @Nullable MemoryImage past;

        private long wallOffsetMillis;

        /** By how much both clocks run fast, in millionths; below 0: slow. */
        private long driftPpm;

        private long driftSinceNanos;

        /** How far its clocks had drifted by then. */
        private long driftedNanos;

        /** How long it ran nowhere: its monotonic clock did not count that time. */
        private long missedNanos;

        private long pausedUntilNanos;
        private long pausedNanos;
        private boolean crashed;

        /** Whether its code now runs on none of its threads. */
        private boolean commanded;

        private boolean looked;

        /** On a busy machine a thread that waits for the next millisecond wakes up up to 15 ms late. */
        boolean wakesLate;

        /** How many of its threads wait for the next millisecond and will wake up after it. */
        private int lateSleepers;

        /** From now on its memory can be copied. */
        void beCopyable() {
            past = new MemoryImage();
        }

        boolean isCopyable() {
            return past != null;
        }

        /**
         * Gives this machine, on which nothing runs yet, a copy of another's memory as it is now.
         *
         * @param begin starts the first thread of the copy as that of the other was started
         * @param late how long after the copy was taken it runs again
         * @param behindMillis by how much its wall clock is behind the other's
         */
        void copy(Machine other, Runnable begin, Duration late, long behindMillis) {
            process = other.former.stream().findFirst().orElse(other.process);
            past = other.past;
            other.past = null;
            past.rewind(nanos);
            copied = this;
            copier = running;
            begin.run();
            Task me = running;
            copyOn(this);
            awaitTurn(me);
            past = null;
            missedNanos = late.toNanos();
            wallOffsetMillis = other.wallOffsetMillis - behindMillis;
            pausedNanos = other.pausedNanos;
            pausedUntilNanos = Math.max(other.pausedUntilNanos, nanos) + missedNanos;
            for (Task task : threads) {
                task.wakeNanos += missedNanos;
            }
        }

        /** Whether it is repeating what another machine did, which has no effect on the world. */
        boolean isBeingCopied() {
            return copied == this;
        }

        /** A look of the simulation, which is no input of this machine's code: a copy does not repeat it. */
        long look(LongSupplier reading) {
            MemoryImage remembered = past;
            past = null;
            try {
                return reading.getAsLong();
            } finally {
                past = remembered;
            }
        }

        private void remember(int thread, MemoryImage.Kind kind, @Nullable Object value) {
            if (past != null) {
                past.add(thread, kind, nanos, value);
            }
        }

        /** Input of this machine's code from outside: {@code live} supplies it, and a copy gets the same. */
        @SuppressWarnings("unchecked")
        <T extends @Nullable Object> T input(MemoryImage.Kind kind, Supplier<T> live) {
            if (isBeingCopied()) {
                MemoryImage.Entry before = commanded ? past.take() : awaitEntry(running);
                if (before != null) {
                    return (T) require(before, kind).value();
                }
            }
            T value = live.get();
            remember(commanded ? MemoryImage.OUTSIDE : running.number, kind, value);
            return value;
        }

        /**
         * Like {@link #input}, for answers that take time.
         *
         * @param lost supplies the outcome if the answer came to the machine that was copied, and not to this copy
         */
        @SuppressWarnings("unchecked")
        <T> T answer(Supplier<T> live, Supplier<T> lost) {
            if (isBeingCopied()) {
                Task me = running;
                me.parked = true;
                me.wakeNanos = 0;
                MemoryImage.Entry before = awaitEntry(me);
                while (before != null && before.kind() == MemoryImage.Kind.TURN) {
                    before = awaitEntry(me);
                }
                me.parked = false;
                return before == null
                        ? lost.get()
                        : (T) require(before, MemoryImage.Kind.ANSWER).value();
            }
            T value = live.get();
            remember(running.number, MemoryImage.Kind.ANSWER, value);
            return value;
        }

        /** Runs something that happens to it from outside; it happens to a copy too. */
        void happen(Consumer<Machine> command) {
            remember(MemoryImage.OUTSIDE, MemoryImage.Kind.COMMAND, command);
            commanded = true;
            command.accept(this);
            commanded = false;
        }

        /**
         * Runs code of the machine for an observer outside. What that code remembers, if only when it last read the clock, is in a copy too.
         */
        void look(Consumer<Machine> view) {
            happen(m -> {
                m.looked = true;
                view.accept(m);
                m.looked = false;
            });
        }

        /** Whether its code now runs only for an observer. */
        boolean isLookedAt() {
            return looked;
        }

        /** Every thread of this process stands still, as in a garbage collection; clocks run on. */
        void pause(Duration duration) {
            long until = Math.max(pausedUntilNanos, nanos + duration.toNanos());
            pausedNanos += until - Math.max(pausedUntilNanos, nanos);
            pausedUntilNanos = until;
        }

        /** How long it has been paused altogether. */
        long pausedNanos() {
            return pausedNanos;
        }

        boolean isPaused() {
            return pausedUntilNanos > nanos;
        }

        /** How much longer it is paused. */
        Duration pauseLeft() {
            return Duration.ofNanos(Math.max(0, pausedUntilNanos - nanos));
        }

        /** Every thread of this process ends where it stands. */
        void crash() {
            crashed = true;
        }

        boolean isCrashed() {
            return crashed;
        }

        /** Moves this process's wall clock, and nothing else. */
        void stepClock(Duration by) {
            wallOffsetMillis += by.toMillis();
        }

        /** Moves its monotonic clock, as where it is restored on another machine. */
        void stepNanos(long millis) {
            missedNanos -= millis * 1_000_000;
        }

        void restoreClock() {
            wallOffsetMillis = -driftNanos() / 1_000_000;
        }

        /** From now on both clocks run fast by this many millionths. A machine that is copied must not drift. */
        void drift(long ppm) {
            driftedNanos = driftNanos();
            driftSinceNanos = nanos;
            driftPpm = ppm;
        }

        private long driftNanos() {
            // Divided first, so that a long drift does not overflow.
            return driftedNanos + (nanos - driftSinceNanos) / 1_000 * driftPpm / 1_000;
        }

        /** What {@link #wallMillis} says, for those who look at the machine from outside. */
        long wallNow() {
            return trueMillis() + wallOffsetMillis + driftNanos() / 1_000_000;
        }

        /** What {@link #nanoTime} says, for those who look at the machine from outside. */
        long nanosNow() {
            return isBeingCopied() ? past.nanos() : nanos - missedNanos + driftNanos();
        }

        /** Not ended by an interrupt; the flag is kept. */
        void sleep(Duration duration) {
            long until = nanosNow() + duration.toNanos();
            boolean interrupted = false;
            while (nanosNow() < until) {
                interrupted |= Thread.interrupted();
                park(until - nanosNow());
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public long wallMillis() {
            return past == null ? wallNow() : input(MemoryImage.Kind.WALL, this::wallNow);
        }

        @Override
        public long nanoTime() {
            if (++looksAtOnce > LOOKS_AT_ONCE) {
                endWorld(running, new AssertionError(running + " looks at the clock without end, and no time passes"));
            }
            return past == null ? nanosNow() : input(MemoryImage.Kind.NANOS, this::nanosNow);
        }

        @Override
        public void park(long forNanos) {
            VirtualWorld.this.park(forNanos);
        }

        @Override
        public void awaitNextMillis() {
            // Not random, since a copy has to do the same.
            long lateMillis = wakesLate ? (nanosNow() / 1_000_000 * 0x9E3779B97F4A7C15L) >>> 60 : 0;
            int late = lateMillis > 0 ? 1 : 0;
            lateSleepers += late;
            try {
                VirtualWorld.this.park((1 + lateMillis) * 1_000_000 - nanosNow() % 1_000_000);
            } finally {
                lateSleepers -= late;
            }
        }

        /** Whether one of its threads waits for the next millisecond and sleeps through it. */
        boolean isOversleeping() {
            return lateSleepers > 0;
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
        public String process() {
            if (process == null) {
                process = "process-" + Long.toHexString(randomLong());
            }
            return process;
        }

        @Override
        public boolean isProcess(String name) {
            return name.equals(process) || former.contains(name);
        }

        @Override
        public void beforeCheckpoint() {
            former.add(process());
            process = null;
        }

        @Override
        public long randomLong() {
            return past == null ? random.nextLong() : input(MemoryImage.Kind.RANDOM, random::nextLong);
        }
    }
}
