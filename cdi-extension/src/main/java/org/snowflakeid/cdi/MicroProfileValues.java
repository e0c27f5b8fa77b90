// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.config.ConfigValue;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.config.UnresolvedValueException;

/**
 * What is in the MicroProfile Config of the application that asks. Values are read as strings: containers convert on their own terms, and
 * some read 60 as a duration. Servlet containers need not have that API.
 */
final class MicroProfileValues implements NamedValues {

    /** How the names of its classes begin. */
    static final String API = "org/eclipse/microprofile/config/";

    private final Config config = ConfigProvider.getConfig();

    @Override
    public @Nullable String value(String key) {
        ConfigValue found = config.getConfigValue(key);
        String value = found.getValue();
        String raw = found.getRawValue();
        // getOptionalValue would answer as if the key were not set.
        if (value == null && raw != null && !raw.isBlank()) {
            throw new UnresolvedValueException(key, raw);
        }
        return value;
    }

    @Override
    public Iterable<String> names() {
        return config.getPropertyNames();
    }
}
