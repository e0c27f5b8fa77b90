// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.config.Settings;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.config.SnowflakeKeys;
import org.snowflakeid.config.UnknownKeys;
import org.snowflakeid.spi.Resources;

/**
 * Everything a generator is configured with, checked once and immutable. The keys are those of MicroProfile Config, wherever
 * the values come from, so that code and configuration can do the same.
 */
public final class SnowflakeSettings {

    /** The name under which the unnamed generator appears. */
    public static final String DEFAULT_GENERATOR = "default";

    private final Settings values;

    /**
     * The settings of the unnamed generator, from full key names such as {@code snowflake.window}. The map is copied.
     *
     * @throws InvalidSettingsException naming every bad value and every misspelt key at once
     */
    public static SnowflakeSettings of(Map<String, String> values) {
        return of(DEFAULT_GENERATOR, values);
    }

    /**
     * As {@link #of(Map)}, for a generator of any name.
     *
     * @param generator {@value #DEFAULT_GENERATOR}, or a name matching {@code [a-z0-9]+(-[a-z0-9]+)*}
     */
    public static SnowflakeSettings of(String generator, Map<String, String> values) {
        Map<String, String> copy = new HashMap<>(values);
        UnknownKeys unknown = UnknownKeys.among(copy.keySet(), copy::get);
        SettingsReader reader = new SettingsReader(generator, copy::get);
        SnowflakeSettings settings = new SnowflakeSettings(new Settings(generator, copy::get, Resources.NONE, reader));
        List<String> problems = Stream.concat(reader.problems().stream(), unknown.problems().stream())
                .distinct()
                .toList();
        if (!problems.isEmpty()) {
            throw new InvalidSettingsException(problems);
        }
        unknown.warn();
        return settings;
    }

    /**
     * The settings of a generator from any source. Misspelt keys are not noticed, since a lookup does not show which keys are set.
     *
     * @param generator {@value #DEFAULT_GENERATOR}, or a name matching {@code [a-z0-9]+(-[a-z0-9]+)*}
     * @param lookup a value by exact key; null if it is not set. Called once for each key, for a coordinator's keys when that is opened
     * @throws InvalidSettingsException naming every bad value at once
     */
    public static SnowflakeSettings of(String generator, Function<String, @Nullable String> lookup) {
        Map<String, Optional<String>> asked = new ConcurrentHashMap<>();
        Function<String, @Nullable String> once =
                key -> asked.computeIfAbsent(key, name -> Optional.ofNullable(lookup.apply(name)))
                        .orElse(null);
        SettingsReader reader = new SettingsReader(generator, once);
        SnowflakeSettings settings = new SnowflakeSettings(new Settings(generator, once, Resources.NONE, reader));
        reader.throwProblems();
        return settings;
    }

    /**
     * The generators to be claimed when an application starts, although nothing in it names them: {@code snowflake.claim-at-start}.
     *
     * @param lookup a value by exact key; null if it is not set
     * @throws InvalidSettingsException if the value is not a list of generators
     */
    public static List<String> claimedAtStart(Function<String, @Nullable String> lookup) {
        SettingsReader reader = new SettingsReader(DEFAULT_GENERATOR, lookup);
        Optional<String> names = reader.optional(SnowflakeKeys.CLAIM_AT_START);
        reader.throwProblems();
        return names.map(list -> Stream.of(list.split(",")).map(String::strip).toList())
                .orElse(List.of());
    }

    /**
     * These settings, for a coordinator that may use resources of the application.
     *
     * @param found asked while a generator is opened
     */
    public SnowflakeSettings withResources(Resources found) {
        return new SnowflakeSettings(values.withResources(found));
    }

    private SnowflakeSettings(Settings values) {
        this.values = values;
    }

    /** For the modules of this library. */
    public Settings values() {
        return values;
    }

    /** The generator's name. */
    public String generator() {
        return values.generator();
    }

    /** The coordinator's name; empty: the only one on the class path. */
    public Optional<String> coordinator() {
        return values.coordinator();
    }

    /** Where worker ids are claimed, without slashes at the ends. */
    public String namespace() {
        return values.namespace();
    }

    public SnowflakeLayout layout() {
        return values.layout();
    }

    /** How far ahead timestamps are reserved, and the time to live of the owner entry. */
    public Duration window() {
        return values.window();
    }

    /** Whether a readiness check is registered. */
    public boolean healthEnabled() {
        return values.healthEnabled();
    }

    @Override
    public String toString() {
        return values.toString();
    }
}
