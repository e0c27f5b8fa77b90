// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands in bin/ build what they run; two at once in one folder must not write the same files. Maven is a script here, which says
 * that it builds, and goes on when the file {@code go} is there.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
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
        script(
                "bin/mvn",
                "echo begin >> builds; echo building",
                "until [ -e go ]; do sleep 0.1; done",
                "touch jar; echo end >> builds");
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
        return command("UTC");
    }

    private Process command(String timeZone) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder("bin/command").directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().put("TZ", timeZone);
        return builder.start();
    }

    /** Its first line: that it builds, or that it waits for another. */
    private static String firstLine(Process process) throws IOException {
        return process.inputReader().readLine();
    }

    private static void requireSuccess(Process process) throws InterruptedException {
        assertThat(process.waitFor()).isZero();
    }

    private void go() throws IOException {
        Files.createFile(folder.resolve("go"));
    }

    // they wrote into the same target folder, and one ended with an error of Maven
    @Test
    void ofCommandsThatAreStartedAtOnceOneBuilds() throws Exception {
        List<Process> all = List.of(command(), command(), command());
        List<String> said = new ArrayList<>();
        for (Process process : all) {
            said.add(firstLine(process));
        }
        go();

        assertThat(said).filteredOn("building"::equals).hasSize(1);
        for (Process process : all) {
            requireSuccess(process);
        }
        assertThat(builds).content().isEqualTo("begin\nend\n");
        assertThat(folder.resolve("target")).isEmptyDirectory();
    }

    // its lock was taken for that of a process that has ended, and both built at once
    @Test
    void aBuildOfACallerInAnotherTimeZoneIsWaitedFor() throws Exception {
        Process first = command("UTC");
        assertThat(firstLine(first)).isEqualTo("building");
        Path lock = folder.resolve("target/build-lock");
        String ofFirst = Files.readString(lock);
        Process second = command("JST-9");

        assertThat(firstLine(second)).startsWith("Waiting for another build");
        assertThat(lock).content().isEqualTo(ofFirst);
        go();
        requireSuccess(first);
        requireSuccess(second);
        assertThat(builds).content().isEqualTo("begin\nend\n");
    }

    @Test
    void theLockOfABuildThatWasKilledBlocksNoOtherBuild() throws Exception {
        Process killed = command();
        assertThat(firstLine(killed)).isEqualTo("building");
        // From the top: none of them sees that another one has failed, and tidies up.
        List<ProcessHandle> shells = killed.children().toList();
        List<ProcessHandle> all = killed.descendants().toList();
        killed.destroyForcibly().waitFor();
        shells.forEach(ProcessHandle::destroyForcibly);
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(each -> each.onExit().join());
        assertThat(folder.resolve("target/build-lock")).exists();

        go();
        for (Process process : List.of(command(), command())) {
            requireSuccess(process);
        }

        assertThat(builds).content().isEqualTo("begin\nbegin\nend\n");
        assertThat(folder.resolve("target/build-lock")).doesNotExist();
    }
}
