// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import org.jspecify.annotations.Nullable;
import org.snowflakeid.IdFormatException;
import org.springframework.core.convert.ConversionFailedException;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.core.convert.converter.ConverterRegistry;
import org.springframework.web.bind.support.ConfigurableWebBindingInitializer;
import org.springframework.web.bind.support.WebBindingInitializer;

/**
 * The conversions of a web application, of which those of ids end where one is refused. After any other failure Spring tries a second way,
 * which makes numbers of {@code +5}, {@code 05} and {@code 0x5}.
 */
final class StrictConversions implements ConversionService {

    private final ConversionService all;

    private StrictConversions(ConversionService all) {
        this.all = all;
    }

    /** @param binding what reads the parameters of handlers */
    static void in(@Nullable WebBindingInitializer binding) {
        if (binding instanceof ConfigurableWebBindingInitializer configurable) {
            ConversionService all = configurable.getConversionService();
            if (all instanceof ConverterRegistry registry) {
                registry.addConverter(new IdConverter(all));
                configurable.setConversionService(new StrictConversions(all));
            }
        }
    }

    @Override
    public boolean canConvert(@Nullable Class<?> from, Class<?> to) {
        return all.canConvert(from, to);
    }

    @Override
    public boolean canConvert(@Nullable TypeDescriptor from, TypeDescriptor to) {
        return all.canConvert(from, to);
    }

    @Override
    public <T> @Nullable T convert(@Nullable Object value, Class<T> to) {
        return all.convert(value, to);
    }

    @Override
    public @Nullable Object convert(@Nullable Object value, @Nullable TypeDescriptor from, TypeDescriptor to) {
        try {
            return all.convert(value, from, to);
        } catch (ConversionFailedException failure) {
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                if (cause instanceof IdFormatException bad) {
                    throw bad;
                }
            }
            throw failure;
        }
    }
}
