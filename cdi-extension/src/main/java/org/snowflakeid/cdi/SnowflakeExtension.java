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
import jakarta.enterprise.inject.Specializes;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.Annotated;
import jakarta.enterprise.inject.spi.AnnotatedMember;
import jakarta.enterprise.inject.spi.AnnotatedType;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.BeforeShutdown;
import jakarta.enterprise.inject.spi.DefinitionException;
import jakarta.enterprise.inject.spi.EventContext;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.InjectionPoint;
import jakarta.enterprise.inject.spi.ObserverMethod;
import jakarta.enterprise.inject.spi.ProcessAnnotatedType;
import jakarta.enterprise.inject.spi.ProcessBean;
import jakarta.enterprise.inject.spi.ProcessInjectionPoint;
import jakarta.enterprise.inject.spi.ProcessObserverMethod;
import jakarta.enterprise.inject.spi.WithAnnotations;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeEvent;
import org.snowflakeid.SnowflakeSettings;

/** Makes generators injectable in containers of CDI Full. */
public class SnowflakeExtension implements Extension {

    /** Before the application's own observers, and before Helidon opens its port. */
    private static final int BEFORE_TRAFFIC = Interceptor.Priority.LIBRARY_BEFORE;

    /** The names at injection points, by the bean that has these. */
    private final IdentityHashMap<Bean<?>, Set<String>> namesByBean = new IdentityHashMap<>();

    /** The names at injection points of what is no bean, such as a servlet, and at references of entities. */
    private final Set<String> namesWithoutBean = new TreeSet<>();

    /** Servlets, entities and other classes of the application that use a generator and are no beans. */
    private final Set<Class<?>> usersWithoutBean = new HashSet<>();

    /** Those that the container reports as enabled, with the class, method or field that declares each. */
    private final IdentityHashMap<Bean<?>, AnnotatedElement> enabled = new IdentityHashMap<>();

    /** The classes, methods and fields that declare specialized beans, which the container reports as enabled all the same. */
    private final Set<AnnotatedElement> specialized = new HashSet<>();

    private final ServerContext server = new ServerContext();

    private @Nullable StopWhileStarting stopWhileStarting;
    private @Nullable Ending ending;

    void collect(@Observes ProcessInjectionPoint<?, ?> event) {
        InjectionPoint point = event.getInjectionPoint();
        if (isSnowflake(point.getType())) {
            if (point.getBean() == null) {
                usersWithoutBean.add(point.getMember().getDeclaringClass());
            }
            Set<String> names = point.getBean() == null
                    ? namesWithoutBean
                    : namesByBean.computeIfAbsent(point.getBean(), bean -> new TreeSet<>());
            point.getQualifiers().forEach(qualifier -> collect(qualifier, names));
        }
    }

    void collect(@Observes @WithAnnotations(GeneratorReference.class) ProcessAnnotatedType<?> event) {
        usersWithoutBean.add(event.getAnnotatedType().getJavaClass());
        event.getAnnotatedType().getFields().forEach(this::collectReferences);
        event.getAnnotatedType().getMethods().forEach(this::collectReferences);
    }

    private void collectReferences(Annotated member) {
        collectReferences(member.getAnnotations());
    }

    /** The references of entities that the container did not show. */
    private void collectReferences(Class<?> type) {
        try {
            for (Class<?> declaring = type; declaring != null; declaring = declaring.getSuperclass()) {
                collectReferences(declaring.getDeclaredFields());
                collectReferences(declaring.getDeclaredMethods());
            }
        } catch (LinkageError e) {
            // A class that a field or a method names is missing.
            PersistenceUnits.warn(type.getName(), e);
        }
    }

    private void collectReferences(AnnotatedElement[] members) {
        for (AnnotatedElement member : members) {
            collectReferences(List.of(member.getAnnotations()));
        }
    }

    private void collectReferences(Collection<Annotation> annotations) {
        for (Annotation annotation : annotations) {
            if (annotation.annotationType().isAnnotationPresent(GeneratorReference.class)) {
                namesWithoutBean.add(referenced(annotation));
            }
        }
    }

    private static String referenced(Annotation reference) {
        try {
            return (String) reference.annotationType().getMethod("value").invoke(reference);
        } catch (ReflectiveOperationException | ClassCastException e) {
            throw new DefinitionException(
                    reference.annotationType().getName() + " is a @GeneratorReference and has no String value()", e);
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
        Annotated annotated = event.getAnnotated();
        if (annotated instanceof AnnotatedType<?> type) {
            collect(event.getBean(), annotated, type.getJavaClass());
        } else if (annotated instanceof AnnotatedMember<?> member
                && member.getJavaMember() instanceof AnnotatedElement declaration) {
            collect(event.getBean(), annotated, declaration);
        }
    }

    private void collect(Bean<?> bean, Annotated annotated, AnnotatedElement declaration) {
        if (namesByBean.containsKey(bean)) {
            enabled.put(bean, declaration);
        }
        if (!annotated.isAnnotationPresent(Specializes.class)) {
            return;
        }
        if (declaration instanceof Class<?> type) {
            specialized.add(type.getSuperclass());
        } else if (declaration instanceof Method method) {
            try {
                specialized.add(method.getDeclaringClass()
                        .getSuperclass()
                        .getDeclaredMethod(method.getName(), method.getParameterTypes()));
            } catch (NoSuchMethodException e) {
                throw new DefinitionException(method + " specializes nothing", e);
            }
        }
    }

    private boolean isSpecialized(AnnotatedElement declaration) {
        return specialized.contains(declaration)
                || (declaration instanceof Member member && specialized.contains(member.getDeclaringClass()));
    }

    /**
     * What is claimed at the start: not what a disabled alternative, for example, or a specialized bean would inject. The container is
     * not asked: in an archive of several modules it would be about one only.
     */
    private Set<String> injected() {
        Set<String> injected = new TreeSet<>(namesWithoutBean);
        injected.addAll(new ConfiguredValues().claimedAtStartIfValid());
        enabled.forEach((bean, declaration) -> {
            if (!isSpecialized(declaration)) {
                injected.addAll(namesByBean.getOrDefault(bean, Set.of()));
            }
        });
        return injected;
    }

    /** The names that have a bean. Beans that are not enabled may have to be valid all the same. */
    private Set<String> named() {
        Set<String> named = new TreeSet<>(namesWithoutBean);
        named.addAll(new ConfiguredValues().claimedAtStartIfValid());
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
                && Stream.of(SnowflakeEvent.class.getPermittedSubclasses()).anyMatch(observed::isAssignableFrom)) {
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

    private <T> void tell(ObserverMethod<T> observer, EventContext<T> start, BeanManager beans) {
        try {
            observer.notify(start);
        } catch (Throwable e) {
            failed(beans);
            throw e;
        }
    }

    /** In Java SE a container that fails to start destroys no beans, and the process may go on. */
    private void failed(BeanManager beans) {
        started();
        // A server decides itself whether an application whose observer failed goes on, and ends it if not.
        if (SeStart.isGoingOn()) {
            InjectedSnowflake.closeAll(new GeneratorBeans(beans).openAmong(named()));
        }
    }

    void addBeans(@Observes AfterBeanDiscovery event, BeanManager beans) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        if (loader != null) {
            PersistenceUnits.markedClasses(loader).forEach(type -> {
                usersWithoutBean.add(type);
                collectReferences(type);
            });
        }
        named().forEach(generator -> addGenerator(event, beans, generator));
        if (OptionalApi.MICROPROFILE_HEALTH.isPresent() && new ConfiguredValues().isHealthEnabled()) {
            SnowflakeHealthCheck.addTo(event, beans, named(), classOfTheApplication());
        }
    }

    /** One that uses a generator; always the same one. */
    private Class<?> classOfTheApplication() {
        return Stream.concat(namesByBean.keySet().stream().map(Bean::getBeanClass), usersWithoutBean.stream())
                .min(Comparator.comparing(Class::getName))
                .orElse(SnowflakeExtension.class);
    }

    private void addGenerator(AfterBeanDiscovery event, BeanManager beans, String generator) {
        event.<Snowflake>addBean()
                // With an id, passivating beans may depend on it.
                .id(SnowflakeExtension.class.getName() + ":" + generator)
                .types(Snowflake.class, Object.class)
                .qualifiers(Any.Literal.INSTANCE)
                .addQualifiers(GeneratorBeans.qualifiers(generator))
                .scope(Singleton.class)
                .name(GeneratorBeans.name(generator))
                .createWith(context -> new Generators(beans, injected())
                        .create(generator, server.surround(EventFiring.guarded(beans, generator))))
                .destroyWith((ids, context) -> Generators.destroy(ids));
    }

    // Thrown, not added to the event: OpenWebBeans would only log it and then fail without a reason.
    void validate(@Observes AfterDeploymentValidation event, BeanManager beans) {
        new StartCheck(beans, injected()).validate();
    }

    // May be notified more than once: in an EAR for each web module.
    void claim(
            @Observes @Initialized(ApplicationScoped.class) @Priority(BEFORE_TRAFFIC) Object event, BeanManager beans) {
        // A server hears of its own end itself.
        if (SeStart.isGoingOn()) {
            Set<String> named = named();
            stopWhileStarting =
                    new StopWhileStarting(() -> InjectedSnowflake.closeAll(new GeneratorBeans(beans).openAmong(named)));
        }
        try {
            new Generators(beans, injected()).claim();
        } catch (Throwable e) {
            // Containers do not show our own observers to guard().
            failed(beans);
            throw e;
        }
    }

    // Not sooner: neither Weld nor Helidon hears of the end of the process before these observers have returned.
    void started(@Observes @Priority(Integer.MAX_VALUE) Startup event) {
        started();
    }

    private void started() {
        if (stopWhileStarting != null) {
            stopWhileStarting.end();
            stopWhileStarting = null;
        }
    }

    ServerContext server() {
        return server;
    }

    void end(@Observes @BeforeDestroyed(ApplicationScoped.class) Object event, BeanManager beans) {
        if (ending == null) {
            ending = new Ending(new GeneratorBeans(beans).openAmong(named()), true);
        }
    }

    /** All contexts are gone, and with them all beans that might have asked for an id. */
    void end(@Observes BeforeShutdown event) {
        server.end();
        if (ending != null) {
            ending.complete();
        }
    }
}
