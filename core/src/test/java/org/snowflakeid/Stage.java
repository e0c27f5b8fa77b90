// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.administration.NamespaceAdministration;
import org.snowflakeid.config.Settings;
import org.snowflakeid.resume.ResumeDirectory;

/**
 * Processes that follow a script, in its order: each has a clock, a wire and threads of its own. {@link #assertSafe} must hold at its end.
 *
 * <p>Nothing waits for the clock: a process may start ahead of it, and goes on if it steps back. So a script can set any clock to any time,
 * as the models do.
 */
final class Stage {

    final VirtualWorld world;
    final FakeStore store;
    final Map<String, String> keys;

    private final Grants grants = new Grants();
    private final Set<Long> issued = new HashSet<>();
    private int processes;

    Stage() {
        this(
                1,
                Map.of(
                        "snowflake.window", "PT12S",
                        "snowflake.worker-ids", "0",
                        "snowflake.startup-timeout", "PT60S",
                        "snowflake.startup-ahead", "PT1M",
                        "snowflake.clock.on-rollback", "continue",
                        "snowflake.clock.max-ahead", "PT1H"));
    }

    private Stage(long seed, Map<String, String> keys) {
        this.world = new VirtualWorld(seed);
        this.store = new FakeStore(world);
        this.keys = new HashMap<>(keys);
        watch(store, "here");
    }

    /** Where processes have default settings: they do wait for the clock. */
    static Stage ofDefaults(long seed) {
        return new Stage(seed, Map.of());
    }

    /** A namespace elsewhere, whose ids go into the same column. */
    FakeStore elsewhere() {
        FakeStore other = new FakeStore(world);
        watch(other, "elsewhere");
        return other;
    }

    private void watch(FakeStore watched, String name) {
        watched.observer = (writer, id, before, after) -> grants.write(name, id, before, after);
    }

    Actor process() {
        return new Actor(store);
    }

    /** A process on the host of another, which may have ended. */
    Actor processOnHostOf(Actor other) {
        Actor process = process();
        process.disk = other.disk;
        return process;
    }

    Actor process(FakeStore at) {
        return new Actor(at);
    }

    void sleep(Duration duration) {
        world.sleep(duration);
    }

    void until(String what, BooleanSupplier condition) {
        within(Duration.ofMinutes(10), what, condition);
    }

    void within(Duration limit, String what, BooleanSupplier condition) {
        int millis = 1;
        for (int waited = 0; !condition.getAsBoolean(); waited += millis) {
            if (waited > limit.toMillis()) {
                throw new AssertionError("not within " + limit + ": " + what);
            }
            // Looks often at first, so that quick answers cost no wait, and then rarely, so that a minute costs few
            // looks.
            millis = waited < 100 ? 1 : 10;
            world.sleep(Duration.ofMillis(millis));
        }
    }

    void assertSafe() {
        assertThat(grants.violations()).isEmpty();
    }

    final class Actor implements Platform, ResumeDirectory.Host {
        final VirtualWorld.Machine machine = world.new Machine();
        final Wire wire;
        private final String name = "p" + ++processes;
        private @Nullable LeasedSnowflake ids;
        private @Nullable Throwable refusal;
        private @Nullable Thread keeper;
        private @Nullable Thread opener;
        private @Nullable Instant clockHeldAt;
        private final List<Stop> stops = new ArrayList<>();
        private final Map<Thread, Long> nanosAhead = new HashMap<>();
        private boolean looking;
        private boolean ended;

        /** The names of its generator's threads, while they run. */
        final List<String> threads = new ArrayList<>();

        /** Hears of its generator's events; null: there is no listener. */
        @Nullable
        Consumer<? super SnowflakeEvent> listener;

        /** Sees the name of each thread that is about to be made, and may throw. */
        Consumer<String> beforeThread = threadName -> {};

        /** Thrown once, where the keeper's thread parks next. */
        @Nullable
        Error atKeepersNextPark;

        /** Thrown once, where the keeper's thread wakes a thread next. */
        @Nullable
        Error atKeepersNextUnpark;

        /** Thrown once, where the thread that opens the generator parks next. */
        @Nullable
        Error atOpenersNextPark;

        /** Null: the world's random numbers. */
        @Nullable
        LongSupplier randomness;

        /** The disk of its host. */
        SimulatedDisk disk = new SimulatedDisk(world);

        private Actor(FakeStore at) {
            wire = new Wire(world, at);
        }

        /** Claims a worker id, and fails the test if there is none. */
        void open() {
            startOpening();
            awaitOpen();
        }

        void startOpening() {
            ids = null;
            refusal = null;
            SnowflakeSettings settings = SnowflakeSettings.of(Map.copyOf(keys));
            opener = machine.start("open", () -> {
                try {
                    ids = listener == null
                            ? LeasedSnowflake.open(settings, wire, this)
                            : LeasedSnowflake.open(settings, wire, this, listener);
                } catch (RuntimeException | Error e) {
                    refusal = e;
                }
            });
        }

        void awaitOpen() {
            until("open", this::isDecided);
            assertThat(refusal).isNull();
        }

        Throwable awaitRefusal() {
            until("refusal", this::isDecided);
            assertThat(refusal).isNotNull();
            return refusal;
        }

        /** Whether {@code open} has returned or failed. */
        boolean isDecided() {
            return ids != null || refusal != null;
        }

        boolean isOpen() {
            return ids != null;
        }

        LeasedSnowflake ids() {
            return ids;
        }

        int workerId() {
            return ids.status().workerId().orElseThrow();
        }

        void startClosing() {
            LeasedSnowflake closing = ids;
            ended = false;
            Thread unused = machine.start("close", () -> {
                closing.close();
                ended = true;
            });
        }

        void awaitClosed() {
            until("closed", () -> ended);
        }

        void close() {
            startClosing();
            awaitClosed();
        }

        /** Moves the namespace elsewhere, as its operator does. */
        void startMoving(Wire there) {
            SnowflakeSettings old = SnowflakeSettings.of(Map.copyOf(keys));
            Map<String, String> moved = new HashMap<>(keys);
            moved.put("snowflake.namespace", "elsewhere");
            SnowflakeSettings successor = SnowflakeSettings.of(Map.copyOf(moved));
            ended = false;
            Thread unused = machine.start("move", () -> {
                try (NamespaceAdministration from = NamespaceAdministration.open(old, wire, this);
                        NamespaceAdministration to = NamespaceAdministration.open(successor, there, this)) {
                    from.prepareMove(to).carryOut(Set.of());
                    ended = true;
                }
            });
        }

        void awaitMoved() {
            until("moved", () -> ended);
        }

        void crash() {
            machine.crash();
            world.sleep(Duration.ofMillis(1));
        }

        /** Issues an id. */
        IdParts issue() {
            return issued(ids.nextId());
        }

        /** Issues an id while both of the caller's clocks show this time. */
        IdParts issueAt(Instant clock) {
            showLater(Thread.currentThread(), clock);
            setClock(clock);
            try {
                return issue();
            } finally {
                machine.restoreClock();
                nanosAhead.remove(Thread.currentThread());
            }
        }

        /** From now on both clocks show this thread that time. */
        void setBothClocks(Instant clock) {
            showLater(Thread.currentThread(), clock);
            setClock(clock);
        }

        /** The monotonic clock advances for a thread by as much as the wall clock will. */
        private void showLater(Thread thread, Instant clock) {
            long ahead = Duration.between(Instant.ofEpochMilli(machine.wallMillis()), clock)
                    .toNanos();
            nanosAhead.put(thread, Math.max(0, ahead));
        }

        /** Issues an id of the last tick that the process believes it was granted. */
        IdParts issueAtTheEnd() {
            Instant end = ids.status().reservedUntil().orElseThrow();
            IdParts last = issueAt(end.minusMillis(1));
            assertThat(last.timestamp()).isEqualTo(end.minusMillis(1));
            return last;
        }

        /** Issues an id every 100 ms. None has to be waited for. */
        void issueFor(Duration duration) {
            Instant end = world.trueTime().plus(duration);
            while (world.trueTime().isBefore(end)) {
                Instant asked = world.trueTime();
                issue();
                assertThat(Duration.between(asked, world.trueTime()))
                        .as("a call's duration")
                        .isLessThanOrEqualTo(Duration.ofMillis(100));
                world.sleep(Duration.ofMillis(100));
            }
        }

        private IdParts issued(long id) {
            IdParts parts = ids.layout().decode(id);
            long tick = ids.layout().tickOf(parts.timestamp().toEpochMilli());
            boolean noted = keys.containsKey("snowflake.resume.directory");
            // Another process of the host may take over what this one was granted.
            grants.issued(noted ? disk : ids, parts.workerId(), tick);
            if (noted && disk.has(parts.workerId())) {
                assertThat(tick)
                        .as("a tick that the file says is used")
                        .isLessThan(disk.note(parts.workerId()).lo());
            }
            assertThat(issued.add(id)).as("%s issued again by %s", parts, this).isTrue();
            return parts;
        }

        void setClock(Instant clock) {
            machine.restoreClock();
            machine.stepClock(Duration.between(Instant.ofEpochMilli(machine.wallMillis()), clock));
        }

        /** The wall clock stands still; null: it goes on, as if it had not. */
        void holdClock(@Nullable Instant at) {
            clockHeldAt = at;
        }

        /** A thread that reads the clock while this holds stands still before it can use what it read. */
        Stop stopAtClock(BooleanSupplier when) {
            Stop stop = new Stop(when);
            stops.add(stop);
            return stop;
        }

        /** Stops the keeper's thread at a reading of the clock during which this holds. */
        Stop stopKeeperAtClock(BooleanSupplier when) {
            return stopAtClock(() -> Thread.currentThread().equals(keeper) && when.getAsBoolean());
        }

        final class Stop {
            private final BooleanSupplier when;
            private boolean reached;
            private boolean over;

            private Stop(BooleanSupplier when) {
                this.when = when;
            }

            void await() {
                until("stopped at the clock", () -> reached);
            }

            void goOn() {
                over = true;
            }
        }

        /** Calls for an id on a thread of its own. */
        Call startCall() {
            Call call = new Call();
            call.thread = machine.start("call", call);
            return call;
        }

        /** Calls for an id a while from now, on a thread that is there already. */
        Call startCallAfter(Duration delay) {
            Call call = new Call();
            call.thread = machine.start("call", () -> {
                world.sleep(delay);
                call.run();
            });
            return call;
        }

        /** Calls for an id, and stands still between reading the clock, which shows this time, and using it. */
        Call startCallStoppedAtClock(Instant clock) {
            Call call = startCall();
            Thread caller = call.thread;
            call.stop = stopAtClock(() -> Thread.currentThread().equals(caller));
            showLater(caller, clock);
            setClock(clock);
            call.stop.await();
            machine.restoreClock();
            return call;
        }

        final class Call implements Runnable {
            private @Nullable Thread thread;
            private @Nullable Stop stop;
            private @Nullable IdParts id;
            private @Nullable SnowflakeException failure;
            private @Nullable AssertionError wrong;

            @Override
            public void run() {
                try {
                    id = issue();
                } catch (SnowflakeException e) {
                    failure = e;
                } catch (AssertionError e) {
                    wrong = e;
                }
            }

            void goOn() {
                stop.goOn();
            }

            boolean isOver() {
                if (wrong != null) {
                    throw wrong;
                }
                return id != null || failure != null;
            }

            IdParts await() {
                until("an id", this::isOver);
                assertThat(failure).isNull();
                return id;
            }

            void interrupt() {
                thread.interrupt();
            }

            Optional<SnowflakeException> failure() {
                return Optional.ofNullable(failure);
            }

            SnowflakeException awaitFailure() {
                until("a failure", this::isOver);
                assertThat(id).isNull();
                return failure;
            }
        }

        @Override
        public String toString() {
            return name;
        }

        @Override
        public long wallMillis() {
            Instant held = clockHeldAt;
            long now = held != null ? held.toEpochMilli() : machine.wallMillis();
            if (!looking) {
                // The condition may itself read the clock.
                looking = true;
                Optional<Stop> stop;
                try {
                    stop = stops.stream().filter(s -> s.when.getAsBoolean()).findFirst();
                } finally {
                    looking = false;
                }
                if (stop.isPresent()) {
                    stops.remove(stop.get());
                    stop.get().reached = true;
                    while (!stop.get().over) {
                        machine.park(1_000_000);
                    }
                }
            }
            return now;
        }

        @Override
        public long nanoTime() {
            return machine.nanoTime() + nanosAhead.getOrDefault(Thread.currentThread(), 0L);
        }

        @Override
        public void park(long nanos) {
            Error thrown = atKeepersNextPark;
            if (thrown != null && Thread.currentThread().equals(keeper)) {
                atKeepersNextPark = null;
                throw thrown;
            }
            thrown = atOpenersNextPark;
            if (thrown != null && Thread.currentThread().equals(opener)) {
                atOpenersNextPark = null;
                throw thrown;
            }
            machine.park(nanos);
        }

        @Override
        public void awaitNextMillis() {
            machine.awaitNextMillis();
        }

        @Override
        public void unpark(Thread thread) {
            Error thrown = atKeepersNextUnpark;
            if (thrown != null && Thread.currentThread().equals(keeper)) {
                atKeepersNextUnpark = null;
                throw thrown;
            }
            machine.unpark(thread);
        }

        @Override
        public Thread start(String threadName, Runnable task) {
            beforeThread.accept(threadName);
            keeper = machine.start(threadName, () -> {
                threads.add(threadName);
                task.run();
                threads.remove(threadName);
            });
            return keeper;
        }

        @Override
        public boolean isProcess(String name) {
            return machine.isProcess(name);
        }

        @Override
        public void beforeCheckpoint() {
            machine.beforeCheckpoint();
        }

        @Override
        public String process() {
            return machine.process();
        }

        @Override
        public ResumeDirectory resumeDirectory(Settings settings) {
            return disk.usedBy(machine);
        }

        @Override
        public long randomLong() {
            return randomness == null ? machine.randomLong() : randomness.getAsLong();
        }
    }
}
