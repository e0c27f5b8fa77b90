// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.spi.AlterableContext;
import jakarta.enterprise.context.spi.CreationalContext;
import jakarta.enterprise.inject.AmbiguousResolutionException;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.literal.NamedLiteral;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanContainer;
import java.lang.annotation.Annotation;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.naming.InitialContext;
import javax.naming.NameNotFoundException;
import javax.naming.NamingException;
import javax.naming.NoInitialContextException;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.spi.Resources;

/**
 * What an application has: its beans first, then what its server has in JNDI.
 *
 * <p>A name is that of a {@code @Named} bean, as Quarkus gives one to each of its data sources, or one in JNDI, as it is or below
 * {@code java:comp/env/}. Without a name it is the unqualified bean.
 */
final class ApplicationResources implements Resources {

    /** No other namespace: some would load code from elsewhere. */
    private static final Pattern LOCAL = Pattern.compile("(java:)?[^:]+");

    private final BeanContainer container;
    private final String generator;

    /** Of dependent beans, which nothing else would destroy. */
    private final Queue<CreationalContext<?>> own = new ConcurrentLinkedQueue<>();

    /** Of normal scopes: a call of such a bean that has been destroyed makes it anew. */
    private final Queue<Bean<?>> shared = new ConcurrentLinkedQueue<>();

    ApplicationResources(BeanContainer container, String generator) {
        this.container = container;
        this.generator = generator;
    }

    @Override
    public <T> Optional<T> find(Class<T> type, @Nullable String name) {
        return bean(container, type, name)
                .or(() -> new GeneratorBeans(container)
                        .ofTheApplication(generator)
                        .flatMap(whole -> bean(whole, type, name)))
                .or(() ->
                        names(name).flatMap(each -> inJndi(type, each).stream()).findFirst());
    }

    private <T> Optional<T> bean(BeanContainer beans, Class<T> type, @Nullable String name) {
        Annotation qualifier = name == null ? Default.Literal.INSTANCE : NamedLiteral.of(name);
        Set<Bean<?>> all = beans.getBeans(type, qualifier);
        Set<Bean<?>> unnamed =
                all.stream().filter(each -> each.getName() == null).collect(Collectors.toSet());
        Bean<?> bean;
        try {
            // A name is no qualifier that would make a bean another than the default.
            bean = beans.resolve(unnamed.isEmpty() ? all : unnamed);
        } catch (AmbiguousResolutionException e) {
            throw refused("there are several beans of type " + type.getName()
                    + (name == null ? ", all of them unqualified" : " with the name '" + name + "'") + " ("
                    + e.getMessage()
                    + "). Give one of them a name of its own by @Named, and name it in the settings.");
        }
        if (bean == null) {
            return Optional.empty();
        }
        CreationalContext<?> context = beans.createCreationalContext(bean);
        if (bean.getScope() == Dependent.class) {
            own.add(context);
        } else if (beans.isNormalScope(bean.getScope())) {
            shared.add(bean);
        }
        try {
            return Optional.of(type.cast(beans.getReference(bean, type, context)));
        } catch (RuntimeException e) {
            throw refused("the bean " + bean + " could not be obtained: " + e);
        }
    }

    /**
     * To be called once nothing that was found is used any more.
     *
     * @param atTheEnd whether the application's beans are destroyed, so that what the last calls made anew would stay
     */
    void release(boolean atTheEnd) {
        for (CreationalContext<?> each = own.poll(); each != null; each = own.poll()) {
            each.release();
        }
        for (Bean<?> each = shared.poll(); each != null; each = shared.poll()) {
            if (atTheEnd && container.getContext(each.getScope()) instanceof AlterableContext context) {
                context.destroy(each);
            }
        }
    }

    private static Stream<String> names(@Nullable String name) {
        if (name == null || !LOCAL.matcher(name).matches()) {
            return Stream.of();
        }
        return name.startsWith("java:") ? Stream.of(name) : Stream.of(name, "java:comp/env/" + name);
    }

    // The names come from the configuration, and none leads out of this process's own namespaces.
    @SuppressWarnings("BanJNDI")
    private <T> Optional<T> inJndi(Class<T> type, String name) {
        Object found;
        try {
            found = new InitialContext().lookup(name);
        } catch (NamingException e) {
            if (isAbsent(e)) {
                return Optional.empty();
            }
            throw refused("'" + name + "' could not be obtained from JNDI: " + e);
        }
        if (found == null) {
            return Optional.empty();
        }
        if (!type.isInstance(found)) {
            throw refused("'" + name + "' is in JNDI a " + found.getClass().getName() + ", and no " + type.getName()
                    + ". Name another.");
        }
        return Optional.of(type.cast(found));
    }

    /** Also where there is no JNDI. Some servers wrap what says so. */
    private static boolean isAbsent(NamingException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof NameNotFoundException || cause instanceof NoInitialContextException) {
                return true;
            }
        }
        return false;
    }

    private InvalidSettingsException refused(String problem) {
        return new InvalidSettingsException(List.of("snowflake '" + generator + "': " + problem));
    }
}
