// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands say what they are before they do anything. */
class CommandsTest {

    private static final int FIRST_SCREEN = 39;

    private static final List<String> NAMES = List.of(
            "lib.sh",
            "run-example",
            "test",
            "check-models",
            "install",
            "release",
            "site",
            "snowflake-operator",
            "stress",
            "test-install",
            "test-mysql",
            "test-servers");

    @TempDir
    private Path folder;

    @BeforeEach
    void copyCommands() throws IOException {
        for (String name : NAMES) {
            Path copy = Files.createDirectories(folder.resolve("bin")).resolve(name);
            Files.writeString(copy, Pages.text("bin/" + name));
            assertThat(copy.toFile().setExecutable(true)).isTrue();
        }
        Path ci = Files.createDirectories(folder.resolve(".ci")).resolve("run");
        Files.writeString(ci, Pages.text(".ci/run"));
        assertThat(ci.toFile().setExecutable(true)).isTrue();
        // A build and an installation leave a trace.
        for (String name : List.of("mvn", "apt-get")) {
            Path tool = Files.createDirectories(folder.resolve("tools")).resolve(name);
            Files.writeString(tool, "#!/bin/sh\necho \"$0 $*\" >>\"$(dirname \"$0\")/../used\"\nexit 1\n");
            assertThat(tool.toFile().setExecutable(true)).isTrue();
        }
    }

    /** Standard error too: it inherits the one stream. */
    private record Run(int status, String said) {}

    private Run run(String... command) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().put("PATH", folder.resolve("tools") + ":/usr/bin:/bin");
        builder.environment().put("HOME", folder.resolve("home").toString());
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), said);
    }

    private List<String> tree() throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.map(path -> folder.relativize(path).toString()).sorted().toList();
        }
    }

    @Test
    void theReadmeNamesThemWithTheirDurationOnItsFirstScreen() throws Exception {
        List<String> lines = Pages.text("README.md").lines().limit(FIRST_SCREEN).toList();

        assertThat(lines).anySatisfy(line -> assertThat(line).contains("`bin/run-example`", "minute"));
        assertThat(lines).anySatisfy(line -> assertThat(line).contains("`bin/test --quick`", "five minutes"));
        assertThat(lines).anySatisfy(line -> assertThat(line).contains("`bin/test`", "half an hour"));
    }

    @ParameterizedTest
    @CsvSource({
        "bin/run-example, -h",
        "bin/run-example, --help",
        "bin/run-example, quarkus --help",
        "bin/test, -h",
        "bin/test, --help",
        "bin/test, -pl core --help"
    })
    void helpSaysWhatThereIsAndDoesNothing(String command, String arguments) throws Exception {
        List<String> before = tree();
        List<String> line = new ArrayList<>(List.of(command));
        line.addAll(List.of(arguments.split(" ", -1)));

        Run help = run(line.toArray(String[]::new));

        assertThat(help.status()).isZero();
        assertThat(help.said())
                .startsWith("Usage: " + command + " [")
                .contains("ARGUMENT", "Environment:", "JAVA_HOME", "minute", "nstalls");
        assertThat(tree()).isEqualTo(before);
    }

    // Maven was started, or the option was passed on to it
    @ParameterizedTest
    @ValueSource(
            strings = {
                ".ci/run",
                "bin/check-models",
                "bin/install",
                "bin/release",
                "bin/site",
                "bin/stress",
                "bin/test-install",
                "bin/test-mysql",
                "bin/test-servers"
            })
    void helpIsInTheFirstLines(String command) throws Exception {
        List<String> before = tree();

        Run help = run(command, "--help");

        assertThat(help.status()).isZero();
        assertThat(Pages.text(command).replace("\n# ", "\n")).contains(help.said());
        assertThat(help.said()).hasSizeGreaterThan(60).doesNotContain("#", "set -e");
        assertThat(tree()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"many", "0", "1", "10", "3 4", "Swap", "3 Swap,Close", "3 -Dtest=CloseTest"})
    void stressTakesOneNumberThenNames(String arguments) throws Exception {
        List<String> line = new ArrayList<>(List.of("bin/stress"));
        line.addAll(List.of(arguments.split(" ", -1)));

        Run refused = run(line.toArray(String[]::new));

        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.said()).contains("takes one number from 2 to 9");
    }

    @Test
    void helpNamesEachVariableAndEachProgramThatIsInstalled() throws Exception {
        assertThat(run("bin/run-example", "--help").said())
                .contains("helidon|quarkus|payara", "SERVER_PORT", "SNOWFLAKE_FILE_DIRECTORY", "snowflake-example");
        assertThat(run("bin/test", "--help").said())
                .contains("etcd", "Redis", "PostgreSQL", "MariaDB", "Consul", "Chromium", "procps", "Sphinx")
                .contains("/usr/local/bin");
    }

    // where CDPATH was exported, the path of the clone had two lines, or was that of another folder
    @ParameterizedTest
    @ValueSource(strings = {".", "elsewhere"})
    void whereCdLooksElsewhereDoesNotMatter(String cdPath) throws Exception {
        Files.createDirectories(folder.resolve("elsewhere/bin"));

        Run root = run("env", "CDPATH=" + cdPath, "bash", "-c", ". bin/lib.sh; echo \"$root\"");

        assertThat(root.said()).isEqualTo(folder.toRealPath() + "\n");
    }

    @Test
    void theExampleSaysWhichOptionItDoesNotKnow() throws Exception {
        List<String> before = tree();

        Run unknown = run("bin/run-example", "--port");

        assertThat(unknown.status()).isEqualTo(1);
        assertThat(unknown.said()).contains("unknown option '--port'").contains("bin/run-example --help");
        assertThat(tree()).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({"--quick --all, either --quick or --all", "--quick -pl core, --quick chooses the modules itself"})
    void theTestSaysWhichArgumentsDoNotGoTogether(String arguments, String said) throws Exception {
        List<String> before = tree();
        List<String> line = new ArrayList<>(List.of("bin/test"));
        line.addAll(List.of(arguments.split(" ", -1)));

        Run refused = run(line.toArray(String[]::new));

        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.said()).contains(said);
        assertThat(tree()).isEqualTo(before);
    }

    // restore and move were run as they had been before a pull
    @ParameterizedTest
    @ValueSource(strings = {"core", "administration", "coordinator-support", "operator-command"})
    void theOperatorsCommandIsBuiltAnewOnceWhatItContainsHasChanged(String module) throws Exception {
        Path jar = folder.resolve("operator-command/target/snowflake-operator.jar");
        Path source = folder.resolve(module + "/src/main/java/Changed.java");
        for (Path file : List.of(jar, source, Path.of(jar + ".complete"))) {
            Files.createDirectories(file.getParent());
            Files.createFile(file);
            Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
        }
        Path maven = folder.resolve("used");

        run("env", "JAVA_HOME=" + System.getProperty("java.home"), "bin/snowflake-operator", "status");
        assertThat(maven).doesNotExist();

        Files.setLastModifiedTime(source, FileTime.from(Instant.EPOCH.plusSeconds(1)));
        run("env", "JAVA_HOME=" + System.getProperty("java.home"), "bin/snowflake-operator", "status");
        assertThat(maven).content().contains("-pl operator-command -am");
    }

    // it installed servers and deleted the reports of the run before, and then Maven refused
    @Test
    void theTestSaysThatMavenDoesNotKnowAnOptionBeforeItInstallsOrDeletesAnything() throws Exception {
        Path report = folder.resolve("core/target/surefire-reports/TEST-one.xml");
        Files.createDirectories(report.getParent());
        Files.createFile(report);

        Run unknown = runWithAnOptionThatMavenDoesNotKnow("bin/test");

        assertThat(unknown.status()).isEqualTo(2);
        assertThat(unknown.said()).contains("Unrecognized option: --frobnicate", "bin/test --help");
        assertThat(report).exists();
        assertThat(folder.resolve("used")).doesNotExist();
    }

    // it ran all tests and the installation, and then ended with the status of the first
    @Test
    void continuousIntegrationEndsAtOnceWithAnOptionThatMavenDoesNotKnow() throws Exception {
        List<String> before = tree();

        Run unknown = runWithAnOptionThatMavenDoesNotKnow(".ci/run");

        assertThat(unknown.status()).isEqualTo(2);
        assertThat(unknown.said())
                .contains("Unrecognized option: --frobnicate", "bin/test --help")
                .doesNotContain("ended with");
        assertThat(tree()).isEqualTo(before);
    }

    private Run runWithAnOptionThatMavenDoesNotKnow(String command) throws Exception {
        Files.writeString(
                folder.resolve("tools/mvn"), "#!/bin/sh\necho \"Unrecognized option: --frobnicate\" >&2\nexit 1\n");
        return run("env", "JAVA_HOME=" + System.getProperty("java.home"), command, "--frobnicate");
    }
}
