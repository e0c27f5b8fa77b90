// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.etcd.Node.TIMEOUT;
import static org.snowflakeid.etcd.Node.applied;
import static org.snowflakeid.etcd.Node.await;
import static org.snowflakeid.etcd.Node.unique;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.testservers.EtcdServer;

/** One server that is frozen, killed or not there. */
class EtcdFaultsTest {
    private static final Duration SHORT = Duration.ofSeconds(1);

    private final EtcdServer server = EtcdServer.start();
    private final String namespace = Node.freshNamespace();
    private final Node node = Node.at(server.endpoint(), namespace);
    private Stored meta;

    @BeforeEach
    void createMeta() {
        meta = node.createMeta();
    }

    @AfterEach
    void close() {
        node.close();
        server.close();
    }

    private static int closedPort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
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
        Stored mark = node.claim(3);
        server.kill();
        long downUntil = System.nanoTime() + TimeUnit.SECONDS.toNanos(6);
        await(Duration.ofSeconds(10), () -> System.nanoTime() > downUntil);
        server.startAgain();
        server.awaitHealthy();

        CasResult result = node.coordinator.extend(3, mark, unique("limit=2"), meta, SHORT);

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
