// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.etcd.Node.TIMEOUT;
import static org.snowflakeid.etcd.Node.applied;
import static org.snowflakeid.etcd.Node.await;
import static org.snowflakeid.etcd.Node.rejected;
import static org.snowflakeid.etcd.Node.unique;
import static org.snowflakeid.etcd.Node.unknown;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.TcpProxy;

/** One server that is frozen, killed or cut off. */
class EtcdFaultsTest {
    private static final Duration SHORT = Duration.ofSeconds(1);

    private final EtcdServer server = EtcdServer.start();
    private final TcpProxy proxy = TcpProxy.to(server.clientPort());
    private final String namespace = Node.freshNamespace();
    private final Node node = Node.at("http://127.0.0.1:" + proxy.port(), namespace);
    private final Node other = Node.at(server.endpoint(), namespace);
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

    private static int closedPort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    @Test
    void claimWhoseReplyIsHeldIsUnknownAndCanBeAdopted() {
        prepareLease();
        proxy.holdReplies();

        CasResult claim = node.coordinator.claim(3, null, "limit=1 token=x", "o token=x", false, meta, SHORT);
        Slot seen = other.slot(3);
        proxy.pass();

        assertThat(unknown(claim).cause()).hasMessageContaining("does not answer in time");
        assertThat(unknown(claim).cause().permanent()).isFalse();
        assertThat(seen).isEqualTo(new Slot(3, new Stored("limit=1 token=x", 0), "o token=x"));
        assertThat(node.slot(3)).isEqualTo(seen);
        assertThat(applied(node.extend(3, new Stored("limit=1 token=x", 0))).ownerHeld())
                .isTrue();
    }

    @Test
    void claimWhoseConnectionIsCutBeforeTheReplyIsUnknownAtOnceAndNotSentAgain() {
        prepareLease();
        double transactions = server.metric("grpc_server_started_total", "\"Txn\"");
        proxy.holdReplies();

        CompletableFuture<CasResult> claim = CompletableFuture.supplyAsync(
                () -> node.coordinator.claim(3, null, "limit=1 token=x", "o token=x", false, meta, TIMEOUT));
        await(TIMEOUT, () -> server.metric("grpc_server_handled_total", "\"Txn\"") > transactions);
        proxy.cut();
        proxy.pass();

        unknown(claim.orTimeout(2, TimeUnit.SECONDS).join());
        assertThat(server.metric("grpc_server_started_total", "\"Txn\"")).isEqualTo(transactions + 1);
        assertThat(other.slot(3)).isEqualTo(new Slot(3, new Stored("limit=1 token=x", 0), "o token=x"));
        node.coordinator.abandon(3, TIMEOUT);
        assertThat(other.slot(3)).isEqualTo(new Slot(3, new Stored("limit=1 token=x", 0), null));
    }

    @Test
    void abandonedClaimOfUnknownOutcomeHoldsNothingWhetherItArrivedOrNot() {
        prepareLease();
        proxy.freeze();

        CasResult claim = node.coordinator.claim(3, null, "limit=1 token=x", "o token=x", false, meta, SHORT);
        boolean absentWhileHeld = other.slot(3).mark() == null;
        proxy.pass();
        node.coordinator.abandon(3, TIMEOUT);

        unknown(claim);
        assertThat(absentWhileHeld).isTrue();
        assertThat(other.slot(3).owner()).isNull();
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
    void extensionWhoseReplyIsHeldIsUnknownAndShowsItsBytesWhenResent() {
        Stored mark = node.claim(3);
        proxy.holdReplies();

        CasResult lost = node.coordinator.extend(3, mark, "limit=2 token=x", meta, SHORT);
        proxy.pass();
        CasResult resent = node.coordinator.extend(3, mark, "limit=2 token=x", meta, TIMEOUT);

        unknown(lost);
        Slot seen = rejected(resent).seen();
        assertThat(seen).isNotNull();
        assertThat(seen.mark()).isEqualTo(new Stored("limit=2 token=x", 0));
        assertThat(applied(node.extend(3, seen.mark())).ownerHeld()).isTrue();
    }

    @Test
    void callsThatTimeOutLeaveNoStreamOpenInTheServer() {
        Stored mark = node.claim(3);
        proxy.holdReplies();
        unknown(node.coordinator.extend(3, mark, "limit=2 token=x", meta, SHORT));
        unknown(node.coordinator.extend(3, mark, "limit=2 token=x", meta, SHORT));
        proxy.pass();
        applied(node.extend(3, new Stored("limit=2 token=x", 0)));

        for (String method : new String[] {"Txn", "LeaseKeepAlive"}) {
            await(
                    TIMEOUT,
                    () -> server.metric("grpc_server_started_total", "\"" + method + "\"")
                            == server.metric("grpc_server_handled_total", "\"" + method + "\""));
        }
    }

    @Test
    void everyCallEndsInTimeWhileTheServerIsFrozenForFiveSecondsAndWorksAfter() {
        Stored mark = node.claim(3);
        server.pause();
        long frozenUntil = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);

        while (System.nanoTime() < frozenUntil) {
            long start = System.nanoTime();
            CoordinatorException read = catchThrowableOfType(
                    CoordinatorException.class, () -> node.coordinator.read(3, 3, Duration.ofMillis(500)));
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(1_200));
            assertThat(read.permanent()).isFalse();
        }
        server.resume();

        assertThat(await(TIMEOUT, node::answers)).isLessThan(2_000);
        assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
    }

    @Test
    void worksWithinTwoSecondsOfTheReturnOfAKilledServer() {
        Stored mark = node.claim(3);
        server.kill();
        long downUntil = System.nanoTime() + TimeUnit.SECONDS.toNanos(8);
        await(Duration.ofSeconds(10), () -> {
            assertThat(node.answers()).isFalse();
            return System.nanoTime() > downUntil;
        });
        CoordinatorException unsent = catchThrowableOfType(
                CoordinatorException.class, () -> node.coordinator.extend(3, mark, "limit=2", meta, SHORT));
        server.startAgain();
        server.awaitHealthy();

        long after = await(TIMEOUT, node::answers);

        assertThat(unsent.permanent()).isFalse();
        assertThat(after).isLessThan(2_000);
        assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
    }

    @Test
    void firstCallAfterARestartNobodyNoticedSucceeds() {
        Stored mark = other.claim(3);
        server.kill();
        long downUntil = System.nanoTime() + TimeUnit.SECONDS.toNanos(6);
        await(Duration.ofSeconds(10), () -> System.nanoTime() > downUntil);
        server.startAgain();
        server.awaitHealthy();

        CasResult result = other.coordinator.extend(3, mark, unique("limit=2"), meta, SHORT);

        assertThat(applied(result).ownerHeld()).isTrue();
    }

    @Test
    void watchIsBegunAgainAfterARestart() {
        Stored mark = node.claim(3);
        server.kill();
        server.startAgain();
        server.awaitHealthy();
        await(TIMEOUT, node::answers);
        assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();

        server.etcdctl("del", "/" + namespace + "/workers/3");

        await(SHORT, () -> node.hints.get() > 0);
    }

    @Test
    void unreachableServerIsReportedAtOnceAndNotPermanent() throws IOException {
        String endpoint = "http://127.0.0.1:" + closedPort();
        try (Node nowhere = Node.at(endpoint, namespace)) {
            long start = System.nanoTime();
            CoordinatorException read = catchThrowableOfType(
                    CoordinatorException.class, () -> nowhere.coordinator.read(0, 0, Duration.ofSeconds(30)));
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            CoordinatorException write = catchThrowableOfType(
                    CoordinatorException.class, () -> nowhere.coordinator.writeMeta(null, "id=1", TIMEOUT));

            assertThat(took).isLessThan(Duration.ofSeconds(4));
            assertThat(read)
                    .hasMessageContaining(endpoint)
                    .hasMessageContaining("Connection refused")
                    .hasMessageContaining("snowflake.etcd.endpoints");
            assertThat(read.permanent()).isFalse();
            assertThat(write.permanent()).isFalse();
        }
    }

    @Test
    void deadEndpointAmongSeveralDoesNoHarm() throws IOException {
        try (Node some = Node.at("http://127.0.0.1:" + closedPort() + "," + server.endpoint(), namespace)) {
            for (int id = 10; id < 15; id++) {
                Stored mark = some.claim(id);
                assertThat(applied(some.extend(id, mark)).ownerHeld()).isTrue();
            }
            assertThat(some.read(0, 100).serverTime()).isNotNull();
        }
    }

    @Test
    void whatIsNotEtcdIsSaidToBeSo() throws IOException {
        try (ServerSocket web = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread answering = new Thread(() -> answerAsAWebServer(web), "web");
            answering.setDaemon(true);
            answering.start();
            try (Node lost = Node.at("http://127.0.0.1:" + web.getLocalPort(), namespace)) {
                CoordinatorException thrown =
                        catchThrowableOfType(CoordinatorException.class, () -> lost.coordinator.read(0, 0, TIMEOUT));

                assertThat(thrown)
                        .hasMessageContaining("snowflake.etcd.endpoints")
                        .hasMessageContaining("port");
                assertThat(thrown.permanent()).isFalse();
            }
        }
    }

    private static void answerAsAWebServer(ServerSocket web) {
        try {
            while (!web.isClosed()) {
                try (var connection = web.accept()) {
                    connection
                            .getOutputStream()
                            .write("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"
                                    .getBytes(StandardCharsets.US_ASCII));
                }
            }
        } catch (IOException closed) {
            // the end of the test
        }
    }
}
