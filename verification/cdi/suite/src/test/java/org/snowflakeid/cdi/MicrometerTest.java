// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;

/** What snowflake-metrics tells an application's Micrometer. */
class MicrometerTest {

    @Dependent
    static class Shop {
        @Inject
        Snowflake ids;

        @Inject
        @SnowflakeName("orders")
        Snowflake orders;
    }

    @Dependent
    static class Registry {
        @Produces
        @Singleton
        static MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }
    }

    @Dependent
    static class AnotherRegistry {
        @Produces
        @Singleton
        static MeterRegistry another() {
            return new SimpleMeterRegistry();
        }
    }

    @Dependent
    static class BrokenRegistry {
        @Produces
        @Singleton
        static MeterRegistry registry() {
            throw new IllegalStateException("no exporter");
        }
    }

    /** With the bean of the module. Weld finds it by itself; OpenWebBeans is told here not to look for beans. */
    static Application start(Class<?>... beans) {
        if (isPresent("org.jboss.weld.environment.se.Weld")) {
            return Application.of(beans);
        }
        try {
            Class<?> binding = Class.forName("org.snowflakeid.metrics.ClaimedGenerators");
            return Application.of(
                    Stream.concat(Stream.of(beans), Stream.of(binding)).toArray(Class<?>[]::new));
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isPresent(String className) {
        try {
            Class.forName(className, false, MicrometerTest.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static Set<String> generators(MeterRegistry registry) {
        return registry.getMeters().stream()
                .map(meter -> String.valueOf(meter.getId().getTag("snowflake.generator")))
                .collect(Collectors.toSet());
    }

    private static double ids(MeterRegistry registry, String generator) {
        return registry.get("snowflake.ids")
                .tag("snowflake.generator", generator)
                .functionCounter()
                .count();
    }

    @Test
    void isShownEachGenerator() {
        try (Application application = start(Shop.class, Registry.class)) {
            MeterRegistry registry = application.get(MeterRegistry.class);

            application.get(Shop.class).ids.nextIds(1_000);
            application.get(Shop.class).orders.nextId();

            assertThat(registry.getMeters()).hasSize(16);
            assertThat(ids(registry, "default")).isEqualTo(1_000);
            assertThat(ids(registry, "orders")).isEqualTo(1);
        }
    }

    @Test
    void forgetsAGeneratorThatIsClosed() {
        try (Application application = start(Shop.class, Registry.class)) {
            Generators.destroy(application.get(Shop.class).orders);

            assertThat(generators(application.get(MeterRegistry.class))).containsExactly("default");
        }
    }

    @Test
    void forgetsAllWhenTheApplicationEnds() {
        MeterRegistry registry;
        try (Application application = start(Shop.class, Registry.class)) {
            registry = application.get(MeterRegistry.class);
            assertThat(generators(registry)).containsExactlyInAnyOrder("default", "orders");
        }

        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void isNotNeeded() {
        try (Application application = start(Shop.class)) {
            assertThat(application.get(Shop.class).ids.nextId()).isPositive();
        }
    }

    @Test
    void isNotWorthAStart() {
        try (Warnings warnings = new Warnings("snowflake '");
                Application application = start(Shop.class, BrokenRegistry.class)) {
            assertThat(application.get(Shop.class).ids.nextId()).isPositive();
            assertThat(warnings.all().filter(warning -> warning.contains("observer of ClaimedGenerator failed")))
                    .hasSize(2)
                    .anyMatch(warning -> warning.startsWith("snowflake 'default': "))
                    .anyMatch(warning -> warning.startsWith("snowflake 'orders': "));
        }
    }

    @Test
    void isNotChosenAmongSeveral() {
        try (Warnings warnings = new Warnings("snowflake '");
                Application application = start(Shop.class, Registry.class, AnotherRegistry.class)) {
            assertThat(application.get(Shop.class).ids.nextId()).isPositive();
            assertThat(warnings.all().filter(warning -> warning.contains("several beans of MeterRegistry")))
                    .hasSize(2)
                    .anyMatch(warning -> warning.startsWith("snowflake 'default': "))
                    .anyMatch(warning -> warning.startsWith("snowflake 'orders': "));
        }
    }
}
