// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.hibernate.GeneratorSource;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.PriorityOrdered;
import org.springframework.orm.jpa.AbstractEntityManagerFactoryBean;

/** Gives each persistence unit of Hibernate the generators that its entities name, as beans. */
// Ordered, since other post-processors may want a persistence unit while they are made.
final class EntityGenerators implements BeanPostProcessor, PriorityOrdered, SmartInitializingSingleton {

    private static final Set<String> SESSION_FACTORIES = Set.of(
            "org.springframework.orm.hibernate5.LocalSessionFactoryBean",
            "org.springframework.orm.jpa.hibernate.LocalSessionFactoryBean");

    private final AutowireCapableBeanFactory beans;

    /** Units that Hibernate makes on a thread of its own. */
    private final List<AbstractEntityManagerFactoryBean> concurrent = new CopyOnWriteArrayList<>();

    private final Map<String, LateGenerator> late = new ConcurrentHashMap<>();

    EntityGenerators(AutowireCapableBeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        GeneratorSource source = this::named;
        if (bean instanceof AbstractEntityManagerFactoryBean unit) {
            if (unit.getBootstrapExecutor() != null) {
                // A thread that waits for the unit may hold Spring's lock, which making a bean needs.
                source = generator -> late.computeIfAbsent(generator, key -> new LateGenerator(() -> named(key)));
                concurrent.add(unit);
            }
            unit.getJpaPropertyMap().putIfAbsent(GeneratorSource.SETTING, source);
        } else if (isSessionFactory(bean.getClass())) {
            hibernateProperties(bean).putIfAbsent(GeneratorSource.SETTING, source);
        }
        return bean;
    }

    /** As with other units the start claims what entities name, and fails if it can't. No thread holds Spring's lock here. */
    @Override
    public void afterSingletonsInstantiated() {
        concurrent.forEach(AbstractEntityManagerFactoryBean::getNativeEntityManagerFactory);
        late.values().forEach(LateGenerator::found);
    }

    /** By its name, since it moved to another package from Spring 6 to 7. */
    private static boolean isSessionFactory(@Nullable Class<?> type) {
        return type != null && (SESSION_FACTORIES.contains(type.getName()) || isSessionFactory(type.getSuperclass()));
    }

    private static Properties hibernateProperties(Object sessionFactory) {
        try {
            return (Properties) sessionFactory
                    .getClass()
                    .getMethod("getHibernateProperties")
                    .invoke(sessionFactory);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
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
