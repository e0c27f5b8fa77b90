// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.extension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.inject.Inject;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.importer.ExplodedImporter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeSettings;

/** What {@code docs/quarkus.md} shows is so. */
class QuarkusPageTest extends WithApplication {

    /** With a coordinator for production, and the settings of the page. */
    @RegisterExtension
    static final Extension APPLICATION = application()
            .withApplicationRoot(
                    root -> root.addAsResource(new StringAsset(block("properties")), "application.properties"))
            .overrideRuntimeConfigKey("quarkus.http.test-port", "0")
            .withAdditionalDependency(jar ->
                    jar.as(ExplodedImporter.class).importDirectory(new File("../../../coordinator-file/target/classes")));

    @Inject
    Snowflake ids;

    @Test
    void itsSettingsPreferMemoryToACoordinatorThatIsThere() {
        assertThat(ids.status().coordinator()).isEqualTo("memory");
    }

    @Test
    void itsDependencyIsTheExtension() throws IOException {
        String pom = Files.readString(Path.of("../../../quarkus/runtime/pom.xml"));

        assertThat(block("xml").replaceAll("\\s", ""))
                .contains("<dependencies><dependency><groupId>org.snowflakeid</groupId>"
                        + line(pom, "artifactId>quarkus") + line(pom, "version>") + "</dependency>");
    }

    @Test
    void itsMessageIsThatOfTheBuild() {
        assertThatThrownBy(() -> SnowflakeSettings.of("Bad Name", Map.of()))
                .satisfies(failure -> assertThat(block("text").strip())
                        .isEqualTo("The field ids of org.acme.Orders has @SnowflakeName(\"Bad Name\"). "
                                + failure.getMessage()));
    }

    private static String line(String pom, String what) {
        return pom.lines()
                .filter(line -> line.contains("<" + what) && !line.contains("parent"))
                .findFirst()
                .orElseThrow()
                .strip();
    }

    private static String block(String language) {
        try {
            Matcher block = Pattern.compile("```" + language + "\\n(.*?)```", Pattern.DOTALL)
                    .matcher(Files.readString(Path.of("../../../docs/quarkus.md")));
            assertThat(block.find()).isTrue();
            return block.group(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
