// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.hibernate.reactive.mutiny.Mutiny;
import org.hibernate.reactive.stage.Stage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeFormat;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.SnowflakeUnavailableException;
import org.snowflakeid.testing.MemoryStore;
import org.snowflakeid.testservers.PostgresServer;

/** Hibernate Reactive on a real server; what it wrote is read past it. */
class ReactiveTest {

    private static final Map<String, String> SETTINGS = Map.of("snowflake.coordinator", "memory");

    private static PostgresServer server;

    @BeforeAll
    static void startServer() {
        server = PostgresServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void aKeyHasItsIdAfterPersistAndColumnsAreStoredWithTheirs() throws Exception {
        try (ReactiveShop shop = new ReactiveShop(server, SETTINGS)) {
            long before = shop.keys().nextId();
            long columnBefore = shop.columns().nextId();
            HibernatePurchase purchase = new HibernatePurchase();
            List<Long> afterPersist = new ArrayList<>();

            ReactiveShop.result(shop.sessions().withTransaction(session -> session.persist(purchase)
                    .thenAccept(done -> afterPersist.add(purchase.id()))));

            assertThat(afterPersist).containsExactly(purchase.id());
            assertFrom(shop.keys(), before, purchase.id());
            assertFrom(shop.columns(), columnBefore, purchase.number());
            assertFrom(shop.columns(), columnBefore, purchase.reference());
            assertFrom(shop.columns(), columnBefore, id(SnowflakeFormat.CROCKFORD, purchase.code()));
            assertFrom(shop.columns(), columnBefore, id(SnowflakeFormat.HEX, purchase.tag()));
            assertThat(rows("SELECT id, number, reference, code, tag FROM HibernatePurchase"))
                    .containsExactly(row(
                            purchase.id(), purchase.number(), purchase.reference(), purchase.code(), purchase.tag()));
        }
    }

    @Test
    void cascadesGiveIds() throws Exception {
        try (ReactiveShop shop = new ReactiveShop(server, SETTINGS)) {
            long before = shop.keys().nextId();
            long columnBefore = shop.columns().nextId();
            HibernatePurchase purchase = new HibernatePurchase();
            purchase.addLine();
            purchase.addLine();

            ReactiveShop.result(shop.sessions().withTransaction(session -> session.persist(purchase)));

            assertPartsAreStored(purchase, 2);
            purchase.lineIds().forEach(id -> assertFrom(shop.keys(), before, id));
            purchase.noteIds().forEach(text -> assertFrom(shop.keys(), before, id(SnowflakeFormat.BASE62, text)));
            purchase.lineCodes()
                    .forEach(text -> assertFrom(shop.columns(), columnBefore, id(SnowflakeFormat.CROCKFORD, text)));
        }
    }

    @Test
    void mergeOfANewOneGivesIdsToTheCopy() throws Exception {
        try (ReactiveShop shop = new ReactiveShop(server, SETTINGS)) {
            long before = shop.keys().nextId();
            long columnBefore = shop.columns().nextId();
            HibernatePurchase purchase = new HibernatePurchase();
            purchase.addLine();

            HibernatePurchase copy =
                    ReactiveShop.result(shop.sessions().withTransaction(session -> session.merge(purchase)));

            assertFrom(shop.keys(), before, copy.id());
            assertFrom(shop.columns(), columnBefore, copy.number());
            assertThat(rows("SELECT id, number, code FROM HibernatePurchase"))
                    .containsExactly(row(copy.id(), copy.number(), copy.code()));
            assertPartsAreStored(copy, 1);
        }
    }

    @Test
    void mergeOfAStoredOneChangesNoId() throws Exception {
        try (ReactiveShop shop = new ReactiveShop(server, SETTINGS)) {
            HibernatePurchase purchase = new HibernatePurchase();
            purchase.addLine();
            ReactiveShop.result(shop.sessions().withTransaction(session -> session.persist(purchase)));

            HibernatePurchase copy =
                    ReactiveShop.result(shop.sessions().withTransaction(session -> session.merge(purchase)));

            assertThat(copy).isNotSameAs(purchase);
            assertThat(row(copy.id(), copy.number(), copy.code()))
                    .isEqualTo(row(purchase.id(), purchase.number(), purchase.code()));
            assertThat(rows("SELECT id, number, code FROM HibernatePurchase"))
                    .containsExactly(row(purchase.id(), purchase.number(), purchase.code()));
            assertPartsAreStored(purchase, 1);
        }
    }

    @Test
    void idsThatWereSetBeforeAreKept() throws Exception {
        try (ReactiveShop shop = new ReactiveShop(server, SETTINGS)) {
            HibernatePurchase persisted = new HibernatePurchase();
            persisted.preset(42L);
            persisted.presetNumber(43L);
            persisted.presetCode("forty-three");
            HibernatePurchase merged = new HibernatePurchase();
            merged.preset(44L);
            merged.presetNumber(45L);
            merged.presetCode("forty-five");
            HibernatePurchase inserted = new HibernatePurchase();
            inserted.preset(46L);
            inserted.presetNumber(47L);
            inserted.presetCode("forty-seven");

            ReactiveShop.result(shop.sessions().withTransaction(session -> session.persist(persisted)));
            ReactiveShop.result(shop.sessions().withTransaction(session -> session.merge(merged)));
            ReactiveShop.result(shop.sessions().withStatelessTransaction(session -> session.insert(inserted)));

            assertThat(rows("SELECT id, number, code FROM HibernatePurchase ORDER BY id"))
                    .containsExactly("42|43|forty-three", "44|45|forty-five", "46|47|forty-seven");
        }
    }

    @Test
    void statelessSessionsGiveIdsToo() throws Exception {
        try (ReactiveShop shop = new ReactiveShop(server, SETTINGS)) {
            long before = shop.keys().nextId();
            HibernatePurchase purchase = new HibernatePurchase();

            ReactiveShop.result(shop.sessions().withStatelessTransaction(session -> session.insert(purchase)));

            assertFrom(shop.keys(), before, purchase.id());
            assertThat(rows("SELECT id, number, code FROM HibernatePurchase"))
                    .containsExactly(row(purchase.id(), purchase.number(), purchase.code()));
        }
    }

    @Test
    void manyInsertsInOneTransactionHaveDistinctIdsOfTheGenerator() throws Exception {
        try (ReactiveShop shop = new ReactiveShop(server, SETTINGS)) {
            long before = shop.keys().nextId();
            long columnBefore = shop.columns().nextId();
            List<HibernatePurchase> purchases = Stream.generate(HibernatePurchase::new)
                    .limit(EntityStep.MANY)
                    .toList();

            ReactiveShop.result(shop.sessions().withTransaction(session -> session.persist(purchases.toArray())));

            assertThat(rows("SELECT id, number FROM HibernatePurchase"))
                    .hasSize(EntityStep.MANY)
                    .containsExactlyInAnyOrderElementsOf(purchases.stream()
                            .map(purchase -> row(purchase.id(), purchase.number()))
                            .toList());
            assertThat(purchases).extracting(HibernatePurchase::id).doesNotHaveDuplicates();
            assertThat(purchases).extracting(HibernatePurchase::number).doesNotHaveDuplicates();
            purchases.forEach(purchase -> {
                assertFrom(shop.keys(), before, purchase.id());
                assertFrom(shop.columns(), columnBefore, purchase.number());
            });
        }
    }

    /** By stages, and by Mutiny. */
    @Test
    void aGeneratorThatIsSuspendedAmidATransactionLeavesNothingBehind() throws Exception {
        MemoryStore store = MemoryStore.named("reactive-suspended");
        try (ReactiveShop shop = new ReactiveShop(server, outage("reactive-suspended", "PT0S"))) {
            // What waits must not hold up the event loop, so it does that elsewhere and comes back.
            CompletionStage<Void> stages = shop.sessions()
                    .withTransaction(session -> session.persist(new HibernatePurchase())
                            .thenCompose(done -> session.flush())
                            .thenCompose(done -> shop.vertx()
                                    .executeBlocking(() -> suspend(shop, store))
                                    .toCompletionStage())
                            .thenCompose(done -> session.persist(new HibernatePurchase())));

            assertFailsForWantOfAnId(stages);
            assertThat(rows("SELECT id FROM HibernatePurchase")).isEmpty();

            Mutiny.SessionFactory mutiny = shop.mutinySessions();
            assertFailsForWantOfAnId(mutiny.withTransaction(session -> session.persist(new HibernatePurchase()))
                    .subscribeAsCompletionStage());
            assertThat(rows("SELECT id FROM HibernatePurchase")).isEmpty();

            store.reconnect();
            await(() -> isIn(State.ACTIVE, shop));
            ReactiveShop.result(mutiny.withTransaction(session -> session.persist(new HibernatePurchase()))
                    .subscribeAsCompletionStage());
            assertThat(rows("SELECT id FROM HibernatePurchase")).hasSize(1);
        } finally {
            store.reconnect();
        }
    }

    @Test
    void aCallThatWaitsForAnIdHoldsUpTheEventLoop() throws Exception {
        MemoryStore store = MemoryStore.named("reactive-waiting");
        try (ReactiveShop shop = new ReactiveShop(server, outage("reactive-waiting", "PT1H"))) {
            Stage.SessionFactory sessions = shop.sessions();
            boolean suspended = suspend(shop, store);

            CompletableFuture<Void> insert = sessions.withTransaction(
                            session -> session.persist(new HibernatePurchase()))
                    .toCompletableFuture();
            await(ReactiveTest::isEventLoopInNextId);
            CompletableFuture<Integer> other = sessions.withSession(session ->
                            session.createNativeQuery("SELECT 1", Integer.class).getSingleResult())
                    .toCompletableFuture();

            assertThat(suspended).isTrue();
            assertThat(insert).isNotDone();
            assertThat(other).isNotDone();
            assertThat(isEventLoopInNextId()).isTrue();
            store.reconnect();
            ReactiveShop.result(insert);
            assertThat(ReactiveShop.result(other)).isEqualTo(1);
            assertThat(rows("SELECT id FROM HibernatePurchase")).hasSize(1);
        } finally {
            store.reconnect();
        }
    }

    /** A window of some seconds, since one has to end. */
    private static Map<String, String> outage(String store, String waitTimeout) {
        return Map.of(
                "snowflake.coordinator",
                "memory",
                "snowflake.memory.store",
                store,
                "snowflake.window",
                "PT9S",
                "snowflake.wait-timeout",
                waitTimeout);
    }

    private static boolean suspend(ReactiveShop shop, MemoryStore store) {
        store.disconnect();
        await(() -> isIn(State.SUSPENDED, shop));
        return true;
    }

    private static boolean isIn(State state, ReactiveShop shop) {
        return shop.keys().status().state() == state && shop.columns().status().state() == state;
    }

    private static boolean isEventLoopInNextId() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> thread.getKey().getName().startsWith("vert.x-eventloop-thread"))
                .flatMap(thread -> Arrays.stream(thread.getValue()))
                .anyMatch(frame -> frame.getClassName().equals(LeasedSnowflake.class.getName())
                        && frame.getMethodName().equals("nextId"));
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("waited in vain").isNegative();
            try {
                TimeUnit.MILLISECONDS.sleep(10);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            }
        }
    }

    private static void assertFailsForWantOfAnId(CompletionStage<?> stage) {
        assertThatThrownBy(() -> ReactiveShop.result(stage))
                .rootCause()
                .isInstanceOf(SnowflakeUnavailableException.class);
    }

    private static void assertFrom(LeasedSnowflake ids, long before, Long id) {
        assertThat(id).isGreaterThan(before).isLessThan(ids.nextId());
        assertThat(ids.status().workerIds())
                .containsExactly(ids.layout().decode(id).workerId());
    }

    private static void assertPartsAreStored(HibernatePurchase purchase, int parts) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < parts; i++) {
            lines.add(row(purchase.lineIds().get(i), purchase.lineCodes().get(i)));
        }
        assertThat(rows("SELECT id, code FROM HibernateLine"))
                .hasSize(parts)
                .containsExactlyInAnyOrderElementsOf(lines);
        assertThat(rows("SELECT id FROM HibernateNote"))
                .hasSize(parts)
                .containsExactlyInAnyOrderElementsOf(purchase.noteIds());
    }

    private static long id(SnowflakeFormat format, String text) {
        return format.parse(Objects.requireNonNull(text));
    }

    private static String row(Object... values) {
        return String.join("|", Arrays.stream(values).map(String::valueOf).toList());
    }

    private static List<String> rows(String query) {
        return server.sql(query).lines().toList();
    }
}
