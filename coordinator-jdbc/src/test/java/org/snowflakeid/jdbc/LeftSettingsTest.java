// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Resources;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.MariaDbServer;
import org.snowflakeid.testservers.PostgresServer;

/** Sessions that an application left with settings of its own, and gave back to its pool. */
class LeftSettingsTest {
    private static PostgresServer postgres;
    private static MariaDbServer mariaDb;
    private static Databases.H2 h2;

    @BeforeAll
    static void startServers() {
        postgres = PostgresServer.start();
        mariaDb = MariaDbServer.start();
        h2 = new Databases.H2();
    }

    @AfterAll
    static void stopServers() {
        postgres.close();
        mariaDb.close();
        h2.close();
    }

    private static WorkerCoordinator open(Pool pool) {
        return open(pool, Map.of());
    }

    private static WorkerCoordinator open(Pool pool, Map<String, String> keys) {
        return open(pool, keys, Node.freshNamespace());
    }

    private static WorkerCoordinator open(Resources resources, Map<String, String> keys, String namespace) {
        return new JdbcCoordinatorProvider()
                .open(new CoordinatorConfig("orders", namespace, Node.TIME_TO_LIVE, keys::get, resources), () -> {});
    }

    private static void leave(Pool pool, String setting) throws SQLException {
        execute(pool, "SET " + setting);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sql_select_limit=1",
                "sql_select_limit=0",
                "sql_mode=ORACLE",
                "sql_mode='ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES'",
                "sql_mode=''",
                "group_concat_max_len=4",
                "sql_safe_updates=1",
                "autocommit=0",
                "completion_type=1",
                "tx_isolation=SERIALIZABLE",
                "sql_auto_is_null=1",
                "time_zone='+09:00'",
                "timestamp=1",
                "timestamp=1700000000.5",
                "timestamp=UNIX_TIMESTAMP() + 86400, time_zone='+09:00'"
            })
    void aSessionOfMariaDbShowsAndWritesWhatAnyOtherDoes(String setting) throws SQLException {
        requireSame(mariaDb.url(), setting);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "synchronous_commit TO off",
                "default_transaction_isolation TO serializable",
                "standard_conforming_strings TO off",
                "search_path TO pg_temp",
                "timezone TO 'Asia/Tokyo'",
                "lock_timeout TO 1",
                "client_min_messages TO debug5",
                "row_security TO off"
            })
    void aSessionOfPostgresShowsAndWritesWhatAnyOtherDoes(String setting) throws SQLException {
        requireSame(postgres.url(), setting);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "TIME ZONE '+09:00'",
                "LAZY_QUERY_EXECUTION TRUE",
                "NON_KEYWORDS VALUE",
                "VARIABLE_BINARY TRUE",
                "SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE"
            })
    void aSessionOfH2ShowsAndWritesWhatAnyOtherDoes(String setting) throws SQLException {
        requireSame(h2.url(h2.port()), setting);
    }

    private static void requireSame(String url, String setting) throws SQLException {
        try (Pool pool = new Pool(Pool.Product.HIKARI, url);
                WorkerCoordinator coordinator = open(pool)) {
            Stored meta = applied(coordinator.writeMeta(null, Node.unique("id=1"), TIMEOUT))
                    .written();
            Stored mark = applied(coordinator.claim(3, null, Node.unique("limit=1"), "o", false, meta, TIMEOUT))
                    .written();
            Slot held = coordinator.read(3, 3, TIMEOUT).slots().get(0);
            leave(pool, setting);

            Snapshot seen = coordinator.read(0, 5, TIMEOUT);

            assertThat(seen.meta()).isEqualTo(meta);
            assertThat(seen.slots()).hasSize(6).contains(held);
            assertThat(seen.serverTime()).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
            applied(coordinator.extend(3, mark, Node.unique("limit=2"), "o", meta, TIMEOUT));
        }
    }

    @Test
    void whatIsAcknowledgedOutlastsACrashThoughTheSessionDoesNotWaitForTheDisk() throws SQLException {
        // What is committed without waiting for the disk stays in memory meanwhile.
        try (PostgresServer server = PostgresServer.builder()
                        .configure("wal_writer_delay", "10000")
                        .configure("autovacuum", "off")
                        .start();
                Pool pool = new Pool(Pool.Product.HIKARI, server.url());
                WorkerCoordinator coordinator = open(pool)) {
            Stored meta = applied(coordinator.writeMeta(null, Node.unique("id=1"), TIMEOUT))
                    .written();
            Stored mark = applied(coordinator.claim(3, null, Node.unique("limit=1"), "o", false, meta, TIMEOUT))
                    .written();
            leave(pool, "synchronous_commit TO off");
            Stored extended = applied(coordinator.extend(3, mark, Node.unique("limit=2"), "o", meta, TIMEOUT))
                    .written();

            server.kill();
            server.startAgain();
            server.awaitHealthy();

            await(PATIENCE, () -> answers(coordinator));
            assertThat(coordinator.read(3, 3, TIMEOUT).slots().get(0).mark()).isEqualTo(extended);
        }
    }

    /** One that may not use the table. */
    @Test
    void aSessionThatWasLeftInAnotherRoleWorksAsItsOwnUser() throws SQLException {
        postgres.sql(
                "CREATE ROLE tenant; CREATE ROLE app LOGIN IN ROLE tenant;" + " CREATE SCHEMA app AUTHORIZATION app");
        try (Pool pool = new Pool(Pool.Product.HIKARI, postgres.url().replace("user=admin", "user=app"));
                WorkerCoordinator coordinator = open(pool, Map.of("snowflake.jdbc.schema", "app"))) {
            Stored meta = applied(coordinator.writeMeta(null, Node.unique("id=1"), TIMEOUT))
                    .written();
            leave(pool, "ROLE tenant");

            Stored mark = applied(coordinator.claim(3, null, Node.unique("limit=1"), "o", false, meta, TIMEOUT))
                    .written();
            applied(coordinator.extend(3, mark, Node.unique("limit=2"), "o", meta, TIMEOUT));
            pool.use(connection -> assertThat(role(connection)).isEqualTo("tenant"));
        }
    }

    private static final String UNCOMMITTED = "limit=9 of a transaction that may be undone";

    private static String uncommitted(String url) {
        return url.contains(":h2:")
                ? "SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ UNCOMMITTED"
                : "SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED";
    }

    /** The mark of worker id 3, or why none is shown. */
    private static String shown(WorkerCoordinator coordinator) {
        try {
            return String.valueOf(coordinator.read(3, 3, TIMEOUT).slots().get(0).mark());
        } catch (CoordinatorException e) {
            return String.valueOf(e.getMessage());
        }
    }

    // DBCP lends it as it was left, and over such a one nothing was claimed or extended
    @ParameterizedTest
    @EnumSource
    void aConnectionThatWasLeftReadOnlyIsWrittenAndGivenBackAsItWas(Pool.Product product) throws SQLException {
        for (String url : List.of(
                postgres.url() + "&readOnlyMode=always",
                mariaDb.url().replace("mariadb", "mysql"),
                mariaDb.url(),
                h2.url(h2.port()))) {
            try (Pool pool = new Pool(product, url);
                    WorkerCoordinator coordinator = open(pool)) {
                Stored meta = applied(coordinator.writeMeta(null, Node.unique("id=1"), TIMEOUT))
                        .written();
                Stored mark = applied(coordinator.claim(3, null, Node.unique("limit=1"), "o", false, meta, TIMEOUT))
                        .written();
                pool.use(connection -> connection.setReadOnly(true));
                boolean[] left = new boolean[2];
                pool.use(connection -> left[0] = connection.isReadOnly());

                applied(coordinator.extend(3, mark, Node.unique("limit=2"), "o", meta, TIMEOUT));

                pool.use(connection -> left[1] = connection.isReadOnly());
                assertThat(left[1]).isEqualTo(left[0]);
            }
        }
    }

    // what was undone later was taken for granted
    @ParameterizedTest
    @EnumSource
    void aSessionThatWasLeftShowingWhatIsNotCommittedIsNotBelieved(Pool.Product product) throws SQLException {
        for (String url : List.of(mariaDb.url(), h2.url(h2.port()))) {
            String namespace = Node.freshNamespace();
            try (Pool pool = new Pool(product, url);
                    WorkerCoordinator coordinator = open(pool, Map.of(), namespace);
                    Connection other = DriverManager.getConnection(url)) {
                Stored meta = applied(coordinator.writeMeta(null, Node.unique("id=1"), TIMEOUT))
                        .written();
                Stored mark = applied(coordinator.claim(3, null, Node.unique("limit=1"), "o", false, meta, TIMEOUT))
                        .written();
                leave(pool, uncommitted(url));
                other.setAutoCommit(false);
                write(other, namespace + "/marks/3", UNCOMMITTED);

                assertThat(shown(coordinator))
                        .contains("READ UNCOMMITTED")
                        .contains("Set the isolation of the data source to READ COMMITTED or higher.");

                other.rollback();
                leave(pool, uncommitted(url).replace("UNCOMMITTED", "COMMITTED"));
                applied(coordinator.extend(3, mark, Node.unique("limit=2"), "o", meta, TIMEOUT));
            }
        }
    }

    private static void write(Connection connection, String name, String value) throws SQLException {
        boolean h2 = connection.getMetaData().getURL().contains(":h2:");
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE snowflake_record SET " + (h2 ? "\"VALUE\"" : "value") + " = ? WHERE name = ?")) {
            update.setBytes(1, value.getBytes(StandardCharsets.UTF_8));
            update.setBytes(2, name.getBytes(StandardCharsets.UTF_8));
            assertThat(update.executeUpdate()).isOne();
        }
    }

    /** As the manual of Galera shows it: the variable is set for one statement of the application, and then unset. */
    @Test
    void aSessionThatWasLeftShowingWhatIsOutOfDateIsNotBelieved() throws SQLException {
        try (Pool pool = new Pool(Pool.Product.HIKARI, mariaDb.url());
                WorkerCoordinator coordinator = open(new NodeOfGalera(pool), Map.of(), Node.freshNamespace())) {
            leave(pool, "@wsrep_sync_wait = 1");
            applied(coordinator.writeMeta(null, Node.unique("id=1"), TIMEOUT));
            leave(pool, "@wsrep_sync_wait = 0");

            assertThat(shown(coordinator))
                    .contains("this is a node of a Galera cluster, and may answer with what is out of date");

            leave(pool, "@wsrep_sync_wait = 1");
            assertThat(coordinator.read(3, 3, TIMEOUT).meta()).isNotNull();
        }
    }

    private static final String WAITS = "@wsrep_sync_wait = 1, @wsrep_on = 'ON', @wsrep_dirty_reads = 'OFF'";

    /** By it marks stay in one node, or are those that a node has which lost its cluster. */
    @ParameterizedTest
    @CsvSource({
        "@wsrep_on = 'OFF', wsrep_on=OFF",
        "@wsrep_dirty_reads = 'ON', wsrep_dirty_reads=ON",
    })
    void aSessionThatWasLeftOutsideItsClusterIsNotUsed(String setting, String seen) throws SQLException {
        try (Pool pool = new Pool(Pool.Product.HIKARI, mariaDb.url());
                WorkerCoordinator coordinator = open(new NodeOfGalera(pool), Map.of(), Node.freshNamespace())) {
            leave(pool, WAITS);
            Stored meta = applied(coordinator.writeMeta(null, Node.unique("id=1"), TIMEOUT))
                    .written();
            leave(pool, setting);

            CoordinatorException refusal = catchThrowableOfType(
                    CoordinatorException.class,
                    () -> coordinator.claim(3, null, Node.unique("limit=1"), "o", false, meta, TIMEOUT));

            assertThat(refusal)
                    .hasMessageContaining("a node of a Galera cluster")
                    .hasMessageContaining(seen);
            leave(pool, WAITS);
            applied(coordinator.claim(3, null, Node.unique("limit=1"), "o", false, meta, TIMEOUT));
        }
    }

    /** As the begin of a dump does it. */
    @Test
    void aSessionThatWasLeftWritingForItsServerAloneIsNotUsed() throws SQLException {
        try (Pool pool = new Pool(Pool.Product.HIKARI, mariaDb.url());
                WorkerCoordinator coordinator = open(pool)) {
            Stored meta = applied(coordinator.writeMeta(null, Node.unique("id=1"), TIMEOUT))
                    .written();
            leave(pool, "sql_log_bin = 0");

            CoordinatorException refusal = catchThrowableOfType(
                    CoordinatorException.class,
                    () -> coordinator.claim(3, null, Node.unique("limit=1"), "o", false, meta, TIMEOUT));

            assertThat(refusal).hasMessageContaining("no replica, and no other node of a cluster,");
            leave(pool, "sql_log_bin = 1");
            applied(coordinator.claim(3, null, Node.unique("limit=1"), "o", false, meta, TIMEOUT));
        }
    }

    /** What it is asked for may be cut off, and then it shows no sign of its cluster. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aSessionThatWasLeftShowingFewRowsShowsAllThatIsWrongWithIt(int rows) throws SQLException {
        try (Pool pool = new Pool(Pool.Product.HIKARI, mariaDb.url());
                WorkerCoordinator coordinator = open(new NodeOfGalera(pool), Map.of(), Node.freshNamespace())) {
            leave(pool, WAITS);
            applied(coordinator.writeMeta(null, Node.unique("id=1"), TIMEOUT));
            leave(pool, "@wsrep_sync_wait = 0, sql_select_limit = " + rows);

            assertThat(shown(coordinator))
                    .contains("this is a node of a Galera cluster, and may answer with what is out of date");
        }
    }

    /** The first to look at it finds it so. */
    @Test
    void aServerThatMayLoseCommitsIsRefusedWhateverItsSessionShows() throws SQLException {
        try (MariaDbServer unsynced = MariaDbServer.start("--log-bin", "--sync-binlog=0");
                Pool pool = new Pool(Pool.Product.HIKARI, unsynced.url());
                Pool durable = new Pool(Pool.Product.HIKARI, mariaDb.url());
                WorkerCoordinator coordinator = open(pool);
                WorkerCoordinator used = open(durable)) {
            for (Pool each : List.of(pool, durable)) {
                leave(each, "sql_select_limit = 0");
            }

            assertThat(shown(coordinator)).contains("sync_binlog=0: the database may lose what it acknowledged");
            applied(used.writeMeta(null, Node.unique("id=1"), TIMEOUT));
        }
    }

    /** As an application does that loads many rows. */
    @ParameterizedTest
    @CsvSource({
        "synchronous=OFF, synchronous=0",
        "synchronous=NORMAL, synchronous=1",
        "journal_mode=OFF, journal_mode=off",
        "journal_mode=MEMORY, journal_mode=memory",
    })
    void aSessionOfSqliteThatWasLeftWithoutDurabilityIsNotUsed(String pragma, String seen) throws SQLException {
        try (SqliteFile file = new SqliteFile();
                Pool pool = new Pool(Pool.Product.HIKARI, file.url());
                WorkerCoordinator coordinator = open(pool)) {
            Stored meta = applied(coordinator.writeMeta(null, Node.unique("id=1"), TIMEOUT))
                    .written();
            execute(pool, "PRAGMA " + pragma);

            CoordinatorException refusal = catchThrowableOfType(
                    CoordinatorException.class,
                    () -> coordinator.claim(3, null, Node.unique("limit=1"), "o", false, meta, TIMEOUT));

            assertThat(refusal).hasMessageContaining(seen + ": the database may lose what it acknowledged");
            execute(pool, "PRAGMA synchronous=FULL");
            execute(pool, "PRAGMA journal_mode=DELETE");
            applied(coordinator.claim(3, null, Node.unique("limit=1"), "o", false, meta, TIMEOUT));
        }
    }

    private static void execute(Pool pool, String sql) throws SQLException {
        pool.use(connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        });
    }

    /** MariaDB without its cluster, whose variables stand in for those that it would have. */
    private record NodeOfGalera(Pool pool) implements Resources {
        private static final String VARIABLES = "SELECT 'wsrep_on', COALESCE(@wsrep_on, 'ON')"
                + " UNION SELECT 'wsrep_provider', 'galera.so'"
                + " UNION SELECT 'wsrep_sync_wait', CAST(@wsrep_sync_wait AS CHAR)"
                + " UNION SELECT 'wsrep_dirty_reads', COALESCE(@wsrep_dirty_reads, 'OFF')"
                + " UNION SELECT 'sql_select_limit', CAST(@@sql_select_limit AS CHAR)";

        @Override
        public <T> Optional<T> find(Class<T> type, @Nullable String name) {
            return pool.find(type, name).map(dataSource -> type.cast(altered(DataSource.class, dataSource)));
        }

        private static <T> Object altered(Class<T> type, Object inner) {
            return Proxy.newProxyInstance(
                    NodeOfGalera.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                        Object[] given = arguments;
                        if (method.getName().equals("executeQuery") && given != null) {
                            given = new Object[] {
                                String.valueOf(given[0])
                                        .replaceFirst("SHOW VARIABLES .*", VARIABLES)
                                        .replaceFirst("SHOW GLOBAL VARIABLES .*", "SELECT 'wsrep_on', 'ON'")
                            };
                        }
                        try {
                            Object answer = method.invoke(inner, given);
                            return switch (method.getName()) {
                                case "getConnection" -> altered(Connection.class, answer);
                                case "createStatement" -> altered(Statement.class, answer);
                                default -> answer;
                            };
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }

    private static String role(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT current_user")) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        }
    }

    private static boolean answers(WorkerCoordinator coordinator) {
        try {
            Snapshot unused = coordinator.read(3, 3, TIMEOUT);
            return true;
        } catch (CoordinatorException notYet) {
            return false;
        }
    }
}
