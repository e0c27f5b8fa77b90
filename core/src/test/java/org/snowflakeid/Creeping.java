// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** One process's clock goes wrong little by little, for minutes, while ids are issued and nothing else happens to clocks. */
final class Creeping {

    enum Kind {
        STEPS_AHEAD,
        STEPS_BACK,
        /** Both clocks of a machine run fast, so that neither shows the other to be wrong. */
        FAST,
        SLOW;

        private boolean isDrift() {
            return this == FAST || this == SLOW;
        }

        private int sign() {
            return this == STEPS_AHEAD || this == FAST ? 1 : -1;
        }
    }

    private final Simulation run;

    /** Separate random numbers, so that the runs in which no clock creeps stay the same. */
    private final Random random;

    private final @Nullable Kind kind;

    /** @param possible whether a clock may creep in this run */
    Creeping(Simulation run, Random random, boolean possible) {
        this.run = run;
        this.random = random;
        kind = possible && random.nextInt(8) == 0 ? draw() : null;
    }

    /** Draws a drift only where the allowed skew is small: it takes long to exceed that. */
    private Kind draw() {
        boolean drifts = run.simulated.maxSkew.toSeconds() == 1 && random.nextBoolean();
        boolean ahead = random.nextInt(4) > 0;
        return drifts ? (ahead ? Kind.FAST : Kind.SLOW) : ahead ? Kind.STEPS_AHEAD : Kind.STEPS_BACK;
    }

    /** Whether a clock creeps in this run. */
    boolean happens() {
        return kind != null;
    }

    void play() {
        Kind how = kind;
        if (how == null) {
            return;
        }
        SimulatedProcess process = run.processes.get(random.nextInt(run.processes.size()));
        run.note("CREEP " + how + " " + process.name);
        run.tally.count(how);
        if (how.isDrift()) {
            long ppm = 500 + random.nextLong(1_400);
            process.drift(how.sign() * ppm);
            run.world.sleep(Duration.ofMinutes(10 + random.nextInt(40)));
            return;
        }
        for (int steps = 10 + random.nextInt(50); steps > 0 && run.isGoingOn(); steps--) {
            step(process, how.sign());
        }
    }

    private void step(SimulatedProcess process, int sign) {
        long most = run.simulated.maxSkew.toMillis();
        process.stepClock(Duration.ofMillis(sign * (most / 10 + random.nextLong(most * 9 / 10))));
        run.world.sleep(Duration.ofMillis(random.nextLong(run.simulated.window.toMillis())));
    }

    void end() {
        run.processes.forEach(SimulatedProcess::restoreClock);
    }

    @Override
    public String toString() {
        return String.valueOf(kind);
    }
}
