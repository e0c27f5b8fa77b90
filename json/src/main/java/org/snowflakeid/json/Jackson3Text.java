// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import org.jspecify.annotations.Nullable;
import org.snowflakeid.IdFormatException;
import org.snowflakeid.SnowflakeFormat;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.deser.std.StdScalarDeserializer;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotatedMethod;
import tools.jackson.databind.ser.std.StdScalarSerializer;

/** What {@link SnowflakeText} means in Jackson 3. */
final class Jackson3Text {

    private Jackson3Text() {}

    private static SnowflakeFormat format(@Nullable BeanProperty property) {
        SnowflakeText annotation = property == null ? null : property.getAnnotation(SnowflakeText.class);
        return annotation == null ? SnowflakeFormat.DECIMAL : annotation.value();
    }

    /** A type variable may be in its place. Without the annotation this is about another property, which has a value that is written as an id. */
    private static boolean isMisplaced(BeanProperty property) {
        return property.getAnnotation(SnowflakeText.class) != null
                && !property.getType().hasRawClass(long.class)
                && !property.getType().getRawClass().isAssignableFrom(Long.class);
    }

    private static String misplaced(BeanProperty property) {
        String type = property.getType().toCanonical();
        AnnotatedMember member = property.getMember();
        if (member instanceof AnnotatedMethod) {
            return NotText.misplacedOnMethod(member.getFullName(), type);
        }
        return NotText.misplaced(member == null ? property.getName() : member.getFullName(), type);
    }

    static final class Serializer extends StdScalarSerializer<Long> {
        private final SnowflakeFormat format;

        Serializer() {
            this(SnowflakeFormat.DECIMAL);
        }

        private Serializer(SnowflakeFormat format) {
            super(Long.class);
            this.format = format;
        }

        @Override
        public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
            if (property != null && isMisplaced(property)) {
                context.reportBadDefinition(property.getType(), misplaced(property));
            }
            return new Serializer(format(property));
        }

        @Override
        public void serialize(Long id, JsonGenerator generator, SerializationContext context) {
            generator.writeString(format.format(id));
        }
    }

    static final class Deserializer extends StdScalarDeserializer<Long> {
        private final SnowflakeFormat format;
        private final boolean primitive;

        Deserializer() {
            this(SnowflakeFormat.DECIMAL, false);
        }

        private Deserializer(SnowflakeFormat format, boolean primitive) {
            super(Long.class);
            this.format = format;
            this.primitive = primitive;
        }

        @Override
        public ValueDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty property) {
            if (property != null && isMisplaced(property)) {
                context.reportBadDefinition(property.getType(), misplaced(property));
            }
            return new Deserializer(
                    format(property), property != null && property.getType().isPrimitive());
        }

        @Override
        public Long deserialize(JsonParser parser, DeserializationContext context) {
            try {
                if (parser.hasToken(JsonToken.VALUE_STRING)) {
                    return format.parse(parser.getString());
                }
                throw NotText.refusal(parser.currentToken());
            } catch (IdFormatException bad) {
                throw refusal(parser, bad);
            }
        }

        @Override
        public @Nullable Long getNullValue(DeserializationContext context) {
            if (primitive) {
                throw refusal(context.getParser(), NotText.refusal(JsonToken.VALUE_NULL));
            }
            return null;
        }

        /** What is not there at all is 0 as with any other {@code long}. */
        @Override
        public @Nullable Object getAbsentValue(DeserializationContext context) {
            return primitive ? 0L : null;
        }

        private static MismatchedInputException refusal(JsonParser parser, IdFormatException cause) {
            MismatchedInputException refusal = MismatchedInputException.from(parser, Long.class, cause.getMessage());
            refusal.initCause(cause);
            return refusal;
        }
    }
}
