// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.VirtualWorld.Machine;
import org.snowflakeid.records.NamespaceRecord;

/**
 * One run: the real generators of a few processes on fewer worker ids than they need, in a world where everything fails at
 * random. The domain and the seed determine the run, to the last step. {@link Oracle}, {@link Watch}, {@link WatchedCall} and {@link
 * Recovery} say what must hold.
 */
final class Simulation {

    /** How large a world is, and what happens in it. Each has seeds of its own. */
    enum Domain {
        /** 2 or 3 processes, a few worker ids, a few faults that meet. These runs find most. */
        SMALL(0),
        /** Up to 16 processes for minutes. */
        WIDE(1),
        /** A small one whose coordinator forgets what it had acknowledged, or whose operators are at work. */
        DISASTER(2);

        private final int salt;

        Domain(int salt) {
            this.salt = salt;
        }
    }

    final VirtualWorld world;
    final FakeStore store;
    final Random random;
    final SimulatedSettings simulated;
    final Tally tally;
    final Oracle oracle;
    final List<SimulatedProcess> processes = new ArrayList<>();
    private final List<SimulatedDisk> allDisks = new ArrayList<>();

    /** One in this many calls fails as no contract allows; 0: none. */
    final int accidentsOneIn;

    boolean accidentsOver;

    /** How often operators began to replace a namespace: each may have written something, whatever the outcome. */
    int operations;

    boolean over;

    private final Domain domain;
    private final @Nullable Consumer<String> trace;
    private final boolean goesOn;
    final boolean copied;

    /** Random numbers for files and for the runs that have any: separate, so that all other runs stay the same. */
    private final Random disks;

    /** Whether processes take over from others of their host. */
    final boolean resuming;

    /** Whether threads that wait for the next millisecond wake up late. */
    final boolean wakesLate;

    /** Whether some processes have half the window of others; limits for all are computed from the longer one. */
    final boolean windowsDiffer;

    /** One in this many calls to a coordinator is slow; 0: none. */
    final int slowOneIn;

    private final Operators operators;

    final Faults faults;
    final Creeping creeping;
    final RimFaults rim;

    /** Random numbers for the runs in which a process is told that it will be copied: separate, like those of disks. */
    final Random checkpoints;

    private int started;

    /**
     * @param trace receives all events, one a line
     * @param goesOn whether the run goes on after a violation, to show what else is wrong
     */
    Simulation(Domain domain, long seed, Tally tally, @Nullable Consumer<String> trace, boolean goesOn) {
        this.domain = domain;
        this.tally = tally;
        this.trace = trace;
        this.goesOn = goesOn;
        // Neighbouring seeds of java.util.Random begin alike.
        world = new VirtualWorld((seed * 4 + domain.salt) * 0x9E3779B97F4A7C15L);
        random = world.random();
        simulated = new SimulatedSettings(random, domain == Domain.WIDE, domain == Domain.DISASTER, tally);
        accidentsOneIn = random.nextInt(5) == 0 ? 5 + random.nextInt(60) : 0;
        copied = domain != Domain.DISASTER && random.nextInt(6) == 0;
        disks = new Random((seed * 4 + domain.salt) * 0xC2B2AE3D27D4EB4FL);
        checkpoints = new Random((seed * 4 + domain.salt) * 0x9FB21C651E98DF25L);
        // In a short window the file marks all ids as used.
        boolean longEnough = simulated.window.toSeconds() > 6;
        resuming = longEnough && !copied && disks.nextInt(domain == Domain.DISASTER ? 2 : 3) == 0;
        if (resuming) {
            simulated.resume();
        }
        wakesLate = disks.nextInt(4) == 0;
        if (wakesLate) {
            tally.count(SimulatedSettings.Oddity.LATE_WAKES);
        }
        boolean divisible = simulated.window.toSeconds() >= 6;
        windowsDiffer = divisible && domain != Domain.DISASTER && !copied && !resuming && disks.nextInt(4) == 0;
        if (windowsDiffer) {
            tally.count(SimulatedSettings.Oddity.WINDOWS_THAT_DIFFER);
        }
        slowOneIn = disks.nextInt(copied ? 2 : 4) == 0 ? 8 : 0;
        if (slowOneIn > 0) {
            tally.count(SimulatedSettings.Oddity.SLOW_CALLS);
        }
        Random lags = new Random((seed * 4 + domain.salt) * 0x165667B19E3779F9L);
        if (lags.nextInt(4) == 0) {
            simulated.lag(List.of(0, 1, 100, 1000).get(lags.nextInt(4)));
        }
        // Many files on a stuck disk take longer than a start may, if slow calls meet them for minutes.
        boolean slowToStart = resuming && simulated.workers > 1;
        creeping =
                new Creeping(this, new Random((seed * 4 + domain.salt) * 0x9FB21C651E98DF25L), !copied && !slowToStart);
        faults = new Faults(this, disks);
        int rimOneIn = domain == Domain.WIDE ? 2 : 3;
        rim = new RimFaults(this, new Random((seed * 4 + domain.salt) * 0xD6E8FEB86659FD93L), rimOneIn);
        oracle = new Oracle(this);
        operators = new Operators(this);
        store = operators.first().store();
        store.slowOneIn = slowOneIn;
        store.mishapsOneIn = 4 + random.nextInt(20);
        store.readsFail = random.nextInt(4) == 0;
        note("like " + store.likeness + ", tells time: " + store.tellsTime + ", extends together: "
                + store.extendsTogether + ", mishaps: one in "
                + store.mishapsOneIn + ", wakes late: " + wakesLate + ", windows differ: " + windowsDiffer
                + ", of reads: " + store.readsFail + ", slow: one in " + slowOneIn + ", accidents: "
                + accidentsOneIn
                + ", a process is copied: " + copied + ", a clock creeps: " + creeping + ", " + simulated);
    }

    /** Where a coordinator of its own may be. */
    FakeStore newStore() {
        FakeStore made = new FakeStore(world);
        made.likeness = switch (random.nextInt(3)) {
            case 0 -> FakeStore.Likeness.ETCD;
            case 1 -> FakeStore.Likeness.ZOOKEEPER;
            default -> FakeStore.Likeness.RECORDS;
        };
        made.tellsTime = random.nextBoolean() || made.likeness == FakeStore.Likeness.RECORDS || creeping.happens();
        made.extendsTogether = random.nextBoolean();
        made.observer = (writer, id, before, after) -> oracle.markWritten(made, writer, id, before, after);
        made.metaObserver = written -> operators().metaWritten(made, written);
        if (trace != null) {
            made.trace = this::note;
        }
        return made;
    }

    private Operators operators() {
        return operators;
    }

    boolean traced() {
        return trace != null;
    }

    void note(String what) {
        if (trace != null) {
            Machine machine = world.runningMachine();
            SimulatedProcess process = machine == null ? null : oracle.process(machine);
            if (process == null || !machine.isBeingCopied()) {
                trace.accept(String.format(
                        "%9.3f %-6s %s",
                        (world.trueMillis() - VirtualWorld.BEGIN.toEpochMilli()) / 1e3,
                        process == null ? "world" : process.name,
                        what));
            }
        }
    }

    /** A process warns in the log. */
    void warned(String text) {
        Machine machine = world.runningMachine();
        SimulatedProcess process = machine == null ? null : oracle.process(machine);
        if (process != null) {
            process.watch().warned(text);
        }
    }

    long trueTick() {
        return simulated.tickOf(world.trueMillis());
    }

    SimulatedProcess process(Machine machine) {
        return oracle.process(machine);
    }

    /** Where a process is to claim worker ids. */
    Place place(SimulatedProcess process) {
        return operators.place(process);
    }

    boolean isToBeCopied(SimulatedProcess process) {
        return copied && process.name.equals("p1");
    }

    boolean isGoingOn() {
        return goesOn || oracle.violations().isEmpty();
    }

    /** Returns the violations in order; empty: all is well. */
    List<String> run() {
        int fit = simulated.ids / simulated.workers;
        int count = domain == Domain.WIDE ? fit + 1 + random.nextInt(6) : 2 + random.nextInt(2);
        SimulatedDisk disk = newDisk();
        if (domain == Domain.DISASTER) {
            // A namespace created fenced would have its first ids only after the disaster.
            SnowflakeLayout layout = SnowflakeSettings.of(simulated.keys).layout();
            store.putMeta(NamespaceRecord.create("first", layout, simulated.window, 0, world.trueTime()));
        }
        for (int i = 0; i < count; i++) {
            disk = disks.nextInt(3) == 0 ? disk : newDisk();
            processes.add(newProcess(disk));
        }
        if (domain == Domain.DISASTER) {
            new Disaster(this, operators, disks).play();
        } else {
            creeping.play();
            faults.play(domain == Domain.WIDE ? 60 : 1 + random.nextInt(8));
            endFaults();
            new Recovery(this).await();
            if (rim.are(RimFaults.Kind.SHARED_CONNECTION) && isGoingOn()) {
                tally.count(RimFaults.Kind.SHARED_CONNECTION);
                new Neighbours(this, disks).play();
            }
        }
        over = true;
        oracle.allProcesses().forEach(process -> process.machine.crash());
        world.sleep(Duration.ofMillis(1));
        oracle.requireNoDuplicates();
        operators.stores().forEach(each -> {
            tally.count(Tally.Count.WRITES, each.writes);
            tally.count(Tally.Count.MISHAPS, each.mishaps);
            tally.count(Tally.Count.SLOW_CALLS, each.slowCalls);
        });
        allDisks.forEach(each -> {
            tally.count(Tally.Count.RESUMPTIONS, each.takeovers);
            tally.count(Tally.Count.NOTES_LOST, each.losses);
        });
        tally.count(Tally.Count.RUNS);
        return oracle.violations();
    }

    SimulatedProcess newProcess(SimulatedDisk disk) {
        started++;
        return new SimulatedProcess(this, "p" + started, disk);
    }

    private SimulatedDisk newDisk() {
        SimulatedDisk disk = new SimulatedDisk(world);
        disk.random = disks;
        disk.slowestNanos = disks.nextInt(4) == 0 ? 4_000_000_000L : 20_000_000;
        disk.failuresOneIn = disks.nextInt(3) == 0 ? 2 + disks.nextInt(20) : 0;
        disk.dead = disks.nextInt(8) == 0;
        disk.hasDescriptors = machine -> !rim.isWithoutDescriptors(machine);
        disk.reader = (machine, note) -> oracle.noteRead(process(machine), note);
        disk.written = machine -> process(machine).watch().diskAnswered();
        allDisks.add(disk);
        return disk;
    }

    void endFaults() {
        note("the faults end");
        store.down = false;
        store.mishapsOneIn = 0;
        store.slowOneIn = 0;
        accidentsOver = true;
        allDisks.forEach(SimulatedDisk::repair);
        rim.end();
        creeping.end();
    }
}
