// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.config.ConfigValue;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.config.UnknownKeys;
import org.snowflakeid.config.UnresolvedValueException;

/**
 * The keys {@code snowflake.*} in the MicroProfile Config of the application that asks. Values are read as strings: containers convert
 * on their own terms, and some read 60 as a duration.
 */
final class ConfiguredValues {

    private final Config config = ConfigProvider.getConfig();

    private @Nullable String value(String key) {
        ConfigValue found = config.getConfigValue(key);
        String value = found.getValue();
        String raw = found.getRawValue();
        // getOptionalValue would answer as if the key were not set.
        if (value == null && raw != null && !raw.isBlank()) {
            throw new UnresolvedValueException(key, raw);
        }
        return value;
    }

    /** @throws InvalidSettingsException naming every bad value at once */
    SnowflakeSettings settings(String generator) {
        return SnowflakeSettings.of(generator, this::value);
    }

    /** @throws InvalidSettingsException if {@code snowflake.claim-at-start} is no list of generators */
    List<String> claimedAtStart() {
        return SnowflakeSettings.claimedAtStart(this::value);
    }

    /** As {@link #claimedAtStart()}, or none: {@link StartCheck} reports a wrong value. */
    Set<String> claimedAtStartIfValid() {
        try {
            return new TreeSet<>(claimedAtStart());
        } catch (InvalidSettingsException e) {
            return Set.of();
        }
    }

    /** Whether a readiness check is wanted. {@link StartCheck} reports a wrong value. */
    boolean isHealthEnabled() {
        return !config.getOptionalValue("snowflake.health.enabled", String.class)
                .map(String::strip)
                .equals(Optional.of("false"));
    }

    /**
     * @param judged the names of keys and variables that are looked at
     * @param generators all of the application that have a name
     */
    UnknownKeys unknownKeys(Predicate<String> judged, Collection<String> generators) {
        Set<String> all = new TreeSet<>(generators);
        all.add(SnowflakeSettings.DEFAULT_GENERATOR);
        List<String> names = StreamSupport.stream(config.getPropertyNames().spliterator(), false)
                .filter(judged)
                .toList();
        return UnknownKeys.among(names, this::value, all);
    }
}
