// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

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
import org.snowflakeid.testservers.EtcdServer;

@Isolated("it looks at all threads of the JVM")
class EtcdThreadsTest {

    /** Who closes waits no longer for threads to end: one that is held up may still be there then. */
    private static final Duration LONGEST_END = Duration.ofSeconds(2);

    private static Set<Thread> clientThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(t -> t.getName().matches("(?i).*(snowflake|etcd|grpc|netty|Keep-Alive).*"))
                .collect(Collectors.toSet());
    }

    @Test
    void threadsAreFewAndDaemonsAndGoneAfterClose() {
        try (EtcdServer server = EtcdServer.start()) {
            awaitNone();
            List<Node> nodes = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                Node node = EtcdNode.at(server.endpoint(), Node.freshNamespace());
                nodes.add(node);
                node.createMeta();
                Stored mark = node.claim(3);
                assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
            }
            server.kill();
            nodes.forEach(n -> assertThat(n.answers()).isFalse());
            server.startAgain();
            server.awaitHealthy();
            nodes.forEach(n -> await(Node.PATIENCE, n::answers));

            assertThat(clientThreads()).allMatch(Thread::isDaemon).hasSizeLessThan(30);
            nodes.forEach(Node::close);
            nodes.forEach(Node::close);

            awaitNone();
        }
    }

    @Test
    void noThreadRunsAnyMoreWhenTheLastOneIsClosed() throws Exception {
        try (EtcdServer server = EtcdServer.start()) {
            for (int i = 0; i < 10; i++) {
                Stopwatch.unlessHeldUp(LONGEST_END, (number, stopwatch) -> {
                    awaitNone();
                    noThreadRunsAnyMore(server, stopwatch);
                });
            }
        }
    }

    private static void noThreadRunsAnyMore(EtcdServer server, Stopwatch stopwatch) {
        try (Node one = EtcdNode.at(server.endpoint(), Node.freshNamespace());
                Node other = EtcdNode.at(server.endpoint(), Node.freshNamespace())) {
            one.createMeta();
            other.createMeta();
            one.claim(3);
            assertThat(other.read(0, 0).serverTime()).isNotNull();
            stopwatch.begin();
        }

        assertThat(clientThreads()).isEmpty();
    }

    @Test
    void closingWhileTheServerIsFrozenTakesNoLongerThanItMay() throws Exception {
        try (EtcdServer server = EtcdServer.start()) {
            Stopwatch.unlessHeldUp(LONGEST_END, (number, stopwatch) -> {
                awaitNone();
                Node node = EtcdNode.at(server.endpoint(), Node.freshNamespace());
                node.createMeta();
                node.claim(3);
                server.pause();
                try {
                    assertThat(node.answers()).isFalse();

                    stopwatch.begin();
                    requireWithin(Duration.ofMillis(2_500), () -> time(node::close));

                    assertThat(clientThreads()).isEmpty();
                } finally {
                    server.resume();
                }
            });
        }
    }

    private static void awaitNone() {
        await(Node.PATIENCE, () -> clientThreads().isEmpty());
    }
}
