// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Node.unique;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.time;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.FreePorts;

/** One server that is frozen, killed or not there. */
class EtcdFaultsTest {
    private final EtcdServer server = EtcdServer.start();
    private final String namespace = Node.freshNamespace();
    private final Node node = EtcdNode.at(server.endpoint(), namespace);
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

    @Test
    void everyCallEndsInTimeWhileTheServerIsFrozenForFiveSecondsAndWorksAfter() {
        Stored mark = node.claim(3);

        requireWithin(Duration.ofSeconds(2), () -> {
            server.pause();
            long frozenUntil = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
            while (System.nanoTime() < frozenUntil) {
                requireWithin(
                        Duration.ofMillis(1_200),
                        () -> time(() -> {
                            CoordinatorException read = catchThrowableOfType(
                                    CoordinatorException.class,
                                    () -> node.coordinator.read(3, 3, Duration.ofMillis(500)));
                            assertThat(read.permanent()).isFalse();
                        }));
            }
            server.resume();
            return Duration.ofMillis(await(TIMEOUT, node::answers));
        });

        assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
    }

    /** A process that starts before the server has no other witness against a wrong clock. */
    @Test
    void aServerThatWasAwayTellsItsTimeAsSoonAsItIsThere() {
        server.kill();
        try (Node early = EtcdNode.at(server.endpoint(), namespace)) {
            assertThat(early.answers()).isFalse();
            server.startAgain();
            server.awaitHealthy();
            await(Node.PATIENCE, early::answers);

            boolean told = false;
            // A machine that is held up answers late, but not each time.
            for (int i = 0; i < 10 && !told; i++) {
                told = early.read(0, 0).serverTime() != null;
            }

            assertThat(told).isTrue();
        }
    }

    @Test
    void worksWithinTwoSecondsOfTheReturnOfAKilledServer() {
        Stored mark = node.claim(3);

        requireWithin(Duration.ofSeconds(2), () -> {
            server.kill();
            long downUntil = System.nanoTime() + TimeUnit.SECONDS.toNanos(8);
            await(Node.PATIENCE, () -> {
                assertThat(node.answers()).isFalse();
                return System.nanoTime() > downUntil;
            });
            CoordinatorException unsent = catchThrowableOfType(
                    CoordinatorException.class,
                    () -> node.coordinator.extend(3, mark, "limit=2", node.owner(3), meta, TIMEOUT));
            assertThat(unsent.permanent()).isFalse();
            server.startAgain();
            server.awaitHealthy();
            return Duration.ofMillis(await(TIMEOUT, node::answers));
        });

        assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
    }

    @Test
    void firstCallAfterAnUnnoticedRestartSucceeds() {
        List<Stored> marks = new ArrayList<>(List.of(node.claim(3)));
        requireWithin(Duration.ofSeconds(5), () -> {
            server.kill();
            long downUntil = System.nanoTime() + TimeUnit.SECONDS.toNanos(6);
            await(Node.PATIENCE, () -> System.nanoTime() > downUntil);
            server.startAgain();
            server.awaitHealthy();

            Stored mark = marks.get(marks.size() - 1);
            return time(() -> {
                CasResult result = node.coordinator.extend(3, mark, unique("limit=2"), node.owner(3), meta, TIMEOUT);
                assertThat(applied(result).ownerHeld()).isTrue();
                marks.add(applied(result).written());
            });
        });
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

        await(Node.PATIENCE, () -> node.hints.get() > 0);
    }

    @Test
    void unreachableServerIsReportedAtOnceAndNotPermanent() {
        String endpoint = "http://127.0.0.1:" + FreePorts.next();
        try (Node nowhere = EtcdNode.at(endpoint, namespace)) {
            requireWithin(
                    TIMEOUT.dividedBy(2),
                    () -> time(() -> assertThatThrownBy(() -> nowhere.coordinator.read(0, 0, TIMEOUT))
                            .isInstanceOf(CoordinatorException.class)));
            CoordinatorException read =
                    catchThrowableOfType(CoordinatorException.class, () -> nowhere.coordinator.read(0, 0, TIMEOUT));
            CoordinatorException write = catchThrowableOfType(
                    CoordinatorException.class, () -> nowhere.coordinator.writeMeta(null, "id=1", TIMEOUT));

            assertThat(read)
                    .hasMessageContaining(endpoint)
                    .hasMessageContaining("Connection refused")
                    .hasMessageContaining("snowflake.etcd.endpoints");
            assertThat(read.permanent()).isFalse();
            assertThat(write.permanent()).isFalse();
        }
    }

    @Test
    void deadEndpointAmongSeveralDoesNoHarm() {
        try (Node some = EtcdNode.at("http://127.0.0.1:" + FreePorts.next() + "," + server.endpoint(), namespace)) {
            for (int id = 10; id < 15; id++) {
                Stored mark = some.claim(id);
                assertThat(applied(some.extend(id, mark)).ownerHeld()).isTrue();
            }
            assertThat(some.read(0, 100).serverTime()).isNotNull();
        }
    }

    /** If the machine has no such address, the message says that. */
    @Test
    void worksAtAnAddressOfTheSixthVersion() throws IOException {
        boolean present = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .anyMatch(address -> address instanceof Inet6Address && address.isLoopbackAddress());
        if (!present) {
            try (Node nowhere = EtcdNode.at("http://[::1]:" + FreePorts.next(), namespace)) {
                assertThatThrownBy(() -> nowhere.read(0, 0)).hasMessageContaining("is not reachable");
            }
            return;
        }
        try (EtcdServer six = EtcdServer.builder().address("[::1]").start();
                Node there = EtcdNode.at(six.endpoint(), namespace)) {
            there.createMeta();
            Stored mark = there.claim(3);

            assertThat(applied(there.extend(3, mark)).ownerHeld()).isTrue();
            assertThat(there.read(0, 0).serverTime()).isNotNull();
        }
    }

    @Test
    void anUnknownHostIsNamed() {
        try (Node lost = EtcdNode.at("http://unknown.invalid:2379", namespace)) {
            CoordinatorException thrown =
                    catchThrowableOfType(CoordinatorException.class, () -> lost.coordinator.read(0, 0, TIMEOUT));

            assertThat(thrown).hasMessageContaining("is not reachable").hasMessageContaining("unknown.invalid");
            assertThat(thrown.permanent()).isFalse();
        }
    }

    @Test
    void brokenConnectionIsHinted() {
        node.claim(3);

        server.kill();

        await(Node.PATIENCE, () -> node.hints.get() > 0);
    }

    /** It will not become an etcd while a start waits for it. */
    @Test
    void aWebServerIsSaidToBeOneAtOnce() throws IOException {
        HttpServer web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        web.start();
        String endpoint = "http://127.0.0.1:" + web.getAddress().getPort();
        try (Node some = EtcdNode.at(endpoint + "," + server.endpoint(), namespace)) {
            EtcdNode.at(endpoint, namespace)
                    .refused(true, endpoint, "answers in HTTP/1", "snowflake.etcd.endpoints", "port");
            await(TIMEOUT, some::answers);
        } finally {
            web.stop(0);
        }
    }

    @Test
    void whatHangsUpMayBeAnotherTime() throws IOException {
        try (ServerSocket mute = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread closing = new Thread(() -> hangUp(mute), "mute");
            closing.setDaemon(true);
            closing.start();
            try (Node lost = EtcdNode.at("http://127.0.0.1:" + mute.getLocalPort(), namespace)) {
                CoordinatorException thrown =
                        catchThrowableOfType(CoordinatorException.class, () -> lost.coordinator.read(0, 0, TIMEOUT));

                assertThat(thrown)
                        .hasMessageContaining("snowflake.etcd.endpoints")
                        .hasMessageContaining("port");
                assertThat(thrown.permanent()).isFalse();
            }
        }
    }

    private static void hangUp(ServerSocket mute) {
        try {
            while (!mute.isClosed()) {
                mute.accept().close();
            }
        } catch (IOException closed) {
            // the end of the test
        }
    }
}
