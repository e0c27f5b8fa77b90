// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;

import io.etcd.jetcd.api.LeaseGrantRequest;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator.Extension;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.SharingContract;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.TcpProxy;

/** What several worker ids, and several generators, cost etcd and the process: connections, threads, writes. */
@Isolated("it looks at all threads of the JVM")
class EtcdSharingTest extends SharingContract {

    private final EtcdServer server = EtcdServer.start();
    private final TcpProxy proxy = TcpProxy.to(server.clientPort());

    @Override
    protected Map<String, String> settings() {
        return Map.of("snowflake.etcd.endpoints", endpoint(), "snowflake.window", "PT12S");
    }

    @Override
    protected Map<String, String> elsewhere() {
        return Map.of("snowflake.etcd.endpoints", "http://localhost:" + proxy.port());
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

    private String endpoint() {
        return "http://127.0.0.1:" + proxy.port();
    }

    private Node node() {
        return opened(EtcdNode.at(endpoint(), namespace));
    }

    private EtcdConnection connection() {
        Map<String, String> keys = Map.of(EtcdSettings.ENDPOINTS.name(), endpoint());
        return opened(new EtcdConnection(
                new EtcdSettings(new CoordinatorConfig("orders", namespace, Duration.ofSeconds(60), keys::get))));
    }

    /**
     * One thread for the connection. Where a connection is only asked for the time, it and the thread that
     * asks are gone soon.
     */
    @Override
    protected void awaitShared(int shared) {
        List<String> wanted = Collections.nCopies(shared, "snowflake-etcd-connection");
        await(
                PATIENCE,
                () -> Thread.getAllStackTraces().keySet().stream()
                                .filter(thread -> shared == 0 || !isKeeper(thread))
                                .map(Thread::getName)
                                .filter(name -> name.startsWith("snowflake") || name.startsWith("grpc"))
                                .sorted()
                                .toList()
                                .equals(wanted)
                        && proxy.connections() == shared);
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
        LeasedSnowflake ids = open("default", Map.of("snowflake.workers", "64", "snowflake.window", "PT24S"));
        Marks before = marks();
        await(PATIENCE, () -> marks().revision() >= before.revision() + 3);
        Marks after = marks();

        assertThat(after.count()).isEqualTo(64);
        assertThat(after.writes() - before.writes()).isEqualTo(64 * (after.revision() - before.revision()));
        awaitShared(1);
        assertThat(ids.nextIds(1_000)).hasSize(1_000);
        assertThat(server.etcdctl("get", "--prefix", "--keys-only", "/" + namespace + "/workers/")
                        .strip()
                        .split("\\s+"))
                .hasSize(64);
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
    void aClosedCoordinatorHearsOfNothingAndAnOpenOneGoesOnHearing() {
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
        awaitShared(0);
    }

    private static void grant(EtcdConnection connection, Duration timeout) throws EtcdFailure {
        assertThat(connection
                        .call(
                                connection.deadline(timeout),
                                EtcdMethods.GRANT,
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
}
