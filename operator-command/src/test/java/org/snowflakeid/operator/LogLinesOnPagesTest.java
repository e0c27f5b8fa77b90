// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the pages say that a log says is what the code says. */
class LogLinesOnPagesTest {

    /** What differs from line to line stands there as an example, or as an ellipsis. At punctuation pieces are put together. */
    private static final Pattern VARIABLE =
            Pattern.compile("…|\\d[\\d.]*(?: s\\b)?|(?<= from )etcd\\b|zookeeper:snowflake|host app-17|[(),:']");

    private static final Pattern QUOTED = Pattern.compile("`([^`]{12,})`");

    private static String code() throws IOException {
        StringBuilder code = new StringBuilder();
        try (Stream<Path> files = Files.walk(Path.of("../core/src/main/java"))) {
            for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                code.append(Files.readString(file));
            }
        }
        // Messages are put together from pieces over several lines.
        return code.toString().replaceAll("\"\\s*\\+\\s*\"", "");
    }

    private static List<String> unknown(List<String> lines, String code) {
        return lines.stream()
                .filter(line -> !VARIABLE.splitAsStream(line)
                        .map(String::strip)
                        .filter(part -> part.length() > 5)
                        .allMatch(code::contains))
                .toList();
    }

    private static List<String> quoted(String text) {
        List<String> lines = new ArrayList<>();
        QUOTED.matcher(text).results().forEach(match -> lines.add(match.group(1)));
        return lines;
    }

    @Test
    void everyLineOfTheTableIsInTheCode() throws IOException {
        String page = Files.readString(Path.of("../docs/operations.md"));
        String table = page.substring(page.indexOf("## What the log says"), page.indexOf("## Disasters"));
        List<String> lines = new ArrayList<>();
        for (String row : table.lines().filter(line -> line.startsWith("| `")).toList()) {
            lines.addAll(quoted(row.substring(0, row.indexOf(" |", 2))));
        }

        assertThat(lines).hasSizeGreaterThan(12);
        assertThat(unknown(lines, code())).isEmpty();
    }

    @Test
    void everyAlarmOfTheRunbookIsInTheCode() throws IOException {
        String page = Files.readString(Path.of("../docs/runbook.md"));
        List<String> lines = new ArrayList<>();
        // A section begins with what the log says.
        for (String section : page.split("\n## ", -1)) {
            section.lines()
                    .skip(1)
                    .filter(line -> !line.isBlank())
                    .findFirst()
                    .filter(line -> line.startsWith("`") || line.startsWith("At a start") || line.startsWith("A start"))
                    .ifPresent(line -> lines.addAll(quoted(line)));
        }
        lines.removeIf(line -> line.startsWith("status") || line.startsWith("restore ") || line.startsWith("run "));
        lines.removeIf(line -> line.startsWith("--") || line.startsWith(" "));

        assertThat(lines).hasSizeGreaterThan(15);
        assertThat(unknown(lines, code())).isEmpty();
    }
}
