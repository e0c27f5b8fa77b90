// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.VirtualWorld.Machine;

/** Failures, for a while, of what a process takes for granted: in some runs one of these happens, several times. */
final class RimFaults {

    enum Kind {
        /** The coordinator's answer to a call never comes, and the call heeds neither its timeout nor an interrupt. */
        CALLS_THAT_DO_NOT_END,
        /** The process can't open anything: no connection, no file, not even the kernel's source of random numbers. */
        NO_DESCRIPTORS,
        /** No operation on the disk ends. */
        HANGING_DISK,
        /** A clock that is set every few seconds, to and fro or all one way. */
        CLOCK_STEPS_IN_A_ROW,
        /** A process stands still, and when it goes on its clock shows the time that a call saw last. */
        CLOCK_BACK_TO_THE_LAST_LOOK,
        /** See {@link Neighbours}, which run by themselves, after all other faults. */
        SHARED_CONNECTION
    }

    private static final Kind[] KINDS = Kind.values();

    /** One in this many hanging calls never ends. */
    private static final int NEVER_ONE_IN = 4;

    private static final long LOOK_MILLIS = 1_000;

    private final Simulation run;

    /** Separate random numbers, so that the runs in which none of these happens stay the same. */
    private final Random random;

    /** The fault of this run; null: none. */
    private final @Nullable Kind kind;

    /** Until when each machine is struck, by the world's time. */
    private final Map<Machine, Long> struckUntilNanos = new HashMap<>();

    private final Map<Machine, Integer> hanging = new HashMap<>();

    /** Whether requests need descriptors too, as where each has a connection of its own. */
    private final boolean requestsNeedDescriptors;

    private boolean ended;

    RimFaults(Simulation run, Random random, int oneIn) {
        this.run = run;
        this.random = random;
        Kind drawn = random.nextInt(oneIn) == 0 ? KINDS[random.nextInt(KINDS.length)] : null;
        boolean impossible = run.resuming ? drawn == Kind.SHARED_CONNECTION : drawn == Kind.HANGING_DISK;
        kind = impossible ? null : drawn;
        requestsNeedDescriptors = random.nextBoolean();
    }

    boolean are(Kind wanted) {
        return kind == wanted;
    }

    /** Strikes or not, beside whatever else happens. */
    void mayStrike() {
        if (kind == null || kind == Kind.SHARED_CONNECTION || random.nextInt(3) == 0) {
            return;
        }
        SimulatedProcess process = run.processes.get(random.nextInt(run.processes.size()));
        if (kind == Kind.NO_DESCRIPTORS && run.isToBeCopied(process)) {
            // A copy would have to fail as its original did.
            return;
        }
        run.tally.count(kind);
        run.note("FAULT " + kind + " " + process.name);
        Duration lasts = Duration.ofMillis(1_000 + random.nextInt(random.nextInt(4) == 0 ? 60_000 : 20_000));
        switch (kind) {
            case CALLS_THAT_DO_NOT_END, NO_DESCRIPTORS -> strike(process.machine, lasts);
            case HANGING_DISK -> {
                process.disk.hangs = true;
                run.world.later(lasts, () -> process.disk.hangs = false);
            }
            case CLOCK_STEPS_IN_A_ROW -> stepInARow(process, 3 + random.nextInt(15));
            case CLOCK_BACK_TO_THE_LAST_LOOK -> backToTheLastLook(process);
            case SHARED_CONNECTION -> {}
        }
        if (random.nextBoolean()) {
            run.world.sleep(Duration.ofMillis(random.nextInt(20_000)));
        }
    }

    /** From now on nothing fails, but for calls that never end. */
    void end() {
        ended = true;
    }

    private void strike(Machine machine, Duration lasts) {
        struckUntilNanos.put(machine, run.world.nanoTime() + lasts.toNanos());
    }

    private boolean isStruck(Machine machine, Kind by) {
        return kind == by && !ended && struckUntilNanos.getOrDefault(machine, 0L) > run.world.nanoTime();
    }

    /** Whether no such fault affects a process now. */
    boolean spares(Machine machine) {
        return hanging(machine) == 0 && struckUntilNanos.getOrDefault(machine, 0L) <= run.world.nanoTime();
    }

    // ---- calls that don't end

    boolean mayHang(Machine machine) {
        return isStruck(machine, Kind.CALLS_THAT_DO_NOT_END) && random.nextInt(4) > 0;
    }

    /** Hangs for as long as the fault lasts, or for ever. */
    void hang(Machine machine) {
        boolean forEver = random.nextInt(NEVER_ONE_IN) == 0;
        run.note(forEver ? "a call will never end" : "a call hangs");
        hanging.merge(machine, 1, Integer::sum);
        while (forEver || isStruck(machine, Kind.CALLS_THAT_DO_NOT_END)) {
            run.world.sleep(Duration.ofMillis(LOOK_MILLIS));
        }
        hanging.merge(machine, -1, Integer::sum);
    }

    /** Calls of a process that have not ended: nothing can end their threads. */
    int hanging(Machine machine) {
        return hanging.getOrDefault(machine, 0);
    }

    // ---- no descriptors

    boolean isWithoutDescriptors(Machine machine) {
        return isStruck(machine, Kind.NO_DESCRIPTORS);
    }

    boolean isWithoutRequests(Machine machine) {
        return requestsNeedDescriptors && isWithoutDescriptors(machine);
    }

    static IOException tooManyOpenFiles() {
        return new IOException("too many open files");
    }

    void requireRandomness(Machine machine) {
        if (isWithoutDescriptors(machine)) {
            throw new UncheckedIOException(tooManyOpenFiles());
        }
    }

    // ---- clocks

    private void stepInARow(SimulatedProcess process, int times) {
        long most = run.simulated.maxSkew.toMillis();
        long millis = random.nextBoolean() ? 2_000 : most / 10 + random.nextLong(2 * most);
        boolean toAndFro = random.nextBoolean();
        step(process, random.nextBoolean() ? millis : -millis, toAndFro, times);
    }

    private void step(SimulatedProcess process, long millis, boolean toAndFro, int times) {
        if (ended || times == 0 || process.machine.isCrashed()) {
            return;
        }
        process.stepClock(Duration.ofMillis(millis));
        run.world.later(Duration.ofSeconds(3), () -> step(process, toAndFro ? -millis : millis, toAndFro, times - 1));
    }

    /** Sets the clock at the moment when all that waited meanwhile goes on. */
    private void backToTheLastLook(SimulatedProcess process) {
        process.pause(run.simulated.maxSkew.plusMillis(10 + random.nextInt(3_000)));
        run.world.later(process.machine.pauseLeft(), () -> {
            long looked = process.watch().steps.lastLookMillis();
            if (!ended && !process.machine.isCrashed() && looked > 0) {
                process.stepClock(Duration.ofMillis(looked - process.machine.wallNow()));
            }
        });
    }
}
