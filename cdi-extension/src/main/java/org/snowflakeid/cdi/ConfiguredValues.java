// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.config.UnknownKeys;

/** The keys {@code snowflake.*} of the application that asks. */
final class ConfiguredValues {

    private final NamedValues values = NamedValues.ofTheApplication();

    /** @throws InvalidSettingsException naming every bad value at once */
    SnowflakeSettings settings(String generator) {
        return SnowflakeSettings.of(generator, values::value);
    }

    /** @throws InvalidSettingsException if {@code snowflake.claim-at-start} is no list of generators */
    List<String> claimedAtStart() {
        return SnowflakeSettings.claimedAtStart(values::value);
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
        try {
            String enabled = values.value("snowflake.health.enabled");
            return enabled == null || !enabled.strip().equals("false");
        } catch (InvalidSettingsException e) {
            return true;
        }
    }

    /**
     * @param judged the names of keys and variables that are looked at
     * @param generators all of the application that have a name
     */
    UnknownKeys unknownKeys(Predicate<String> judged, Collection<String> generators) {
        Set<String> all = new TreeSet<>(generators);
        all.add(SnowflakeSettings.DEFAULT_GENERATOR);
        List<String> names = StreamSupport.stream(values.names().spliterator(), false)
                .filter(judged)
                .toList();
        return UnknownKeys.among(names, values::value, all);
    }
}
