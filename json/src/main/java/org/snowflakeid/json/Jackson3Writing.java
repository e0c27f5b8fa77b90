// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import java.lang.annotation.Annotation;
import java.util.Arrays;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeFormat;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonToken;
import tools.jackson.core.type.WritableTypeId;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.ser.jdk.MapSerializer;
import tools.jackson.databind.ser.std.StdSerializer;

/** How Jackson 3 writes what holds ids. */
final class Jackson3Writing {

    private Jackson3Writing() {}

    /** Null: no ids are in this type. */
    static @Nullable ValueSerializer<Object> of(JavaType type, SnowflakeFormat format, BeanProperty property) {
        if (isId(type)) {
            return new Id(format);
        }
        if (type.hasRawClass(long[].class)) {
            return new Longs(format);
        }
        if (type.isMapLikeType()) {
            boolean ids = isId(type.getKeyType());
            ValueSerializer<Object> values = of(type.getContentType(), format, property);
            return ids || values != null ? new Entries(ids ? format : null, type, values, property) : null;
        }
        if (type.isCollectionLikeType() || type.isArrayType()) {
            ValueSerializer<Object> elements = of(type.getContentType(), format, property);
            return elements == null ? null : new Elements(elements);
        }
        if (type.hasRawClass(Optional.class)) {
            ValueSerializer<Object> value = of(type.containedTypeOrUnknown(0), format, property);
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
        Text() {
            super(Object.class);
        }

        static void write(
                @Nullable Object value,
                ValueSerializer<Object> how,
                JsonGenerator generator,
                SerializationContext provider) {
            if (value == null) {
                provider.defaultSerializeNullValue(generator);
            } else {
                how.serialize(value, generator, provider);
            }
        }

        /** Of a type of its own, which the mapper may have to find by its name. */
        @Override
        public void serializeWithType(
                Object value, JsonGenerator generator, SerializationContext provider, TypeSerializer type) {
            WritableTypeId name = type.writeTypePrefix(generator, provider, type.typeId(value, JsonToken.VALUE_STRING));
            serialize(value, generator, provider);
            type.writeTypeSuffix(generator, provider, name);
        }
    }

    static final class Id extends Text {
        private final SnowflakeFormat format;

        Id(SnowflakeFormat format) {
            this.format = format;
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext provider) {
            Long id = KotlinValueClass.id(value);
            if (id == null) {
                throw DatabindException.from(
                        generator,
                        NotText.misplaced("a property", value.getClass().getName()));
            }
            generator.writeString(format.format(id));
        }
    }

    /** Of a type with a {@code @JsonValue}, which does not show what writes it the annotation. */
    static final class OfItsOwn extends Text {
        private final AnnotatedMember id;
        private final Id ids;

        OfItsOwn(AnnotatedMember id, SnowflakeFormat format) {
            this.id = id;
            this.ids = new Id(format);
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext provider) {
            write(id.getValue(value), ids, generator, provider);
        }
    }

    /** As {@link OfItsOwn}, of a key. */
    static final class KeyOfItsOwn extends StdSerializer<Object> {
        private final AnnotatedMember id;
        private final Key ids;

        KeyOfItsOwn(AnnotatedMember id, SnowflakeFormat format) {
            super(Object.class);
            this.id = id;
            this.ids = new Key(format);
        }

        @Override
        public void serialize(Object key, JsonGenerator generator, SerializationContext provider) {
            ids.serialize(id.getValue(key), generator, provider);
        }
    }

    private static final class Longs extends Text {
        private final SnowflakeFormat format;

        Longs(SnowflakeFormat format) {
            this.format = format;
        }

        @Override
        public void serialize(Object ids, JsonGenerator generator, SerializationContext provider) {
            generator.writeStartArray();
            for (long id : (long[]) ids) {
                generator.writeString(format.format(id));
            }
            generator.writeEndArray();
        }

        @Override
        public boolean isEmpty(SerializationContext provider, Object ids) {
            return ((long[]) ids).length == 0;
        }
    }

    private static final class Elements extends Text {
        private final ValueSerializer<Object> elements;

        Elements(ValueSerializer<Object> elements) {
            this.elements = elements;
        }

        @Override
        public void serialize(Object all, JsonGenerator generator, SerializationContext provider) {
            generator.writeStartArray();
            for (Object each : list(all)) {
                write(each, elements, generator, provider);
            }
            generator.writeEndArray();
        }

        @Override
        public boolean isEmpty(SerializationContext provider, Object all) {
            return list(all).isEmpty();
        }

        private static Collection<?> list(Object all) {
            return all instanceof Object[] array ? Arrays.asList(array) : (Collection<?>) all;
        }
    }

    private static final class Perhaps extends Text {
        private final ValueSerializer<Object> values;

        Perhaps(ValueSerializer<Object> values) {
            this.values = values;
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext provider) {
            write(((Optional<?>) value).orElse(null), values, generator, provider);
        }

        @Override
        public boolean isEmpty(SerializationContext provider, Object value) {
            return ((Optional<?>) value).isEmpty();
        }
    }

    /** A map as Jackson itself writes it, with all that the mapper and the property's other annotations say of maps. */
    private static final class Entries extends Text {
        private final @Nullable SnowflakeFormat keys;
        private final JavaType map;
        private final @Nullable ValueSerializer<Object> values;
        private final BeanProperty property;
        private volatile @Nullable ValueSerializer<Object> known;

        /** @param keys null: these are no ids; as are values */
        Entries(
                @Nullable SnowflakeFormat keys,
                JavaType map,
                @Nullable ValueSerializer<Object> values,
                BeanProperty property) {
            this.keys = keys;
            this.map = map;
            this.values = values;
            this.property = new OfAMap(property);
        }

        @Override
        public void serialize(Object entries, JsonGenerator generator, SerializationContext provider) {
            jacksons(provider).serialize(entries, generator, provider);
        }

        @Override
        public boolean isEmpty(SerializationContext provider, Object entries) {
            return jacksons(provider).isEmpty(provider, entries);
        }

        /** Not made before: where the property is found there may be no provider yet. */
        @SuppressWarnings("unchecked")
        private ValueSerializer<Object> jacksons(SerializationContext provider) {
            ValueSerializer<Object> before = known;
            if (before != null) {
                return before;
            }
            MapSerializer unbound = MapSerializer.construct(
                    map,
                    false,
                    values == null ? provider.findTypeSerializer(map.getContentType()) : null,
                    keys == null ? null : new Key(keys),
                    values,
                    null,
                    Set.of(),
                    null);
            ValueSerializer<Object> bound = (ValueSerializer<Object>) unbound.createContextual(provider, property);
            known = bound;
            return bound;
        }
    }

    /** Writes an id as a key. */
    static final class Key extends StdSerializer<Object> {
        private final SnowflakeFormat format;

        Key(SnowflakeFormat format) {
            super(Object.class);
            this.format = format;
        }

        @Override
        public void serialize(Object key, JsonGenerator generator, SerializationContext provider) {
            generator.writeName(format.format(Objects.requireNonNull(KotlinValueClass.id(key))));
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
