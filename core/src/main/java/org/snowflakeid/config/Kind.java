// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** What may be written as the value of a key. Values are converted here, so that they mean the same in every runtime. */
public interface Kind<T> {

    /**
     * @param key for what its declaration adds to a complaint
     * @throws IllegalArgumentException with the complaint and the remedy, to follow the key and the value in a message
     */
    T read(String text, Key<?> key);

    /** For the docs, in Markdown. */
    String accepted();

    record OfText(Predicate<String> accepts, String complaint, String accepted) implements Kind<String> {
        @Override
        public String read(String text, Key<?> key) {
            if (!accepts.test(text)) {
                throw new IllegalArgumentException(complaint);
            }
            return text;
        }
    }

    record OfDuration(Duration min, Duration max) implements Kind<Duration> {
        @Override
        public Duration read(String text, Key<?> key) {
            Duration value;
            try {
                value = Duration.parse(text);
            } catch (DateTimeException e) {
                throw new IllegalArgumentException(
                        "is not an ISO-8601 duration. Write it as "
                                + key.standard().orElse(max.toString()) + ", between " + min + " and " + max + ".",
                        e);
            }
            requireWholeMillis(value.equals(value.truncatedTo(ChronoUnit.MILLIS)));
            if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
                throw new IllegalArgumentException("is not between " + min + " and " + max + "." + key.reminder());
            }
            return value;
        }

        @Override
        public String accepted() {
            return "`" + min + "` to `" + max + "`";
        }
    }

    record OfInstant(Instant min, Instant max) implements Kind<Instant> {
        @Override
        public Instant read(String text, Key<?> key) {
            Instant value;
            try {
                value = Instant.parse(text);
            } catch (DateTimeException e) {
                throw new IllegalArgumentException(
                        "is not an instant in UTC. Write it as "
                                + key.standard().orElse(min.toString()) + ".",
                        e);
            }
            requireWholeMillis(value.equals(value.truncatedTo(ChronoUnit.MILLIS)));
            if (value.isBefore(min) || value.isAfter(max)) {
                throw new IllegalArgumentException("is not between " + min + " and " + max + "." + key.reminder());
            }
            return value;
        }

        @Override
        public String accepted() {
            return "an instant in UTC";
        }
    }

    record OfInteger(int min, int max) implements Kind<Integer> {
        @Override
        public Integer read(String text, Key<?> key) {
            try {
                int value = Integer.parseInt(text);
                if (value >= min && value <= max) {
                    return value;
                }
            } catch (NumberFormatException e) {
                // The same complaint as for a number out of range.
            }
            throw new IllegalArgumentException(
                    "is not a whole number between " + min + " and " + max + "." + key.reminder());
        }

        @Override
        public String accepted() {
            return min + " to " + max;
        }
    }

    record OfBoolean() implements Kind<Boolean> {
        @Override
        public Boolean read(String text, Key<?> key) {
            if (!text.equals("true") && !text.equals("false")) {
                throw new IllegalArgumentException("is neither true nor false." + key.reminder());
            }
            return text.equals("true");
        }

        @Override
        public String accepted() {
            return "`true`, `false`";
        }
    }

    record OfChoice<E extends Enum<E>>(List<E> constants) implements Kind<E> {

        static <E extends Enum<E>> Kind<E> among(Class<E> type) {
            return new OfChoice<>(Arrays.asList(type.getEnumConstants()));
        }

        @Override
        public E read(String text, Key<?> key) {
            return constants.stream()
                    .filter(constant -> written(constant).equals(text))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("is none of " + all("", ", ") + "."));
        }

        @Override
        public String accepted() {
            return all("`", "`, `") + "`";
        }

        private String all(String prefix, String separator) {
            return constants.stream().map(OfChoice::written).collect(Collectors.joining(separator, prefix, ""));
        }

        private static String written(Enum<?> constant) {
            return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    record OfFile() implements Kind<Path> {
        @Override
        public Path read(String text, Key<?> key) {
            Path file = path(text, "Name a file.");
            if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
                throw new IllegalArgumentException(
                        "is not a readable file. Name a file that exists and that this process can read.");
            }
            return file;
        }

        @Override
        public String accepted() {
            return "a file";
        }
    }

    record OfFolder() implements Kind<Path> {
        @Override
        public Path read(String text, Key<?> key) {
            Path folder = path(text, "Name a folder.");
            if (!folder.isAbsolute()) {
                throw new IllegalArgumentException(
                        "is relative, so that processes started elsewhere would share nothing."
                                + " Write it from the root.");
            }
            return folder;
        }

        @Override
        public String accepted() {
            return "a folder, from the root";
        }
    }

    /** Ids count in milliseconds: anything finer would be lost silently. */
    private static void requireWholeMillis(boolean whole) {
        if (!whole) {
            throw new IllegalArgumentException("is finer than a millisecond. Drop the last digits.");
        }
    }

    private static Path path(String text, String remedy) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("is not a path: " + e.getReason() + ". " + remedy, e);
        }
    }
}
