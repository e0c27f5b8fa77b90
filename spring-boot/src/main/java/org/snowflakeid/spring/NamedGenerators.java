// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import java.util.List;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeSettings;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * A bean for each generator with a name that is configured, unless the application has one of its own, or a parent of the context has it.
 * Spring closes it as what is closeable.
 */
final class NamedGenerators implements ImportBeanDefinitionRegistrar {

    private final ConfiguredKeys keys;
    private final BeanFactory beans;

    NamedGenerators(Environment environment, BeanFactory beans) {
        this.keys = new ConfiguredKeys((ConfigurableEnvironment) environment);
        this.beans = beans;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        OwnBeans own = new OwnBeans((ConfigurableListableBeanFactory) beans);
        own.makeNamedQualified();
        List<String> named = keys.generators().stream()
                .filter(generator -> !generator.equals(SnowflakeSettings.DEFAULT_GENERATOR) && !own.replace(generator))
                .toList();
        String ours = Generators.BEAN_PREFIX + SnowflakeSettings.DEFAULT_GENERATOR;
        if (registry.containsBeanDefinition(ours)) {
            // Else an injection point without a qualifier could get a generator of the application that has another
            // name.
            registry.getBeanDefinition(ours).setPrimary(!own.arePrimary());
        } else if (!OwnBeans.KNOWS_DEFAULT_CANDIDATES && !named.isEmpty() && !own.arePrimary()) {
            own.makeDefaultPrimary(keys.generators());
        }
        named.forEach(generator ->
                registry.registerBeanDefinition(Generators.BEAN_PREFIX + generator, definition(generator)));
    }

    private static RootBeanDefinition definition(String generator) {
        // Not by a lambda, of which Spring can write no code ahead of time.
        RootBeanDefinition definition = new RootBeanDefinition();
        definition.setTargetType(Snowflake.class);
        definition.setFactoryBeanName(Generators.BEAN);
        definition.setFactoryMethodName("open");
        definition.getConstructorArgumentValues().addIndexedArgumentValue(0, generator);
        definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, generator));
        if (OwnBeans.KNOWS_DEFAULT_CANDIDATES) {
            // Else an injection point without a qualifier would not know which one to take.
            definition.setDefaultCandidate(false);
        }
        definition.setLazyInit(true);
        definition.setDependsOn(Generators.BEAN);
        return definition;
    }
}
