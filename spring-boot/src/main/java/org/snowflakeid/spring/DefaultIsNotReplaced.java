// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeSettings;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * The application has no generator of its own without a qualifier, or with the qualifier {@code default}. One with another qualifier
 * stands for another generator: if that took the place of this one, ids of two namespaces would get into one column.
 */
final class DefaultIsNotReplaced implements ConfigurationCondition {

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        return !isReplacedIn(context.getBeanFactory());
    }

    private static boolean isReplacedIn(@Nullable BeanFactory beans) {
        return beans instanceof ConfigurableListableBeanFactory local
                && (Stream.of(local.getBeanNamesForType(Snowflake.class, true, false))
                                .anyMatch(bean -> isDefault(local, bean))
                        || isReplacedIn(local.getParentBeanFactory()));
    }

    private static boolean isDefault(ConfigurableListableBeanFactory beans, String bean) {
        if (!beans.containsBeanDefinition(bean)) {
            return true; // an object that was registered as it is
        }
        if (!(beans.getMergedBeanDefinition(bean) instanceof AbstractBeanDefinition definition)) {
            return true;
        }
        if (!definition.isAutowireCandidate() || !definition.isDefaultCandidate()) {
            return false;
        }
        boolean qualified = !definition.getQualifiers().isEmpty()
                || beans.findAnnotationOnBean(bean, Qualifier.class, false) != null;
        return !qualified
                || BeanFactoryAnnotationUtils.isQualifierMatch(
                        SnowflakeSettings.DEFAULT_GENERATOR::equals, bean, beans);
    }
}
