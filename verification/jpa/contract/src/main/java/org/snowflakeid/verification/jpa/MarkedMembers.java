// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.Embeddable;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What {@code @SnowflakeId} marks in an entity, whichever artifact the annotation is of. */
final class MarkedMembers {

    private MarkedMembers() {}

    /** Of its fields and getters, those that it inherits, and those of its embeddables. One that is missing is null. */
    static List<@Nullable Object> values(Object bean) {
        List<@Nullable Object> values = new ArrayList<>();
        try {
            for (Class<?> type : types(bean.getClass())) {
                for (Field field : type.getDeclaredFields()) {
                    field.setAccessible(true);
                    Object value = field.get(bean);
                    if (isMarked(field) || (isPart(field.getType()) && value == null)) {
                        values.add(value);
                    } else if (value != null && isPart(field.getType())) {
                        values.addAll(values(value));
                    }
                }
                for (Method getter : type.getDeclaredMethods()) {
                    // A record has the annotation of a component on its field too.
                    if (isMarked(getter) && !type.isRecord()) {
                        getter.setAccessible(true);
                        values.add(getter.invoke(bean));
                    }
                }
            }
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("can't read " + bean.getClass(), e);
        }
        return values;
    }

    /** Superclasses and embeddables. */
    static Set<Class<?>> parts(Class<?> entity) {
        Set<Class<?>> parts = new LinkedHashSet<>();
        for (Class<?> type : types(entity)) {
            if (type != entity) {
                parts.add(type);
            }
            Stream.of(type.getDeclaredFields())
                    .flatMap(field -> named(field.getGenericType()))
                    .filter(MarkedMembers::isPart)
                    .forEach(part -> {
                        parts.add(part);
                        parts.addAll(parts(part));
                    });
        }
        return parts;
    }

    private static List<Class<?>> types(Class<?> type) {
        return Stream.<Class<?>>iterate(
                        type, each -> each != Object.class && each != Record.class, Class::getSuperclass)
                .toList();
    }

    private static Stream<Class<?>> named(Type type) {
        return type instanceof ParameterizedType generic
                ? Stream.of(generic.getActualTypeArguments()).flatMap(MarkedMembers::named)
                : type instanceof Class<?> itself ? Stream.of(itself) : Stream.of();
    }

    private static boolean isPart(Class<?> type) {
        return type.isAnnotationPresent(Embeddable.class);
    }

    private static boolean isMarked(AnnotatedElement member) {
        return Stream.of(member.getAnnotations())
                .anyMatch(mark -> mark.annotationType().getSimpleName().equals("SnowflakeId"));
    }
}
