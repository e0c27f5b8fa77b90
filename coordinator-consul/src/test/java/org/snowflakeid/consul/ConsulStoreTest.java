// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.within;
import static org.snowflakeid.tck.Node.TIMEOUT;

import com.sun.net.httpserver.HttpServer;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordStore;
import org.snowflakeid.spi.RecordStore.Entry;
import org.snowflakeid.spi.RecordStore.Reading;
import org.snowflakeid.spi.RecordStore.Write;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.ConsulServer;

/** The promises of a store of records that the coordinator's contract does not check. */
class ConsulStoreTest {
    private static ConsulServer server;

    private final String namespace = Node.freshNamespace();
    private final RecordStore store = open();

    @BeforeAll
    static void startServer() {
        server = ConsulServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private RecordStore open(String... more) {
        Map<String, String> keys = more.length == 0
                ? Map.of("snowflake.consul.url", server.url())
                : Map.of("snowflake.consul.url", server.url(), more[0], more[1]);
        return new ConsulStore(new ConsulSettings(new CoordinatorConfig("orders", namespace, TIMEOUT, keys::get)));
    }

    private String key(String name) {
        return namespace + "/" + name;
    }

    private Entry entry(String key) {
        return store.read(List.of(key), TIMEOUT).entries().get(key);
    }

    private void create(String key, String value) {
        assertThat(store.compareAndSet(key, null, value, TIMEOUT)).isInstanceOf(Write.Applied.class);
    }

    @Test
    void keepsEachCharacterOfLongValues() {
        String value = "é ß 漢 😀 %2F + \\ \n\t \u0000 ".repeat(300) + " \n";
        create(key("meta"), value);
        create(key("empty"), "");

        assertThat(value).hasSizeGreaterThan(4_000);
        assertThat(entry(key("meta")).value()).isEqualTo(value);
        assertThat(entry(key("empty")).value()).isEmpty();
    }

    @Test
    void tellsKeysAndValuesApartByCaseAndBlanks() {
        create(key("Marks/1"), "a");
        create(key("marks/1"), "A");
        create(key("marks/1.0"), "a ");

        assertThat(entry(key("Marks/1")).value()).isEqualTo("a");
        assertThat(entry(key("marks/1")).value()).isEqualTo("A");
        assertThat(entry(key("marks/1.0")).value()).isEqualTo("a ");
        assertThat(entry(key("MARKS/1"))).isNull();
        Entry seen = entry(key("marks/1.0"));
        assertThat(store.compareAndSet(key("marks/1"), seen, "b", TIMEOUT)).isInstanceOf(Write.Rejected.class);
    }

    @Test
    void replacesWhatWasSeenAndNothingElse() {
        create(key("meta"), "one");
        Entry one = entry(key("meta"));

        assertThat(store.compareAndSet(key("meta"), null, "two", TIMEOUT)).isInstanceOf(Write.Rejected.class);
        assertThat(store.compareAndSet(key("meta"), one, "two", TIMEOUT)).isInstanceOf(Write.Applied.class);
        assertThat(store.compareAndSet(key("meta"), one, "three", TIMEOUT)).isInstanceOf(Write.Rejected.class);
        Entry two = entry(key("meta"));
        assertThat(store.compareAndSet(key("meta"), two, "one", TIMEOUT)).isInstanceOf(Write.Applied.class);
        // The same characters, by another write.
        assertThat(store.compareAndSet(key("meta"), one, "four", TIMEOUT)).isInstanceOf(Write.Rejected.class);
        assertThat(store.compareAndSet(key("absent"), one, "five", TIMEOUT)).isInstanceOf(Write.Rejected.class);
        assertThat(entry(key("absent"))).isNull();
    }

    /** However many there are: of 65,536 a request each would take minutes. */
    @Test
    void readsAWholeNamespaceByOneListAndTheFirstKey() throws Exception {
        create(key("marks/0"), "first");
        create(key("marks/40000"), "mark");
        create(key("marks/65535"), "last");
        List<String> requests = new CopyOnWriteArrayList<>();
        HttpServer counting = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        counting.createContext("/v1/kv/", exchange -> {
            requests.add(exchange.getRequestURI()
                    .toString()
                    .replace(namespace, "ns")
                    .replaceFirst("&nocache=[-0-9a-f]{36}$", ""));
            HttpURLConnection agent = (HttpURLConnection)
                    URI.create(server.url() + exchange.getRequestURI()).toURL().openConnection();
            byte[] answer = agent.getInputStream().readAllBytes();
            exchange.getResponseHeaders().set("X-Consul-Index", agent.getHeaderField("X-Consul-Index"));
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        counting.createContext("/v1/agent/self", exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        counting.start();
        Map<String, String> keys = Map.of(
                "snowflake.consul.url",
                "http://127.0.0.1:" + counting.getAddress().getPort());
        try (RecordStore counted =
                new ConsulStore(new ConsulSettings(new CoordinatorConfig("orders", namespace, TIMEOUT, keys::get)))) {
            List<String> marks = IntStream.rangeClosed(0, 65_535)
                    .mapToObj(id -> key("marks/" + id))
                    .toList();

            assertThat(counted.read(marks, TIMEOUT).entries())
                    .containsOnlyKeys(key("marks/0"), key("marks/40000"), key("marks/65535"));
            assertThat(requests).containsExactly("/v1/kv/ns/marks/?consistent&recurse", "/v1/kv/ns/marks/0?consistent");
        } finally {
            counting.stop(0);
        }
    }

    @Test
    void readsManyKeysAndNoneOfTheirNeighbours() {
        List<Integer> present = List.of(1, 9, 10, 99, 100, 512, 1_000, 1_023);
        present.forEach(id -> create(key("marks/" + id), "mark " + id));
        create(key("marks/100x"), "no mark");

        for (List<Integer> ids : List.of(
                IntStream.rangeClosed(0, 1_023).boxed().toList(),
                IntStream.rangeClosed(90, 119).boxed().toList(),
                IntStream.rangeClosed(3, 32).boxed().toList(),
                List.of(1, 2, 1_023),
                List.of(1, 17, 512, 600, 700, 800, 1_000))) {
            List<String> keys = ids.stream().map(id -> key("marks/" + id)).toList();
            Reading reading = store.read(keys, TIMEOUT);

            assertThat(reading.entries().keySet())
                    .containsExactlyInAnyOrderElementsOf(ids.stream()
                            .filter(present::contains)
                            .map(id -> key("marks/" + id))
                            .toList());
            reading.entries().forEach((key, entry) -> assertThat(entry).isEqualTo(entry(key)));
            assertThat(reading.time()).isCloseTo(Instant.now(), within(30, ChronoUnit.SECONDS));
        }
    }

    @Test
    void manyKeysHaveFewBeginnings() {
        assertThat(prefixes(IntStream.rangeClosed(0, 1_023))).containsExactly("ids/marks/");
        assertThat(prefixes(IntStream.rangeClosed(100, 129)))
                .containsExactlyInAnyOrder("ids/marks/10", "ids/marks/11", "ids/marks/12");
        assertThat(prefixes(IntStream.rangeClosed(3, 32))).containsExactly("ids/marks/");
        assertThat(prefixes(IntStream.rangeClosed(95, 124))).containsExactlyInAnyOrder("ids/marks/1", "ids/marks/9");
    }

    private static Iterable<String> prefixes(IntStream ids) {
        return ConsulStore.prefixes(ids.mapToObj(id -> "ids/marks/" + id).toList());
    }

    @Test
    void aReadSeesWhatWasAcknowledgedBefore() {
        try (RecordStore reader = open()) {
            create(key("meta"), "0");
            for (int i = 1; i <= 300; i++) {
                Entry seen = entry(key("meta"));
                assertThat(seen.value()).isEqualTo(Integer.toString(i - 1));
                assertThat(store.compareAndSet(key("meta"), seen, Integer.toString(i), TIMEOUT))
                        .isInstanceOf(Write.Applied.class);

                assertThat(reader.read(List.of(key("meta")), TIMEOUT)
                                .entries()
                                .get(key("meta"))
                                .value())
                        .isEqualTo(Integer.toString(i));
            }
        }
    }

    @Test
    void ofManyWhoReplaceTheSameOneSucceeds() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            for (int round = 0; round < 10; round++) {
                Entry seen = entry(key("meta"));
                List<Callable<Write>> writes = Stream.generate(() -> (Callable<Write>) () -> {
                            try (RecordStore own = open()) {
                                return own.compareAndSet(key("meta"), seen, Node.unique("mine"), TIMEOUT);
                            }
                        })
                        .limit(8)
                        .toList();

                int applied = 0;
                for (Future<Write> write : threads.invokeAll(writes)) {
                    applied += write.get() instanceof Write.Applied ? 1 : 0;
                }

                assertThat(applied).isEqualTo(1);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void readsTheNamedDatacenter() {
        create(key("meta"), "here");
        try (RecordStore same = open("snowflake.consul.datacenter", "dc1");
                RecordStore other = open("snowflake.consul.datacenter", "elsewhere")) {
            assertThat(same.read(List.of(key("meta")), TIMEOUT).entries()).hasSize(1);
            assertThat(catchThrowable(() -> other.read(List.of(key("meta")), Duration.ofSeconds(30))))
                    .hasMessageContaining("No path to datacenter");
        }
    }
}
