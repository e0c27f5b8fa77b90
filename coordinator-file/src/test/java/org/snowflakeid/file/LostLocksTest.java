// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A POSIX lock falls with any close of its file anywhere in its process: no write may depend on one. */
class LostLocksTest {

    private static final int PROCESSES = 3;
    private static final int ROUNDS = 10;

    @TempDir
    Path directory;

    @TempDir
    Path journals;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void killAll() throws Exception {
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
    }

    // each took the same mark: 2 to 300 times in these few seconds
    @ParameterizedTest
    @EnumSource
    void noTwoProcessesReplaceTheSameMarkWhereLocksAreLost(Rival.Loss loss) throws Exception {
        for (int i = 0; i < PROCESSES; i++) {
            processes.add(
                    Peer.Remote.start("", Rival.class, directory.toString(), journals.toString(), loss.toString()));
        }
        for (int round = 0; round < ROUNDS; round++) {
            Process paused = processes.get(round % PROCESSES);
            awaitMoreThan(noted(paused), paused);
            Process other = processes.get((round + 1) % PROCESSES);
            signal(paused, "STOP");
            // Whatever it was about to do, others have written since.
            awaitMoreThan(noted(other), other);
            signal(paused, "CONT");
        }
        killAll();

        Map<String, Integer> times = new HashMap<>();
        for (Process process : processes) {
            assertThat(Rival.losses(journal(process)))
                    .as("what happened to its locks")
                    .isNotEmptyFile();
            Files.readAllLines(journal(process)).forEach(count -> times.merge(count, 1, Integer::sum));
        }
        assertThat(times.values()).as("winners of each mark").allMatch(winners -> winners == 1);
        System.out.println(times.size() + " writes with " + loss + ", none twice");
    }

    private Path journal(Process process) {
        return journals.resolve(Long.toString(process.pid()));
    }

    private long noted(Process process) throws Exception {
        return Files.exists(journal(process)) ? Files.size(journal(process)) : 0;
    }

    private void awaitMoreThan(long size, Process process) throws Exception {
        while (noted(process) <= size) {
            assertThat(process.isAlive()).isTrue();
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static void signal(Process process, String name) throws Exception {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }
}
