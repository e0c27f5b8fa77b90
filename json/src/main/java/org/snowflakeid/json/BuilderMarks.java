// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.beans.Introspector;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.util.Locale;
import java.util.stream.Stream;

/** Where {@link SnowflakeText} stands in a class that builds others, and what Jackson does not keep of methods. */
final class BuilderMarks {

    private BuilderMarks() {}

    /**
     * Whether it stands on the field or the method that sets this property.
     *
     * @param accessor the field or getter of the class that is built; a naming strategy may give the property another name
     */
    static boolean isOn(String property, String accessor, Class<?> builder) {
        String attribute = accessor.matches("get[A-Z].*") ? Introspector.decapitalize(accessor.substring(3)) : accessor;
        for (Class<?> declaring = builder; declaring != null; declaring = declaring.getSuperclass()) {
            if (Stream.<AnnotatedElement>concat(
                            Stream.of(declaring.getDeclaredFields()), Stream.of(declaring.getDeclaredMethods()))
                    .anyMatch(member ->
                            member.isAnnotationPresent(SnowflakeText.class) && isFor(property, attribute, member))) {
                return true;
            }
        }
        return false;
    }

    static boolean isOnParameter(Method method, int parameter) {
        return Stream.of(method.getParameterAnnotations()[parameter])
                .anyMatch(mark -> mark instanceof SnowflakeText
                        || mark.annotationType().isAnnotationPresent(SnowflakeText.class));
    }

    private static boolean isFor(String property, String attribute, AnnotatedElement member) {
        JsonProperty named = member.getAnnotation(JsonProperty.class);
        if (named != null && !named.value().isEmpty()) {
            return named.value().equals(property);
        }
        String name = ((Member) member).getName();
        String capital = attribute.substring(0, 1).toUpperCase(Locale.ROOT) + attribute.substring(1);
        return name.equals(attribute) || name.equals("with" + capital) || name.equals("set" + capital);
    }
}
