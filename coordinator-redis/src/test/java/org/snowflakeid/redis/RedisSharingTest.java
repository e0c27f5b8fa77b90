// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.time;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.Stopwatch;
import org.snowflakeid.testservers.RedisServer;
import org.snowflakeid.testservers.TcpProxy;

/** What several generators, and several worker ids, cost Redis and the process: connections and threads. */
@Isolated("it looks at all threads of the JVM")
class RedisSharingTest {
    /** Who closes waits no longer for threads to end: one that is held up may still be there then. */
    private static final Duration LONGEST_END = Duration.ofSeconds(2);

    private final RedisServer server = RedisServer.start();
    private final TcpProxy proxy = TcpProxy.to(server.clientPort());
    private final String namespace = Node.freshNamespace();

    /** Closed at the end, those too that a test closes before. */
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        proxy.pass();
        for (AutoCloseable each : open) {
            each.close();
        }
        proxy.close();
        server.close();
    }

    private LeasedSnowflake open(String generator, String... more) {
        Map<String, String> keys = new HashMap<>();
        keys.put("snowflake.redis.uri", "redis://127.0.0.1:" + proxy.port());
        keys.put("snowflake.namespace", namespace);
        keys.put("snowflake.window", "PT9S");
        for (int i = 0; i < more.length; i += 2) {
            keys.put(more[i], more[i + 1]);
        }
        LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(generator, keys));
        open.add(ids);
        return ids;
    }

    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("snowflake"))
                .toList();
    }

    /** One that looks after the generators, and one for the connection, which ends where it has nothing to do for long. */
    private void awaitThreadsAndConnections(int shared) {
        List<String> wanted = Stream.of("snowflake-redis", "snowflake-redis-connection")
                .flatMap(name -> Collections.nCopies(shared, name).stream())
                .toList();
        await(
                PATIENCE,
                () -> threads().stream().map(Thread::getName).sorted().toList().equals(wanted)
                        && proxy.connections() == shared);
        assertThat(threads()).allMatch(Thread::isDaemon);
    }

    private static void awaitExtension(LeasedSnowflake ids) {
        Instant before = ids.status().reservedUntil().orElseThrow();
        await(PATIENCE, () -> ids.status().reservedUntil().orElseThrow().isAfter(before.plusMillis(500)));
    }

    @Test
    void generatorsOfEqualSettingsShareAConnectionAndAThread() {
        LeasedSnowflake first = open("default");
        LeasedSnowflake orders = open("orders");
        awaitThreadsAndConnections(1);
        awaitExtension(orders);

        first.close();
        awaitExtension(orders);
        awaitThreadsAndConnections(1);

        LeasedSnowflake again = open("default");
        awaitThreadsAndConnections(1);
        orders.close();
        awaitExtension(again);
        again.close();
        awaitThreadsAndConnections(0);
    }

    @Test
    void generatorsOfOtherSettingsShareNothing() {
        LeasedSnowflake one = open("default");
        LeasedSnowflake other = open("orders", "snowflake.redis.uri", "redis://localhost:" + proxy.port());
        awaitThreadsAndConnections(2);

        one.close();
        awaitExtension(other);
        awaitThreadsAndConnections(1);
    }

    @Test
    void sixtyFourWorkerIdsHaveOneConnection() {
        LeasedSnowflake ids = open("default", "snowflake.workers", "64", "snowflake.window", "PT24S");
        awaitThreadsAndConnections(1);
        awaitExtension(ids);

        assertThat(ids.nextIds(1_000)).hasSize(1_000);
        assertThat(server.command("KEYS", namespace + "/marks/*").lines()).hasSize(64);
    }

    @Test
    void generatorsThatShareSurviveTheServersDeathTogether() {
        LeasedSnowflake one = open("default");
        LeasedSnowflake other = open("orders");

        server.kill();
        await(PATIENCE, () -> Stream.of(one, other)
                .allMatch(ids -> ids.status().lastError().isPresent()));
        server.startAgain();

        awaitExtension(one);
        awaitExtension(other);
        assertThat(one.nextId()).isPositive();
        assertThat(other.nextId()).isPositive();
        awaitThreadsAndConnections(1);
    }

    @Test
    void generatorsThatShareAreSuspendedAndComeBackTogether() {
        LeasedSnowflake one = open("default");
        LeasedSnowflake other = open("orders", "snowflake.window", "PT6S");

        proxy.freeze();
        await(PATIENCE, () -> Stream.of(one, other).allMatch(ids -> ids.status().state() == State.SUSPENDED));
        proxy.pass();

        await(PATIENCE, () -> Stream.of(one, other).allMatch(ids -> ids.status().state() == State.ACTIVE));
        assertThat(one.nextId()).isPositive();
        assertThat(other.nextId()).isPositive();
        awaitThreadsAndConnections(1);
    }

    @Test
    void noThreadRunsAnyMoreWhenTheLastOneIsClosed() throws Exception {
        for (int i = 0; i < 10; i++) {
            Stopwatch.unlessHeldUp(LONGEST_END, (number, stopwatch) -> {
                awaitThreadsAndConnections(0);
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
            awaitThreadsAndConnections(0);
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

    /** A connection waits for the server's word for seconds; whoever closes does not. */
    @Test
    void closingWhileAConnectionIsSetUpTakesNoLongerThanItMay() throws Exception {
        server.pause();
        Stopwatch.unlessHeldUp(LONGEST_END, (number, stopwatch) -> {
            awaitThreadsAndConnections(0);
            Node node = RedisNode.at(server.uri(), Node.freshNamespace());
            assertThat(node.answers()).isFalse();
            stopwatch.begin();
            requireWithin(Duration.ofMillis(2_500), () -> time(node::close));

            assertThat(threads()).isEmpty();
        });
        server.resume();
    }

    @Test
    void noApplicationIsKeptAliveOrSharesWithAnother() {
        LeasedSnowflake other = openIn(new ClassLoader(getClass().getClassLoader()) {}, "orders");

        WeakReference<ClassLoader> undeployed = deployAndUndeploy();

        await(PATIENCE, () -> {
            System.gc();
            return undeployed.get() == null;
        });
        assertThat(other.nextId()).isPositive();
    }

    private WeakReference<ClassLoader> deployAndUndeploy() {
        ClassLoader application = new ClassLoader(getClass().getClassLoader()) {};
        LeasedSnowflake one = openIn(application, "default");
        awaitThreadsAndConnections(2);
        one.close();
        open.remove(one);
        return new WeakReference<>(application);
    }

    private LeasedSnowflake openIn(ClassLoader application, String generator) {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(application);
        try {
            return open(generator);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }
}
