// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;

import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrpc;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator.Extension;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.TcpProxy;

/** What several worker ids, and several generators, cost etcd and the process: connections, threads, writes. */
@Isolated("it looks at all threads of the JVM")
class EtcdSharingTest {

    private final EtcdServer server = EtcdServer.start();
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

    private String endpoint() {
        return "http://127.0.0.1:" + proxy.port();
    }

    private LeasedSnowflake open(String generator, String... more) {
        Map<String, String> keys = new HashMap<>();
        keys.put("snowflake.etcd.endpoints", endpoint());
        keys.put("snowflake.namespace", namespace);
        keys.put("snowflake.window", "PT12S");
        for (int i = 0; i < more.length; i += 2) {
            keys.put(more[i], more[i + 1]);
        }
        LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(generator, keys));
        open.add(ids);
        return ids;
    }

    private Node node() {
        Node node = EtcdNode.at(endpoint(), namespace);
        open.add(node);
        return node;
    }

    private EtcdConnection connection() {
        Map<String, String> keys = Map.of(EtcdSettings.ENDPOINTS.name(), endpoint());
        EtcdConnection connection = new EtcdConnection(
                EtcdSettings.of(new CoordinatorConfig("orders", namespace, Duration.ofSeconds(60), keys::get)));
        open.add(connection);
        return connection;
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("snowflake") || name.startsWith("grpc"))
                .sorted()
                .toList();
    }

    /** One that looks after the generators, and one for the connection. */
    private static List<String> threadsOf(int connections) {
        return Stream.of("snowflake-etcd", "snowflake-etcd-connection")
                .flatMap(name -> Collections.nCopies(connections, name).stream())
                .toList();
    }

    /** Where a connection is only asked for the time, it and the thread that asks are gone soon. */
    private void awaitThreadsAndConnections(List<String> threads, int connections) {
        await(PATIENCE, () -> threads().equals(threads) && proxy.connections() == connections);
    }

    private static void awaitExtension(LeasedSnowflake ids) {
        Instant before = ids.status().reservedUntil().orElseThrow();
        await(PATIENCE, () -> ids.status().reservedUntil().orElseThrow().isAfter(before.plusMillis(500)));
    }

    /** All marks at one revision of etcd, and how often they were written. */
    private record Marks(long revision, int count, long writes) {}

    private Marks marks() {
        String all = server.etcdctl("get", "--prefix", "/" + namespace + "/marks/", "-w", "fields");
        List<Long> writes = numbers("\\bk=(\\d+)", all);
        long revision = numbers("\"Revision\" : (\\d+)", all).get(0);
        return new Marks(
                revision,
                writes.size(),
                writes.stream().mapToLong(Long::longValue).sum());
    }

    private static List<Long> numbers(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        return matcher.results().map(found -> Long.valueOf(found.group(1))).toList();
    }

    @Test
    void sixtyFourWorkerIdsHaveOneConnectionOneThreadAndOneWriteForAll() {
        LeasedSnowflake ids = open("default", "snowflake.workers", "64", "snowflake.window", "PT24S");
        Marks before = marks();
        await(PATIENCE, () -> marks().revision() >= before.revision() + 3);
        Marks after = marks();

        assertThat(after.count()).isEqualTo(64);
        assertThat(after.writes() - before.writes()).isEqualTo(64 * (after.revision() - before.revision()));
        awaitThreadsAndConnections(threadsOf(1), 1);
        assertThat(ids.nextIds(1_000)).hasSize(1_000);
        assertThat(server.etcdctl("get", "--prefix", "--keys-only", "/" + namespace + "/workers/")
                        .strip()
                        .split("\\s+"))
                .hasSize(64);
    }

    @Test
    void generatorsOfEqualSettingsShareAConnectionAndAThread() {
        LeasedSnowflake first = open("default");
        LeasedSnowflake orders = open("orders");
        awaitThreadsAndConnections(threadsOf(1), 1);
        awaitExtension(orders);

        first.close();
        awaitExtension(orders);
        awaitThreadsAndConnections(threadsOf(1), 1);

        LeasedSnowflake again = open("default");
        awaitThreadsAndConnections(threadsOf(1), 1);
        orders.close();
        awaitExtension(again);
        again.close();
        awaitThreadsAndConnections(List.of(), 0);
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
        awaitThreadsAndConnections(threadsOf(1), 1);
    }

    @Test
    void generatorsThatShareAreSuspendedAndComeBackTogether() {
        LeasedSnowflake one = open("default");
        LeasedSnowflake other = open("orders", "snowflake.window", "PT9S");

        proxy.freeze();
        await(PATIENCE, () -> Stream.of(one, other).allMatch(ids -> ids.status().state() == State.SUSPENDED));
        proxy.pass();

        await(PATIENCE, () -> Stream.of(one, other).allMatch(ids -> ids.status().state() == State.ACTIVE));
        assertThat(one.nextId()).isPositive();
        assertThat(other.nextId()).isPositive();
        awaitThreadsAndConnections(threadsOf(1), 1);
    }

    @Test
    void generatorsOfOtherSettingsShareNothing() {
        LeasedSnowflake one = open("default");
        LeasedSnowflake other = open("orders", "snowflake.etcd.endpoints", "http://localhost:" + proxy.port());
        awaitThreadsAndConnections(threadsOf(2), 2);

        one.close();
        awaitExtension(other);
        awaitThreadsAndConnections(threadsOf(1), 1);
    }

    @Test
    void lossHintsGoToTheOneWhoseOwnerIsLost() {
        Node one = node();
        Node other = node();
        one.createMeta();
        one.claim(1);
        other.claim(2);

        server.etcdctl("del", "/" + namespace + "/workers/1");
        await(PATIENCE, () -> one.hints.get() > 0);

        assertThat(other.hints).hasValue(0);
        server.etcdctl("del", "/" + namespace + "/workers/2");
        await(PATIENCE, () -> other.hints.get() > 0);
    }

    @Test
    void whoIsClosedHearsOfNothingAndWhoIsNotGoesOnHearing() {
        Node one = node();
        Node other = node();
        one.createMeta();
        one.claim(1);
        other.claim(2);
        one.close();

        server.etcdctl("del", "/" + namespace + "/workers/1");
        server.etcdctl("del", "/" + namespace + "/workers/2");
        await(PATIENCE, () -> other.hints.get() > 0);

        assertThat(one.hints).hasValue(0);
    }

    @Test
    void clientThatFailedOneIsReplacedForAll() throws EtcdFailure {
        EtcdConnection one = connection();
        EtcdConnection other = connection();
        grant(one, Node.TIMEOUT);
        grant(other, Node.TIMEOUT);
        EtcdChannel before = one.channel();
        assertThat(other.channel()).isSameAs(before);

        proxy.freeze();
        for (EtcdConnection each : List.of(one, other, one)) {
            assertThatThrownBy(() -> grant(each, Duration.ofMillis(500))).isInstanceOf(EtcdFailure.class);
        }
        proxy.pass();
        grant(other, Node.TIMEOUT);
        grant(one, Node.TIMEOUT);

        assertThat(one.channel()).isNotNull().isNotSameAs(before).isSameAs(other.channel());
    }

    @Test
    void closingOneConnectionLeavesTheOther() throws EtcdFailure {
        EtcdConnection one = connection();
        EtcdConnection other = connection();
        grant(one, Node.TIMEOUT);
        grant(other, Node.TIMEOUT);
        EtcdChannel shared = other.channel();

        one.close();
        one.close();

        assertThatThrownBy(() -> grant(one, Node.TIMEOUT)).isInstanceOf(EtcdFailure.class);
        grant(other, Node.TIMEOUT);
        assertThat(other.channel()).isSameAs(shared);
        other.close();
        awaitThreadsAndConnections(List.of(), 0);
    }

    private static void grant(EtcdConnection connection, Duration timeout) throws EtcdFailure {
        assertThat(connection
                        .call(
                                connection.deadline(timeout),
                                LeaseGrpc.getLeaseGrantMethod(),
                                LeaseGrantRequest.newBuilder().setTTL(60).build())
                        .getID())
                .isNotZero();
    }

    private static Extension extension(Node node, int id) {
        Stored mark = node.claim(id);
        return new Extension(id, mark, Node.unique("limit=2"), node.owner(id));
    }

    @Test
    void allAreExtendedOrNone() {
        Node node = node();
        node.createMeta();
        List<Extension> extensions = List.of(extension(node, 1), extension(node, 2));
        applied(node.extend(2, extensions.get(1).mark()));

        List<CasResult> results = node.coordinator.extendAll(extensions, node.meta(), Node.TIMEOUT);

        assertThat(results).hasSize(2).allMatch(CasResult.Rejected.class::isInstance);
        assertThat(node.slot(1).mark()).isEqualTo(extensions.get(0).mark());
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
        awaitThreadsAndConnections(threadsOf(2), 2);
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
