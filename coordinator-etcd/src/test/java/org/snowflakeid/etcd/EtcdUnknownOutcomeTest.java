// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Node.rejected;
import static org.snowflakeid.tck.Node.unique;
import static org.snowflakeid.tck.Node.unknown;

import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.TcpProxy;

/** Answers that are held or lost on the way: what was asked may have been done. */
class EtcdUnknownOutcomeTest {
    private static final Duration SHORT = Duration.ofSeconds(3);
    private static final int ATTEMPTS = 10;

    private final EtcdServer server = EtcdServer.start();
    private final TcpProxy proxy = TcpProxy.to(server.clientPort());
    private final String namespace = Node.freshNamespace();
    private final Node node = EtcdNode.at("http://127.0.0.1:" + proxy.port(), namespace);
    private final Node other = EtcdNode.at(server.endpoint(), namespace);
    private Stored meta;

    @BeforeEach
    void createMeta() {
        meta = node.createMeta();
    }

    @AfterEach
    void close() {
        node.close();
        other.close();
        proxy.close();
        server.close();
    }

    /** So that the next claim has a lease already, and consists of its transaction alone. */
    private void prepareLease() {
        rejected(node.claim(900, new Stored("no such mark", 0), unique("host=a")));
    }

    @Test
    void abandonedClaimOfUnknownOutcomeHoldsNothingWhetherItArrivedOrNot() {
        prepareLease();
        proxy.freeze();

        CasResult claim = node.coordinator.claim(3, null, "limit=1 token=x", "o token=x", false, meta, SHORT);
        boolean absentWhileHeld = other.slot(3).mark() == null;
        proxy.pass();
        node.coordinator.abandon(3, "o token=x", TIMEOUT);

        unknown(claim);
        assertThat(absentWhileHeld).isTrue();
        assertThat(other.slot(3).owner()).isNull();
        // What it may arrive with later is refused.
        assertThat(server.etcdctl("lease", "list")).startsWith("found 0 leases");
    }

    @Test
    void abandonedClaimThatNeverArrivesLeavesNoLease() {
        prepareLease();
        proxy.freeze();

        CasResult claim = node.coordinator.claim(3, null, "limit=1 token=x", "o token=x", false, meta, SHORT);
        proxy.cut();
        proxy.pass();
        await(TIMEOUT, node::answers);
        node.coordinator.abandon(3, "o token=x", TIMEOUT);

        unknown(claim);
        assertThat(other.slot(3)).isEqualTo(new Slot(3, null, null));
        assertThat(server.etcdctl("lease", "list")).startsWith("found 0 leases");
    }

    @Test
    void claimThatGetsNoLeaseCertainlyChangedNothing() {
        proxy.holdReplies();

        CoordinatorException thrown = catchThrowableOfType(
                CoordinatorException.class, () -> node.coordinator.claim(3, null, "limit=1", "o", false, meta, SHORT));
        proxy.pass();

        assertThat(thrown.permanent()).isFalse();
        assertThat(other.slot(3)).isEqualTo(new Slot(3, null, null));
    }

    @Test
    void callsThatTimeOutLeaveNoStreamOpenInTheServer() throws EtcdFailure {
        try (EtcdConnection connection = connectionTo(proxy)) {
            long lease = grant(connection, TIMEOUT);
            proxy.holdReplies();
            // One that is late is not sent.
            int calls = 0;
            for (; started("LeaseKeepAlive") < 2; calls++) {
                assertThat(calls).isLessThan(ATTEMPTS);
                assertThatThrownBy(() -> connection.call(
                                connection.deadline(Duration.ofSeconds(2)),
                                EtcdMethods.KEEP_ALIVE,
                                LeaseKeepAliveRequest.newBuilder().setID(lease).build()))
                        .hasMessageContaining("does not answer in time");
            }

            assertThat(started("LeaseKeepAlive")).isLessThanOrEqualTo(calls);
            await(
                    TIMEOUT,
                    () -> server.metric("grpc_server_handled_total", "\"LeaseKeepAlive\"")
                            == started("LeaseKeepAlive"));
        }
    }

    // it was said not to have been sent while it still could be, and its lease went to the next claim
    @Test
    void callWhoseDeadlineIsNotReportedMayHaveBeenSentAndIsNotSentAnyMore() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        // Not the connection of the other tests' node, which is there already.
        try (TcpProxy silent = TcpProxy.to(server.clientPort());
                EtcdConnection connection = connectionTo(silent)) {
            silent.freeze();
            // On a busy machine its deadline is not reported either.
            assertThatThrownBy(() -> grant(connection, Duration.ofSeconds(1)))
                    .hasMessageMatching(".*(no connection was established|the request may have been sent).*");
            // On the thread that sends what waits for the connection, and that ends what has passed its deadline.
            connection.later(0, () -> {
                held.countDown();
                try {
                    released.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            held.await();
            silent.pass();

            EtcdFailure failure =
                    catchThrowableOfType(EtcdFailure.class, () -> grant(connection, Duration.ofSeconds(1)));
            released.countDown();
            long next = grant(connection, TIMEOUT);

            assertThat(next).isNotZero();
            assertThat(started("LeaseGrant")).isEqualTo(1);
            assertThat(failure.nothingChanged()).isFalse();
            assertThat(failure).hasMessageContaining("does not answer in time (the request may have been sent)");
        } finally {
            released.countDown();
        }
    }

    private EtcdConnection connectionTo(TcpProxy through) {
        Map<String, String> settings = Map.of(EtcdSettings.ENDPOINTS.name(), "http://127.0.0.1:" + through.port());
        return new EtcdConnection(new EtcdSettings(new CoordinatorConfig("orders", namespace, TIMEOUT, settings::get)));
    }

    private static long grant(EtcdConnection connection, Duration timeout) throws EtcdFailure {
        return connection
                .call(
                        connection.deadline(timeout),
                        EtcdMethods.GRANT,
                        LeaseGrantRequest.newBuilder().setTTL(60).build())
                .getID();
    }

    private double started(String method) {
        return server.metric("grpc_server_started_total", "\"" + method + "\"");
    }
}
