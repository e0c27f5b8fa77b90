// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.parser.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages for those who begin with an empty folder. {@code bin/test-install} builds what they show. */
class PomsOfPagesTest {

    private static final int WORDS = 400;

    /** The page of Spring Boot is its guide too. */
    private static final int WORDS_OF_SPRING_BOOT = 1_100;

    private static Document xml(String text) {
        return Jsoup.parse(text, "", Parser.xmlParser());
    }

    private static Document pom(String page) throws IOException {
        return xml(Pages.blocks("xml", "docs/" + page + ".md").get(0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"helidon", "quarkus", "payara", "open-liberty", "spring-boot", "plain-java"})
    void theFirstBlockIsAWholePom(String page) throws IOException {
        Document pom = pom(page);

        assertThat(pom.select("project > modelVersion").eachText()).containsExactly("4.0.0");
        assertThat(pom.select("project > artifactId").eachText()).containsExactly("my-application");
        assertThat(pom.select("project > version").eachText()).hasSize(1);
    }

    // with the plugins that Maven 3.8.6 chooses by itself nothing compiled, and no test ran
    @ParameterizedTest
    @ValueSource(strings = {"quarkus", "payara", "open-liberty", "plain-java"})
    void itsPluginsHaveTheVersionsWithWhichThisIsBuilt(String page) throws IOException {
        Document parent = xml(Pages.text("pom.xml"));
        List<Element> plugins = pom(page).select("plugin:not(:has(> groupId))");

        assertThat(plugins)
                .extracting(plugin -> plugin.select("> artifactId").text())
                .contains("maven-compiler-plugin", "maven-surefire-plugin");
        for (Element plugin : plugins) {
            String artifact = plugin.select("> artifactId").text();
            String version = parent.select("pluginManagement plugin").stream()
                    .filter(managed -> managed.select("> artifactId").text().equals(artifact))
                    .map(managed -> managed.select("> version").text())
                    .findFirst()
                    .orElseThrow();

            assertThat(plugin.select("> version").text()).as(artifact).isEqualTo(version);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"helidon", "quarkus", "payara"})
    void itsRuntimeIsTheOneThatIsTested(String page) throws IOException {
        String version = xml(Pages.text("pom.xml"))
                .select("properties > " + page + "\\.version")
                .text();

        assertThat(version).isNotEmpty();
        assertThat(Pages.text("docs/" + page + ".md"))
                .containsAnyOf(
                        "<version>" + version + "</version>",
                        "<quarkus.version>" + version + "</quarkus.version>",
                        "fish.payara.extras:payara-micro:" + version + " ");
    }

    @Test
    void openLibertyIsTheOneThatIsTested() throws IOException {
        String tested = xml(Pages.text("verification/runtimes/servers/pom.xml"))
                .select("artifactItem:has(> artifactId:containsOwn(openliberty-runtime)) > version")
                .text();

        assertThat(pom("open-liberty").select("runtimeArtifact > version").eachText())
                .containsExactly(tested);
    }

    @Test
    void springBootIsTheLatestThatIsTested() throws IOException {
        String tested = xml(Pages.text("verification/spring-boot/boot-latest/pom.xml"))
                .select("properties > spring-boot\\.version")
                .text();

        assertThat(tested).isNotEmpty();
        assertThat(pom("spring-boot").select("project > parent > version").eachText())
                .containsExactly(tested);
    }

    // mvn package with a test claimed a worker id of the real coordinator, and no page said so
    @ParameterizedTest
    @ValueSource(strings = {"helidon", "quarkus", "payara", "open-liberty", "spring-boot", "plain-java"})
    void testsGetTheCoordinatorInMemoryBeforeAnIdIsMade(String page) throws IOException {
        String text = Pages.text("docs/" + page + ".md");
        String before = text.substring(0, text.indexOf("\n## Use it\n"));

        assertThat(before).contains("claim a worker id of the real coordinator", "in each `mvn package`", "memory");
        if (page.equals("quarkus")) {
            assertThat(before).contains("\n%test.snowflake.coordinator=memory\n");
        } else {
            assertThat(pom(page)
                            .select("dependency:has(> artifactId:containsOwn(snowflake-testing)) > scope")
                            .eachText())
                    .containsExactly("test");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"helidon", "quarkus", "payara", "open-liberty", "plain-java"})
    void itIsShort(String page) throws IOException {
        assertThat(Pages.words("docs/" + page + ".md")).isLessThanOrEqualTo(WORDS);
    }

    @Test
    void thatOfSpringBootIsNoBook() throws IOException {
        assertThat(Pages.words("docs/spring-boot.md")).isLessThanOrEqualTo(WORDS_OF_SPRING_BOOT);
    }
}
