// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator.Extension;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.ZooKeeperAdministrator;
import org.snowflakeid.testservers.ZooKeeperServer;

/** What several worker ids, and several generators, cost ZooKeeper and the process: sessions, threads, writes. */
@Isolated("it looks at all threads of the JVM")
class ZooKeeperSharingTest {

    private final ZooKeeperServer server = ZooKeeperServer.start();
    private final String namespace = Node.freshNamespace();

    /** Closed at the end, those too that a test closes before. */
    private final List<LeasedSnowflake> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(LeasedSnowflake::close);
        server.close();
    }

    private LeasedSnowflake open(String generator, String... more) {
        Map<String, String> keys = new HashMap<>();
        keys.put("snowflake.zookeeper.connect-string", server.connectString());
        keys.put("snowflake.namespace", namespace);
        keys.put("snowflake.window", "PT12S");
        for (int i = 0; i < more.length; i += 2) {
            keys.put(more[i], more[i + 1]);
        }
        LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(generator, keys));
        open.add(ids);
        return ids;
    }

    /** The threads of keepers. */
    private static long keepers() {
        return threads()
                .filter(name -> name.matches("snowflake-(default|orders)"))
                .count();
    }

    /** Beside the two of ZooKeeper's client, each session has one that ends it when its extensions stop. */
    private static long timers() {
        return threads()
                .filter(name -> name.matches("snowflake-zookeeper-[a-z]+-\\d+"))
                .count();
    }

    private static Stream<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("snowflake"));
    }

    private long sessions() {
        return server.command("cons")
                .lines()
                .filter(line -> line.contains("sid=0x"))
                .count();
    }

    private long transactions() {
        return server.command("srvr")
                .lines()
                .filter(line -> line.startsWith("Zxid: 0x"))
                .map(line -> Long.parseLong(line.substring("Zxid: 0x".length()), 16))
                .findFirst()
                .orElseThrow();
    }

    private static void awaitExtension(LeasedSnowflake ids) {
        Instant before = ids.status().reservedUntil().orElseThrow();
        await(PATIENCE, () -> ids.status().reservedUntil().orElseThrow().isAfter(before.plusMillis(500)));
    }

    /** All marks between two transactions of the server: how often each was written, and the last transaction. */
    private record Marks(long transaction, Map<String, Integer> versions) {}

    private Marks marks(Inspector inspector) throws Exception {
        while (true) {
            long before = transactions();
            Map<String, Integer> versions = new TreeMap<>();
            for (String mark : inspector.children("/" + namespace + "/marks")) {
                Stat stat = inspector.stat("/" + namespace + "/marks/" + mark);
                versions.put(mark, stat.getVersion());
            }
            if (transactions() == before) {
                return new Marks(before, versions);
            }
        }
    }

    @Test
    void sixtyFourWorkerIdsHaveOneSessionOneKeeperAndOneWriteForAll() throws Exception {
        try (Inspector inspector = new Inspector(server.clientPort(), null)) {
            LeasedSnowflake ids = open("default", "snowflake.workers", "64", "snowflake.window", "PT24S");
            Marks before = marks(inspector);
            await(PATIENCE, () -> transactions() >= before.transaction() + 3);
            Marks after = marks(inspector);

            int rounds = (int) (after.transaction() - before.transaction());
            assertThat(before.versions()).hasSize(64);
            before.versions().replaceAll((mark, version) -> version + rounds);
            assertThat(after.versions()).isEqualTo(before.versions());
            // One is the inspector's.
            await(PATIENCE, () -> sessions() == 2);
            await(PATIENCE, () -> keepers() == 1 && timers() == 1);
            assertThat(ids.nextIds(1_000)).hasSize(1_000);
            assertThat(inspector.children("/" + namespace + "/workers")).hasSize(64);
        }
    }

    @Test
    void generatorsHaveASessionAndAThreadEach() {
        LeasedSnowflake first = open("default");
        LeasedSnowflake orders = open("orders");
        await(PATIENCE, () -> keepers() == 2 && timers() == 2);
        await(PATIENCE, () -> sessions() == 2);

        first.close();
        awaitExtension(orders);
        await(PATIENCE, () -> sessions() == 1 && keepers() == 1);

        LeasedSnowflake again = open("default");
        orders.close();
        awaitExtension(again);
        again.close();
        await(PATIENCE, () -> threads().findAny().isEmpty());
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
        await(PATIENCE, () -> keepers() == 2);
    }

    @Test
    void generatorsOfOtherSettingsHaveAThreadEach() {
        LeasedSnowflake one = open("default");
        LeasedSnowflake other = open("orders", "snowflake.zookeeper.digest", "app:hunter2");
        await(PATIENCE, () -> keepers() == 2);

        one.close();
        awaitExtension(other);
        await(PATIENCE, () -> keepers() == 1);
    }

    private static Extension extension(Node node, int id) {
        Stored mark = node.claim(id);
        return new Extension(id, mark, Node.unique("limit=2"), node.owner(id));
    }

    @Test
    void allAreExtendedOrNone() {
        try (Node node = ZooKeeperNode.at(server.connectString(), namespace)) {
            node.createMeta();
            List<Extension> extensions = List.of(extension(node, 1), extension(node, 2));
            applied(node.extend(2, extensions.get(1).mark()));

            List<CasResult> results = node.coordinator.extendAll(extensions, node.meta(), Node.TIMEOUT);

            assertThat(results).allMatch(CasResult.Rejected.class::isInstance);
            assertThat(node.slot(1).mark()).isEqualTo(extensions.get(0).mark());
        }
    }

    @Test
    void whatHungOnAnEndedSessionIsExtendedWithTheRest() {
        try (Node node = ZooKeeperNode.at(server.connectString(), namespace);
                ZooKeeperAdministrator administrator = ZooKeeperAdministrator.of(server)) {
            node.createMeta();
            Extension lost = extension(node, 1);
            assertThat(administrator.endSessionOf("/" + namespace + "/workers/1"))
                    .isTrue();
            await(PATIENCE, () -> node.hints.get() > 0);
            Extension held = extension(node, 2);

            List<CasResult> results = node.coordinator.extendAll(List.of(lost, held), node.meta(), Node.TIMEOUT);

            assertThat(applied(results.get(0)).ownerHeld()).isFalse();
            assertThat(applied(results.get(1)).ownerHeld()).isTrue();
        }
    }
}
