// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.assertPermanent;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordStore;
import org.snowflakeid.spi.RecordStore.Write;

/** Servers that are named together, and may each have a database of its own. They are made up: they only keep what is published first. */
class NacosOneClusterTest {
    private static final String META = "snowflake/meta";
    private static final String PATH = "/nacos/v3/admin/cs/config";
    private static final Pattern CONTENT = Pattern.compile("&content=([^&]*)");

    private final List<HttpServer> servers = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong();

    @AfterEach
    void stop() {
        servers.forEach(server -> server.stop(0));
    }

    private HttpServer server(Map<String, String> records) throws IOException {
        return server(records, 0);
    }

    private HttpServer server(Map<String, String> records, int port) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext(PATH, exchange -> serve(exchange, records));
        server.start();
        servers.add(server);
        return server;
    }

    private static void serve(HttpExchange exchange, Map<String, String> records) throws IOException {
        String asked = exchange.getRequestURI().getQuery()
                + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        String id = asked.replaceFirst(".*dataId=", "").replaceFirst("&.*", "");
        Matcher content = CONTENT.matcher(asked);
        if (content.find()) {
            records.put(id, URLDecoder.decode(content.group(1), StandardCharsets.UTF_8));
            answer(exchange, 200, "{\"code\":0,\"data\":true}");
        } else if (records.containsKey(id)) {
            String value = records.get(id);
            answer(
                    exchange,
                    200,
                    "{\"code\":0,\"data\":{\"md5\":\"md5 of " + value + "\",\"content\":\"" + value + "\"}}");
        } else {
            answer(exchange, 404, "{\"code\":20004}");
        }
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    /** It accepts the logins that it made, and no others. */
    private HttpServer serverWithUsers(Map<String, String> records) throws IOException {
        HttpServer server = server(records);
        String token = "t" + server.getAddress().getPort();
        server.removeContext(PATH);
        server.createContext(
                "/nacos/v3/auth/user/login",
                exchange -> answer(exchange, 200, "{\"accessToken\":\"" + token + "\",\"tokenTtl\":18000}"));
        server.createContext(PATH, exchange -> {
            if (token.equals(exchange.getRequestHeaders().getFirst("accessToken"))) {
                serve(exchange, records);
            } else {
                answer(exchange, 403, "{\"code\":403,\"message\":\"token invalid!\"}");
            }
        });
        return server;
    }

    private RecordStore store() {
        return store(Map.of());
    }

    private RecordStore store(Map<String, String> more) {
        String addresses = servers.stream()
                .map(server -> "127.0.0.1:" + server.getAddress().getPort())
                .collect(Collectors.joining(","));
        Map<String, String> keys = new HashMap<>(more);
        keys.put("snowflake.nacos.server-addr", addresses);
        return new NacosStore(
                new NacosSettings(new CoordinatorConfig("orders", "snowflake", TIMEOUT, keys::get)), nanos::get);
    }

    private static void create(RecordStore store) {
        assertThat(store.read(List.of(META), TIMEOUT).entries()).isEmpty();
        assertThat(store.compareAndSet(META, null, "id=a", TIMEOUT)).isInstanceOf(Write.Applied.class);
    }

    // one process used the first, and another, which had begun while that was away, the second: for good, with equal
    // ids
    @Test
    void serversThatAreNoClusterAreRefused() throws IOException {
        HttpServer first = server(new ConcurrentHashMap<>());
        server(new ConcurrentHashMap<>());
        try (RecordStore store = store()) {
            create(store);

            assertPermanent(
                    catchThrowableOfType(CoordinatorException.class, () -> store.read(List.of(META), TIMEOUT)),
                    "127.0.0.1:" + first.getAddress().getPort(),
                    "have different records");
        }
    }

    // the login of one was shown to the other, which refused it, and seemed to be away: they were used for good
    @Test
    void serversThatAreNoClusterAreRefusedAlsoIfEachKnowsItsOwnLoginsOnly() throws IOException {
        HttpServer first = serverWithUsers(new ConcurrentHashMap<>());
        HttpServer second = serverWithUsers(new ConcurrentHashMap<>());
        try (RecordStore store = store(Map.of("snowflake.nacos.user", "app", "snowflake.nacos.password", "apple"))) {
            create(store);

            assertPermanent(
                    catchThrowableOfType(CoordinatorException.class, () -> store.read(List.of(META), TIMEOUT)),
                    "127.0.0.1:" + first.getAddress().getPort(),
                    "127.0.0.1:" + second.getAddress().getPort(),
                    "have different records");
        }
    }

    /** Members with other keys of tokens: each is shown its own. */
    @Test
    void theLoginOfTheServerThatIsAskedIsKept() throws IOException {
        Map<String, String> records = new ConcurrentHashMap<>();
        serverWithUsers(records);
        serverWithUsers(records);
        try (RecordStore store = store(Map.of("snowflake.nacos.user", "app", "snowflake.nacos.password", "apple"))) {
            create(store);

            for (int i = 0; i < 3; i++) {
                assertThat(store.read(List.of(META), TIMEOUT).entries()).containsOnlyKeys(META);
            }
        }
    }

    @Test
    void serversOfOneClusterAreUsed() throws IOException {
        Map<String, String> records = new ConcurrentHashMap<>();
        server(records);
        server(records);
        try (RecordStore store = store()) {
            create(store);

            assertThat(store.read(List.of(META), TIMEOUT).entries()).containsOnlyKeys(META);
        }
    }

    // the namespace had just been created, and the other member did not have it yet
    @Test
    void aMemberMayLagBehindForSeconds() throws IOException {
        server(new ConcurrentHashMap<>());
        Map<String, String> lagging = new ConcurrentHashMap<>();
        AtomicInteger asked = new AtomicInteger();
        HttpServer member = server(lagging);
        try (RecordStore store = store()) {
            create(store);
            member.removeContext(PATH);
            member.createContext(PATH, exchange -> {
                if (asked.incrementAndGet() == 6) {
                    lagging.put("meta", "id=a");
                }
                serve(exchange, lagging);
            });

            assertThat(store.read(List.of(META), TIMEOUT).entries()).containsOnlyKeys(META);
            assertThat(asked).hasValue(6);
        }
    }

    @Test
    void aServerThatIsAwayIsNoSignOfAnything() throws IOException {
        server(new ConcurrentHashMap<>());
        HttpServer away = server(new ConcurrentHashMap<>());
        try (RecordStore store = store()) {
            away.stop(0);
            create(store);

            assertThat(store.read(List.of(META), TIMEOUT).entries()).containsOnlyKeys(META);
        }
    }

    // a process that had begun while the other was away used its own for good
    @Test
    void aServerThatWasAwayIsLookedAtOnceItIsBack() throws IOException {
        server(new ConcurrentHashMap<>());
        HttpServer away = server(new ConcurrentHashMap<>());
        try (RecordStore store = store()) {
            away.stop(0);
            create(store);
            assertThat(store.read(List.of(META), TIMEOUT).entries()).containsOnlyKeys(META);
            server(new ConcurrentHashMap<>(), away.getAddress().getPort());
            assertThat(store.read(List.of(META), TIMEOUT).entries()).containsOnlyKeys(META);

            nanos.addAndGet(Duration.ofMinutes(1).toNanos());

            assertPermanent(
                    catchThrowableOfType(CoordinatorException.class, () -> store.read(List.of(META), TIMEOUT)),
                    "have different records");
        }
    }
}
