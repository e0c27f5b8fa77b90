// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.PostgresServer;

/** A client that was written by the page alone. */
class PythonBesideJavaTest {

    private static final Duration TOGETHER = Duration.ofMinutes(1);
    private static final Duration LIFE = Duration.ofSeconds(3);
    private static final int CLIENTS = 4;

    /** That of Debian, which has the driver; another may be the first on the path. */
    private static final String PYTHON = "/usr/bin/python3";

    @TempDir
    private Path folder;

    private final List<Path> outputs = new ArrayList<>();

    private static Process python(Path output, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(PYTHON));
        command.addAll(Arrays.asList(arguments));
        return new ProcessBuilder(command)
                .redirectOutput(output.toFile())
                .redirectErrorStream(true)
                .start();
    }

    private Process client(PostgresServer server, String namespace, long ids) throws IOException {
        outputs.add(folder.resolve("ids-" + outputs.size()));
        return python(
                outputs.get(outputs.size() - 1),
                "client.py",
                server.url().substring("jdbc:".length()),
                "public.snowflake_record",
                namespace,
                Long.toString(ids));
    }

    private static LeasedSnowflake open(PostgresServer server, String namespace) {
        return LeasedSnowflake.open(SnowflakeSettings.of(Map.of(
                "snowflake.coordinator",
                "jdbc",
                "snowflake.jdbc.url",
                server.url(),
                "snowflake.namespace",
                namespace,
                "snowflake.worker-id-bits",
                "3",
                "snowflake.window",
                "PT3S")));
    }

    /** What a killed process left of its last line is no id. One to which a busy database did not answer in time has ended. */
    private static List<String> ids(Path output) throws IOException {
        String text = Files.readString(output);
        int end = text.indexOf("Traceback");
        if (end < 0) {
            return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
        }
        assertThat(text.substring(end)).containsAnyOf("due to statement timeout", "timeout expired");
        return text.substring(0, end).lines().toList();
    }

    @Test
    void theClientDoesWhatTheVectorsSay() throws Exception {
        Path output = folder.resolve("output");
        Process vectors = python(output, "vectors.py", "vectors.json");

        assertThat(vectors.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(Files.readString(output)).matches("right: [3-9][0-9]\n");
    }

    @Test
    void itsIdsAndOursAreDistinctThoughItIsKilledAgainAndAgain() throws Exception {
        String namespace = Node.freshNamespace();
        Random random = new Random(7);
        Set<String> ours = new HashSet<>();
        List<Process> clients = new ArrayList<>();
        try (PostgresServer server = PostgresServer.start()) {
            long end = System.nanoTime() + TOGETHER.toNanos();
            while (System.nanoTime() < end) {
                try (LeasedSnowflake ids = open(server, namespace)) {
                    while (clients.size() < CLIENTS) {
                        clients.add(client(server, namespace, Long.MAX_VALUE));
                    }
                    long change = System.nanoTime() + random.nextLong(LIFE.toNanos());
                    while (System.nanoTime() < change) {
                        assertThat(ours.add(Long.toString(ids.nextId()))).isTrue();
                        Thread.sleep(1);
                    }
                }
                clients.remove(0).destroyForcibly().waitFor();
            }
            for (Process each : clients) {
                each.destroyForcibly().waitFor();
            }
            Process last = client(server, namespace, 100);
            assertThat(last.waitFor(1, TimeUnit.MINUTES)).isTrue();
            assertThat(last.exitValue())
                    .as(Files.readString(outputs.get(outputs.size() - 1)))
                    .isZero();
        }
        Set<String> theirs = new HashSet<>();
        for (Path output : outputs) {
            for (String id : ids(output)) {
                assertThat(id).as(output.toString()).matches("\\d+");
                assertThat(theirs.add(id)).as(id).isTrue();
            }
        }
        assertThat(theirs).hasSizeGreaterThan(1_000);
        assertThat(ours).hasSizeGreaterThan(1_000);
        theirs.retainAll(ours);
        assertThat(theirs).isEmpty();
    }
}
