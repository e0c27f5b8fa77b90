// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;
import static org.snowflakeid.tck.Node.TIMEOUT;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordStore;
import org.snowflakeid.spi.RecordStore.Entry;
import org.snowflakeid.spi.RecordStore.Reading;
import org.snowflakeid.spi.RecordStore.Write;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.NacosServer;

/** The promises of a store of records that the coordinator's contract does not check. */
class NacosStoreTest {
    private static NacosServer server;

    private final String namespace = Node.freshNamespace() + "/a.b_c/Orders";
    private final RecordStore store = open();

    @BeforeAll
    static void startServer() {
        server = NacosServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private RecordStore open() {
        Map<String, String> keys = Map.of("snowflake.nacos.server-addr", server.address());
        return new NacosStore(new NacosSettings(new CoordinatorConfig("orders", namespace, TIMEOUT, keys::get)));
    }

    private String key(String name) {
        return namespace + "/" + name;
    }

    private static Entry entry(RecordStore store, String key) {
        return store.read(List.of(key), TIMEOUT).entries().get(key);
    }

    private Entry entry(String key) {
        return entry(store, key);
    }

    private void create(String key, String value) {
        assertThat(store.compareAndSet(key, null, value, TIMEOUT)).isInstanceOf(Write.Applied.class);
    }

    /** More keys than are read one by one. */
    private Reading readMany(List<Integer> ids) {
        return store.read(ids.stream().map(id -> key("marks/" + id)).toList(), TIMEOUT);
    }

    @Test
    void keepsEachCharacterOfLongValues() {
        String value = " é ß 漢 %2F + & = \\ \n\r\n\t <a> ${b} ".repeat(150) + " \n";
        create(key("marks/1"), value);

        assertThat(value).hasSizeGreaterThan(4_000);
        assertThat(entry(key("marks/1")).value()).isEqualTo(value);
        assertThat(readMany(IntStream.range(0, 100).boxed().toList()).entries().get(key("marks/1")))
                .isEqualTo(entry(key("marks/1")));
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
        Entry other = entry(key("marks/1.0"));
        assertThat(store.compareAndSet(key("Marks/1"), other, "b", TIMEOUT)).isInstanceOf(Write.Rejected.class);
    }

    @Test
    void replacesWhatWasSeenAndNothingElse() {
        create(key("meta"), "one");
        Entry one = entry(key("meta"));

        assertThat(store.compareAndSet(key("meta"), null, "two", TIMEOUT)).isInstanceOf(Write.Rejected.class);
        assertThat(store.compareAndSet(key("meta"), one, "two", TIMEOUT)).isInstanceOf(Write.Applied.class);
        assertThat(store.compareAndSet(key("meta"), one, "three", TIMEOUT)).isInstanceOf(Write.Rejected.class);
        assertThat(entry(key("meta")).value()).isEqualTo("two");
    }

    @Test
    void readsManyKeysAsItReadsEach() {
        List<Integer> present = List.of(1, 9, 10, 99, 100, 512, 1_000, 1_023);
        present.forEach(id -> create(key("marks/" + id), "mark " + id));
        create(key("meta"), "no mark");

        Reading all = readMany(IntStream.rangeClosed(0, 1_023).boxed().toList());
        Reading some = readMany(IntStream.rangeClosed(90, 119).boxed().toList());

        assertThat(all.entries().keySet())
                .containsExactlyInAnyOrderElementsOf(
                        present.stream().map(id -> key("marks/" + id)).toList());
        all.entries().forEach((key, entry) -> assertThat(entry).isEqualTo(entry(key)));
        assertThat(some.entries().keySet()).containsExactlyInAnyOrder(key("marks/99"), key("marks/100"));
        assertThat(all.time()).isCloseTo(Instant.now(), within(30, ChronoUnit.SECONDS));
        assertThat(some.time()).isCloseTo(Instant.now(), within(30, ChronoUnit.SECONDS));
        // What was read of all can be replaced.
        Entry mark = all.entries().get(key("marks/512"));
        assertThat(store.compareAndSet(key("marks/512"), mark, "next", TIMEOUT)).isInstanceOf(Write.Applied.class);
    }

    @Test
    void readsManyKeysWhereThereAreNone() {
        assertThat(readMany(IntStream.range(0, 100).boxed().toList()).entries()).isEmpty();
    }

    @Test
    void aReadSeesWhatWasAcknowledgedBefore() {
        List<String> many =
                IntStream.range(0, 100).mapToObj(id -> key("marks/" + id)).toList();
        try (RecordStore reader = open()) {
            create(key("marks/1"), "0");
            for (int i = 1; i <= 200; i++) {
                Entry seen = entry(key("marks/1"));
                assertThat(seen.value()).isEqualTo(Integer.toString(i - 1));
                assertThat(store.compareAndSet(key("marks/1"), seen, Integer.toString(i), TIMEOUT))
                        .isInstanceOf(Write.Applied.class);

                assertThat(entry(reader, key("marks/1")).value()).isEqualTo(Integer.toString(i));
                assertThat(reader.read(many, TIMEOUT)
                                .entries()
                                .get(key("marks/1"))
                                .value())
                        .isEqualTo(Integer.toString(i));
            }
        }
    }

    /** Including the creation, when the server's answer does not tell the others their outcome. */
    @Test
    void ofManyWhoReplaceTheSameOneSucceeds() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            for (int round = 0; round < 10; round++) {
                Entry seen = entry(key("meta"));
                List<String> values =
                        Stream.generate(() -> Node.unique("mine")).limit(8).toList();
                List<Callable<Write>> writes = values.stream()
                        .map(value -> (Callable<Write>) () -> {
                            try (RecordStore own = open()) {
                                return own.compareAndSet(key("meta"), seen, value, TIMEOUT);
                            }
                        })
                        .toList();

                List<Future<Write>> done = threads.invokeAll(writes);

                String now = entry(key("meta")).value();
                for (int i = 0; i < values.size(); i++) {
                    Write write = done.get(i).get();
                    boolean stands = values.get(i).equals(now);
                    assertThat(write)
                            .as("%s, stands: %s", write, stands)
                            .isNotInstanceOf(stands ? Write.Rejected.class : Write.Applied.class);
                    assertThat(seen == null || !(write instanceof Write.Unknown))
                            .isTrue();
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void worksWhereTheApiIsRightBelowTheHost() {
        try (NacosServer root = NacosServer.builder().withoutContextPath().start()) {
            try (Node node = NacosNode.at(root.address(), Map.of("snowflake.nacos.context-path", "/"))) {
                node.claimExtendAndRelease();
            }
            try (Node node = NacosNode.at(root.address(), Map.of())) {
                assertThat(catchThrowableOfType(CoordinatorException.class, () -> node.read(0, 0)))
                        .hasMessageContaining("has no administrators' API: answers 404")
                        .hasMessageEndingWith(
                                "check the version, snowflake.nacos.server-addr and snowflake.nacos.context-path.");
            }
        }
    }
}
