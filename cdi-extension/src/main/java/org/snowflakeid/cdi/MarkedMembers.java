// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import java.beans.Introspector;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.snowflakeid.SnowflakeException;

/** Where an annotation {@code @SnowflakeId} stands in a class, its superclasses included. */
public final class MarkedMembers {

    private MarkedMembers() {}

    /**
     * The fields and getters with the annotation, by the name of their attribute. Of a record, these are the fields.
     *
     * @param generator that the annotation names
     * @throws SnowflakeException if an attribute has the annotation on its field and on its getter, or a member has it that is neither
     */
    public static <A extends Annotation> Map<String, Member> of(
            Class<?> type, Class<A> annotation, Function<A, String> generator) {
        Map<String, Member> marked = new HashMap<>();
        for (Class<?> declaring = type; declaring != null; declaring = declaring.getSuperclass()) {
            for (Field field : declaring.getDeclaredFields()) {
                add(marked, field.getName(), field, annotation, generator);
            }
            for (Method method : declaring.getDeclaredMethods()) {
                if (!method.isSynthetic() && !declaring.isRecord()) {
                    add(marked, attribute(method), method, annotation, generator);
                }
            }
        }
        return marked;
    }

    private static <A extends Annotation, M extends AnnotatedElement & Member> void add(
            Map<String, Member> marked,
            String attribute,
            M member,
            Class<A> annotation,
            Function<A, String> generator) {
        A mark = member.getAnnotation(annotation);
        if (mark == null) {
            return;
        }
        if (member instanceof Method method
                && (method.getParameterCount() > 0 || method.getReturnType() == void.class)) {
            throw misplaced(
                    generator.apply(mark),
                    member,
                    "it is no getter; put the annotation on the field or on the getter, whichever is mapped");
        }
        if (Modifier.isStatic(member.getModifiers())) {
            throw misplaced(generator.apply(mark), member, "it is static, and not stored; take the annotation away");
        }
        // What a subclass overrides comes first.
        Member other = marked.putIfAbsent(attribute, member);
        if (other != null && other instanceof Field != member instanceof Field) {
            throw misplaced(
                    generator.apply(mark),
                    member,
                    "it is on " + shown(other) + " as well; keep the one on the "
                            + "field or on the getter, whichever is mapped");
        }
    }

    private static String attribute(Method getter) {
        String name = getter.getName();
        int prefix = name.startsWith("is") ? 2 : name.startsWith("get") ? 3 : 0;
        if (prefix == 0 || name.length() == prefix) {
            return name;
        }
        // Not by hand: of getURL it is URL.
        return Introspector.decapitalize(name.substring(prefix));
    }

    /** @param problem with its remedy, without a stop at the end */
    public static SnowflakeException misplaced(String generator, Member member, String problem) {
        return new SnowflakeException(
                "snowflake '" + generator + "': @SnowflakeId on " + shown(member) + ": " + problem + ".");
    }

    private static String shown(Member member) {
        return member.getDeclaringClass().getName() + "." + member.getName() + (member instanceof Method ? "()" : "");
    }
}
