// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.snowflakeid.HotPathScenarios.BatchesOverSwap;
import org.snowflakeid.HotPathScenarios.FailureInSwap;
import org.snowflakeid.HotPathScenarios.ServedInTheQueue;
import org.snowflakeid.HotPathScenarios.StepAhead;
import org.snowflakeid.HotPathScenarios.TwoUsedUpWindows;
import org.snowflakeid.interleaving.InstrumentedCore;
import org.snowflakeid.interleaving.Interleavings;
import org.snowflakeid.interleaving.Scenario;

/** Every scenario under every schedule of at most so many deviations, on core's own class files. */
@ExtendWith(LogTurnedOff.class)
class HotPathInterleavingsTest {

    /** The longest of those in which no mistake of {@link BrokenCoreTest} has to be found: one deviation is enough by day. */
    static final Set<Class<?>> LONG = Set.of(
            TwoUsedUpWindows.class,
            FailureInSwap.class,
            StepAhead.class,
            ServedInTheQueue.class,
            BatchesOverSwap.class);

    static final int DEVIATIONS = Integer.getInteger("deviations");

    /** The scenarios to run; all if there are none. */
    private static final Set<String> NAMED = Arrays.stream(
                    System.getProperty("scenarios", "").split(","))
            .filter(name -> !name.isEmpty())
            .collect(Collectors.toUnmodifiableSet());

    @TestFactory
    Stream<DynamicTest> holdsUnderEverySchedule() {
        return holds(type -> !LONG.contains(type), DEVIATIONS);
    }

    @TestFactory
    Stream<DynamicTest> holdsWithOneDeviationWhereMoreTakeLong() {
        return holds(LONG::contains, 1);
    }

    static Stream<DynamicTest> holds(Predicate<Class<?>> wanted, int deviations) {
        List<Class<?>> types = Arrays.stream(HotPathScenarios.class.getDeclaredClasses())
                .filter(Scenario.class::isAssignableFrom)
                .toList();
        assertThat(types).extracting(Class::getSimpleName).containsAll(NAMED);
        InstrumentedCore core = InstrumentedCore.asBuilt();
        return types.stream()
                .filter(type -> NAMED.isEmpty() || NAMED.contains(type.getSimpleName()))
                .filter(wanted)
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
