// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.DoublePointData;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.PointData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;
import org.snowflakeid.tck.Stopwatch;

/** The gauges that an application's OpenTelemetry shows. */
class GaugesTest {

    @Dependent
    static class Shop {
        @Inject
        Snowflake ids;

        @Inject
        @SnowflakeName("orders")
        Snowflake orders;
    }

    @Singleton
    static class Telemetry {
        private final InMemoryMetricReader reader = InMemoryMetricReader.create();

        @Produces
        @Singleton
        OpenTelemetry openTelemetry() {
            SdkMeterProvider meters =
                    SdkMeterProvider.builder().registerMetricReader(reader).build();
            return OpenTelemetrySdk.builder().setMeterProvider(meters).build();
        }

        /** The name and unit of each gauge, and its value for a generator. */
        Map<String, Double> collect(String generator) {
            Map<String, Double> values = new HashMap<>();
            for (MetricData metric : reader.collectAllMetrics()) {
                for (PointData point : metric.getData().getPoints()) {
                    if (generator.equals(point.getAttributes().get(AttributeKey.stringKey("snowflake.generator")))) {
                        values.put((metric.getName() + " " + metric.getUnit()).strip(), value(point));
                    }
                }
            }
            return values;
        }

        private static double value(PointData point) {
            return point instanceof LongPointData number ? number.getValue() : ((DoublePointData) point).getValue();
        }
    }

    @Test
    void showEachGenerator() {
        try (Application application = Application.of(Shop.class, Telemetry.class)) {
            for (String generator : new String[] {"default", "orders"}) {
                Map<String, Double> values = application.get(Telemetry.class).collect(generator);

                assertThat(values)
                        .containsOnlyKeys(
                                "snowflake.ready",
                                "snowflake.drift s",
                                "snowflake.reserved s",
                                "snowflake.ids {id}",
                                "snowflake.waits {call}",
                                "snowflake.waits.time s",
                                "snowflake.extensions {extension}",
                                "snowflake.extensions.time s",
                                "snowflake.extensions.failed {extension}",
                                "snowflake.swaps {swap}")
                        .containsEntry("snowflake.ready", 1.0)
                        .containsEntry("snowflake.drift s", 0.0);
                assertThat(values.get("snowflake.reserved s")).isBetween(1.0, 60.0);
            }
        }
    }

    @Test
    void showHowFarABurstRanAhead() throws Exception {
        try (Application application = Application.with("snowflake.burst=PT5S").of(Shop.class, Telemetry.class)) {
            Snowflake ids = application.get(Shop.class).ids;
            // The ids of almost three seconds: the clock catches up with a thread that takes as long.
            Stopwatch.unlessHeldUp(Duration.ofSeconds(2), (number, stopwatch) -> {
                for (int i = 0; i < 12; i++) {
                    ids.nextIds(1_000_000);
                }

                assertThat(application.get(Telemetry.class).collect("default").get("snowflake.drift s"))
                        .isBetween(0.1, 5.0);
            });
        }
    }

    @Test
    void countIdsOfEachGeneratorByItself() {
        try (Application application = Application.of(Shop.class, Telemetry.class)) {
            application.get(Shop.class).ids.nextIds(1_000);
            application.get(Shop.class).orders.nextId();

            Telemetry telemetry = application.get(Telemetry.class);
            assertThat(telemetry.collect("default")).containsEntry("snowflake.ids {id}", 1_000.0);
            assertThat(telemetry.collect("orders")).containsEntry("snowflake.ids {id}", 1.0);
        }
    }

    @Test
    void endWithTheirGenerator() {
        try (Application application = Application.of(Shop.class, Telemetry.class)) {
            Generators.destroy(application.get(Shop.class).orders);

            assertThat(application.get(Telemetry.class).collect("orders")).isEmpty();
            assertThat(application.get(Telemetry.class).collect("default")).isNotEmpty();
        }
    }

    @Dependent
    static class BrokenTelemetry {
        @Produces
        @Singleton
        static OpenTelemetry openTelemetry() {
            throw new IllegalStateException("no exporter");
        }
    }

    @Test
    void areNotWorthAStart() {
        try (Application application = Application.of(Shop.class, BrokenTelemetry.class)) {
            assertThat(application.get(Shop.class).ids.nextId()).isPositive();
        }
    }

    @Dependent
    static class TelemetryOfAnotherVersion {
        @Produces
        @Singleton
        static OpenTelemetry openTelemetry() {
            return (OpenTelemetry) Proxy.newProxyInstance(
                    OpenTelemetry.class.getClassLoader(),
                    new Class<?>[] {OpenTelemetry.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("getMeter")) {
                            throw new NoSuchMethodError("Meter OpenTelemetry.getMeter(String)");
                        }
                        return method.invoke(OpenTelemetry.noop(), arguments);
                    });
        }
    }

    @Test
    void areNotWorthAStartIfTheyAreOfAnotherVersion() {
        try (Warnings warnings = new Warnings("snowflake: no metrics");
                Application application = Application.of(Shop.class, TelemetryOfAnotherVersion.class)) {
            assertThat(application.get(Shop.class).ids.nextId()).isPositive();
            assertThat(application.get(Shop.class).orders.nextId()).isPositive();
            assertThat(warnings.all()).hasSize(1);
        }
    }
}
