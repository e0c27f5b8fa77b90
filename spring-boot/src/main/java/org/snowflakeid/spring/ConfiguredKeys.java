// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.config.EnvironmentVariable;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SnowflakeKeys;
import org.snowflakeid.config.UnknownKeys;
import org.snowflakeid.config.UnresolvedValueException;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;

/** The keys {@code snowflake.*} of Spring's environment. Values are read as text, so that they mean the same as everywhere. */
final class ConfiguredKeys {

    private static final Pattern NAMED = Pattern.compile("snowflake\\.generators\\.([^.]+)\\..+");
    private static final Pattern EXPRESSION = Pattern.compile("\\$\\{([^:}]+)");

    private final ConfigurableEnvironment environment;

    ConfiguredKeys(ConfigurableEnvironment environment) {
        this.environment = environment;
    }

    @Nullable
    String value(String key) {
        try {
            return environment.getProperty(key);
        } catch (IllegalArgumentException e) {
            // Neither with its message nor as the cause: Spring shows the whole value, which may be a password.
            String written = written(key);
            if (EXPRESSION.matcher(written).results().anyMatch(name -> environment.containsProperty(name.group(1)))) {
                throw new InvalidSettingsException(List.of("snowflake: " + key
                        + " refers, perhaps through another property, to something that is not set. Set that, give it a"
                        + " default as in ${name:default}, or escape the ${ if it belongs to a value."));
            }
            throw new UnresolvedValueException(key, written);
        }
    }

    /** As it is written in the source that Spring takes it from. */
    private String written(String key) {
        for (PropertySource<?> source : environment.getPropertySources()) {
            Object value = source.getProperty(key);
            if (value != null) {
                return value.toString();
            }
        }
        return "";
    }

    /** @throws InvalidSettingsException naming every bad value at once */
    SnowflakeSettings settings(String generator) {
        return SnowflakeSettings.of(generator, this::value);
    }

    /** @throws InvalidSettingsException if what is set is no list of generators */
    List<String> claimedAtStart() {
        return SnowflakeSettings.claimedAtStart(this::value);
    }

    /**
     * All possible generators: the one without a name, and those that a key names. Environment variables name none, since the key can't be
     * derived from the variable.
     */
    Set<String> generators() {
        Set<String> generators = new TreeSet<>(claimedAtStart());
        generators.add(SnowflakeSettings.DEFAULT_GENERATOR);
        for (String name : names()) {
            Matcher named = NAMED.matcher(name);
            if (named.matches()) {
                generators.add(named.group(1));
            }
        }
        return generators;
    }

    /** @param generators those that the application has: what a key says of any other has no effect */
    UnknownKeys unknown(Collection<String> generators) {
        Map<String, String> elsewhere = variablesElsewhere(generators());
        List<String> names =
                names().stream().map(name -> elsewhere.getOrDefault(name, name)).toList();
        return UnknownKeys.among(names, this::value, generators);
    }

    private Set<String> names() {
        Set<String> names = new TreeSet<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> listed) {
                names.addAll(List.of(listed.getPropertyNames()));
            }
        }
        return names;
    }

    /**
     * In a key's environment variable, Spring's users leave out all hyphens, which others replace: {@code SNOWFLAKE_WORKERIDS}. Neither
     * reads a variable in which some are left out and some replaced.
     */
    private static Map<String, String> variablesElsewhere(Set<String> generators) {
        Map<String, String> elsewhere = new HashMap<>();
        for (Key<?> key : SnowflakeKeys.all()) {
            elsewhere.put(EnvironmentVariable.of(key.name().replace("-", "")), EnvironmentVariable.of(key.name()));
            for (String generator : generators) {
                String named = "snowflake.generators." + generator + key.name().substring("snowflake".length());
                elsewhere.put(EnvironmentVariable.of(named.replace("-", "")), EnvironmentVariable.of(named));
            }
        }
        return elsewhere;
    }
}
