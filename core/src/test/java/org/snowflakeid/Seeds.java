// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Simulation.Domain;

/** Plays runs by their seeds. */
final class Seeds {

    private Seeds() {}

    /**
     * Plays one run. If it fails it is played again, with a trace.
     *
     * @throws AssertionError with the domain, the seed, what was violated, and the trace
     */
    static void play(Domain domain, long seed, Tally tally) {
        List<String> violations = violations(domain, seed, tally, null, false);
        if (!violations.isEmpty()) {
            throw new AssertionError(domain + " seed " + seed + ": " + violations.get(0) + "\n"
                    + String.join("\n", trace(domain, seed)));
        }
    }

    /** All violations in a run, which goes on after the first. */
    static List<String> violations(Domain domain, long seed, Tally tally) {
        return violations(domain, seed, tally, null, true);
    }

    /** All events of a run, one a line. */
    static List<String> trace(Domain domain, long seed) {
        List<String> lines = new ArrayList<>();
        try {
            violations(domain, seed, new Tally(), lines::add, false);
        } catch (AssertionError stuck) {
            lines.add("STUCK " + stuck.getMessage());
        }
        return lines;
    }

    private static List<String> violations(
            Domain domain, long seed, Tally tally, @Nullable Consumer<String> trace, boolean goesOn) {
        Simulation run = new Simulation(domain, seed, tally, trace, goesOn);
        try (SimulationLog log = new SimulationLog(run)) {
            log.begin();
            return run.run();
        }
    }
}
