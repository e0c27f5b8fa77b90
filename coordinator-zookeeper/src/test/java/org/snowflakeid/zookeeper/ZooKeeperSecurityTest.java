// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.MutualTlsContract;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.SecretContract;
import org.snowflakeid.tck.TlsContract;
import org.snowflakeid.testservers.Certificates;
import org.snowflakeid.testservers.FreePorts;
import org.snowflakeid.testservers.TcpProxy;
import org.snowflakeid.testservers.ZooKeeperServer;

/** Users and certificates: what works, and how the rest is refused. */
class ZooKeeperSecurityTest {
    private static final String DIGEST = "snowflake.zookeeper.digest";
    private static final String PASSWORD_FILE = "snowflake.zookeeper.password-file";
    private static final String APP = "app: apple:pie ";

    @TempDir
    private static Path directory;

    private static Certificates trusted;
    private static Certificates foreign;
    private static ZooKeeperServer tls;
    private static ZooKeeperServer mutualTls;
    private static TcpProxy otherHost;

    @BeforeAll
    static void start() throws Exception {
        trusted = new Certificates(Files.createDirectory(directory.resolve("trusted")));
        foreign = new Certificates(Files.createDirectory(directory.resolve("foreign")));
        tls = server().tls(trusted, false).start();
        mutualTls = server().tls(trusted, true).start();
        otherHost = TcpProxy.to(tls.clientPort(), TlsContract.OTHER_HOST);
        try (Node node = plain("owned", Map.of(DIGEST, APP))) {
            node.createMeta();
        }
    }

    @AfterAll
    static void stop() {
        tls.close();
        mutualTls.close();
        otherHost.close();
    }

    @Nested
    class Password extends SecretContract {

        Password() {
            super("zookeeper", DIGEST, PASSWORD_FILE, APP, "app:pear");
        }

        @Override
        protected Map<String, String> settings() {
            return Map.of("snowflake.zookeeper.connect-string", "127.0.0.1:" + tls.plainPort() + "/owned");
        }

        @Override
        protected String saidOfARefusal() {
            return "forbids user 'app'";
        }

        @Override
        protected Map<String, String> anonymous() {
            return settings();
        }

        @Override
        protected String saidToAnAnonymousClient() {
            return "forbids an anonymous client";
        }

        /** A session lives for a time to live longer than the last call may. */
        @Override
        protected Duration timeToLive() {
            return Duration.ofSeconds(2);
        }

        /** The one session ends since it is not used. */
        @Override
        protected void awaitNextLogin() {
            await(Node.PATIENCE, () -> Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().startsWith("snowflake-zookeeper-orders")
                            && thread.getName().contains("SendThread(127.0.0.1:" + tls.plainPort() + ")")));
        }
    }

    @Nested
    class Tls extends MutualTlsContract {

        Tls() {
            super(
                    "zookeeper",
                    "snowflake.zookeeper.connect-string",
                    new Ports(tls.clientPort(), otherHost.port(), tls.plainPort()),
                    mutualTls.clientPort(),
                    trusted.settings("snowflake.zookeeper.tls"),
                    foreign.settings("snowflake.zookeeper.tls"));
        }

        @Override
        protected Map<String, String> at(boolean encrypted, String host, int port) {
            return Map.of(
                    "snowflake.zookeeper.connect-string",
                    host + ":" + port,
                    "snowflake.zookeeper.tls.enabled",
                    Boolean.toString(encrypted));
        }

        @Override
        protected void restart(boolean byForeign) {
            mutualTls.stop();
            mutualTls.replaceCertificates(byForeign ? foreign : trusted);
            mutualTls.startAgain();
            mutualTls.awaitHealthy();
        }

        @Override
        protected String saidToAPlainClient() {
            return "and snowflake.zookeeper.tls.*.";
        }

        @Override
        protected String saidOfAPlainServer() {
            return "does not speak TLS";
        }
    }

    /** Reads and claims until the refusal says that; on a slow machine the first may come before the reason was found out. */
    private static CoordinatorException refused(Node node, String said) {
        Duration brief = Duration.ofMillis(500);
        List<CoordinatorException> read = new ArrayList<>();
        try (node) {
            await(TIMEOUT, () -> {
                read.add(catchThrowableOfType(CoordinatorException.class, () -> node.coordinator.read(0, 0, brief)));
                return read.get(read.size() - 1).getMessage().contains(said);
            });
            CoordinatorException write = catchThrowableOfType(
                    CoordinatorException.class,
                    () -> node.coordinator.claim(3, null, "m", "o", false, new Stored("x", 0), brief));
            assertThat(write).isNotNull();
            return read.get(read.size() - 1);
        }
    }

    /** The plain port of a server, and a namespace of the test's own. */
    private static Node plain(String name, Map<String, String> settings) {
        return ZooKeeperNode.at("127.0.0.1:" + tls.plainPort() + "/" + name, settings);
    }

    @Test
    void withADigestTheWorldHasNothing() throws Exception {
        try (Node node = plain("digest", Map.of(DIGEST, "app:apple"));
                Inspector world = new Inspector(tls.plainPort(), null);
                Inspector app = new Inspector(tls.plainPort(), "app:apple")) {
            node.claimExtendAndRelease();
            node.claim(4);

            String user = "digest " + DigestAuthenticationProvider.generateDigest("app:apple");
            String root = "/digest/snowflake";
            assertThat(app.acl("/digest")).containsExactly("rwca " + user);
            assertThat(app.acl(root)).containsExactly("rwca " + user);
            assertThat(app.acl(root + "/meta")).containsExactly("rwca " + user);
            assertThat(app.acl(root + "/marks")).containsExactly("rwca " + user);
            assertThat(app.acl(root + "/marks/4")).containsExactly("rwca " + user);
            assertThat(app.acl(root + "/workers")).containsExactly("rwcda " + user);
            assertThat(app.acl(root + "/workers/4")).containsExactly("r digest app:x");
            for (String path : List.of("/digest", root, root + "/meta", root + "/marks/4", root + "/workers/4")) {
                assertThat(world.refusal(w -> w.get(path))).as(path).isEqualTo(Code.NOAUTH);
                assertThat(world.refusal(w -> w.set(path, "x"))).as(path).isEqualTo(Code.NOAUTH);
                assertThat(world.refusal(w -> w.children(path))).as(path).isEqualTo(Code.NOAUTH);
            }
            assertThat(app.refusal(a -> a.delete(root + "/marks/4"))).isEqualTo(Code.NOAUTH);
            assertThat(app.refusal(a -> a.delete(root + "/meta"))).isEqualTo(Code.NOAUTH);
        }
    }

    // a start waited for its whole time, and no key was named
    @Test
    void serverThatEnforcesALoginIsSaidToDoSoAtOnce() {
        try (ZooKeeperServer enforcing = server().jvmArguments(
                        "-Dzookeeper.enforce.auth.enabled=true", "-Dzookeeper.enforce.auth.schemes=digest")
                .start()) {
            ZooKeeperNode.at(enforcing.connectString(), Map.of())
                    .refused(true, "enforces another login than that of an anonymous client", DIGEST);

            try (Node app = ZooKeeperNode.at(enforcing.connectString(), Map.of(DIGEST, APP))) {
                app.claimExtendAndRelease();
            }
        }
    }

    // it was "answers AUTHFAILED", or that the next call opens another session
    @Test
    void serverThatKnowsNoDigestIsSaidToRefuseIt() {
        try (ZooKeeperServer without = server().jvmArguments("-Dzookeeper.DigestAuthenticationProvider.enabled=false")
                        .start();
                Node node = ZooKeeperNode.at(without.connectString(), Map.of(DIGEST, APP))) {
            for (int i = 0; i < 3; i++) {
                CoordinatorException thrown =
                        catchThrowableOfType(CoordinatorException.class, () -> node.coordinator.read(0, 0, TIMEOUT));

                Node.assertPermanent(thrown, "refuses user 'app'. Check " + DIGEST);
            }
        }
    }

    private static ZooKeeperServer.Builder server() {
        return ZooKeeperServer.builder().longestSession(Node.TIME_TO_LIVE);
    }

    private static Map<String, String> tls(Certificates authority) {
        return Map.of("snowflake.zookeeper.tls.ca", authority.ca().toString());
    }

    private static Map<String, String> tls(Certificates authority, Certificates own) {
        return Map.of(
                "snowflake.zookeeper.tls.ca", authority.ca().toString(),
                "snowflake.zookeeper.tls.cert", own.clientCertificate().toString(),
                "snowflake.zookeeper.tls.key", own.clientKey().toString());
    }

    @Test
    void worksOverMutualTlsAndWritesNoKeyAnywhere() {
        long before = keyFiles();
        try (Node node = ZooKeeperNode.at(mutualTls.connectString(), tls(trusted, trusted))) {
            node.claimExtendAndRelease();
            assertThat(keyFiles()).isEqualTo(before);
        }
        assertThat(keyFiles()).isEqualTo(before);
    }

    @Test
    void saysWhichFileCanNotBeReadNowAndGoesOnWhenItCan() throws Exception {
        Path live = Files.createDirectory(directory.resolve("gone"));
        Certificates pem = new Certificates(live);
        try (ZooKeeperServer server = server().tls(pem, true).start();
                Node node = ZooKeeperNode.at(server.connectString(), tls(pem, pem))) {
            node.createMeta();
            server.stop();
            Path aside = live.resolve("aside");
            Files.move(pem.clientKey(), aside);
            server.startAgain();
            server.awaitHealthy();

            await(Node.PATIENCE, () -> {
                CoordinatorException thrown = catchThrowableOfType(
                        CoordinatorException.class, () -> node.coordinator.read(0, 0, Duration.ofMillis(500)));
                return thrown != null
                        && !thrown.permanent()
                        && thrown.getMessage().contains("snowflake.zookeeper.tls.key=" + pem.clientKey());
            });
            Files.move(aside, pem.clientKey());

            await(Node.PATIENCE, node::answers);
        }
    }

    private static long keyFiles() {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName().toString().startsWith("snowflake-zookeeper-"))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String several(String... servers) {
        return String.join(",", servers);
    }

    // a start ended at once, though the others only had to be started again
    @Test
    void untrustedServerAmongOthersThatAreAwayIsSaidToBeSoAndNotPermanent() {
        String away = "127.0.0.1:" + FreePorts.next();

        for (String servers : List.of(several(tls.connectString(), away), several(away, tls.connectString()))) {
            CoordinatorException thrown = refused(ZooKeeperNode.at(servers, tls(foreign)), "not trusted");

            assertThat(thrown)
                    .hasMessageContaining(tls.connectString())
                    .hasMessageContaining("snowflake.zookeeper.tls.ca");
            assertThat(thrown.permanent()).isFalse();
        }
    }

    @Test
    void serversThatAreAllUntrustedArePermanent() {
        String servers = several(tls.connectString(), mutualTls.connectString());
        List<CoordinatorException> thrown = new ArrayList<>();
        // Who reaches only one of them in so brief a time, on a busy machine, can't know.
        await(TIMEOUT, () -> {
            thrown.add(refused(ZooKeeperNode.at(servers, tls(foreign)), "not trusted"));
            return thrown.get(thrown.size() - 1).permanent();
        });

        assertThat(thrown.get(thrown.size() - 1)).hasMessageContaining("snowflake.zookeeper.tls.ca");
    }

    /** A server that accepts connections and never says a word takes longer than there is time to look. */
    @Test
    void untrustedServerBesideASilentOneIsSaidToBeSoAndNotPermanent() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String servers = several("127.0.0.1:" + silent.getLocalPort(), tls.connectString());

            CoordinatorException thrown = refused(ZooKeeperNode.at(servers, tls(foreign)), "not trusted");

            assertThat(thrown.permanent()).isFalse();
        }
    }
}
