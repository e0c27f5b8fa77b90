// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;

/**
 * What the command answers to bad command lines and settings. The inputs are rows of {@code bad-inputs.txt}: exit status, a part of the
 * text, and what is typed, separated by bars; {@code < answer} is what is typed when asked, {@code NAME=value} the environment. With
 * {@code -Dbad.inputs=write} {@code docs/reports/bad-inputs.csv} is written anew, with the seconds that each took.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadInputsTest {

    private static final Path DATA = Path.of("../docs/reports/bad-inputs.csv");
    private static final Path ROWS = Path.of("src/test/resources/bad-inputs.txt");

    private final Map<Row, String> answers = new ConcurrentHashMap<>();

    record Row(int exitCode, String part, String typed) {

        static Row of(String line) {
            String[] columns = line.split(" \\| ", 3);
            return new Row(Integer.parseInt(columns[0]), columns[1], columns[2]);
        }

        @Override
        public String toString() {
            return typed;
        }
    }

    static List<Row> rows() throws IOException {
        return Files.readAllLines(ROWS).stream().map(Row::of).toList();
    }

    /** What some of the rows are about. Two namespaces are there: snowflake and taken. */
    private static void prepare(Path folder) throws IOException {
        String directory = "snowflake.file.directory=" + folder.resolve("ids") + "\n";
        Map<String, String> files = new HashMap<>();
        files.put("app.properties", directory);
        files.put("empty.properties", "");
        files.put("other.properties", "quarkus.http.port=8080\n");
        files.put("application.yaml", "snowflake:\n  namespace: orders\n");
        files.put("escape.properties", "snowflake.namespace=\\u12\n");
        files.put("expression.properties", "snowflake.etcd.endpoints=${etcd}\n");
        files.put("profiles.properties", "%prod.snowflake.namespace=orders\n" + directory.replace("snow", "%dev.snow"));
        files.put("misspelt.properties", "snowflake.namespaces=orders\n" + directory);
        files.put("profile-misspelt.properties", "%prod.snowflake.namespaces=orders\n" + directory);
        for (Map.Entry<String, String> file : files.entrySet()) {
            Files.writeString(folder.resolve(file.getKey()), file.getValue());
        }
        Files.write(
                folder.resolve("latin1.properties"),
                "snowflake.namespace=\u00e4\n".getBytes(StandardCharsets.ISO_8859_1));
        for (String namespace : List.of("snowflake", "taken")) {
            LeasedSnowflake.open(SnowflakeSettings.of(Map.of(
                            "snowflake.coordinator",
                            "file",
                            "snowflake.file.directory",
                            folder.resolve("ids").toString(),
                            "snowflake.namespace",
                            namespace)))
                    .close();
        }
    }

    private static String records(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("ids"))) {
            StringBuilder records = new StringBuilder();
            for (Path file : files.filter(path -> path.getParent().endsWith("meta"))
                    .sorted()
                    .toList()) {
                records.append(file).append(Files.readString(file));
            }
            return records.toString();
        }
    }

    @ParameterizedTest
    @MethodSource("rows")
    void isAnsweredAndChangesNothing(Row row, @TempDir Path folder) throws IOException {
        prepare(folder);
        String records = records(folder);
        List<String> arguments = new ArrayList<>();
        Map<String, String> environment = new HashMap<>();
        String answer = row.typed().contains(" < ") ? row.typed().replaceFirst(".* < ", "") + "\n" : "";
        for (String word : row.typed().replaceFirst(" < .*", "").split(" ", -1)) {
            if (word.matches("_?[A-Z_]+=.*")) {
                environment.put(word.replaceFirst("=.*", ""), word.replaceFirst(".*?=", ""));
            } else if (!word.equals("(nothing)")) {
                arguments.add(word.replaceFirst("^(?=[a-z0-9-]+\\.(properties|yaml)$)", folder + "/")
                        .replace("DIR", folder.toString()));
            }
        }

        long began = System.nanoTime();
        Session session = Session.run(environment, answer, arguments.toArray(String[]::new));
        double seconds = (System.nanoTime() - began) / 1e9;

        String text = session.err().strip().replace(folder.toString(), "DIR");
        answers.put(
                row, String.format(Locale.ROOT, "%d,%.1f,%s", session.exitCode(), seconds, quoted(shortened(text))));
        assertThat(session.exitCode()).as(session.all()).isEqualTo(row.exitCode());
        assertThat(text).contains(row.part()).doesNotContain("hunter2", "\tat ");
        assertThat(records(folder)).isEqualTo(records);
    }

    /** Of the usage that follows a wrong command line, the first line says it. */
    private static String shortened(String text) {
        return text.replaceFirst("(?s)\nUsage: .*", "").replaceAll("\\s*\n\\s*", " | ");
    }

    private static String quoted(String value) {
        return value.matches(".*[,\"].*") ? '"' + value.replace("\"", "\"\"") + '"' : value;
    }

    @AfterAll
    void write() throws IOException {
        if (System.getProperty("bad.inputs", "").equals("write")) {
            List<String> lines = new ArrayList<>(List.of("input,exit,seconds,text"));
            for (Row row : rows()) {
                lines.add(quoted(row.typed()) + "," + answers.get(row));
            }
            Files.write(DATA, lines);
        }
    }

    @Test
    void theDataHaveTheseRows() throws IOException {
        List<String> lines = Files.readAllLines(DATA);
        assertThat(lines.subList(1, lines.size()))
                .zipSatisfy(rows(), (line, row) -> assertThat(line).startsWith(quoted(row.typed()) + ","));
    }
}
