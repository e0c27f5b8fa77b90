// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The README shows the example as it is tested. */
class ReadmeTest {

    private static final String BEGIN = "```java\n";

    @Test
    void showsTheCoordinatorThatIsTestedHere() throws IOException {
        String source = Files.readString(Path.of("src/test/java/org/snowflakeid/example/MapCoordinator.java"));
        String readme = Files.readString(Path.of("README.md"));

        int begin = readme.indexOf(BEGIN) + BEGIN.length();
        String shown = readme.substring(begin, readme.indexOf("```", begin));

        assertThat(shown).isEqualTo(source.substring(source.indexOf("/** {@code snowflake.coordinator=map}")));
        assertThat(shown.lines()).hasSizeLessThanOrEqualTo(100);
    }
}
