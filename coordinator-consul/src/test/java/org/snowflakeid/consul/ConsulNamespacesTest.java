// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.snowflakeid.tck.Node.TIMEOUT;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordStore;
import org.snowflakeid.spi.RecordStore.Write;

/**
 * Consul Enterprise, as its pages describe it, since no such server is to be had: a request that names no namespace is about that of its
 * token.
 */
class ConsulNamespacesTest {
    private static final String META = "snowflake/meta";

    @TempDir
    private Path directory;

    private final Map<String, String> records = new ConcurrentHashMap<>();
    private HttpServer server;

    @BeforeEach
    void startServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/agent/self", exchange -> answer(exchange, 200, "{}"));
        server.createContext("/v1/kv/", this::serve);
        server.start();
    }

    @AfterEach
    void stopServer() {
        server.stop(0);
    }

    private void serve(HttpExchange exchange) throws IOException {
        String own = exchange.getRequestHeaders().getFirst("X-Consul-Token").replaceFirst("^token-of-", "");
        Matcher named = Pattern.compile("[?&]ns=([^&]*)")
                .matcher(exchange.getRequestURI().getQuery());
        if (named.find() && !named.group(1).equals(own)) {
            answer(exchange, 403, "Permission denied");
            return;
        }
        String key = exchange.getRequestURI().getPath().substring("/v1/kv/".length());
        if (exchange.getRequestMethod().equals("PUT")) {
            byte[] value = exchange.getRequestBody().readAllBytes();
            records.put(own + "/" + key, Base64.getEncoder().encodeToString(value));
            answer(exchange, 200, "true");
            return;
        }
        String value = records.get(own + "/" + key);
        String record = "[{\"Key\":\"" + key + "\",\"Value\":\"" + value + "\",\"ModifyIndex\":7,\"Namespace\":\"" + own
                + "\",\"Partition\":\"default\"}]";
        answer(exchange, value == null ? 404 : 200, value == null ? "" : record);
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.US_ASCII);
        exchange.getResponseHeaders().set("X-Consul-Index", "7");
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    // it was taken for lost data, and ids stopped for good
    @Test
    void aTokenThatIsReplacedByOneOfAnotherNamespaceLeadsNowhereElse() throws IOException {
        Path token = Files.writeString(directory.resolve("token"), "token-of-team-1");
        Map<String, String> keys = Map.of(
                "snowflake.consul.url",
                "http://127.0.0.1:" + server.getAddress().getPort(),
                "snowflake.consul.token-file",
                token.toString());
        try (RecordStore store =
                new ConsulStore(new ConsulSettings(new CoordinatorConfig("orders", "snowflake", TIMEOUT, keys::get)))) {
            assertThat(store.compareAndSet(META, null, "one", TIMEOUT)).isInstanceOf(Write.Applied.class);
            assertThat(store.read(List.of(META), TIMEOUT).entries()).containsOnlyKeys(META);

            Files.writeString(token, "token-of-team-2");

            assertThat(catchThrowable(() -> store.read(List.of(META), TIMEOUT)))
                    .hasMessageContaining("refuses the ACL token");
            Files.writeString(token, "token-of-team-1");
            assertThat(store.read(List.of(META), TIMEOUT).entries()).containsOnlyKeys(META);
        }
    }
}
