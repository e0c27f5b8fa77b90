// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.ZooKeeperServer;

@Isolated("it looks at all threads of the JVM")
class ZooKeeperThreadsTest {

    private static Set<Thread> clientThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(t -> t.getName().matches("(?i).*(snowflake|zookeeper|netty).*"))
                .collect(Collectors.toSet());
    }

    @Test
    void threadsAreFewAndDaemonsAndGoneAfterClose() {
        try (ZooKeeperServer server = ZooKeeperServer.start()) {
            awaitNone();
            List<Node> nodes = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                Node node = ZooKeeperNode.at(server.connectString(), Node.freshNamespace());
                nodes.add(node);
                node.createMeta();
                Stored mark = node.claim(3);
                assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
            }
            server.kill();
            nodes.forEach(n -> assertThat(n.answers()).isFalse());
            server.startAgain();
            server.awaitHealthy();
            nodes.forEach(n -> await(Node.TIMEOUT, n::answers));

            assertThat(clientThreads()).allMatch(Thread::isDaemon).hasSizeLessThan(30);
            nodes.forEach(Node::close);
            nodes.forEach(Node::close);

            awaitNone();
        }
    }

    private static void awaitNone() {
        await(Node.PATIENCE, () -> clientThreads().isEmpty());
    }
}
