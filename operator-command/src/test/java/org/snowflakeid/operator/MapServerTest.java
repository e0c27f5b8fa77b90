// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.snowflakeid.IdParts;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.testservers.EtcdServer;

/** The command serve on a real etcd, asked over HTTP. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MapServerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final HttpClient client = HttpClient.newHttpClient();
    private final String namespace = "test-" + UUID.randomUUID();
    private final StringWriter said = new StringWriter();
    private EtcdServer etcd;
    private LeasedSnowflake ids;
    private Thread command;
    private int exitCode = -1;
    private int port;

    @BeforeAll
    void serve() {
        etcd = EtcdServer.start();
        ids = LeasedSnowflake.open(settings());
        Dialogue dialogue =
                new Dialogue(new StringReader(""), new PrintWriter(said, true), new PrintWriter(said, true));
        command = new Thread(() -> exitCode = OperatorCommand.run(
                dialogue,
                Map.of("SNOWFLAKE_ETCD_ENDPOINTS", etcd.endpoint()),
                "serve",
                "--port=0",
                "-Dsnowflake.namespace=" + namespace));
        command.start();
        Pattern url = Pattern.compile("http://127\\.0\\.0\\.1:([0-9]+)/");
        Scene.await(PATIENCE, () -> url.matcher(said.toString()).find());
        Matcher found = url.matcher(said.toString());
        assertThat(found.find()).isTrue();
        port = Integer.parseInt(found.group(1));
    }

    @AfterAll
    void end() throws InterruptedException {
        command.interrupt();
        command.join();
        ids.close();
        etcd.close();
        assertThat(exitCode).isZero();
    }

    private SnowflakeSettings settings() {
        return SnowflakeSettings.of(Map.of(
                "snowflake.coordinator",
                "etcd",
                "snowflake.etcd.endpoints",
                etcd.endpoint(),
                "snowflake.namespace",
                namespace));
    }

    private HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(PATIENCE);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private JsonObject json(String path) throws IOException, InterruptedException {
        HttpResponse<String> response = get(path);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/json; charset=utf-8");
        return JsonParser.parseString(response.body()).getAsJsonObject();
    }

    /** The answer to a page that knows nothing yet, once the coordinator was read. */
    private JsonObject everything() throws IOException, InterruptedException {
        JsonObject changes = json("/changes");
        long start = System.nanoTime();
        while (!changes.has("read")) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PATIENCE);
            changes = json("/changes");
        }
        return changes;
    }

    /** What comes back for exactly these lines. */
    private String raw(String... lines) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            String request = String.join("\r\n", lines) + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    // twenty of them kept all threads, and the page was not answered any more
    @Test
    void requestsThatNeverEndKeepNoOtherOut() throws Exception {
        List<Socket> halfOpen = new ArrayList<>();
        try {
            for (int i = 0; i < 40; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                halfOpen.add(socket);
                socket.getOutputStream().write("GET / HT".getBytes(StandardCharsets.US_ASCII));
            }

            HttpRequest page = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
                    .timeout(PATIENCE)
                    .build();
            assertThat(client.send(page, HttpResponse.BodyHandlers.ofString()).statusCode())
                    .isEqualTo(200);
        } finally {
            for (Socket each : halfOpen) {
                each.close();
            }
        }
    }

    @Test
    void theWholeMapComesFirstAndChangesAfterThat() throws Exception {
        int workerId = ids.status().workerId().orElseThrow();
        JsonObject first = everything();

        assertThat(first.get("reset").getAsBoolean()).isTrue();
        assertThat(first.get("size").getAsInt()).isEqualTo(1024);
        assertThat(first.get("namespace").getAsString()).isEqualTo(namespace);
        assertThat(first.get("summary").toString())
                .contains("active, id ", "epoch 2020-01-01T00:00:00Z, 10 bits of worker id", etcd.endpoint());
        JsonArray held = first.getAsJsonArray("workers").asList().stream()
                .filter(worker -> worker.getAsJsonArray().get(0).getAsInt() == workerId)
                .findFirst()
                .orElseThrow()
                .getAsJsonArray();
        assertThat(held.get(1).getAsInt()).isEqualTo(WorkerMap.HELD);

        LeasedSnowflake another = LeasedSnowflake.open(settings());
        int next = another.status().workerId().orElseThrow();
        String events = awaitEvent(first.get("cursor").getAsString(), "claimed", next);
        assertThat(events).doesNotContain("\"workerId\":" + workerId + ",");
        another.close();
        awaitEvent(first.get("cursor").getAsString(), "released", next);
        assertThat(json("/workers/" + next).toString())
                .contains("\"workerId\":" + next + ",\"state\":0,", "\"ending\":\"released\"");
    }

    private String awaitEvent(String cursor, String kind, int workerId) throws IOException, InterruptedException {
        String wanted = "\"kind\":\"" + kind + "\",\"workerId\":" + workerId + ",";
        long start = System.nanoTime();
        while (true) {
            JsonObject changes = json("/changes?" + cursor);
            assertThat(changes.get("reset").getAsBoolean()).isFalse();
            String events = changes.get("events").toString();
            if (events.contains(wanted)) {
                return events;
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start)).as(events).isLessThan(PATIENCE);
        }
    }

    @Test
    void anIdTellsWhoMadeIt() throws Exception {
        long id = ids.nextId();
        everything();
        IdParts parts = ids.layout().decode(id);

        JsonObject answer = json("/ids/" + id);

        assertThat(answer.get("id").getAsString()).isEqualTo(Long.toString(id));
        assertThat(answer.get("id").getAsJsonPrimitive().isString()).isTrue();
        assertThat(answer.get("timestamp").getAsString())
                .isEqualTo(parts.timestamp().toString());
        assertThat(answer.get("workerId").getAsInt()).isEqualTo(parts.workerId());
        assertThat(answer.get("sequence").getAsInt()).isEqualTo(parts.sequence());
        assertThat(answer.get("certain").getAsBoolean()).isTrue();
        assertThat(answer.get("sentence").getAsString())
                .startsWith("Host " + answer.get("host").getAsString() + " holds worker id " + parts.workerId());

        long old = SnowflakeLayout.STANDARD.encode(
                new IdParts(SnowflakeLayout.STANDARD.epoch().plus(Duration.ofDays(1)), parts.workerId(), 0));
        JsonObject unknown = json("/ids/" + old);
        assertThat(unknown.get("certain").getAsBoolean()).isFalse();
        assertThat(unknown.has("host")).isFalse();
        assertThat(unknown.get("sentence").getAsString()).startsWith("Not known: the history of this command begins");
    }

    @Test
    void aWorkerIdTellsWhoHoldsIt() throws Exception {
        int workerId = ids.status().workerId().orElseThrow();
        everything();

        JsonObject answer = json("/workers/" + workerId);

        assertThat(answer.get("state").getAsInt()).isEqualTo(WorkerMap.HELD);
        assertThat(answer.keySet()).contains("host", "since", "reservedUntil", "history");
        assertThat(json("/workers/1023").get("workerId").getAsInt()).isEqualTo(1023);
        assertThat(get("/workers/1024").statusCode()).isEqualTo(404);
        assertThat(get("/workers/x").statusCode()).isEqualTo(404);
    }

    @Test
    void whatIsNoIdOrNotThereIsRefused() throws Exception {
        assertThat(get("/ids/9223372036854775808").statusCode()).isEqualTo(400);
        assertThat(get("/ids/9223372036854775808").body()).contains("That is no id");
        assertThat(get("/ids/%3Cscript%3E").statusCode()).isEqualTo(400);
        assertThat(get("/ids/").statusCode()).isEqualTo(400);
        assertThat(get("/nothing").statusCode()).isEqualTo(404);
        assertThat(get("/map/index.html").statusCode()).isEqualTo(404);
        assertThat(get("/..%2f..%2fetc/passwd").statusCode()).isEqualTo(404);
    }

    @Test
    void everyAnswerForbidsTheBrowserWhatThePageDoesNotNeed() throws Exception {
        for (String path : List.of("/", "/map.js", "/map.css", "/icon.svg", "/changes", "/ids/x", "/nothing")) {
            HttpResponse<String> response = get(path);
            assertThat(response.headers().firstValue("Content-Security-Policy"))
                    .as(path)
                    .hasValueSatisfying(policy -> assertThat(policy)
                            .contains("default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'")
                            .doesNotContain("unsafe", "http", "*", "data:"));
            assertThat(response.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
            assertThat(response.headers().firstValue("Cache-Control")).hasValue("no-store");
            assertThat(response.headers().map()).doesNotContainKeys("set-cookie", "access-control-allow-origin");
        }
        assertThat(get("/").headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
        assertThat(get("/").body() + get("/map.js").body() + get("/map.css").body())
                .doesNotContain(
                        "http://", "https://", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write");
    }

    // browsers write the host without the port of HTTP: the page was refused to all of them
    @Test
    void atThePortOfHttpItsNameHasNoPort() {
        assertThat(MapServer.ownNames(80))
                .containsExactlyInAnyOrder(
                        "127.0.0.1", "localhost", "[::1]", "127.0.0.1:80", "localhost:80", "[::1]:80");
        assertThat(MapServer.ownNames(8080))
                .containsExactlyInAnyOrder("127.0.0.1:8080", "localhost:8080", "[::1]:8080");
    }

    @Test
    void aPageUnderAnotherNameIsRefused() throws Exception {
        for (String own : List.of("127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port)) {
            assertThat(raw("GET / HTTP/1.1", "Host: " + own)).as(own).startsWith("HTTP/1.1 200");
        }
        for (String other : List.of(
                "evil.example",
                "evil.example:" + port,
                "127.0.0.1",
                "localhost",
                "127.0.0.1:1",
                "127.0.0.1.evil.example:" + port,
                "localhost.:" + port,
                "user@127.0.0.1:" + port,
                "")) {
            for (String path : List.of("/", "/changes", "/map.js")) {
                assertThat(raw("GET " + path + " HTTP/1.1", "Host: " + other))
                        .as(other)
                        .startsWith("HTTP/1.1 403");
            }
        }
        assertThat(raw("GET / HTTP/1.0")).startsWith("HTTP/1.1 403");
        assertThat(raw("GET / HTTP/1.1", "Host: 127.0.0.1:" + port, "Host: evil.example"))
                .doesNotContain("HTTP/1.1 200");
    }

    @Test
    void requestsOfOtherPagesAreRefused() throws Exception {
        assertThat(get("/changes", "Sec-Fetch-Site", "cross-site").statusCode()).isEqualTo(403);
        assertThat(get("/ids/1", "Sec-Fetch-Site", "same-site").statusCode()).isEqualTo(403);
        assertThat(get("/ids/1", "Sec-Fetch-Site", "same-origin").statusCode()).isEqualTo(200);
        assertThat(get("/ids/1", "Sec-Fetch-Site", "none").statusCode()).isEqualTo(200);
    }

    @Test
    void nothingCanBeChanged() throws Exception {
        for (String method : List.of("POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE")) {
            assertThat(raw(method + " /changes HTTP/1.1", "Host: 127.0.0.1:" + port, "Content-Length: 0"))
                    .as(method)
                    .startsWith("HTTP/1.1 405")
                    .containsIgnoringCase("\r\nallow: GET\r\n");
        }
    }

    @Test
    void itIsServedOnTheLoopbackAddressAlone() throws Exception {
        for (NetworkInterface card : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            for (InetAddress address : Collections.list(card.getInetAddresses())) {
                if (!address.isLoopbackAddress()) {
                    // Free there, since the command takes it on the loopback address only.
                    new ServerSocket(port, 1, address).close();
                }
            }
        }
        assertThat(Session.run("serve", "--host=0.0.0.0").exitCode()).isEqualTo(OperatorCommand.WRONG_USE);
    }

    @Test
    void aPortThatIsTakenOrNoneEndsTheCommand() {
        String endpoints = "-Dsnowflake.etcd.endpoints=" + etcd.endpoint();
        Session taken = Session.run("serve", endpoints, "--port=" + port);
        Session none = Session.run("serve", endpoints, "--port=65536");
        Session misspelt = Session.run("serve", endpoints, "-Dsnowflake.namespaces=shop");

        assertThat(taken.exitCode()).isEqualTo(OperatorCommand.FAILED);
        assertThat(taken.err()).contains("127.0.0.1:" + port, "--port");
        assertThat(none.exitCode()).isEqualTo(OperatorCommand.WRONG_USE);
        assertThat(none.err()).contains("--port=65536 is no port");
        assertThat(misspelt.exitCode()).isEqualTo(OperatorCommand.WRONG_USE);
    }
}
