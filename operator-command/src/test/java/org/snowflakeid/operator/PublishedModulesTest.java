// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What users can put into a pom is what is published. */
class PublishedModulesTest {

    private static final Path ROOT = Path.of("..");
    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>((?:quarkus-)?snowflake[^<]*)</artifactId>");
    private static final Pattern XML_BLOCK = Pattern.compile("```xml\n(.*?)```", Pattern.DOTALL);

    private static String pom(String folder) throws IOException {
        return Files.readString(ROOT.resolve(folder).resolve("pom.xml"));
    }

    private static String afterParent(String pom) {
        return pom.substring(pom.indexOf("</parent>") + 1);
    }

    private static List<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(match -> match.group(1)).toList();
    }

    private static List<String> published() throws IOException {
        return published(".");
    }

    /** Artifacts of all modules with a jar that don't say that they are not deployed. */
    private static List<String> published(String folder) throws IOException {
        List<String> artifacts = new ArrayList<>();
        for (String module : found(MODULE, pom(folder))) {
            String pom = pom(folder + "/" + module);
            if (pom.contains("<maven.deploy.skip>true</maven.deploy.skip>")) {
                continue;
            }
            if (!pom.contains("<packaging>pom</packaging>")) {
                artifacts.add(found(ARTIFACT, afterParent(pom)).get(0));
            }
            artifacts.addAll(published(folder + "/" + module));
        }
        return artifacts;
    }

    private static List<String> managed() throws IOException {
        String bom = pom("bom");
        return found(ARTIFACT, bom.substring(bom.indexOf("<dependencyManagement>")));
    }

    @Test
    void theBomHasAllThatIsPublishedAndNothingElse() throws IOException {
        assertThat(published()).hasSizeGreaterThan(15);
        assertThat(managed()).containsExactlyInAnyOrderElementsOf(published());
    }

    @Test
    void theBomHasTheVersionOfTheOthers() throws IOException {
        Pattern version = Pattern.compile("<version>([^<]+)</version>");

        assertThat(found(version, pom("bom")).get(0))
                .isEqualTo(found(version, pom(".")).get(0));
    }

    /** An importing application would get them too. */
    @Test
    void theBomManagesNoLibrariesOfOthers() throws IOException {
        String bom = pom("bom");

        assertThat(bom).doesNotContain("<parent>");
        assertThat(found(Pattern.compile("<groupId>([^<]+)</groupId>"), bom.substring(0, bom.indexOf("<build>"))))
                .containsOnly("org.snowflakeid");
    }

    @Test
    void theReadmeNamesPublishedArtifactsInTheirVersion() throws IOException {
        String readme = Files.readString(ROOT.resolve("README.md"));
        String version =
                found(Pattern.compile("<version>([^<]+)</version>"), pom("bom")).get(0);

        List<String> blocks = found(XML_BLOCK, readme);

        assertThat(blocks).isNotEmpty();
        assertThat(blocks.get(0))
                .contains("<artifactId>snowflake-bom</artifactId>\n      <version>" + version + "</version>");
        for (String block : blocks) {
            List<String> artifacts = new ArrayList<>(found(ARTIFACT, block));
            artifacts.remove("snowflake-bom");
            assertThat(published()).containsAll(artifacts);
        }
    }
}
