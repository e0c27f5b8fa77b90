// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.snowflakeid.chaos.WorkerLogs;
import org.snowflakeid.compare.instance.Instance;

/** What the processes of one generator said: exceptions that calls threw, and lines of the log that warn. */
final class Sayings {
    private static final Pattern WARNING = Pattern.compile("(?:\\S+\\s+){0,3}(?:WARN|WARNING|ERROR|SEVERE)\\b.*");
    private static final int LONGEST = 240;

    private final Map<Chapter, Map<String, Long>> counts = new EnumMap<>(Chapter.class);

    private Sayings() {}

    static Sayings of(List<Life> lives) {
        Sayings sayings = new Sayings();
        lives.forEach(sayings::read);
        return sayings;
    }

    private void read(Life life) {
        try (BufferedReader lines = Files.newBufferedReader(life.log(), StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(Instance.THREW)) {
                    count(life, "threw " + line.substring(Instance.THREW.length()));
                } else if (line.startsWith(Instance.NOT_STARTED)) {
                    count(life, "did not start: " + line.substring(Instance.NOT_STARTED.length()));
                } else if (WARNING.matcher(line).matches()) {
                    count(life, "logged " + line);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(life.log().toString(), e);
        }
    }

    private void count(Life life, String line) {
        String kind = WorkerLogs.messageClass(line);
        counts.computeIfAbsent(life.chapter(), chapter -> new TreeMap<>())
                .merge(kind.length() > LONGEST ? kind.substring(0, LONGEST) + "…" : kind, 1L, Long::sum);
    }

    /** By kind, the most frequent first. */
    List<Map.Entry<String, Long>> in(Chapter chapter) {
        List<Map.Entry<String, Long>> sorted =
                new ArrayList<>(counts.getOrDefault(chapter, Map.of()).entrySet());
        sorted.sort(Map.Entry.<String, Long>comparingByValue().reversed());
        return sorted;
    }
}
