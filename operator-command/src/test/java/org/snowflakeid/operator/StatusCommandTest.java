// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.PostgresServer;
import org.snowflakeid.testservers.TcpProxy;

class StatusCommandTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final Set<String> FIELDS = Set.of(
            "format",
            "namespace",
            "coordinator",
            "place",
            "clock",
            "location",
            "state",
            "id",
            "replaces",
            "movedTo",
            "successor",
            "epoch",
            "workerIdBits",
            "sequenceBits",
            "maxWindow",
            "floor",
            "floorTick",
            "floorId",
            "coordinatorClock",
            "clocksAgree",
            "held",
            "everClaimed",
            "workers");

    private static Map<String, String> keys(EtcdServer etcd, int workerId) {
        return Map.of(
                "snowflake.coordinator",
                "etcd",
                "snowflake.etcd.endpoints",
                etcd.endpoint(),
                "snowflake.worker-ids",
                Integer.toString(workerId),
                "snowflake.window",
                "PT60S");
    }

    private static JsonObject json(String line) {
        return JsonParser.parseString(line).getAsJsonObject();
    }

    @Test
    void aNamespaceAsOneLineForPrograms() {
        try (EtcdServer etcd = EtcdServer.start()) {
            String place = "-Dsnowflake.etcd.endpoints=" + etcd.endpoint();
            JsonObject absent = json(Session.run("status", "--json", place).out());
            LeasedSnowflake.open(SnowflakeSettings.of(keys(etcd, 3))).close();
            try (LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(keys(etcd, 7)))) {
                Instant before = Instant.now();

                Session session = Session.run("status", "--json", place);

                assertThat(session.exitCode()).as(session.all()).isZero();
                assertThat(session.out().lines()).hasSize(1);
                JsonObject json = json(session.out());
                assertThat(json.keySet()).isEqualTo(FIELDS);
                assertThat(json.get("format").getAsInt()).isEqualTo(1);
                assertThat(json.get("state").getAsString()).isEqualTo("active");
                assertThat(json.get("place").getAsString()).isEqualTo(etcd.endpoint());
                assertThat(json.get("workerIdBits").getAsInt()).isEqualTo(10);
                assertThat(json.get("clocksAgree").getAsBoolean()).isTrue();
                assertThat(Instant.parse(json.get("clock").getAsString())).isAfterOrEqualTo(before.minusMillis(1));
                assertThat(json.get("held").getAsInt()).isEqualTo(1);
                assertThat(json.get("everClaimed").getAsInt()).isEqualTo(2);
                assertThat(json.get("movedTo").isJsonNull()).isTrue();
                JsonObject free = json.get("workers").getAsJsonArray().get(0).getAsJsonObject();
                JsonObject held = json.get("workers").getAsJsonArray().get(1).getAsJsonObject();
                assertThat(held.keySet())
                        .isEqualTo(
                                Set.of("workerId", "heldBy", "reservedUntil", "reservedUntilTick", "unreadableMark"));
                assertThat(free.get("heldBy").isJsonNull()).isTrue();
                assertThat(held.get("workerId").getAsJsonPrimitive().isNumber()).isTrue();
                assertThat(held.get("workerId").getAsInt()).isEqualTo(7);
                assertThat(held.get("reservedUntilTick").getAsJsonPrimitive().isString())
                        .isTrue();
                SnowflakeLayout layout = ids.layout();
                assertThat(layout.epoch()
                                .plusMillis(held.get("reservedUntilTick").getAsLong()))
                        .isEqualTo(Instant.parse(held.get("reservedUntil").getAsString()));
                assertThat(json.get("floorId").getAsString()).isEqualTo("0");
            }
            assertThat(absent.keySet()).isEqualTo(FIELDS);
            assertThat(absent.get("state").getAsString()).isEqualTo("absent");
            assertThat(absent.get("id").isJsonNull()).isTrue();
        }
    }

    @Test
    void theTableIsNamed() {
        try (PostgresServer postgres = PostgresServer.start()) {
            postgres.sql("CREATE SCHEMA ids");
            String[] place = {"-Dsnowflake.jdbc.url=" + postgres.url(), "-Dsnowflake.jdbc.schema=ids"};

            String text = Session.run("status", place[0], place[1]).out();
            JsonObject json =
                    json(Session.run("status", "--json", place[0], place[1]).out());

            assertThat(text).contains("location     table ids.snowflake_record\n");
            assertThat(json.get("location").getAsString()).isEqualTo("table ids.snowflake_record");
            assertThat(json.get("place").getAsString()).endsWith(" ids");
        }
    }

    /** A command that runs until it is ended. */
    private static final class Running implements AutoCloseable {
        private final StringWriter out = new StringWriter();
        private final Thread thread;
        private volatile int exitCode = -1;

        Running(String... arguments) {
            Dialogue dialogue =
                    new Dialogue(new StringReader(""), new PrintWriter(out, true), new PrintWriter(out, true));
            thread = new Thread(() -> exitCode = OperatorCommand.run(dialogue, Map.of(), arguments), "watch");
            thread.start();
        }

        List<String> lines() {
            return out.toString().lines().toList();
        }

        void await(Predicate<String> line) {
            Scene.await(PATIENCE, () -> lines().stream().anyMatch(line));
        }

        @Override
        public void close() {
            end();
        }

        void end() {
            thread.interrupt();
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    void watchingShowsWhatChangesAndOutlivesTheCoordinatorAndTheSettings(@TempDir Path directory) throws IOException {
        Path settings = directory.resolve("application.properties");
        try (EtcdServer etcd = EtcdServer.start();
                Running text = new Running(
                        "status",
                        "--watch",
                        "1",
                        "--settings",
                        Files.writeString(settings, "snowflake.etcd.endpoints=" + etcd.endpoint())
                                .toString());
                Running json = new Running(
                        "status", "--json", "--watch", "1", "-Dsnowflake.etcd.endpoints=" + etcd.endpoint())) {
            text.await(line -> line.startsWith("record       absent"));
            // As a pipe, which can't be read again: after an outage that ended it.
            Files.delete(settings);
            try (LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(keys(etcd, 7)))) {
                text.await(line -> line.contains("  record: active, id ") && line.contains("(was absent"));
                text.await(line -> line.contains("  worker id 7: held by host ") && line.endsWith("(was free)"));
                text.await(line -> line.endsWith("  extended: 7"));
                json.await(
                        line -> json(line).has("held") && json(line).get("held").getAsInt() == 1);

                etcd.pause();
                // Both, before it answers again: the reading of one may have begun later.
                text.await(line -> line.contains("can't be read: "));
                json.await(line -> json(line).has("error"));
                etcd.resume();
                text.await(line -> line.endsWith("  read again"));
                assertThat(ids.status().workerId()).hasValue(7);
            }
            text.await(line -> line.contains("  worker id 7: free (was held by host "));
            text.await(line -> line.contains(", lowered (was reserved until "));

            text.end();
            assertThat(text.exitCode).isZero();
            assertThat(text.lines())
                    .filteredOn(line -> line.startsWith("record"))
                    .hasSize(1);
        }
    }

    @Test
    void watchingOutlivesAPasswordFileThatIsReplaced(@TempDir Path directory) throws IOException {
        Path password = Files.writeString(directory.resolve("password"), "hunter2");
        try (PostgresServer postgres = PostgresServer.start();
                TcpProxy proxy = TcpProxy.to(postgres.clientPort());
                Running text = new Running(
                        "status",
                        "--watch",
                        "1",
                        "-Dsnowflake.jdbc.url=" + postgres.url(proxy.port()),
                        "-Dsnowflake.jdbc.user=admin",
                        "-Dsnowflake.jdbc.password-file=" + password)) {
            text.await(line -> line.startsWith("record       absent"));

            Files.delete(password);
            proxy.cut();
            text.await(line -> line.contains("can't be read: snowflake.jdbc.password-file=" + password));
            Files.writeString(password, "hunter3");

            text.await(line -> line.endsWith("  read again"));
            assertThat(text.lines()).noneMatch(line -> line.contains("hunter"));
        }
    }

    // a full disk, or a pipe whose reader has gone: the output looked complete, and watching never ended
    @Test
    void outputThatCanNotBeWrittenIsAFailure(@TempDir Path folder) {
        String[] status = {"status", "--json", "-Dsnowflake.file.directory=" + folder};
        String[] watch = {"status", "--json", "--watch", "1", "-Dsnowflake.file.directory=" + folder};
        String[] restore = {
            "restore",
            "-Dsnowflake.file.directory=" + folder,
            "--yes",
            "--namespace",
            "snowflake",
            "--accept",
            "lost-record"
        };
        for (String[] arguments : List.of(status, watch, restore)) {
            StringWriter err = new StringWriter();
            Dialogue dialogue =
                    new Dialogue(new StringReader(""), new PrintWriter(new FullDisk()), new PrintWriter(err));

            int exitCode = assertTimeoutPreemptively(
                    PATIENCE, () -> OperatorCommand.run(dialogue, Map.of(), arguments), String.join(" ", arguments));

            assertThat(exitCode).isEqualTo(OperatorCommand.FAILED);
            assertThat(err.toString()).contains("output can't be written");
        }
        assertThat(folder.resolve("snowflake").resolve("meta")).doesNotExist();
    }

    private static final class FullDisk extends Writer {
        @Override
        public void write(char[] text, int offset, int length) throws IOException {
            throw new IOException("No space left on device");
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    // a program that reads the lines could not tell an outage from a command that hangs
    @Test
    void anOutageIsALineForProgramsEachTime() {
        try (EtcdServer etcd = EtcdServer.start();
                Running json = new Running(
                        "status", "--json", "--watch", "1", "-Dsnowflake.etcd.endpoints=" + etcd.endpoint())) {
            json.await(line -> json(line).has("state"));

            etcd.pause();

            Scene.await(
                    PATIENCE,
                    () -> json.lines().stream()
                                    .map(StatusCommandTest::json)
                                    .filter(line -> line.has("error"))
                                    .count()
                            > 2);
            assertThat(json.lines().stream().map(StatusCommandTest::json).filter(line -> line.has("error")))
                    .allSatisfy(line -> assertThat(line.keySet())
                            .containsExactlyInAnyOrder(
                                    "format", "namespace", "coordinator", "place", "clock", "error"));
            etcd.resume();
        }
    }

    @Test
    void anIntervalThatMakesNoSenseIsRefused() {
        Session session = Session.run("status", "--watch", "0", "-Dsnowflake.coordinator=memory");

        assertThat(session.exitCode()).isEqualTo(OperatorCommand.WRONG_USE);
        assertThat(session.err()).contains("--watch=0 is not between 1 and 3600");
    }
}
