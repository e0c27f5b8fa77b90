// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.config.EnvironmentVariable;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.config.SnowflakeKeys;
import org.snowflakeid.config.UnknownKeys;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * The application's settings, from wherever they were given: the same keys, the first source that has a key wins. The
 * coordinator need not be named if only one is configured, though this command brings all of them.
 */
final class GivenSettings {

    private static final String COORDINATOR = "snowflake.coordinator";
    private static final String IGNORE = "snowflake.ignore";

    /** @param file null: it was typed */
    private record Source(@Nullable Path file, Map<String, String> values) {}

    private record Variable(String name, String value) {}

    private final List<Source> sources = new ArrayList<>();
    private final Map<String, String> typed = new HashMap<>();
    private final Set<Path> files = new HashSet<>();

    /** Files of profiles that were not named, in the order in which they were found: each with its profile. */
    private final Map<Path, String> filesOfProfiles = new LinkedHashMap<>();

    private final Profile profile;
    private final Map<String, String> environment;

    /** The option for a typed value, which overrides all others: {@code -D}, say. */
    private final String option;

    private final SettingsFiles reader;

    private final Set<String> asked = new HashSet<>();

    /** The names of all coordinators that this command brings. */
    private final Set<String> coordinators = coordinators();

    GivenSettings(Map<String, String> environment, Profile profile, String option, SettingsFiles reader) {
        this.profile = profile;
        this.environment = profile.variables(environment);
        this.option = option;
        this.reader = reader;
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
        sources.add(new Source(null, Map.copyOf(values)));
        values.forEach(typed::putIfAbsent);
        return this;
    }

    /**
     * Before those that follow. As in MicroProfile Config the file of the profile, such as application-prod.properties, goes before
     * the one beside it.
     */
    GivenSettings file(Path file) {
        Path fileOfProfile = profile.name()
                .map(name -> SettingsFiles.ofProfile(file, name))
                .filter(Files::exists)
                .orElse(null);
        Map<String, String> ofProfile = fileOfProfile == null ? Map.of() : reader.read(fileOfProfile, profile);
        Map<String, String> values = reader.read(file, profile);
        if (!ofProfile.isEmpty()) {
            profile.isApplied();
        }
        files.add(file.toAbsolutePath().normalize());
        filesOfProfiles.putAll(SettingsFiles.besides(file));
        if (values.isEmpty() && ofProfile.isEmpty()) {
            throw invalid("There is no key below snowflake. in " + file
                    + (profile.name().isPresent() ? " that would be in force with this profile" : "")
                    + ". Is it the properties file of the application? It may also be left out, if all settings are given by"
                    + " -D or the environment.");
        }
        sources.add(new Source(fileOfProfile, ofProfile));
        sources.add(new Source(file, values));
        return this;
    }

    /** @throws InvalidSettingsException if a file of a profile lies there, and no profile was named */
    private void requireNoFileOfAProfile() {
        filesOfProfiles.keySet().removeAll(files);
        filesOfProfiles.forEach((file, name) -> {
            if (profile.name().isEmpty()) {
                throw invalid("There are settings of the profile '" + name + "' in " + file
                        + ", and it isn't said which profile the application runs with. Add --profile " + name
                        + " if it is that one; else its name, or --profile none if it runs without one.");
            }
            if (!profile.name().get().equals(name)) {
                profile.leavesOut(name);
            }
        });
    }

    static InvalidSettingsException invalid(String problem) {
        return new InvalidSettingsException(List.of(problem));
    }

    private @Nullable String lookup(String key) {
        asked.add(key);
        String value = given(key);
        // Only for keys that are read: an application's file has much that this command does not use.
        Path file = value != null && value.contains("${") ? fileOf(key) : null;
        if (file != null) {
            throw invalid(key + " in " + file + " holds an expression, which only the application can resolve. "
                    + (TypedSecrets.isSecret(key)
                            ? "Write its value into a small file for the operator, and name that one before it."
                            : "Give its value with " + option + key + "=…"));
        }
        if (value == null && key.equals(COORDINATOR)) {
            List<String> configured = configuredCoordinators();
            return configured.size() == 1 ? configured.get(0) : null;
        }
        return value;
    }

    private @Nullable String given(String key) {
        Source source = sourceOf(key);
        return source == null
                // It may name itself, as SNOWFLAKE_* does, and is read all the same.
                ? valueOf(variable(key, key.equals(IGNORE) ? environment : variables()))
                : source.values().get(key);
    }

    private static @Nullable String valueOf(@Nullable Variable variable) {
        return variable == null ? null : variable.value();
    }

    /** Those of the environment that may be settings: without those of other software. */
    private Map<String, String> variables() {
        Map<String, String> ours = new HashMap<>(environment);
        ours.keySet().removeIf(UnknownKeys.variablesOfOtherSoftware(given(IGNORE)));
        return ours;
    }

    /** Null: none but the environment, if that. */
    private @Nullable Source sourceOf(String key) {
        return sources.stream()
                .filter(source -> source.values().containsKey(key))
                .findFirst()
                .orElse(null);
    }

    /** The file whose value is taken; null if it comes from elsewhere. */
    private @Nullable Path fileOf(String key) {
        Source source = sourceOf(key);
        return source == null ? null : source.file();
    }

    /**
     * Values that this command takes from a file and the application from the environment; a sentence for each key. Call this when all
     * keys have been read.
     */
    List<String> contradictions() {
        List<String> found = new ArrayList<>();
        Map<String, String> variables = variables();
        for (String key : new TreeSet<>(asked)) {
            Path file = fileOf(key);
            Variable variable = variable(key, environment);
            if (file == null || variable == null) {
                continue;
            }
            String remedy = TypedSecrets.isSecret(key)
                    ? "Unset the variable, or remove the key from the file."
                    : "Say which is meant with " + option + key + "=…, or unset the variable.";
            // No values: they may be secret.
            if (!variables.containsKey(variable.name())) {
                found.add(key + " in " + file + " is hidden from the application by the environment variable "
                        + variable.name() + ", which " + IGNORE + " names: the application takes neither, but this"
                        + " command takes the file. " + remedy);
            } else if (!variable.value()
                    .strip()
                    .equals(String.valueOf(given(key)).strip())) {
                found.add(key + " in " + file + " and the environment variable " + variable.name()
                        + " differ. The application takes the variable, but this command takes the file. " + remedy);
            }
        }
        otherCoordinator().ifPresent(found::add);
        return found;
    }

    /** What is to be said, but is no reason to refuse them: of secrets that were typed, and of variables that are hidden. */
    List<String> remarks() {
        List<String> all = new ArrayList<>(TypedSecrets.warnings(typed));
        hidden(asked).ifPresent(all::add);
        return all;
    }

    /** All that is to be said of them where nothing is written. Call this when all keys have been read. */
    List<String> warnings() {
        List<String> all = remarks();
        all.addAll(contradictions());
        return all;
    }

    /** Variables that would set these keys, which nothing else sets, but are to be ignored: it may name more than was meant. */
    private Optional<String> hidden(Collection<String> keys) {
        Map<String, String> variables = variables();
        String names = keys.stream()
                .filter(key -> !key.equals(IGNORE) && sourceOf(key) == null)
                .flatMap(key -> Stream.ofNullable(variable(key, environment)))
                .map(Variable::name)
                .filter(name -> !variables.containsKey(name))
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of(IGNORE + "=" + given(IGNORE) + " hides " + names
                        + " from this command, as from the application. If that is a setting of the application, let "
                        + IGNORE + " name less.");
    }

    /** The environment's keys of another coordinator, if a file configures the chosen one and no setting names it. */
    private Optional<String> otherCoordinator() {
        Source source = given(COORDINATOR) == null ? configuring() : null;
        if (source == null || source.file() == null) {
            return Optional.empty();
        }
        List<String> taken = coordinatorsOf(source.values().keySet());
        Map<String, String> variables = variables();
        return namesOfKeys().stream()
                .filter(key -> coordinators.stream().anyMatch(other -> !taken.contains(other) && isOf(other, key)))
                .flatMap(key -> Stream.ofNullable(variable(key, variables)))
                .map(Variable::name)
                .min(Comparator.naturalOrder())
                .map(variable -> source.file() + " has settings of the coordinator " + String.join(", ", taken)
                        + ", the environment variable " + variable
                        + " is of another one, and nothing says which of them"
                        + " the application uses. This command takes that of the file. Say which is meant with "
                        + option + COORDINATOR + "=…, or unset the variable.");
    }

    /** As MicroProfile Config does: the name itself, with underscores, and that in capitals. */
    private static @Nullable Variable variable(String key, Map<String, String> variables) {
        for (String name : List.of(key, EnvironmentVariable.withUnderscores(key), EnvironmentVariable.of(key))) {
            String value = variables.get(name);
            if (value != null) {
                return new Variable(name, value);
            }
        }
        return null;
    }

    /** Those whose keys are set, in the first source that sets any. */
    private List<String> configuredCoordinators() {
        Source source = configuring();
        return coordinatorsOf(
                source == null ? variables().keySet() : source.values().keySet());
    }

    /** The first source that has keys of a coordinator; null: none but the environment, if that. */
    private @Nullable Source configuring() {
        return sources.stream()
                .filter(source -> !coordinatorsOf(source.values().keySet()).isEmpty())
                .findFirst()
                .orElse(null);
    }

    private List<String> coordinatorsOf(Set<String> keys) {
        return coordinators.stream()
                .filter(name -> keys.stream().anyMatch(key -> isOf(name, key)))
                .toList();
    }

    private static Set<String> coordinators() {
        Set<String> names = new TreeSet<>();
        for (WorkerCoordinatorProvider provider : ServiceLoader.load(WorkerCoordinatorProvider.class)) {
            names.add(provider.name());
        }
        return names;
    }

    private static boolean isOf(String coordinator, String key) {
        String group = "snowflake." + coordinator + ".";
        return key.startsWith(group) || key.startsWith(EnvironmentVariable.of(group));
    }

    /** @throws InvalidSettingsException if a value is wrong, or a key that is set anywhere is misspelt */
    SnowflakeSettings settings(String generator) {
        requireNoFileOfAProfile();
        Set<String> names = new HashSet<>(variables().keySet());
        sources.forEach(source -> names.addAll(source.values().keySet()));
        // Not by lookup(), which notes a key as read: these are only looked at.
        String ignored = lookup(IGNORE);
        List<String> problems = UnknownKeys.among(names, key -> key.equals(IGNORE) ? ignored : given(key))
                .problems();
        if (!problems.isEmpty()) {
            throw new InvalidSettingsException(problems);
        }
        return SnowflakeSettings.of(generator, this::lookup);
    }

    /** @throws InvalidSettingsException if nothing says where to look: this command has all coordinators, and knows the place of none */
    void requireCoordinator() {
        if (given(COORDINATOR) == null && configuredCoordinators().isEmpty()) {
            throw invalid("No setting says which coordinator is meant, and where it is. Give the settings of the"
                    + " application: its properties file with --settings FILE, single ones with -DKEY=VALUE, such as"
                    + " -Dsnowflake.etcd.endpoints=http://etcd-1:2379, or the variables of its environment, such as"
                    + " SNOWFLAKE_ETCD_ENDPOINTS."
                    + hidden(namesOfKeys()).map(hidden -> " " + hidden).orElse(""));
        }
    }

    private static List<String> namesOfKeys() {
        return SnowflakeKeys.all(GivenSettings.class.getClassLoader()).stream()
                .map(Key::name)
                .toList();
    }

    /** Key and value, as messages name them. */
    String shown(String generator, String key) {
        return SnowflakeKeys.core().stream()
                .filter(known -> known.name().equals(key))
                .findFirst()
                .map(known -> new SettingsReader(generator, this::given).shown(known))
                .orElseThrow();
    }

    /**
     * Call this when all of them have been opened.
     *
     * @throws InvalidSettingsException if no part of this command reads a key that was typed: misspelt, it would leave a default in
     *     force
     */
    static void requireAllRead(GivenSettings... opened) {
        Set<String> asked = new HashSet<>();
        Set<String> typed = new TreeSet<>();
        for (GivenSettings given : opened) {
            asked.addAll(given.asked);
            typed.addAll(given.typed.keySet());
        }
        typed.removeAll(asked);
        if (!typed.isEmpty()) {
            throw invalid(String.join(", ", typed)
                    + ": no setting that is used here. Misspelt? Correct it, or leave it out.");
        }
    }

    /**
     * The generators that the settings name, but for that one.
     *
     * @throws InvalidSettingsException if snowflake.claim-at-start is no list of generators
     */
    Set<String> otherGenerators(String generator) {
        Set<String> names = NamedGenerators.in(sources.stream()
                .flatMap(source -> source.values().keySet().stream())
                .toList());
        names.addAll(SnowflakeSettings.claimedAtStart(this::given));
        names.remove(generator);
        return names;
    }

    Profile profile() {
        return profile;
    }

    /** The coordinator's address, such as a URL; empty if it is unknown. It contains no secret. */
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
