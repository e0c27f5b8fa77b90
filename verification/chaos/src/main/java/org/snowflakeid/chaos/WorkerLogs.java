// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the worker processes logged. */
public final class WorkerLogs {
    private static final Pattern LINE =
            Pattern.compile("(\\d{4}-\\d\\d-\\d\\dT\\S+) (INFO|WARNING|SEVERE|CONFIG|FINE) (.*)");
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSZ");

    private final List<Line> lines = new ArrayList<>();
    private final Map<String, Long> strangers = new TreeMap<>();

    /** @param level as java.util.logging calls it */
    record Line(int worker, long wallMillis, String level, String text) {

        private boolean waits() {
            return text.equals("opens a generator") || text.contains("still without a worker id");
        }

        private boolean usedUp() {
            return text.contains("is used up, no ids") || text.contains("still no ids");
        }

        private boolean endsIdleness() {
            return text.contains("claimed worker id")
                    || text.contains("could not open a generator")
                    || text.contains("closes its generator")
                    || text.contains("ids again")
                    || text.contains("continuing as");
        }

        String messageClass() {
            return WorkerLogs.messageClass(text);
        }
    }

    /** A message without its numbers, times and tokens, so that messages of one class are equal. */
    public static String messageClass(String text) {
        return text.replaceAll("\\b[0-9a-f]{16,}\\b", "…")
                .replaceAll("[-+]?\\d{4,}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?Z", "<time>")
                .replaceAll("127\\.0\\.0\\.1:\\d+", "<server>")
                .replaceAll("-?\\d+(\\.\\d+)?", "#")
                .replaceAll("(http://<server>,?)+|<server>(,<server>)+", "<servers>");
    }

    static WorkerLogs read(Path directory) {
        WorkerLogs logs = new WorkerLogs();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file :
                    files.filter(f -> f.toString().endsWith(".log")).sorted().toList()) {
                logs.readFile(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return logs;
    }

    private void readFile(Path file) throws IOException {
        int worker = Integer.parseInt(file.getFileName().toString().substring(1, 3));
        try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            for (String text = reader.readLine(); text != null; text = reader.readLine()) {
                Matcher matcher = LINE.matcher(text);
                if (matcher.matches()) {
                    lines.add(new Line(worker, millis(matcher.group(1)), matcher.group(2), matcher.group(3)));
                } else if (!text.isBlank()) {
                    strangers.merge(text.strip(), 1L, Long::sum);
                }
            }
        }
    }

    private static long millis(String time) {
        try {
            return OffsetDateTime.parse(time, TIME).toInstant().toEpochMilli();
        } catch (DateTimeParseException e) {
            throw new IllegalStateException(e);
        }
    }

    /** How many lines say this. */
    long count(String part) {
        return lines.stream().filter(line -> line.text().contains(part)).count();
    }

    /** Warnings and errors by class, the most frequent first. */
    List<Map.Entry<String, Long>> classes() {
        Map<String, Long> counts = new TreeMap<>();
        for (Line line : lines) {
            if (line.level().equals("WARNING") || line.level().equals("SEVERE")) {
                counts.merge(line.level() + " " + line.messageClass(), 1L, Long::sum);
            }
        }
        List<Map.Entry<String, Long>> sorted = new ArrayList<>(counts.entrySet());
        sorted.sort(Map.Entry.<String, Long>comparingByValue().reversed());
        return sorted;
    }

    /** Lines that are no log lines, such as stack traces and messages of the virtual machine. */
    Map<String, Long> strangers() {
        return strangers;
    }

    List<String> errors() {
        return lines.stream()
                .filter(line -> line.level().equals("SEVERE"))
                .map(line -> "worker " + line.worker() + ": " + line.text())
                .toList();
    }

    /** How a worker that returned no ids spent its time, in milliseconds. */
    record Idleness(long waitingForWorkerId, long windowUsedUp) {}

    /** What a worker's log says about a span of time. Logs of a worker's processes follow each other. */
    Idleness idleness(int worker, long fromMillis, long toMillis) {
        long waiting = 0;
        long usedUp = 0;
        @Nullable Line state = null;
        for (Line line : of(worker, 0, toMillis)) {
            long millis = line.wallMillis() - Math.max(fromMillis, state == null ? 0 : state.wallMillis());
            if (state != null && millis > 0 && state.waits()) {
                waiting += millis;
            } else if (state != null && millis > 0) {
                usedUp += millis;
            }
            if (line.waits() || line.usedUp()) {
                state = line;
            } else if (line.endsIdleness()) {
                state = null;
            } else if (state != null) {
                state = new Line(worker, line.wallMillis(), state.level(), state.text());
            }
        }
        return new Idleness(waiting, usedUp);
    }

    /** In the order of time. */
    List<Line> of(int worker, long fromMillis, long toMillis) {
        return lines.stream()
                .filter(line -> line.worker() == worker)
                .filter(line -> line.wallMillis() >= fromMillis && line.wallMillis() <= toMillis)
                .toList();
    }
}
