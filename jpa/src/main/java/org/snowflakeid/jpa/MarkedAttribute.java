// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jpa;

import jakarta.persistence.Embeddable;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.cdi.IdAttribute;

/** A field or property of an entity: it wants an id, or it holds an embeddable with parts that want one. */
final class MarkedAttribute {

    /** A {@link Field}, or the {@link Method} that reads a property. */
    private final AnnotatedElement member;

    private final @Nullable Method setter;
    private final @Nullable IdAttribute ids;
    private final List<MarkedAttribute> parts;

    private MarkedAttribute(
            AnnotatedElement member, @Nullable Method setter, @Nullable IdAttribute ids, List<MarkedAttribute> parts) {
        this.member = member;
        this.setter = setter;
        this.ids = ids;
        this.parts = parts;
    }

    /**
     * Those of a class and of its superclasses.
     *
     * @throws SnowflakeException if an annotation is where it can't be obeyed
     */
    static List<MarkedAttribute> allOf(Class<?> type) {
        return allOf(type, Set.of());
    }

    /** @param around what it is embedded in; none of these is part of itself, whatever its fields seem to say */
    private static List<MarkedAttribute> allOf(Class<?> type, Set<Class<?>> around) {
        Set<Class<?>> outer = new HashSet<>(around);
        outer.add(type);
        List<MarkedAttribute> all = new ArrayList<>();
        for (Class<?> declaring = type; declaring != null; declaring = declaring.getSuperclass()) {
            for (Field field : declaring.getDeclaredFields()) {
                MarkedAttribute marked = ifMarked(field, type);
                if (marked == null && !Modifier.isStatic(field.getModifiers()) && !outer.contains(field.getType())) {
                    marked = ifEmbedded(field, outer);
                }
                if (marked != null) {
                    field.setAccessible(true);
                    all.add(marked);
                }
            }
            for (Method method : declaring.getDeclaredMethods()) {
                MarkedAttribute marked = method.isBridge() ? null : ifMarked(method, type);
                if (marked != null) {
                    method.setAccessible(true);
                    all.add(marked);
                }
            }
        }
        return List.copyOf(all);
    }

    /** @param type the class that is looked at, which may have the member of a superclass */
    private static <M extends AnnotatedElement & Member> @Nullable MarkedAttribute ifMarked(M member, Class<?> type) {
        SnowflakeId mark = member.getAnnotation(SnowflakeId.class);
        if (mark == null) {
            return null;
        }
        if (type.isRecord()) {
            throw new SnowflakeException("snowflake '" + mark.value() + "': @SnowflakeId stands on " + member
                    + ", which belongs to a record, and what a record has can't be set. Make a class of the record.");
        }
        IdAttribute ids = new IdAttribute(mark.value(), mark.format(), IdAttribute.typeIn(type, member), member);
        Method setter = member instanceof Method getter ? setter(mark, getter) : null;
        return new MarkedAttribute(member, setter, ids, List.of());
    }

    private static @Nullable MarkedAttribute ifEmbedded(Field field, Set<Class<?>> around) {
        List<MarkedAttribute> parts =
                field.getType().isAnnotationPresent(Embeddable.class) ? allOf(field.getType(), around) : List.of();
        return parts.isEmpty() ? null : new MarkedAttribute(field, null, null, parts);
    }

    private static Method setter(SnowflakeId mark, Method getter) {
        try {
            Method setter = getter.getDeclaringClass()
                    .getDeclaredMethod(getter.getName().replaceFirst("^get", "set"), getter.getReturnType());
            setter.setAccessible(true);
            return setter;
        } catch (NoSuchMethodException e) {
            throw new SnowflakeException(
                    "snowflake '" + mark.value() + "': @SnowflakeId stands on " + getter
                            + ", which has no setter beside it. Add one, or annotate the field.",
                    e);
        }
    }

    /**
     * Sets it to a new id, unless it has a value.
     *
     * @throws SnowflakeException if there is no id now
     */
    void fill(Object owner) {
        try {
            Object value = member instanceof Field field ? field.get(owner) : ((Method) member).invoke(owner);
            if (ids == null) {
                if (value != null) {
                    parts.forEach(part -> part.fill(value));
                }
            } else if (ids.isMissing(value)) {
                Object id = ids.next();
                if (setter == null) {
                    ((Field) member).set(owner, id);
                } else {
                    setter.invoke(owner, id);
                }
            }
        } catch (InvocationTargetException e) {
            throw new SnowflakeException("snowflake: " + member + " or its setter failed: " + e.getCause(), e);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
