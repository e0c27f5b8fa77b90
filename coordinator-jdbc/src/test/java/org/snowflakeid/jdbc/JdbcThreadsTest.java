// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.time;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.Stopwatch;
import org.snowflakeid.testservers.PostgresServer;
import org.snowflakeid.testservers.TcpProxy;

@Isolated("it looks at all threads of the JVM")
class JdbcThreadsTest {

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("snowflake"))
                .collect(Collectors.toSet());
    }

    @Test
    void severalShareOneThreadAndOneConnectionWhichAreGoneAfterAWhile() throws Exception {
        try (PostgresServer server = PostgresServer.start();
                TcpProxy proxy = TcpProxy.to(server.clientPort())) {
            await(Node.PATIENCE, () -> threads().isEmpty());
            List<Node> nodes = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                Node node = JdbcNode.at(server.url(proxy.port()), Node.freshNamespace());
                nodes.add(node);
                node.createMeta();
                Stored mark = node.claim(3);
                assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
            }

            assertThat(nodes.stream().map(node -> node.coordinator.connection()).distinct())
                    .hasSize(1);
            // On a busy machine a call may come before the thread of the last one is ready for it.
            assertThat(threads()).hasSizeLessThan(nodes.size()).allMatch(Thread::isDaemon);
            assertThat(proxy.connections()).isLessThan(4);
            await(Node.PATIENCE, () -> threads().isEmpty() && proxy.connections() == 0);
            // Who closes waits two seconds for threads to end: one that is held up may still be there then.
            Stopwatch.unlessHeldUp(Duration.ofSeconds(2), (number, stopwatch) -> {
                if (number > 0) {
                    await(Node.PATIENCE, () -> threads().isEmpty());
                    nodes.replaceAll(closed -> JdbcNode.at(server.url(proxy.port()), Node.freshNamespace()));
                }
                nodes.forEach(node -> assertThat(node.read(0, 0).serverTime()).isNotNull());
                stopwatch.begin();
                nodes.forEach(Node::close);
                nodes.forEach(Node::close);
                assertThat(threads()).isEmpty();
            });
            await(Node.PATIENCE, () -> proxy.connections() == 0);
        }
    }

    @Test
    void closingWhileTheServerIsFrozenTakesNoLongerThanItMay() {
        try (PostgresServer server = PostgresServer.start()) {
            Node node = JdbcNode.at(server.url(), Node.freshNamespace());
            node.createMeta();
            server.pause();
            assertThat(node.answers()).isFalse();

            requireWithin(Duration.ofMillis(2_500), () -> time(node::close));

            server.resume();
            await(Node.PATIENCE, () -> threads().isEmpty());
        }
    }
}
