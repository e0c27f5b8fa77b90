// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.NamingConvention;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusNamingConvention;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;

@ApplicationScoped
public class Meters {

    private static final NamingConvention NAMES = new PrometheusNamingConvention();

    @Produces
    @Singleton
    MeterRegistry registry(MetricRegistry server) {
        MeterRegistry registry = new SimpleMeterRegistry();
        registry.config().onMeterAdded(meter -> show(meter, server));
        return registry;
    }

    private static void show(Meter meter, MetricRegistry server) {
        Tag[] tags = meter.getId().getConventionTags(NAMES).stream()
                .map(tag -> new Tag(tag.getKey(), tag.getValue()))
                .toArray(Tag[]::new);
        for (Measurement measurement : meter.measure()) {
            String name = meter.getId().getConventionName(NAMES) + suffix(meter, measurement);
            server.gauge(name, measurement::getValue, tags);
        }
    }

    private static String suffix(Meter meter, Measurement measurement) {
        return switch (measurement.getStatistic()) {
            case COUNT -> meter instanceof FunctionCounter ? "_total" : "_count";
            case TOTAL_TIME -> "_sum";
            default -> "";
        };
    }
}
