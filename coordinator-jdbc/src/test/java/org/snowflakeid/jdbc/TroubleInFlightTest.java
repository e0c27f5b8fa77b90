// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.time;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Resources;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.MariaDbServer;
import org.snowflakeid.testservers.PostgresServer;

/** What happens to a table, a pool, a user or the answers while a generator runs. */
class TroubleInFlightTest {
    private static PostgresServer postgres;
    private static MariaDbServer mariaDb;

    @BeforeAll
    static void startServers() {
        postgres = PostgresServer.builder()
                .access("host all locked 127.0.0.1/32 scram-sha-256")
                .start();
        mariaDb = MariaDbServer.start();
    }

    @AfterAll
    static void stopServers() {
        postgres.close();
        mariaDb.close();
    }

    private static LeasedSnowflake open(Resources resources, String... keys) {
        Map<String, String> all = new HashMap<>();
        all.put("snowflake.coordinator", "jdbc");
        all.put("snowflake.namespace", Node.freshNamespace());
        all.put("snowflake.window", "PT3S");
        all.put("snowflake.wait-timeout", "PT0S");
        for (int i = 0; i < keys.length; i += 2) {
            all.put("snowflake.jdbc." + keys[i], keys[i + 1]);
        }
        return LeasedSnowflake.open(SnowflakeSettings.of("default", all::get).withResources(resources));
    }

    private static void awaitError(LeasedSnowflake ids, String words) {
        await(
                PATIENCE,
                () -> ids.status().state() == State.SUSPENDED
                        && ids.status().lastError().orElse("").contains(words));
    }

    private static void awaitActive(LeasedSnowflake ids) {
        await(PATIENCE, () -> ids.status().state() == State.ACTIVE);
        assertThat(ids.nextId()).isPositive();
    }

    /** As an emptied table is: records that were acknowledged are gone. */
    @Test
    void aTableThatIsRenamedIsLostData() {
        postgres.sql("CREATE SCHEMA renamed");
        try (LeasedSnowflake ids = open(Resources.NONE, "url", postgres.url(), "schema", "renamed")) {
            postgres.sql("ALTER TABLE renamed.snowflake_record RENAME TO kept");

            await(PATIENCE, () -> ids.status().lastError().orElse("").contains("lost its record (meta)"));
            assertThat(catchThrowableOfType(SnowflakeException.class, ids::nextId))
                    .hasMessageContaining("runbook");
            assertThat(postgres.sql("SELECT to_regclass('renamed.snowflake_record')"))
                    .isBlank();
        }
    }

    @Test
    void aPoolThatIsClosedFirstIsNamedAndKeepsNoClose() throws SQLException {
        Pool pool = new Pool(Pool.Product.HIKARI, postgres.url());
        try (LeasedSnowflake ids = open(pool)) {
            pool.close();

            awaitError(ids, "has been closed");
            assertThat(ids.status().lastError().orElse("")).contains("Check the data source");
            requireWithin(Duration.ofSeconds(5), () -> time(ids::close));
        }
    }

    @Test
    void aUserThatIsLockedIsNamedAndGoesOnWhenItIsUnlocked() throws SQLException {
        postgres.sql("CREATE ROLE locked LOGIN PASSWORD 'hunter2'; CREATE SCHEMA locked AUTHORIZATION locked");
        String url = postgres.anonymousUrl(postgres.clientPort());
        try (LeasedSnowflake ids = open(Resources.NONE, "url", url, "user", "locked", "password", "hunter2")) {
            postgres.sql("ALTER ROLE locked NOLOGIN; SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE usename = 'locked'");
            awaitError(ids, "the database refuses the login");
            assertThat(ids.status().lastError().orElse("")).contains("is not permitted to log in");
            postgres.sql("ALTER ROLE locked LOGIN");
            awaitActive(ids);
        }
    }

    /** It hides the records, which are there all the same. */
    @Test
    void rowLevelSecurityThatIsTurnedOnIsNamedAndIdsComeBackWithoutIt() {
        postgres.sql("CREATE ROLE guarded LOGIN; CREATE SCHEMA guarded AUTHORIZATION guarded; "
                + Dialect.POSTGRESQL.createTable("guarded.snowflake_record")
                + "; GRANT SELECT, INSERT, UPDATE ON guarded.snowflake_record TO guarded");
        String url = postgres.url().replace("user=admin", "user=guarded");
        try (LeasedSnowflake ids = open(Resources.NONE, "url", url, "schema", "guarded")) {
            postgres.sql("ALTER TABLE guarded.snowflake_record ENABLE ROW LEVEL SECURITY");
            awaitError(ids, "row-level security");
            postgres.sql("ALTER TABLE guarded.snowflake_record DISABLE ROW LEVEL SECURITY");
            awaitActive(ids);
        }
    }

    @Test
    void aLockedAccountOfMariaDbEndsAStart() throws SQLException {
        execute(
                mariaDb.url(),
                "CREATE USER locked@'127.0.0.1' IDENTIFIED BY 'hunter2' ACCOUNT LOCK",
                "GRANT ALL ON ids.* TO locked@'127.0.0.1'");
        String url = mariaDb.anonymousUrl(mariaDb.clientPort());

        assertThat(catchThrowableOfType(SnowflakeException.class, () -> open(
                                Resources.NONE, "url", url, "user", "locked", "password", "hunter2")
                        .close()))
                .hasMessageContaining("the database refuses the login")
                .hasMessageContaining("account is locked");
    }

    private static void execute(String url, String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    // ---- drivers

    /** As with HSQLDB's driver: a pool takes SQLSTATE 0A000 for the end of its connection. */
    @Test
    void aDatabaseIsNamedThoughItsDriverKnowsNoNetworkTimeout() {
        DataSource nameless = (DataSource) like(DataSource.class, "getConnection", () -> {
            Connection real = DriverManager.getConnection("jdbc:h2:mem:nameless");
            Object data = like(DatabaseMetaData.class, "getDatabaseProductName", () -> "Nameless", real.getMetaData());
            return like(Connection.class, "getMetaData", () -> data, real);
        });
        HikariConfig config = new HikariConfig();
        config.setDataSource(nameless);
        try (HikariDataSource pool = new HikariDataSource(config);
                WorkerCoordinator coordinator = new JdbcCoordinatorProvider()
                        .open(
                                new CoordinatorConfig(
                                        "orders", "snowflake", Node.TIME_TO_LIVE, key -> null, always(pool)),
                                () -> {})) {
            CoordinatorException refusal =
                    catchThrowableOfType(CoordinatorException.class, () -> coordinator.read(0, 0, TIMEOUT));

            assertThat(refusal).hasMessageContaining("the database is Nameless");
            assertThat(refusal.permanent()).isTrue();
        }
    }

    /** A balancer before a cluster leads each connection to one of its nodes, which have variables of their own. */
    @Test
    void eachNodeOfAClusterIsAskedWhetherItWaitsForTheOthers() {
        AtomicInteger syncWait = new AtomicInteger(1);
        DataSource balanced = (DataSource) like(DataSource.class, "getConnection", () -> {
            Connection real = DriverManager.getConnection(mariaDb.url());
            String variables = "SELECT 'wsrep_on', 'ON' UNION SELECT 'wsrep_provider', '/lib/galera.so'"
                    + " UNION SELECT 'wsrep_sync_wait', '" + syncWait.get() + "'"
                    + " UNION SELECT 'sql_select_limit', '18446744073709551615'";
            return like(
                    Connection.class,
                    "createStatement",
                    () -> {
                        Statement asking = real.createStatement();
                        return like(Statement.class, "executeQuery", () -> asking.executeQuery(variables), asking);
                    },
                    real);
        });
        try (WorkerCoordinator coordinator = new JdbcCoordinatorProvider()
                .open(
                        new CoordinatorConfig(
                                "orders", Node.freshNamespace(), Node.TIME_TO_LIVE, key -> null, always(balanced)),
                        () -> {})) {
            applied(coordinator.writeMeta(null, Node.unique("id=1"), TIMEOUT));
            syncWait.set(0);

            assertThat(catchThrowableOfType(CoordinatorException.class, () -> coordinator.read(0, 0, TIMEOUT)))
                    .hasMessageContaining("may answer with what is out of date (wsrep_sync_wait=0)");
        }
    }

    private static Resources always(DataSource dataSource) {
        return new Resources() {
            @Override
            public <T> Optional<T> find(Class<T> type, @Nullable String name) {
                return Optional.of(type.cast(dataSource));
            }
        };
    }

    private interface Answer {
        Object get() throws SQLException;
    }

    private static Object like(Class<?> type, String method, Answer answer) {
        return like(type, method, answer, null);
    }

    private static Object like(Class<?> type, String method, Answer answer, @Nullable Object real) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, called, arguments) -> {
            if (called.getName().equals(method)) {
                return answer.get();
            }
            if (called.getName().endsWith("NetworkTimeout")) {
                throw new SQLFeatureNotSupportedException("feature not supported", "0A000");
            }
            try {
                return real != null ? called.invoke(real, arguments) : called.getReturnType() == int.class ? 0 : null;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }

    // ---- answers

    /**
     * The server does each write, and says so when its client has stopped waiting. It takes longer than the window: a
     * write that has been done by then is found by the next read, and ids go on.
     */
    @Test
    void aServerThatAlwaysAnswersTooLateSuspendsAndGoesOnAfterwards() {
        postgres.sql("CREATE SCHEMA late; " + Dialect.POSTGRESQL.createTable("late.snowflake_record"));
        try (LeasedSnowflake ids = open(Resources.NONE, "url", postgres.url(), "schema", "late")) {
            postgres.sql("CREATE FUNCTION late.slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(5);"
                    + " RETURN NULL; END $$;"
                    + " CREATE TRIGGER slow AFTER UPDATE ON late.snowflake_record FOR EACH STATEMENT"
                    + " EXECUTE FUNCTION late.slow()");
            awaitError(ids, "does not answer in time (the request was sent)");
            postgres.sql("DROP TRIGGER slow ON late.snowflake_record");
            awaitActive(ids);
        }
    }
}
