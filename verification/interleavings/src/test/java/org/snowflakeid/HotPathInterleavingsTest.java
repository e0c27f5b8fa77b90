// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.Arrays;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.snowflakeid.interleaving.InstrumentedCore;
import org.snowflakeid.interleaving.Interleavings;
import org.snowflakeid.interleaving.Scenario;

/** Every scenario under every schedule of at most so many deviations, on core's own class files. */
class HotPathInterleavingsTest {

    private static final Logger LOG = Logger.getLogger("org.snowflakeid");

    @BeforeAll
    static void quiet() {
        LOG.setLevel(Level.OFF);
    }

    @AfterAll
    static void restore() {
        LOG.setLevel(null);
    }

    @TestFactory
    Stream<DynamicTest> holdsUnderEverySchedule() {
        int deviations = Integer.getInteger("deviations");
        InstrumentedCore core = InstrumentedCore.asBuilt();
        return Arrays.stream(HotPathScenarios.class.getDeclaredClasses())
                .filter(Scenario.class::isAssignableFrom)
                .map(type -> type.asSubclass(Scenario.class))
                .map(type -> dynamicTest(type.getSimpleName(), () -> {
                    long began = System.nanoTime();
                    Interleavings.Result result = Interleavings.explore(deviations, core.scenarios(type));
                    System.out.printf(
                            "%-24s %,11d schedules, up to %d deviations, %.1f s%n",
                            type.getSimpleName(), result.schedules(), deviations, (System.nanoTime() - began) / 1e9);

                    assertThat(result.violation()).isNull();
                    assertThat(result.schedules()).isGreaterThan(50);
                }));
    }
}
