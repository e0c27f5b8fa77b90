// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.testservers.EtcdServer;

/** Processes with {@code snowflake.resume.directory} that are killed and started again while etcd is down. */
class EtcdRestartTest {

    private static final long PATIENCE_NANOS = 120_000_000_000L;

    @TempDir
    Path resume;

    private final Set<Long> ids = new HashSet<>();

    private final class Running implements AutoCloseable {
        private final Process process;
        private final BufferedReader out;
        private int workerId = -1;
        private Instant until = Instant.EPOCH;

        Running(EtcdServer etcd) throws IOException {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-Xmx128m",
                    "-cp",
                    System.getProperty("java.class.path"),
                    Issuer.class.getName(),
                    "snowflake.etcd.endpoints=" + etcd.endpoint(),
                    "snowflake.resume.directory=" + resume,
                    "snowflake.window=PT2M",
                    "snowflake.startup-timeout=PT3M"));
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            out = process.inputReader();
        }

        /** Takes note of ids, each of which must be new, until the status says this. */
        String read(Predicate<String> status) throws IOException {
            long began = System.nanoTime();
            while (true) {
                assertThat(System.nanoTime() - began).as("how long it took").isLessThan(PATIENCE_NANOS);
                String line = out.readLine();
                assertThat(line).as("what a running process prints").isNotNull();
                if (!line.startsWith("until ")) {
                    long id = Long.parseLong(line);
                    workerId = SnowflakeLayout.STANDARD.decode(id).workerId();
                    assertThat(ids.add(id)).as("%s is new", id).isTrue();
                } else {
                    until = until(line);
                    if (status.test(line)) {
                        return line;
                    }
                }
            }
        }

        @Override
        public void close() throws IOException {
            process.destroyForcibly().onExit().join();
        }

        /** With a signal that it can't catch, and what it printed before. */
        void kill() throws IOException {
            // Not by the process itself, which would close its output.
            assertThat(process.toHandle().destroyForcibly()).isTrue();
            out.lines()
                    .filter(line -> line.matches("\\d{18}"))
                    .forEach(line -> assertThat(ids.add(Long.parseLong(line))).isTrue());
        }
    }

    private static boolean isFarAhead(String status) {
        return until(status).isAfter(Instant.now().plusSeconds(70));
    }

    /** Of the last note: as long as there is none, or it is replaced just now, of none. */
    private String noted(Running process) {
        try (Stream<Path> notes = Files.list(resume.resolve("snowflake/workers/" + process.workerId + ".notes"))) {
            String text = Files.readString(
                    notes.filter(note -> note.getFileName().toString().matches("\\d+"))
                            .max(Comparator.naturalOrder())
                            .orElseThrow());
            return "until " + text.substring(text.indexOf("until=") + 6);
        } catch (NoSuchFileException replaced) {
            return "until " + Instant.EPOCH;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Instant until(String status) {
        return Instant.parse(status.split("\\s", 3)[1]);
    }

    @Test
    void idsGoOnUnderTheSameWorkerIdAndItIsExtendedWhenEtcdIsBack() throws Exception {
        try (EtcdServer etcd = EtcdServer.start()) {
            Running first = new Running(etcd);
            String unused = first.read(EtcdRestartTest::isFarAhead);
            // The file follows the answer: what it does not say is not taken over.
            unused = first.read(line -> isFarAhead(noted(first)));
            etcd.kill();
            first.kill();

            try (Running next = new Running(etcd)) {
                String status = next.read(line -> line.contains("taken over"));
                assertThat(status)
                        .contains("worker id " + first.workerId)
                        .contains("taken over from a process before this one")
                        .contains("etcd could not be reached");
                assertThat(next.workerId).isEqualTo(first.workerId);
                assertThat(next.until).isBeforeOrEqualTo(Instant.now().plusSeconds(120));
                Instant until = next.until;
                next.kill();

                try (Running third = new Running(etcd)) {
                    unused = third.read(line -> true);
                    assertThat(third.workerId).isEqualTo(first.workerId);
                    assertThat(third.until).isEqualTo(until);

                    etcd.startAgain();
                    unused = third.read(line -> line.endsWith(" well") && third.until.isAfter(until));
                    assertThat(third.workerId).isEqualTo(first.workerId);
                    third.kill();
                }
            }
            assertThat(etcd.etcdctl("get", "--print-value-only", "/snowflake/marks/" + first.workerId))
                    .contains("until=");
        }
    }
}
