// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.assertPermanent;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.MutualTlsContract;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.SecretContract;
import org.snowflakeid.tck.TlsContract;
import org.snowflakeid.testservers.Certificates;
import org.snowflakeid.testservers.LogLines;
import org.snowflakeid.testservers.RedisServer;
import org.snowflakeid.testservers.TcpProxy;

/** Users and certificates: what works, and how the rest is refused. */
class RedisSecurityTest {
    private static final String PASSWORD = " apple ";

    @TempDir
    private static Path directory;

    private static Certificates trusted;
    private static Certificates foreign;
    private static RedisServer withUsers;
    private static RedisServer tls;
    private static RedisServer mutualTls;
    private static TcpProxy otherHost;

    @BeforeAll
    static void start() throws Exception {
        LogLines.listen();
        trusted = new Certificates(Files.createDirectory(directory.resolve("trusted")));
        foreign = new Certificates(Files.createDirectory(directory.resolve("foreign")));
        withUsers = RedisServer.builder().password("root").start();
        tls = RedisServer.builder().tls(trusted, false).start();
        mutualTls = RedisServer.builder().tls(trusted, true).start();
        otherHost = TcpProxy.to(tls.tlsPort(), TlsContract.OTHER_HOST);
        createUser("app");
        assertThat(withUsers.command("ACL", "SETUSER", "app", ">" + PASSWORD)).isEqualTo("OK");
    }

    @AfterAll
    static void stop() {
        withUsers.close();
        tls.close();
        mutualTls.close();
        otherHost.close();
    }

    @Nested
    class Password extends SecretContract {

        Password() {
            super("redis", "snowflake.redis.password", "snowflake.redis.password-file", PASSWORD, "pear");
        }

        @Override
        protected Map<String, String> settings() {
            return Map.of("snowflake.redis.uri", withUsers.uri(), "snowflake.redis.user", "app");
        }

        @Override
        protected String saidOfARefusal() {
            return "refuses user 'app'";
        }

        @Override
        protected Map<String, String> anonymous() {
            return Map.of("snowflake.redis.uri", withUsers.uri());
        }

        @Override
        protected String saidToAnAnonymousClient() {
            return "Set snowflake.redis.password";
        }
    }

    @Nested
    class Tls extends MutualTlsContract {

        Tls() {
            super(
                    "redis",
                    "snowflake.redis.uri",
                    new Ports(tls.tlsPort(), otherHost.port(), tls.clientPort()),
                    mutualTls.tlsPort(),
                    trusted.settings("snowflake.redis.tls"),
                    foreign.settings("snowflake.redis.tls"));
        }

        @Override
        protected Map<String, String> at(boolean encrypted, String host, int port) {
            return Map.of("snowflake.redis.uri", (encrypted ? "rediss://" : "redis://") + host + ":" + port);
        }

        @Override
        protected void restart(boolean byForeign) {
            mutualTls.kill();
            mutualTls.use(byForeign ? foreign : trusted);
            mutualTls.startAgain();
            mutualTls.awaitHealthy();
        }

        @Override
        protected String saidToAPlainClient() {
            return "Check redis:// or rediss:// in snowflake.redis.uri";
        }

        @Override
        protected String saidOfAPlainServer() {
            return "Check redis:// or rediss:// in snowflake.redis.uri";
        }
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
    void wrongPasswordOfTheDefaultUserIsPermanentAndNotShown() {
        CoordinatorException thrown = RedisNode.at(withUsers.uri(), Map.of("snowflake.redis.password", "pear"))
                .refused();

        assertPermanent(thrown, "refuses the default user");
        assertThat(thrown.getMessage()).doesNotContain("pear");
    }

    @Test
    void worksWithThePasswordOfTheDefaultUser() {
        try (Node node = RedisNode.at(withUsers.uri(), Map.of("snowflake.redis.password", "root"))) {
            node.claimExtendAndRelease();
        }
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
}
