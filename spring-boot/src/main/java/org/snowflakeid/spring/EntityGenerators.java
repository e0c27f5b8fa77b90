// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.hibernate.GeneratorSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.orm.jpa.AbstractEntityManagerFactoryBean;

/** Gives each persistence unit of Hibernate the generators that its entities name, as beans. */
final class EntityGenerators implements BeanPostProcessor {

    private final BeanFactory beans;

    EntityGenerators(BeanFactory beans) {
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
            return generator.equals(SnowflakeSettings.DEFAULT_GENERATOR)
                    ? beans.getBean(Snowflake.class)
                    : BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, Snowflake.class, generator);
        } catch (NoSuchBeanDefinitionException e) {
            throw new SnowflakeException(
                    "snowflake '" + generator + "': an entity names this generator, and the application has no single"
                            + " bean for it (" + e.getMessage() + "). "
                            + MissingGeneratorFailureAnalyzer.remedy(generator),
                    e);
        }
    }
}
