// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.spi.Resources;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanCurrentlyInCreationException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;

/** What an application has: its beans, by their names, or the only or primary one of a type. */
final class ContextResources implements Resources {

    /** The bean that waits for what makes the tables of the application's databases. */
    static final String INITIALIZED_DATABASES = "snowflakeInitializedDatabases";

    private static final System.Logger LOG = System.getLogger(ContextResources.class.getName());

    private final BeanFactory beans;
    private final String generator;

    ContextResources(BeanFactory beans, String generator) {
        this.beans = beans;
        this.generator = generator;
    }

    @Override
    public <T> Optional<T> find(Class<T> type, @Nullable String name) {
        if (type == DataSource.class) {
            awaitInitializedDatabases();
        }
        if (name != null) {
            return beans.containsBean(name) && beans.isTypeMatch(name, type)
                    ? Optional.of(beans.getBean(name, type))
                    : Optional.empty();
        }
        try {
            return Optional.ofNullable(beans.getBeanProvider(type).getIfAvailable());
        } catch (NoUniqueBeanDefinitionException e) {
            throw new InvalidSettingsException(
                    List.of("snowflake '" + generator + "': there are several beans of type " + type.getName() + " ("
                            + e.getMessage() + "). Make one of them @Primary, or name one in the settings."));
        }
    }

    /** A migration may make the table of worker ids, and Flyway accepts no new database in which there is one already. */
    private void awaitInitializedDatabases() {
        try {
            Object unused = beans.getBean(INITIALIZED_DATABASES);
        } catch (BeansException e) {
            if (!e.contains(BeanCurrentlyInCreationException.class)) {
                throw e;
            }
            LOG.log(
                    Level.DEBUG,
                    () -> "snowflake '" + generator + "': wanted by what makes the tables of a database: "
                            + e.getMessage());
        }
    }
}
