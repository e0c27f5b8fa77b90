// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import java.lang.annotation.Annotation;
import java.util.Map;
import java.util.Objects;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.DependencyDescriptor;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ReflectionUtils;

/**
 * {@code @Qualifier("orders") Snowflake}, as in a bean's constructor. With it Spring itself says which beans are meant: by their qualifiers,
 * names and aliases, and behind proxies too.
 */
final class QualifiedPoint extends DependencyDescriptor {
    private static final long serialVersionUID = 1L;

    private final transient Annotation[] annotations;

    QualifiedPoint(String generator) {
        this(generator, true);
    }

    QualifiedPoint(String generator, boolean required) {
        super(snowflake(), required);
        Qualifier qualifier =
                MergedAnnotation.of(Qualifier.class, Map.of("value", generator)).synthesize();
        this.annotations = new Annotation[] {qualifier};
    }

    /** Any place where one is: Spring asks for its type. */
    private static MethodParameter snowflake() {
        return new MethodParameter(
                Objects.requireNonNull(ReflectionUtils.findMethod(Generators.class, "open", String.class)), -1);
    }

    @Override
    public Annotation[] getAnnotations() {
        return annotations;
    }

    /** Where no bean matches, Spring looks for one that matches less well, by a copy that would have no qualifier: then any bean would do. */
    @Override
    public DependencyDescriptor forFallbackMatch() {
        return this;
    }
}
