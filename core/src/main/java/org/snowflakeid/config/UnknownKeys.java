// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

import static org.snowflakeid.config.Logs.LOG;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * Keys below {@code snowflake.} that are set and never read. A key that is near a known one, or in one of our groups such as
 * {@code snowflake.etcd.}, is a problem: misspelt, it would leave a default in force. Any other is left alone with a warning, since
 * a data warehouse uses this prefix too.
 *
 * <p>Environment variables are judged by their own names, such as {@code SNOWFLAKE_WINDOW}: the key that one means can't be
 * known from it. One that is set while its key has no value is a problem: it is in a map, where nothing reads it. Some runtimes list
 * them under further names, such as {@code snowflake.worker.ids}; those are passed over.
 */
public final class UnknownKeys {

    private static final String PREFIX = "snowflake.";
    private static final String GENERATORS = "snowflake.generators.";
    private static final Pattern ENVIRONMENT_VARIABLE = Pattern.compile("(SNOWFLAKE|snowflake)_.*");

    /** Kubernetes sets these for a service named snowflake, or snowflake-etcd, in each container beside it. */
    private static final Pattern SERVICE_LINK =
            Pattern.compile("SNOWFLAKE_(.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT|PORT_\\d+_(TCP|UDP|SCTP)(_.*)?)");

    private final Set<String> names;
    private final Function<String, @Nullable String> lookup;
    private final @Nullable Collection<String> generators;

    private final Map<String, Key<?>> known = new TreeMap<>();
    private final Map<String, Key<?>> knownVariables = new TreeMap<>();
    private final Set<String> groups = new TreeSet<>(Set.of(GENERATORS));
    private final Set<String> undeclared = new TreeSet<>();
    private final IgnoredNames ignored;

    private final Set<String> problems = new TreeSet<>();
    private final Set<String> foreign = new TreeSet<>();
    private final Set<String> ofOtherGenerators = new TreeSet<>();

    /**
     * @param names of everything that is configured, whatever it belongs to
     * @param lookup a value by exact key; null if it is not set
     */
    public static UnknownKeys among(Iterable<String> names, Function<String, @Nullable String> lookup) {
        return new UnknownKeys(names, lookup, null);
    }

    /**
     * As {@link #among(Iterable, Function)}, where it is known which generators there are.
     *
     * @param generators all of the application
     */
    public static UnknownKeys among(
            Iterable<String> names, Function<String, @Nullable String> lookup, Collection<String> generators) {
        return new UnknownKeys(names, lookup, generators);
    }

    private UnknownKeys(
            Iterable<String> names,
            Function<String, @Nullable String> lookup,
            @Nullable Collection<String> generators) {
        this.names = new TreeSet<>();
        names.forEach(this.names::add);
        this.lookup = lookup;
        this.generators = generators;
        SnowflakeKeys.core().forEach(this::add);
        for (WorkerCoordinatorProvider provider : Coordinators.loadable(Coordinators.loader())) {
            provider.keys().forEach(this::add);
            if (provider.keys().isEmpty()) {
                undeclared.add(PREFIX + provider.name() + ".");
            }
        }
        this.ignored = new IgnoredNames(lookup);
        this.names.forEach(this::judge);
    }

    private void add(Key<?> key) {
        known.put(key.name(), key);
        knownVariables.put(EnvironmentVariable.of(key.name()), key);
        int group = key.name().indexOf('.', PREFIX.length());
        if (group > 0) {
            groups.add(key.name().substring(0, group + 1));
        }
    }

    private void judge(String name) {
        boolean isVariable = ENVIRONMENT_VARIABLE.matcher(name).matches();
        String variable = EnvironmentVariable.of(name);
        if (isVariable ? SERVICE_LINK.matcher(variable).matches() : isNoKey(name, variable)) {
            return;
        }
        if (ignored.contain(name) || undeclared.stream().anyMatch(group -> isIn(group, name, isVariable))) {
            return;
        }
        if (find(isVariable, name) != null) {
            if (isVariable) {
                requireToBeRead(name, keysLike(variable).map(Key::name).toList());
            }
            return;
        }
        if (isIn(GENERATORS, name, isVariable)) {
            judge(Named.of(this, name, isVariable));
            return;
        }
        Optional<String> group =
                groups.stream().filter(g -> isIn(g, name, isVariable)).findFirst();
        String rest = name.substring(PREFIX.length());
        Optional<String> meant =
                group.isPresent() ? Spelling.nearest(rest, rests(group.get())) : Spelling.near(rest, rests(PREFIX));
        meant.ifPresentOrElse(
                nearest -> problems.add(misspelt(name, spelled(PREFIX + nearest, isVariable))),
                () -> foreign.add(name));
    }

    /** Whether it is none of ours, or one more name of an environment variable. */
    private boolean isNoKey(String name, String variable) {
        return !name.startsWith(PREFIX)
                || names.contains(variable)
                || names.contains(EnvironmentVariable.withUnderscores(name));
    }

    /** In a map, which no one asks for variables, its key has no value. An empty property may hide it from those who do. */
    private void requireToBeRead(String name, List<String> keys) {
        if (isSet(name) && keys.stream().noneMatch(key -> names.contains(key) || isSet(key))) {
            problems.add(
                    "snowflake: " + name + " is the name of an environment variable, which nothing reads here. Write "
                            + String.join(" or ", keys) + ".");
        }
    }

    private boolean isSet(String name) {
        try {
            String value = lookup.apply(name);
            return value != null && !value.isBlank();
        } catch (InvalidSettingsException e) {
            // What is wrong with it is said where it is read.
            return true;
        }
    }

    /** The known keys that a variable sets: it may be several, since it does not show what joins the words. */
    private Stream<Key<?>> keysLike(String variable) {
        return known.values().stream()
                .filter(key -> EnvironmentVariable.of(key.name()).equals(variable));
    }

    /** As {@link #keysLike}, for one that sets a key of a generator. */
    private List<String> generatorsKeysLike(String variable) {
        List<String> keys = new ArrayList<>();
        List<String> words =
                Arrays.asList(variable.substring(GENERATORS.length()).split("_", -1));
        for (int i = 1; i < words.size(); i++) {
            Named named = Named.parted(variable, words, i);
            String generator = named.generator.toLowerCase(Locale.ROOT).replace('_', '-');
            keysLike(EnvironmentVariable.of(PREFIX + named.key))
                    .filter(Key::isPerGenerator)
                    .forEach(key ->
                            keys.add(GENERATORS + generator + "." + key.name().substring(PREFIX.length())));
        }
        return keys;
    }

    private @Nullable Key<?> find(boolean isVariable, String name) {
        return isVariable ? knownVariables.get(EnvironmentVariable.of(name)) : known.get(name);
    }

    /** A name that consists of the group alone belongs to it too. */
    private static boolean isIn(String group, String name, boolean isVariable) {
        String begin = spelled(group, isVariable);
        return (isVariable ? EnvironmentVariable.of(name) + "_" : name + ".").startsWith(begin);
    }

    private static String spelled(String key, boolean isVariable) {
        return isVariable ? EnvironmentVariable.of(key) : key;
    }

    /** The names of known keys that begin so, without the prefix that all have. */
    private List<String> rests(String begin) {
        return known.keySet().stream()
                .filter(name -> name.startsWith(begin))
                .map(name -> name.substring(PREFIX.length()))
                .toList();
    }

    private static String misspelt(String name, String nearest) {
        return "snowflake: " + name + " is no key of Snowflake ID and would have no effect. Misspelt? The nearest is "
                + nearest + ". Correct it, or name it in " + SnowflakeKeys.IGNORE + " if other software reads it.";
    }

    /** The parts of {@code snowflake.generators.<generator>.<key>}, as they were written. */
    private record Named(String name, boolean isVariable, String generator, String key) {

        static Named of(UnknownKeys keys, String name, boolean isVariable) {
            String rest = name.length() < GENERATORS.length() ? "" : name.substring(GENERATORS.length());
            if (!isVariable) {
                int dot = rest.indexOf('.');
                return new Named(
                        name, false, dot < 0 ? rest : rest.substring(0, dot), dot < 0 ? "" : rest.substring(dot + 1));
            }
            // Both parts may hold underscores: the first way to part them that makes sense, else after the first word.
            List<String> words = Arrays.asList(rest.split("_", -1));
            for (int i = 1; i < words.size(); i++) {
                Named named = parted(name, words, i);
                if (keys.knownVariables.containsKey(EnvironmentVariable.of(PREFIX + named.key))
                        || keys.isGenerator(named)) {
                    return named;
                }
            }
            return parted(name, words, 1);
        }

        private static Named parted(String name, List<String> words, int at) {
            return new Named(
                    name,
                    true,
                    String.join("_", words.subList(0, at)),
                    String.join("_", words.subList(at, words.size())));
        }

        boolean isOf(String other) {
            return generator.equals(other)
                    || (isVariable && EnvironmentVariable.of(generator).equals(EnvironmentVariable.of(other)));
        }
    }

    private boolean isGenerator(Named named) {
        return generators != null && generators.stream().anyMatch(named::isOf);
    }

    private void judge(Named named) {
        boolean isVariable = named.isVariable;
        Key<?> key = find(isVariable, PREFIX + named.key);
        if (named.isOf(SnowflakeSettings.DEFAULT_GENERATOR)) {
            String remedy = key == null ? "Remove it." : "Set " + spelled(key.name(), isVariable) + ".";
            problems.add(misplaced(named, key, "has no effect: 'default' is the generator without a name. " + remedy));
        } else if (generators != null && !isGenerator(named)) {
            Spelling.near(named.generator, generators)
                    .filter(other -> !other.equals(SnowflakeSettings.DEFAULT_GENERATOR))
                    .ifPresentOrElse(
                            other -> problems.add(
                                    misspelt(named.name, spelled(GENERATORS + other + "." + named.key, isVariable))),
                            () -> ofOtherGenerators.add(named.name));
        } else if (key == null) {
            List<String> possible = SnowflakeKeys.core().stream()
                    .filter(Key::isPerGenerator)
                    .map(k -> k.name().substring(PREFIX.length()))
                    .toList();
            String nearest = Spelling.nearest(named.key, possible).orElseThrow();
            problems.add(misspelt(named.name, spelled(GENERATORS + named.generator + "." + nearest, isVariable)));
        } else if (!key.isPerGenerator()) {
            problems.add(misplaced(
                    named,
                    key,
                    "can't be set for one generator. Set " + spelled(key.name(), isVariable) + " for all of them."));
        } else if (isVariable) {
            requireToBeRead(named.name, generatorsKeysLike(EnvironmentVariable.of(named.name)));
        }
    }

    /** As {@link SnowflakeSettings} says it of the keys that it knows. */
    private String misplaced(Named named, @Nullable Key<?> key, String complaint) {
        String value = key == null ? null : lookup.apply(named.name);
        String generator = named.isVariable ? named.generator.toLowerCase(Locale.ROOT) : named.generator;
        return "snowflake '" + generator + "': " + named.name
                + (key == null || value == null ? "" : "=" + key.shown(value.strip())) + " " + complaint;
    }

    /** What must stop a deployment. Names what is set and what was probably meant. */
    public List<String> problems() {
        return List.copyOf(problems);
    }

    /** What can be left alone. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        if (!foreign.isEmpty()) {
            warnings.add("snowflake: " + String.join(", ", foreign)
                    + ": nothing here reads this. If other software does, name it in " + SnowflakeKeys.IGNORE + "="
                    + String.join(",", foreign) + ".");
        }
        if (!ofOtherGenerators.isEmpty()) {
            warnings.add("snowflake: " + String.join(", ", ofOtherGenerators)
                    + ": no generator of this name is injected here, so this has no effect.");
        }
        return warnings;
    }

    /** Logs the warnings. */
    public void warn() {
        warnings().forEach(warning -> LOG.log(Level.WARNING, warning));
    }
}
