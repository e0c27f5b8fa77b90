// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.KeyDeserializer;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.jsontype.TypeDeserializer;
import com.fasterxml.jackson.databind.type.MapType;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.IdFormatException;
import org.snowflakeid.SnowflakeFormat;

/** How Jackson 2 reads what holds ids. */
final class Jackson2Reading {

    private Jackson2Reading() {}

    /** Null: no ids are in this type. */
    static @Nullable JsonDeserializer<?> of(
            JavaType type, SnowflakeFormat format, DeserializationContext context, BeanProperty property)
            throws JsonMappingException {
        JsonDeserializer<?> ids = idsOf(type, format, context, property);
        return ids == null ? null : new Untyped(ids);
    }

    private static @Nullable JsonDeserializer<?> idsOf(
            JavaType type, SnowflakeFormat format, DeserializationContext context, BeanProperty property)
            throws JsonMappingException {
        if (type.hasRawClass(long.class) || type.hasRawClass(Long.class)) {
            return new Id(format, type.isPrimitive());
        }
        KotlinValueClass valueClass = KotlinValueClass.of(type.getRawClass());
        if (valueClass != null) {
            return new Boxed(format, valueClass);
        }
        if (type.hasRawClass(long[].class)) {
            return new Longs(format);
        }
        if (type.hasRawClass(Optional.class)) {
            JsonDeserializer<?> value = of(type.containedTypeOrUnknown(0), format, context, property);
            return value == null ? null : new Perhaps(value);
        }
        if (type instanceof MapType map) {
            KotlinValueClass keyClass = KotlinValueClass.of(map.getKeyType().getRawClass());
            boolean ids = keyClass != null || map.getKeyType().hasRawClass(Long.class);
            JsonDeserializer<?> values = of(map.getContentType(), format, context, property);
            if (!ids && values == null) {
                return null;
            }
            MapType keyed = ids ? map.withKeyValueHandler(new Key(format, keyClass)) : map;
            // Also if it is null: what the annotation put there is for ids.
            return context.findContextualValueDeserializer(keyed.withContentValueHandler(values), property);
        }
        if (type.isCollectionLikeType() || type.isArrayType()) {
            JsonDeserializer<?> elements = of(type.getContentType(), format, context, property);
            return elements == null
                    ? null
                    : context.findContextualValueDeserializer(type.withContentValueHandler(elements), property);
        }
        return null;
    }

    static long read(SnowflakeFormat format, JsonParser parser) throws IOException {
        try {
            if (parser.hasToken(JsonToken.VALUE_STRING)) {
                return format.parse(parser.getText());
            }
            throw NotText.refusal(parser.currentToken());
        } catch (IdFormatException bad) {
            throw refusal(parser, bad);
        }
    }

    private static JsonMappingException refusal(JsonParser parser, IdFormatException cause) {
        JsonMappingException refusal = MismatchedInputException.from(parser, Long.class, cause.getMessage());
        refusal.initCause(cause);
        return refusal;
    }

    static final class Id extends StdDeserializer<Long> {
        private static final long serialVersionUID = 1L;

        private final SnowflakeFormat format;
        private final boolean primitive;

        Id(SnowflakeFormat format, boolean primitive) {
            super(Long.class);
            this.format = format;
            this.primitive = primitive;
        }

        @Override
        public Long deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            return read(format, parser);
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
    }

    static final class Boxed extends StdDeserializer<Object> {
        private static final long serialVersionUID = 1L;

        private final SnowflakeFormat format;
        private final transient KotlinValueClass valueClass;

        Boxed(SnowflakeFormat format, KotlinValueClass valueClass) {
            super(Object.class);
            this.format = format;
            this.valueClass = valueClass;
        }

        @Override
        public Object deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            return valueClass.box(read(format, parser));
        }
    }

    /** Reads what {@link Jackson2Text} writes: without the name of a class, also where the mapper writes one beside each value. */
    static final class Untyped extends DelegatingDeserializer {
        private static final long serialVersionUID = 1L;

        Untyped(JsonDeserializer<?> ids) {
            super(ids);
        }

        @Override
        protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> ids) {
            return new Untyped(ids);
        }

        @Override
        public @Nullable Object deserializeWithType(
                JsonParser parser, DeserializationContext context, TypeDeserializer unused) throws IOException {
            return deserialize(parser, context);
        }
    }

    private static final class Longs extends StdDeserializer<long[]> {
        private static final long serialVersionUID = 1L;

        private final SnowflakeFormat format;

        Longs(SnowflakeFormat format) {
            super(long[].class);
            this.format = format;
        }

        @Override
        public long[] deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            if (!parser.isExpectedStartArrayToken()) {
                throw refusal(parser, NotText.refusal(parser.currentToken()));
            }
            long[] ids = new long[16];
            int count = 0;
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                if (count == ids.length) {
                    ids = Arrays.copyOf(ids, 2 * count);
                }
                ids[count] = read(format, parser);
                count++;
            }
            return Arrays.copyOf(ids, count);
        }
    }

    private static final class Perhaps extends StdDeserializer<Optional<?>> {
        private static final long serialVersionUID = 1L;

        private final transient JsonDeserializer<?> values;

        Perhaps(JsonDeserializer<?> values) {
            super(Optional.class);
            this.values = values;
        }

        @Override
        public Optional<?> deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            return Optional.ofNullable(values.deserialize(parser, context));
        }

        @Override
        public Optional<?> getNullValue(DeserializationContext context) {
            return Optional.empty();
        }

        @Override
        public Object getAbsentValue(DeserializationContext context) {
            return Optional.empty();
        }
    }

    static final class Key extends KeyDeserializer {
        private final SnowflakeFormat format;
        private final @Nullable KotlinValueClass valueClass;

        /** @param valueClass null: it is a Long */
        Key(SnowflakeFormat format, @Nullable KotlinValueClass valueClass) {
            this.format = format;
            this.valueClass = valueClass;
        }

        @Override
        public Object deserializeKey(String key, DeserializationContext context) throws IOException {
            try {
                long id = format.parse(key);
                return valueClass == null ? (Long) id : valueClass.box(id);
            } catch (IdFormatException bad) {
                throw refusal(context.getParser(), bad);
            }
        }
    }
}
