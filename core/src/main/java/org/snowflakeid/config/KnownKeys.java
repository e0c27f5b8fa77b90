// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** All known keys, by name and by environment variable, and their groups. */
final class KnownKeys {

    static final String PREFIX = "snowflake.";
    static final String GENERATORS = "snowflake.generators.";

    private final Map<String, Key<?>> byName = new TreeMap<>();
    private final Map<String, Key<?>> byVariable = new TreeMap<>();
    private final Set<String> groups = new TreeSet<>(Set.of(GENERATORS));
    private final Set<String> undeclared = new TreeSet<>();

    /** @param named the coordinator that the settings name: one that is missing is refused when it is selected, so its keys are not judged here */
    KnownKeys(Collection<WorkerCoordinatorProvider> providers, Optional<String> named) {
        SnowflakeKeys.core().forEach(this::add);
        named.filter(name ->
                        providers.stream().noneMatch(provider -> provider.name().equals(name)))
                .ifPresent(name -> undeclared.add(PREFIX + name + "."));
        for (WorkerCoordinatorProvider provider : providers) {
            provider.keys().forEach(this::add);
            if (provider.keys().isEmpty()) {
                undeclared.add(PREFIX + provider.name() + ".");
            }
        }
    }

    private void add(Key<?> key) {
        byName.put(key.name(), key);
        byVariable.put(EnvironmentVariable.of(key.name()), key);
        int group = key.name().indexOf('.', PREFIX.length());
        if (group > 0) {
            groups.add(key.name().substring(0, group + 1));
        }
    }

    /** @param isVariable whether the name is that of an environment variable */
    @Nullable
    Key<?> find(boolean isVariable, String name) {
        return isVariable ? byVariable.get(EnvironmentVariable.of(name)) : byName.get(name);
    }

    /** A key as it is written in that place: with dots, or as an environment variable. */
    static String spelled(String key, boolean isVariable) {
        return isVariable ? EnvironmentVariable.of(key) : key;
    }

    /** A name that consists of the group alone belongs to it too. */
    static boolean isIn(String group, String name, boolean isVariable) {
        String begin = spelled(group, isVariable);
        return (isVariable ? EnvironmentVariable.of(name) + "_" : name + ".").startsWith(begin);
    }

    /** Whether only the coordinator knows its keys. */
    boolean isInUndeclaredGroup(String name, boolean isVariable) {
        return undeclared.stream().anyMatch(group -> isIn(group, name, isVariable));
    }

    Optional<String> groupOf(String name, boolean isVariable) {
        return groups.stream().filter(group -> isIn(group, name, isVariable)).findFirst();
    }

    /** The keys that a variable may set: several, since it does not show what joins the words. */
    Stream<Key<?>> like(String variable) {
        return byName.values().stream()
                .filter(key -> EnvironmentVariable.of(key.name()).equals(variable));
    }

    /** As {@link #like}, for one that sets a key of a generator. */
    List<String> ofGeneratorsLike(String variable) {
        List<String> keys = new ArrayList<>();
        List<String> words =
                Arrays.asList(variable.substring(GENERATORS.length()).split("_", -1));
        for (int i = 1; i < words.size(); i++) {
            String generator = String.join("-", words.subList(0, i)).toLowerCase(Locale.ROOT);
            like(EnvironmentVariable.of(PREFIX + String.join("_", words.subList(i, words.size()))))
                    .filter(Key::isPerGenerator)
                    .forEach(key ->
                            keys.add(GENERATORS + generator + "." + key.name().substring(PREFIX.length())));
        }
        return keys;
    }

    /** The nearest of those that a generator can have, without the prefix. */
    String nearestPerGenerator(String rest) {
        List<String> possible = byName.values().stream()
                .filter(Key::isPerGenerator)
                .map(key -> key.name().substring(PREFIX.length()))
                .toList();
        return Spelling.nearest(rest, possible).orElseThrow();
    }

    /** The nearest of all, if it is near enough to be what was meant. */
    Optional<String> near(String name) {
        return Spelling.near(name.substring(PREFIX.length()), rests(PREFIX)).map(PREFIX::concat);
    }

    /** The nearest of the group: one that is spelt like it, or begins or ends like it. */
    Optional<String> nearIn(String group, String name) {
        String rest = name.substring(PREFIX.length());
        String own = name.length() < group.length() ? "" : name.substring(group.length());
        return Spelling.near(rest, rests(group)).map(PREFIX::concat).or(() -> Spelling.partly(own, restsBelow(group))
                .map(group::concat));
    }

    /** The nearest of the group, however far that is. */
    String nearestIn(String group, String name) {
        return PREFIX
                + Spelling.nearest(name.substring(PREFIX.length()), rests(group))
                        .orElseThrow();
    }

    /** What has to be set in a group: the keys that are required there, else those that are essential. */
    List<String> neededIn(String group) {
        List<Key<?>> all = byName.values().stream()
                .filter(key -> key.name().startsWith(group))
                .toList();
        List<String> required = all.stream()
                .filter(key -> key.missing().isPresent())
                .map(Key::name)
                .toList();
        return required.isEmpty()
                ? all.stream()
                        .filter(key -> key.use() == Key.Use.ESSENTIAL)
                        .map(Key::name)
                        .toList()
                : required;
    }

    private List<String> rests(String begin) {
        return rests(begin, PREFIX.length());
    }

    private List<String> restsBelow(String group) {
        return rests(group, group.length());
    }

    private List<String> rests(String begin, int from) {
        return byName.keySet().stream()
                .filter(name -> name.startsWith(begin))
                .map(name -> name.substring(from))
                .toList();
    }
}
