// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.BeforeDestroyed;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.Startup;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.BeforeShutdown;
import jakarta.enterprise.inject.spi.Decorator;
import jakarta.enterprise.inject.spi.EventContext;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.InjectionPoint;
import jakarta.enterprise.inject.spi.ObserverMethod;
import jakarta.enterprise.inject.spi.ProcessBean;
import jakarta.enterprise.inject.spi.ProcessInjectionPoint;
import jakarta.enterprise.inject.spi.ProcessObserverMethod;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;
import java.lang.annotation.Annotation;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeEvent;
import org.snowflakeid.SnowflakeSettings;

/** Makes generators injectable in containers of CDI Full. */
public class SnowflakeExtension implements Extension {

    /** Before the application's own observers, and before Helidon opens its port. */
    private static final int BEFORE_TRAFFIC = Interceptor.Priority.LIBRARY_BEFORE;

    /** The names at injection points, by the bean that has these. */
    private final Map<Bean<?>, Set<String>> namesByBean = new IdentityHashMap<>();

    /** The names at injection points of what is no bean, such as a servlet. */
    private final Set<String> namesWithoutBean = new TreeSet<>();

    /** Those that the container does not name when it is asked for all beans. */
    private final Set<Bean<?>> interceptorsAndDecorators = Collections.newSetFromMap(new IdentityHashMap<>());

    private @Nullable Ending ending;

    void collect(@Observes ProcessInjectionPoint<?, ?> event) {
        InjectionPoint point = event.getInjectionPoint();
        if (isSnowflake(point.getType())) {
            Set<String> names = point.getBean() == null
                    ? namesWithoutBean
                    : namesByBean.computeIfAbsent(point.getBean(), bean -> new TreeSet<>());
            point.getQualifiers().forEach(qualifier -> collect(qualifier, names));
        }
    }

    private static void collect(Annotation qualifier, Set<String> names) {
        if (qualifier instanceof SnowflakeName name) {
            names.add(name.value());
        } else if (qualifier instanceof Default) {
            names.add(SnowflakeSettings.DEFAULT_GENERATOR);
        }
    }

    private static boolean isSnowflake(Type type) {
        if (type instanceof ParameterizedType generic) {
            return (generic.getRawType() == Instance.class || generic.getRawType() == Provider.class)
                    && isSnowflake(generic.getActualTypeArguments()[0]);
        }
        return type == Snowflake.class;
    }

    void collect(@Observes ProcessBean<?> event) {
        if (event.getBean() instanceof jakarta.enterprise.inject.spi.Interceptor
                || event.getBean() instanceof Decorator) {
            interceptorsAndDecorators.add(event.getBean());
        }
    }

    /** What is claimed at the start: not what a disabled alternative, for example, or a specialized bean would inject. */
    private Set<String> injected(BeanManager beans) {
        Set<Bean<?>> enabled = Collections.newSetFromMap(new IdentityHashMap<>());
        enabled.addAll(interceptorsAndDecorators);
        enabled.addAll(beans.getBeans(Object.class, Any.Literal.INSTANCE));
        Set<String> injected = new TreeSet<>(namesWithoutBean);
        namesByBean.forEach((bean, names) -> {
            if (enabled.contains(bean)) {
                injected.addAll(names);
            }
        });
        return injected;
    }

    /** What there is a bean of. Beans that are not enabled may have to be valid all the same. */
    private Set<String> named() {
        Set<String> named = new TreeSet<>(namesWithoutBean);
        namesByBean.values().forEach(named::addAll);
        named.add(SnowflakeSettings.DEFAULT_GENERATOR);
        return named;
    }

    <T> void guard(@Observes ProcessObserverMethod<T, ?> event, BeanManager beans) {
        ObserverMethod<T> observer = event.getObserverMethod();
        if (observer.isAsync()) {
            return;
        }
        if (isOfStart(observer)) {
            event.configureObserverMethod().notifyWith(start -> tell(observer, start, beans));
        } else if (observer.getObservedType() instanceof Class<?> observed
                && (observed.isAssignableFrom(SnowflakeEvent.class) || SnowflakeEvent.class.isAssignableFrom(observed))) {
            ObserverGuard guard = new ObserverGuard(beans);
            event.configureObserverMethod().notifyWith(happened -> {
                if (happened.getEvent() instanceof SnowflakeEvent) {
                    @SuppressWarnings("unchecked") // just looked at
                    EventContext<SnowflakeEvent> ours = (EventContext<SnowflakeEvent>) happened;
                    guard.tell(observer, ours);
                } else {
                    observer.notify(happened);
                }
            });
        }
    }

    private static boolean isOfStart(ObserverMethod<?> observer) {
        return observer.getObservedType() == Startup.class
                || observer.getObservedQualifiers().contains(Initialized.Literal.APPLICATION);
    }

    /** In Java SE a container that fails to start destroys nothing, and the process may go on. */
    private <T> void tell(ObserverMethod<T> observer, EventContext<T> start, BeanManager beans) {
        try {
            observer.notify(start);
        } catch (Throwable e) {
            if (isStartOfSeContainer()) {
                InjectedSnowflake.closeAll(Generators.open(beans, named()));
            }
            throw e;
        }
    }

    /** A server decides for itself what becomes of an application whose observer failed, and ends what it gives up. */
    private static boolean isStartOfSeContainer() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .walk(frames -> frames.anyMatch(frame -> isSeContainerInitializer(frame.getDeclaringClass())));
    }

    /** By its name, since servers need not have that class. */
    private static boolean isSeContainerInitializer(@Nullable Class<?> type) {
        return type != null
                && (type.getName().equals("jakarta.enterprise.inject.se.SeContainerInitializer")
                        || isSeContainerInitializer(type.getSuperclass()));
    }

    void addBeans(@Observes AfterBeanDiscovery event, BeanManager beans) {
        named().forEach(generator -> addGenerator(event, beans, generator));
        if (OptionalApi.MICROPROFILE_HEALTH.isPresent() && Generators.healthEnabled()) {
            SnowflakeHealthCheck.addTo(event, beans, named());
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
                .name(Generators.beanName(generator))
                .createWith(context -> Generators.create(
                        beans, generator, injected(beans), EventFiring.guarded(beans, generator)))
                .destroyWith((ids, context) -> Generators.destroy(ids));
    }

    // Thrown, not added to the event: OpenWebBeans would only log it and then fail without a reason.
    void validate(@Observes AfterDeploymentValidation event, BeanManager beans) {
        Generators.validate(beans, injected(beans));
    }

    // May be notified more than once: in an EAR for each web module.
    void claim(
            @Observes @Initialized(ApplicationScoped.class) @Priority(BEFORE_TRAFFIC) Object event, BeanManager beans) {
        Generators.claim(beans, injected(beans));
    }

    void end(@Observes @BeforeDestroyed(ApplicationScoped.class) Object event, BeanManager beans) {
        if (ending == null) {
            ending = new Ending(Generators.open(beans, named()), true);
        }
    }

    /** All contexts are gone, and whoever might have wanted an id. */
    void end(@Observes BeforeShutdown event) {
        if (ending != null) {
            ending.complete();
        }
    }
}
