// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A report that is said to be of today's core is of the code that is here. */
class ReportsTest {

    private static final String PAGE = "docs/reports/README.md";
    private static final Pattern COMMENT = Pattern.compile("^(//|/\\*|\\*).*");

    /** Of all lines of code, so that an explanation can be mended without a new run. */
    private static String fingerprint(Path sources) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        try (Stream<Path> files = Files.walk(sources)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                digest.update(sources.relativize(file).toString().getBytes(StandardCharsets.UTF_8));
                code(file).forEach(line -> digest.update(line.getBytes(StandardCharsets.UTF_8)));
            }
        }
        return HexFormat.of().formatHex(digest.digest(), 0, 6);
    }

    private static List<String> code(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !COMMENT.matcher(line).matches())
                .toList();
    }

    @Test
    void whatIsSaidToBeOfTodaysCoreIs() throws Exception {
        String today = fingerprint(Pages.ROOT.resolve("core/src/main/java"));

        assertThat(Pages.text(PAGE))
                .as(
                        "Core's code has changed, it is %s now. In %s, move the reports that rest on it to those of"
                                + " earlier cores, or make them anew; then write this there.",
                        today, PAGE)
                .contains("fingerprint `" + today + "`");
    }

    @Test
    void eachReportOfTodaysCoreNamesItsCommit() throws Exception {
        String page = Pages.text(PAGE);
        int begin = page.indexOf("## Of today's core");
        String today = page.substring(begin, page.indexOf("\n## ", begin));
        List<MatchResult> reports = Pattern.compile("^\\| \\[[^]]+]\\(([^)]+)\\)", Pattern.MULTILINE)
                .matcher(today)
                .results()
                .toList();

        for (MatchResult report : reports) {
            assertThat(Pages.text("docs/reports/" + report.group(1)))
                    .as(report.group(1))
                    .containsPattern("(?i)commit[ |*]+[0-9a-f]{7}");
        }
    }

    @Test
    void aLineOfCodeMakesAnotherFingerprintAndACommentDoesNot(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("Lease.java");
        Files.writeString(file, "final class Lease {\n    int limit;\n}\n");
        String before = fingerprint(folder);

        Files.writeString(
                file, "/** What is granted. */\nfinal class Lease {\n    // exclusive\n\n    int limit;\n}\n");
        assertThat(fingerprint(folder)).isEqualTo(before);

        Files.writeString(file, "final class Lease {\n    long limit;\n}\n");
        assertThat(fingerprint(folder)).isNotEqualTo(before);
    }
}
