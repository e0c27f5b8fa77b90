// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Node.unknown;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.time;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
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
