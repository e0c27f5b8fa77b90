// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.helidon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The classes of a page compile when they are copied into files: the imports are there, too. */
class RuntimePagesTest {

    @ParameterizedTest
    @ValueSource(strings = {"docs/helidon.md", "docs/open-liberty.md", "docs/payara.md", "docs/quarkus.md"})
    void itsClassesCompileAsTheyAre(String page, @TempDir Path folder) throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of("-d", folder.toString(), "-proc:none", "-cp", System.getProperty("java.class.path")));
        List<MatchResult> blocks = Pattern.compile("```java\n(.*?public class (\\w+).*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("../../..", page)))
                .results()
                .toList();
        for (MatchResult block : blocks) {
            Path file = folder.resolve(block.group(2) + ".java");
            arguments.add(Files.writeString(file, block.group(1)).toString());
        }

        int result = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new));

        assertThat(result).isZero();
        assertThat(folder.resolve("IdResource.class")).isRegularFile();
    }
}
