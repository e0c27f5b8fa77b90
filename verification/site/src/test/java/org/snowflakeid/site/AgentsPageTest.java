// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What coding agents read says what the other pages say. */
class AgentsPageTest {

    private static final String PAGE = "docs/for-coding-agents.md";
    private static final int WORDS = 500;

    private static List<MatchResult> matches(String pattern, String text) {
        return Pattern.compile(pattern, Pattern.MULTILINE)
                .matcher(text)
                .results()
                .toList();
    }

    /** Without the blanks at the beginnings of its lines. */
    private static String flush(String text) {
        return text.replaceAll("(?m)^ +", "");
    }

    @Test
    void itsBlocksAreThoseOfOtherPages() throws IOException {
        List<String> code = Pages.blocks("java", PAGE);

        assertThat(code).hasSize(2);
        assertThat(Pages.blocks("java", "docs/start.md")).contains(code.get(0));
        assertThat(flush(Pages.text("docs/jpa.md"))).contains(flush(code.get(1)));
        assertThat(Pages.blocks("properties", "docs/testing.md")).containsAll(Pages.blocks("properties", PAGE));
    }

    @Test
    void itsArtifactsAreInTheBomAndOnThePagesThatItNames() throws IOException {
        String bom = Pages.text("bom/pom.xml");
        List<MatchResult> rows = matches("^\\| [^|]+ \\| `([a-z-]+)` \\| (.*) \\|$", Pages.text(PAGE));

        assertThat(rows).hasSize(12);
        for (MatchResult row : rows) {
            assertThat(bom).contains("<artifactId>" + row.group(1) + "</artifactId>");
            for (MatchResult link : matches("\\]\\(([a-z-]+\\.md)\\)", row.group(2))) {
                assertThat(Pages.text("docs/" + link.group(1)))
                        .contains("<artifactId>" + row.group(1) + "</artifactId>");
            }
        }
    }

    @Test
    void eachCoordinatorIsThereWithTheKeysThatItRequires() throws IOException {
        List<MatchResult> rows =
                matches("^\\| [^|]+ \\| `snowflake-coordinator-([a-z]+)` \\| (.*) \\|$", Pages.text(PAGE));
        Set<String> coordinators = new TreeSet<>();

        for (MatchResult row : rows) {
            coordinators.add(row.group(1));
            assertThat(keys("`(snowflake[a-z.-]+)`", row.group(2)))
                    .isEqualTo(keys(
                            "^\\| `(snowflake\\." + row.group(1) + "\\.[a-z.-]+)` \\| required \\|",
                            Pages.text("docs/configuration.md")));
        }

        assertThat(coordinators)
                .isEqualTo(keys(
                        "<artifactId>snowflake-coordinator-([a-z]+)</artifactId>",
                        Pages.text("bom/pom.xml").replaceAll("snowflake-coordinator-(tck|support|http)<", "")));
    }

    private static Set<String> keys(String pattern, String text) {
        Set<String> keys = new TreeSet<>();
        matches(pattern, text).forEach(key -> keys.add(key.group(1)));
        return keys;
    }

    @Test
    void itHasThreeTrapsAndIsShort() throws IOException {
        String traps = Pages.text(PAGE).split("\n## Three traps\n", -1)[1].split("\n## ", -1)[0];

        assertThat(matches("^\\*\\*[123]\\. ", traps)).hasSize(3);
        assertThat(Pages.words(PAGE)).isLessThanOrEqualTo(WORDS);
    }

    /** Made of the first sentence of the README and of the list of pages; with {@code -Dllms.txt=write} it is written. */
    @Test
    void theListForAgentsIsThatOfThePages() throws IOException {
        Path file = Pages.ROOT.resolve("llms.txt");
        String made = llms();
        if ("write".equals(System.getProperty("llms.txt"))) {
            Files.writeString(file, made);
        }

        assertThat(file).content().isEqualTo(made);
        assertThat(made).contains("](" + PAGE + ")");
    }

    private static String llms() throws IOException {
        String list = Pages.text("docs/README.md");
        String sentence =
                matches("\\A# .*\\n\\n(.*)$", Pages.text("README.md")).get(0).group(1);
        String pages = list.substring(list.indexOf("\n## "))
                .replace("](", "](docs/")
                .replace("](docs/../", "](")
                // Its name in the convention: what may be left out.
                .replace("\n## Evidence\n", "\n## Optional\n");
        return "# Snowflake ID\n\n> " + sentence + "\n" + pages;
    }
}
