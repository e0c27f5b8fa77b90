// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.context.ContextNotActiveException;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanContainer;
import jakarta.enterprise.inject.spi.EventContext;
import jakarta.enterprise.inject.spi.ObserverMethod;
import java.lang.System.Logger.Level;
import java.lang.annotation.Annotation;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.snowflakeid.SnowflakeEvent;

/** Keeps observers of our events apart: the failure of one does not reach the others, and one that can't be called is named. */
final class ObserverGuard {

    private static final System.Logger LOG = System.getLogger(ObserverGuard.class.getName());

    private final BeanContainer container;
    private final Set<Class<?>> named = ConcurrentHashMap.newKeySet();

    ObserverGuard(BeanContainer container) {
        this.container = container;
    }

    @SuppressWarnings("unchecked") // resolved for this event
    <T> void tell(ObserverMethod<T> observer, EventContext<? extends SnowflakeEvent> event) {
        Class<?> bean = observer.getBeanClass();
        String prefix = "snowflake '" + event.getEvent().generator() + "': ";
        Optional<Class<? extends Annotation>> inactive = inactiveScope(bean);
        if (inactive.isPresent()) {
            if (named.add(bean)) {
                LOG.log(
                        Level.WARNING,
                        prefix + "the observer in " + bean.getName() + " is not told of " + event.getEvent()
                                + " and others, because it is in a bean of @"
                                + inactive.get().getSimpleName()
                                + ", which does not exist where events are told. Move it to a bean of @ApplicationScoped.");
            }
            return;
        }
        try {
            observer.notify((EventContext<T>) event);
        } catch (Throwable e) {
            LOG.log(
                    Level.WARNING,
                    prefix + "the observer in " + bean.getName() + " failed at " + event.getEvent()
                            + ". It is told the next event all the same.",
                    e);
        }
    }

    /** A container passes over such observers without a word. */
    private Optional<Class<? extends Annotation>> inactiveScope(Class<?> beanClass) {
        return container.getBeans(beanClass, Any.Literal.INSTANCE).stream()
                .filter(bean -> bean.getBeanClass() == beanClass)
                .<Class<? extends Annotation>>map(Bean::getScope)
                .filter(this::isInactive)
                .findFirst();
    }

    private boolean isInactive(Class<? extends Annotation> scope) {
        try {
            return container.isNormalScope(scope)
                    && !container.getContext(scope).isActive();
        } catch (ContextNotActiveException e) {
            return true;
        }
    }
}
