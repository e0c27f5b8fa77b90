// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleGauge;
import io.opentelemetry.api.metrics.ObservableLongGauge;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.BeanContainer;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.function.ToDoubleFunction;
import org.snowflakeid.SnowflakeStatus;

/** What the status of a generator tells in numbers, asked for whenever the application's OpenTelemetry collects. */
final class SnowflakeGauges {

    private final ObservableLongGauge ready;
    private final ObservableDoubleGauge drift;
    private final ObservableDoubleGauge reserved;

    private SnowflakeGauges(Meter meter, InjectedSnowflake ids) {
        Attributes generator = Attributes.builder()
                .put("snowflake.generator", ids.status().generator())
                .build();
        ready = meter.gaugeBuilder("snowflake.ready")
                .setDescription("1 while traffic should be sent here (snowflake.health.ready-until), else 0")
                .ofLongs()
                .buildWithCallback(gauge -> gauge.record(ids.status().ready() ? 1 : 0, generator));
        drift = seconds(
                meter,
                ids,
                generator,
                "snowflake.drift",
                "How far ids run ahead of the clock",
                status -> seconds(status.drift()));
        reserved = seconds(
                meter,
                ids,
                generator,
                "snowflake.reserved",
                "How long ids can be issued without the coordinator",
                SnowflakeGauges::reserved);
    }

    private static ObservableDoubleGauge seconds(
            Meter meter,
            InjectedSnowflake ids,
            Attributes generator,
            String name,
            String description,
            ToDoubleFunction<SnowflakeStatus> value) {
        return meter.gaugeBuilder(name)
                .setDescription(description)
                .setUnit("s")
                .buildWithCallback(gauge -> gauge.record(value.applyAsDouble(ids.status()), generator));
    }

    private static double reserved(SnowflakeStatus status) {
        return status.reservedUntil()
                .map(until -> Math.max(0, seconds(Duration.between(Instant.now(), until))))
                .orElse(0.0);
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1e3;
    }

    /** Shows the open ones of these generators, if the application has an OpenTelemetry. */
    static void show(BeanContainer container, Collection<String> generators) {
        Instance<OpenTelemetry> telemetry = container.createInstance().select(OpenTelemetry.class);
        if (telemetry.isResolvable()) {
            Meter meter = telemetry.get().getMeter("org.snowflakeid");
            Generators.open(container, generators)
                    .forEach(ids -> ids.show(() -> new SnowflakeGauges(meter, ids)::stop));
        }
    }

    private void stop() {
        ready.close();
        drift.close();
        reserved.close();
    }
}
