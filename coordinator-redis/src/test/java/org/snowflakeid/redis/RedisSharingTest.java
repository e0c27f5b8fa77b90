// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.time;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.SharingContract;
import org.snowflakeid.tck.Stopwatch;
import org.snowflakeid.testservers.RedisServer;
import org.snowflakeid.testservers.TcpProxy;

/** What several generators, and several worker ids, cost Redis and the process: connections and threads. */
@Isolated("it looks at all threads of the JVM")
class RedisSharingTest extends SharingContract {
    /** close() does not wait for threads to end: one that is held up may still run then. */
    private static final Duration LONGEST_END = Duration.ofSeconds(2);

    private final RedisServer server = RedisServer.start();
    private final TcpProxy proxy = TcpProxy.to(server.clientPort());

    @Override
    protected Map<String, String> settings() {
        return Map.of("snowflake.redis.uri", "redis://127.0.0.1:" + proxy.port(), "snowflake.window", "PT9S");
    }

    @Override
    protected Map<String, String> elsewhere() {
        return Map.of("snowflake.redis.uri", "redis://localhost:" + proxy.port());
    }

    @Override
    protected void kill() {
        server.kill();
    }

    @Override
    protected void startAgain() {
        server.startAgain();
    }

    @Override
    protected void freeze() {
        proxy.freeze();
    }

    @Override
    protected void pass() {
        proxy.pass();
    }

    @Override
    protected void closeServer() {
        proxy.close();
        server.close();
    }

    /** The keeper's thread, and the one of the connection, which ends when it has been idle for long. */
    @Override
    protected void awaitShared(int shared) {
        List<String> wanted = Collections.nCopies(shared, "snowflake-redis-connection");
        await(
                PATIENCE,
                () -> threads()
                                .filter(thread -> shared == 0 || !isKeeper(thread))
                                .map(Thread::getName)
                                .sorted()
                                .toList()
                                .equals(wanted)
                        && proxy.connections() == shared);
    }

    @Test
    void sixtyFourWorkerIdsHaveOneConnection() {
        LeasedSnowflake ids = open("default", Map.of("snowflake.workers", "64", "snowflake.window", "PT24S"));
        awaitShared(1);
        awaitExtension(ids);

        assertThat(ids.nextIds(1_000)).hasSize(1_000);
        assertThat(server.command("KEYS", namespace + "/marks/*").lines()).hasSize(64);
    }

    @Test
    void noThreadRunsAnyMoreWhenTheLastOneIsClosed() throws Exception {
        for (int i = 0; i < 10; i++) {
            Stopwatch.unlessHeldUp(LONGEST_END, (number, stopwatch) -> {
                awaitShared(0);
                try (Node one = RedisNode.at(server.uri(), Node.freshNamespace());
                        Node other = RedisNode.at(server.uri(), Node.freshNamespace())) {
                    one.createMeta();
                    other.createMeta();
                    one.claim(3);
                    assertThat(other.read(0, 0).serverTime()).isNotNull();
                    stopwatch.begin();
                }

                assertThat(threads()).isEmpty();
            });
        }
        await(PATIENCE, () -> server.info("connected_clients").equals("1"));
    }

    @Test
    void closingWhileTheServerIsFrozenTakesNoLongerThanItMay() throws Exception {
        Stopwatch.unlessHeldUp(LONGEST_END, (number, stopwatch) -> {
            server.resume();
            awaitShared(0);
            Node node = RedisNode.at(server.uri(), Node.freshNamespace());
            node.createMeta();
            node.claim(3);
            server.pause();
            assertThat(node.answers()).isFalse();

            stopwatch.begin();
            requireWithin(Duration.ofMillis(2_500), () -> time(node::close));

            assertThat(threads()).isEmpty();
        });
        server.resume();
    }

    /** A new connection waits for the server's answer for seconds; a thread that closes does not. */
    @Test
    void closingWhileAConnectionIsSetUpTakesNoLongerThanItMay() throws Exception {
        server.pause();
        Stopwatch.unlessHeldUp(LONGEST_END, (number, stopwatch) -> {
            awaitShared(0);
            Node node = RedisNode.at(server.uri(), Node.freshNamespace());
            assertThat(node.answers()).isFalse();
            stopwatch.begin();
            requireWithin(Duration.ofMillis(2_500), () -> time(node::close));

            assertThat(threads()).isEmpty();
        });
        server.resume();
    }
}
