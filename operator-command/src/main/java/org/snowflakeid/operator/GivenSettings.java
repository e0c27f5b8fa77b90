// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.SnowflakeKeys;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.UnknownKeys;
import org.snowflakeid.spi.Key;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * The application's settings, from wherever they were given: the same keys, the first source that has a key wins. The
 * coordinator need not be named if only one is configured, though this command brings all of them.
 */
final class GivenSettings {

    private static final String COORDINATOR = "snowflake.coordinator";
    private static final String IGNORE = "snowflake.ignore";

    private final List<Map<String, String>> sources = new ArrayList<>();
    private final Set<String> typed = new HashSet<>();

    /** Keys whose values only the application can resolve, each with its file. */
    private final Map<String, Path> expressions = new HashMap<>();

    private final Profile profile;
    private final Map<String, String> environment;
    private final Set<String> asked = new HashSet<>();

    GivenSettings(Map<String, String> environment, Profile profile) {
        this.profile = profile;
        this.environment = profile.variables(environment);
    }

    /** Before those that follow. */
    GivenSettings typed(Map<String, String> values) {
        values.forEach((key, value) -> {
            if (Profile.isKeyOfOne(key)) {
                throw invalid(key + " is typed with a profile. Type " + key.substring(key.indexOf('.') + 1)
                        + ": what is typed is in force with any profile.");
            }
            if (!key.startsWith("snowflake.")) {
                throw invalid(key + " is no setting of Snowflake ID. Its keys begin with snowflake.");
            }
        });
        sources.add(Map.copyOf(values));
        typed.addAll(values.keySet());
        return this;
    }

    /**
     * Before those that follow. As in MicroProfile Config the file of the profile, such as application-prod.properties, goes before
     * the one beside it.
     */
    GivenSettings file(Path file) {
        Map<String, String> ofProfile = profile.name()
                .map(name -> beside(file, name))
                .filter(Files::exists)
                .map(this::read)
                .orElse(Map.of());
        Map<String, String> values = read(file);
        if (values.isEmpty() && ofProfile.isEmpty()) {
            throw invalid("There is no key below snowflake. in " + file
                    + (profile.name().isPresent() ? " that would be in force with this profile" : "")
                    + ". Is it the properties file of the application? It may also be left out, if all settings are given by"
                    + " -D or the environment.");
        }
        sources.add(ofProfile);
        sources.add(values);
        return this;
    }

    private static Path beside(Path file, String profile) {
        String name = String.valueOf(file.getFileName());
        int suffix = name.endsWith(".properties") ? name.lastIndexOf('.') : name.length();
        return file.resolveSibling(name.substring(0, suffix) + "-" + profile + name.substring(suffix));
    }

    private Map<String, String> read(Path file) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (NoSuchFileException e) {
            throw invalid("There is no file " + file.toAbsolutePath() + ". Correct its name.");
        } catch (IOException | IllegalArgumentException e) {
            throw invalid("Settings can't be read from " + file + ": " + e + ". Give a properties file in UTF-8.");
        }
        Map<String, String> all = new HashMap<>();
        for (String key : properties.stringPropertyNames()) {
            all.put(key, properties.getProperty(key));
        }
        Map<String, String> values = new HashMap<>(profile.properties(all, file.toString()));
        values.keySet().removeIf(key -> !key.startsWith("snowflake."));
        values.forEach((key, value) -> {
            if (value.contains("${")) {
                expressions.putIfAbsent(key, file);
            }
        });
        return values;
    }

    static InvalidSettingsException invalid(String problem) {
        return new InvalidSettingsException(List.of(problem));
    }

    private @Nullable String lookup(String key) {
        asked.add(key);
        String value = given(key);
        // Only of what is read: an application's file has much that this command has no use for.
        Path file = value != null && value.contains("${") ? expressions.get(key) : null;
        if (file != null && !typed.contains(key)) {
            throw invalid(key + " in " + file + " holds an expression, which only the application can resolve."
                    + " Give its value with -D" + key + "=…");
        }
        return value == null && key.equals(COORDINATOR) ? onlyCoordinator() : value;
    }

    private @Nullable String given(String key) {
        for (Map<String, String> values : sources) {
            String value = values.get(key);
            if (value != null) {
                return value;
            }
        }
        return fromEnvironment(key);
    }

    /** As MicroProfile Config does: the name itself, with underscores, and that in capitals. */
    private @Nullable String fromEnvironment(String key) {
        String underscores = key.replaceAll("[^A-Za-z0-9]", "_");
        for (String name : List.of(key, underscores, underscores.toUpperCase(Locale.ROOT))) {
            String value = environment.get(name);
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    /** The one whose keys are set, in the first source that sets any. */
    private @Nullable String onlyCoordinator() {
        Set<String> names = new TreeSet<>();
        for (WorkerCoordinatorProvider provider : ServiceLoader.load(WorkerCoordinatorProvider.class)) {
            names.add(provider.name());
        }
        List<Set<String>> all = new ArrayList<>();
        sources.forEach(values -> all.add(values.keySet()));
        all.add(environment.keySet());
        for (Set<String> keys : all) {
            List<String> configured = names.stream()
                    .filter(name -> keys.stream().anyMatch(key -> isOf(name, key)))
                    .toList();
            if (!configured.isEmpty()) {
                return configured.size() == 1 ? configured.get(0) : null;
            }
        }
        return null;
    }

    private static boolean isOf(String coordinator, String key) {
        return key.startsWith("snowflake." + coordinator + ".")
                || key.startsWith("SNOWFLAKE_" + coordinator.toUpperCase(Locale.ROOT) + "_");
    }

    /** @throws InvalidSettingsException if a value is wrong, or a key that is set anywhere is misspelt */
    SnowflakeSettings settings(String generator) {
        Set<String> names = new HashSet<>(environment.keySet());
        sources.forEach(values -> names.addAll(values.keySet()));
        // Not by lookup(): of what is merely looked at nobody knows yet whether it is read.
        String ignored = lookup(IGNORE);
        List<String> problems = UnknownKeys.among(names, key -> key.equals(IGNORE) ? ignored : given(key))
                .problems();
        if (!problems.isEmpty()) {
            throw new InvalidSettingsException(problems);
        }
        return SnowflakeSettings.of(generator, this::lookup);
    }

    /**
     * To be called when all of them have been opened.
     *
     * @throws InvalidSettingsException if something typed is no key that anybody reads: misspelt, it would leave a default in
     *     force
     */
    static void requireAllRead(GivenSettings... opened) {
        Set<String> asked = new HashSet<>();
        Set<String> typed = new TreeSet<>();
        for (GivenSettings given : opened) {
            asked.addAll(given.asked);
            typed.addAll(given.typed);
        }
        typed.removeAll(asked);
        if (!typed.isEmpty()) {
            throw invalid(String.join(", ", typed)
                    + ": no setting that is used here. Misspelt? Correct it, or leave it out.");
        }
    }

    Profile profile() {
        return profile;
    }

    /** Where the coordinator is, such as a URL; empty if that is not known. No secret is among it. */
    String place() {
        Set<String> places = new LinkedHashSet<>();
        for (Key<?> key : SnowflakeKeys.all(GivenSettings.class.getClassLoader())) {
            String value = key.isPlace() && asked.contains(key.name()) ? given(key.name()) : null;
            if (value != null) {
                places.add(key.shown(value.strip()));
            }
        }
        return String.join(" ", places);
    }
}
