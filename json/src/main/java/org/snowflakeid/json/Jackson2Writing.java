// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.type.WritableTypeId;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.ser.std.MapSerializer;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.Annotation;
import java.util.Arrays;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeFormat;

/** How Jackson 2 writes what holds ids. */
final class Jackson2Writing {

    private Jackson2Writing() {}

    /** Null: no ids are in this type. */
    static @Nullable JsonSerializer<Object> of(JavaType type, SnowflakeFormat format, BeanProperty property) {
        if (isId(type)) {
            return new Id(format);
        }
        if (type.hasRawClass(long[].class)) {
            return new Longs(format);
        }
        if (type.isMapLikeType()) {
            boolean ids = isId(type.getKeyType());
            JsonSerializer<Object> values = of(type.getContentType(), format, property);
            return ids || values != null ? new Entries(ids ? format : null, type, values, property) : null;
        }
        if (type.isCollectionLikeType() || type.isArrayType()) {
            JsonSerializer<Object> elements = of(type.getContentType(), format, property);
            return elements == null ? null : new Elements(elements);
        }
        if (type.hasRawClass(Optional.class)) {
            JsonSerializer<Object> value = of(type.containedTypeOrUnknown(0), format, property);
            return value == null ? null : new Perhaps(value);
        }
        return null;
    }

    private static boolean isId(JavaType type) {
        return type.hasRawClass(long.class)
                || type.hasRawClass(Long.class)
                || KotlinValueClass.of(type.getRawClass()) != null;
    }

    abstract static class Text extends StdSerializer<Object> {
        private static final long serialVersionUID = 1L;

        Text() {
            super(Object.class);
        }

        static void write(
                @Nullable Object value,
                JsonSerializer<Object> how,
                JsonGenerator generator,
                SerializerProvider provider)
                throws IOException {
            if (value == null) {
                provider.defaultSerializeNull(generator);
            } else {
                how.serialize(value, generator, provider);
            }
        }

        /** Of a type of its own, which the mapper may have to find by its name. */
        @Override
        public void serializeWithType(
                Object value, JsonGenerator generator, SerializerProvider provider, TypeSerializer type)
                throws IOException {
            WritableTypeId name = type.writeTypePrefix(generator, type.typeId(value, JsonToken.VALUE_STRING));
            serialize(value, generator, provider);
            type.writeTypeSuffix(generator, name);
        }
    }

    static final class Id extends Text {
        private static final long serialVersionUID = 1L;

        private final SnowflakeFormat format;

        Id(SnowflakeFormat format) {
            this.format = format;
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializerProvider provider) throws IOException {
            Long id = KotlinValueClass.id(value);
            if (id == null) {
                throw JsonMappingException.from(
                        generator,
                        NotText.misplaced("a property", value.getClass().getName()));
            }
            generator.writeString(format.format(id));
        }
    }

    /** Of a type with a {@code @JsonValue}, which does not show what writes it the annotation. */
    static final class OfItsOwn extends Text {
        private static final long serialVersionUID = 1L;

        private final transient AnnotatedMember id;
        private final Id ids;

        OfItsOwn(AnnotatedMember id, SnowflakeFormat format) {
            this.id = id;
            this.ids = new Id(format);
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializerProvider provider) throws IOException {
            write(id.getValue(value), ids, generator, provider);
        }
    }

    /** As {@link OfItsOwn}, of a key. */
    static final class KeyOfItsOwn extends StdSerializer<Object> {
        private static final long serialVersionUID = 1L;

        private final transient AnnotatedMember id;
        private final Key ids;

        KeyOfItsOwn(AnnotatedMember id, SnowflakeFormat format) {
            super(Object.class);
            this.id = id;
            this.ids = new Key(format);
        }

        @Override
        public void serialize(Object key, JsonGenerator generator, SerializerProvider provider) throws IOException {
            ids.serialize(id.getValue(key), generator, provider);
        }
    }

    private static final class Longs extends Text {
        private static final long serialVersionUID = 1L;

        private final SnowflakeFormat format;

        Longs(SnowflakeFormat format) {
            this.format = format;
        }

        @Override
        public void serialize(Object ids, JsonGenerator generator, SerializerProvider provider) throws IOException {
            generator.writeStartArray();
            for (long id : (long[]) ids) {
                generator.writeString(format.format(id));
            }
            generator.writeEndArray();
        }

        @Override
        public boolean isEmpty(SerializerProvider provider, Object ids) {
            return ((long[]) ids).length == 0;
        }
    }

    private static final class Elements extends Text {
        private static final long serialVersionUID = 1L;

        private final transient JsonSerializer<Object> elements;

        Elements(JsonSerializer<Object> elements) {
            this.elements = elements;
        }

        @Override
        public void serialize(Object all, JsonGenerator generator, SerializerProvider provider) throws IOException {
            generator.writeStartArray();
            for (Object each : list(all)) {
                write(each, elements, generator, provider);
            }
            generator.writeEndArray();
        }

        @Override
        public boolean isEmpty(SerializerProvider provider, Object all) {
            return list(all).isEmpty();
        }

        private static Collection<?> list(Object all) {
            return all instanceof Object[] array ? Arrays.asList(array) : (Collection<?>) all;
        }
    }

    private static final class Perhaps extends Text {
        private static final long serialVersionUID = 1L;

        private final transient JsonSerializer<Object> values;

        Perhaps(JsonSerializer<Object> values) {
            this.values = values;
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializerProvider provider) throws IOException {
            write(((Optional<?>) value).orElse(null), values, generator, provider);
        }

        @Override
        public boolean isEmpty(SerializerProvider provider, Object value) {
            return ((Optional<?>) value).isEmpty();
        }
    }

    /** A map as Jackson itself writes it, with all that the mapper and the property's other annotations say of maps. */
    private static final class Entries extends Text {
        private static final long serialVersionUID = 1L;

        private final @Nullable SnowflakeFormat keys;
        private final JavaType map;
        private final transient @Nullable JsonSerializer<Object> values;
        private final transient BeanProperty property;
        private transient volatile @Nullable JsonSerializer<Object> known;

        /** @param keys null: these are no ids; as are values */
        Entries(
                @Nullable SnowflakeFormat keys,
                JavaType map,
                @Nullable JsonSerializer<Object> values,
                BeanProperty property) {
            this.keys = keys;
            this.map = map;
            this.values = values;
            this.property = new OfAMap(property);
        }

        @Override
        public void serialize(Object entries, JsonGenerator generator, SerializerProvider provider) throws IOException {
            jacksons(provider).serialize(entries, generator, provider);
        }

        @Override
        public boolean isEmpty(SerializerProvider provider, Object entries) {
            try {
                return jacksons(provider).isEmpty(provider, entries);
            } catch (JsonMappingException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Not made before: where the property is found there may be no provider yet. */
        @SuppressWarnings("unchecked")
        private JsonSerializer<Object> jacksons(SerializerProvider provider) throws JsonMappingException {
            JsonSerializer<Object> before = known;
            if (before != null) {
                return before;
            }
            MapSerializer unbound = MapSerializer.construct(
                    Set.of(),
                    null,
                    map,
                    false,
                    values == null ? provider.findTypeSerializer(map.getContentType()) : null,
                    keys == null ? null : new Key(keys),
                    values,
                    null);
            JsonSerializer<Object> bound = (JsonSerializer<Object>) unbound.createContextual(provider, property);
            known = bound;
            return bound;
        }
    }

    /** Writes an id as a key. */
    static final class Key extends StdSerializer<Object> {
        private static final long serialVersionUID = 1L;

        private final SnowflakeFormat format;

        Key(SnowflakeFormat format) {
            super(Object.class);
            this.format = format;
        }

        @Override
        public void serialize(Object key, JsonGenerator generator, SerializerProvider provider) throws IOException {
            generator.writeFieldName(format.format(Objects.requireNonNull(KotlinValueClass.id(key))));
        }
    }

    /** The property that a map is in, as the map's values see it: among them may be ids of a type of their own, with a format of their own. */
    private static final class OfAMap extends BeanProperty.Std {
        private static final long serialVersionUID = 1L;

        OfAMap(BeanProperty map) {
            super(map.getFullName(), map.getType(), map.getWrapperName(), map.getMember(), map.getMetadata());
        }

        @Override
        public <A extends Annotation> @Nullable A getAnnotation(Class<A> type) {
            return type == SnowflakeText.class ? null : super.getAnnotation(type);
        }
    }
}
