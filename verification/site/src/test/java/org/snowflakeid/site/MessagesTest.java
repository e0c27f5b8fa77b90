// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Messages that send their reader to the runbook. */
class MessagesTest {

    /** A message ends in: see "Heading" in the runbook. It may be put together of several pieces. */
    private static final Pattern IN_THE_RUNBOOK = Pattern.compile("\\\\\"([A-Z][^\"\\\\]+)\\\\\" in the runbook");

    private static final Pattern GIVEN_HEADING =
            Pattern.compile("(?s)regressed\\([^;]*?, \"([A-Z][^\"]+)\"\\)|OLD_DATA = \"([^\"]+)\"");

    private static final Pattern PIECES = Pattern.compile("\"\\s*\\+\\s*\"");

    @Test
    void theHeadingsThatTheyNameAreThere() throws IOException {
        Set<String> headings = Pages.text("docs/runbook.md")
                .lines()
                .filter(line -> line.startsWith("## "))
                .map(line -> line.substring(3))
                .collect(Collectors.toSet());
        Set<String> named = new TreeSet<>();
        try (Stream<Path> rooms = Files.walk(Pages.ROOT.resolve("core/src/main/java"))) {
            for (Path file :
                    rooms.filter(each -> each.toString().endsWith(".java")).toList()) {
                String code = PIECES.matcher(Files.readString(file)).replaceAll("");
                for (Matcher heading = IN_THE_RUNBOOK.matcher(code); heading.find(); ) {
                    named.add(heading.group(1));
                }
                for (Matcher heading = GIVEN_HEADING.matcher(code); heading.find(); ) {
                    named.add(heading.group(1) == null ? heading.group(2) : heading.group(1));
                }
            }
        }

        assertThat(named)
                .hasSizeGreaterThan(6)
                .contains("Lost its record", "The coordinator went back to old data")
                .isSubsetOf(headings);
    }
}
