// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.assertPermanent;
import static org.snowflakeid.tck.Node.await;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.tck.MutualTlsContract;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.SecretContract;
import org.snowflakeid.tck.TlsContract;
import org.snowflakeid.testservers.Certificates;
import org.snowflakeid.testservers.NacosServer;
import org.snowflakeid.testservers.TcpProxy;

/** Users and certificates: what works, and how the rest is refused. */
class NacosSecurityTest {
    private static final String PASSWORD = " apple ";

    @TempDir
    private static Path directory;

    private static Certificates trusted;
    private static Certificates foreign;
    private static NacosServer withUsers;
    private static NacosServer mutualTls;
    private static TcpProxy otherHost;

    @BeforeAll
    static void start() throws Exception {
        trusted = new Certificates(Files.createDirectory(directory.resolve("trusted")));
        foreign = new Certificates(Files.createDirectory(directory.resolve("foreign")));
        // Logins last for ten seconds.
        withUsers = NacosServer.builder()
                .users()
                .configure("nacos.core.auth.plugin.nacos.token.expire.seconds", "10")
                .start();
        mutualTls = NacosServer.builder().tls(trusted, true).start();
        otherHost = TcpProxy.to(mutualTls.clientPort(), TlsContract.OTHER_HOST);
        String unused = withUsers.post("/v3/auth/user/admin", "password=administrator", "");
        asAdministrator("/v3/auth/user", "username=app&password=%20apple%20");
        asAdministrator("/v3/auth/user", "username=stranger&password=strange");
        asAdministrator("/v3/auth/role", "role=app-role&username=app");
        asAdministrator("/v3/auth/permission", "role=app-role&resource=snowflake:*:*&action=rw");
        await(Node.PATIENCE, () -> {
            try (Node node = user("app", PASSWORD)) {
                return node.answers();
            }
        });
    }

    /** Tries until it works: Nacos reloads users and roles every 15 seconds. */
    private static void asAdministrator(String path, String form) {
        await(Node.PATIENCE, () -> {
            try {
                String login = withUsers.post("/v3/auth/user/login", "username=nacos&password=administrator", "");
                String token = login.replaceFirst(".*\"accessToken\":\"([^\"]*)\".*", "$1");
                return withUsers.post(path, form, token).contains("\"code\":0");
            } catch (UncheckedIOException notYet) {
                return false;
            }
        });
    }

    @AfterAll
    static void stop() {
        withUsers.close();
        mutualTls.close();
        otherHost.close();
    }

    @Nested
    class Password extends SecretContract {

        Password() {
            super("nacos", "snowflake.nacos.password", "snowflake.nacos.password-file", PASSWORD, "pear");
        }

        @Override
        protected Map<String, String> settings() {
            return Map.of("snowflake.nacos.server-addr", withUsers.address(), "snowflake.nacos.user", "app");
        }

        @Override
        protected String saidOfARefusal() {
            return "refuses user 'unknown': answers 403";
        }

        @Override
        protected Map<String, String> anonymous() {
            return Map.of("snowflake.nacos.server-addr", withUsers.address());
        }

        @Override
        protected String saidToAnAnonymousClient() {
            return "Set snowflake.nacos.user and snowflake.nacos.password.";
        }

        @Override
        protected Map<String, String> refused() {
            return Map.of("snowflake.nacos.server-addr", withUsers.address(), "snowflake.nacos.user", "unknown");
        }

        @Override
        protected String toCheck(String key) {
            return "Check snowflake.nacos.user and " + key + ".";
        }
    }

    @Nested
    class Tls extends MutualTlsContract {

        Tls() {
            super(
                    "nacos",
                    "snowflake.nacos.server-addr",
                    new Ports(mutualTls.clientPort(), otherHost.port(), withUsers.clientPort()),
                    mutualTls.clientPort(),
                    trusted.settings("snowflake.nacos.tls"),
                    foreign.settings("snowflake.nacos.tls"));
        }

        @Override
        protected Map<String, String> at(boolean encrypted, String host, int port) {
            return Map.of("snowflake.nacos.server-addr", (encrypted ? "https://" : "") + host + ":" + port);
        }

        @Override
        protected void restart(boolean byForeign) {
            mutualTls.stop();
            mutualTls.use(byForeign ? foreign : trusted);
            mutualTls.startAgain();
            mutualTls.awaitHealthy();
        }

        @Override
        protected String saidToAPlainClient() {
            return "Check http or https, host and port in snowflake.nacos.server-addr";
        }

        @Override
        protected String saidOfAPlainServer() {
            return "Check http or https and the port in snowflake.nacos.server-addr";
        }

        @Override
        protected Map<String, String> needed() {
            return trusted.settings("snowflake.nacos.tls");
        }
    }

    private static Node at(String address, String... more) {
        Map<String, String> keys = new HashMap<>();
        for (int i = 0; i < more.length; i += 2) {
            keys.put("snowflake.nacos." + more[i], more[i + 1]);
        }
        return NacosNode.at(address, keys);
    }

    private static Node user(String name, String password) {
        return at(withUsers.address(), "user", name, "password", password);
    }

    private static CoordinatorException refused(Node node) {
        try (node) {
            CoordinatorException read =
                    catchThrowableOfType(CoordinatorException.class, () -> node.coordinator.read(0, 0, TIMEOUT));
            CoordinatorException all =
                    catchThrowableOfType(CoordinatorException.class, () -> node.coordinator.read(0, 1_023, TIMEOUT));
            assertThat(read).isNotNull();
            assertThat(all).isNotNull();
            return read;
        }
    }

    @Test
    void worksWithAUserWhoMayWriteTheNacosNamespaceAndNothingElseAlsoAfterTheLoginEnded() {
        try (Node node = user("app", PASSWORD)) {
            node.claimExtendAndRelease();
            long later = System.nanoTime() + 12_000_000_000L;
            await(Node.PATIENCE, () -> System.nanoTime() > later);

            node.claimExtendAndRelease();
        }
    }

    // for some seconds Nacos answers, and knows no user: the start ended then
    @Test
    @Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aStartThatWaitsForNacosGetsItsWorkerId() throws Exception {
        SnowflakeSettings settings = SnowflakeSettings.of(Map.of(
                "snowflake.coordinator",
                "nacos",
                "snowflake.namespace",
                Node.freshNamespace(),
                "snowflake.startup-timeout",
                "PT3M",
                "snowflake.nacos.server-addr",
                withUsers.address(),
                "snowflake.nacos.user",
                "app",
                "snowflake.nacos.password",
                PASSWORD));
        withUsers.stop();
        FutureTask<LeasedSnowflake> start = new FutureTask<>(() -> LeasedSnowflake.open(settings));
        new Thread(start).start();

        withUsers.startAgain();

        try (LeasedSnowflake ids = start.get()) {
            assertThat(ids.nextId()).isPositive();
        }
    }

    /** Nacos answers with an error of its own. */
    @Test
    void wrongPasswordIsSaidToBePossibleAndNotShown() {
        assertThat(refused(user("app", "pear")).getMessage())
                .contains("Nacos (http://" + withUsers.address() + "/nacos) refuses user 'app': answers ")
                .contains("Check snowflake.nacos.user and snowflake.nacos.password.")
                .doesNotContain("pear");
    }

    @Test
    void missingRightIsPermanent() {
        String remedy = "Grant one of its roles the permission rw on ";
        assertPermanent(
                refused(user("stranger", "strange")),
                "forbids user 'stranger' the namespace",
                remedy + "snowflake:*:*");
        assertPermanent(
                refused(at(withUsers.address(), "user", "app", "password", PASSWORD, "nacos-namespace", "elsewhere")),
                "forbids user 'app' the namespace",
                remedy + "elsewhere:*:*");
    }
}
