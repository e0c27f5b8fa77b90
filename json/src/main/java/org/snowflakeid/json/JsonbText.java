// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import jakarta.json.bind.serializer.DeserializationContext;
import jakarta.json.bind.serializer.JsonbDeserializer;
import jakarta.json.bind.serializer.JsonbSerializer;
import jakarta.json.bind.serializer.SerializationContext;
import jakarta.json.stream.JsonGenerator;
import jakarta.json.stream.JsonParser;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeFormat;

/**
 * What {@link SnowflakeText} means in JSON-B: decimal text. The classes within are for the other formats, each named twice and instead of that
 * annotation: {@code @JsonbTypeSerializer(JsonbText.Hex.class) @JsonbTypeDeserializer(JsonbText.Hex.class) long id}. With both, Yasson
 * takes the one or the other.
 */
// Not an adapter: Yasson refuses one of Long on a long.
public class JsonbText implements JsonbSerializer<Object>, JsonbDeserializer<Object> {

    private final SnowflakeFormat format;

    /** Decimal. */
    public JsonbText() {
        this(SnowflakeFormat.DECIMAL);
    }

    private JsonbText(SnowflakeFormat format) {
        this.format = format;
    }

    @Override
    public void serialize(Object ids, JsonGenerator generator, SerializationContext context) {
        JsonbIds.write(ids, format, generator);
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context, Type type) {
        return JsonbIds.read(parser.getValue(), type, format);
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
