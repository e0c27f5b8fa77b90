// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.inject.AmbiguousResolutionException;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanContainer;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.inject.Singleton;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeSettings;

/**
 * How the beans of generators look, and which of them a container has. The container alone keeps them, so that several applications in
 * one server have nothing in common.
 */
final class GeneratorBeans {

    private final BeanContainer container;

    GeneratorBeans(BeanContainer container) {
        this.container = container;
    }

    /** By which a generator is injected. */
    static Annotation qualifier(String generator) {
        return generator.equals(SnowflakeSettings.DEFAULT_GENERATOR)
                ? Default.Literal.INSTANCE
                : SnowflakeName.Literal.of(generator);
    }

    /** All that its bean has, and its events: the unnamed generator can be called by name too. */
    static Annotation[] qualifiers(String generator) {
        SnowflakeName name = SnowflakeName.Literal.of(generator);
        // Default last: Weld drops it when another is added to a bean.
        return generator.equals(SnowflakeSettings.DEFAULT_GENERATOR)
                ? new Annotation[] {name, Default.Literal.INSTANCE}
                : new Annotation[] {name};
    }

    /** By which a generator's bean is known as ours, whatever other beans look like. Without a dot: no bean of the application may have the name of what comes before one. */
    static String name(String generator) {
        return "snowflake:" + generator;
    }

    /** The generator's bean, unless the container removed it as unused. */
    private Optional<Bean<?>> own(String generator) {
        return container.getBeans(Snowflake.class, Any.Literal.INSTANCE).stream()
                .filter(bean -> name(generator).equals(bean.getName()))
                .findFirst();
    }

    /** The generator's bean, unless the application replaced it or the container removed it as unused. */
    private Optional<Bean<?>> inUse(String generator) {
        return own(generator).filter(own -> isChosen(generator, own));
    }

    boolean isThere(String generator) {
        return own(generator).isPresent();
    }

    boolean isInUse(String generator) {
        return inUse(generator).isPresent();
    }

    /** An alternative that this container knows and does not inject: OpenWebBeans does so with those that extensions add. */
    Optional<Bean<?>> passedOver(String generator) {
        return container.getBeans(Snowflake.class, qualifier(generator)).stream()
                .filter(Bean::isAlternative)
                .findFirst();
    }

    /** By a bean of the application. */
    boolean isReplaced(String generator) {
        return isThere(generator) && !isInUse(generator);
    }

    /** In a web archive an extension sees the beans of its own jar alone; what is current there sees those of the application. */
    Optional<BeanContainer> ofTheApplication(String generator) {
        BeanContainer current;
        try {
            current = CDI.current().getBeanContainer();
        } catch (RuntimeException e) {
            return Optional.empty();
        }
        // It may be that of another application, where several are in one process.
        Optional<Bean<?>> ours = own(generator);
        return ours.isPresent() && ours.equals(new GeneratorBeans(current).own(generator))
                ? Optional.of(current)
                : Optional.empty();
    }

    /** By the extension's archive and by the application, whose beans need not be seen from there. */
    private boolean isChosen(String generator, Bean<?> own) {
        return isResolved(container, generator, own)
                && ofTheApplication(generator)
                        .filter(whole -> !isResolved(whole, generator, own))
                        .isEmpty();
    }

    private static boolean isResolved(BeanContainer container, String generator, Bean<?> own) {
        try {
            return own.equals(container.resolve(container.getBeans(Snowflake.class, qualifier(generator))));
        } catch (AmbiguousResolutionException e) {
            // It can't be injected, though it can be found among others.
            return false;
        }
    }

    /** Opens the generator, unless it is not in use. */
    void open(String generator) {
        inUse(generator)
                .ifPresent(
                        bean -> container.getReference(bean, Snowflake.class, container.createCreationalContext(bean)));
    }

    /** Of these generators, the ones that are open. */
    List<InjectedSnowflake> openAmong(Collection<String> generators) {
        List<InjectedSnowflake> open = new ArrayList<>();
        for (String generator : generators) {
            own(generator)
                    .map(bean -> container.getContext(Singleton.class).get(bean))
                    .ifPresent(ids -> open.add((InjectedSnowflake) ids));
        }
        return open;
    }
}
