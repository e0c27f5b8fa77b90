// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ComparisonPageTest {
    private static final Path DOCS = Path.of("../../../docs");

    private final String page = Files.readString(DOCS.resolve("comparison.md"));
    private final String report = Files.readString(DOCS.resolve("reports/comparison.md"));

    ComparisonPageTest() throws IOException {}

    @Test
    void theCommandsOnThePageAreAccepted() {
        List<String> commands =
                page.lines().filter(line -> line.startsWith("bin/compare")).toList();
        assertThat(commands).isNotEmpty();
        for (String command : commands) {
            List<String> words = new ArrayList<>(Arrays.asList(command.split(" +")));
            words.set(0, "--modules=unused");
            CommandLine.ParseResult parsed = Compare.commandLine().parseArgs(words.toArray(String[]::new));
            assertThat(parsed.errors()).as(command).isEmpty();
            List<String> only = parsed.matchedOptionValue("--only", List.of());
            assertThat(only).allSatisfy(name -> assertThat(Subjects.named(name)).isNotNull());
        }
    }

    @Test
    void theTablesOnThePageAreThoseOfTheReport() {
        String tables = report.substring(report.indexOf("### "), report.indexOf("## What each said"));
        assertThat(page).contains(tables.strip());
    }

    @Test
    void thePageSaysHowEachIsSetUpAndWhatItDoesNotClaim() {
        assertThat(Subjects.ALL).allSatisfy(subject -> assertThat(page)
                .contains(subject.title())
                .contains("`" + subject.name() + "`")
                .contains(subject.setUp())
                .contains(subject.claims()));
    }

    @Test
    void thePageExplainsEachChapter() {
        assertThat(Chapter.values())
                .allSatisfy(chapter ->
                        assertThat(page).contains("**" + chapter + "**").contains(chapter.explanation()));
    }
}
