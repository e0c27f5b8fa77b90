// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.assertPermanent;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordStore;
import org.snowflakeid.spi.RecordStore.Write;

/** Answers that are made up, since an agent gives them only at times. */
class ConsulAnswersTest {
    private static final String META = "snowflake/meta";

    private final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    private final List<String> writes = new CopyOnWriteArrayList<>();
    private final RecordStore store;
    private volatile boolean filtering;

    ConsulAnswersTest() throws IOException {
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        Map<String, String> keys = Map.of("snowflake.consul.url", url);
        store = new ConsulStore(new ConsulSettings(new CoordinatorConfig("orders", "snowflake", TIMEOUT, keys::get)));
    }

    @BeforeEach
    void start() {
        server.createContext(
                "/v1/agent/self",
                exchange -> answer(
                        exchange,
                        "{\"Config\":{\"Datacenter\":\"dc1\",\"Server\":false},\"DebugConfig\":{\"DevMode\":false}}"));
        server.createContext("/v1/kv/", this::serve);
        server.start();
    }

    @AfterEach
    void close() {
        store.close();
        server.stop(0);
    }

    /** Until it is told a datacenter, another agent answers, which is of another one. */
    private void serve(HttpExchange exchange) throws IOException {
        String query = exchange.getRequestURI().getQuery();
        if (exchange.getRequestMethod().equals("PUT")) {
            writes.add(query);
            answer(exchange, "true");
            return;
        }
        if (!exchange.getRequestURI().getPath().endsWith(META)) {
            if (filtering && query.contains("recurse")) {
                exchange.getResponseHeaders().set("X-Consul-Results-Filtered-By-ACLs", "true");
            }
            answer(exchange, 404, "");
            return;
        }
        String value = query.contains("dc=dc1") ? "id=of-dc1" : "id=of-dc2";
        String encoded = Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.US_ASCII));
        answer(exchange, "[{\"Key\":\"" + META + "\",\"Value\":\"" + encoded + "\",\"ModifyIndex\":7}]");
    }

    private static void answer(HttpExchange exchange, String body) throws IOException {
        answer(exchange, 200, body);
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.US_ASCII);
        exchange.getResponseHeaders().set("X-Consul-Index", "7");
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Test
    void whatWasReadBeforeTheDatacenterWasKnownIsReadAgainThere() {
        RecordStore.Entry read = store.read(List.of(META), TIMEOUT).entries().get(META);

        assertThat(read.value()).isEqualTo("id=of-dc1");
        assertThat(store.compareAndSet(META, read, "id=next", TIMEOUT)).isInstanceOf(Write.Applied.class);
        assertThat(writes).containsExactly("cas=7&dc=dc1");
    }

    /** Marks that a token hides would be taken for worker ids that were never used. */
    @Test
    void aListThatHidesKeysIsRefused() {
        List<String> marks = IntStream.range(0, 1_024)
                .mapToObj(id -> "snowflake/marks/" + id)
                .toList();
        assertThat(store.read(marks, TIMEOUT).entries()).isEmpty();
        filtering = true;

        assertPermanent(
                catchThrowableOfType(CoordinatorException.class, () -> store.read(marks, TIMEOUT)),
                "hides keys below snowflake/marks/",
                "Grant its policy key_prefix \"snowflake/\" { policy = \"write\" }");
    }
}
