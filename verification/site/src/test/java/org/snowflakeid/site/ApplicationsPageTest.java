// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The patches for applications of others, whose sources are not here: what can be known of them without these. */
class ApplicationsPageTest {

    private static final Path PATCHES = Pages.ROOT.resolve("docs/applications");

    private record Size(int files, int added, int removed) {}

    private static List<MatchResult> matches(String pattern, String text) {
        return Pattern.compile(pattern, Pattern.MULTILINE)
                .matcher(text)
                .results()
                .toList();
    }

    private static List<String> patches() throws IOException {
        try (Stream<Path> files = Files.list(PATCHES)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** What it adds, without the mark of it. */
    private static String added(String patch) throws IOException {
        StringBuilder added = new StringBuilder();
        for (MatchResult line : matches("^\\+(?!\\+\\+ )(.*)$", Files.readString(PATCHES.resolve(patch)))) {
            added.append(line.group(1)).append('\n');
        }
        return added.toString();
    }

    private record Answer(int status, String said) {}

    /** What Git counts in it, which refuses what is no patch. Within a repository it would count its files alone. */
    private static Answer numstat(Path patch, Path folder) throws IOException, InterruptedException {
        ProcessBuilder git = new ProcessBuilder("git", "apply", "--numstat", patch.toString())
                .directory(folder.toFile())
                .redirectErrorStream(true);
        git.environment().put("GIT_CEILING_DIRECTORIES", folder.getParent().toString());
        Process process = git.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Answer(process.waitFor(), said);
    }

    private static Size size(Path patch, Path folder) throws IOException, InterruptedException {
        Answer counted = numstat(patch, folder);
        assertThat(counted.status()).as(counted.said()).isZero();
        List<MatchResult> files = matches("^(\\d+)\t(\\d+)\t.+$", counted.said());
        return new Size(
                files.size(),
                files.stream().mapToInt(file -> Integer.parseInt(file.group(1))).sum(),
                files.stream().mapToInt(file -> Integer.parseInt(file.group(2))).sum());
    }

    @Test
    void thePageHasTheFiguresOfEachPatch(@TempDir Path folder) throws Exception {
        Map<String, Size> actual = new TreeMap<>();
        for (String patch : patches()) {
            actual.put(patch, size(PATCHES.resolve(patch), folder));
        }

        Map<String, Size> told = new TreeMap<>();
        for (MatchResult row : matches(
                "^\\| .*\\| (\\d+) \\| (\\d+) \\| (\\d+) \\| \\[[^]]+]\\(\\.\\./applications/([^)]+)\\) \\|$",
                Pages.text("docs/evidence/applications.md"))) {
            told.put(
                    row.group(4),
                    new Size(
                            Integer.parseInt(row.group(1)),
                            Integer.parseInt(row.group(2)),
                            Integer.parseInt(row.group(3))));
        }

        assertThat(actual).hasSizeGreaterThanOrEqualTo(4);
        assertThat(told).isEqualTo(actual);
    }

    @Test
    void aPatchThatLacksALineIsNoPatch(@TempDir Path folder) throws Exception {
        String whole = Files.readString(PATCHES.resolve(patches().get(0)));
        Path damaged = Files.writeString(folder.resolve("damaged.patch"), whole.replaceFirst("(?m)^\\+[^+].*\\n", ""));

        Answer answer = numstat(damaged, folder);

        assertThat(answer.status()).isNotZero();
        assertThat(answer.said()).contains("corrupt patch");
    }

    @Test
    void artifactsAndVersionAreThoseOfThisProject() throws Exception {
        String bom = Pages.text("bom/pom.xml");
        String version = matches("<version>([^<]+)</version>", bom).get(0).group(1);
        for (String patch : patches()) {
            String added = added(patch);
            List<MatchResult> dependencies = matches(
                    "<groupId>org\\.snowflakeid</groupId>\\s+(<artifactId>[^<]+</artifactId>)\\s+<version>([^<]+)</version>",
                    added);

            assertThat(dependencies)
                    .as(patch)
                    .hasSizeGreaterThanOrEqualTo(3)
                    .hasSameSizeAs(matches("<groupId>", added))
                    .allSatisfy(dependency -> {
                        assertThat(bom).contains(dependency.group(1));
                        assertThat(dependency.group(2)).isEqualTo("${snowflake.version}");
                    });
            assertThat(added).contains("<snowflake.version>" + version + "</snowflake.version>");
        }
    }

    @Test
    void classesAndKeysAreThoseOfThisProject() throws Exception {
        List<String> modules = new ArrayList<>();
        try (Stream<Path> folders = Files.list(Pages.ROOT)) {
            folders.filter(folder -> Files.isDirectory(folder.resolve("src/main/java")))
                    .forEach(folder -> modules.add(folder.getFileName().toString()));
        }
        String keys = Pages.text("docs/configuration.md");
        for (String patch : patches()) {
            String added = added(patch);
            List<MatchResult> classes = matches("\\borg\\.snowflakeid(?:\\.[a-z]\\w*)*\\.[A-Z]\\w*", added);

            assertThat(classes).as(patch).isNotEmpty().allSatisfy(name -> assertThat(modules)
                    .as(name.group())
                    .anyMatch(module -> Files.exists(Pages.ROOT.resolve(
                            module + "/src/main/java/" + name.group().replace('.', '/') + ".java"))));
            assertThat(matches("^(snowflake\\.[\\w.-]+)=", added))
                    .allSatisfy(key -> assertThat(keys).contains("`" + key.group(1) + "`"));
        }
    }
}
