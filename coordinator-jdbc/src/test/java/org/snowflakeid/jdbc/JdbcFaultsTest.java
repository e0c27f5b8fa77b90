// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Node.rejected;
import static org.snowflakeid.tck.Node.unknown;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.time;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.DatabaseServer;
import org.snowflakeid.testservers.FreePorts;
import org.snowflakeid.testservers.MariaDbServer;
import org.snowflakeid.testservers.PostgresServer;
import org.snowflakeid.testservers.TcpProxy;

/** A database that is frozen, killed, absent, or behind a network that loses packets. */
class JdbcFaultsTest {
    private static final Duration SHORT = Duration.ofSeconds(2);

    enum Product {
        POSTGRESQL,
        MARIADB;

        private DatabaseServer server() {
            return this == POSTGRESQL ? postgres : mariaDb;
        }
    }

    private static PostgresServer postgres;
    private static MariaDbServer mariaDb;

    @BeforeAll
    static void startServers() {
        postgres = PostgresServer.start();
        mariaDb = MariaDbServer.start();
    }

    @AfterAll
    static void stopServers() {
        postgres.close();
        mariaDb.close();
    }

    /** A server, a proxy before it, and a process on either side of that. */
    private static final class Place implements AutoCloseable {
        final DatabaseServer server;
        final TcpProxy proxy;
        final Node node;
        final Node other;
        final Stored meta;

        Place(Product product) {
            String namespace = Node.freshNamespace();
            server = product.server();
            proxy = TcpProxy.to(server.clientPort());
            node = JdbcNode.at(server.url(proxy.port()), namespace);
            other = JdbcNode.at(server.url(), namespace);
            meta = node.createMeta();
        }

        CasResult claim(Duration timeout) {
            return node.coordinator.claim(3, null, "limit=1 token=x", "o token=x", false, meta, timeout);
        }

        @Override
        public void close() {
            node.close();
            other.close();
            proxy.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyCallEndsInTimeWhileTheServerIsFrozenAndWorksAfter(Product product) {
        try (Place place = new Place(product)) {
            Stored mark = place.other.claim(3);

            requireWithin(Duration.ofSeconds(4), () -> {
                place.server.pause();
                long frozenUntil = System.nanoTime() + TimeUnit.SECONDS.toNanos(4);
                while (System.nanoTime() < frozenUntil) {
                    requireWithin(
                            Duration.ofMillis(1_500),
                            () -> time(() -> {
                                CoordinatorException read = catchThrowableOfType(
                                        CoordinatorException.class,
                                        () -> place.other.coordinator.read(3, 3, Duration.ofMillis(500)));
                                assertThat(read.permanent()).isFalse();
                                assertThat(read).hasMessageContaining("jdbc:");
                            }));
                }
                place.server.resume();
                return Duration.ofMillis(await(Node.PATIENCE, place.other::answers));
            });

            assertThat(applied(place.other.extend(3, mark)).ownerHeld()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void worksAgainAfterAKillOfTheServer(Product product) {
        try (Place place = new Place(product)) {
            Stored mark = place.other.claim(3);

            place.server.kill();
            CoordinatorException unsent = catchThrowableOfType(
                    CoordinatorException.class,
                    () -> place.other.coordinator.extend(
                            3, mark, "limit=2", place.other.owner(3), place.meta, TIMEOUT));
            assertThat(unsent.permanent()).isFalse();
            assertThat(unsent).hasMessageContaining("snowflake.jdbc.url");
            place.server.startAgain();
            place.server.awaitHealthy();
            await(Node.PATIENCE, place.other::answers);

            assertThat(applied(place.other.extend(3, mark)).ownerHeld()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void worksAgainAfterAnUnnoticedRestart(Product product) {
        try (Place place = new Place(product)) {
            Stored mark = place.other.claim(3);

            place.server.kill();
            place.server.startAgain();
            place.server.awaitHealthy();
            await(Node.PATIENCE, place.other::answers);

            assertThat(applied(place.other.extend(3, mark)).ownerHeld()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void writeWhoseAnswerIsHeldIsUnknownAndWasDone(Product product) throws Exception {
        try (Place place = new Place(product)) {
            CasResult held = duringTheWrite(place, proxy -> {});
            Slot seen = place.other.slot(3);
            place.proxy.pass();

            assertThat(unknown(held).cause()).hasMessageContaining("the request was sent");
            assertThat(unknown(held).cause().permanent()).isFalse();
            assertThat(seen).isEqualTo(new Slot(3, new Stored("limit=1 token=x", 0), "o token=x"));
            await(Node.PATIENCE, place.node::answers);
            assertThat(applied(place.node.coordinator.extend(
                                    3,
                                    new Stored("limit=1 token=x", 0),
                                    Node.unique("limit=2"),
                                    "o token=x",
                                    place.meta,
                                    TIMEOUT))
                            .ownerHeld())
                    .isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void writeWhoseConnectionIsCutBeforeTheAnswerIsUnknownAtOnceAndNotSentAgain(Product product) throws Exception {
        try (Place place = new Place(product)) {
            long start = System.nanoTime();
            CasResult cut = duringTheWrite(place, TcpProxy::cut);
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            place.proxy.pass();

            unknown(cut);
            assertThat(took).isLessThan(TIMEOUT);
            assertThat(place.other.slot(3)).isEqualTo(new Slot(3, new Stored("limit=1 token=x", 0), "o token=x"));
            // The version of a record counts its writes.
            assertThat(rejected(place.claim(TIMEOUT)).seen())
                    .isEqualTo(new Slot(3, new Stored("limit=1 token=x", 0), "o token=x"));
            place.node.coordinator.abandon(3, "o token=x", TIMEOUT);
            assertThat(place.other.slot(3)).isEqualTo(new Slot(3, new Stored("limit=1 token=x", 0), null));
        }
    }

    private interface Fault {
        void strike(TcpProxy proxy);
    }

    /**
     * Claims 3 while another connection has its row locked, which shows when the write has arrived; from then on no answer comes back.
     */
    private static CasResult duringTheWrite(Place place, Fault fault) throws Exception {
        String key = place.node.namespace + "/marks/3";
        boolean postgres = place.server instanceof PostgresServer;
        try (Connection locking = DriverManager.getConnection(place.server.url());
                Connection looking = DriverManager.getConnection(place.server.url());
                Statement lock = locking.createStatement()) {
            locking.setAutoCommit(false);
            lock.executeUpdate("INSERT INTO snowflake_record VALUES ('" + key + "', 1, 'x')");
            CompletableFuture<CasResult> claim =
                    CompletableFuture.supplyAsync(() -> place.claim(Duration.ofSeconds(10)));
            await(TIMEOUT, () -> isWaiting(looking, postgres));
            place.proxy.holdReplies();
            locking.rollback();
            try (JdbcNode present = JdbcNode.at(place.server.url(), place.node.namespace)) {
                await(TIMEOUT, () -> present.slot(3).mark() != null);
            }
            fault.strike(place.proxy);
            return claim.get(60, TimeUnit.SECONDS);
        }
    }

    /** Whether that statement has arrived, and waits for the lock. */
    private static boolean isWaiting(Connection looking, boolean postgres) {
        String sql = postgres
                ? "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                : "SELECT count(*) FROM information_schema.processlist WHERE info LIKE 'INSERT INTO %snowflake_record% SELECT %'";
        try (Statement statement = looking.createStatement();
                var row = statement.executeQuery(sql)) {
            return row.next() && row.getInt(1) > 0;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void writeThatWaitsForALockIsUnknownInTimeAndMayBeDoneLater(Product product) throws Exception {
        try (Place place = new Place(product)) {
            Stored mark = place.node.claim(3);
            String key = place.node.namespace + "/marks/3";
            CasResult late;
            try (Connection locking = DriverManager.getConnection(place.server.url());
                    Statement lock = locking.createStatement()) {
                locking.setAutoCommit(false);
                assertThat(lock.executeUpdate(
                                "UPDATE snowflake_record SET version = version WHERE name = '" + key + "'"))
                        .isEqualTo(1);

                late = place.node.coordinator.extend(
                        3, mark, "limit=2 token=late", place.node.owner(3), place.meta, SHORT);
                locking.rollback();
            }

            unknown(late);
            await(Node.PATIENCE, place.node::answers);
            Stored now = place.node.slot(3).mark();
            assertThat(now).isIn(mark, new Stored("limit=2 token=late", 0));
        }
    }

    @ParameterizedTest
    @EnumSource
    void networkThatLosesEverythingLeavesNothingSentWhereNoConnectionCanBeMade(Product product) throws Exception {
        try (Place place = new Place(product)) {
            // Those that were kept are closed by then.
            await(Node.PATIENCE, () -> place.proxy.connections() == 0);
            place.proxy.freeze();

            requireWithin(
                    SHORT.plusSeconds(1),
                    () -> time(() -> {
                        CoordinatorException thrown =
                                catchThrowableOfType(CoordinatorException.class, () -> place.claim(SHORT));
                        assertThat(thrown.permanent()).isFalse();
                    }));
            place.proxy.pass();

            assertThat(place.other.slot(3)).isEqualTo(new Slot(3, null, null));
            await(Node.PATIENCE, place.node::answers);
        }
    }

    @Test
    void manyCallsThatHangDoNotPileUp() {
        try (Place place = new Place(Product.POSTGRESQL)) {
            place.proxy.freeze();
            for (int i = 0; i < 30; i++) {
                assertThat(catchThrowableOfType(
                                CoordinatorException.class,
                                () -> place.node.coordinator.read(0, 0, Duration.ofMillis(100))))
                        .isNotNull();
            }
            long threads = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().startsWith("snowflake-jdbc"))
                    .count();
            place.proxy.pass();

            // The threads of this test and of those beside it.
            assertThat(threads).isLessThan(60);
            await(Node.PATIENCE, place.node::answers);
        }
    }

    @Test
    void anInterruptedWriteIsUnknownAtOnceAndKeepsTheFlag() throws Exception {
        try (Place place = new Place(Product.POSTGRESQL)) {
            Stored mark = place.node.claim(3);
            place.proxy.holdReplies();
            CompletableFuture<Boolean> flag = new CompletableFuture<>();
            CompletableFuture<CasResult> result = new CompletableFuture<>();
            Thread caller = new Thread(() -> {
                result.complete(place.node.coordinator.extend(
                        3, mark, "limit=2", place.node.owner(3), place.meta, Duration.ofSeconds(60)));
                flag.complete(Thread.currentThread().isInterrupted());
            });

            caller.start();
            await(TIMEOUT, () -> caller.getState() == Thread.State.TIMED_WAITING);
            caller.interrupt();

            unknown(result.get(30, TimeUnit.SECONDS));
            assertThat(flag.get(30, TimeUnit.SECONDS)).isTrue();
            place.proxy.pass();
        }
    }

    @Test
    void unreachableServerIsReportedAtOnceAndNotPermanent() {
        for (String url : new String[] {
            "jdbc:postgresql://127.0.0.1:" + FreePorts.next() + "/ids",
            "jdbc:mariadb://127.0.0.1:" + FreePorts.next() + "/ids",
            "jdbc:h2:tcp://127.0.0.1:" + FreePorts.next() + "/./ids"
        }) {
            try (Node nowhere = JdbcNode.at(url, Node.freshNamespace())) {
                CoordinatorException read = catchThrowableOfType(CoordinatorException.class, () -> nowhere.read(0, 0));
                CoordinatorException write = catchThrowableOfType(
                        CoordinatorException.class, () -> nowhere.coordinator.writeMeta(null, "id=1", TIMEOUT));

                assertThat(read).hasMessageContaining(url).hasMessageContaining("snowflake.jdbc.url");
                assertThat(read.permanent()).isFalse();
                assertThat(write.permanent()).isFalse();
            }
        }
    }
}
