// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.InjectionPoint;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.UnsatisfiedDependencyException;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Says what to set for a generator that is injected and not configured. Spring itself would propose to write a bean. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class MissingGeneratorFailureAnalyzer extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> {

    private final BeanFactory beans;

    MissingGeneratorFailureAnalyzer(BeanFactory beans) {
        this.beans = beans;
    }

    static String remedy(String generator) {
        try {
            SnowflakeSettings unused = SnowflakeSettings.of(generator, Map.of());
        } catch (InvalidSettingsException e) {
            // No key can be set for it.
            return String.join(" ", e.problems());
        }
        return "Set snowflake.claim-at-start=default," + generator + ", or any key below snowflake.generators."
                + generator + ". if it is configured otherwise than the one without a name.";
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause) {
        if (cause instanceof NoUniqueBeanDefinitionException) {
            // Spring's own words are right: there are too many.
            return null;
        }
        if (cause.getResolvableType() == null || cause.getResolvableType().toClass() != Snowflake.class) {
            return null;
        }
        InjectionPoint point = null;
        for (Throwable each = rootFailure; each != null; each = each.getCause()) {
            if (each instanceof SnowflakeException) {
                // It is an entity that wants it, and says so.
                return null;
            }
            if (each instanceof UnsatisfiedDependencyException unsatisfied) {
                point = unsatisfied.getInjectionPoint();
            }
        }
        Qualifier qualifier = point == null ? null : point.getAnnotation(Qualifier.class);
        if (point == null || qualifier == null) {
            return null;
        }
        String generator = qualifier.value();
        if (!beans.containsBean(Generators.BEAN)) {
            // No key would help, and it may be set.
            return new FailureAnalysis(
                    "snowflake '" + generator
                            + "': this context has no generators, as in the test of a slice. One is wanted by "
                            + point.getMember() + ".",
                    "Give the context a bean of type Snowflake with @Qualifier(\"" + generator
                            + "\"), such as a TestSnowflake of snowflake-testing, or add"
                            + " @ImportAutoConfiguration(SnowflakeAutoConfiguration.class).",
                    cause);
        }
        return new FailureAnalysis(
                "snowflake '" + generator + "': nothing configures this generator, which is wanted by "
                        + point.getMember() + ".",
                remedy(generator),
                cause);
    }
}
