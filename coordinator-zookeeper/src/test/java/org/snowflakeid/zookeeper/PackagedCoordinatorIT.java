// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.Certificates;
import org.snowflakeid.testservers.ZooKeeperServer;

/** The jar as users get it: with ZooKeeper's client and SLF4J inside, under other names, and nothing beside it. */
class PackagedCoordinatorIT {
    @TempDir
    private Path directory;

    private static void claimExtendAndRelease(Node node) {
        Stored meta = node.createMeta();
        Stored mark = node.claim(3);
        CasResult.Applied extended = applied(node.extend(3, mark));
        assertThat(extended.ownerHeld()).isTrue();
        assertThat(node.read(0, 1_023).serverTime()).isNotNull();
        applied(node.coordinator.release(3, extended.written(), Node.unique("free"), node.owner(3), meta, TIMEOUT));
    }

    @Test
    void bundlesWhatItMayAndNothingElse() throws IOException {
        for (String name :
                new String[] {"org.apache.zookeeper.ZooKeeper", "org.slf4j.Logger", "io.netty.channel.Channel"}) {
            assertThatThrownBy(() -> Class.forName(name)).isInstanceOf(ClassNotFoundException.class);
        }
        Path jar = Path.of(ZooKeeperCoordinatorProvider.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath());
        assertThat(jar).isRegularFile();
        try (JarFile content = new JarFile(jar.toFile())) {
            assertThat(content.stream().map(e -> e.getName()))
                    .contains(
                            "META-INF/LICENSE",
                            "META-INF/NOTICE",
                            "META-INF/licenses/README.txt",
                            "META-INF/licenses/slf4j.txt",
                            "META-INF/services/org.snowflakeid.spi.WorkerCoordinatorProvider")
                    .allMatch(n -> n.startsWith("META-INF/")
                            || "org/snowflakeid/zookeeper/".startsWith(n)
                            || n.startsWith("org/snowflakeid/zookeeper/"))
                    .noneMatch(n -> n.startsWith("META-INF/maven/org.apache") || n.startsWith("META-INF/versions/"))
                    .doesNotHaveDuplicates()
                    // A few classes of the server are the client's too.
                    .filteredOn(n -> n.matches(".*/zookeeper/(server|cli|audit|admin|jmx|metrics)/.*class"))
                    .hasSizeLessThan(10);
        }
    }

    @Test
    void reducedPomNamesNothingBundledAndOnlyLiteralVersions() throws IOException {
        String pom = Files.readString(Path.of("dependency-reduced-pom.xml"));
        String dependencies = pom.substring(pom.indexOf("\n  <dependencies>"), pom.indexOf("\n  </dependencies>"));

        assertThat(dependencies).contains("snowflake-core").doesNotContain("org.apache", "slf4j", "netty", "${");
    }

    @Test
    void worksAndLeavesNoThreads() {
        try (ZooKeeperServer server = ZooKeeperServer.start()) {
            try (Node node = ZooKeeperNode.at(server.connectString(), Map.of())) {
                claimExtendAndRelease(node);
                server.kill();
                assertThat(node.answers()).isFalse();
                server.startAgain();
                server.awaitHealthy();
                await(TIMEOUT, node::answers);
            }
        }
        await(Node.PATIENCE, () -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(t -> t.getName().matches("(?i).*(snowflake|zookeeper|netty).*")));
    }

    @Test
    void worksWithAUserOverMutualTls() {
        Certificates pem = new Certificates(directory);
        Map<String, String> settings = new HashMap<>();
        settings.put("snowflake.zookeeper.digest", "app:apple");
        settings.put("snowflake.zookeeper.tls.ca", pem.ca().toString());
        settings.put("snowflake.zookeeper.tls.cert", pem.clientCertificate().toString());
        settings.put("snowflake.zookeeper.tls.key", pem.clientKey().toString());
        try (ZooKeeperServer server = ZooKeeperServer.builder().tls(pem, true).start();
                Node node = ZooKeeperNode.at(server.connectString(), settings)) {
            claimExtendAndRelease(node);
        }
    }
}
