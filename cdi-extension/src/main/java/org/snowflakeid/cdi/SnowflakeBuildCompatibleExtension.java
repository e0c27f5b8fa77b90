// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.context.BeforeDestroyed;
import jakarta.enterprise.event.Startup;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.build.compatible.spi.BeanInfo;
import jakarta.enterprise.inject.build.compatible.spi.BuildCompatibleExtension;
import jakarta.enterprise.inject.build.compatible.spi.Discovery;
import jakarta.enterprise.inject.build.compatible.spi.DisposerInfo;
import jakarta.enterprise.inject.build.compatible.spi.Enhancement;
import jakarta.enterprise.inject.build.compatible.spi.InjectionPointInfo;
import jakarta.enterprise.inject.build.compatible.spi.InterceptorInfo;
import jakarta.enterprise.inject.build.compatible.spi.ObserverInfo;
import jakarta.enterprise.inject.build.compatible.spi.Parameters;
import jakarta.enterprise.inject.build.compatible.spi.Registration;
import jakarta.enterprise.inject.build.compatible.spi.ScannedClasses;
import jakarta.enterprise.inject.build.compatible.spi.SkipIfPortableExtensionPresent;
import jakarta.enterprise.inject.build.compatible.spi.Synthesis;
import jakarta.enterprise.inject.build.compatible.spi.SyntheticBeanBuilder;
import jakarta.enterprise.inject.build.compatible.spi.SyntheticBeanCreator;
import jakarta.enterprise.inject.build.compatible.spi.SyntheticBeanDisposer;
import jakarta.enterprise.inject.build.compatible.spi.SyntheticComponents;
import jakarta.enterprise.inject.build.compatible.spi.SyntheticObserver;
import jakarta.enterprise.inject.spi.BeanContainer;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.enterprise.inject.spi.EventContext;
import jakarta.enterprise.lang.model.AnnotationInfo;
import jakarta.enterprise.lang.model.declarations.ClassInfo;
import jakarta.enterprise.lang.model.declarations.DeclarationInfo;
import jakarta.enterprise.lang.model.declarations.MethodInfo;
import jakarta.enterprise.lang.model.types.ParameterizedType;
import jakarta.enterprise.lang.model.types.Type;
import jakarta.inject.Provider;
import jakarta.inject.Qualifier;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeSettings;

/**
 * Makes generators injectable in containers of CDI Lite, such as that of Quarkus. Its own methods run when the application is
 * built: what they need to know of the configuration is read by the nested classes, in the application.
 */
@SkipIfPortableExtensionPresent(SnowflakeExtension.class)
public class SnowflakeBuildCompatibleExtension implements BuildCompatibleExtension {

    static final String INJECTED = "injected";
    private static final String GENERATOR = "generator";
    private static final Set<String> LAZY = Set.of(Instance.class.getName(), Provider.class.getName());

    private final Set<String> injected = new TreeSet<>();

    /** Quarkus must know the classes of qualifiers, and looks only into jars that it knows to hold beans. */
    @Discovery
    public void index(ScannedClasses classes) {
        classes.add(SnowflakeName.class.getName());
        if (OptionalApi.MICROPROFILE_HEALTH.isPresent()) {
            classes.add(OptionalApi.MICROPROFILE_HEALTH.className());
        }
    }

    // Not withAnnotations: Weld knows no annotation of an annotation there, and ArC none that is inherited.
    @Enhancement(types = Object.class, withSubtypes = true)
    public void collect(ClassInfo type) {
        type.fields().forEach(this::collectReferences);
        type.methods().forEach(this::collectReferences);
    }

    private void collectReferences(DeclarationInfo member) {
        for (AnnotationInfo annotation : member.annotations()) {
            if (isThere(annotation) && annotation.declaration().hasAnnotation(GeneratorReference.class)) {
                // As it was written, else its default.
                injected.add(annotation.value().asString());
            }
        }
    }

    @Registration(types = Object.class)
    public void collect(BeanInfo bean) {
        for (InjectionPointInfo point : bean.injectionPoints()) {
            collect(point.type(), point.qualifiers());
        }
        DisposerInfo disposer = bean.disposer();
        if (disposer != null) {
            collect(disposer.disposerMethod());
        }
    }

    @Registration(types = Object.class)
    public void collect(InterceptorInfo interceptor) {
        collect((BeanInfo) interceptor);
    }

    @Registration(types = Object.class)
    public void collect(ObserverInfo observer) {
        if (!observer.isSynthetic()) {
            collect(observer.observerMethod());
        }
    }

    private void collect(MethodInfo method) {
        method.parameters().forEach(parameter -> collect(parameter.type(), parameter.annotations()));
    }

    private void collect(Type type, Collection<AnnotationInfo> annotations) {
        if (!isSnowflake(type)) {
            return;
        }
        boolean qualified = false;
        for (AnnotationInfo annotation : annotations) {
            if (!isThere(annotation)) {
                continue;
            }
            if (annotation.name().equals(SnowflakeName.class.getName())) {
                injected.add(annotation.value().asString());
            }
            qualified |= !annotation.name().equals(Default.class.getName())
                    && annotation.declaration().hasAnnotation(Qualifier.class);
        }
        if (!qualified) {
            injected.add(SnowflakeSettings.DEFAULT_GENERATOR);
        }
    }

    /** Libraries carry annotations whose classes are not there. Quarkus fails when one is asked for its name, if it starts anew in dev mode. */
    private static boolean isThere(AnnotationInfo annotation) {
        try {
            ClassInfo unused = annotation.declaration();
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    private static boolean isSnowflake(Type type) {
        if (type.isParameterizedType()) {
            ParameterizedType generic = type.asParameterizedType();
            return LAZY.contains(generic.declaration().name())
                    && isSnowflake(generic.typeArguments().get(0));
        }
        return type.isClass() && type.asClass().declaration().name().equals(Snowflake.class.getName());
    }

    @Synthesis
    public void addBeans(SyntheticComponents components) {
        String[] names = injected.toArray(String[]::new);
        Set<String> others = new TreeSet<>(new ConfiguredValues().claimedAtStartIfValid());
        others.addAll(injected);
        others.remove(SnowflakeSettings.DEFAULT_GENERATOR);
        addGenerator(components, SnowflakeSettings.DEFAULT_GENERATOR, names).qualifier(Default.Literal.INSTANCE);
        others.forEach(generator -> addGenerator(components, generator, names));
        if (OptionalApi.MICROPROFILE_HEALTH.isPresent()) {
            SnowflakeHealthCheck.addTo(components, names);
        }
        components
                .addObserver(Startup.class)
                .priority(Interceptor.Priority.LIBRARY_BEFORE)
                .withParam(INJECTED, names)
                .observeWith(Claim.class);
        components
                .addObserver(Object.class)
                .qualifier(BeforeDestroyed.Literal.APPLICATION)
                .withParam(INJECTED, names)
                .observeWith(End.class);
        if (SeStart.isGoingOn()) {
            // Before any bean can have a generator: what it opens belongs to this start.
            UnfinishedStart.begin();
            components.addObserver(Startup.class).priority(Integer.MAX_VALUE).observeWith(Started.class);
        }
    }

    private static SyntheticBeanBuilder<Snowflake> addGenerator(
            SyntheticComponents components, String generator, String[] injected) {
        return components
                .addBean(Snowflake.class)
                .type(Snowflake.class)
                .qualifier(SnowflakeName.Literal.of(generator))
                .scope(Singleton.class)
                // Quarkus removes beans without a name that are at no injection point, though they may be looked up.
                .name(GeneratorBeans.name(generator))
                .withParam(GENERATOR, generator)
                .withParam(INJECTED, injected)
                .createWith(Creator.class)
                .disposeWith(Disposer.class);
    }

    /** The one that asks, which need not be that of {@link CDI#current()}. */
    static BeanContainer container(Instance<Object> lookup) {
        return lookup.select(BeanContainer.class).get();
    }

    static Set<String> injected(Parameters parameters) {
        Set<String> injected = new TreeSet<>(new ConfiguredValues().claimedAtStartIfValid());
        injected.addAll(List.of(parameters.get(INJECTED, String[].class)));
        return injected;
    }

    /** Runs in the application, not at build time. */
    public static final class Creator implements SyntheticBeanCreator<Snowflake> {
        @Override
        public Snowflake create(Instance<Object> lookup, Parameters parameters) {
            BeanContainer container = container(lookup);
            String generator = parameters.get(GENERATOR, String.class);
            InjectedSnowflake ids = new Generators(container, injected(parameters))
                    .create(generator, EventFiring.oneByOne(container, generator));
            UnfinishedStart.opened(ids);
            return ids;
        }
    }

    /** Runs in the application, not at build time. */
    public static final class Disposer implements SyntheticBeanDisposer<Snowflake> {
        @Override
        public void dispose(Snowflake ids, Instance<Object> lookup, Parameters parameters) {
            Generators.destroy(ids);
        }
    }

    /** Runs in the application, not at build time. */
    public static final class Claim implements SyntheticObserver<Startup> {
        @Override
        public void observe(EventContext<Startup> event, Parameters parameters) {
            new Generators(CDI.current().getBeanContainer(), injected(parameters)).claim();
        }
    }

    /** Runs in Java SE. */
    public static final class Started implements SyntheticObserver<Startup> {
        @Override
        public void observe(EventContext<Startup> event, Parameters parameters) {
            UnfinishedStart.end();
        }
    }

    /** Runs in the application, not at build time. */
    public static final class End implements SyntheticObserver<Object> {
        @Override
        public void observe(EventContext<Object> event, Parameters parameters) {
            Set<String> generators = injected(parameters);
            generators.add(SnowflakeSettings.DEFAULT_GENERATOR);
            GeneratorBeans beans = new GeneratorBeans(CDI.current().getBeanContainer());
            Ending unused = new Ending(beans.openAmong(generators), false);
        }
    }
}
