// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.BeanContainer;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.snowflakeid.SnowflakeCounts;
import org.snowflakeid.SnowflakeStatus;

/**
 * The status and the counts of a generator in numbers, asked for whenever the application's OpenTelemetry collects. The module
 * {@code metrics} shows the same under the same names in Micrometer.
 */
final class SnowflakeGauges {

    private final Meter meter;
    private final InjectedSnowflake ids;
    private final Attributes generator;

    private SnowflakeGauges(Meter meter, InjectedSnowflake ids) {
        this.meter = meter;
        this.ids = ids;
        generator = Attributes.builder()
                .put("snowflake.generator", ids.status().generator())
                .build();
    }

    /** Shows these open generators, if the application has an OpenTelemetry. */
    static void show(BeanContainer container, Collection<InjectedSnowflake> generators) {
        Instance<OpenTelemetry> telemetry = container.createInstance().select(OpenTelemetry.class);
        if (telemetry.isResolvable()) {
            Meter meter = telemetry.get().getMeter("org.snowflakeid");
            generators.forEach(ids -> new SnowflakeGauges(meter, ids).show());
        }
    }

    private void show() {
        ids.whenClosed(meter.gaugeBuilder("snowflake.ready")
                .setDescription("1 while traffic should be sent here (snowflake.health.ready-until), else 0")
                .ofLongs()
                .buildWithCallback(gauge -> gauge.record(ids.status().ready() ? 1 : 0, generator))::close);
        gauge(
                "snowflake.reserved",
                "How long ids can be issued without the coordinator",
                status -> status.reservedUntil()
                        .map(until -> Math.max(0, seconds(Duration.between(Instant.now(), until))))
                        .orElse(0.0));
        gauge("snowflake.drift", "How far ids run ahead of the clock", status -> seconds(status.drift()));
        count("snowflake.ids", "{id}", "Ids issued", SnowflakeCounts::issued);
        count(
                "snowflake.waits",
                "{call}",
                "Calls that waited for the coordinator or for a clock, not for the next millisecond",
                SnowflakeCounts::waits);
        time("snowflake.waits.time", "How long these calls waited together", SnowflakeCounts::waited);
        count("snowflake.extensions", "{extension}", "Extensions of a worker id tried", SnowflakeCounts::extensions);
        time("snowflake.extensions.time", "How long extensions took together", SnowflakeCounts::extending);
        count(
                "snowflake.extensions.failed",
                "{extension}",
                "Extensions that failed or ended without an answer",
                SnowflakeCounts::failedExtensions);
        count(
                "snowflake.swaps",
                "{swap}",
                "How often another worker id took the place of one in use",
                SnowflakeCounts::swaps);
    }

    private void gauge(String name, String description, ToDoubleFunction<SnowflakeStatus> value) {
        ids.whenClosed(meter.gaugeBuilder(name)
                .setDescription(description)
                .setUnit("s")
                .buildWithCallback(gauge -> gauge.record(value.applyAsDouble(ids.status()), generator))::close);
    }

    private void count(String name, String unit, String description, ToLongFunction<SnowflakeCounts> value) {
        ids.whenClosed(meter.counterBuilder(name)
                .setDescription(description)
                .setUnit(unit)
                .buildWithCallback(counter -> counter.record(value.applyAsLong(ids.counts()), generator))::close);
    }

    private void time(String name, String description, Function<SnowflakeCounts, Duration> value) {
        ids.whenClosed(meter.counterBuilder(name)
                .ofDoubles()
                .setDescription(description)
                .setUnit("s")
                .buildWithCallback(counter -> counter.record(seconds(value.apply(ids.counts())), generator))::close);
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
