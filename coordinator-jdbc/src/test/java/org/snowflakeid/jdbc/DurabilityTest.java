// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordStore.Write;
import org.snowflakeid.spi.Resources;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.LogLines;
import org.snowflakeid.testservers.MariaDbServer;
import org.snowflakeid.testservers.PostgresServer;

/** Databases that may lose what they acknowledged, or are of one process alone. */
class DurabilityTest {
    private static final String DANGER = "may lose what it acknowledged, and then ids repeat. Set ";

    private static PostgresServer postgres;

    @BeforeAll
    static void startServer() {
        LogLines.listen();
        postgres = PostgresServer.start();
    }

    @AfterAll
    static void stopServer() {
        postgres.close();
    }

    private static Map<String, String> keys(String... keys) {
        Map<String, String> all = new HashMap<>();
        for (int i = 0; i < keys.length; i += 2) {
            all.put("snowflake.jdbc." + keys[i], keys[i + 1]);
        }
        return all;
    }

    private static WorkerCoordinator open(String generator, Resources resources, String... keys) {
        return new JdbcCoordinatorProvider()
                .open(
                        new CoordinatorConfig(
                                generator, Node.freshNamespace(), Node.TIME_TO_LIVE, keys(keys)::get, resources),
                        () -> {});
    }

    private static CoordinatorException refusal(WorkerCoordinator coordinator) {
        return catchThrowableOfType(
                CoordinatorException.class, () -> coordinator.writeMeta(null, Node.unique("id=1"), TIMEOUT));
    }

    private static void requireWorking(WorkerCoordinator coordinator) {
        Stored meta = applied(coordinator.writeMeta(null, Node.unique("id=1"), TIMEOUT))
                .written();
        applied(coordinator.claim(3, null, "limit=1", "o", false, meta, TIMEOUT));
    }

    // ---- in memory

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:h2:mem:process;DB_CLOSE_DELAY=-1",
                "jdbc:h2:mem:process",
                "jdbc:h2:memFS:process;WRITE_DELAY=0",
                "jdbc:h2:nioMemFS:process;WRITE_DELAY=0",
                "jdbc:h2:memLZF:process;WRITE_DELAY=0",
                "jdbc:h2:nioMemLZF:process;WRITE_DELAY=0",
                "jdbc:h2:split:nioMemFS:process;WRITE_DELAY=0",
                "jdbc:h2:file:memFS:process;WRITE_DELAY=0"
            })
    void anH2InTheMemoryOfThisProcessIsRefused(String url) throws SQLException {
        try (WorkerCoordinator byUrl = open("orders", Resources.NONE, "url", url);
                Pool pool = new Pool(Pool.Product.HIKARI, url);
                WorkerCoordinator ofPool = open("orders", pool)) {
            for (WorkerCoordinator coordinator : new WorkerCoordinator[] {byUrl, ofPool}) {
                CoordinatorException refusal = refusal(coordinator);

                assertThat(refusal)
                        .hasMessageContaining("this H2 is in memory, and of this process alone")
                        .hasMessageContaining("snowflake.jdbc.in-memory=allow");
                assertThat(refusal.permanent()).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:h2:mem:allowed;DB_CLOSE_DELAY=-1", "jdbc:h2:nioMemFS:allowed;DB_CLOSE_DELAY=-1"})
    void anH2InTheMemoryOfThisProcessIsAllowedByItsKey(String url) {
        try (WorkerCoordinator coordinator = open("orders", Resources.NONE, "url", url, "in-memory", "allow")) {
            requireWorking(coordinator);
        }
    }

    /** It is that of all processes, until it ends. */
    @Test
    void anH2InTheMemoryOfAServerMayLoseWhatItAcknowledged() throws SQLException {
        Server server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        String url = "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:ids;DB_CLOSE_DELAY=-1";
        try (WorkerCoordinator required = open("orders", Resources.NONE, "url", url);
                WorkerCoordinator warned = open("in-a-server", Resources.NONE, "url", url, "durability", "warn")) {
            CoordinatorException refusal = refusal(required);

            assertThat(refusal).hasMessageContaining("it is in memory: the database " + DANGER);
            assertThat(refusal.permanent()).isTrue();
            requireWorking(warned);
            assertThat(LogLines.of("in-a-server"))
                    .anyMatch(line -> line.startsWith("WARNING") && line.contains("it is in memory: the database"));
        } finally {
            server.stop();
        }
    }

    // ---- commits that are not durable

    @Test
    void commitsThatAreNotDurableAreRefusedUnlessThatIsAccepted() {
        try (Databases.H2 h2 = new Databases.H2();
                PostgresServer unsyncedPostgres =
                        PostgresServer.builder().configure("fsync", "off").start();
                MariaDbServer careless = MariaDbServer.start("--innodb-flush-log-at-trx-commit=2");
                MariaDbServer unsynced = MariaDbServer.start("--log-bin", "--sync-binlog=0")) {
            Map<String, String> urls = new LinkedHashMap<>();
            urls.put("fsync=off|fsync=on", unsyncedPostgres.url());
            urls.put(
                    "fsync=off, synchronous_commit=off|fsync=on and synchronous_commit=on",
                    unsyncedPostgres.url() + "&options=-c%20synchronous_commit=off");
            urls.put(
                    "synchronous_commit=off|synchronous_commit=on",
                    postgres.url() + "&options=-c%20synchronous_commit=off");
            urls.put("innodb_flush_log_at_trx_commit=2|innodb_flush_log_at_trx_commit=1", careless.url());
            urls.put("sync_binlog=0|sync_binlog=1", unsynced.url());
            urls.put("WRITE_DELAY=500|WRITE_DELAY=0", h2.url(h2.port()).replace(";WRITE_DELAY=0", ""));
            urls.forEach((doubtAndRemedy, url) -> {
                String[] parts = doubtAndRemedy.split("\\|", -1);
                String danger = parts[0] + ": the database " + DANGER + parts[1];
                try (WorkerCoordinator required = open("orders", Resources.NONE, "url", url);
                        WorkerCoordinator warned = open("warned", Resources.NONE, "url", url, "durability", "warn");
                        WorkerCoordinator again = open("warned", Resources.NONE, "url", url, "durability", "warn")) {
                    CoordinatorException refusal = refusal(required);

                    assertThat(refusal)
                            .hasMessageContaining(danger + ", or accept it with snowflake.jdbc.durability=warn.");
                    assertThat(refusal.permanent()).isTrue();
                    requireWorking(warned);
                    requireWorking(again);
                    assertThat(LogLines.of("warned").stream()
                                    .filter(line -> line.startsWith("WARNING") && line.contains("): " + danger)))
                            .hasSize(1);
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aServerThatIsRestartedWithoutDurabilityIsNotUsedAnyMore(boolean pooled) throws SQLException {
        try (PostgresServer server = PostgresServer.start();
                Pool pool = new Pool(Pool.Product.HIKARI, server.url());
                WorkerCoordinator coordinator =
                        pooled ? open("orders", pool) : open("orders", Resources.NONE, "url", server.url())) {
            requireWorking(coordinator);
            server.sql("ALTER SYSTEM SET fsync TO off");
            server.stop();
            server.startAgain();
            server.awaitHealthy();

            await(Node.PATIENCE, () -> {
                CoordinatorException refusal =
                        catchThrowableOfType(CoordinatorException.class, () -> coordinator.read(3, 3, TIMEOUT));
                // Before that, the pool notices that its connections have ended.
                return refusal != null && refusal.getMessage().contains("fsync=off: the database " + DANGER);
            });
        }
    }

    /** As for a bulk load. A pool keeps its connections for half an hour. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aServerWhoseSettingsAreChangedWhileItRunsIsRefusedWithinAMinute(boolean onMariaDb) throws SQLException {
        AtomicLong nanos = new AtomicLong();
        try (MariaDbServer mariaDb = MariaDbServer.start();
                PostgresServer own = PostgresServer.start();
                Pool pool = new Pool(Pool.Product.HIKARI, onMariaDb ? mariaDb.url() : own.url());
                JdbcStore store = new JdbcStore(
                        new JdbcSettings(
                                new CoordinatorConfig("orders", "snowflake", Node.TIME_TO_LIVE, keys()::get, pool)),
                        SharedDatabase.all(nanos::get))) {
            assertThat(store.compareAndSet("k", null, "before", TIMEOUT)).isInstanceOf(Write.Applied.class);
            if (onMariaDb) {
                pool.use(connection -> execute(connection, "SET GLOBAL innodb_flush_log_at_trx_commit=2"));
            } else {
                own.sql("ALTER SYSTEM SET fsync TO off");
                own.sql("SELECT pg_reload_conf()");
                await(Node.PATIENCE, () -> own.sql("SHOW fsync").contains("off"));
            }
            assertThat(store.read(List.of("k"), TIMEOUT).entries()).isNotEmpty();

            nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));

            assertThat(catchThrowableOfType(CoordinatorException.class, () -> store.read(List.of("k"), TIMEOUT)))
                    .hasMessageContaining((onMariaDb ? "innodb_flush_log_at_trx_commit=2" : "fsync=off")
                            + ": the database " + DANGER);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            boolean unused = statement.execute(sql);
        }
    }

    /** By drivers that know several servers, and hide from pools that they left one. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aServerThatAConnectionWentOnToByItselfIsLookedAtToo(boolean pooled) throws SQLException {
        try (MariaDbServer first = MariaDbServer.start();
                MariaDbServer next = MariaDbServer.start("--innodb-flush-log-at-trx-commit=2")) {
            String both = "jdbc:mariadb:sequential://127.0.0.1:" + first.clientPort() + ",127.0.0.1:"
                    + next.clientPort() + "/ids?user=admin";
            try (Pool pool = new Pool(Pool.Product.HIKARI, both);
                    WorkerCoordinator coordinator =
                            pooled ? open("orders", pool) : open("orders", Resources.NONE, "url", both)) {
                requireWorking(coordinator);
                Path copy = first.backup();
                next.stop();
                next.restore(copy);
                next.startAgain();
                next.awaitHealthy();
                assertThat(coordinator.read(3, 3, TIMEOUT).meta()).isNotNull();
                first.kill();

                await(Node.PATIENCE, () -> {
                    CoordinatorException refusal =
                            catchThrowableOfType(CoordinatorException.class, () -> coordinator.read(3, 3, TIMEOUT));
                    assertThat(refusal).as("believed").isNotNull();
                    return refusal.getMessage().contains("innodb_flush_log_at_trx_commit=2: the database " + DANGER);
                });
            }
        }
    }

    @Test
    void durableDatabasesAreUsedWithoutAWord() {
        try (Databases.H2 h2 = new Databases.H2();
                MariaDbServer mariaDb = MariaDbServer.start()) {
            for (String url : new String[] {postgres.url(), mariaDb.url(), h2.url(h2.port())}) {
                try (WorkerCoordinator coordinator = open("durable", Resources.NONE, "url", url)) {
                    requireWorking(coordinator);
                }
            }
        }
        assertThat(LogLines.of("durable")).noneMatch(line -> line.contains("may lose"));
    }
}
