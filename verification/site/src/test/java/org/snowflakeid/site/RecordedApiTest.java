// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/api} tells of each class and member that others could call, and no longer can. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RecordedApiTest {

    private static final String SHOWN = """
            package shown;
            public class Shown {
                public void called() {}
                protected void overridden() {}
                void inside() {}
                public static class Nested { public int counter; }
                static class Hidden { public int counter; }
            }
            """;

    @TempDir
    private Path folder;

    @BeforeEach
    void prepare() throws IOException {
        for (String name : new String[] {"bin/api", "bin/lib.sh"}) {
            write(name, Pages.text(name));
        }
        assertThat(folder.resolve("bin/api").toFile().setExecutable(true)).isTrue();
        write("pom.xml", "<modules>\n    <module>library</module>\n    <module>tests</module>\n</modules>\n");
        write("library/pom.xml", "<project>\n  <artifactId>a-library</artifactId>\n</project>\n");
        write("tests/pom.xml", "<project>\n  <maven.deploy.skip>true</maven.deploy.skip>\n</project>\n");
        write("library/src/main/java/module-info.java", "module library {\n    exports shown;\n}\n");
        write("library/src/main/java/kept/Kept.java", "package kept;\npublic class Kept { public void inside() {} }\n");
        library(SHOWN);
    }

    private Path write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private void library(String shown) throws IOException {
        Path sources = folder.resolve("library/src/main/java");
        Path source = write("library/src/main/java/shown/Shown.java", shown);
        int status = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-d",
                        folder.resolve("library/target/classes").toString(),
                        sources.resolve("module-info.java").toString(),
                        sources.resolve("kept/Kept.java").toString(),
                        source.toString());
        assertThat(status).isZero();
    }

    /** Standard error too: it inherits the one stream. */
    private record Run(int status, String said) {}

    private Run api(String... arguments) throws Exception {
        ProcessBuilder builder = new ProcessBuilder("bin/api").directory(folder.toFile());
        builder.command().addAll(List.of(arguments));
        Process process = builder.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), said);
    }

    private void record() throws Exception {
        assertThat(api("--write").status()).isZero();
    }

    private String recorded() throws IOException {
        return Files.readString(folder.resolve("verification/api/a-library.txt"));
    }

    @Test
    void recordsWhatOthersCanCallOrOverrideAndNothingElse() throws Exception {
        record();

        assertThat(recorded().lines())
                .containsExactlyInAnyOrder(
                        "public class shown.Shown",
                        "shown.Shown: public shown.Shown();",
                        "shown.Shown: public void called();",
                        "shown.Shown: protected void overridden();",
                        "public class shown.Shown$Nested",
                        "shown.Shown$Nested: public shown.Shown$Nested();",
                        "shown.Shown$Nested: public int counter;");
    }

    @Test
    void whatIsAsRecordedPasses() throws Exception {
        record();

        Run run = api();

        assertThat(run.said()).endsWith("7 classes and members, as recorded\n");
        assertThat(run.status()).isZero();
    }

    @Test
    void aMethodThatIsGoneFailsByItsName() throws Exception {
        record();
        library(SHOWN.replace("public void called() {}", ""));

        Run run = api();

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.said()).contains("-shown.Shown: public void called();", "bin/api --write");
    }

    @Test
    void aMethodThatIsNewFailsUntilItIsRecorded() throws Exception {
        record();
        library(SHOWN.replace("void inside() {}", "public void inside() {}"));

        assertThat(api())
                .satisfies(run -> assertThat(run.status()).isEqualTo(1))
                .satisfies(run -> assertThat(run.said()).contains("+shown.Shown: public void inside();"));
        record();

        assertThat(api().status()).isZero();
    }

    @Test
    void aModuleThatIsNotCompiledFails() throws Exception {
        record();
        Files.move(folder.resolve("library/target"), folder.resolve("elsewhere"));

        Run run = api();

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.said()).contains("library is not compiled");
    }
}
