// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.assertPermanent;
import static org.snowflakeid.tck.Node.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.MutualTlsContract;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.SecretContract;
import org.snowflakeid.tck.TlsContract;
import org.snowflakeid.testservers.Certificates;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.FreePorts;
import org.snowflakeid.testservers.TcpProxy;

/** Users and certificates: what works, and how the rest is refused. */
class EtcdSecurityTest {
    private static final String PASSWORD = " apple ";

    @TempDir
    private static Path directory;

    private static Certificates trusted;
    private static Certificates foreign;
    private static EtcdServer withUsers;
    private static EtcdServer tls;
    private static EtcdServer mutualTls;
    private static EtcdServer plain;
    private static TcpProxy otherHost;

    @BeforeAll
    static void start() throws Exception {
        trusted = new Certificates(Files.createDirectory(directory.resolve("trusted")));
        foreign = new Certificates(Files.createDirectory(directory.resolve("foreign")));
        // Two seconds without a call end a login.
        withUsers = EtcdServer.builder().arguments("--auth-token-ttl=2").start();
        withUsers.etcdctl("user", "add", "root:root");
        withUsers.etcdctl("user", "grant-role", "root", "root");
        withUsers.etcdctl("user", "add", "app:" + PASSWORD);
        withUsers.etcdctl("user", "add", "stranger:strange");
        withUsers.etcdctl("role", "add", "app");
        withUsers.etcdctl("role", "grant-permission", "app", "readwrite", "--prefix=true", "/snowflake/");
        withUsers.etcdctl("user", "grant-role", "app", "app");
        withUsers.etcdctl("auth", "enable");
        tls = EtcdServer.builder().tls(trusted, false).start();
        mutualTls = EtcdServer.builder().tls(trusted, true).start();
        plain = EtcdServer.start();
        otherHost = TcpProxy.to(tls.clientPort(), TlsContract.OTHER_HOST);
    }

    @AfterAll
    static void stop() {
        withUsers.close();
        tls.close();
        mutualTls.close();
        plain.close();
        otherHost.close();
    }

    @Nested
    class Password extends SecretContract {

        Password() {
            super("etcd", "snowflake.etcd.password", "snowflake.etcd.password-file", PASSWORD, "pear");
        }

        @Override
        protected Map<String, String> settings() {
            return Map.of("snowflake.etcd.endpoints", withUsers.endpoint(), "snowflake.etcd.user", "app");
        }

        @Override
        protected String saidOfARefusal() {
            return "'app'";
        }

        @Override
        protected Map<String, String> anonymous() {
            return Map.of("snowflake.etcd.endpoints", withUsers.endpoint());
        }

        @Override
        protected String saidToAnAnonymousClient() {
            return "Set snowflake.etcd.user";
        }
    }

    @Nested
    class Tls extends MutualTlsContract {

        Tls() {
            super(
                    "etcd",
                    "snowflake.etcd.endpoints",
                    new Ports(tls.clientPort(), otherHost.port(), plain.clientPort()),
                    mutualTls.clientPort(),
                    trusted.settings("snowflake.etcd.tls"),
                    foreign.settings("snowflake.etcd.tls"));
        }

        @Override
        protected Map<String, String> at(boolean encrypted, String host, int port) {
            return Map.of("snowflake.etcd.endpoints", (encrypted ? "https://" : "http://") + host + ":" + port);
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
            return "Check http or https in snowflake.etcd.endpoints";
        }

        @Override
        protected String saidOfAPlainServer() {
            return "Check http or https in snowflake.etcd.endpoints";
        }
    }

    private static Node user(String name, String password) {
        return EtcdNode.at(
                withUsers.endpoint(), Map.of("snowflake.etcd.user", name, "snowflake.etcd.password", password));
    }

    @Test
    void worksWithUserAndPasswordAlsoAfterTheLoginExpired() {
        try (Node node = user("app", PASSWORD)) {
            node.claimExtendAndRelease();
            Stored mark = applied(node.claim(4, null, Node.unique("host=a"))).written();
            long idleUntil = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
            await(Node.PATIENCE, () -> System.nanoTime() > idleUntil);

            CasResult.Applied extended = applied(node.coordinator.extend(
                    4, mark, Node.unique("limit=2"), node.owner(4), new Stored(metaOf(), 0), TIMEOUT));

            assertThat(extended.ownerHeld()).isTrue();
            asRoot("del", "/snowflake/workers/4");
            await(Node.PATIENCE, () -> node.hints.get() > 0);
        }
    }

    @Test
    void oneServerUnderTwoNamesIsKnownAsOneWithoutALogin() {
        String names = several(withUsers.endpoint(), withUsers.endpoint().replace("127.0.0.1", "localhost"));
        double before = grantedLeases();
        try (Node node =
                EtcdNode.at(names, Map.of("snowflake.etcd.user", "app", "snowflake.etcd.password", PASSWORD))) {
            node.claimExtendAndRelease();
        }

        // One for the claim, and one to find out.
        assertThat(grantedLeases() - before).isGreaterThanOrEqualTo(2);
    }

    private static double grantedLeases() {
        return withUsers.metric("grpc_server_handled_total", "\"LeaseGrant\"", "\"OK\"");
    }

    private static String metaOf() {
        return asRoot("get", "--print-value-only", "/snowflake/meta").strip();
    }

    private static String asRoot(String... command) {
        String[] all = new String[command.length + 1];
        all[0] = "--user=root:root";
        System.arraycopy(command, 0, all, 1, command.length);
        return withUsers.etcdctl(all);
    }

    @Test
    void aUserWhoseKeysAreForbiddenMeanwhileDoesNotLogInAgainAndAgain() {
        try (EtcdServer server = EtcdServer.start()) {
            server.etcdctl("user", "add", "root:root");
            server.etcdctl("user", "grant-role", "root", "root");
            server.etcdctl("user", "add", "app:apple");
            server.etcdctl("role", "add", "app");
            server.etcdctl("role", "grant-permission", "app", "readwrite", "--prefix=true", "/snowflake/");
            server.etcdctl("user", "grant-role", "app", "app");
            server.etcdctl("auth", "enable");
            try (Node node = EtcdNode.at(
                    server.endpoint(), Map.of("snowflake.etcd.user", "app", "snowflake.etcd.password", "apple"))) {
                Stored meta = node.createMeta();
                Stored mark = node.claim(3);
                server.etcdctl("--user=root:root", "user", "revoke-role", "app", "app");
                server.kill();
                server.startAgain();
                server.awaitHealthy();

                await(Node.PATIENCE, () -> node.hints.get() > 0);
                for (int i = 0; i < 10; i++) {
                    CoordinatorException thrown = catchThrowableOfType(
                            CoordinatorException.class,
                            () -> node.coordinator.extend(3, mark, "limit=2", node.owner(3), meta, TIMEOUT));
                    assertThat(thrown).hasMessageContaining("permission denied");
                }

                assertThat(server.metric("grpc_server_started_total", "\"Authenticate\""))
                        .isBetween(1.0, 3.0);
            }
        }
    }

    @Test
    void userWhereThereAreNoneIsPermanent() {
        Node node =
                EtcdNode.at(plain.endpoint(), Map.of("snowflake.etcd.user", "app", "snowflake.etcd.password", "apple"));

        assertPermanent(node.refused(), "Remove snowflake.etcd.user");
    }

    @Test
    void forbiddenPrefixIsPermanent() {
        assertPermanent(user("stranger", "strange").refused(), "'stranger'", "/snowflake/", "permission denied");
    }

    // a refusal spoke of an anonymous client
    @Test
    void theUserMayBeThatOfTheCertificate() {
        try (EtcdServer server = EtcdServer.builder().tls(trusted, true).start()) {
            server.etcdctl("user", "add", "root:root");
            server.etcdctl("user", "grant-role", "root", "root");
            server.etcdctl("user", "add", "client:unused");
            server.etcdctl("role", "add", "app");
            server.etcdctl("role", "grant-permission", "app", "readwrite", "--prefix=true", "/snowflake/");
            server.etcdctl("auth", "enable");

            assertPermanent(
                    EtcdNode.at(server.endpoint(), trusted.settings("snowflake.etcd.tls"))
                            .refused(),
                    "forbids the user that is the CN of snowflake.etcd.tls.cert the keys of namespace");

            server.etcdctl("--user=root:root", "user", "grant-role", "client", "app");
            try (Node node = EtcdNode.at(server.endpoint(), trusted.settings("snowflake.etcd.tls"))) {
                node.claimExtendAndRelease();
                Stored mark =
                        applied(node.claim(4, null, Node.unique("host=a"))).written();
                applied(node.extend(4, mark));
            }
        }
    }

    private static String several(String... endpoints) {
        return String.join(",", endpoints);
    }

    // a start ended at once, though the others only had to be started again
    @Test
    void untrustedServerAmongOthersThatAreAwayIsNotPermanent() {
        String servers = several(tls.endpoint(), "https://127.0.0.1:" + FreePorts.next());

        try (Node node = EtcdNode.at(
                servers, Map.of("snowflake.etcd.tls.ca", foreign.ca().toString()))) {
            AtomicInteger untrusted = new AtomicInteger();
            // Each time it is one of them that is told of.
            await(Node.PATIENCE, () -> {
                CoordinatorException thrown =
                        catchThrowableOfType(CoordinatorException.class, () -> node.coordinator.read(0, 0, TIMEOUT));
                assertThat(thrown.permanent()).as(thrown.getMessage()).isFalse();
                return thrown.getMessage().contains("not trusted") && untrusted.incrementAndGet() == 5;
            });
        }
    }

    @Test
    void serversThatAreAllUntrustedArePermanent() {
        String servers = several(tls.endpoint(), mutualTls.endpoint());

        try (Node node = EtcdNode.at(
                servers, Map.of("snowflake.etcd.tls.ca", foreign.ca().toString()))) {
            // Where the machine is held up, it is not known of all of them at first.
            await(Node.PATIENCE, () -> {
                CoordinatorException thrown =
                        catchThrowableOfType(CoordinatorException.class, () -> node.coordinator.read(0, 0, TIMEOUT));
                assertThat(thrown).hasMessageContaining("snowflake.etcd.tls.ca");
                return thrown.permanent();
            });
        }
    }

    @Test
    void untrustedServerBesideOneThatAnswersDoesNoHarm() {
        try (EtcdServer other = EtcdServer.builder().tls(foreign, false).start();
                Node node = EtcdNode.at(
                        several(tls.endpoint(), other.endpoint()),
                        Map.of("snowflake.etcd.tls.ca", foreign.ca().toString()))) {
            node.claimExtendAndRelease();
        }
    }
}
