// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeCounts;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus;
import org.snowflakeid.testing.MemoryStore;

class SnowflakeMetricsTest {

    private final MeterRegistry registry = new SimpleMeterRegistry();

    /** What is not counted here takes too long to happen. */
    private record Busy(String name, boolean ready, Optional<Instant> reservedUntil) implements Snowflake {
        @Override
        public long nextId() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long[] nextIds(int count) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SnowflakeLayout layout() {
            return SnowflakeLayout.STANDARD;
        }

        @Override
        public SnowflakeStatus status() {
            return new SnowflakeStatus(
                    name,
                    SnowflakeStatus.State.ACTIVE,
                    List.of(7),
                    "snowflake",
                    "memory",
                    reservedUntil,
                    Duration.ofMillis(1_250),
                    ready,
                    Optional.empty(),
                    Optional.empty());
        }

        @Override
        public SnowflakeCounts counts() {
            return new SnowflakeCounts(1_000, 20, Duration.ofMillis(1_500), 30, Duration.ofMillis(250), 4, 5);
        }
    }

    private final Busy busy = new Busy("orders", true, Optional.of(Instant.now().plus(Duration.ofDays(1))));

    private double value(String name) {
        return registry.get(name)
                .tag("snowflake.generator", "orders")
                .meter()
                .measure()
                .iterator()
                .next()
                .getValue();
    }

    private FunctionTimer timer(String name) {
        return registry.get(name).tag("snowflake.generator", "orders").functionTimer();
    }

    @Test
    void eachCountIsShownUnderItsName() {
        new SnowflakeMetrics(busy).bindTo(registry);

        assertThat(value("snowflake.ids")).isEqualTo(1_000);
        assertThat(value("snowflake.extensions.failed")).isEqualTo(4);
        assertThat(value("snowflake.swaps")).isEqualTo(5);
        assertThat(timer("snowflake.waits").count()).isEqualTo(20);
        assertThat(timer("snowflake.waits").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(1_500);
        assertThat(timer("snowflake.extensions").count()).isEqualTo(30);
        assertThat(timer("snowflake.extensions").totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(250);
    }

    @Test
    void theStatusIsShownInSeconds() {
        new SnowflakeMetrics(busy).bindTo(registry);

        assertThat(value("snowflake.ready")).isEqualTo(1);
        assertThat(value("snowflake.drift")).isEqualTo(1.25);
        assertThat(value("snowflake.reserved")).isBetween(80_000.0, 86_400.0);
    }

    @Test
    void whatIsSuspendedIsNotReadyAndHasNothingReserved() {
        new SnowflakeMetrics(new Busy("orders", false, Optional.of(Instant.now().minusSeconds(9)))).bindTo(registry);

        assertThat(value("snowflake.ready")).isZero();
        assertThat(value("snowflake.reserved")).isZero();
    }

    @Test
    void aGeneratorWithoutAWorkerIdHasNothingReserved() {
        Busy starting = new Busy("orders", false, Optional.empty());
        new SnowflakeMetrics(starting).bindTo(registry);

        assertThat(value("snowflake.reserved")).isZero();
    }

    @Test
    void theCountsOfARealGeneratorGrow() {
        Map<String, String> settings =
                Map.of("snowflake.coordinator", "memory", "snowflake.memory.store", "SnowflakeMetricsTest");
        try (LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of("orders", settings::get))) {
            new SnowflakeMetrics(ids).bindTo(registry);

            ids.nextIds(5_000);
            ids.nextId();

            assertThat(value("snowflake.ids")).isEqualTo(5_001);
            assertThat(value("snowflake.ready")).isEqualTo(1);
            assertThat(value("snowflake.reserved")).isBetween(0.001, 60.0);
        } finally {
            MemoryStore.discard("SnowflakeMetricsTest");
        }
        assertThat(value("snowflake.ready")).isZero();
    }

    @Test
    void generatorsAreToldApart() {
        Busy invoices = new Busy("invoices", false, Optional.empty());
        new SnowflakeMetrics(busy).bindTo(registry);
        new SnowflakeMetrics(invoices).bindTo(registry);

        assertThat(registry.get("snowflake.ready").meters()).hasSize(2);
        assertThat(value("snowflake.ready")).isEqualTo(1);
    }

    @Test
    void closingRemovesWhatWasBoundAndNothingElse() {
        CompositeMeterRegistry all = new CompositeMeterRegistry();
        all.add(registry);
        MeterRegistry other = new SimpleMeterRegistry();
        Busy invoices = new Busy("invoices", true, Optional.empty());
        new SnowflakeMetrics(invoices).bindTo(all);
        try (SnowflakeMetrics metrics = new SnowflakeMetrics(busy)) {
            metrics.bindTo(all);
            metrics.bindTo(all);
            metrics.bindTo(other);
            assertThat(registry.getMeters()).hasSize(16);
            assertThat(other.getMeters()).hasSize(8);
        }

        assertThat(other.getMeters()).isEmpty();
        assertThat(registry.getMeters()).hasSize(8).allMatch(meter -> "invoices"
                .equals(meter.getId().getTag("snowflake.generator")));
    }

    @Test
    void eachMeterSaysWhatItTells() {
        new SnowflakeMetrics(busy).bindTo(registry);

        assertThat(registry.getMeters()).hasSize(8).extracting(Meter::getId).allSatisfy(id -> assertThat(
                        id.getDescription())
                .isNotBlank());
    }

    @Test
    void prometheusPrintsThemWithTheirUnits() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new SnowflakeMetrics(busy).bindTo(prometheus);

        assertThat(prometheus.scrape().lines())
                .contains(
                        "snowflake_ready{snowflake_generator=\"orders\"} 1.0",
                        "snowflake_drift_seconds{snowflake_generator=\"orders\"} 1.25",
                        "snowflake_ids_total{snowflake_generator=\"orders\"} 1000.0",
                        "snowflake_waits_seconds_count{snowflake_generator=\"orders\"} 20",
                        "snowflake_waits_seconds_sum{snowflake_generator=\"orders\"} 1.5",
                        "snowflake_extensions_seconds_count{snowflake_generator=\"orders\"} 30",
                        "snowflake_extensions_seconds_sum{snowflake_generator=\"orders\"} 0.25",
                        "snowflake_extensions_failed_total{snowflake_generator=\"orders\"} 4.0",
                        "snowflake_swaps_total{snowflake_generator=\"orders\"} 5.0")
                .anyMatch(line -> line.startsWith("snowflake_reserved_seconds{snowflake_generator=\"orders\"} "));
    }
}
