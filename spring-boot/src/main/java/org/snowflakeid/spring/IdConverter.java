// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import java.util.Collection;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeFormat;
import org.snowflakeid.json.SnowflakeText;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.core.convert.converter.ConditionalGenericConverter;

/** Text to ids and back, where {@link SnowflakeText} stands. Not a {@code Formatter}: Spring makes null of an empty text before it asks one. */
final class IdConverter implements ConditionalGenericConverter {

    private static final TypeDescriptor TEXTS = TypeDescriptor.valueOf(String[].class);

    private final ConversionService all;

    /** @param all for what makes a list or an array of several ids */
    IdConverter(ConversionService all) {
        this.all = all;
    }

    @Override
    public Set<ConvertiblePair> getConvertibleTypes() {
        return Set.of(
                new ConvertiblePair(String.class, Long.class),
                new ConvertiblePair(Long.class, String.class),
                new ConvertiblePair(String.class, Collection.class),
                new ConvertiblePair(String.class, Object[].class));
    }

    @Override
    public boolean matches(TypeDescriptor from, TypeDescriptor to) {
        TypeDescriptor several = to.getElementTypeDescriptor();
        return several == null
                ? from.hasAnnotation(SnowflakeText.class) || to.hasAnnotation(SnowflakeText.class)
                : to.hasAnnotation(SnowflakeText.class) && several.getObjectType() == Long.class;
    }

    @Override
    public @Nullable Object convert(@Nullable Object value, TypeDescriptor from, TypeDescriptor to) {
        if (value instanceof Long id) {
            return format(from).format(id);
        }
        String text = (String) value;
        if (text == null) {
            return null;
        }
        // Spring itself would remove the blanks around each.
        return to.getElementTypeDescriptor() == null
                ? format(to).parse(text)
                : all.convert(text.split(",", -1), TEXTS, to);
    }

    private static SnowflakeFormat format(TypeDescriptor id) {
        return Objects.requireNonNull(id.getAnnotation(SnowflakeText.class)).value();
    }
}
