// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import jakarta.json.JsonValue.ValueType;
import jakarta.json.bind.JsonbException;
import jakarta.json.stream.JsonGenerator;
import java.lang.reflect.Array;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.IdFormatException;
import org.snowflakeid.SnowflakeFormat;

/** How JSON-B writes and reads ids and what holds them. */
final class JsonbIds {

    private JsonbIds() {}

    static void write(@Nullable Object ids, SnowflakeFormat format, JsonGenerator generator) {
        if (ids == null) {
            generator.writeNull();
        } else if (ids instanceof Long id) {
            generator.write(format.format(id));
        } else if (ids instanceof Optional<?> perhaps) {
            write(perhaps.orElse(null), format, generator);
        } else if (ids instanceof long[] array) {
            generator.writeStartArray();
            Arrays.stream(array).forEach(id -> generator.write(format.format(id)));
            generator.writeEnd();
        } else if (ids instanceof Collection<?> || ids instanceof Object[]) {
            generator.writeStartArray();
            (ids instanceof Object[] array ? Arrays.asList(array) : (Collection<?>) ids)
                    .forEach(id -> write(id, format, generator));
            generator.writeEnd();
        } else if (ids instanceof Map<?, ?> map) {
            generator.writeStartObject();
            map.forEach((key, value) -> {
                generator.writeKey(key instanceof Long id ? format.format(id) : text(key));
                write(value, format, generator);
            });
            generator.writeEnd();
        } else {
            throw new JsonbException(
                    NotText.misplaced("a property", ids.getClass().getName()));
        }
    }

    private static String text(@Nullable Object key) {
        if (key instanceof String text) {
            return text;
        }
        throw new JsonbException(
                NotText.misplaced("a map", "one with keys that are neither Long nor String, such as " + key));
    }

    /** @throws JsonbException if it is no id, or nothing that holds ids */
    static @Nullable Object read(JsonValue value, Type type, SnowflakeFormat format) {
        try {
            return ids(value, type, format);
        } catch (IdFormatException bad) {
            throw new JsonbException(bad.getMessage(), bad);
        }
    }

    private static @Nullable Object ids(JsonValue value, Type type, SnowflakeFormat format) {
        Class<?> raw = raw(type);
        if (value.getValueType() == ValueType.NULL && raw != long.class) {
            return raw == Optional.class ? Optional.empty() : null;
        }
        // The type that takes the place of a type variable may be that of an id.
        if (raw == null || raw == long.class || raw.isAssignableFrom(Long.class)) {
            return id(value, format);
        }
        if (raw == Optional.class) {
            return Optional.ofNullable(ids(value, argument(type, 0), format));
        }
        if (raw.isArray()) {
            Type element =
                    type instanceof GenericArrayType array ? array.getGenericComponentType() : raw.getComponentType();
            JsonArray elements = array(value, element, type);
            Object ids = Array.newInstance(raw.getComponentType(), elements.size());
            for (int i = 0; i < elements.size(); i++) {
                Array.set(ids, i, ids(elements.get(i), element, format));
            }
            return ids;
        }
        if (Collection.class.isAssignableFrom(raw)) {
            Type element = argument(type, 0);
            Collection<Object> ids = collection(raw, type);
            array(value, element, type).forEach(each -> ids.add(ids(each, element, format)));
            return ids;
        }
        if (Map.class.isAssignableFrom(raw)) {
            return map(value, type, raw, format);
        }
        throw misplaced(type);
    }

    @SuppressWarnings("unchecked")
    private static Map<Object, Object> map(JsonValue value, Type type, Class<?> raw, SnowflakeFormat format) {
        Type key = argument(type, 0);
        Map<Object, Object> ids = raw == Map.class
                ? new LinkedHashMap<>()
                : raw.isAssignableFrom(TreeMap.class) ? new TreeMap<>() : (Map<Object, Object>) created(raw, type);
        if (key != Long.class && key != String.class) {
            throw misplaced(type);
        }
        if (!(value instanceof JsonObject entries)) {
            throw NotText.refusal(value.getValueType());
        }
        entries.forEach((name, each) ->
                ids.put(key == Long.class ? format.parse(name) : name, ids(each, argument(type, 1), format)));
        return ids;
    }

    private static long id(JsonValue value, SnowflakeFormat format) {
        if (value instanceof JsonString text) {
            return format.parse(text.getString());
        }
        throw NotText.refusal(value.getValueType());
    }

    /** @param element what an array of this type has */
    private static JsonArray array(JsonValue value, Type element, Type type) {
        Class<?> raw = raw(element);
        if (raw != null
                && raw != long.class
                && raw != Long.class
                && raw.getTypeParameters().length == 0
                && !raw.isArray()) {
            throw misplaced(type);
        }
        if (value instanceof JsonArray array) {
            return array;
        }
        throw NotText.refusal(value.getValueType());
    }

    @SuppressWarnings("unchecked")
    private static Collection<Object> collection(Class<?> raw, Type type) {
        for (Collection<Object> known : List.<Collection<Object>>of(
                new ArrayList<>(), new LinkedHashSet<>(), new TreeSet<>(), new ArrayDeque<>())) {
            if (raw.isInstance(known)) {
                return known;
            }
        }
        return (Collection<Object>) created(raw, type);
    }

    private static Object created(Class<?> raw, Type type) {
        try {
            return raw.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new JsonbException(misplaced(type).getMessage(), e);
        }
    }

    private static JsonbException misplaced(Type type) {
        return new JsonbException(NotText.misplaced("a property", type.getTypeName()));
    }

    /** Null: a variable. */
    private static @Nullable Class<?> raw(Type type) {
        if (type instanceof GenericArrayType array) {
            Class<?> element = raw(array.getGenericComponentType());
            return element == null ? null : element.arrayType();
        }
        return type instanceof ParameterizedType parameterized
                ? (Class<?>) parameterized.getRawType()
                : type instanceof Class<?> known ? known : null;
    }

    private static Type argument(Type type, int index) {
        if (type instanceof ParameterizedType parameterized) {
            return parameterized.getActualTypeArguments()[index];
        }
        throw misplaced(type);
    }
}
