// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.assertPermanent;
import static org.snowflakeid.tck.Node.await;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.Certificates;
import org.snowflakeid.testservers.LogLines;
import org.snowflakeid.testservers.RedisServer;

/** Users and certificates: what works, and how the rest is refused. */
class RedisSecurityTest {
    @TempDir
    private static Path directory;

    private static Certificates trusted;
    private static Certificates foreign;
    private static RedisServer withUsers;
    private static RedisServer tls;
    private static RedisServer mutualTls;

    @BeforeAll
    static void start() throws Exception {
        LogLines.listen();
        trusted = new Certificates(Files.createDirectory(directory.resolve("trusted")));
        foreign = new Certificates(Files.createDirectory(directory.resolve("foreign")));
        withUsers = RedisServer.builder().password("root").start();
        tls = RedisServer.builder().tls(trusted, false).start();
        mutualTls = RedisServer.builder().tls(trusted, true).start();
    }

    @AfterAll
    static void stop() {
        withUsers.close();
        tls.close();
        mutualTls.close();
    }

    /** As the page says, for another name and password. */
    private static void createUser(String name, String... more) throws IOException {
        String[] words = commandOfThePage()
                .replace("app", name)
                .replace("'>hunter2'", ">" + name + "'s")
                .split(" ");
        assertThat(withUsers.command(words)).isEqualTo("OK");
        for (String change : more) {
            assertThat(withUsers.command("ACL", "SETUSER", name, change)).isEqualTo("OK");
        }
    }

    private static String commandOfThePage() throws IOException {
        return Files.readString(Path.of("../docs/coordinator-redis.md"))
                .lines()
                .filter(line -> line.startsWith("redis-cli ACL SETUSER "))
                .findFirst()
                .orElseThrow()
                .substring("redis-cli ".length())
                .replace("'~snowflake/*'", "~snowflake/*")
                .replace("'+config|get'", "+config|get");
    }

    private static Node user(String name, String password) {
        return RedisNode.at(
                withUsers.uri(), Map.of("snowflake.redis.user", name, "snowflake.redis.password", password));
    }

    @Test
    void theUserOfThePageCanDoAllThatIsNeededAndIsNotWarnedOf() throws IOException {
        createUser("least");
        try (Node node = new RedisNode(
                "snowflake",
                TIMEOUT,
                Map.of(
                        "snowflake.redis.uri", withUsers.uri(),
                        "snowflake.redis.user", "least",
                        "snowflake.redis.password", "least's"))) {
            node.claimExtendAndRelease();
        }
        assertThat(LogLines.of("orders")).noneMatch(line -> line.contains("does not say whether"));
    }

    /** Each right of the page is needed. */
    @ParameterizedTest
    @ValueSource(strings = {"eval", "get", "set", "mget", "time"})
    void aUserWhoLacksARightIsToldWhichThereAre(String command) throws IOException {
        createUser("lacks-" + command, "-" + command);
        try (Node node = user("lacks-" + command, "lacks-" + command + "'s")) {
            CoordinatorException thrown = catchThrowableOfType(CoordinatorException.class, () -> {
                Stored ignored = node.read(0, 0).meta() == null ? node.createMeta() : node.meta();
                CasResult unused = node.claim(7, node.slot(7).mark(), "o");
            });

            assertPermanent(
                    thrown,
                    "forbids user 'lacks-" + command + "'",
                    "Grant ~snowflake/* +eval +get +set +mget +time +info +config|get",
                    "snowflake.redis.user");
        }
    }

    @Test
    void forbiddenKeysArePermanent() throws IOException {
        createUser("stranger", "resetkeys", "~other/*");

        assertPermanent(
                user("stranger", "stranger's").refused(), "'stranger'", "namespace 'snowflake'", "~snowflake/*");
    }

    @Test
    void aUserWhoMayNotSelectADatabaseIsToldSo() throws IOException {
        createUser("selects");
        Map<String, String> keys = Map.of("snowflake.redis.user", "selects", "snowflake.redis.password", "selects's");

        assertPermanent(RedisNode.at(withUsers.uri() + "/3", keys).refused(), "+select");
        assertThat(withUsers.command("ACL", "SETUSER", "selects", "+select")).isEqualTo("OK");
        try (Node node = RedisNode.at(withUsers.uri() + "/3", keys)) {
            node.claimExtendAndRelease();
        }
        assertThat(withUsers.info("db3")).startsWith("keys=");
    }

    @Test
    void databaseThatIsNotThereIsPermanent() {
        assertPermanent(
                RedisNode.at(withUsers.uri() + "/99", Map.of("snowflake.redis.password", "root"))
                        .refused(),
                "has no database 99",
                "snowflake.redis.uri");
    }

    @Test
    void wrongPasswordIsPermanentAndNotShown() throws IOException {
        createUser("app");
        CoordinatorException thrown = user("app", "pear").refused();
        CoordinatorException ofDefault = RedisNode.at(withUsers.uri(), Map.of("snowflake.redis.password", "pear"))
                .refused();

        assertPermanent(thrown, withUsers.uri(), "refuses user 'app'", "snowflake.redis.password");
        assertPermanent(ofDefault, "refuses the default user");
        assertThat(thrown.getMessage() + ofDefault.getMessage()).doesNotContain("pear");
    }

    @Test
    void worksWithThePasswordOfTheDefaultUser() {
        try (Node node = RedisNode.at(withUsers.uri(), Map.of("snowflake.redis.password", "root"))) {
            node.claimExtendAndRelease();
        }
    }

    @Test
    void missingPasswordIsPermanent() {
        assertPermanent(RedisNode.at(withUsers.uri(), Map.of()).refused(), "Set snowflake.redis.password");
    }

    @Test
    void passwordWhereThereIsNoneIsPermanent() {
        assertPermanent(
                RedisNode.at(tls.uri(), Map.of("snowflake.redis.password", "apple"))
                        .refused(),
                "Remove snowflake.redis.password");
    }

    // from Redis 5 on a server repeats the arguments of a command that it does not know
    @Test
    void passwordIsNotShownWhereAuthHasAnotherName() {
        try (RedisServer renamed =
                RedisServer.builder().arguments("--rename-command", "AUTH", "").start()) {
            CoordinatorException ofDefault = RedisNode.at(renamed.uri(), Map.of("snowflake.redis.password", "apple"))
                    .refused();
            CoordinatorException ofUser = RedisNode.at(
                            renamed.uri(),
                            Map.of("snowflake.redis.user", "gardener", "snowflake.redis.password", "apple"))
                    .refused();

            assertPermanent(ofDefault, "lacks a command, or has it under another name: ERR unknown command", "AUTH");
            assertPermanent(ofUser, "lacks a command, or has it under another name: ERR unknown command", "AUTH");
            assertThat(stackTrace(ofDefault) + stackTrace(ofUser)).doesNotContain("apple", "gardener");
        }
    }

    private static String stackTrace(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    @Test
    void passwordIsReadFromItsFileForEachConnection() throws IOException {
        createUser("rotated");
        Path file = Files.writeString(directory.resolve("password"), "rotated's\n");
        try (Node node = RedisNode.at(
                withUsers.uri(),
                Map.of("snowflake.redis.user", "rotated", "snowflake.redis.password-file", file.toString()))) {
            node.claimExtendAndRelease();
            Files.writeString(file, "new one\n");
            assertThat(withUsers.command("ACL", "SETUSER", "rotated", "resetpass", ">new one"))
                    .isEqualTo("OK");
            assertThat(withUsers.command("CLIENT", "KILL", "USER", "rotated")).isEqualTo("1");

            node.claimExtendAndRelease();
        }
        assertPermanent(user("rotated", "rotated's").refused(), "refuses user 'rotated'");
    }

    private static Map<String, String> files(Certificates authority, Certificates client) {
        Map<String, String> keys = new HashMap<>();
        if (authority != null) {
            keys.put("snowflake.redis.tls.ca", authority.ca().toString());
        }
        if (client != null) {
            keys.put("snowflake.redis.tls.cert", client.clientCertificate().toString());
            keys.put("snowflake.redis.tls.key", client.clientKey().toString());
        }
        return keys;
    }

    @Test
    void worksOverTls() {
        try (Node node = RedisNode.at(tls.tlsUri(), files(trusted, null))) {
            node.claimExtendAndRelease();
        }
        try (Node node = RedisNode.at(mutualTls.tlsUri(), files(trusted, trusted))) {
            node.claimExtendAndRelease();
        }
    }

    @Test
    void untrustedServerIsPermanent() {
        assertPermanent(
                RedisNode.at(tls.tlsUri(), files(foreign, null)).refused(),
                tls.tlsUri(),
                "not trusted",
                "snowflake.redis.tls.ca");
        assertPermanent(RedisNode.at(tls.tlsUri(), files(null, null)).refused(), "not trusted");
    }

    @Test
    void certificateOfAnotherHostIsNotTrusted() {
        try (RedisServer everywhere = RedisServer.builder()
                .tls(trusted, false)
                .arguments("--bind", "127.0.0.1", "127.0.0.2")
                .start()) {
            // Loopback too, but not what the certificate names.
            assertPermanent(
                    RedisNode.at(everywhere.tlsUri().replace("127.0.0.1", "127.0.0.2"), files(trusted, null))
                            .refused(),
                    "not trusted",
                    "host name");
        }
    }

    @Test
    void plainClientAtATlsPortIsToldSo() {
        CoordinatorException thrown =
                RedisNode.at(tls.tlsUri().replace("rediss", "redis"), Map.of()).refused();

        assertThat(thrown).hasMessageContaining("Check redis:// or rediss:// in snowflake.redis.uri");
        assertThat(thrown.permanent()).isFalse();
    }

    @Test
    void tlsClientAtAPlainPortIsToldSo() {
        CoordinatorException thrown = RedisNode.at(tls.uri().replace("redis", "rediss"), files(trusted, null))
                .refused();

        assertThat(thrown).hasMessageContaining("Check redis:// or rediss:// in snowflake.redis.uri");
        assertThat(thrown.permanent()).isFalse();
    }

    @Test
    void clientWithoutACertificateIsToldWhichKeyToSet() {
        refusedForItsCertificate(files(trusted, null));
    }

    @Test
    void clientWithAForeignCertificateIsToldWhichKeyToCheck() {
        refusedForItsCertificate(files(trusted, foreign));
    }

    /**
     * With TLS 1.3 the server refuses after the client's handshake has ended: now and then the connection is closed before the reason is read.
     * The next attempt tells.
     */
    private static void refusedForItsCertificate(Map<String, String> settings) {
        try (Node node = RedisNode.at(mutualTls.tlsUri(), settings)) {
            await(Node.PATIENCE, () -> {
                CoordinatorException thrown =
                        catchThrowableOfType(CoordinatorException.class, () -> node.coordinator.read(0, 0, TIMEOUT));
                assertThat(Objects.requireNonNull(thrown)).hasMessageContaining("snowflake.redis.tls.");
                return thrown.permanent() && thrown.getMessage().contains("snowflake.redis.tls.cert");
            });
        }
    }

    @Test
    void otherCertificatesAreUsedFromTheNextConnectionOn() throws IOException {
        Certificates pem = new Certificates(Files.createDirectory(directory.resolve("used")));
        Certificates next = new Certificates(Files.createDirectory(directory.resolve("next")));
        try (RedisServer server = RedisServer.builder().tls(pem, true).start();
                Node node = RedisNode.at(server.tlsUri(), files(pem, pem))) {
            node.claimExtendAndRelease();
            server.kill();
            server.use(next);
            server.startAgain();
            server.awaitHealthy();
            assertThat(node.answers()).isFalse();

            pem.become(next);

            await(Node.PATIENCE, node::answers);
            node.claimExtendAndRelease();
        }
    }
}
