// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import com.fasterxml.jackson.databind.JavaType;
import io.swagger.v3.core.converter.AnnotatedType;
import io.swagger.v3.core.converter.ModelConverter;
import io.swagger.v3.core.converter.ModelConverterContext;
import io.swagger.v3.oas.models.media.Schema;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.Iterator;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeFormat;

/** What {@link SnowflakeText} means in descriptions by swagger-core, and by springdoc, which is made of it. Found by both themselves. */
public final class OpenApiText implements ModelConverter {

    private static final long EXAMPLE = 911_852_594_806_915_072L;
    private static final Set<Type> IDS = Set.of(long.class, Long.class);

    /** For {@link java.util.ServiceLoader}. */
    public OpenApiText() {}

    @Override
    public @Nullable Schema<?> resolve(
            AnnotatedType type, ModelConverterContext context, Iterator<ModelConverter> others) {
        if (!others.hasNext()) {
            return null;
        }
        Schema<?> described = others.next().resolve(type, context, others);
        SnowflakeFormat format = format(type);
        return described == null || format == null || !isInteger(described) ? described : text(described, format);
    }

    private static @Nullable SnowflakeFormat format(AnnotatedType type) {
        Type java = type.getType() instanceof JavaType known ? known.getRawClass() : type.getType();
        if (type.getCtxAnnotations() != null && IDS.contains(java)) {
            for (Annotation annotation : type.getCtxAnnotations()) {
                if (annotation instanceof SnowflakeText text) {
                    return text.value();
                }
            }
        }
        return null;
    }

    /** Version 3.1 of OpenAPI has several types, one of which may be null. */
    private static boolean isInteger(Schema<?> described) {
        return "integer".equals(described.getType())
                || (described.getTypes() != null && described.getTypes().contains("integer"));
    }

    private static Schema<String> text(Schema<?> number, SnowflakeFormat format) {
        Schema<String> text = new Schema<>(number.getSpecVersion());
        text.setType("string");
        text.addType("string");
        if (number.getTypes() != null && number.getTypes().contains("null")) {
            text.addType("null");
        }
        text.setPattern(pattern(format));
        text.setExample(format.format(EXAMPLE));
        text.setTitle(number.getTitle());
        text.setDescription(number.getDescription());
        text.setNullable(number.getNullable());
        text.setDeprecated(number.getDeprecated());
        text.setReadOnly(number.getReadOnly());
        text.setWriteOnly(number.getWriteOnly());
        text.setExtensions(number.getExtensions());
        return text;
    }

    private static String pattern(SnowflakeFormat format) {
        return switch (format) {
            case DECIMAL -> "^(0|[1-9][0-9]{0,18})$";
            case CROCKFORD -> "^[0-9A-HJKMNP-TV-Z]{13}$";
            case BASE62 -> "^[0-9A-Za-z]{11}$";
            case HEX -> "^[0-9a-f]{16}$";
        };
    }
}
