// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Simulation.Domain;

/** What happens in these runs, and what is checked, is told in {@link Simulation} and {@link Oracle}. */
class SafetySimulationTest {

    @AfterAll
    static void logsAgain() {
        Logger.getLogger(LeasedSnowflake.class.getName()).setLevel((Level) null);
    }

    @Test
    void smallWorldsKeepTheirGrantsApart() throws InterruptedException {
        Tally tally = play(Domain.SMALL, 20_000);

        assertThat(tally.faults).hasSize(Simulation.Fault.values().length);
        assertThat(tally.takeovers).isGreaterThan(1_000);
        assertThat(tally.releases).isGreaterThan(1_000);
        assertThat(tally.mishaps).isGreaterThan(10_000);
    }

    @Test
    void wideWorldsKeepTheirGrantsApart() throws InterruptedException {
        Tally tally = play(Domain.WIDE, 500);

        assertThat(tally.takeovers).isGreaterThan(1_000);
        assertThat(tally.extensions).isGreaterThan(10_000);
    }

    @Test
    void whateverTheCoordinatorForgetsIsNoticedAtTheNextExtension() throws InterruptedException {
        Tally tally = play(Domain.DISASTER, 2_000);

        assertThat(tally.disasters).hasSize(Disaster.Kind.values().length);
        assertThat(tally.regressions).isGreaterThan(500);
        assertThat(tally.restored).isGreaterThan(500);
    }

    @Test
    void aSeedGivesTheSameRunToTheLastStep() throws InterruptedException {
        List<List<String>> traces = new ArrayList<>();
        Thread.ofVirtual()
                .start(() -> {
                    traces.add(Simulation.trace(Domain.WIDE, 17));
                    traces.add(Simulation.trace(Domain.WIDE, 17));
                    traces.add(Simulation.trace(Domain.WIDE, 18));
                })
                .join();

        assertThat(traces.get(0)).hasSizeGreaterThan(1_000).isEqualTo(traces.get(1));
        assertThat(traces.get(0)).isNotEqualTo(traces.get(2));
    }

    private Tally play(Domain domain, int seeds) throws InterruptedException {
        Tally tally = new Tally();
        AssertionError[] violation = new AssertionError[1];
        Thread.ofVirtual()
                .start(() -> {
                    try {
                        for (int seed = 0; seed < seeds; seed++) {
                            Simulation.play(domain, seed, tally);
                        }
                    } catch (AssertionError e) {
                        violation[0] = e;
                    }
                })
                .join();
        if (violation[0] != null) {
            throw violation[0];
        }
        assertThat(tally.runs).isEqualTo(seeds);
        assertThat(tally.ids).isGreaterThan(1_000_000);
        return tally;
    }
}
