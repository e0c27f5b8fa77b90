// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.SnowflakeFormat;

/** What {@code docs/jpa.md} shows compiles, and names what there is. */
class JpaPageTest {

    private static final Path PAGE = Path.of("../../../docs/jpa.md");

    private static List<String> blocks(String language) throws IOException {
        List<String> blocks = new ArrayList<>();
        Matcher block =
                Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(PAGE));
        while (block.find()) {
            blocks.add(block.group(1));
        }
        return blocks;
    }

    @Test
    void theClassesCompile(@TempDir Path classes) throws IOException {
        List<JavaFileObject> sources = new ArrayList<>();
        for (String block : blocks("java")) {
            Matcher name = Pattern.compile("class (\\w+)").matcher(block);
            assertThat(name.find()).isTrue();
            sources.add(source(
                    name.group(1),
                    "import jakarta.persistence.*; import org.snowflakeid.*; import org.snowflakeid.jpa.*;" + block));
        }

        assertThat(sources).isNotEmpty();
        assertThat(ToolProvider.getSystemJavaCompiler()
                        .getTask(
                                null,
                                null,
                                null,
                                List.of(
                                        "-d",
                                        classes.toString(),
                                        "-cp",
                                        System.getProperty("java.class.path"),
                                        "-proc:none"),
                                null,
                                sources)
                        .call())
                .isTrue();
    }

    private static JavaFileObject source(String name, String text) {
        return new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }

    @Test
    void theLengthsOfTextsAreRight() throws IOException {
        String page = Files.readString(PAGE);

        for (SnowflakeFormat format : SnowflakeFormat.values()) {
            String example = format.format(911_852_594_806_915_072L);
            assertThat(page)
                    .containsPattern("\\| `" + format + "`[^|]*: `" + example + "` \\| "
                            + format.format(Long.MAX_VALUE).length() + " \\|");
        }
    }

    @Test
    void theLinesOfPersistenceXmlAreThoseThatAreTested() throws IOException {
        StringBuilder tested = new StringBuilder();
        for (String file : List.of("../eclipselink", "../contract")) {
            tested.append(Files.readString(Path.of(file, "src/main/resources/META-INF/persistence.xml")));
        }

        List<String> lines = blocks("xml").stream()
                .filter(block -> !block.startsWith("<dependency>"))
                .toList();
        assertThat(lines).hasSize(2).allSatisfy(line -> assertThat(tested).contains(line.strip()));
    }
}
