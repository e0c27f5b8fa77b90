// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

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
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
import org.snowflakeid.testservers.FreePorts;
import org.snowflakeid.testservers.NacosServer;
import org.snowflakeid.testservers.RunningGenerator;
import org.snowflakeid.testservers.TcpProxy;

/** Servers that are frozen, killed or something else; answers that are held or lost. */
class NacosFaultsTest {
    private static NacosServer server;

    private final TcpProxy proxy = TcpProxy.to(server.clientPort());
    private final String namespace = Node.freshNamespace();
    private final Node node = NacosNode.at("127.0.0.1:" + proxy.port(), namespace);
    private final RecordStore store = store("127.0.0.1:" + proxy.port());
    private Stored meta;

    @BeforeAll
    static void startServer() {
        server = NacosServer.start();
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

    private RecordStore store(String servers) {
        return store(Map.of("snowflake.nacos.server-addr", servers));
    }

    private RecordStore store(Map<String, String> keys) {
        return new NacosStore(new NacosSettings(new CoordinatorConfig("orders", namespace, TIMEOUT, keys::get)));
    }

    private CoordinatorException thrownBy(RecordStore store, Duration timeout) {
        return catchThrowableOfType(
                CoordinatorException.class, () -> store.read(List.of(namespace + "/meta"), timeout));
    }

    private Write write(RecordStore store, Duration timeout) {
        return store.compareAndSet(namespace + "/marks/3", null, "limit=1 token=x", timeout);
    }

    /** What is tried of one that does not answer. */
    private void requireEndsInTime() {
        requireWithin(
                Duration.ofMillis(1_200),
                () -> time(() -> {
                    CoordinatorException read = thrownBy(store, Duration.ofMillis(500));
                    assertThat(read).hasMessageContaining("does not answer within");
                    assertThat(read.permanent()).isFalse();
                }));
        requireWithin(
                Duration.ofMillis(1_200),
                () -> time(
                        () -> assertThat(write(store, Duration.ofMillis(500))).isInstanceOf(Write.Unknown.class)));
    }

    @Test
    void everyCallEndsInTimeWhileTheServerIsFrozenAndWorksAfter() {
        Stored mark = node.claim(4);

        server.pause();
        try {
            requireEndsInTime();
        } finally {
            server.resume();
        }

        await(Node.PATIENCE, node::answers);
        assertThat(applied(node.extend(4, mark)).ownerHeld()).isTrue();
    }

    @Test
    void everyCallEndsInTimeWhereNothingPasses() {
        Stored mark = node.claim(4);

        proxy.freeze();
        requireEndsInTime();
        proxy.pass();

        assertThat(applied(node.extend(4, mark)).ownerHeld()).isTrue();
    }

    @Test
    void worksSoonAfterTheReturnOfAKilledServer() {
        Stored mark = node.claim(4);

        server.kill();
        CoordinatorException down = catchThrowableOfType(
                CoordinatorException.class,
                () -> node.coordinator.extend(4, mark, "limit=2", node.owner(4), meta, TIMEOUT));
        server.startAgain();
        server.awaitHealthy();

        assertThat(down.permanent()).isFalse();
        await(Node.PATIENCE, node::answers);
        assertThat(applied(node.extend(4, mark)).ownerHeld()).isTrue();
    }

    @Test
    void anotherServerIsAskedAfterOneThatIsNotReachable() {
        int closed = FreePorts.next();
        try (RecordStore some = store("127.0.0.1:" + closed + "," + server.address())) {
            CoordinatorException first = thrownBy(some, TIMEOUT);

            assertThat(first)
                    .hasMessage("Nacos (http://127.0.0.1:" + closed + "/nacos,http://" + server.address()
                            + "/nacos) is not reachable: it accepts no connection. Check host, port, and http or https"
                            + " in snowflake.nacos.server-addr.");
            assertThat(first.permanent()).isFalse();
            for (int i = 0; i < 3; i++) {
                assertThat(some.read(List.of(namespace + "/meta"), TIMEOUT).entries())
                        .hasSize(1);
            }
        }
    }

    /** Nacos keeps what is in a namespace that it has forgotten, and forgets with it only that the console shows it. */
    @Test
    void aNacosNamespaceThatIsDeletedAndCreatedAnewCostsNoIds() {
        server.createNamespace("apps");
        try (RunningGenerator ids = new RunningGenerator(Map.of(
                "snowflake.nacos.server-addr",
                server.address(),
                "snowflake.nacos.nacos-namespace",
                "apps",
                "snowflake.namespace",
                namespace))) {
            server.deleteNamespace("apps");
            ids.awaitExtension();
            ids.awaitExtension();

            server.createNamespace("apps");
            ids.awaitExtension();
        }
    }

    // ---- what is not Nacos, or an old one

    @Test
    void whatIsNotNacosIsSaidToBeSo() throws IOException {
        for (String answer : List.of(
                "400 Bad Request\r\nContent-Length: 0\r\n\r\n",
                "404 Not Found\r\nContent-Length: 0\r\n\r\n",
                "200 OK\r\nContent-Length: 2\r\n\r\n[]",
                "200 OK\r\nContent-Length: 6\r\n\r\n<html>",
                "200 OK\r\nContent-Length: 22\r\n\r\n{\"code\":0,\"data\":null}")) {
            try (ServerSocket web = answering(answer);
                    RecordStore lost = store("127.0.0.1:" + web.getLocalPort())) {
                CoordinatorException thrown = thrownBy(lost, TIMEOUT);

                assertThat(thrown)
                        .hasMessageContaining("Nacos (http://127.0.0.1:" + web.getLocalPort() + "/nacos)")
                        .hasMessageContaining("snowflake.nacos.server-addr");
                assertThat(thrown.permanent()).isFalse();
            }
        }
    }

    /** By a plugin of its own, say. Who has that token may do what the user may. */
    @Test
    void tokenOfALoginThatIsNotUnderstoodIsNotShown() throws IOException {
        String login = "{\"accessToken\":\"t0ken\",\"tokenTtl\":-1}";
        try (ServerSocket web = answering("200 OK\r\nContent-Length: " + login.length() + "\r\n\r\n" + login);
                RecordStore lost = store(Map.of(
                        "snowflake.nacos.server-addr",
                        "127.0.0.1:" + web.getLocalPort(),
                        "snowflake.nacos.user",
                        "app",
                        "snowflake.nacos.password",
                        "secret"))) {
            assertThat(thrownBy(lost, TIMEOUT))
                    .hasMessageContaining("answers a login without an accessToken and a tokenTtl")
                    .hasMessageNotContaining("t0ken");
        }
    }

    /** As Nacos 2 answers. */
    @Test
    void serverWithoutTheApiIsSaidToBeTooOld() throws IOException {
        String old = "404 Not Found\r\nContent-Length: 66\r\n\r\n"
                + "{\"status\":404,\"error\":\"Not Found\",\"path\":\"/nacos/v3/admin/cs/config\"}".substring(0, 66);
        try (ServerSocket web = answering(old);
                RecordStore lost = store("127.0.0.1:" + web.getLocalPort())) {
            assertThat(thrownBy(lost, TIMEOUT))
                    .hasMessageContaining("has no administrators' API: answers 404")
                    .hasMessageContaining("That is in Nacos 3.0 and newer");
        }
    }

    @Test
    void onlyAClearAnswerIsTakenForOne() throws IOException {
        for (String answer : List.of(
                "200 OK\r\nContent-Length: 0\r\n\r\n",
                "200 OK\r\nContent-Length: 4\r\n\r\ntrue",
                "200 OK\r\nContent-Length: 23\r\n\r\n{\"code\":0,\"data\":false}",
                "200 OK\r\nContent-Length: 22\r\n\r\n{\"code\":1,\"data\":true}",
                "302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n",
                "500 Internal Server Error\r\nContent-Length: 14\r\n\r\n{\"code\":30000}",
                "503 Service Unavailable\r\nContent-Length: 0\r\n\r\n",
                "200 OK\r\nContent-Length: 99\r\n\r\n{\"code\":0,\"data\":true}")) {
            try (ServerSocket web = answering(answer);
                    RecordStore lost = store("127.0.0.1:" + web.getLocalPort())) {
                assertThat(write(lost, TIMEOUT)).as(answer).isInstanceOf(Write.Unknown.class);
            }
        }
    }

    @Test
    void refusalsCertainlyChangeNothing() throws IOException {
        for (int status : new int[] {400, 401, 403, 404, 405, 410, 413, 429}) {
            try (ServerSocket web = answering(status + " No\r\nContent-Length: 2\r\n\r\nno");
                    RecordStore lost = store("127.0.0.1:" + web.getLocalPort())) {
                CoordinatorException thrown =
                        catchThrowableOfType(CoordinatorException.class, () -> write(lost, TIMEOUT));

                assertThat(thrown).hasMessageContaining("answers " + status + " (no)");
                assertThat(thrown.permanent()).isEqualTo(status == 401 || status == 403);
            }
        }
    }

    /** Answers each request so, and closes the connection. */
    private static ServerSocket answering(String answer) throws IOException {
        ServerSocket web = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(
                () -> {
                    try {
                        while (!web.isClosed()) {
                            try (Socket connection = web.accept()) {
                                byte[] request = new byte[4_096];
                                if (connection.getInputStream().read(request) > 0) {
                                    connection
                                            .getOutputStream()
                                            .write(("HTTP/1.1 "
                                                            + answer.replaceFirst("\r\n", "\r\nConnection: close\r\n"))
                                                    .getBytes(StandardCharsets.US_ASCII));
                                }
                            }
                        }
                    } catch (IOException closed) {
                        // the end of the test
                    }
                },
                "web");
        thread.setDaemon(true);
        thread.start();
        return web;
    }
}
