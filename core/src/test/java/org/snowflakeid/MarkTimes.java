// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.VirtualWorld.Machine;
import org.snowflakeid.records.Mark;

/** How far ahead of the time marks are raised, by clocks that are right and by those that are not. */
final class MarkTimes {

    /** How late a coordinator's time may reach the process that asked for it. */
    private static final long REFERENCE_AGE_MILLIS = 5000;

    private final Simulation run;
    private final SimulatedSettings settings;
    private final List<WrongTime> wrongTimes = new ArrayList<>();

    /** A mark written by a clock that is ahead. It confirms other clocks that are as far ahead, even once it is overwritten. */
    private record WrongTime(FakeStore store, @Nullable Machine writer, long nanos, long aheadMillis) {}

    MarkTimes(Simulation run) {
        this.run = run;
        settings = run.simulated;
    }

    void written(FakeStore store, @Nullable Machine writer, int id, @Nullable Mark before, Mark after) {
        SimulatedProcess process = writer == null ? null : run.process(writer);
        if (process == null || process.clockTouched) {
            long clockAhead = after.at().toEpochMilli() - run.world.trueMillis();
            if (clockAhead > 0) {
                wrongTimes.add(new WrongTime(store, writer, run.world.nanoTime(), clockAhead));
            }
        }
        if (after.limit() > (before == null ? 0 : before.limit()) && process != null) {
            requireRightTime(store, process, id, before, after);
        }
    }

    /**
     * No clock carries a mark further than the time, where the coordinator tells it, or where a process with a right clock has been
     * there since before this one's clock was moved.
     */
    private void requireRightTime(
            FakeStore store, SimulatedProcess process, int id, @Nullable Mark before, Mark after) {
        long ahead = after.limit() - run.trueTick();
        if (store.tellsTime) {
            boolean claim = after.count() == 0;
            run.oracle.require(
                    ahead <= furthestByWitness(process, claim),
                    "raised " + ahead + " ms ahead of the time, which may be " + furthestByWitness(process, claim),
                    id,
                    before,
                    after);
            return;
        }
        if (ahead <= furthest(process)) {
            return;
        }
        if (ahead > furthest(process) + settings.window.toMillis()
                && isContradicted(store, process)
                && !isConfirmed(store, process, ahead - furthest(process))) {
            run.oracle.require(false, "raised " + ahead + " ms ahead of the time that others tell", id, before, after);
        }
    }

    private boolean isContradicted(FakeStore store, SimulatedProcess process) {
        boolean contradicted = false;
        for (int id : store.owners.keySet()) {
            FakeStore.Held held = store.held(id);
            SimulatedProcess other = held == null ? null : run.process(held.machine());
            // The original of a copy is no witness against it either: both have the same name.
            if (other == null || other.machine.process().equals(process.machine.process())) {
                continue;
            }
            if (other.clockTouched) {
                return false;
            }
            // A peer that came after the start's look contradicts it only at a later look.
            boolean seen = !process.clockTouchedAtStart || process.watch().beganAfter(held.sinceNanos());
            contradicted |= seen && held.sinceNanos() < process.clockFirstTouchedNanos;
        }
        return contradicted && process.clockTouched;
    }

    private boolean isConfirmed(FakeStore store, SimulatedProcess process, long aheadMillis) {
        return wrongTimes.stream()
                .anyMatch(wrong -> wrong.store == store
                        && wrong.writer != process.machine
                        && (process.clockTouchedAtStart || wrong.nanos > process.clockFirstTouchedNanos)
                        && wrong.aheadMillis + settings.window.toMillis() / 3 >= aheadMillis);
    }

    /** Whatever the process's clocks did, a grant is reckoned by a time that the coordinator has confirmed. Restores rely on it. */
    private long furthestByWitness(SimulatedProcess process, boolean claim) {
        long window = settings.window.toMillis();
        return settings.maxSkew.toMillis()
                + process.driftedMillis()
                + window
                + (claim ? window + settings.burst.toMillis() : 0)
                + 100;
    }

    /** A claim begins at most one window ahead, and reserves one window. */
    private long furthest(SimulatedProcess process) {
        return process.unvettedMillis
                + settings.maxSkew.toMillis()
                + REFERENCE_AGE_MILLIS
                + 2 * settings.window.toMillis()
                + settings.burst.toMillis()
                + 100;
    }
}
