// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** What goes wrong in a run, at random, with processes, their hosts, and the way to the coordinator. */
final class Faults {

    enum Kind {
        COORDINATOR_DOWN,
        COORDINATOR_UP,
        OWNERS_EXPIRE,
        PAUSE,
        CLOCK_STEP,
        CLOCK_LEAP,
        CLOCK_RIGHT,
        CRASH,
        /** All processes crash: new ones then find all worker ids held by those. */
        CRASH_OF_ALL,
        CLOSE,
        INTERRUPT,
        LOSS_HINT
    }

    private static final Kind[] KINDS = Kind.values();

    private final Simulation run;
    private final Random disks;
    private final Map<SimulatedDisk, Map<Integer, Map<Long, SimulatedDisk.File>>> copiesOfDisks = new HashMap<>();

    Faults(Simulation run, Random disks) {
        this.run = run;
        this.disks = disks;
    }

    /** Plays faults that often coincide: many come at once, some after seconds. */
    void play(int count) {
        int copyAt = run.copied ? run.random.nextInt(count) : -1;
        for (int i = 0; i < count && run.isGoingOn(); i++) {
            run.world.sleep(Duration.ofMillis(run.random.nextInt(run.random.nextBoolean() ? 300 : 4000)));
            if (i == copyAt) {
                copy();
            }
            strike(KINDS[run.random.nextInt(KINDS.length)]);
            run.rim.mayStrike();
        }
    }

    /** Makes a copy. From then on faults strike the copy, which has to recover. */
    private void copy() {
        SimulatedProcess original = run.processes.get(0);
        if (run.isToBeCopied(original) && run.checkpoints.nextBoolean()) {
            run.note("CHECKPOINT " + original.name);
            boolean unused = CooperativeCheckpoint.take(run, original, run.checkpoints);
        } else if (run.isToBeCopied(original)) {
            Copies.Kind[] kinds = Copies.Kind.values();
            Copies.Kind kind = kinds[run.random.nextInt(kinds.length)];
            run.note("COPY " + kind + " " + original.name);
            run.processes.add(run.oracle.copies.copy(original, kind));
            if (kind == Copies.Kind.LATE_AND_BEHIND && disks.nextInt(3) > 0) {
                resumeUndisturbed(run.processes.get(run.processes.size() - 1));
            }
        }
    }

    /** Lets a copy run before its clock is set again: its first answers, by which it may learn how late it is, are slow. */
    private void resumeUndisturbed(SimulatedProcess copy) {
        run.store.slowOneIn = run.slowOneIn > 0 ? 2 : 0;
        run.world.sleep(copy.machine.pauseLeft().plusMillis(disks.nextInt(8000)));
        run.store.slowOneIn = run.slowOneIn;
    }

    private void strike(Kind kind) {
        SimulatedProcess process = run.processes.get(run.random.nextInt(run.processes.size()));
        run.tally.count(kind);
        if (run.traced()) {
            run.note("FAULT " + kind + " " + process.name);
        }
        switch (kind) {
            case COORDINATOR_DOWN -> run.store.down = true;
            case COORDINATOR_UP -> run.store.down = false;
            case OWNERS_EXPIRE -> run.store.expireOwners();
            case PAUSE -> pause(process);
            case CLOCK_STEP -> process.stepClock(Duration.ofMillis(run.random.nextInt(40_000) - 20_000));
            case CLOCK_LEAP -> process.stepClock(Duration.ofDays(run.random.nextInt(51_100) - 25_550));
            case CLOCK_RIGHT -> process.restoreClock();
            case CRASH -> crash(process);
            case CRASH_OF_ALL -> List.copyOf(run.processes).forEach(this::crash);
            case CLOSE -> process.closeSoon();
            case INTERRUPT -> process.interrupt();
            case LOSS_HINT -> run.store.hintLoss();
        }
    }

    private void pause(SimulatedProcess process) {
        process.pause(Duration.ofMillis(1 + run.random.nextInt(20_000)));
        SimulatedProcess next = run.processes.get((run.processes.indexOf(process) + 1) % run.processes.size());
        if (run.resuming && !next.equals(process) && disks.nextInt(2) == 0) {
            // Another process starts on its host, and may take this one for ended.
            next.crash();
            run.store.down = true;
            run.processes.set(run.processes.indexOf(next), run.newProcess(process.disk));
        }
    }

    private void crash(SimulatedProcess process) {
        process.crash();
        if (run.resuming && disks.nextInt(3) > 0) {
            run.store.down = true;
        }
        if (run.resuming) {
            tamper(process.disk);
        }
        run.processes.set(run.processes.indexOf(process), run.newProcess(process.disk));
    }

    /** An operator copies the folder of a host, puts the copy back, or deletes all of it, while processes use it. */
    private void tamper(SimulatedDisk disk) {
        switch (disks.nextInt(12)) {
            case 0 -> copiesOfDisks.put(disk, disk.copy());
            case 1 -> {
                if (copiesOfDisks.containsKey(disk)) {
                    run.note("notes are put back");
                    disk.putBack(copiesOfDisks.get(disk));
                }
            }
            case 2 -> {
                run.note("notes are deleted");
                disk.wipe();
            }
            default -> {}
        }
    }
}
