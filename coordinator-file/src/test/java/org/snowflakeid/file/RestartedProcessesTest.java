// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.snowflakeid.SnowflakeLayout;

/** Processes with {@code snowflake.resume.directory} that are killed and started again while the coordinator can't be used. */
@Execution(ExecutionMode.CONCURRENT)
class RestartedProcessesTest {

    private static final int RESTARTS = 3;
    private static final long PATIENCE_NANOS = 120_000_000_000L;

    @TempDir
    Path directory;

    @TempDir
    Path resume;

    @TempDir
    Path journals;

    private final Random random = new Random();
    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void killAll() throws Exception {
        for (Process process : processes) {
            kill(process);
        }
    }

    private Process start() throws IOException {
        return start("", journals.toString(), "PT3M");
    }

    private Process start(String before, String journal, String window) throws IOException {
        Process process = Peer.Remote.start(
                before,
                Issuer.class,
                journal,
                "snowflake.file.directory=" + directory,
                "snowflake.resume.directory=" + resume,
                "snowflake.window=" + window,
                "snowflake.worker-ids=0-3");
        processes.add(process);
        return process;
    }

    private static void kill(Process process) throws Exception {
        process.destroyForcibly().waitFor();
    }

    private Path journal(Process process) {
        return journals.resolve(Long.toString(process.pid()));
    }

    private void awaitIds(Process process) throws Exception {
        Path journal = journal(process);
        while (!Files.exists(journal) || Files.size(journal) == 0) {
            assertThat(process.isAlive())
                    .as("the process did not end by itself")
                    .isTrue();
            LockSupport.parkNanos(10_000_000);
        }
    }

    /** A grown window, which lasts for the test, and a note that says so. */
    private void awaitWindow(Process process, int workerId) throws Exception {
        awaitIds(process);
        long millis = System.currentTimeMillis() + 60_000;
        while (hi(workerId) < millis) {
            assertThat(process.isAlive()).isTrue();
            LockSupport.parkNanos(100_000_000);
        }
    }

    private long hi(int workerId) throws IOException {
        for (String pair : lastNote(workerId).split("\\s", -1)) {
            if (pair.startsWith("hi=")) {
                return SnowflakeLayout.STANDARD.epoch().toEpochMilli() + Long.parseLong(pair.substring(3));
            }
        }
        return 0;
    }

    /** Empty if there is none, or if it was ended. */
    private String lastNote(int workerId) throws IOException {
        Path notes = resume.resolve("snowflake/workers/" + workerId + ".notes");
        while (true) {
            try (Stream<Path> files = Files.list(notes)) {
                Path last = files.filter(file -> file.getFileName().toString().matches("\\d+"))
                        .max(Comparator.naturalOrder())
                        .orElseThrow();
                return Files.readString(last);
            } catch (NoSuchFileException replaced) {
                // Deleted since, as there is a later one.
            }
        }
    }

    private int workerId(Process process) throws IOException {
        String line = Files.readAllLines(journal(process)).get(0);
        return SnowflakeLayout.STANDARD.decode(Long.parseLong(line)).workerId();
    }

    private long countUnique() throws IOException {
        Set<String> ids = new HashSet<>();
        long noted = 0;
        for (File journal : journals.toFile().listFiles()) {
            List<String> lines = Files.readAllLines(journal.toPath());
            ids.addAll(lines);
            noted += lines.size();
        }
        assertThat(ids).noneMatch(line -> line.startsWith("refused"));
        assertThat((long) ids.size()).as("no id twice").isEqualTo(noted);
        return noted;
    }

    @Test
    void processesKilledAtAnyInstructionAreFollowedByOthersAndNoIdIsRepeated() throws Exception {
        Process one = start();
        Process other = start();
        awaitIds(one);
        awaitIds(other);
        awaitWindow(one, workerId(one));
        awaitWindow(other, workerId(other));
        Set<Integer> held = Set.of(workerId(one), workerId(other));
        StuckFolder unreachable = new StuckFolder(directory.resolve("snowflake"));
        try {
            for (int i = 0; i < RESTARTS; i++) {
                LockSupport.parkNanos(random.nextInt(1_000_000_000));
                kill(one);
                kill(other);
                one = start();
                other = start();
                awaitIds(one);
                awaitIds(other);
                assertThat(Set.of(workerId(one), workerId(other))).isEqualTo(held);
            }
        } finally {
            unreachable.close();
        }
        // Extended by then, or they would not go on.
        long before = Files.size(journal(one));
        long hi = hi(workerId(one));
        while (hi(workerId(one)) <= hi) {
            assertThat(one.isAlive()).isTrue();
            LockSupport.parkNanos(100_000_000);
        }
        assertThat(Files.size(journal(one))).isGreaterThan(before);

        System.out.println(countUnique() + " ids of " + processes.size() + " processes, none twice");
    }

    @Test
    void aProcessWhoseNotesCanNoLongerBeWrittenGoesOnWithoutThem() throws Exception {
        // No journal: only its output is no file.
        Process process = start("", "", "PT12S");
        try (BufferedReader ids = process.inputReader()) {
            int workerId = SnowflakeLayout.STANDARD
                    .decode(Long.parseLong(ids.readLine()))
                    .workerId();
            assertThat(lastNote(workerId)).isNotEmpty();

            // Enough for what the coordinator writes.
            limit(process, "400");
            long limited = System.nanoTime();
            while (!lastNote(workerId).isEmpty()) {
                assertThat(ids.readLine()).containsOnlyDigits();
                assertThat(System.nanoTime() - limited).isLessThan(PATIENCE_NANOS);
            }
            long without = System.nanoTime();
            while (System.nanoTime() - without < 8_000_000_000L) {
                assertThat(ids.readLine()).containsOnlyDigits();
                assertThat(lastNote(workerId)).isEmpty();
            }

            limit(process, "unlimited");
            limited = System.nanoTime();
            while (lastNote(workerId).isEmpty()) {
                assertThat(ids.readLine()).containsOnlyDigits();
                assertThat(System.nanoTime() - limited).isLessThan(PATIENCE_NANOS);
            }
        }
    }

    /** Of the size of files that it writes. */
    private static void limit(Process process, String bytes) throws Exception {
        int status = new ProcessBuilder("prlimit", "--pid=" + process.pid(), "--fsize=" + bytes + ":unlimited")
                .inheritIO()
                .start()
                .waitFor();
        assertThat(status).isZero();
    }

    @Test
    void aProcessThatCouldNotWriteItsFileDoesNotStart() throws Exception {
        Process process = start("ulimit -f 4;", journals.toString(), "PT3M");

        assertThat(process.waitFor()).isNotZero();
        assertThat(journal(process)).doesNotExist();
    }
}
