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
    private final String evidence = Files.readString(DOCS.resolve("evidence/comparison.md"));
    private final String report = Files.readString(DOCS.resolve("reports/comparison.md"));

    ComparisonPageTest() throws IOException {}

    @Test
    void theCommandsOnThePageAreAccepted() {
        List<String> commands = (page + evidence)
                .lines()
                .filter(line -> line.startsWith("bin/compare"))
                .toList();
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
    void theTableOnThePageIsThatOfTheReport() {
        String heading = "### Ids issued twice\n";
        int begin = report.indexOf(heading);
        String table = report.substring(begin, report.indexOf("\n###", begin));

        assertThat(table).contains("\n| ours on etcd | 0 |");
        assertThat(page).contains(table.strip()).contains("](reports/comparison.md#what-was-seen)");
        assertThat(evidence).contains("](../reports/comparison.md)");
    }

    @Test
    void theTimesWithoutAnIdAreThoseOfTheReport() {
        int begin = report.indexOf("### Longest time without an id of a process that ran");
        List<String[]> rows = report.substring(begin, report.indexOf("\n###", begin))
                .lines()
                .filter(line -> line.matches("\\| .* \\|") && !line.startsWith("| |"))
                .map(line -> line.substring(2).split(" *\\| *"))
                .toList();

        assertThat(page)
                .contains("for up to " + longest(rows, "ours", 5) + " s in *frozen*, " + longest(rows, "ours", 7)
                        + " in *wiped*, " + longest(rows, "ours", 2) + " in *pauses* and " + longest(rows, "ours", 4)
                        + " in *clocks*")
                .contains("with at most " + longest(rows, "CosId|Leaf", 5) + " s.")
                .contains("In *clocks* CosId had none for " + longest(rows, "CosId", 4) + " s, Leaf for "
                        + longest(rows, "Leaf", 4) + ", Hutool for " + longest(rows, "Hutool", 4) + ", Yitter for "
                        + longest(rows, "Yitter", 4) + ", Seata and tsid-creator for at most "
                        + longest(rows, "Seata|tsid", 4) + ".");
    }

    private static double longest(List<String[]> rows, String subjects, int column) {
        return rows.stream()
                .filter(row -> row[0].matches("(" + subjects + ").*"))
                .mapToDouble(row -> Double.parseDouble(row[column]))
                .max()
                .orElseThrow();
    }

    @Test
    void thePageSaysHowEachIsSetUpAndWhatItDoesNotClaim() {
        assertThat(Subjects.ALL).allSatisfy(subject -> assertThat(evidence)
                .contains(subject.title())
                .contains("`" + subject.name() + "`")
                .contains(subject.setUp())
                .contains(subject.claims()));
    }

    @Test
    void thePageExplainsEachChapter() {
        assertThat(Chapter.values())
                .allSatisfy(chapter ->
                        assertThat(evidence).contains("**" + chapter + "**").contains(chapter.explanation()));
    }
}
