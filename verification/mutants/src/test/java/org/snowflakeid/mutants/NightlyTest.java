// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What {@code bin/test} leaves to the night is told on a page, and is nothing on which alone a mutant depends. */
class NightlyTest {

    private static final Path ROOT = Path.of("../..");
    private static final Pattern TAG = Pattern.compile("@Tag\\((.*?)\\)");

    private static final Pattern MODULE =
            Pattern.compile("<skipTests>\\$\\{nightly\\.modules\\.skipTests}</skipTests>");

    private static List<Path> files(String ending) throws IOException {
        try (Stream<Path> all = Files.walk(ROOT)) {
            return all.filter(file -> file.toString().endsWith(ending))
                    .filter(file -> !file.toString().contains("/target/") && !file.endsWith("NightlyTest.java"))
                    .toList();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<String> classes() throws IOException {
        return files(".java").stream()
                .filter(file -> TAG.matcher(read(file)).find())
                .map(file -> file.getFileName().toString().replace(".java", ""));
    }

    private static Stream<String> modules() throws IOException {
        return files("/pom.xml").stream()
                .filter(file -> MODULE.matcher(read(file)).find())
                .map(file -> ROOT.relativize(file.getParent()).toString());
    }

    /** With another one a test would run in every build, or in none. */
    @Test
    void thereIsOneTagAndTheBuildLeavesItOut() throws IOException {
        assertThat(files(".java").stream()
                        .flatMap(file -> TAG.matcher(read(file)).results()))
                .isNotEmpty()
                .allMatch(tag -> tag.group(1).equals("\"nightly\""));
        assertThat(read(ROOT.resolve("pom.xml"))).contains("<excludedGroups>nightly</excludedGroups>");
        assertThat(read(ROOT.resolve("bin/test")))
                .contains("--all) verify", "-DexcludedGroups= -Dnightly.modules.skipTests=false");
    }

    /** Whatever else {@code bin/test} is asked for, it runs all that the quick tests leave out. */
    @Test
    void onlyTheQuickTestsLeaveOutServersAndSeeds() throws IOException {
        assertThat(read(ROOT.resolve("pom.xml")))
                .contains("<server.modules.skipTests>false</server.modules.skipTests>");
        assertThat(read(ROOT.resolve("core/src/test/java/org/snowflakeid/SafetySimulationTest.java")))
                .contains("Integer.getInteger(\"simulation.one-in\", 1)");
        assertThat(read(ROOT.resolve("bin/test")).lines().filter(line -> line.contains("verify ")))
                .filteredOn(line -> line.contains("server.modules.skipTests") || line.contains("simulation.one-in"))
                .singleElement()
                .asString()
                .contains("-Dserver.modules.skipTests -Dsimulation.one-in=4 ", "-pl \"$checked\"");
    }

    @Test
    void thePageSaysOfEachWhyNothingIsLost() throws IOException {
        assertThat(Pattern.compile("^\\| `([\\w/-]+)`", Pattern.MULTILINE)
                        .matcher(read(ROOT.resolve("verification/nightly.md")))
                        .results()
                        .map(row -> row.group(1)))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(classes(), modules()).toList());
    }

    @Test
    void everyMutantIsNoticedByTestsOfEveryBuild() throws IOException {
        List<String> nightly = classes().toList();

        for (Mutant mutant : MutantTable.read(ROOT).mutants()) {
            assertThat(mutant.tests())
                    .as(mutant.name())
                    .noneMatch(test -> nightly.contains(test.substring(test.lastIndexOf('.') + 1)));
        }
    }
}
