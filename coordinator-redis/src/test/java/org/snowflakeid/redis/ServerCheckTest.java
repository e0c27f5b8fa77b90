// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.LogLines;
import org.snowflakeid.testservers.RedisServer;
import redis.clients.jedis.Connection;

/** Servers that would lose what they acknowledge, or are none to ask. */
class ServerCheckTest {
    private static RedisServer server;

    @BeforeAll
    static void start() {
        LogLines.listen();
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Node node(RedisServer at) {
        return RedisNode.at(at.uri(), Node.freshNamespace());
    }

    private static CoordinatorException refused(RedisServer at) {
        try (Node node = node(at)) {
            return refusal(node);
        }
    }

    private static CoordinatorException failure(Node node) {
        CoordinatorException thrown =
                catchThrowableOfType(CoordinatorException.class, () -> node.coordinator.read(0, 0, TIMEOUT));
        assertThat(thrown).isNotNull();
        return thrown;
    }

    private static CoordinatorException refusal(Node node) {
        CoordinatorException thrown = failure(node);
        assertThat(thrown.permanent()).as(thrown.getMessage()).isTrue();
        return thrown;
    }

    /** Starts a generator and ends it; returns the warnings. */
    private static List<String> warnings(RedisServer at, Map<String, String> more) {
        String generator = "g" + UUID.randomUUID();
        Map<String, String> keys = new HashMap<>(more);
        keys.put("snowflake.redis.uri", at.uri());
        keys.put("snowflake.generators." + generator + ".namespace", Node.freshNamespace());
        LeasedSnowflake.open(SnowflakeSettings.of(generator, keys::get)).close();
        return LogLines.of(generator).stream()
                .filter(line -> line.startsWith("WARNING") && !line.contains("(first start). If it existed before"))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({
        "appendonly, no, yes",
        "appendfsync, everysec, always",
        "appendfsync, no, always",
        "no-appendfsync-on-rewrite, yes, no",
        "maxmemory-policy, allkeys-lru, noeviction"
    })
    void aServerThatLosesWhatItAcknowledgedIsRefusedUnlessThatIsAccepted(String name, String value, String remedy) {
        try (RedisServer careless =
                RedisServer.builder().arguments("--" + name, value).start()) {
            CoordinatorException thrown = refused(careless);
            List<String> warnings = warnings(careless, Map.of("snowflake.redis.durability", "warn"));

            String said = "redis (" + careless.uri() + ") has " + name + " " + value
                    + ": redis may lose what it acknowledged, and then ids repeat. Set " + name + " " + remedy
                    + " by CONFIG SET and in redis.conf";
            assertThat(thrown).hasMessage(said + ", or accept it with snowflake.redis.durability=warn.");
            assertThat(warnings)
                    .singleElement()
                    .asString()
                    .contains(said + "; snowflake.redis.durability=warn accepts it.");
        }
    }

    @Test
    void allThatIsWrongIsSaidAtOnce() {
        try (RedisServer careless = RedisServer.builder()
                .arguments("--appendonly", "no", "--maxmemory-policy", "allkeys-random")
                .start()) {
            assertThat(refused(careless)).hasMessageContaining("has appendonly no, maxmemory-policy allkeys-random: ");
        }
    }

    @Test
    void whatTheMessageSaysHelpsWithoutARestart() {
        try (RedisServer careless = RedisServer.builder()
                        .arguments("--appendonly", "no", "--appendfsync", "everysec")
                        .start();
                Node node = node(careless)) {
            refusal(node);

            careless.command("CONFIG", "SET", "appendonly", "yes");
            careless.command("CONFIG", "SET", "appendfsync", "always");

            await(Node.PATIENCE, node::answers);
            assertThat(node.createMeta()).isNotNull();
        }
    }

    /** A crash in that time takes all that was acknowledged: the server writes to a file that it would not read. */
    @ParameterizedTest
    @ValueSource(strings = {"no", "yes"})
    void aServerWhoseAppendOnlyFileWasSwitchedOnIsWaitedForUnlessThatIsAccepted(String before) {
        try (RedisServer slow =
                        RedisServer.builder().arguments("--appendonly", before).start();
                Node node = node(slow)) {
            slow.command("SET", "x", "y");
            if (before.equals("yes")) {
                rewrite(slow);
                slow.command("CONFIG", "SET", "appendonly", "no");
            }
            slow.command("CONFIG", "SET", "rdb-key-save-delay", LONG);
            slow.command("CONFIG", "SET", "appendonly", "yes");
            try {
                // What it says after it was switched off and on again is of the file before.
                assertThat(slow.info("aof_base_size").equals("0")).isEqualTo(before.equals("no"));
                requireWaitedFor(slow, node);
            } finally {
                // Ends that process, which would outlive its server.
                slow.command("CONFIG", "SET", "appendonly", "no");
            }
            slow.command("CONFIG", "SET", "rdb-key-save-delay", "0");
            slow.command("CONFIG", "SET", "appendonly", "yes");
            await(Node.PATIENCE, node::answers);
        }
    }

    /** It writes a snapshot, and until then to no file at all. */
    @Test
    void aServerThatHasYetToBeginItsAppendOnlyFileIsWaitedFor() {
        try (RedisServer slow = RedisServer.start();
                Node node = node(slow)) {
            slow.command("SET", "x", "y");
            rewrite(slow);
            slow.command("CONFIG", "SET", "appendonly", "no");
            slow.command("CONFIG", "SET", "rdb-key-save-delay", LONG);
            slow.command("BGSAVE");
            try {
                slow.command("CONFIG", "SET", "appendonly", "yes");
                assertThat(slow.info("aof_rewrite_scheduled")).isEqualTo("1");
                requireWaitedFor(slow, node);
            } finally {
                slow.command("FLUSHALL");
            }
            slow.command("CONFIG", "SET", "rdb-key-save-delay", "0");
            await(Node.PATIENCE, node::answers);
        }
    }

    /** The server says the same as after its file was switched on. */
    @Test
    void aRewriteHoldsUpNewConnectionsAndNoOthers() {
        try (RedisServer slow = RedisServer.start();
                // Of another database: those of the same share a connection.
                Node connected = RedisNode.at(slow.uri() + "/1", Node.freshNamespace());
                Node node = node(slow)) {
            Stored meta = connected.createMeta();
            Stored mark = connected.claim(3);
            slow.command("CONFIG", "SET", "rdb-key-save-delay", LONG);
            slow.command("BGREWRITEAOF");
            try {
                requireWaitedFor(slow, node);
                applied(connected.coordinator.extend(
                        3, mark, Node.unique("limit=2"), connected.owner(3), meta, TIMEOUT));
            } finally {
                slow.command("CONFIG", "SET", "appendonly", "no");
            }
        }
    }

    /** Microseconds for each key, in the process that writes the file. */
    private static final String LONG = "600000000";

    private static void rewrite(RedisServer server) {
        server.command("BGREWRITEAOF");
        await(TIMEOUT, () -> server.info("aof_rewrite_in_progress").equals("0"));
    }

    private static void requireWaitedFor(RedisServer slow, Node node) {
        String said =
                "is rewriting its append-only file. If the file was switched on just now, a crash before the end loses"
                        + " what the server acknowledged.";
        CoordinatorException thrown = failure(node);
        List<String> warnings = warnings(slow, Map.of("snowflake.redis.durability", "warn"));

        assertThat(thrown).hasMessage("redis (" + slow.uri() + ") " + said + " It is asked again.");
        assertThat(thrown.permanent()).isFalse();
        assertThat(warnings).singleElement().asString().contains(said);
    }

    /** They evict what expires, and no record does. */
    @ParameterizedTest
    @ValueSource(strings = {"noeviction", "volatile-lru", "volatile-ttl"})
    void policiesThatEvictNoRecordAreAccepted(String policy) {
        try (RedisServer careful =
                RedisServer.builder().arguments("--maxmemory-policy", policy).start()) {
            assertThat(warnings(careful, Map.of())).isEmpty();
        }
    }

    @Test
    void aServerThatWasStartedAgainWithOtherSettingsIsRefused(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("more.conf"), "\n");
        try (RedisServer changed = RedisServer.builder()
                        .arguments("--include", file.toString())
                        .start();
                Node node = node(changed)) {
            Stored meta = node.createMeta();
            Stored mark = node.claim(3);
            Files.writeString(file, "appendfsync everysec\n");
            changed.kill();
            changed.startAgain();
            changed.awaitHealthy();

            CoordinatorException thrown = catchThrowableOfType(
                    CoordinatorException.class,
                    () -> node.coordinator.extend(3, mark, Node.unique("limit=2"), node.owner(3), meta, TIMEOUT));

            assertThat(thrown).hasMessageContaining("has appendfsync everysec");
        }
    }

    @Test
    void whatTheUserMayNotAskIsAWarningAndNoMore() {
        server.command(
                "ACL", "SETUSER", "blind", "on", ">blind", "~*", "-@all", "+eval", "+get", "+set", "+mget", "+time");

        List<String> warnings =
                warnings(server, Map.of("snowflake.redis.user", "blind", "snowflake.redis.password", "blind"));

        assertThat(warnings)
                .filteredOn(line -> !line.contains("is not encrypted"))
                .singleElement()
                .asString()
                .contains("does not say whether it keeps what it acknowledges")
                .contains("INFO (NOPERM", "CONFIG GET (NOPERM", "+info and +config|get");
    }

    /** As hosted ones have it. */
    @Test
    void aServerWithoutConfigIsAWarningAndWhatInfoTellsIsStillJudged() {
        try (RedisServer hosted = RedisServer.builder()
                        .arguments("--rename-command", "CONFIG", "")
                        .start();
                RedisServer careless = RedisServer.builder()
                        .arguments("--rename-command", "CONFIG", "", "--appendonly", "no")
                        .start()) {
            assertThat(warnings(hosted, Map.of()))
                    .singleElement()
                    .asString()
                    .contains("it refuses CONFIG GET (ERR unknown command");
            assertThat(refused(careless)).hasMessageContaining("has appendonly no");
        }
    }

    /** Another software that speaks as Redis does. */
    private static List<String> warningsOf(String info, String... config) throws Exception {
        try (ServerSocket like = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread answering = new Thread(() -> answer(like, info, config), "like redis");
            answering.setDaemon(true);
            answering.start();
            Map<String, String> keys = Map.of("snowflake.redis.uri", "redis://127.0.0.1:" + like.getLocalPort());
            RedisSettings settings =
                    new RedisSettings(new CoordinatorConfig("orders", "snowflake", Duration.ofSeconds(60), keys::get));
            try (Connection connection = new Connection("127.0.0.1", like.getLocalPort())) {
                return ServerCheck.look(settings, connection).judgeNew();
            }
        }
    }

    private static void answer(ServerSocket like, String info, String... config) {
        try (Socket connection = like.accept()) {
            StringBuilder answers = new StringBuilder(bulk(info)).append("*" + config.length + "\r\n");
            for (String each : config) {
                answers.append(bulk(each));
            }
            connection.getOutputStream().write(answers.toString().getBytes(StandardCharsets.US_ASCII));
            while (connection.getInputStream().read() >= 0) {
                // until all is asked
            }
        } catch (IOException closed) {
            // the end of the test
        }
    }

    private static String bulk(String text) {
        return "$" + text.length() + "\r\n" + text + "\r\n";
    }

    private static final String PRIMARY = "redis_mode:standalone\r\nrole:master\r\n";
    private static final String KEPT = PRIMARY + "aof_enabled:1\r\nmaxmemory_policy:noeviction\r\n";

    // it was used without a word
    @Test
    void whatAServerLeavesOutOfItsAnswersIsAWarning() throws Exception {
        assertThat(warningsOf(PRIMARY))
                .singleElement()
                .asString()
                .contains("does not say whether it keeps what it acknowledges: its answer to INFO lacks aof_enabled,"
                        + " maxmemory_policy, and that to CONFIG GET lacks appendfsync, no-appendfsync-on-rewrite.")
                .contains("another software than Redis")
                .doesNotContain("refuses", "allow this user");
        assertThat(warningsOf(KEPT, "appendfsync", "always"))
                .singleElement()
                .asString()
                .contains(": its answer to CONFIG GET lacks no-appendfsync-on-rewrite.");
        assertThat(warningsOf(KEPT, "no-appendfsync-on-rewrite", "no", "appendfsync", "always"))
                .isEmpty();
    }

    /** KeyDB: each of several takes writes, and has those of the others later. */
    @Test
    void oneOfSeveralPrimariesIsRefused() {
        RedisFailure refusal = catchThrowableOfType(
                RedisFailure.class,
                () -> warningsOf(
                        KEPT.replace("role:master", "role:active-replica"),
                        "no-appendfsync-on-rewrite",
                        "no",
                        "appendfsync",
                        "always"));

        assertThat(refusal).isNotNull();
        assertThat(refusal.exception())
                .hasMessageContaining("has the role active-replica, and may take writes that other servers take too:"
                        + " ids would repeat. Name a primary that is the only one in snowflake.redis.uri.");
        assertThat(refusal.exception().permanent()).isTrue();
    }

    @Test
    void aReplicaIsNotUsedAndItsPrimaryIsAWarning() {
        try (RedisServer replica = replica();
                Node node = node(replica)) {
            assertThat(failure(node))
                    .hasMessageContaining("is a replica (role slave), which lags behind its primary 127.0.0.1:"
                            + server.clientPort() + ". Name the primary in snowflake.redis.uri.");
            await(Node.PATIENCE, () -> server.info("connected_slaves").equals("1"));
            assertThat(warnings(server, Map.of()))
                    .singleElement()
                    .asString()
                    .contains("has replicas (1). They lag behind");
        }
    }

    /** Its connections stay open. */
    @Test
    void aServerThatBecomesAReplicaTakesNoWrites() {
        try (RedisServer demoted = RedisServer.start();
                Node node = node(demoted)) {
            Stored meta = node.createMeta();
            Stored mark = node.claim(3);
            demoted.command("REPLICAOF", "127.0.0.1", Integer.toString(server.clientPort()));

            CoordinatorException thrown = catchThrowableOfType(
                    CoordinatorException.class,
                    () -> node.coordinator.extend(
                            3, mark, Node.unique("limit=2"), node.owner(3), meta, Duration.ofSeconds(10)));

            assertThat(thrown == null ? failure(node) : thrown).hasMessageContaining("replica");
            demoted.command("REPLICAOF", "NO", "ONE");
        }
    }

    /** As a standby of a database is: a failover that is under way is no reason to end a start. */
    @Test
    void aReplicaThatIsPromotedDuringAStartIsUsed() throws Exception {
        try (RedisServer replica = replica()) {
            String generator = "g" + UUID.randomUUID();
            SnowflakeSettings settings = SnowflakeSettings.of(
                    generator,
                    Map.of("snowflake.namespace", Node.freshNamespace(), "snowflake.redis.uri", replica.uri()));
            CompletableFuture<LeasedSnowflake> start =
                    CompletableFuture.supplyAsync(() -> LeasedSnowflake.open(settings));
            await(
                    Node.PATIENCE,
                    () -> start.isDone()
                            || LogLines.of(generator).stream().anyMatch(line -> line.contains("is a replica")));
            replica.command("REPLICAOF", "NO", "ONE");

            try (LeasedSnowflake ids = start.get()) {
                assertThat(ids.nextId()).isPositive();
            }
        }
    }

    private static RedisServer replica() {
        return RedisServer.builder()
                .arguments("--replicaof", "127.0.0.1", Integer.toString(server.clientPort()))
                .start();
    }

    @Test
    void aMemberOfAClusterIsRefused() {
        try (RedisServer member = RedisServer.builder().memberOfCluster().start()) {
            assertThat(refused(member)).hasMessageContaining("is a member of a Redis Cluster, which is not supported");
        }
    }

    @Test
    void aSentinelIsRefused(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("sentinel.conf"), "\n");
        try (RedisServer sentinel = RedisServer.builder().sentinel(file).start()) {
            assertThat(refused(sentinel)).hasMessageContaining("is a Sentinel, and no server of records");
        }
    }

    @Test
    void warningsAreNotRepeatedAtEachConnection() {
        try (RedisServer restarted = RedisServer.builder()
                        .arguments("--appendfsync", "everysec")
                        .start();
                Node node = new RedisNode(
                        Node.freshNamespace(),
                        TIMEOUT,
                        Map.of("snowflake.redis.uri", restarted.uri(), "snowflake.redis.durability", "warn"))) {
            node.createMeta();
            for (int i = 0; i < 3; i++) {
                assertThat(restarted.command("CLIENT", "KILL", "TYPE", "normal"))
                        .isNotBlank();
                assertThat(node.meta()).isNotNull();
            }

            assertThat(LogLines.of("orders"))
                    .filteredOn(line -> line.contains(restarted.uri() + ")"))
                    .hasSize(1);
            applied(node.claim(3, null, "o"));
        }
    }
}
