// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ComparisonPageTest {
    private static final Path DOCS = Path.of("../../../docs");

    private final String page = Files.readString(DOCS.resolve("comparison.md"));
    private final String evidence = Files.readString(DOCS.resolve("evidence/comparison.md"));
    private final String report = Files.readString(DOCS.resolve("reports/comparison.md"));

    private final List<String> data = Files.readAllLines(DOCS.resolve("reports/comparison.csv"));

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
        String table = report.substring(begin, report.indexOf("\n\n", begin + heading.length() + 1));

        assertThat(table).contains("\n| ours on etcd | 0 |");
        assertThat(page).contains(table.strip()).contains("](reports/comparison.md)", "](reports/comparison.csv)");
        assertThat(evidence).contains("](../reports/comparison.md)");
        List<String[]> rows = table.lines()
                .filter(line -> line.startsWith("| "))
                .map(line -> line.split(" *\\| *"))
                .toList();
        for (String[] row : rows.subList(1, rows.size())) {
            for (int column = 2; column < row.length; column++) {
                if (!row[column].equals("–")) {
                    assertThat(data)
                            .contains(String.join(
                                    ",",
                                    "Ids issued twice",
                                    row[1],
                                    rows.get(0)[column],
                                    row[column].replace(",", ""),
                                    ""));
                }
            }
        }
    }

    @Test
    void theTimesWithoutAnIdAreThoseOfTheReport() {
        assertThat(page)
                .contains("for up to " + longest("ours", "frozen") + " s in *frozen*, " + longest("ours", "wiped")
                        + " in *wiped*, " + longest("ours", "pauses") + " in *pauses* and " + longest("ours", "clocks")
                        + " in *clocks*")
                .contains("with at most " + longest("CosId|Leaf", "frozen") + " s without an id.")
                .contains("In *clocks* CosId had none for " + longest("CosId", "clocks") + " s, Leaf for "
                        + longest("Leaf", "clocks") + ", Hutool for " + longest("Hutool", "clocks") + ", Yitter for "
                        + longest("Yitter", "clocks") + ", Seata and tsid-creator for at most "
                        + longest("Seata|tsid", "clocks") + ".");
    }

    private double longest(String subjects, String chapter) {
        return data.stream()
                .map(line -> Pattern.compile("\"Longest time without an id of a process that ran, in seconds\",("
                                + subjects + ")[^,]*," + chapter + ",([0-9.]+),")
                        .matcher(line))
                .filter(Matcher::matches)
                .mapToDouble(line -> Double.parseDouble(line.group(2)))
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
