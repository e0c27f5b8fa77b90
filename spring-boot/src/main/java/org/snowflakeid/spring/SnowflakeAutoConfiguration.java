// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import io.micrometer.core.instrument.binder.MeterBinder;
import org.snowflakeid.Snowflake;
import org.snowflakeid.hibernate.GeneratorSource;
import org.snowflakeid.metrics.SnowflakeMetrics;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.orm.jpa.AbstractEntityManagerFactoryBean;

/**
 * The generator without a name, and one for each name that is configured. A generator that the application does not use claims no worker
 * id: that is why the beans are lazy. One that a bean takes, an entity names, or {@code snowflake.claim-at-start} lists claims its worker
 * id while the context starts.
 */
@AutoConfiguration
@Import({NamedGenerators.class, HealthOnBoot3.class, HealthOnBoot4.class})
public class SnowflakeAutoConfiguration {

    /** For Spring. */
    public SnowflakeAutoConfiguration() {}

    @Bean(Generators.BEAN)
    static Generators generators(ConfigurableApplicationContext context) {
        return new Generators(context);
    }

    /** Spring creates it after Flyway, Liquibase and the application's scripts, if there are any. */
    @Bean(name = ContextResources.INITIALIZED_DATABASES, defaultCandidate = false)
    @Lazy
    @DependsOnDatabaseInitialization
    static Object initializedDatabases() {
        return ContextResources.INITIALIZED_DATABASES;
    }

    @Bean(Generators.BEAN_PREFIX + "default")
    @Qualifier("default")
    @Lazy
    @Conditional(DefaultIsNotReplaced.class)
    static Snowflake ids(Generators generators) {
        return generators.open("default");
    }

    /** Where the application has Micrometer. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({MeterBinder.class, SnowflakeMetrics.class})
    static class Metrics {

        @Bean
        static MeterBinder snowflakeMeters(Generators generators) {
            return registry -> generators.forEach(ids -> new SnowflakeMetrics(ids).bindTo(registry));
        }
    }

    /** Where the application has entities of Hibernate. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({AbstractEntityManagerFactoryBean.class, GeneratorSource.class})
    static class Entities {

        @Bean
        static EntityGenerators snowflakeEntityGenerators(ConfigurableListableBeanFactory beans) {
            return new EntityGenerators(beans);
        }
    }
}
