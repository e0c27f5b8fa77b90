// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

import static org.snowflakeid.config.KnownKeys.GENERATORS;
import static org.snowflakeid.config.KnownKeys.PREFIX;

import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** The parts of {@code snowflake.generators.<generator>.<key>}, as they were written. */
record GeneratorKey(String name, boolean isVariable, String generator, String key) {

    /** @param isGenerator whether there is a generator of that name; for variables, in which any underscore may separate generator and key */
    static GeneratorKey of(String name, boolean isVariable, KnownKeys known, Predicate<GeneratorKey> isGenerator) {
        String rest = name.length() < GENERATORS.length() ? "" : name.substring(GENERATORS.length());
        if (!isVariable) {
            int dot = rest.indexOf('.');
            return new GeneratorKey(
                    name, false, dot < 0 ? rest : rest.substring(0, dot), dot < 0 ? "" : rest.substring(dot + 1));
        }
        // Both parts may hold underscores: the first way to part them that makes sense, else after the first word.
        List<String> words = Arrays.asList(rest.split("_", -1));
        for (int i = 1; i < words.size(); i++) {
            GeneratorKey parted = parted(name, words, i);
            if (known.find(true, PREFIX + parted.key) != null || isGenerator.test(parted)) {
                return parted;
            }
        }
        return parted(name, words, 1);
    }

    private static GeneratorKey parted(String name, List<String> words, int at) {
        return new GeneratorKey(
                name, true, String.join("_", words.subList(0, at)), String.join("_", words.subList(at, words.size())));
    }

    boolean isOf(String other) {
        return generator.equals(other)
                || (isVariable && EnvironmentVariable.of(generator).equals(EnvironmentVariable.of(other)));
    }

    /** What it would be if no generator were named in it. */
    String withoutGenerator() {
        return PREFIX + (key.isEmpty() ? generator : generator + (isVariable ? "_" : ".") + key);
    }
}
