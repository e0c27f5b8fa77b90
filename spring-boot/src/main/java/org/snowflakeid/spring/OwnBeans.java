// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeSettings;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.type.MethodMetadata;
import org.springframework.util.ClassUtils;

/** The generators that the application has as beans of its own, and which of ours they replace. */
final class OwnBeans {

    /** Spring has them since 6.2. Before it, the one without a name is the primary one instead. */
    static final boolean KNOWS_DEFAULT_CANDIDATES =
            ClassUtils.hasMethod(AbstractBeanDefinition.class, "isDefaultCandidate");

    private static final String NAMED = "jakarta.inject.Named";
    private static final String QUALIFIER = "jakarta.inject.Qualifier";

    private final ConfigurableListableBeanFactory beans;

    OwnBeans(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    private Stream<String> all() {
        return Stream.of(beans.getBeanNamesForType(Snowflake.class, true, false));
    }

    /** Whether an injection point with this qualifier gets one, also of a parent of the context. */
    boolean replace(String generator) {
        return replaceHere(generator)
                || (beans.getParentBeanFactory() instanceof ConfigurableListableBeanFactory parent
                        && new OwnBeans(parent).replace(generator));
    }

    private boolean replaceHere(String generator) {
        return all().anyMatch(bean -> beans.isAutowireCandidate(bean, new QualifiedPoint(generator)));
    }

    /** Whether this context has one in place of the generator of a parent of it. */
    boolean hide(String generator, Collection<String> generators) {
        return generator.equals(SnowflakeSettings.DEFAULT_GENERATOR)
                ? replaceDefault(generators)
                : replaceHere(generator);
    }

    /**
     * Whether there is one with the qualifier {@code default}, or without a qualifier. To Spring a bean's name is a qualifier too, so one
     * that is named like another generator replaces that one: if it took the place of this one too, ids of two namespaces would get into
     * one column.
     */
    boolean replaceDefault(Collection<String> generators) {
        return all().anyMatch(bean -> isDefault(bean, generators));
    }

    private boolean isDefault(String bean, Collection<String> generators) {
        AbstractBeanDefinition definition = definition(bean);
        if (definition != null && !isCandidate(definition)) {
            return false;
        }
        return isFor(SnowflakeSettings.DEFAULT_GENERATOR, bean)
                || (!isQualified(bean) && generators.stream().noneMatch(generator -> isFor(generator, bean)));
    }

    private static boolean isCandidate(AbstractBeanDefinition definition) {
        return definition.isAutowireCandidate() && (!KNOWS_DEFAULT_CANDIDATES || definition.isDefaultCandidate());
    }

    private boolean isFor(String generator, String bean) {
        return beans.isAutowireCandidate(bean, new QualifiedPoint(generator))
                || named(bean).equals(Optional.of(generator));
    }

    /** Null for an object that was registered as it is. */
    private @Nullable AbstractBeanDefinition definition(String bean) {
        return beans.containsBeanDefinition(bean)
                        && beans.getMergedBeanDefinition(bean) instanceof AbstractBeanDefinition definition
                ? definition
                : null;
    }

    private boolean isQualified(String bean) {
        MethodMetadata method = method(bean);
        return hasQualifier(bean) || (method != null && method.isAnnotated(QUALIFIER));
    }

    private boolean hasQualifier(String bean) {
        AbstractBeanDefinition definition = definition(bean);
        return (definition != null && !definition.getQualifiers().isEmpty())
                || beans.findAnnotationOnBean(target(bean), Qualifier.class, false) != null;
    }

    private Optional<String> named(String bean) {
        MethodMetadata method = method(bean);
        return method == null
                ? Optional.empty()
                : method.getAnnotations().get(NAMED).getValue("value", String.class);
    }

    /** What makes it, if that is a method with {@code @Bean}. */
    private @Nullable MethodMetadata method(String bean) {
        String target = target(bean);
        return beans.containsBeanDefinition(target)
                        && beans.getBeanDefinition(target) instanceof AnnotatedBeanDefinition annotated
                ? annotated.getFactoryMethodMetadata()
                : null;
    }

    /** Behind the proxy, if it is one: that has none of the annotations. */
    private String target(String bean) {
        return definition(bean) instanceof RootBeanDefinition root && root.getDecoratedDefinition() != null
                ? root.getDecoratedDefinition().getBeanName()
                : bean;
    }

    /** Spring finds a bean that is {@code @Named("orders")} by that annotation, and not by {@code @Qualifier("orders")}. */
    void makeNamedQualified() {
        all().filter(bean -> !hasQualifier(bean))
                .forEach(bean -> named(bean).ifPresent(name -> ((AbstractBeanDefinition) beans.getBeanDefinition(bean))
                        .addQualifier(new AutowireCandidateQualifier(Qualifier.class, name))));
        beans.clearMetadataCache();
    }

    /** Only before Spring 6.2: there one of ours with a name could be meant by an injection point without a qualifier too. */
    void makeDefaultPrimary(Collection<String> generators) {
        List<String> defaults =
                all().filter(bean -> isDefault(bean, generators)).toList();
        if (defaults.size() == 1 && beans.containsBeanDefinition(defaults.get(0))) {
            beans.getBeanDefinition(defaults.get(0)).setPrimary(true);
            beans.clearMetadataCache();
        }
    }

    boolean arePrimary() {
        return all().map(this::definition).anyMatch(definition -> definition != null && definition.isPrimary());
    }
}
