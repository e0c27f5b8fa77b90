// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Node.rejected;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
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
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordStore.Write.Applied;
import org.snowflakeid.spi.RecordStore.Write.Rejected;
import org.snowflakeid.spi.Resources;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.LogLines;
import org.snowflakeid.testservers.MariaDbServer;
import org.snowflakeid.testservers.PgBouncer;
import org.snowflakeid.testservers.PostgresServer;

/** Which table a generator uses, and that it never is another one. */
class OneTableTest {
    private static PostgresServer postgres;
    private static PostgresServer otherPostgres;
    private static MariaDbServer mariaDb;
    private static MariaDbServer otherMariaDb;
    private static Databases.H2 h2;
    private static Databases.H2 otherH2;

    @BeforeAll
    static void startServers() {
        LogLines.listen();
        postgres = PostgresServer.start();
        otherPostgres = PostgresServer.start();
        mariaDb = MariaDbServer.start();
        otherMariaDb = MariaDbServer.start();
        h2 = new Databases.H2();
        otherH2 = new Databases.H2();
    }

    @AfterAll
    static void stopServers() {
        postgres.close();
        otherPostgres.close();
        mariaDb.close();
        otherMariaDb.close();
        h2.close();
        otherH2.close();
    }

    enum Product {
        POSTGRESQL,
        MARIADB,
        H2;

        String url() {
            return switch (this) {
                case POSTGRESQL -> postgres.url();
                case MARIADB -> mariaDb.url();
                case H2 -> h2.url(h2.port());
            };
        }

        /** Of another server, or of another file. */
        String otherUrl() {
            return switch (this) {
                case POSTGRESQL -> otherPostgres.url();
                case MARIADB -> otherMariaDb.url();
                case H2 -> otherH2.url(otherH2.port());
            };
        }
    }

    private static void execute(String url, String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    /** Connections as the URL of this moment has them, in which statements were executed by those who had them before. */
    private static final class Routing implements Resources {
        final AtomicReference<String> url;
        final String[] before;

        Routing(String url, String... before) {
            this.url = new AtomicReference<>(url);
            this.before = before;
        }

        private Connection connection() throws SQLException {
            Connection connection = DriverManager.getConnection(url.get());
            try (Statement statement = connection.createStatement()) {
                for (String each : before) {
                    statement.execute(each);
                }
            }
            return connection;
        }

        @Override
        public <T> Optional<T> find(Class<T> type, @Nullable String name) {
            return Optional.of(type.cast(Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {DataSource.class},
                    (proxy, method, arguments) -> method.getName().equals("getConnection") ? connection() : null)));
        }
    }

    private static WorkerCoordinator open(String namespace, Resources resources, String... keys) {
        return new JdbcCoordinatorProvider()
                .open(
                        new CoordinatorConfig("orders", namespace, Node.TIME_TO_LIVE, keys(keys)::get, resources),
                        () -> {});
    }

    private static Map<String, String> keys(String... keys) {
        Map<String, String> all = new HashMap<>();
        for (int i = 0; i < keys.length; i += 2) {
            all.put("snowflake.jdbc." + keys[i], keys[i + 1]);
        }
        return all;
    }

    private static Stored create(WorkerCoordinator coordinator) {
        return applied(coordinator.writeMeta(null, Node.unique("id=1"), TIMEOUT))
                .written();
    }

    private static CoordinatorException refusal(Resources resources, String... keys) {
        try (WorkerCoordinator coordinator = open("refused", resources, keys)) {
            return catchThrowableOfType(CoordinatorException.class, () -> create(coordinator));
        }
    }

    // ---- connections that lead to another database

    /** Of another server: as it is, with a table of its own, or with an empty one. */
    @ParameterizedTest
    @EnumSource
    void anotherDatabaseIsNoLossAndGetsNothing(Product product) throws SQLException {
        String namespace = Node.freshNamespace();
        String table = "elsewhere";
        Routing routing = new Routing(product.url());
        try (WorkerCoordinator coordinator = open(namespace, routing, "table", table)) {
            Stored meta = create(coordinator);
            Stored mark = applied(coordinator.claim(3, null, "limit=1", "o", false, meta, TIMEOUT))
                    .written();
            for (int i = 0; i < 3; i++) {
                routing.url.set(product.otherUrl());
                CoordinatorException read =
                        catchThrowableOfType(CoordinatorException.class, () -> coordinator.read(3, 3, TIMEOUT));
                assertThat(read.permanent()).isFalse();
                assertThat(read)
                        .hasMessageContaining("this connection leads to another database")
                        .hasMessageContaining("snowflake.jdbc.data-source");
                assertThat(catchThrowableOfType(
                                CoordinatorException.class,
                                () -> coordinator.extend(3, mark, "limit=2", "o", meta, TIMEOUT)))
                        .hasMessageContaining("another database");
                assertThat(catchThrowableOfType(CoordinatorException.class, () -> create(coordinator)))
                        .hasMessageContaining("another database");
                if (i == 0) {
                    execute(product.otherUrl(), dialect(product).createTable(table));
                } else if (i == 1) {
                    try (WorkerCoordinator other = open(namespace, new Routing(product.otherUrl()), "table", table)) {
                        create(other);
                    }
                }
            }
            routing.url.set(product.url());

            assertThat(applied(coordinator.extend(3, mark, "limit=2", "o", meta, TIMEOUT))
                            .ownerHeld())
                    .isTrue();
        }
    }

    private static Dialect dialect(Product product) {
        return Dialect.valueOf(product.name());
    }

    /** What was read here, and is written there. */
    @Test
    void nothingIsInsertedIntoAnotherTable() throws SQLException {
        Routing routing = new Routing(postgres.url());
        try (JdbcStore store = store(routing);
                JdbcStore other = store(new Routing(otherPostgres.url()))) {
            assertThat(store.compareAndSet("a/1", null, "one", TIMEOUT)).isInstanceOf(Applied.class);
            assertThat(other.compareAndSet("a/1", null, "other", TIMEOUT)).isInstanceOf(Applied.class);

            routing.url.set(otherPostgres.url());

            assertThat(store.compareAndSet("a/2", null, "two", TIMEOUT)).isInstanceOf(Rejected.class);
            assertThat(otherPostgres.sql("SELECT count(*) FROM snowflake_record WHERE name = 'a/2'"))
                    .startsWith("0");
        }
    }

    private static JdbcStore store(Resources resources) {
        return new JdbcStore(new JdbcSettings(
                new CoordinatorConfig("orders", "snowflake", Node.TIME_TO_LIVE, key -> null, resources)));
    }

    /** A replica that was promoted is in another place, and has the same table. */
    @Test
    void theSameTableInAnotherPlaceIsAFailover() {
        postgres.sql("CREATE DATABASE before");
        Routing routing = new Routing(postgres.url().replace("/ids", "/before"));
        try (WorkerCoordinator coordinator = open(Node.freshNamespace(), routing)) {
            Stored meta = create(coordinator);
            Stored mark = applied(coordinator.claim(3, null, "limit=1", "o", false, meta, TIMEOUT))
                    .written();
            postgres.sql("CREATE DATABASE after TEMPLATE before");

            routing.url.set(postgres.url().replace("/ids", "/after"));
            Stored next = applied(coordinator.extend(3, mark, "limit=2", "o", meta, TIMEOUT))
                    .written();

            // And what becomes of it there is the truth.
            try (WorkerCoordinator same = open("unused", new Routing(routing.url.get()))) {
                assertThat(same.read(3, 3, TIMEOUT).meta()).isNull();
            }
            executeThere(routing, "DELETE FROM snowflake_record");
            assertThat(rejected(coordinator.extend(3, next, "limit=3", "o", meta, TIMEOUT))
                            .meta())
                    .isNull();
        }
    }

    private static void executeThere(Routing routing, String sql) {
        try {
            execute(routing.url.get(), sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    // ---- which schema it is

    @Test
    void theTableThatIsThereIsTheOneAndASchemaThatIsAddedBeforeItChangesNothing() throws SQLException {
        postgres.sql("CREATE ROLE late LOGIN; CREATE SCHEMA early; GRANT ALL ON SCHEMA early TO late;"
                + " ALTER ROLE late SET search_path TO \"$user\", early; GRANT CREATE ON DATABASE ids TO late");
        String url = postgres.anonymousUrl(postgres.clientPort()) + "?user=late";
        String namespace = Node.freshNamespace();
        try (WorkerCoordinator first = open(namespace, new Routing(url))) {
            create(first);
            assertThat(first.location()).isEqualTo("table early.snowflake_record");

            execute(url, "CREATE SCHEMA late");

            try (WorkerCoordinator second = open(namespace, new Routing(url, "SET search_path TO public"))) {
                assertThat(second.read(0, 0, TIMEOUT).meta()).isNotNull();
                // Only processes that start now use a second table in front of it.
                execute(url, Dialect.POSTGRESQL.createTable("late.snowflake_record"));
                assertThat(first.read(0, 0, TIMEOUT).meta()).isNotNull();
                assertThat(second.read(0, 0, TIMEOUT).meta()).isNotNull();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, SET search_path TO straying, public",
        "MARIADB, USE straying, ids",
        "H2, SET SCHEMA straying, PUBLIC"
    })
    void aFirstStartCreatesNoTableWhileItsSessionLooksElsewhere(Product product, String statement, String schema)
            throws SQLException {
        execute(product.url(), "CREATE SCHEMA straying");
        Routing straying = new Routing(product.url(), statement);

        CoordinatorException refusal = refusal(straying, "table", "straying_record");

        assertThat(refusal.permanent()).isTrue();
        assertThat(refusal)
                .hasMessageContaining("there is no table " + schema + "." + fold(product, "straying_record"))
                .hasMessageContaining("this connection looks in '" + fold(product, "straying") + "'")
                .hasMessageContaining("Name the schema where the table belongs in snowflake.jdbc.schema.");
        try (WorkerCoordinator named =
                open(Node.freshNamespace(), straying, "table", "straying_record", "schema", schema)) {
            create(named);
        }
        try (WorkerCoordinator other = open(Node.freshNamespace(), straying, "table", "straying_record")) {
            create(other);
            assertThat(other.location()).startsWith("table " + schema + ".");
        }
    }

    private static String fold(Product product, String name) {
        return product == Product.H2 ? name.toUpperCase(Locale.ROOT) : name;
    }

    /** Whatever may be in a name, of which none is part of a statement. */
    @ParameterizedTest
    @EnumSource
    void namesAreTakenAsTheyAre(Product product) throws SQLException {
        String quote = product == Product.MARIADB ? "`" : "\"";
        String schema = fold(product, "Odd " + quote + "; ' schema");
        execute(product.url(), "CREATE SCHEMA " + quote + schema.replace(quote, quote + quote) + quote);
        String table = "Odd " + quote + " ' table";
        try (WorkerCoordinator coordinator =
                open(Node.freshNamespace(), new Routing(product.url()), "schema", schema, "table", table)) {
            Stored meta = create(coordinator);
            Stored mark = applied(coordinator.claim(3, null, "limit=1", "o", false, meta, TIMEOUT))
                    .written();
            applied(coordinator.extend(3, mark, "limit=2", "o", meta, TIMEOUT));
            assertThat(coordinator.location()).isEqualTo("table " + schema + "." + fold(product, table));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSchemaThatIsNotThereIsNamed(Product product) {
        CoordinatorException refusal = refusal(new Routing(product.url()), "schema", "nowhere");

        assertThat(refusal.permanent()).isTrue();
        assertThat(refusal)
                .hasMessageContaining("there is no schema '" + fold(product, "nowhere") + "'")
                .hasMessageContaining("or name another in snowflake.jdbc.schema");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "closed"})
    void aSchemaThatThisUserMayNotUseIsNamed(String given) {
        postgres.sql("CREATE ROLE outside" + given + " LOGIN; CREATE SCHEMA IF NOT EXISTS closed; ALTER ROLE outside"
                + given + " SET search_path TO closed");
        Routing outside = new Routing(postgres.anonymousUrl(postgres.clientPort()) + "?user=outside" + given);

        CoordinatorException refusal = given.isEmpty() ? refusal(outside) : refusal(outside, "schema", given);

        assertThat(refusal.permanent()).isTrue();
        assertThat(refusal)
                .hasMessageContaining("closed")
                .hasMessageContaining("this user may")
                .hasMessageContaining("snowflake.jdbc.schema");
    }

    /** SET ROLE is a matter of one session, and whom "$user" means is not. */
    @Test
    void theUserIsTheOneWhoLoggedIn() {
        postgres.sql("CREATE ROLE borrowed; CREATE SCHEMA borrowed; CREATE SCHEMA admin");
        String namespace = Node.freshNamespace();
        try (WorkerCoordinator coordinator = open(namespace, new Routing(postgres.url()), "table", "own");
                WorkerCoordinator switched =
                        open(namespace, new Routing(postgres.url(), "SET ROLE borrowed"), "table", "own")) {
            create(coordinator);
            postgres.sql("GRANT ALL ON SCHEMA admin TO borrowed; GRANT ALL ON admin.own TO borrowed");

            assertThat(switched.read(0, 0, TIMEOUT).meta()).isNotNull();
            assertThat(switched.location()).isEqualTo("table admin.own");
        } finally {
            postgres.sql("DROP SCHEMA admin CASCADE");
        }
    }

    @Test
    void aSearchPathThatAPoolerDroppedIsNotGuessed() {
        postgres.sql("CREATE SCHEMA asked");
        try (PgBouncer bouncer = PgBouncer.start(postgres, "transaction", 1)) {
            CoordinatorException refusal = refusal(new Routing(bouncer.url() + "&currentSchema=asked"));

            assertThat(refusal.permanent()).isTrue();
            assertThat(refusal)
                    .hasMessageContaining("the URL asks for the search_path 'asked'")
                    .hasMessageContaining("Name it in snowflake.jdbc.schema.");
            try (WorkerCoordinator named = open(
                    Node.freshNamespace(), new Routing(bouncer.url() + "&currentSchema=asked"), "schema", "asked")) {
                create(named);
            }
        }
        try (WorkerCoordinator direct = open(
                Node.freshNamespace(),
                new Routing(
                        postgres.url() + "&options=-c%20search_path=Asked,%5C%20public",
                        "SET search_path TO public"))) {
            assertThat(direct.read(0, 0, TIMEOUT).meta()).isNull();
            assertThat(direct.location()).isEqualTo("table asked.snowflake_record");
        }
    }

    @Test
    void aUrlWithoutADatabaseNamesNone() {
        String url = mariaDb.url().replace("/ids", "/");

        CoordinatorException refusal = refusal(new Routing(url, "USE ids"));

        assertThat(refusal.permanent()).isTrue();
        assertThat(refusal)
                .hasMessageContaining("names no database")
                .hasMessageContaining("Name it in snowflake.jdbc.schema.");
        try (WorkerCoordinator named = open(Node.freshNamespace(), new Routing(url), "schema", "ids")) {
            create(named);
        }
    }

    // ---- what happens to it in flight

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "H2"})
    void aSchemaThatIsRenamedSuspendsUntilItIsBack(Product product) throws SQLException {
        execute(product.url(), "CREATE SCHEMA moving");
        Map<String, String> settings = new HashMap<>(keys("url", product.url(), "schema", "moving"));
        settings.put("snowflake.coordinator", "jdbc");
        settings.put("snowflake.namespace", Node.freshNamespace());
        settings.put("snowflake.window", "PT3S");
        settings.put("snowflake.wait-timeout", "PT0S");
        try (LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(settings))) {
            assertThat(LogLines.of("default"))
                    .anyMatch(line -> line.contains("claimed worker id")
                            && line.contains("from jdbc (table " + fold(product, "moving") + "."));
            execute(product.url(), "ALTER SCHEMA moving RENAME TO away");

            // On a busy machine the last call of several may just have had no answer in time.
            String missing = "there is no schema '" + fold(product, "moving") + "'";
            await(
                    PATIENCE,
                    () -> ids.status().state() == State.SUSPENDED
                            && ids.status().lastError().orElse("").contains(missing));
            execute(product.url(), "ALTER SCHEMA away RENAME TO moving");

            await(PATIENCE, () -> ids.status().state() == State.ACTIVE);
            assertThat(ids.nextId()).isPositive();
        }
    }

    @Test
    void aDatabaseThatIsDroppedIsNoLossOfRecords() throws SQLException {
        execute(mariaDb.url(), "CREATE DATABASE dropped");
        try (WorkerCoordinator coordinator =
                open(Node.freshNamespace(), new Routing(mariaDb.url()), "schema", "dropped")) {
            Stored meta = create(coordinator);
            Stored mark = applied(coordinator.claim(3, null, "limit=1", "o", false, meta, TIMEOUT))
                    .written();
            execute(mariaDb.url(), "DROP DATABASE dropped");

            assertThat(catchThrowableOfType(
                            CoordinatorException.class,
                            () -> coordinator.extend(3, mark, "limit=2", "o", meta, TIMEOUT)))
                    .hasMessageContaining("there is no schema 'dropped'");
        }
    }
}
