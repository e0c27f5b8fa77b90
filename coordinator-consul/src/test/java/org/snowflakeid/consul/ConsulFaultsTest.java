// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.time;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordStore;
import org.snowflakeid.spi.RecordStore.Write;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.ConsulServer;
import org.snowflakeid.testservers.FreePorts;
import org.snowflakeid.testservers.TcpProxy;

/** Servers that are frozen, killed, without a leader or something else; answers that are held or lost. */
class ConsulFaultsTest {
    private static ConsulServer server;

    private final TcpProxy proxy = TcpProxy.to(server.clientPort());
    private final String namespace = Node.freshNamespace();
    private final Node node = ConsulNode.at("http://127.0.0.1:" + proxy.port(), namespace);
    private final RecordStore store = store(proxy.port());
    private Stored meta;

    @BeforeAll
    static void startServer() {
        server = ConsulServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void createMeta() {
        meta = node.createMeta();
    }

    @AfterEach
    void close() {
        proxy.pass();
        node.close();
        store.close();
        proxy.close();
    }

    private static RecordStore store(int port) {
        Map<String, String> keys = Map.of("snowflake.consul.url", "http://127.0.0.1:" + port);
        return new ConsulStore(new ConsulSettings(new CoordinatorConfig("orders", "snowflake", TIMEOUT, keys::get)));
    }

    private static CoordinatorException thrownBy(RecordStore store, Duration timeout) {
        return catchThrowableOfType(CoordinatorException.class, () -> store.read(List.of("snowflake/meta"), timeout));
    }

    /** The calls that the tests make to a server that does not answer. */
    private static void requireEndsInTime(RecordStore store) {
        requireWithin(
                Duration.ofMillis(1_200),
                () -> time(() -> {
                    CoordinatorException read = thrownBy(store, Duration.ofMillis(500));
                    assertThat(read).hasMessageContaining("does not answer within");
                    assertThat(read.permanent()).isFalse();
                }));
        requireWithin(
                Duration.ofMillis(1_200),
                () -> time(() -> assertThat(store.compareAndSet("snowflake/meta", null, "x", Duration.ofMillis(500)))
                        .isInstanceOf(Write.Unknown.class)));
    }

    @Test
    void everyCallEndsInTimeWhileTheServerIsFrozenAndWorksAfter() {
        Stored mark = node.claim(3);

        server.pause();
        try {
            requireEndsInTime(store);
        } finally {
            server.resume();
        }

        await(TIMEOUT, node::answers);
        assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
    }

    @Test
    void everyCallEndsInTimeWhereNothingPasses() {
        Stored mark = node.claim(3);

        proxy.freeze();
        requireEndsInTime(store);
        proxy.pass();

        assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
    }

    /** The network drops requests for connections. */
    @Test
    void everyCallEndsInTimeWhereNoConnectionIsMade() throws IOException {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                RecordStore lost = store(full.getLocalPort())) {
            List<Socket> waiting = new ArrayList<>();
            try {
                while (waiting.size() < 100) {
                    Socket one = new Socket();
                    waiting.add(one);
                    one.connect(full.getLocalSocketAddress(), 300);
                }
            } catch (SocketTimeoutException nowItDrops) {
                requireEndsInTime(lost);
            } finally {
                for (Socket each : waiting) {
                    each.close();
                }
            }
            assertThat(waiting).hasSizeBetween(2, 99);
        }
    }

    /** In the middle of a body, when the JDK's request timeout has no effect. */
    @Test
    void everyCallEndsInTimeWhenAnAnswerStops() throws IOException {
        try (ServerSocket web = answering("HTTP/1.1 200 OK\r\nX-Consul-Index: 1\r\nContent-Length: 100\r\n\r\n[");
                RecordStore lost = store(web.getLocalPort())) {
            requireEndsInTime(lost);
        }
    }

    @Test
    void worksSoonAfterTheReturnOfAKilledServer() {
        Stored mark = node.claim(3);

        server.kill();
        CoordinatorException down = catchThrowableOfType(
                CoordinatorException.class,
                () -> node.coordinator.extend(3, mark, "limit=2", node.owner(3), meta, TIMEOUT));
        server.startAgain();
        server.awaitHealthy();

        assertThat(down.permanent()).isFalse();
        await(TIMEOUT, node::answers);
        assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
    }

    @Test
    void unreachableServerIsReportedAtOnceAndNotPermanent() {
        int closed = FreePorts.next();
        try (RecordStore nowhere = store(closed)) {
            requireWithin(
                    TIMEOUT.dividedBy(2),
                    () -> time(() -> {
                        CoordinatorException read = thrownBy(nowhere, TIMEOUT);
                        assertThat(read)
                                .hasMessage("Consul (http://127.0.0.1:" + closed
                                        + ") is not reachable: it accepts no connection."
                                        + " Check host, port, and http or https in snowflake.consul.url.");
                        assertThat(read.permanent()).isFalse();
                    }));
            CoordinatorException write = catchThrowableOfType(
                    CoordinatorException.class, () -> nowhere.compareAndSet("snowflake/meta", null, "x", TIMEOUT));
            assertThat(write.permanent()).isFalse();
        }
    }

    @Test
    void anUnknownHostIsNamed() {
        try (Node lost = ConsulNode.at("http://unknown.invalid:8500", namespace)) {
            CoordinatorException thrown =
                    catchThrowableOfType(CoordinatorException.class, () -> lost.coordinator.read(0, 0, TIMEOUT));

            assertThat(thrown)
                    .hasMessage("Consul (http://unknown.invalid:8500) is not reachable: its host is unknown."
                            + " Check host, port, and http or https in snowflake.consul.url.");
            assertThat(thrown.permanent()).isFalse();
        }
    }

    @Test
    void serverWithoutALeaderIsSaidToBeSo() {
        try (ConsulServer alone = ConsulServer.builder().expectsServers(3).launchAlone();
                RecordStore led = store(alone.clientPort())) {
            CoordinatorException read = thrownBy(led, TIMEOUT);
            Write write = led.compareAndSet("snowflake/meta", null, "x", TIMEOUT);

            assertThat(read).hasMessageContaining("has no leader at present: answers 500 (No cluster leader)");
            assertThat(read.permanent()).isFalse();
            assertThat(write).isInstanceOf(Write.Unknown.class);
        }
    }

    // ---- what is not Consul

    @Test
    void whatIsNotConsulIsSaidToBeSo() throws IOException {
        for (String answer : List.of(
                "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n[]",
                "HTTP/1.1 200 OK\r\nX-Consul-Index: 1\r\nConnection: close\r\nContent-Length: 6\r\n\r\n<html>",
                "HTTP/1.1 200 OK\r\nX-Consul-Index: 1\r\nConnection: close\r\nContent-Length: 4\r\n\r\n[{}]",
                "SSH-2.0-OpenSSH_9.2\r\n")) {
            try (ServerSocket web = answering(answer);
                    RecordStore lost = store(web.getLocalPort())) {
                CoordinatorException thrown = thrownBy(lost, TIMEOUT);

                assertThat(thrown).hasMessageContaining("Consul (http://127.0.0.1:" + web.getLocalPort() + ")");
                assertThat(thrown).hasMessageContaining("snowflake.consul.url");
                boolean webServers = answer.contains(" 200 OK") || answer.contains(" 404 ");
                assertThat(thrown.permanent()).as(answer).isEqualTo(webServers && !answer.contains("X-Consul-Index"));
            }
        }
    }

    @Test
    void onlyAClearAnswerIsTakenForOne() throws IOException {
        for (String answer : List.of(
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 6\r\n\r\n\"true\"",
                "HTTP/1.1 302 Found\r\nLocation: /\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 500 Internal Server Error\r\nConnection: close\r\nContent-Length: 5\r\n\r\ntrue\n",
                "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 10\r\n\r\ntrue")) {
            try (ServerSocket web = answering(answer);
                    RecordStore lost = store(web.getLocalPort())) {
                assertThat(lost.compareAndSet("snowflake/meta", null, "x", TIMEOUT))
                        .as(answer)
                        .isInstanceOf(Write.Unknown.class);
            }
        }
    }

    @Test
    void refusalsCertainlyChangeNothing() throws IOException {
        for (int status : new int[] {400, 401, 403, 404, 405, 413, 429}) {
            try (ServerSocket web = answering(
                            "HTTP/1.1 " + status + " No\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno");
                    RecordStore lost = store(web.getLocalPort())) {
                CoordinatorException thrown = catchThrowableOfType(
                        CoordinatorException.class, () -> lost.compareAndSet("snowflake/meta", null, "x", TIMEOUT));

                assertThat(thrown).hasMessageContaining("answers " + status + " (no)");
                assertThat(thrown.permanent())
                        .isEqualTo(Set.of(401, 403, 404, 405).contains(status));
            }
        }
    }

    // a start that had waited for Consul ended as soon as that answered
    @Test
    void aTokenThatAnAgentThatHasJustStartedDoesNotKnowMayBeKnownLater() throws IOException {
        String rest = "\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno";
        try (ServerSocket starting = answering("HTTP/1.1 500 No" + rest);
                ServerSocket started = answering("HTTP/1.1 403 No" + rest);
                TcpProxy address = TcpProxy.to(starting.getLocalPort());
                RecordStore store = store(address.port())) {
            assertThat(catchThrowableOfType(
                            CoordinatorException.class, () -> store.read(List.of("snowflake/meta"), TIMEOUT)))
                    .hasMessageContaining("answers 500");
            address.leadTo(started.getLocalPort());

            CoordinatorException refused = catchThrowableOfType(
                    CoordinatorException.class, () -> store.read(List.of("snowflake/meta"), TIMEOUT));

            assertThat(refused).hasMessageContaining("refuses the ACL token: answers 403");
            assertThat(refused.permanent()).isFalse();
        }
    }

    // a start waited for its whole startup-timeout
    @Test
    void anotherWebServerIsSaidToBeOneAtOnce() throws IOException {
        for (String status : List.of("200 OK", "404 Not Found", "301 Moved Permanently", "307 Temporary Redirect")) {
            try (ServerSocket web = answering("HTTP/1.1 " + status + "\r\nContent-Length: 5\r\n\r\nhello")) {
                Node.assertPermanent(
                        ConsulNode.at("http://127.0.0.1:" + web.getLocalPort(), namespace)
                                .refused(),
                        "(hello), and not as Consul does. Check http or https, host and port in snowflake.consul.url.");
            }
        }
    }

    /** Gives each request this answer, and closes the connection if the answer says so. */
    private static ServerSocket answering(String answer) throws IOException {
        ServerSocket web = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(
                () -> {
                    List<Socket> open = new ArrayList<>();
                    try {
                        while (!web.isClosed()) {
                            Socket connection = web.accept();
                            open.add(connection);
                            byte[] request = new byte[4_096];
                            if (connection.getInputStream().read(request) > 0) {
                                connection.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                            }
                            if (answer.contains("close") || !answer.startsWith("HTTP")) {
                                connection.close();
                            }
                        }
                    } catch (IOException closed) {
                        // the end of the test
                    }
                    open.forEach(each -> {
                        try {
                            each.close();
                        } catch (IOException e) {
                            // the connection is gone either way
                        }
                    });
                },
                "web");
        thread.setDaemon(true);
        thread.start();
        return web;
    }
}
