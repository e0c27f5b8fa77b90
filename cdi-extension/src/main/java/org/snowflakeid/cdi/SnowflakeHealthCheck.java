// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.build.compatible.spi.Parameters;
import jakarta.enterprise.inject.build.compatible.spi.SyntheticBeanCreator;
import jakarta.enterprise.inject.build.compatible.spi.SyntheticComponents;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.BeanContainer;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus;

/**
 * Readiness: up while every open generator is ready, as {@code snowflake.health.ready-until} says. It never opens one, and reports {@code
 * UNCLAIMED} for one that is not open. There is no liveness check: a coordinator's failure must not end a process.
 */
final class SnowflakeHealthCheck implements HealthCheck {

    private final BeanContainer container;
    private final Set<String> generators;

    private SnowflakeHealthCheck(BeanContainer container, Collection<String> injected) {
        this.container = container;
        generators = new TreeSet<>(injected);
        generators.add(SnowflakeSettings.DEFAULT_GENERATOR);
    }

    @Override
    public HealthCheckResponse call() {
        HealthCheckResponseBuilder response = HealthCheckResponse.named("snowflake");
        if (!new ConfiguredValues().isHealthEnabled()) {
            return response.up().withData("enabled", false).build();
        }
        boolean ready = true;
        Set<String> unclaimed = new TreeSet<>(generators);
        GeneratorBeans beans = new GeneratorBeans(container);
        for (InjectedSnowflake ids : beans.openAmong(generators)) {
            SnowflakeStatus status = ids.status();
            unclaimed.remove(status.generator());
            ready &= status.ready();
            describe(status, response);
        }
        unclaimed.stream().filter(beans::isInUse).forEach(generator -> describeUnclaimed(generator, response));
        return response.status(ready).build();
    }

    /** The application has not asked it for an id: that is no reason to send traffic elsewhere, whatever its settings are. */
    private void describeUnclaimed(String generator, HealthCheckResponseBuilder response) {
        response.withData(generator + ".state", "UNCLAIMED");
        List<String> problems = new StartCheck(container, List.of(generator)).problems();
        if (!problems.isEmpty()) {
            response.withData(generator + ".lastError", String.join("\n", problems));
        }
    }

    private static void describe(SnowflakeStatus status, HealthCheckResponseBuilder response) {
        String prefix = status.generator() + ".";
        response.withData(prefix + "state", status.state().name());
        status.workerId().ifPresent(id -> response.withData(prefix + "workerId", id));
        if (status.workerIds().size() > 1) {
            response.withData(prefix + "workerIds", status.workerIds().toString());
        }
        response.withData(prefix + "coordinator", status.coordinator());
        response.withData(prefix + "namespace", status.namespace());
        status.reservedUntil().ifPresent(until -> response.withData(prefix + "reservedUntil", until.toString()));
        response.withData(prefix + "driftMillis", status.drift().toMillis());
        status.lastError().ifPresent(error -> response.withData(prefix + "lastError", error));
        status.clockWarning().ifPresent(warning -> response.withData(prefix + "clockWarning", warning));
    }

    /** @param beanClass decides which archive the bean belongs to */
    static void addTo(
            AfterBeanDiscovery event, BeanContainer container, Collection<String> injected, Class<?> beanClass) {
        event.addBean(new HealthCheckBean(beanClass, () -> new SnowflakeHealthCheck(container, injected)));
    }

    static void addTo(SyntheticComponents components, String[] injected) {
        components
                .addBean(HealthCheck.class)
                .type(HealthCheck.class)
                .qualifier(Readiness.Literal.INSTANCE)
                .scope(Singleton.class)
                .withParam(SnowflakeBuildCompatibleExtension.INJECTED, injected)
                .createWith(Creator.class);
    }

    /** Runs in the application, not at build time. */
    public static final class Creator implements SyntheticBeanCreator<HealthCheck> {
        @Override
        public HealthCheck create(Instance<Object> lookup, Parameters parameters) {
            return new SnowflakeHealthCheck(
                    SnowflakeBuildCompatibleExtension.container(lookup),
                    SnowflakeBuildCompatibleExtension.injected(parameters));
        }
    }
}
