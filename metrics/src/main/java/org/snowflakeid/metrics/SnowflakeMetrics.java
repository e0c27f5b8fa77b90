// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeCounts;
import org.snowflakeid.SnowflakeStatus;

/**
 * The state and the counts of one generator:
 *
 * <pre>{@code
 * new SnowflakeMetrics(ids).bindTo(registry);
 * }</pre>
 *
 * <p>Each meter has the tag {@code snowflake.generator}, the generator's name. Gauges: {@code snowflake.ready} (1 or 0),
 * {@code snowflake.reserved} and {@code snowflake.drift} (times). Counters: {@code snowflake.ids}, {@code snowflake.extensions.failed},
 * {@code snowflake.swaps}. Timers, with a count and a total: {@code snowflake.waits}, {@code snowflake.extensions}. The generator is read
 * when the registry is; that costs no request and never blocks. Registries refer to it weakly, as Micrometer does: keep a reference to it.
 */
public final class SnowflakeMetrics implements MeterBinder, AutoCloseable {

    private final Snowflake ids;
    private final Tags generator;
    private final Map<MeterRegistry, List<Meter>> bound = new ConcurrentHashMap<>();

    /**
     * Of two generators with the same name a registry shows the first, as it does with all meters: give them different names.
     *
     * @param ids the generator, or what delegates to it
     */
    public SnowflakeMetrics(Snowflake ids) {
        this.ids = ids;
        generator = Tags.of("snowflake.generator", ids.status().generator());
    }

    /** Binding to the same registry again has no effect. */
    @Override
    public void bindTo(MeterRegistry registry) {
        bound.computeIfAbsent(registry, this::meters);
    }

    private List<Meter> meters(MeterRegistry registry) {
        return List.of(
                Gauge.builder("snowflake.ready", ids, from -> from.status().ready() ? 1 : 0)
                        .description("1 while traffic should be sent here (snowflake.health.ready-until), else 0")
                        .tags(generator)
                        .register(registry),
                gauge(
                                "snowflake.reserved",
                                "How long ids can be issued without the coordinator",
                                SnowflakeMetrics::left)
                        .register(registry),
                gauge("snowflake.drift", "How far ids run ahead of the clock", SnowflakeStatus::drift)
                        .register(registry),
                counter("snowflake.ids", "Ids issued", SnowflakeCounts::issued)
                        .baseUnit("ids")
                        .register(registry),
                timer(
                                "snowflake.waits",
                                "Calls that waited for the coordinator or for a clock, not for the next millisecond",
                                SnowflakeCounts::waits,
                                SnowflakeCounts::waited)
                        .register(registry),
                timer(
                                "snowflake.extensions",
                                "Extensions of a worker id tried",
                                SnowflakeCounts::extensions,
                                SnowflakeCounts::extending)
                        .register(registry),
                // Without a base unit: Prometheus' names would say "extensions" twice.
                counter(
                                "snowflake.extensions.failed",
                                "Extensions that failed or ended without an answer",
                                SnowflakeCounts::failedExtensions)
                        .register(registry),
                counter(
                                "snowflake.swaps",
                                "How often another worker id took the place of one in use",
                                SnowflakeCounts::swaps)
                        .baseUnit("swaps")
                        .register(registry));
    }

    private TimeGauge.Builder<Snowflake> gauge(
            String name, String description, Function<SnowflakeStatus, Duration> value) {
        return TimeGauge.builder(name, ids, TimeUnit.NANOSECONDS, from -> value.apply(from.status())
                        .toNanos())
                .description(description)
                .tags(generator);
    }

    private FunctionCounter.Builder<Snowflake> counter(
            String name, String description, ToLongFunction<SnowflakeCounts> value) {
        return FunctionCounter.builder(name, ids, from -> value.applyAsLong(from.counts()))
                .description(description)
                .tags(generator);
    }

    private FunctionTimer.Builder<Snowflake> timer(
            String name,
            String description,
            ToLongFunction<SnowflakeCounts> count,
            Function<SnowflakeCounts, Duration> total) {
        return FunctionTimer.builder(
                        name,
                        ids,
                        from -> count.applyAsLong(from.counts()),
                        from -> total.apply(from.counts()).toNanos(),
                        TimeUnit.NANOSECONDS)
                .description(description)
                .tags(generator);
    }

    private static Duration left(SnowflakeStatus status) {
        return status.reservedUntil()
                .map(until -> Duration.between(Instant.now(), until))
                .filter(left -> !left.isNegative())
                .orElse(Duration.ZERO);
    }

    /**
     * Removes the meters from all registries that they were bound to. The generator stays open. If another generator of the same name
     * replaces it, close this first and then bind that one: a registry has one meter for each name, and closing this later would remove
     * the new one's.
     */
    @Override
    public void close() {
        bound.keySet().forEach(registry -> {
            List<Meter> meters = bound.remove(registry);
            if (meters != null) {
                meters.forEach(registry::remove);
            }
        });
    }
}
