// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Stopwatch.requireWithin;

import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.Certificates;
import org.snowflakeid.testservers.EtcdServer;

/** The jar as users get it: with jetcd inside, under another name. Run with two versions of Netty. */
class PackagedCoordinatorIT {
    @TempDir
    private Path directory;

    private static void claimExtendLoseAndRelease(Node node, EtcdServer server, String... login) {
        Stored meta = node.createMeta();
        Stored mark = node.claim(3);
        CasResult.Applied extended = applied(node.extend(3, mark));
        assertThat(extended.ownerHeld()).isTrue();
        assertThat(node.read(0, 1_023).serverTime()).isNotNull();

        String[] delete = new String[login.length + 2];
        System.arraycopy(login, 0, delete, 0, login.length);
        delete[login.length] = "del";
        delete[login.length + 1] = "/snowflake/workers/3";
        server.etcdctl(delete);
        await(Node.PATIENCE, () -> node.hints.get() > 0);

        applied(node.coordinator.release(3, extended.written(), Node.unique("free"), node.owner(3), meta, TIMEOUT));
    }

    @Test
    void bundlesWhatItMayAndNothingElse() throws IOException {
        for (String absent : List.of("io.etcd.jetcd.api.TxnRequest", "io.vertx.core.Vertx", "org.slf4j.Logger")) {
            assertThatThrownBy(() -> Class.forName(absent)).isInstanceOf(ClassNotFoundException.class);
        }
        Path jar = Path.of(EtcdCoordinatorProvider.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath());
        assertThat(jar).isRegularFile();
        try (JarFile content = new JarFile(jar.toFile())) {
            assertThat(content.stream().map(e -> e.getName()))
                    .contains(
                            "META-INF/LICENSE",
                            "META-INF/licenses/README.txt",
                            "org/snowflakeid/etcd/shaded/jetcd/api/TxnRequest.class",
                            "META-INF/services/org.snowflakeid.spi.WorkerCoordinatorProvider")
                    .allMatch(n -> n.startsWith("META-INF/")
                            || "org/snowflakeid/etcd/".startsWith(n)
                            || n.startsWith("org/snowflakeid/etcd/"))
                    .noneMatch(n -> n.contains("Vertx") || n.startsWith("META-INF/maven/io."));
        }
    }

    @Test
    void reducedPomNamesNothingBundledAndOnlyLiteralVersions() throws IOException {
        String pom = Files.readString(Path.of("dependency-reduced-pom.xml"));
        String dependencies = pom.substring(pom.indexOf("\n  <dependencies>"), pom.indexOf("\n  </dependencies>"));

        assertThat(dependencies)
                .contains("grpc-netty", "grpc-protobuf-lite", "guava", "netty-codec-http2", "snowflake-core")
                .contains("<artifactId>gson</artifactId>", "<artifactId>protobuf-javalite</artifactId>")
                .doesNotContain("jetcd", "vertx", "failsafe", "slf4j", "proto-google", "netty-handler-proxy", "${");
    }

    @Test
    void runsWithTheNettyThatIsThere() {
        String expected = System.getProperty("expected.netty.version", "4.1.");

        assertThat(SslContext.class.getProtectionDomain().getCodeSource().getLocation())
                .asString()
                .contains("netty-handler-" + expected);
    }

    @Test
    void worksAndLeavesNoThreads() {
        try (EtcdServer server = EtcdServer.start()) {
            try (Node node = EtcdNode.at(server.endpoint(), Map.of())) {
                claimExtendLoseAndRelease(node, server);
                requireWithin(Duration.ofSeconds(2), () -> {
                    server.kill();
                    CoordinatorException thrown = catchThrowableOfType(
                            CoordinatorException.class, () -> node.coordinator.read(0, 0, TIMEOUT));
                    assertThat(thrown.permanent()).isFalse();
                    server.startAgain();
                    server.awaitHealthy();
                    return Duration.ofMillis(await(TIMEOUT, node::answers));
                });
            }
        }
        await(Node.PATIENCE, () -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(t -> t.getName().matches("(?i).*(snowflake|etcd|grpc|netty).*")));
    }

    @Test
    void worksWithAUserOverMutualTls() {
        Certificates pem = new Certificates(directory);
        try (EtcdServer server = EtcdServer.builder().tls(pem, true).start();
                Node node = EtcdNode.at(
                        server.endpoint(),
                        Map.of(
                                "snowflake.etcd.user", "app",
                                "snowflake.etcd.password", "apple",
                                "snowflake.etcd.tls.ca", pem.ca().toString(),
                                "snowflake.etcd.tls.cert",
                                        pem.clientCertificate().toString(),
                                "snowflake.etcd.tls.key", pem.clientKey().toString()))) {
            server.etcdctl("user", "add", "root:root");
            server.etcdctl("user", "grant-role", "root", "root");
            server.etcdctl("user", "add", "app:apple");
            server.etcdctl("role", "add", "app");
            server.etcdctl("role", "grant-permission", "app", "readwrite", "--prefix=true", "/snowflake/");
            server.etcdctl("user", "grant-role", "app", "app");
            server.etcdctl("auth", "enable");

            claimExtendLoseAndRelease(node, server, "--user=root:root");
        }
    }
}
