// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.IdParts;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.runtime.Launcher;

/** What the pages for beginners say is so. */
class PagesTest {

    private static final SnowflakeLayout DEFAULT = new SnowflakeLayout(Instant.parse("2020-01-01T00:00:00Z"), 10, 12);

    private static List<MatchResult> matches(String pattern, String text) {
        return Pattern.compile(pattern, Pattern.MULTILINE)
                .matcher(text)
                .results()
                .toList();
    }

    @Test
    void theProgramInPlainJavaRuns(@TempDir Path folder) throws Exception {
        run("docs/plain-java.md", "Orders", "1000 lines, each after the order: true", folder);
    }

    @Test
    void theProgramOfTheCheckpointRuns(@TempDir Path folder) throws Exception {
        run("docs/checkpoint.md", "Checkpointed", "ids go on: true", folder);
    }

    private static void run(String page, String className, String printed, Path folder) throws Exception {
        Path program = Files.writeString(
                folder.resolve(className + ".java"), Pages.blocks("java", page).get(0));
        Path output = folder.resolve("output");

        Process process = new ProcessBuilder(
                        Launcher.java("-cp", System.getProperty("java.class.path"), program.toString()))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();

        assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
        assertThat(output).content().contains(printed);
        assertThat(process.exitValue()).isZero();
        assertThat(new File(folder.toFile(), "worker-ids")).isDirectory();
    }

    // without the folder the command did not know where to look
    @Test
    void theMapOfTheReadmeIsThatOfTheExample() throws Exception {
        String folder = matches(
                        "^export SNOWFLAKE_FILE_DIRECTORY=\"\\$\\{SNOWFLAKE_FILE_DIRECTORY:-(.+)}\"$",
                        Pages.text("bin/run-example"))
                .get(0)
                .group(1);

        assertThat(Pages.text("README.md"))
                .contains("\nbin/snowflake-operator serve -Dsnowflake.file.directory=\"" + folder + "\"\n");
    }

    @Test
    void theIdOfThePagesHasTheseParts() throws Exception {
        long id = 911852594806915072L;
        IdParts parts = DEFAULT.decode(id);

        assertThat(parts).isEqualTo(new IdParts(Instant.parse("2026-11-21T05:36:40.003Z"), 960, 0));
        assertThat(Pages.text("docs/start.md"))
                .contains("{\"id\":\"%d\",\"timestamp\":\"%s\",\"workerId\":%d,\"sequence\":%d}"
                        .formatted(id, parts.timestamp(), parts.workerId(), parts.sequence()));
        for (String picture : List.of("how-id", "how-id-narrow")) {
            assertThat(Pages.text("docs/images/" + picture + ".svg"))
                    .contains(Long.toString(id), "2026-11-21 05:36:40.003 UTC", ">960<", Long.toString(id >> 22));
        }
    }

    @Test
    void theLayoutsHaveTheWorkerIdsAndEndsThatTheTableSays() throws Exception {
        List<MatchResult> rows = matches(
                "^\\| \\**(\\d+)\\** \\| \\**(\\d+)\\** \\| \\**([\\d,]+)\\** \\| \\**([\\d,]+)\\** \\| \\**([\\d-]+)\\** \\|$",
                Pages.text("docs/choosing.md"));

        assertThat(rows).hasSizeGreaterThan(4);
        for (MatchResult row : rows) {
            int workerIdBits = Integer.parseInt(row.group(1));
            int sequenceBits = Integer.parseInt(row.group(2));
            SnowflakeLayout layout = new SnowflakeLayout(DEFAULT.epoch(), workerIdBits, sequenceBits);

            assertThat(row.group(3)).isEqualTo("%,d".formatted(layout.maxWorkerId() + 1));
            assertThat(row.group(4)).isEqualTo("%,d".formatted(1 << sequenceBits));
            assertThat(LocalDate.ofInstant(layout.exhaustedAt(), ZoneOffset.UTC))
                    .hasToString(row.group(5));
        }
    }

    // without servlet-6.0 the server did not start the application of the page, and said why in no line of its log
    @Test
    void openLibertyIsTestedWithTheFeaturesOfItsPage() throws Exception {
        String tested = Pages.text("verification/runtimes/servers/src/test/open-liberty/server.xml");
        // The tested application also uses JSON in its own code.
        List<String> needed = features(tested.replace("<feature>jsonp-2.1</feature>", ""));

        assertThat(features(Pages.text("docs/open-liberty.md"))).hasSize(5).isEqualTo(needed);
    }

    private static List<String> features(String text) {
        return matches("<feature>([^<]+)</feature>", text).stream()
                .map(feature -> feature.group(1))
                .toList();
    }

    @Test
    void theFiguresOfInsertsAreThoseOfTheReport() throws Exception {
        List<MatchResult> rows = matches(
                "^(\\| `[^|]+ \\|) [\\d,]+ \\|( [\\d.]+ \\|) [^|]+ \\|( [\\d,]+ \\|) ([\\d,]+) \\| [\\d.]+ \\|$",
                Pages.text("docs/reports/inserts.md"));

        assertThat(rows).hasSize(8).allSatisfy(row -> {
            double index = Integer.parseInt(row.group(4).replace(",", "")) / 1024.0;
            String ofThePage =
                    row.group(1) + row.group(2) + row.group(3) + String.format(Locale.ROOT, " %.1f MiB |", index);
            assertThat(Pages.text("docs/evidence/performance.md")).contains(ofThePage);
        });
    }

    @Test
    void theArtifactsOfThePagesAreInTheBomWithTheirVersion() throws Exception {
        String pom = Pages.text("bom/pom.xml");
        String version = matches("<version>([^<]+)</version>", pom).get(0).group(1);
        String bom = withoutBlanks(pom.replace("${project.version}", version));
        for (String page : List.of(
                "helidon",
                "jpa",
                "payara",
                "open-liberty",
                "plain-java",
                "quarkus",
                "coordinator-consul",
                "coordinator-etcd",
                "coordinator-file",
                "coordinator-jdbc",
                "coordinator-kubernetes",
                "coordinator-nacos",
                "coordinator-redis",
                "coordinator-zookeeper")) {
            List<String> dependencies =
                    matches("(?s)<dependency>.*?</dependency>", Pages.text("docs/" + page + ".md")).stream()
                            .map(dependency -> withoutBlanks(dependency.group()).replace("<scope>test</scope>", ""))
                            .filter(dependency -> dependency.contains("<groupId>org.snowflakeid</groupId>"))
                            .toList();

            assertThat(dependencies).isNotEmpty().allSatisfy(dependency -> assertThat(bom)
                    .contains(dependency));
        }
    }

    @Test
    void theBoundsOfADayAreThoseOfTheLayout() throws Exception {
        long first = DEFAULT.minId(Instant.parse("2026-11-21T00:00:00Z"));
        long last = DEFAULT.maxId(Instant.parse("2026-11-21T23:59:59.999Z"));

        assertThat(Pages.text("docs/jpa.md"))
                .contains("BETWEEN " + first + " AND " + last + " ")
                .contains(DEFAULT.epoch().toEpochMilli() + ") × " + (1 << 22));
    }

    @Test
    void theCodeForTestsIsThatOfTests() throws Exception {
        StringBuilder tests = new StringBuilder();
        for (String test : List.of(
                "weld/src/test/java/org/snowflakeid/testing/weld/FixedIdsTest.java",
                "weld/src/test/java/org/snowflakeid/testing/weld/InMemoryTest.java",
                "helidon/src/test/java/org/snowflakeid/testing/helidon/FixedIdsTest.java")) {
            tests.append(Pages.text("verification/testing/" + test));
        }
        List<String> blocks = Pages.blocks("java", "docs/testing.md");

        assertThat(blocks).hasSize(4).allSatisfy(block -> assertThat(withoutBlanks(tests.toString()))
                .contains(withoutBlanks(block)));
    }

    private static String withoutBlanks(String text) {
        return text.replaceAll("\\s", "");
    }
}
