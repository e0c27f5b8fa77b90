// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

import static org.snowflakeid.config.KnownKeys.GENERATORS;
import static org.snowflakeid.config.KnownKeys.PREFIX;
import static org.snowflakeid.config.KnownKeys.isIn;
import static org.snowflakeid.config.KnownKeys.spelled;
import static org.snowflakeid.config.Logs.LOG;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.SnowflakeSettings;

/**
 * Keys below {@code snowflake.} that are set and never read. A key that is near a known one, or in one of our groups such as
 * {@code snowflake.etcd.}, is a problem: misspelt, it would leave a default in force. Any other is left alone with a warning, since
 * a data warehouse uses this prefix too.
 *
 * <p>Environment variables are judged by their own names, such as {@code SNOWFLAKE_WINDOW}, which don't show the exact key. One that is set while its
 * key has no value is a problem: it is in a map, where nothing reads it. Some runtimes list them under further names, such as {@code
 * snowflake.worker.ids}; those are passed over.
 */
public final class UnknownKeys {

    private static final Set<String> GENERATORS_ALONE = Set.of("generators");

    private static final Pattern ENVIRONMENT_VARIABLE = Pattern.compile("(SNOWFLAKE|snowflake)_.*");

    /** Kubernetes sets these for a service named snowflake, or snowflake-etcd, in each container beside it. */
    private static final Pattern SERVICE_LINK =
            Pattern.compile("SNOWFLAKE_(.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT|PORT_\\d+_(TCP|UDP|SCTP)(_.*)?)");

    private final Set<String> names;
    private final Function<String, @Nullable String> lookup;
    private final @Nullable Collection<String> generators;

    private final KnownKeys known;
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

    /**
     * Recognizes environment variables that set no key of ours, whatever their names: those that Kubernetes makes for a service, and those that
     * {@code snowflake.ignore} names.
     *
     * @param ignore the value of that key; null if it is not set
     */
    public static Predicate<String> variablesOfOtherSoftware(@Nullable String ignore) {
        IgnoredNames ignored = new IgnoredNames(key -> ignore);
        return variable -> isServiceLink(EnvironmentVariable.of(variable)) || ignored.contain(variable);
    }

    private static boolean isServiceLink(String variable) {
        return SERVICE_LINK.matcher(variable).matches();
    }

    private UnknownKeys(
            Iterable<String> names,
            Function<String, @Nullable String> lookup,
            @Nullable Collection<String> generators) {
        this.names = new TreeSet<>();
        names.forEach(this.names::add);
        this.lookup = lookup;
        this.generators = generators;
        this.known = new KnownKeys(Coordinators.loadable(Coordinators.loader()), coordinator());
        this.ignored = new IgnoredNames(lookup);
        this.names.forEach(this::judge);
    }

    private Optional<String> coordinator() {
        try {
            return Optional.ofNullable(lookup.apply(SnowflakeKeys.COORDINATOR.name()))
                    .map(String::strip);
        } catch (InvalidSettingsException e) {
            // Its problem is reported where it is read.
            return Optional.empty();
        }
    }

    private void judge(String name) {
        boolean isVariable = ENVIRONMENT_VARIABLE.matcher(name).matches();
        String variable = EnvironmentVariable.of(name);
        if (isVariable ? isServiceLink(variable) : isNoKey(name, variable)) {
            return;
        }
        if (ignored.contain(name) || known.isInUndeclaredGroup(name, isVariable)) {
            return;
        }
        if (known.find(isVariable, name) != null) {
            if (isVariable) {
                requireToBeRead(name, known.like(variable).map(Key::name).toList());
            }
        } else if (isIn(GENERATORS, name, isVariable)) {
            judge(parts(name, isVariable));
        } else {
            hint(name, isVariable).ifPresentOrElse(hint -> problems.add(noKey(name, hint)), () -> foreign.add(name));
        }
    }

    /** What to do about a name that is probably a mistake in one of our keys. */
    private Optional<String> hint(String name, boolean isVariable) {
        return known.groupOf(name, isVariable)
                .map(group -> hint(group, name, isVariable))
                .or(() -> misspeltGenerators(name, isVariable)
                        .map(this::nearest)
                        .or(() -> known.near(name))
                        .map(nearest -> misspelt(nearest, isVariable)));
    }

    private String hint(String group, String name, boolean isVariable) {
        List<String> needed = known.neededIn(group);
        return known.nearIn(group, name)
                .or(() -> needed.isEmpty() ? Optional.of(known.nearestIn(group, name)) : Optional.empty())
                .map(nearest -> misspelt(nearest, isVariable))
                .orElseGet(() -> "What is needed there is "
                        + needed.stream().map(key -> spelled(key, isVariable)).collect(Collectors.joining(" or "))
                        + ".");
    }

    /** {@code snowflake.generator.orders.window}, with the word spelt right. */
    private Optional<GeneratorKey> misspeltGenerators(String name, boolean isVariable) {
        int end = name.indexOf(isVariable ? '_' : '.', PREFIX.length());
        if (end < 0
                || Spelling.near(name.substring(PREFIX.length(), end), GENERATORS_ALONE)
                        .isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(parts(spelled(GENERATORS, isVariable) + name.substring(end + 1), isVariable))
                .filter(parts -> lacksGenerator(parts)
                        || (isVariable ? isClear(parts) : !parts.key().isEmpty()));
    }

    /** A variable does not show where a generator's name ends, nor whether there is one. */
    private boolean isClear(GeneratorKey parts) {
        return isGenerator(parts) || key(parts) != null;
    }

    /** Whether it is none of ours, or just another name of an environment variable. */
    private boolean isNoKey(String name, String variable) {
        return !name.startsWith(PREFIX)
                || names.contains(variable)
                || names.contains(EnvironmentVariable.withUnderscores(name));
    }

    /** In a map, where variables are not looked for, its key has no value. Elsewhere an empty property may hide it. */
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
            // Its problem is reported where it is read.
            return true;
        }
    }

    private static String misspelt(String nearest, boolean isVariable) {
        return "Misspelt? The nearest is " + spelled(nearest, isVariable) + ".";
    }

    private static String noKey(String name, String hint) {
        return "snowflake: " + name + " is no key of Snowflake ID and would have no effect. " + hint
                + " Correct it, or name it in " + SnowflakeKeys.IGNORE + " if other software reads it.";
    }

    private GeneratorKey parts(String name, boolean isVariable) {
        return GeneratorKey.of(name, isVariable, known, this::isGenerator);
    }

    private boolean isGenerator(GeneratorKey parts) {
        return generators != null && generators.stream().anyMatch(parts::isOf);
    }

    /** {@code snowflake.generators.window}. */
    private boolean lacksGenerator(GeneratorKey parts) {
        return !isGenerator(parts) && known.find(parts.isVariable(), parts.withoutGenerator()) != null;
    }

    /** Whether no generator can have that name. A variable does not show that. */
    private static boolean isOfNone(GeneratorKey parts) {
        return !parts.isVariable() && !parts.key().isEmpty() && !SnowflakeKeys.isGenerator(parts.generator());
    }

    private @Nullable Key<?> key(GeneratorKey parts) {
        return known.find(parts.isVariable(), PREFIX + parts.key());
    }

    private void judge(GeneratorKey parts) {
        boolean isVariable = parts.isVariable();
        Key<?> key = key(parts);
        if (parts.isOf(SnowflakeSettings.DEFAULT_GENERATOR)) {
            String remedy = key == null ? "Remove it." : "Set " + spelled(key.name(), isVariable) + ".";
            problems.add(misplaced(parts, key, "has no effect: 'default' is the generator without a name. " + remedy));
        } else if (generators != null && isOfNone(parts) && near(parts).isEmpty()) {
            problems.add(misplaced(
                    parts, key, "has no effect: " + SnowflakeKeys.NAME_OF_A_GENERATOR + " Correct it, or remove it."));
        } else if (generators != null
                && !isGenerator(parts)
                && !lacksGenerator(parts)
                && near(parts).isEmpty()) {
            ofOtherGenerators.add(parts.name());
        } else if (key == null || (generators != null && !isGenerator(parts))) {
            problems.add(noKey(parts.name(), misspelt(nearest(parts), isVariable)));
        } else if (!key.isPerGenerator()) {
            problems.add(misplaced(
                    parts,
                    key,
                    "can't be set for one generator. Set " + spelled(key.name(), isVariable) + " for all of them."));
        } else if (isVariable) {
            requireToBeRead(parts.name(), known.ofGeneratorsLike(EnvironmentVariable.of(parts.name())));
        }
    }

    private String nearest(GeneratorKey parts) {
        if (lacksGenerator(parts)) {
            return parts.withoutGenerator();
        }
        Key<?> key = key(parts);
        if (key != null && (!key.isPerGenerator() || parts.isOf(SnowflakeSettings.DEFAULT_GENERATOR))) {
            return key.name();
        }
        String rest = key == null
                ? known.nearestPerGenerator(parts.key())
                : key.name().substring(PREFIX.length());
        return GENERATORS + near(parts).orElse(parts.generator()) + "." + rest;
    }

    /** The generator that was probably meant, unless there is one of that name. */
    private Optional<String> near(GeneratorKey parts) {
        return generators == null || isGenerator(parts)
                ? Optional.empty()
                : Spelling.near(parts.generator(), generators)
                        .filter(other -> !other.equals(SnowflakeSettings.DEFAULT_GENERATOR));
    }

    /** As {@link Settings} says it of the keys that it knows. */
    private String misplaced(GeneratorKey parts, @Nullable Key<?> key, String complaint) {
        String value = key == null ? null : lookup.apply(parts.name());
        String generator = parts.isVariable() ? parts.generator().toLowerCase(Locale.ROOT) : parts.generator();
        return "snowflake '" + generator + "': " + parts.name()
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
            warnings.add(
                    "snowflake: " + String.join(", ", ofOtherGenerators)
                            + ": no generator of this name is injected here. Unless one is asked for later, this has no effect.");
        }
        return warnings;
    }

    /** Logs the warnings. */
    public void warn() {
        warnings().forEach(warning -> LOG.log(Level.WARNING, warning));
    }
}
