// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.InjectionPoint;
import jakarta.enterprise.inject.spi.ProcessInjectionPoint;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;
import java.lang.annotation.Annotation;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Set;
import java.util.TreeSet;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeSettings;

/** Makes generators injectable in containers of CDI Full. */
public class SnowflakeExtension implements Extension {

    /** Before the application's own observers, and before Helidon opens its port. */
    private static final int BEFORE_TRAFFIC = Interceptor.Priority.LIBRARY_BEFORE;

    private final Set<String> injected = new TreeSet<>();

    void collect(@Observes ProcessInjectionPoint<?, ?> event) {
        InjectionPoint point = event.getInjectionPoint();
        if (isSnowflake(point.getType())) {
            point.getQualifiers().forEach(this::collect);
        }
    }

    private void collect(Annotation qualifier) {
        if (qualifier instanceof SnowflakeName name) {
            injected.add(name.value());
        } else if (qualifier instanceof Default) {
            injected.add(SnowflakeSettings.DEFAULT_GENERATOR);
        }
    }

    private static boolean isSnowflake(Type type) {
        if (type instanceof ParameterizedType generic) {
            return (generic.getRawType() == Instance.class || generic.getRawType() == Provider.class)
                    && generic.getActualTypeArguments()[0] == Snowflake.class;
        }
        return type == Snowflake.class;
    }

    void addBeans(@Observes AfterBeanDiscovery event, BeanManager beans) {
        addGenerator(event, beans, SnowflakeSettings.DEFAULT_GENERATOR);
        for (String generator : injected) {
            if (!generator.equals(SnowflakeSettings.DEFAULT_GENERATOR)) {
                addGenerator(event, beans, generator);
            }
        }
        if (OptionalApi.MICROPROFILE_HEALTH.isPresent() && Generators.healthEnabled()) {
            SnowflakeHealthCheck.addTo(event, injected);
        }
    }

    private void addGenerator(AfterBeanDiscovery event, BeanManager beans, String generator) {
        event.<Snowflake>addBean()
                // With an id, passivating beans may depend on it.
                .id(SnowflakeExtension.class.getName() + ":" + generator)
                .types(Snowflake.class, Object.class)
                .qualifiers(Any.Literal.INSTANCE)
                .addQualifiers(Generators.qualifiers(generator))
                .scope(Singleton.class)
                .createWith(context -> Generators.create(beans, generator, injected))
                .destroyWith((ids, context) -> Generators.destroy(ids));
    }

    // Thrown, not added to the event: OpenWebBeans would only log it and then fail without a reason.
    void validate(@Observes AfterDeploymentValidation event, BeanManager beans) {
        Generators.validate(beans, injected);
    }

    // May be notified more than once: in an EAR for each web module.
    void claim(
            @Observes @Initialized(ApplicationScoped.class) @Priority(BEFORE_TRAFFIC) Object event, BeanManager beans) {
        Generators.claim(beans, injected);
    }
}
