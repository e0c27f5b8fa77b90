// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.WorkerCoordinator;

class KilledProcessesTest {

    private static final int PROCESSES = 4;
    private static final int KILLS = 8;

    @TempDir
    Path directory;

    @TempDir
    Path journals;

    @Test
    void processesKilledAtAnyInstructionLoseAndRepeatNothing() throws Exception {
        Random random = new Random();
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            processes.add(start());
        }
        for (int i = 0; i < KILLS; i++) {
            int victim = random.nextInt(PROCESSES);
            awaitWrites(processes.get(victim));
            LockSupport.parkNanos(random.nextInt(100_000_000));
            kill(processes.get(victim));
            processes.set(victim, start());
        }
        for (Process process : processes) {
            awaitWrites(process);
            assertThat(process.isAlive()).as("no process gave up by itself").isTrue();
            kill(process);
        }

        Map<String, Integer> noted = new HashMap<>();
        for (File journal : journals.toFile().listFiles()) {
            Files.readAllLines(journal.toPath()).forEach(line -> noted.merge(line, 1, Integer::sum));
        }
        long written = 0;
        try (WorkerCoordinator coordinator = Peer.open(directory, Duration.ofSeconds(10))) {
            for (Slot slot : coordinator.read(0, 2, Duration.ofSeconds(10)).slots()) {
                assertThat(slot.owner()).as("owner of a dead process").isNull();
                written += Hammer.count(slot.mark());
            }
        }

        assertThat(noted.keySet()).noneMatch(line -> line.startsWith("violation"));
        assertThat(noted.values()).as("no two writers took the same count").allMatch(times -> times == 1);
        // A process may be killed between a write and its note, once.
        assertThat((long) noted.size()).isBetween(written - PROCESSES - KILLS, written);
        // Each kill and each end came after writes of the victim, however slow the machine is.
        assertThat(written).isGreaterThan(PROCESSES + KILLS);
        System.out.println(written + " writes by " + (PROCESSES + KILLS) + " processes, " + (written - noted.size())
                + " not noted before the kill");
    }

    private Process start() throws Exception {
        return Peer.Remote.start("", Hammer.class, directory.toString(), journals.toString());
    }

    private void awaitWrites(Process process) throws Exception {
        Path journal = journals.resolve(Long.toString(process.pid()));
        while (process.isAlive() && (!Files.exists(journal) || Files.size(journal) == 0)) {
            LockSupport.parkNanos(10_000_000);
        }
    }

    private static void kill(Process process) throws Exception {
        process.destroyForcibly().waitFor();
    }
}
