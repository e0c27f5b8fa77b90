// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** The application has no generator of its own that takes the place of {@code default}, and neither has a parent of its context. */
final class DefaultIsNotReplaced implements ConfigurationCondition {

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Set<String> generators = new ConfiguredKeys((ConfigurableEnvironment) context.getEnvironment()).generators();
        return !isReplacedIn(context.getBeanFactory(), generators);
    }

    private static boolean isReplacedIn(@Nullable BeanFactory beans, Set<String> generators) {
        return beans instanceof ConfigurableListableBeanFactory local
                && (new OwnBeans(local).replaceDefault(generators)
                        || isReplacedIn(local.getParentBeanFactory(), generators));
    }
}
