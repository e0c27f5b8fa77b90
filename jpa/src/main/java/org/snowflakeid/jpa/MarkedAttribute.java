// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Transient;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.cdi.IdAttribute;
import org.snowflakeid.cdi.MarkedMembers;

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
        for (Member member : marked(type).values()) {
            all.add(of(member, type));
        }
        for (Class<?> declaring = type; declaring != null; declaring = declaring.getSuperclass()) {
            for (Field field : declaring.getDeclaredFields()) {
                Class<?> part = IdAttribute.typeIn(type, field);
                if (!Modifier.isStatic(field.getModifiers()) && isEmbeddable(part, field) && !outer.contains(part)) {
                    List<MarkedAttribute> parts = allOf(part, outer);
                    if (!parts.isEmpty()) {
                        field.setAccessible(true);
                        all.add(new MarkedAttribute(field, null, null, parts));
                    }
                }
                refuseInElementsOf(field, field.getGenericType());
            }
            for (Method method : declaring.getDeclaredMethods()) {
                refuseInElementsOf(method, method.getGenericReturnType());
            }
        }
        return List.copyOf(all);
    }

    private static Map<String, Member> marked(Class<?> type) {
        return MarkedMembers.of(type, SnowflakeId.class, SnowflakeId::value);
    }

    private static SnowflakeId mark(Member member) {
        return Objects.requireNonNull(((AnnotatedElement) member).getAnnotation(SnowflakeId.class));
    }

    private static boolean isEmbeddable(Class<?> part, Field field) {
        return part.isAnnotationPresent(Embeddable.class)
                || field.isAnnotationPresent(Embedded.class)
                || field.isAnnotationPresent(EmbeddedId.class);
    }

    /** @param type the class that is looked at, which may have the member of a superclass */
    private static MarkedAttribute of(Member member, Class<?> type) {
        SnowflakeId mark = mark(member);
        if (type.isRecord()) {
            throw MarkedMembers.misplaced(
                    mark.value(), member, "the components of a record can't be set; make a class of the record");
        }
        IdAttribute ids = new IdAttribute(mark.value(), mark.format(), IdAttribute.typeIn(type, member), member);
        if (((AnnotatedElement) member).isAnnotationPresent(Transient.class)
                || Modifier.isTransient(member.getModifiers())) {
            throw MarkedMembers.misplaced(mark.value(), member, "it is not stored; take the annotation away");
        }
        if (((AnnotatedElement) member).isAnnotationPresent(GeneratedValue.class)) {
            throw MarkedMembers.misplaced(mark.value(), member, "@GeneratedValue would replace the id; take it away");
        }
        Column column = ((AnnotatedElement) member).getAnnotation(Column.class);
        if (column != null && !column.insertable()) {
            throw MarkedMembers.misplaced(
                    mark.value(),
                    member,
                    "inserts leave its column out, so that the id would be lost; take insertable = false away");
        }
        ((AccessibleObject) member).setAccessible(true);
        Method setter = member instanceof Method getter ? setter(mark, getter) : null;
        return new MarkedAttribute((AnnotatedElement) member, setter, ids, List.of());
    }

    /** What is added to a collection later is not persisted by itself, so that its ids would be missing. */
    private static void refuseInElementsOf(AnnotatedElement collection, Type type) {
        ElementCollection declared = collection.getAnnotation(ElementCollection.class);
        if (declared != null) {
            refuseInElements(collection, declared.targetClass());
            if (type instanceof ParameterizedType of) {
                for (Type element : of.getActualTypeArguments()) {
                    refuseInElements(collection, element);
                }
            }
        }
    }

    private static void refuseInElements(AnnotatedElement collection, Type element) {
        if (element instanceof Class<?> part && part.isAnnotationPresent(Embeddable.class)) {
            marked(part).values().forEach(member -> {
                throw MarkedMembers.misplaced(
                        mark(member).value(),
                        member,
                        "it is in an embeddable of the collection " + collection + ", which is not persisted by itself;"
                                + " make an entity of the embeddable, with @OneToMany, or take the annotation away and"
                                + " set the id yourself");
            });
            for (Class<?> declaring = part; declaring != null; declaring = declaring.getSuperclass()) {
                for (Field field : declaring.getDeclaredFields()) {
                    if (field.getType() != part) {
                        refuseInElements(collection, field.getType());
                    }
                }
            }
        }
    }

    private static Method setter(SnowflakeId mark, Method getter) {
        try {
            Method setter = getter.getDeclaringClass()
                    .getDeclaredMethod(getter.getName().replaceFirst("^get", "set"), getter.getReturnType());
            setter.setAccessible(true);
            return setter;
        } catch (NoSuchMethodException e) {
            throw MarkedMembers.misplaced(
                    mark.value(), getter, "it has no setter beside it; add one, or put the annotation on the field");
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
