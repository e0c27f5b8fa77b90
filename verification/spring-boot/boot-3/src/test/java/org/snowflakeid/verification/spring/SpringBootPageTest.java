// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.Snowflake;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What {@code docs/spring-boot.md} shows is so. */
@ExtendWith(OutputCaptureExtension.class)
class SpringBootPageTest {

    private static final Path PAGE = Path.of("../../../docs/spring-boot.md");
    private static final Path SOURCES = Path.of("../boot-3/src/test/java/org/snowflakeid/verification/spring");

    private static List<String> blocks(String language) throws IOException {
        return blocks(language, Files.readString(PAGE));
    }

    private static List<String> blocks(String language, String text) {
        return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(text)
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    @Test
    void itsClassesAreThoseOfTheApplication() throws IOException {
        List<String> blocks = blocks("java");

        assertThat(blocks).isNotEmpty();
        for (String block : blocks) {
            String name = block.replaceFirst("(?s).*?class (\\w+).*", "$1");
            // The application has more methods than the page shows.
            String shown = block.stripTrailing().replaceFirst("\n}$", "").stripTrailing();
            shown = shown.replaceFirst("^package org.example;\n\n", "");
            assertThat(Files.readString(SOURCES.resolve(name + ".java"))).contains(shown);
        }
    }

    @Test
    void itsSettingsStartTheApplication(@TempDir Path folder) throws Exception {
        List<String> settings = Stream.concat(
                        blocks("properties").stream().flatMap(String::lines),
                        Stream.of("snowflake.coordinator=file", "snowflake.ignore=snowflake.memory.*"))
                .map(setting -> setting.replace("${user.home}/worker-ids", folder.toString()))
                .toList();
        assertThat(settings).contains("snowflake.file.directory=" + folder);

        try (RunningApplication application = RunningApplication.start(settings.toArray(String[]::new))) {
            Shop shop = application.context().getBean(Shop.class);
            HttpResponse<String> readiness = application.get("/actuator/health/readiness");

            assertThat(Long.parseLong(application.post("/ids").body()))
                    .isLessThan(shop.ids().nextId());
            assertThat(shop.orderIds().layout().workerIdBits()).isEqualTo(8);
            assertThat(readiness.statusCode()).isEqualTo(200);
            assertThat(application.context().getBean(Snowflake.class).status().coordinator())
                    .isEqualTo("file");
        }
    }

    // "nothing configures this generator": the entity names orders, and its section set nothing
    @Test
    void theSettingsOfItsFirstStepsAndOfItsEntitiesAreEnoughForItsEntity(@TempDir Path folder) throws Exception {
        String page = Files.readString(PAGE);
        List<String> settings = Stream.of("What to add", "Entities")
                .flatMap(title ->
                        blocks(
                                "properties",
                                page.split("\n## " + title + "\n", 2)[1].split("\n## ", 2)[0])
                                .stream())
                .flatMap(String::lines)
                // That of its tests.
                .filter(setting -> !setting.equals("snowflake.coordinator=memory"))
                .map(setting -> setting.replace("${user.home}/worker-ids", folder.toString()))
                .toList();
        // What the tests set and a reader does not.
        Stream<String> asOfAReader = Stream.of(
                "snowflake.claim-at-start=default",
                "snowflake.coordinator=file",
                "snowflake.ignore=snowflake.memory.*");

        try (RunningApplication application = RunningApplication.start(
                Stream.concat(asOfAReader, settings.stream()).toArray(String[]::new))) {
            Purchase saved = application.context().getBean(Purchases.class).save(Purchase.of("tea"));

            assertThat(saved.id).isPositive();
            assertThat(saved.number).hasSize(13);
        }
    }

    @Test
    void itsMessageIsThatOfTheStart(CapturedOutput output) throws IOException {
        assertThatThrownBy(() -> RunningApplication.start("snowflake.window=1 minute"))
                .isInstanceOf(RuntimeException.class);

        assertThat(output.toString().replaceAll("\\R", "\n"))
                .contains(blocks("text").get(0));
    }

    @Test
    void itsDependenciesAreThereInThisVersion() throws IOException {
        String pom = Files.readString(Path.of("../../../bom/pom.xml"));
        String version = pom.replaceFirst("(?s).*?<version>(.*?)</version>.*", "$1");
        List<String> artifacts = Pattern.compile("<artifactId>(.*?)</artifactId>\\s*<version>" + version + "</version>")
                .matcher(blocks("xml").get(0))
                .results()
                .map(artifact -> artifact.group(1))
                .toList();

        assertThat(artifacts).hasSize(3).allSatisfy(artifact -> assertThat(pom)
                .contains("<artifactId>" + artifact + "</artifactId>"));
    }
}
