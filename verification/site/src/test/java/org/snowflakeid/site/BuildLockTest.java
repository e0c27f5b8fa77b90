// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands in bin/ build what they run; two at once in one folder must not write the same files. Maven is a script here. */
class BuildLockTest {

    @TempDir
    private Path folder;

    private Path builds;

    @BeforeEach
    void prepare() throws IOException {
        builds = folder.resolve("builds");
        Files.createFile(builds);
        Files.createDirectory(folder.resolve("bin"));
        Files.writeString(folder.resolve("bin/lib.sh"), Pages.text("bin/lib.sh"));
        script("bin/mvn", "echo begin >> builds; sleep 1; touch jar; echo end >> builds");
        script(
                "bin/command",
                "set -euo pipefail; . \"$(dirname \"$0\")/lib.sh\"; PATH=$root/bin:$PATH",
                "is_built() { [ -e \"$root/jar\" ]; }",
                "is_built || build \"$root/jar\"",
                "[ -e \"$root/jar.complete\" ]");
    }

    private void script(String name, String... lines) throws IOException {
        Path script =
                Files.writeString(folder.resolve(name), "#!/usr/bin/env bash\n" + String.join("\n", lines) + "\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
    }

    private Process command() throws IOException {
        return new ProcessBuilder("bin/command")
                .directory(folder.toFile())
                .inheritIO()
                .start();
    }

    private static void requireSuccess(Process process) throws InterruptedException {
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    // they wrote into the same target folder, and one ended with an error of Maven
    @Test
    void ofCommandsThatAreStartedAtOnceOneBuilds() throws Exception {
        for (Process process : List.of(command(), command(), command())) {
            requireSuccess(process);
        }

        assertThat(builds).content().isEqualTo("begin\nend\n");
        assertThat(folder.resolve("target")).isEmptyDirectory();
    }

    @Test
    void theLockOfABuildThatWasKilledBlocksNobody() throws Exception {
        Process killed = command();
        while (Files.size(builds) == 0) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        // From the top: none of them sees that another one has failed, and tidies up.
        List<ProcessHandle> shells = killed.children().toList();
        List<ProcessHandle> all = killed.descendants().toList();
        killed.destroyForcibly().waitFor();
        shells.forEach(ProcessHandle::destroyForcibly);
        all.forEach(ProcessHandle::destroyForcibly);
        Files.deleteIfExists(folder.resolve("jar"));
        assertThat(folder.resolve("target/build-lock")).exists();

        for (Process process : List.of(command(), command())) {
            requireSuccess(process);
        }

        assertThat(builds).content().isEqualTo("begin\nbegin\nend\n");
        assertThat(folder.resolve("target/build-lock")).doesNotExist();
    }
}
