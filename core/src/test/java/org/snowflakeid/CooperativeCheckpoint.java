// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.util.Random;
import org.snowflakeid.VirtualWorld.Machine;

/**
 * A process that is told of the checkpoint before its memory is copied. Both copies go on after it, at any time and with any clock. Unlike
 * other copies they share no grant, so they must meet every requirement that any two processes must meet.
 */
final class CooperativeCheckpoint {

    private enum State {
        NONE,
        WANTED,
        UNDER_WAY,
        REACHED,
        RESTORED
    }

    private static final Duration LONGEST = Duration.ofSeconds(60);

    private final Machine machine;

    /** In the memory of the process. */
    private State state = State.NONE;

    CooperativeCheckpoint(Machine machine) {
        this.machine = machine;
    }

    // ---- its process, between two calls

    void meet(LeasedSnowflake ids, Watch watch) {
        if (state != State.WANTED) {
            return;
        }
        watch.checkpoints++;
        state = State.UNDER_WAY;
        try {
            ids.beforeCheckpoint();
        } catch (SnowflakeUnavailableException refused) {
            state = State.NONE;
            watch.checkpoints++;
            return;
        }
        if (state == State.UNDER_WAY) {
            state = State.REACHED;
        }
        while (state == State.REACHED) {
            machine.sleep(Duration.ofMillis(10));
        }
        restore(ids, watch);
    }

    private void restore(LeasedSnowflake ids, Watch watch) {
        boolean restored = false;
        while (!restored && !watch.process.isToClose()) {
            watch.restored();
            try {
                ids.afterRestore();
                restored = true;
            } catch (SnowflakeException e) {
                boolean unused = Thread.interrupted();
                machine.sleep(Duration.ofSeconds(1));
            }
        }
        watch.restored();
        watch.checkpoints++;
    }

    // ---- from outside

    private void become(SimulatedProcess process, State next) {
        process.machine.happen(m -> process.run.process(m).checkpoint.state = next);
    }

    /** @return whether it was reached */
    boolean reach(SimulatedProcess process) {
        become(process, State.WANTED);
        for (long waited = 0; waited < LONGEST.toMillis() && isAwaited(); waited += 50) {
            process.run.world.sleep(Duration.ofMillis(50));
        }
        if (state != State.REACHED) {
            become(process, State.NONE);
            process.run.tally.count(Tally.Count.CHECKPOINTS_REFUSED);
            return false;
        }
        process.run.tally.count(Tally.Count.CHECKPOINTS);
        return true;
    }

    /** Lets a process go on, or its copy. */
    void restore(SimulatedProcess process) {
        become(process, State.RESTORED);
    }

    /** @return whether there is a copy now */
    static boolean take(Simulation run, SimulatedProcess original, Random random) {
        if (!original.checkpoint.reach(original)) {
            return false;
        }
        Duration late = Duration.ofMillis(random.nextBoolean() ? random.nextInt(1000) : random.nextInt(100_000));
        long behindMillis = random.nextBoolean() ? 0 : random.nextInt(200_000) - 100_000;
        SimulatedProcess copy = original.copy(original.name + "'", late, behindMillis);
        run.processes.add(copy);
        SimulatedProcess first = random.nextBoolean() ? original : copy;
        original.checkpoint.restore(first);
        run.world.sleep(Duration.ofMillis(random.nextInt(random.nextBoolean() ? 1 : 30_000)));
        original.checkpoint.restore(first.equals(copy) ? original : copy);
        return true;
    }

    private boolean isAwaited() {
        return state == State.WANTED || state == State.UNDER_WAY;
    }
}
