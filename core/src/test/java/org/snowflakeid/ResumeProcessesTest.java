// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordCoordinator;
import org.snowflakeid.spi.RecordStore;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * Two processes of this machine with one resume folder, while the coordinator is down. A file lock belongs to a process, and is lost as
 * soon as any code in it closes the file. So nothing may change, whatever reads the files of a running process.
 */
@Execution(ExecutionMode.CONCURRENT)
class ResumeProcessesTest {

    private static final int WANTED = 20_000;

    @TempDir
    Path directory;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void end() throws InterruptedException {
        for (Process process : started) {
            process.destroyForcibly();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aProcessWhoseFilesAreReadIsNotTakenForOneThatHasEnded() throws IOException {
        Path running = directory.resolve("running");
        Process first = start("reads-its-files", running);
        awaitIds(running, WANTED);
        takeCoordinatorAway();
        Path late = directory.resolve("late");
        Process second = start("plain", late);

        // The second process reports every five seconds that it has no ids; the first one has ids for a while.
        await("attempts", () -> log(late).split("still without a worker id", -1).length > 3 || hasIds(late, WANTED));

        assertDistinct(running, late);
        assertThat(hasIds(late, 1)).isFalse();
        assertThat(first.isAlive()).isTrue();
        assertThat(second.isAlive()).isTrue();
    }

    @Test
    void aProcessThatWasSuspendedAndTheOneThatTookItsPlaceIssueNothingTwice() throws Exception {
        Path suspended = directory.resolve("suspended");
        Process first = start("plain", suspended);
        awaitIds(suspended, 1_000);
        takeCoordinatorAway();
        signal("STOP", first);
        Path next = directory.resolve("next");
        Process second = start("plain", next);
        awaitIds(next, 5_000);
        signal("CONT", first);

        awaitIds(next, WANTED);

        assertThat(second.isAlive()).isTrue();
        assertDistinct(suspended, next);
    }

    /** The process writes notes every few seconds; without them its ids stop. */
    @Test
    void aProcessThatHasUsedUpItsDescriptorsWritesNotes() throws IOException {
        Path running = directory.resolve("running");
        Process process = start("uses-up-descriptors", running);
        await("no descriptor is left", () -> log(running).contains("no descriptor is left"));
        int before = (int) (Files.size(running) / 19);

        // At most ten in a millisecond: ten seconds.
        await("ids", () -> hasIds(running, before + 100_000) || !process.isAlive());

        assertThat(process.isAlive()).as(() -> log(running)).isTrue();
        assertThat(log(running)).doesNotContain("open files");
    }

    private void takeCoordinatorAway() throws IOException {
        Path unused = Files.createFile(directory.resolve("down"));
    }

    private Process start(String mode, Path ids) throws IOException {
        Path unused = Files.createDirectories(directory.resolve("folder"));
        Process process = new ProcessBuilder(
                        "sh",
                        "-c",
                        "ulimit -n 256; exec \"$0\" \"$@\"",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Issuer.class.getName(),
                        directory.toString(),
                        mode,
                        ids.toString())
                .redirectErrorStream(true)
                .redirectOutput(new File(ids + ".log"))
                .start();
        started.add(process);
        return process;
    }

    private static void signal(String signal, Process process) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    private static void awaitIds(Path file, int count) {
        await(count + " ids in " + file, () -> hasIds(file, count));
    }

    private static boolean hasIds(Path file, int count) {
        try {
            return Files.exists(file) && Files.size(file) >= count * 19L;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void await(String what, BooleanSupplier holds) {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as(what).isNegative();
            LockSupport.parkNanos(20_000_000);
        }
    }

    private static String log(Path ids) {
        try {
            return Files.readString(Path.of(ids + ".log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void assertDistinct(Path... files) throws IOException {
        Set<String> seen = new HashSet<>();
        List<String> repeated = new ArrayList<>();
        for (Path file : files) {
            if (Files.exists(file)) {
                try (BufferedReader ids = Files.newBufferedReader(file)) {
                    // The last line may be incomplete.
                    ids.lines()
                            .filter(id -> id.length() == 18)
                            .filter(id -> !seen.add(id))
                            .forEach(repeated::add);
                }
            }
        }
        assertThat(seen).hasSizeGreaterThanOrEqualTo(WANTED);
        assertThat(repeated).as("ids that were issued twice").isEmpty();
    }

    /** A process that issues ids into a file, a line of 19 characters each. */
    static final class Issuer {

        private Issuer() {}

        public static void main(String[] arguments) throws Exception {
            Path directory = Path.of(arguments[0]);
            SnowflakeSettings settings = SnowflakeSettings.of(Map.of(
                    "snowflake.resume.directory", directory.resolve("folder").toString(),
                    "snowflake.worker-ids", "0",
                    "snowflake.window", "PT2M",
                    "snowflake.wait-timeout", "PT1M",
                    "snowflake.startup-timeout", "PT3M"));
            if (arguments[1].equals("reads-its-files")) {
                readFiles(directory.resolve("folder"));
            }
            Provider provider = new Provider(directory.resolve("down"));
            try (LeasedSnowflake ids = LeasedSnowflake.open(settings, provider, Platform.system());
                    var out = Files.newBufferedWriter(Path.of(arguments[2]))) {
                while (!Files.exists(directory.resolve("down")) && left(ids) < 40_000) {
                    LockSupport.parkNanos(20_000_000);
                }
                List<InputStream> used = new ArrayList<>();
                for (int i = 0; ; i++) {
                    if (i == 100_000 && arguments[1].equals("uses-up-descriptors")) {
                        // A call that waits, for its classes: later they could not be loaded from files.
                        ids.nextIds(20_000);
                        awaitNote(directory.resolve("folder/snowflake/workers/0.notes"));
                        useUpDescriptors(used);
                    }
                    out.write(ids.nextId() + "\n");
                    if (i % 10 == 9) {
                        out.flush();
                        LockSupport.parkNanos(1_000_000);
                    }
                }
            }
        }

        /** During a note its spare descriptors would be used up too. */
        private static void awaitNote(Path notes) throws IOException {
            FileTime before = Files.getLastModifiedTime(notes);
            while (Files.getLastModifiedTime(notes).equals(before)) {
                LockSupport.parkNanos(1_000_000);
            }
            // The notes before it are deleted next.
            LockSupport.parkNanos(100_000_000);
        }

        /** Late: classes are loaded from files. */
        private static void useUpDescriptors(List<InputStream> used) {
            System.out.println("no descriptor is left");
            try {
                while (true) {
                    used.add(new FileInputStream("/dev/null"));
                }
            } catch (IOException e) {
                // No descriptor is left, as planned.
            }
        }

        private static long left(LeasedSnowflake ids) {
            return Duration.between(Instant.now(), ids.status().reservedUntil().orElseThrow())
                    .toMillis();
        }

        /** As a backup agent does, and an application that is not careful with the properties of its JVM. */
        private static void readFiles(Path folder) {
            Thread agent = new Thread(() -> {
                while (true) {
                    System.setProperties((Properties) System.getProperties().clone());
                    System.gc();
                    try (Stream<Path> files = Files.walk(folder)) {
                        for (Path file : files.filter(Files::isRegularFile).toList()) {
                            byte[] unused = Files.readAllBytes(file);
                        }
                    } catch (IOException | UncheckedIOException e) {
                        // The file was deleted meanwhile.
                    }
                    LockSupport.parkNanos(50_000_000);
                }
            });
            agent.setDaemon(true);
            agent.start();
        }
    }

    /** A coordinator in memory, for the only process that reaches it; it is down as soon as a certain file exists. */
    private record Provider(Path down) implements WorkerCoordinatorProvider {

        @Override
        public String name() {
            return "memory-of-one";
        }

        @Override
        public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
            return new RecordCoordinator(config, new Records(down));
        }
    }

    private static final class Records implements RecordStore {
        private final Path down;
        private final Map<String, Entry> entries = new HashMap<>();
        private long writes;

        Records(Path down) {
            this.down = down;
        }

        private void require() {
            if (Files.exists(down)) {
                throw new CoordinatorException("connection refused", false);
            }
        }

        @Override
        public synchronized Reading read(List<String> keys, Duration timeout) {
            require();
            return new Reading(entries, Instant.now());
        }

        @Override
        public synchronized Write compareAndSet(String key, @Nullable Entry expected, String next, Duration timeout) {
            require();
            Entry present = entries.get(key);
            if (present == null ? expected != null : !present.equals(expected)) {
                return new Write.Rejected();
            }
            entries.put(key, new Entry(next, ++writes));
            return new Write.Applied();
        }

        @Override
        public void close() {}
    }
}
