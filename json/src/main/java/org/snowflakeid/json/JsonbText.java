// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import jakarta.json.JsonValue.ValueType;
import jakarta.json.bind.JsonbException;
import jakarta.json.bind.serializer.DeserializationContext;
import jakarta.json.bind.serializer.JsonbDeserializer;
import jakarta.json.bind.serializer.JsonbSerializer;
import jakarta.json.bind.serializer.SerializationContext;
import jakarta.json.stream.JsonGenerator;
import jakarta.json.stream.JsonParser;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.IdFormatException;
import org.snowflakeid.SnowflakeFormat;

/**
 * What {@link SnowflakeText} means in JSON-B: decimal text. The classes within are for the other formats, each named twice and instead of that
 * annotation: {@code @JsonbTypeSerializer(JsonbText.Hex.class) @JsonbTypeDeserializer(JsonbText.Hex.class) long id}. With both, Yasson
 * takes the one or the other.
 */
// Not an adapter: Yasson refuses one of Long on a long.
public class JsonbText implements JsonbSerializer<Long>, JsonbDeserializer<Long> {

    private final SnowflakeFormat format;

    /** Decimal. */
    public JsonbText() {
        this(SnowflakeFormat.DECIMAL);
    }

    private JsonbText(SnowflakeFormat format) {
        this.format = format;
    }

    @Override
    public void serialize(Long id, JsonGenerator generator, SerializationContext context) {
        generator.write(format.format(id));
    }

    @Override
    public @Nullable Long deserialize(JsonParser parser, DeserializationContext context, Type type) {
        if (isMisplaced(type)) {
            throw new JsonbException(NotText.misplaced("a property", type.getTypeName()));
        }
        JsonValue value = parser.getValue();
        if (value.getValueType() == ValueType.NULL && type != long.class) {
            return null;
        }
        try {
            if (value instanceof JsonString text) {
                return format.parse(text.getString());
            }
            throw NotText.refusal(value.getValueType());
        } catch (IdFormatException bad) {
            throw new JsonbException(bad.getMessage(), bad);
        }
    }

    /** The type that takes the place of a type variable may be that of an id. */
    private static boolean isMisplaced(Type type) {
        return type instanceof Class<?> known
                ? known != long.class && !known.isAssignableFrom(Long.class)
                : type instanceof ParameterizedType;
    }

    /** {@link SnowflakeFormat#CROCKFORD}. */
    public static final class Crockford extends JsonbText {
        public Crockford() {
            super(SnowflakeFormat.CROCKFORD);
        }
    }

    /** {@link SnowflakeFormat#BASE62}. */
    public static final class Base62 extends JsonbText {
        public Base62() {
            super(SnowflakeFormat.BASE62);
        }
    }

    /** {@link SnowflakeFormat#HEX}. */
    public static final class Hex extends JsonbText {
        public Hex() {
            super(SnowflakeFormat.HEX);
        }
    }
}
