// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.deser.BeanDeserializerBase;
import com.fasterxml.jackson.databind.deser.ValueInstantiator;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.AnnotatedMethod;
import com.fasterxml.jackson.databind.introspect.AnnotatedParameter;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import java.io.IOException;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeFormat;

/** Parameters with {@link SnowflakeText} at which Jackson 2 does not look for it: those of methods, and that which takes a whole value. */
final class Jackson2Parameters {

    private Jackson2Parameters() {}

    /** @param markedElsewhere whether a property of this name has the annotation in the class that is built too */
    static void refuseOnMethods(BeanDescription description, Predicate<String> markedElsewhere) {
        // Jackson may never have asked for setters, of which there may be two.
        if (!hasOne(description)) {
            return;
        }
        for (BeanPropertyDefinition property : description.findProperties()) {
            AnnotatedMethod setter = property.getSetter();
            if (setter != null
                    && BuilderMarks.isOnParameter(setter.getAnnotated(), 0)
                    && Jackson2Text.mark(property) == null
                    && !markedElsewhere.test(property.getName())) {
                throw new IllegalArgumentException(NotText.onParameter(setter.getFullName()));
            }
        }
        AnnotatedMember anySetter = description.findAnySetterAccessor();
        if (anySetter instanceof AnnotatedMethod method && BuilderMarks.isOnParameter(method.getAnnotated(), 1)) {
            throw new IllegalArgumentException(NotText.onAnyProperty("the parameter of " + method.getFullName()));
        }
    }

    private static boolean hasOne(BeanDescription description) {
        return StreamSupport.stream(description.getClassInfo().memberMethods().spliterator(), false)
                .anyMatch(method -> IntStream.range(0, method.getParameterCount())
                        .anyMatch(parameter -> BuilderMarks.isOnParameter(method.getAnnotated(), parameter)));
    }

    /** Null: there is no such parameter. */
    static @Nullable AnnotatedParameter ofWholeValue(BeanDescription description) {
        return Stream.concat(description.getConstructors().stream(), description.getFactoryMethods().stream())
                .filter(creator -> creator.getParameterCount() == 1)
                .map(creator -> creator.getParameter(0))
                .filter(parameter -> parameter.hasAnnotation(SnowflakeText.class))
                .filter(parameter -> description.findProperties().stream()
                        .noneMatch(property -> parameter.equals(property.getConstructorParameter())))
                .findFirst()
                .orElse(null);
    }

    static void refuseBesideUnmarkedValue(BeanDescription description) {
        AnnotatedMember value = description.findJsonValueAccessor();
        if (value != null && !value.hasAnnotation(SnowflakeText.class) && ofWholeValue(description) != null) {
            throw new IllegalArgumentException(
                    NotText.besideUnmarkedValue(description.getBeanClass().getName()));
        }
    }

    /** What reads the value of such a parameter; null: Jackson reads it right, as it does collections and maps, or there is none. */
    static @Nullable JsonDeserializer<?> reading(BeanDescription description, JsonDeserializer<?> deserializer) {
        refuseBesideUnmarkedValue(description);
        AnnotatedParameter parameter = ofWholeValue(description);
        if (parameter == null || !(deserializer instanceof BeanDeserializerBase bean)) {
            return null;
        }
        Class<?> type = parameter.getRawType();
        ValueInstantiator creator = bean.getValueInstantiator();
        if (type == long.class || type == Long.class) {
            SnowflakeText mark = parameter.getAnnotation(SnowflakeText.class);
            return creator.canCreateFromLong() ? new Whole(deserializer, mark.value(), creator) : null;
        }
        if (type.isPrimitive() || type == String.class || Number.class.isAssignableFrom(type)) {
            throw new IllegalArgumentException(NotText.misplaced(
                    "the parameter of a creator of "
                            + description.getBeanClass().getName(),
                    type.getName()));
        }
        return null;
    }

    /** Jackson would make it of a number too. */
    private static final class Whole extends DelegatingDeserializer {
        private static final long serialVersionUID = 1L;

        private final SnowflakeFormat format;
        private final transient ValueInstantiator creator;

        Whole(JsonDeserializer<?> of, SnowflakeFormat format, ValueInstantiator creator) {
            super(of);
            this.format = format;
            this.creator = creator;
        }

        @Override
        protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> of) {
            return new Whole(of, format, creator);
        }

        @Override
        public Object deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            return parser.hasToken(JsonToken.START_OBJECT)
                    ? super.deserialize(parser, context)
                    : creator.createFromLong(context, Jackson2Reading.read(format, parser));
        }
    }
}
