// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.await;

import java.lang.ref.WeakReference;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.TcpProxy;
import org.snowflakeid.testservers.kubernetes.ApiServer;
import org.snowflakeid.testservers.kubernetes.MockApiServer;

/** What generators cost the process: connections and threads. */
@Isolated("it looks at all threads of the JVM")
class KubernetesSharingTest {

    private final MockApiServer server = MockApiServer.startEncrypted();
    private final TcpProxy proxy = TcpProxy.to(server.port());
    private final Map<String, String> settings = server.settings(proxy.port(), server.token(ApiServer.VERBS));
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
        Map<String, String> keys = new HashMap<>(settings);
        keys.put("snowflake.namespace", namespace);
        keys.put("snowflake.window", "PT9S");
        for (int i = 0; i < more.length; i += 2) {
            keys.put(more[i], more[i + 1]);
        }
        LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(generator, keys));
        open.add(ids);
        return ids;
    }

    /** The keepers of generators, and clients' own threads; those that do a client's work come and go. */
    private static List<String> threads() {
        // A client of Java 17 can't be closed, and ends when it is collected.
        if (Runtime.version().feature() < 21) {
            System.gc();
        }
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("snowflake")
                        || thread.getName().matches("HttpClient-.*-SelectorManager"))
                .peek(thread -> assertThat(thread.isDaemon()).isTrue())
                .map(thread -> thread.getName().replaceAll("\\d+", "n").replaceAll("-(default|orders)$", "-keeper"))
                .filter(name -> !name.equals("snowflake-kubernetes-http"))
                .sorted()
                .toList();
    }

    private void awaitThreadsAndConnections(int keepers, int connections) {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            expected.add("HttpClient-n-SelectorManager");
        }
        for (int i = 0; i < keepers; i++) {
            expected.add("snowflake-keeper");
        }
        // Each request under way needs a connection of its own, and a generator has one at a time.
        await(
                PATIENCE,
                () -> threads().equals(expected)
                        && proxy.connections() >= connections
                        && proxy.connections() <= 2 * connections);
    }

    private static void awaitExtension(LeasedSnowflake ids) {
        Instant before = ids.status().reservedUntil().orElseThrow();
        await(PATIENCE, () -> ids.status().reservedUntil().orElseThrow().isAfter(before.plusMillis(500)));
    }

    @Test
    void generatorsOfEqualSettingsShareAClient() {
        LeasedSnowflake first = open("default");
        LeasedSnowflake orders = open("orders");
        awaitExtension(first);
        awaitExtension(orders);
        await(PATIENCE, () -> threads()
                .equals(List.of("HttpClient-n-SelectorManager", "snowflake-keeper", "snowflake-keeper")));

        first.close();
        awaitExtension(orders);
        awaitThreadsAndConnections(1, 1);
        orders.close();
        awaitThreadsAndConnections(0, 0);
        await(PATIENCE, () -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("snowflake-kubernetes-http")));
    }

    @Test
    void generatorsOfOtherSettingsShareNothing() {
        LeasedSnowflake one = open("default");
        LeasedSnowflake other = open("orders", "snowflake.kubernetes.url", "https://localhost:" + proxy.port());
        awaitThreadsAndConnections(2, 2);

        one.close();
        awaitExtension(other);
        awaitThreadsAndConnections(1, 1);
    }

    @Test
    void callsThatTimeOutLeaveNoConnectionBehind() {
        LeasedSnowflake ids = open("default");
        proxy.freeze();
        await(PATIENCE, () -> ids.status().lastError().isPresent());
        proxy.pass();
        await(PATIENCE, () -> ids.status().lastError().isEmpty());

        awaitExtension(ids);
        awaitThreadsAndConnections(1, 1);
    }

    @Test
    void closingWhileNothingIsAnsweredDoesNotWaitForIt() {
        LeasedSnowflake ids = open("default");
        proxy.freeze();
        await(PATIENCE, () -> ids.status().lastError().isPresent());

        ids.close();

        await(PATIENCE, () -> threads().isEmpty());
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
        awaitThreadsAndConnections(2, 2);
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
