// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.snowflakeid.SimulatedSettings.Oddity;
import org.snowflakeid.Simulation.Domain;
import org.snowflakeid.Tally.Count;

/** {@link Simulation}, and the classes that its comment names, define what happens in these runs and what is checked. */
class SafetySimulationTest {

    /** {@code bin/test --quick} plays a quarter of the seeds. */
    private static final int ONE_IN = Integer.getInteger("simulation.one-in", 1);

    @Test
    void smallWorldsKeepTheirGrantsApart() throws InterruptedException {
        Tally tally = play(Domain.SMALL, 20_000);

        assertThat(tally.missing(Faults.Kind.class)).isEmpty();
        assertThat(tally.missing(Oddity.class)).isEmpty();
        assertThat(tally.missing(Accidents.Place.class)).isEmpty();
        assertThat(tally.missing(Accidents.Kind.class)).isEmpty();
        assertThat(tally.missing(Copies.Kind.class)).isEmpty();
        assertThat(tally.missing(Creeping.Kind.class)).isEmpty();
        assertThat(tally.missing(RimFaults.Kind.class)).isEmpty();
        assertThat(tally.missing(Neighbours.Kind.class)).isEmpty();
        assertThat(tally.of(Count.TAKEOVERS)).isGreaterThan(1_000 / ONE_IN);
        assertThat(tally.of(Count.RELEASES)).isGreaterThan(1_000 / ONE_IN);
        assertThat(tally.of(Count.MISHAPS)).isGreaterThan(10_000 / ONE_IN);
        assertThat(tally.of(Count.RESUMPTIONS)).isGreaterThan(100 / ONE_IN);
        assertThat(tally.of(Count.NOTES_LOST)).isGreaterThan(3 / ONE_IN);
        assertThat(tally.of(Count.CHECKPOINTS)).isGreaterThan(200 / ONE_IN);
        assertThat(tally.of(Count.CHECKPOINTS_REFUSED)).isGreaterThan(20 / ONE_IN);
        assertThat(tally.of(Count.RECOVERIES)).isEqualTo(20_000 / ONE_IN);
    }

    @Test
    void wideWorldsKeepTheirGrantsApart() throws InterruptedException {
        Tally tally = play(Domain.WIDE, 500);

        assertThat(tally.of(Count.TAKEOVERS)).isGreaterThan(1_000 / ONE_IN);
        assertThat(tally.of(Count.EXTENSIONS)).isGreaterThan(10_000 / ONE_IN);
        assertThat(tally.of(Oddity.SEVERAL_WORKER_IDS)).isGreaterThan(50 / ONE_IN);
    }

    @Test
    void whateverTheCoordinatorForgetsIsNoticedAtTheNextExtension() throws InterruptedException {
        Tally tally = play(Domain.DISASTER, 2_000);

        assertThat(tally.missing(Disaster.Kind.class)).isEmpty();
        assertThat(tally.missing(Disaster.ClockStep.class)).isEmpty();
        assertThat(tally.missing(LateWitnesses.Kind.class)).isEmpty();
        assertThat(tally.missing(Operators.Act.class)).isEmpty();
        assertThat(tally.missing(Creeping.Kind.class)).isEmpty();
        assertThat(tally.of(Count.REGRESSIONS_NOTICED)).isGreaterThan(500 / ONE_IN);
        assertThat(tally.of(Operators.Act.RESTORE)).isGreaterThan(500 / ONE_IN);
        assertThat(tally.of(Count.VOID_WRITES)).isGreaterThan(10 / ONE_IN);
        assertThat(tally.of(Count.CHECKPOINTS_REFUSED)).isGreaterThan(20 / ONE_IN);
    }

    @Test
    void aSeedGivesTheSameRunToTheLastStep() throws InterruptedException {
        List<List<String>> traces = new ArrayList<>();
        Thread.ofVirtual()
                .start(() -> {
                    traces.add(Seeds.trace(Domain.WIDE, 17));
                    traces.add(Seeds.trace(Domain.WIDE, 17));
                    traces.add(Seeds.trace(Domain.WIDE, 18));
                })
                .join();

        assertThat(traces.get(0)).hasSizeGreaterThan(200).isEqualTo(traces.get(1));
        assertThat(traces.get(0)).isNotEqualTo(traces.get(2));
    }

    private static Tally play(Domain domain, int all) throws InterruptedException {
        int seeds = all / ONE_IN;
        Tally tally = new Tally();
        AssertionError[] violation = new AssertionError[1];
        Thread.ofVirtual()
                .start(() -> {
                    try {
                        for (int seed = 0; seed < seeds; seed++) {
                            Seeds.play(domain, seed, tally);
                        }
                    } catch (AssertionError e) {
                        violation[0] = e;
                    }
                })
                .join();
        if (violation[0] != null) {
            throw violation[0];
        }
        assertThat(tally.of(Count.RUNS)).isEqualTo(seeds);
        assertThat(tally.of(Count.IDS)).isGreaterThan(1_000_000 / ONE_IN);
        return tally;
    }
}
