// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.hibernate.GeneratorSource;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.orm.jpa.AbstractEntityManagerFactoryBean;

/** Gives each persistence unit of Hibernate the generators that its entities name, as beans. */
final class EntityGenerators implements BeanPostProcessor {

    private final AutowireCapableBeanFactory beans;

    EntityGenerators(AutowireCapableBeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        if (bean instanceof AbstractEntityManagerFactoryBean unit) {
            GeneratorSource source = this::named;
            unit.getJpaPropertyMap().putIfAbsent(GeneratorSource.SETTING, source);
        }
        return bean;
    }

    private Snowflake named(String generator) {
        try {
            // One without a qualifier may replace the one without a name, and no other.
            boolean required = !generator.equals(SnowflakeSettings.DEFAULT_GENERATOR);
            Object qualified = beans.resolveDependency(new QualifiedPoint(generator, required), null);
            return qualified == null ? beans.getBean(Snowflake.class) : (Snowflake) qualified;
        } catch (NoSuchBeanDefinitionException e) {
            throw new SnowflakeException(
                    "snowflake '" + generator + "': an entity names this generator, and the application has no single"
                            + " bean for it (" + e.getMessage() + "). "
                            + remedy(generator, e),
                    e);
        }
    }

    private static String remedy(String generator, NoSuchBeanDefinitionException e) {
        return e instanceof NoUniqueBeanDefinitionException
                ? "Mark the one that is meant with @Primary or @Qualifier(\"" + generator + "\")."
                : MissingGeneratorFailureAnalyzer.remedy(generator);
    }
}
