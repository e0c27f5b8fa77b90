// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.ContextualDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.AnnotatedMethod;
import com.fasterxml.jackson.databind.ser.ContextualSerializer;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.IdFormatException;
import org.snowflakeid.SnowflakeFormat;

/** What {@link SnowflakeText} means in Jackson 2. */
final class Jackson2Text {

    private Jackson2Text() {}

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

    static final class Serializer extends StdScalarSerializer<Long> implements ContextualSerializer {
        private static final long serialVersionUID = 1L;

        private final SnowflakeFormat format;

        Serializer() {
            this(SnowflakeFormat.DECIMAL);
        }

        private Serializer(SnowflakeFormat format) {
            super(Long.class);
            this.format = format;
        }

        @Override
        public JsonSerializer<?> createContextual(SerializerProvider provider, @Nullable BeanProperty property)
                throws JsonMappingException {
            if (property != null && isMisplaced(property)) {
                provider.reportBadDefinition(property.getType(), misplaced(property));
            }
            return new Serializer(format(property));
        }

        @Override
        public void serialize(Long id, JsonGenerator generator, SerializerProvider provider) throws IOException {
            generator.writeString(format.format(id));
        }
    }

    static final class Deserializer extends StdScalarDeserializer<Long> implements ContextualDeserializer {
        private static final long serialVersionUID = 1L;

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
        public JsonDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty property)
                throws JsonMappingException {
            if (property != null && isMisplaced(property)) {
                context.reportBadDefinition(property.getType(), misplaced(property));
            }
            return new Deserializer(
                    format(property), property != null && property.getType().isPrimitive());
        }

        @Override
        public Long deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            try {
                if (parser.hasToken(JsonToken.VALUE_STRING)) {
                    return format.parse(parser.getText());
                }
                throw NotText.refusal(parser.currentToken());
            } catch (IdFormatException bad) {
                throw refusal(parser, bad);
            }
        }

        @Override
        public @Nullable Long getNullValue(DeserializationContext context) throws JsonMappingException {
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

        private static JsonMappingException refusal(JsonParser parser, IdFormatException cause) {
            JsonMappingException refusal = MismatchedInputException.from(parser, Long.class, cause.getMessage());
            refusal.initCause(cause);
            return refusal;
        }
    }
}
