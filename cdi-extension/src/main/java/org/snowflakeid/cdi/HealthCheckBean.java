// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.context.spi.CreationalContext;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.InjectionPoint;
import jakarta.enterprise.inject.spi.PassivationCapable;
import jakarta.inject.Singleton;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.Set;
import java.util.function.Supplier;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.Readiness;
import org.jspecify.annotations.Nullable;

/**
 * The bean of the check in an archive of the application. WildFly's MicroProfile Health does not see what an extension adds to the archive
 * of its own.
 *
 * @param beanClass decides which archive the bean belongs to
 */
record HealthCheckBean(Class<?> beanClass, Supplier<HealthCheck> check)
        implements Bean<HealthCheck>, PassivationCapable {

    @Override
    public Class<?> getBeanClass() {
        return beanClass;
    }

    @Override
    public HealthCheck create(CreationalContext<HealthCheck> context) {
        return check.get();
    }

    @Override
    public void destroy(HealthCheck instance, CreationalContext<HealthCheck> context) {
        context.release();
    }

    @Override
    public Set<Type> getTypes() {
        return Set.of(HealthCheck.class, Object.class);
    }

    @Override
    public Set<Annotation> getQualifiers() {
        return Set.of(Any.Literal.INSTANCE, Readiness.Literal.INSTANCE);
    }

    @Override
    public Class<? extends Annotation> getScope() {
        return Singleton.class;
    }

    @Override
    public @Nullable String getName() {
        return null;
    }

    @Override
    public Set<Class<? extends Annotation>> getStereotypes() {
        return Set.of();
    }

    @Override
    public boolean isAlternative() {
        return false;
    }

    @Override
    public Set<InjectionPoint> getInjectionPoints() {
        return Set.of();
    }

    @Override
    public String getId() {
        return SnowflakeHealthCheck.class.getName();
    }
}
