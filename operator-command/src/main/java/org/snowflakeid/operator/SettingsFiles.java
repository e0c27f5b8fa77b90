// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.snowflakeid.InvalidSettingsException;

/** Reads properties files. Each file is read once: a pipe can't be read again, and both ends of a move get the same. */
final class SettingsFiles {

    /** The keys by which Spring selects a part of a file; with another profile in force that part does not count. */
    private static final Pattern CONDITION = Pattern.compile("spring\\.config\\.activate\\..*|spring\\.profiles");

    private static final Pattern SEPARATOR = Pattern.compile("(?m)^[#!]---[ \\t]*$");

    /** Some editors write it before the first character, where no reader of properties expects it. */
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    /** How one of ours begins, of a profile or of none. */
    private static final Pattern KEY = Pattern.compile("(%[^.]+\\.)?snowflake\\.");

    private final Map<Path, String> texts = new HashMap<>();

    /**
     * The keys of ours that are in force.
     *
     * @throws InvalidSettingsException if the file can't be read, or if only the application knows which part of it is in force
     */
    Map<String, String> read(Path file, Profile profile) {
        Map<String, String> all = new HashMap<>();
        try {
            // Spring's files may consist of several, each with a condition.
            for (String text : SEPARATOR.splitAsStream(text(file)).toList()) {
                all.putAll(document(text, file));
            }
        } catch (NoSuchFileException e) {
            throw GivenSettings.invalid("There is no file " + file.toAbsolutePath() + ". Correct its name.");
        } catch (IOException | IllegalArgumentException e) {
            throw GivenSettings.invalid(
                    "Settings can't be read from " + file + ": " + e + ". Give a properties file in UTF-8.");
        }
        requireNoKeyAfterAMark(all.keySet(), file);
        Map<String, String> values = new HashMap<>(profile.properties(all, file.toString()));
        values.keySet().removeIf(key -> !key.startsWith("snowflake."));
        return values;
    }

    /** The application does not know such a key either, and goes on with its default. */
    private static void requireNoKeyAfterAMark(Set<String> keys, Path file) {
        keys.stream()
                .filter(key -> key.startsWith(BYTE_ORDER_MARK))
                .map(key -> key.substring(BYTE_ORDER_MARK.length()))
                .filter(key -> KEY.matcher(key).lookingAt())
                .findFirst()
                .ifPresent(key -> {
                    throw GivenSettings.invalid(file + " begins with a byte-order mark, which hides its first key, "
                            + key + ", from the application too. Save the file in UTF-8 without it, also for the"
                            + " application.");
                });
    }

    private static Map<String, String> document(String text, Path file) throws IOException {
        Properties properties = new Properties();
        properties.load(new StringReader(text));
        Map<String, String> values = new HashMap<>();
        properties.stringPropertyNames().forEach(key -> values.put(key, properties.getProperty(key)));
        if (values.keySet().stream().anyMatch(key -> key.startsWith("snowflake."))) {
            values.keySet().stream()
                    .filter(key -> CONDITION.matcher(key).matches())
                    .findFirst()
                    .ifPresent(condition -> {
                        throw GivenSettings.invalid(
                                "A part of " + file + " has keys of Snowflake ID that are in force under a condition ("
                                        + condition
                                        + "), which only the application can decide. Write the keys that are in force"
                                        + " for it into a small file for the operator, and name that one by --settings.");
                    });
        }
        return values;
    }

    private String text(Path file) throws IOException {
        String text = texts.get(file);
        if (text == null) {
            text = Files.readString(file);
            texts.put(file, text);
        }
        return text;
    }

    /** Files of profiles beside one, in the order of their names, each with its profile: those with keys of ours. */
    static Map<Path, String> besides(Path file) {
        Map<Path, String> found = new LinkedHashMap<>();
        String name = String.valueOf(file.getFileName());
        int end = endOfStem(name);
        Pattern names = Pattern.compile(
                Pattern.quote(name.substring(0, end) + "-") + "(.+)" + Pattern.quote(name.substring(end)));
        try (Stream<Path> besides = Files.list(file.toAbsolutePath().resolveSibling(""))) {
            besides.map(Path::normalize).sorted().forEach(other -> {
                Matcher matcher = names.matcher(String.valueOf(other.getFileName()));
                if (matcher.matches() && hasKeys(other)) {
                    found.put(other, matcher.group(1));
                }
            });
        } catch (IOException e) {
            throw GivenSettings.invalid("The folder of " + file + " can't be read: " + e
                    + ". Files of profiles may lie in it: give this command the right to read it.");
        }
        return found;
    }

    /** Whether a file that was not named has keys of ours. It may be any file, so nothing in it is an error. */
    private static boolean hasKeys(Path file) {
        try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
            return lines.map(String::strip).anyMatch(line -> KEY.matcher(line).lookingAt());
        } catch (IOException | UncheckedIOException unreadable) {
            return false;
        }
    }

    /** As MicroProfile Config names it: application-prod.properties. */
    static Path ofProfile(Path file, String profile) {
        String name = String.valueOf(file.getFileName());
        int end = endOfStem(name);
        return file.resolveSibling(name.substring(0, end) + "-" + profile + name.substring(end));
    }

    private static int endOfStem(String name) {
        return name.endsWith(".properties") ? name.lastIndexOf('.') : name.length();
    }
}
