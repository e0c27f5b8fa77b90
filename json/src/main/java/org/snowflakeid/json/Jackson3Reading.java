// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.IdFormatException;
import org.snowflakeid.SnowflakeFormat;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.jsontype.TypeDeserializer;
import tools.jackson.databind.type.MapType;

/** How Jackson 3 reads what holds ids. */
final class Jackson3Reading {

    private Jackson3Reading() {}

    /** Null: no ids are in this type. */
    static @Nullable ValueDeserializer<?> of(
            JavaType type, SnowflakeFormat format, DeserializationContext context, BeanProperty property) {
        ValueDeserializer<?> ids = idsOf(type, format, context, property);
        return ids == null ? null : new Untyped(ids);
    }

    private static @Nullable ValueDeserializer<?> idsOf(
            JavaType type, SnowflakeFormat format, DeserializationContext context, BeanProperty property) {
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
            ValueDeserializer<?> value = of(type.containedTypeOrUnknown(0), format, context, property);
            return value == null ? null : new Perhaps(value);
        }
        if (type instanceof MapType map) {
            KotlinValueClass keyClass = KotlinValueClass.of(map.getKeyType().getRawClass());
            boolean ids = keyClass != null || map.getKeyType().hasRawClass(Long.class);
            ValueDeserializer<?> values = of(map.getContentType(), format, context, property);
            if (!ids && values == null) {
                return null;
            }
            MapType keyed = ids ? map.withKeyValueHandler(new Key(format, keyClass)) : map;
            return context.findContextualValueDeserializer(
                    // Also if it is null: what the annotation put there is for ids.
                    keyed.withContentValueHandler(values), property);
        }
        if (type.isCollectionLikeType() || type.isArrayType()) {
            ValueDeserializer<?> elements = of(type.getContentType(), format, context, property);
            return elements == null
                    ? null
                    : context.findContextualValueDeserializer(type.withContentValueHandler(elements), property);
        }
        return null;
    }

    static long read(SnowflakeFormat format, JsonParser parser) {
        try {
            if (parser.hasToken(JsonToken.VALUE_STRING)) {
                return format.parse(parser.getString());
            }
            throw NotText.refusal(parser.currentToken());
        } catch (IdFormatException bad) {
            throw refusal(parser, bad);
        }
    }

    private static DatabindException refusal(JsonParser parser, IdFormatException cause) {
        DatabindException refusal = MismatchedInputException.from(parser, Long.class, cause.getMessage());
        refusal.initCause(cause);
        return refusal;
    }

    static final class Id extends StdDeserializer<Long> {
        private final SnowflakeFormat format;
        private final boolean primitive;

        Id(SnowflakeFormat format, boolean primitive) {
            super(Long.class);
            this.format = format;
            this.primitive = primitive;
        }

        @Override
        public Long deserialize(JsonParser parser, DeserializationContext context) {
            return read(format, parser);
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
    }

    static final class Boxed extends StdDeserializer<Object> {
        private final SnowflakeFormat format;
        private final KotlinValueClass valueClass;

        Boxed(SnowflakeFormat format, KotlinValueClass valueClass) {
            super(Object.class);
            this.format = format;
            this.valueClass = valueClass;
        }

        @Override
        public Object deserialize(JsonParser parser, DeserializationContext context) {
            return valueClass.box(read(format, parser));
        }
    }

    /** Reads what {@link Jackson3Text} writes: without the name of a class, also where the mapper writes one beside each value. */
    static final class Untyped extends DelegatingDeserializer {
        private static final long serialVersionUID = 1L;

        Untyped(ValueDeserializer<?> ids) {
            super(ids);
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> ids) {
            return new Untyped(ids);
        }

        @Override
        public @Nullable Object deserializeWithType(
                JsonParser parser, DeserializationContext context, TypeDeserializer unused) {
            return deserialize(parser, context);
        }
    }

    private static final class Longs extends StdDeserializer<long[]> {
        private final SnowflakeFormat format;

        Longs(SnowflakeFormat format) {
            super(long[].class);
            this.format = format;
        }

        @Override
        public long[] deserialize(JsonParser parser, DeserializationContext context) {
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
        private final ValueDeserializer<?> values;

        Perhaps(ValueDeserializer<?> values) {
            super(Optional.class);
            this.values = values;
        }

        @Override
        public Optional<?> deserialize(JsonParser parser, DeserializationContext context) {
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
        public Object deserializeKey(String key, DeserializationContext context) {
            try {
                long id = format.parse(key);
                return valueClass == null ? (Long) id : valueClass.box(id);
            } catch (IdFormatException bad) {
                throw refusal(context.getParser(), bad);
            }
        }
    }
}
