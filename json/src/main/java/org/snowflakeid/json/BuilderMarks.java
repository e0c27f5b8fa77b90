// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Member;
import java.util.Locale;
import java.util.stream.Stream;

/** Where {@link SnowflakeText} stands in a class that builds others. */
final class BuilderMarks {

    private BuilderMarks() {}

    /** Whether it stands on the field or the method that sets this property. */
    static boolean isOn(String property, Class<?> builder) {
        for (Class<?> declaring = builder; declaring != null; declaring = declaring.getSuperclass()) {
            if (Stream.<AnnotatedElement>concat(
                            Stream.of(declaring.getDeclaredFields()), Stream.of(declaring.getDeclaredMethods()))
                    .anyMatch(member -> member.isAnnotationPresent(SnowflakeText.class) && isFor(property, member))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isFor(String property, AnnotatedElement member) {
        JsonProperty named = member.getAnnotation(JsonProperty.class);
        if (named != null && !named.value().isEmpty()) {
            return named.value().equals(property);
        }
        String name = ((Member) member).getName();
        String capital = property.substring(0, 1).toUpperCase(Locale.ROOT) + property.substring(1);
        return name.equals(property) || name.equals("with" + capital) || name.equals("set" + capital);
    }
}
