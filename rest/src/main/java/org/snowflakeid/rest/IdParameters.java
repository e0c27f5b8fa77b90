// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.rest;

import jakarta.ws.rs.ext.ParamConverter;
import jakarta.ws.rs.ext.ParamConverterProvider;
import jakarta.ws.rs.ext.Provider;
import jakarta.ws.rs.ext.RuntimeDelegate;
import java.lang.annotation.Annotation;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.IdFormatException;
import org.snowflakeid.SnowflakeFormat;

/** Reads parameters with {@link SnowflakeText}, of this module or of {@code snowflake-json}. */
@Provider
public class IdParameters implements ParamConverterProvider {

    @Override
    public <T> @Nullable ParamConverter<T> getConverter(
            Class<T> type, @Nullable Type generic, Annotation @Nullable [] annotations) {
        boolean optional = isOptionalId(generic) && isJersey();
        if (annotations != null && (type == long.class || type == Long.class || optional)) {
            for (Annotation annotation : annotations) {
                SnowflakeFormat format = format(annotation);
                if (format != null) {
                    Converter ids = new Converter(format, type.isPrimitive());
                    @SuppressWarnings("unchecked") // Both types are Long here, or Optional of it.
                    ParamConverter<T> converter = (ParamConverter<T>) (optional ? new OptionalConverter(ids) : ids);
                    return converter;
                }
            }
        }
        return null;
    }

    /**
     * Jersey does not show converters the annotations of a parameter that is an Optional or a {@code long[]}, when they are to read its values.
     * RESTEasy does, and asks no converter about an Optional that is absent.
     */
    static boolean isJersey() {
        return RuntimeDelegate.getInstance().getClass().getName().startsWith("org.glassfish.jersey.");
    }

    private static boolean isOptionalId(@Nullable Type type) {
        return type instanceof ParameterizedType generic
                && generic.getRawType() == Optional.class
                && generic.getActualTypeArguments()[0] == Long.class;
    }

    /** Null: it is another annotation. */
    static @Nullable SnowflakeFormat format(Annotation annotation) {
        if (annotation instanceof SnowflakeText ours) {
            return ours.value();
        }
        Class<? extends Annotation> type = annotation.annotationType();
        // By name, since the module may not be there.
        if (!type.getName().equals("org.snowflakeid.json.SnowflakeText")) {
            return null;
        }
        try {
            return (SnowflakeFormat) type.getMethod("value").invoke(annotation);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("snowflake-json and snowflake-rest are of different versions", e);
        }
    }

    private record Converter(SnowflakeFormat format, boolean primitive) implements ParamConverter<Long> {

        @Override
        public @Nullable Long fromString(@Nullable String text) {
            if (text == null) {
                return primitive ? 0L : null;
            }
            try {
                return format.parse(text);
            } catch (IdFormatException bad) {
                // Any other exception would answer 404.
                throw new InvalidIdException(bad);
            }
        }

        @Override
        public String toString(Long id) {
            return format.format(id);
        }
    }

    private record OptionalConverter(Converter ids) implements ParamConverter<Optional<Long>> {

        @Override
        public Optional<Long> fromString(@Nullable String text) {
            return Optional.ofNullable(ids.fromString(text));
        }

        @Override
        public @Nullable String toString(Optional<Long> id) {
            return id.map(ids::toString).orElse(null);
        }
    }
}
