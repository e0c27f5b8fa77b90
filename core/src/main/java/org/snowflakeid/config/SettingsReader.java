// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.spi.CoordinatorConfig;

/**
 * Reads declared keys for one generator and collects all that is wrong with them, to report it together. A blank value counts as none.
 *
 * <pre>{@code
 * SettingsReader reader = new SettingsReader(config);
 * endpoints = reader.optional(ENDPOINTS);
 * createTable = reader.value(CREATE_TABLE);
 * reader.throwProblems();
 * }</pre>
 */
public final class SettingsReader {

    private static final String PREFIX = "snowflake.";

    private static final Pattern EXPRESSION = Pattern.compile("\\$\\{[^}]*}");

    /** Follows a complaint. Where expressions are resolved, none gets here: one that can't be resolved is an {@link UnresolvedValueException}. */
    private static final String NOT_RESOLVED =
            " Nothing here resolves ${…}: MicroProfile Config and Spring do. Write the value itself.";

    private final String generator;
    private final Function<String, @Nullable String> settings;

    /** A set, since a key that is asked for twice has one problem. */
    private final Set<String> problems = new LinkedHashSet<>();

    /** Keys whose expression could not be resolved. */
    private final Set<Key<?>> unresolved = new HashSet<>();

    private final Set<Key<?>> refused = new HashSet<>();

    /** Null as long as no value was found. */
    private @Nullable IgnoredNames ignored;

    private final Set<String> warnings = new LinkedHashSet<>();

    /** For a coordinator's keys. */
    public SettingsReader(CoordinatorConfig config) {
        this(config.generator(), config.settings());
    }

    /** @param settings a value by exact key; null if it is not set */
    public SettingsReader(String generator, Function<String, @Nullable String> settings) {
        this.generator = generator;
        this.settings = settings;
    }

    /** What is set, else the default; empty if there is neither, or if what is set is wrong and there is no default. */
    public <T> Optional<T> optional(Key<T> key) {
        String text = text(key);
        if (text == null) {
            if (!unresolved.contains(key)) {
                key.missing().ifPresent(remedy -> problem(key.name() + " is not set. " + remedy));
            }
            return key.standardValue();
        }
        try {
            return Optional.of(key.read(text));
        } catch (IllegalArgumentException e) {
            refuse(key, String.valueOf(e.getMessage()));
            return key.standardValue();
        }
    }

    /**
     * The value of a key that has a default.
     *
     * @throws IllegalArgumentException if its declaration has none
     */
    public <T> T value(Key<T> key) {
        return optional(key).orElseThrow(() -> new IllegalArgumentException(key + " is declared without a default"));
    }

    /** Whether it has a value, right or wrong. */
    public boolean isSet(Key<?> key) {
        return text(key) != null;
    }

    /** Whether nothing was wrong with these when they were read. A wrong value need not be compared with another, too. */
    public boolean areRight(Key<?>... keys) {
        return Stream.of(keys).noneMatch(key -> refused.contains(key) || unresolved.contains(key));
    }

    /** Whether the generator has a value of its own for it, not only that for all generators. */
    public boolean isOwn(Key<?> key) {
        return !nameOf(key).equals(key.name());
    }

    /** The key that gives the generator its value: its own where it is set, else the one for all generators. */
    public String nameOf(Key<?> key) {
        String own = ownNameOf(key);
        return key.isPerGenerator() && key.clean(lookup(key, own)) != null ? own : key.name();
    }

    private String ownNameOf(Key<?> key) {
        return PREFIX + "generators." + generator + "." + key.name().substring(PREFIX.length());
    }

    private @Nullable String text(Key<?> key) {
        return key.clean(lookup(key, nameOf(key)));
    }

    private @Nullable String lookup(Key<?> key, String name) {
        try {
            String value = settings.apply(name);
            return value == null || isOfOtherSoftware(name, value) ? null : value;
        } catch (UnresolvedValueException e) {
            unresolved.add(key);
            problem(name + "=" + key.shown(e.written()) + " " + UnresolvedValueException.COMPLAINT);
            return null;
        } catch (InvalidSettingsException e) {
            unresolved.add(key);
            problems.addAll(e.problems());
            return null;
        }
    }

    private boolean isOfOtherSoftware(String name, String value) {
        try {
            if (ignored == null) {
                ignored = new IgnoredNames(settings);
            }
            return ignored.hide(name, value);
        } catch (InvalidSettingsException e) {
            // A problem of that list is reported where all names are judged.
            return false;
        }
    }

    /** Name and value, as messages may show them. */
    public String shown(Key<?> key) {
        String text = text(key);
        return nameOf(key) + "=" + (text == null ? key.standard().orElse("") : key.shown(text));
    }

    /**
     * Notes that the value can't be used.
     *
     * @param complaint follows key and value, and ends with the remedy
     */
    public void refuse(Key<?> key, String complaint) {
        refused.add(key);
        String text = text(key);
        boolean isExpression = text != null && EXPRESSION.matcher(text).find();
        problem(shown(key) + " " + complaint + (isExpression ? NOT_RESOLVED : ""));
    }

    /** Notes that this key is set for one generator, if it is: there it has no effect. */
    public void refuseOwn(Key<?> key, String remedy) {
        String text = key.clean(lookup(key, ownNameOf(key)));
        if (text != null) {
            problem(ownNameOf(key) + "=" + key.shown(text) + " " + remedy);
        }
    }

    /** Notes a problem. The generator is named before it. */
    public void problem(String problem) {
        problems.add("snowflake '" + generator + "': " + problem);
    }

    /**
     * Notes a setting that works, but is dangerous.
     *
     * @param danger follows the key's name, and ends with the remedy
     */
    public void warn(Key<?> key, String danger) {
        warnings.add("snowflake '" + generator + "': " + nameOf(key) + " " + danger);
    }

    /** Warns if every account of this machine may read the secret in that file. */
    public void warnOfReaders(Key<Path> key, Path file) {
        try {
            if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)) {
                warn(
                        key,
                        "names the file " + file + ", which every account of this machine may read."
                                + " Let only this process's account read it (chmod 600; in Kubernetes, defaultMode: 0400).");
            }
        } catch (IOException | UnsupportedOperationException e) {
            // what can't be read is refused where it is read, and not every file system knows such rights
        }
    }

    /** Logs the warnings noted so far. */
    public void logWarnings(System.Logger logger) {
        warnings.forEach(warning -> logger.log(Level.WARNING, warning));
    }

    /** What was wrong so far. */
    public List<String> problems() {
        return List.copyOf(problems);
    }

    /** @throws InvalidSettingsException naming every problem, if there is one */
    public void throwProblems() {
        if (!problems.isEmpty()) {
            throw new InvalidSettingsException(problems());
        }
    }
}
