// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.VirtualWorld.Machine;

/**
 * One run: the real generators of a few processes on fewer worker ids than they need, in a world where everything fails at
 * random. All of it follows from the domain and the seed, to the last step. {@link Oracle} says what must hold.
 */
final class Simulation {

    /** How large a world is, and what happens in it. Each has seeds of its own. */
    enum Domain {
        /** 2 or 3 processes, 1 or 2 worker ids, a few faults that meet. These runs find most. */
        SMALL(0),
        /** Up to 16 processes for minutes. */
        WIDE(1),
        /** A small one whose coordinator forgets what it had acknowledged. */
        DISASTER(2);

        private final int salt;

        Domain(int salt) {
            this.salt = salt;
        }
    }

    enum Fault {
        COORDINATOR_DOWN,
        COORDINATOR_UP,
        OWNERS_EXPIRE,
        PAUSE,
        CLOCK_STEP,
        CLOCK_LEAP,
        CLOCK_RIGHT,
        CRASH,
        CLOSE,
        INTERRUPT,
        LOSS_HINT
    }

    private static final Logger LOGGER = Logger.getLogger(LeasedSnowflake.class.getName());
    private static final Fault[] FAULTS = Fault.values();
    private static final Map<Map<String, String>, SnowflakeSettings> SETTINGS = new ConcurrentHashMap<>();

    final VirtualWorld world;
    final FakeStore store;
    final Random random;
    final SnowflakeSettings settings;
    final Tally tally;
    final Oracle oracle;
    final List<SimulatedProcess> processes = new ArrayList<>();
    final int slots;
    boolean over;

    private final Domain domain;
    private final @Nullable Consumer<String> trace;
    private int started;

    private Simulation(Domain domain, long seed, Tally tally, @Nullable Consumer<String> trace) {
        this.domain = domain;
        this.tally = tally;
        this.trace = trace;
        // Neighbouring seeds of java.util.Random begin alike.
        world = new VirtualWorld((seed * 4 + domain.salt) * 0x9E3779B97F4A7C15L);
        random = world.random();
        slots = domain == Domain.WIDE ? 3 + random.nextInt(8) : 1 + random.nextInt(2);
        settings = settings();
        store = new FakeStore(world);
        store.likeness = random.nextBoolean() ? FakeStore.Likeness.ETCD : FakeStore.Likeness.ZOOKEEPER;
        store.tellsTime = random.nextBoolean();
        store.mishapsOneIn = 4 + random.nextInt(20);
        if (trace != null) {
            store.trace = this::note;
        }
        oracle = new Oracle(this);
        store.observer = oracle::markWritten;
    }

    private SnowflakeSettings settings() {
        Map<String, String> keys = new HashMap<>();
        keys.put("snowflake.window", List.of("PT3S", "PT6S", "PT12S").get(random.nextInt(3)));
        keys.put("snowflake.startup-timeout", "PT20S");
        // Joining a namespace reads all of it.
        keys.put("snowflake.worker-id-bits", "4");
        keys.put("snowflake.sequence-bits", "12");
        keys.put("snowflake.worker-ids", "0-" + (slots - 1));
        keys.put(
                "snowflake.clock.on-rollback",
                List.of("wait", "fail", "continue").get(random.nextInt(3)));
        keys.put("snowflake.clock.max-skew", random.nextBoolean() ? "PT10S" : "PT1S");
        if (random.nextInt(4) == 0) {
            keys.put("snowflake.burst", "PT1S");
        }
        if (random.nextInt(4) == 0) {
            keys.put("snowflake.startup-ahead", "PT4S");
        }
        if (domain == Domain.DISASTER || random.nextInt(4) == 0) {
            keys.put("snowflake.namespace-creation", "create-fenced");
        }
        return SETTINGS.computeIfAbsent(keys, SnowflakeSettings::of);
    }

    /**
     * Plays one run. If it fails it is played again, with a trace.
     *
     * @throws AssertionError with the domain, the seed, what was violated, and the trace
     */
    static void play(Domain domain, long seed, Tally tally) {
        LOGGER.setLevel(Level.OFF);
        String violation = new Simulation(domain, seed, tally, null).run();
        if (violation != null) {
            throw new AssertionError(
                    domain + " seed " + seed + ": " + violation + "\n" + String.join("\n", trace(domain, seed)));
        }
        tally.runs++;
    }

    /** All that happens in a run, a line each. */
    static List<String> trace(Domain domain, long seed) {
        List<String> lines = new ArrayList<>();
        Simulation again = new Simulation(domain, seed, new Tally(), lines::add);
        Handler logged = new Handler() {
            @Override
            public void publish(LogRecord line) {
                again.note("log: " + line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        LOGGER.setLevel(Level.INFO);
        LOGGER.setUseParentHandlers(false);
        LOGGER.addHandler(logged);
        try {
            again.note("etcd or ZooKeeper: " + again.store.likeness + ", tells time: " + again.store.tellsTime
                    + ", mishaps: one in " + again.store.mishapsOneIn + ", " + again.settings);
            again.run();
        } finally {
            LOGGER.removeHandler(logged);
            LOGGER.setUseParentHandlers(true);
            LOGGER.setLevel(Level.OFF);
        }
        return lines;
    }

    boolean traced() {
        return trace != null;
    }

    void note(String what) {
        if (trace != null) {
            Machine machine = world.runningMachine();
            String who = processes.stream()
                    .filter(process -> process.machine.equals(machine))
                    .map(process -> process.name)
                    .findAny()
                    .orElse("world");
            trace.accept(String.format("%9.3f %-6s %s", (world.nanoTime() - 1_000_000_000L) / 1e9, who, what));
        }
    }

    private @Nullable String run() {
        int count = domain == Domain.WIDE ? slots + 1 + random.nextInt(6) : 2 + random.nextInt(2);
        for (int i = 0; i < count; i++) {
            processes.add(newProcess());
        }
        if (domain == Domain.DISASTER) {
            new Disaster(this).play();
        } else {
            faults(domain == Domain.WIDE ? 60 : 1 + random.nextInt(8));
            endFaults();
            awaitIds();
        }
        over = true;
        processes.forEach(process -> process.machine.crash());
        world.sleep(Duration.ofMillis(1));
        oracle.requireNoDuplicates();
        tally.add(store);
        return oracle.violation();
    }

    private SimulatedProcess newProcess() {
        started++;
        return new SimulatedProcess(this, "p" + started);
    }

    /** Faults that meet often: many come at once, some after seconds. */
    void faults(int count) {
        for (int i = 0; i < count && oracle.violation() == null; i++) {
            world.sleep(Duration.ofMillis(random.nextInt(random.nextBoolean() ? 300 : 4000)));
            strike(FAULTS[random.nextInt(FAULTS.length)]);
        }
    }

    private void strike(Fault fault) {
        SimulatedProcess process = processes.get(random.nextInt(processes.size()));
        tally.faults.merge(fault, 1L, Long::sum);
        if (traced()) {
            note("FAULT " + fault + " " + process.name);
        }
        switch (fault) {
            case COORDINATOR_DOWN -> store.down = true;
            case COORDINATOR_UP -> store.down = false;
            case OWNERS_EXPIRE -> store.expireOwners();
            case PAUSE -> process.pause(Duration.ofMillis(1 + random.nextInt(20_000)));
            case CLOCK_STEP -> process.stepClock(Duration.ofMillis(random.nextInt(40_000) - 20_000));
            case CLOCK_LEAP -> process.stepClock(Duration.ofDays(random.nextInt(51_100) - 25_550));
            case CLOCK_RIGHT -> process.restoreClock();
            case CRASH -> {
                process.crash();
                processes.set(processes.indexOf(process), newProcess());
            }
            case CLOSE -> process.closeSoon();
            case INTERRUPT -> process.interrupt();
            case LOSS_HINT -> store.hintLoss();
        }
    }

    void endFaults() {
        note("the faults end");
        store.down = false;
        store.mishapsOneIn = 0;
        processes.forEach(SimulatedProcess::restoreClock);
    }

    /** As many processes as there are usable worker ids issue again, without anybody's help. */
    private void awaitIds() {
        long since = world.nanoTime();
        processes.forEach(process -> process.issuedSince = 0);
        for (int i = 0; i < 600 && oracle.violation() == null; i++) {
            world.sleep(Duration.ofMillis(500));
            long wanted = Math.min(
                    oracle.usableSlots(slots),
                    processes.stream().filter(process -> !process.isFarAhead()).count());
            if (processes.stream()
                            .filter(process -> process.issuedSince > 0 && !process.isFarAhead())
                            .count()
                    >= wanted) {
                tally.longestRecoveryNanos = Math.max(tally.longestRecoveryNanos, world.nanoTime() - since);
                return;
            }
        }
        if (oracle.violation() != null) {
            return;
        }
        oracle.violated("too few processes issue ids 5 minutes after the faults ended");
    }
}
