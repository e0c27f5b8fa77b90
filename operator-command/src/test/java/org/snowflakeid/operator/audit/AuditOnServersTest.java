// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.MariaDbServer;
import org.snowflakeid.testservers.PgBouncer;
import org.snowflakeid.testservers.PostgresServer;

/** Reading the ids of real databases: rights, read-only transactions, connections that the server ends, replicas. */
class AuditOnServersTest {
    private static final int IDS = 50_000;

    private static PostgresServer postgres;
    private static MariaDbServer mariaDb;

    private final List<String> complaints = new ArrayList<>();
    private int seen;

    @BeforeAll
    static void startServers() throws SQLException {
        postgres = PostgresServer.start();
        mariaDb = MariaDbServer.start();
        postgres.sql("CREATE SCHEMA shop; CREATE TABLE shop.orders (id bigint PRIMARY KEY, item text);"
                + " INSERT INTO shop.orders SELECT n, 'tea' FROM generate_series(1, " + IDS + ") n;"
                + " CREATE TABLE loose AS SELECT id FROM shop.orders; ANALYZE");
        try (Connection connection = DriverManager.getConnection(mariaDb.url());
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE orders (id BIGINT PRIMARY KEY) SELECT seq AS id FROM seq_1_to_" + IDS);
            statement.execute("CREATE USER killed@'127.0.0.1'");
            statement.execute("GRANT SELECT ON ids.* TO killed@'127.0.0.1'");
            statement.execute("CREATE TABLE loose (id BIGINT UNSIGNED, code VARCHAR(20), number INT UNSIGNED,"
                    + " KEY by_id (id), KEY by_code (code))");
            statement.execute("INSERT INTO loose SELECT id, id, id FROM orders");
            statement.execute("INSERT INTO loose SELECT id, id, id FROM orders");
        }
    }

    @AfterAll
    static void stopServers() {
        postgres.close();
        mariaDb.close();
    }

    private AuditedColumn read(String url, String table, String column, Runnable halfWay) {
        return read(url, table, column, 10_000, halfWay);
    }

    private AuditedColumn read(String url, String table, String column, int chunk, Runnable halfWay) {
        try (IdReader reader = new IdReader(new AuditedDatabase(url, null, null), complaints::add)) {
            AuditedColumn found = reader.find(table, column);
            seen = 0;
            reader.read(found, chunk, (id, rows) -> {
                if (++seen == 12_345) {
                    halfWay.run();
                }
                assertThat(id).isEqualTo(seen);
            });
            return found;
        }
    }

    private AuditedColumn read(String url, String table, String column) {
        return read(url, table, column, () -> {});
    }

    @Test
    void readsPostgres() {
        AuditedColumn orders = read(postgres.url(), "shop.orders", "id");

        assertThat(seen).isEqualTo(IDS);
        assertThat(orders.unique()).isTrue();
        assertThat(orders.type()).isEqualTo("int8");
        assertThat(orders.aboutRows()).isEqualTo(IDS);

        AuditedColumn loose = read(postgres.url(), "loose", "id");

        assertThat(seen).isEqualTo(IDS);
        assertThat(loose.indexed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"id", "number"})
    void readsMariaDb(String column) {
        AuditedColumn orders = read(mariaDb.url(), "orders", "id");

        assertThat(seen).isEqualTo(IDS);
        assertThat(orders.unique()).isTrue();

        AuditedColumn loose = read(mariaDb.url(), "ids.loose", column);

        assertThat(seen).isEqualTo(IDS);
        assertThat(loose.unique()).isFalse();
        assertThat(loose.isTooSmall()).isEqualTo(column.equals("number"));
    }

    @Test
    void readsTextOfMariaDb() {
        List<Long> ids = new ArrayList<>();
        try (IdReader reader = new IdReader(new AuditedDatabase(mariaDb.url(), null, null), complaints::add)) {
            reader.read(reader.find("loose", "code"), 7_000, (id, rows) -> {
                assertThat(rows).isEqualTo(2);
                ids.add(id);
            });
        }

        assertThat(ids).hasSize(IDS).doesNotHaveDuplicates();
    }

    // ---- duplicates that a key seems to forbid

    private List<Long> idsInSeveralRows(String table, int chunk) {
        List<Long> found = new ArrayList<>();
        try (IdReader reader = new IdReader(new AuditedDatabase(postgres.url(), null, null), complaints::add)) {
            reader.read(reader.find(table, "id"), chunk, (id, rows) -> {
                if (rows > 1) {
                    found.add(id);
                }
            });
        }
        return found;
    }

    /** What a unique index that could not be built leaves behind: an index that is called unique, and forbids nothing. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 10_000})
    void anIndexThatIsNotValidForbidsNoDuplicates(int chunk) {
        String table = "repeated" + chunk;
        postgres.sql("CREATE TABLE " + table + " (id bigint NOT NULL); INSERT INTO " + table
                + " VALUES (1), (2), (2), (3), (4), (4), (4)");
        assertThatThrownBy(() -> postgres.sql("CREATE UNIQUE INDEX CONCURRENTLY ON " + table + " (id)"))
                .hasMessageContaining("could not create unique index");

        assertThat(idsInSeveralRows(table, chunk)).containsExactly(2L, 4L);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10_000})
    void aKeyOfAParentForbidsNoDuplicatesInTablesThatInheritFromIt(int chunk) {
        String parent = "parent" + chunk;
        String child = "child" + chunk;
        postgres.sql("CREATE TABLE " + parent + " (id bigint PRIMARY KEY); CREATE TABLE " + child
                + " (PRIMARY KEY (id)) INHERITS (" + parent + "); INSERT INTO " + parent
                + " VALUES (1), (2); INSERT INTO "
                + child + " VALUES (2), (3)");

        assertThat(idsInSeveralRows(parent, chunk)).containsExactly(2L);
    }

    private String duplicates(String table, long... ids) {
        AuditedColumn column = find(table);
        Audit audit = new Audit(column, IdLayout.parse("snowflake"), InstantSource.system());
        for (long id : ids) {
            audit.see(id, 1);
        }
        return audit.findings().get(0).text();
    }

    /** Neither believed to forbid anything, nor used by the database to find rows. */
    @Test
    void anIndexThatIsNotValidIsNamedThoughThereAreNoDuplicates() {
        postgres.sql("CREATE TABLE mended (id bigint NOT NULL); INSERT INTO mended VALUES (1), (2), (2)");
        assertThatThrownBy(() -> postgres.sql("CREATE UNIQUE INDEX CONCURRENTLY by_id ON mended (id)"))
                .hasMessageContaining("could not create unique index");
        postgres.sql("DELETE FROM mended WHERE id = 2");

        assertThat(duplicates("mended", 1))
                .isEqualTo("No id is in two rows, but the unique index by_id, which should forbid it, is not valid."
                        + " Drop it and create it again.");
        assertThat(find("mended").unique()).isFalse();
        assertThat(find("mended").indexed()).isFalse();

        postgres.sql("CREATE UNIQUE INDEX CONCURRENTLY other ON mended (id)");

        assertThat(duplicates("mended", 1)).startsWith("No id is in two rows: a unique key forbids it.");
        assertThat(find("mended").indexed()).isTrue();
    }

    /** As pg_dump writes it: valid only when the last partition has its own. */
    @Test
    void aPrimaryKeyThatSomePartitionsLackIsNamed() {
        postgres.sql(
                "CREATE TABLE parts (id bigint NOT NULL) PARTITION BY RANGE (id); CREATE TABLE part PARTITION OF parts"
                        + " FOR VALUES FROM (1) TO (9); ALTER TABLE ONLY parts ADD CONSTRAINT whole PRIMARY KEY (id)");

        assertThat(duplicates("parts", 1)).contains("but the unique index whole, which should forbid it, is not valid");

        postgres.sql(
                "ALTER TABLE part ADD CONSTRAINT of_part PRIMARY KEY (id); ALTER INDEX whole ATTACH PARTITION of_part");

        assertThat(duplicates("parts", 1)).contains("a unique key forbids it");
    }

    @Test
    void aKeyOfAParentIsNamedThoughThereAreNoDuplicates() {
        postgres.sql("CREATE TABLE lonely (id bigint CONSTRAINT its_key PRIMARY KEY)");

        assertThat(duplicates("lonely", 1)).contains("a unique key forbids it");

        postgres.sql("CREATE TABLE heir (PRIMARY KEY (id)) INHERITS (lonely)");

        assertThat(duplicates("lonely", 1))
                .isEqualTo(
                        "No id is in two rows, but the unique index its_key, which should forbid it, does not hold for"
                                + " the tables that inherit from this one.");
        assertThat(find("lonely").indexed()).isTrue();
        assertThat(duplicates("heir", 1)).contains("a unique key forbids it");
    }

    /** With a BRIN index each statement reads the whole table all the same. */
    @Test
    void anIndexThatHasNoOrderMakesNoChunkCheap() {
        postgres.sql("CREATE TABLE ranges (id bigint, number bigint); CREATE INDEX ON ranges USING brin (id);"
                + " CREATE INDEX ON ranges (number DESC)");

        assertThat(find("ranges").indexed()).isFalse();
        try (IdReader reader = new IdReader(new AuditedDatabase(postgres.url(), null, null), complaints::add)) {
            assertThat(reader.find("ranges", "number").indexed()).isTrue();
        }
    }

    // ---- the table that is meant

    /** The database is called as one of its schemas is. */
    @Test
    void aSchemaGoesBeforeTheDatabaseOfTheSameName() {
        postgres.sql("CREATE SCHEMA ids; CREATE TABLE public.bills (id bigint PRIMARY KEY);"
                + " CREATE TABLE ids.bills (id bigint PRIMARY KEY)");

        assertThat(postgres.url()).contains("/ids?");
        assertThat(find("ids.bills").table()).isEqualTo("ids.bills");
        assertThat(find("bills").table()).isEqualTo("public.bills");
    }

    @Test
    void aSchemaIsTakenAsItIsTypedWhereOnlyItsCaseDiffers() {
        postgres.sql("CREATE SCHEMA store; CREATE SCHEMA \"Store\"; CREATE TABLE store.bills (id bigint PRIMARY KEY);"
                + " CREATE TABLE \"Store\".bills (id bigint PRIMARY KEY)");

        assertThat(find("store.bills").table()).isEqualTo("store.bills");
        assertThat(find("Store.bills").table()).isEqualTo("Store.bills");
    }

    /** An underscore stands for any character in what is asked of the driver. */
    @Test
    void columnsAreThoseOfTheSchemaAndNotOfOneWithAlmostItsName() {
        postgres.sql(
                "CREATE SCHEMA tenant_1; CREATE SCHEMA tenant01; CREATE TABLE tenant_1.bills (id bigint PRIMARY KEY);"
                        + " CREATE TABLE tenant01.bills (id int)");

        AuditedColumn column = find("tenant_1.bills");

        assertThat(column.type()).isEqualTo("int8");
        assertThat(column.nullable()).isFalse();
        assertThat(find("tenant01.bills").type()).isEqualTo("int4");
    }

    private AuditedColumn find(String table) {
        try (IdReader reader = new IdReader(new AuditedDatabase(postgres.url(), null, null), complaints::add)) {
            return reader.find(table, "id");
        }
    }

    // the second audit failed, since the first had left its prepared statement in the connection that they share
    @Test
    void oneAuditAfterTheOtherReadsThroughAPoolOfTransactions() {
        try (PgBouncer bouncer = PgBouncer.start(postgres, "transaction", 1)) {
            String url = bouncer.url().replace("&prepareThreshold=0", "");

            for (int audit = 0; audit < 2; audit++) {
                read(url, "shop.orders", "id", 2_000, () -> {});

                assertThat(seen).isEqualTo(IDS);
            }
        }
        assertThat(complaints).isEmpty();
    }

    /** Columns that an index has for its readers alone are none of its key. */
    @Test
    void columnsThatAUniqueIndexIncludesMakeItNoLooser() {
        postgres.sql("CREATE TABLE covered (id bigint NOT NULL, item text); CREATE UNIQUE INDEX ON covered (id) INCLUDE"
                + " (item); CREATE TABLE covering (id bigint, item text, PRIMARY KEY (id) INCLUDE (item))");

        assertThat(find("covered").unique()).isTrue();
        assertThat(find("covering").unique()).isTrue();
        assertThat(find("covering").indexed()).isTrue();
    }

    // one of four rows was looked at, and no fault was found
    @Test
    void rowsThatTheUserMayNotSeeAreSpokenOf() {
        postgres.sql("CREATE ROLE tenant LOGIN; CREATE TABLE shared (id bigint, tenant name); INSERT INTO shared VALUES"
                + " (1, 'tenant'), (2, 'other'), (2, 'other'), (3, 'other'); GRANT SELECT ON shared TO tenant;"
                + " CREATE POLICY own ON shared USING (tenant = current_user);"
                + " ALTER TABLE shared ENABLE ROW LEVEL SECURITY");

        AuditedColumn seenByTenant =
                read(postgres.anonymousUrl(postgres.clientPort()) + "?user=tenant", "shared", "id");

        assertThat(seen).isEqualTo(1);
        assertThat(seenByTenant.rowSecurity()).isTrue();
        assertThat(find("shared").rowSecurity()).isFalse();
        assertThat(find("shop.orders").rowSecurity()).isFalse();
    }

    @Test
    void transactionsOnlyRead() {
        postgres.sql(
                "CREATE SEQUENCE used; CREATE VIEW writing AS SELECT nextval('used') AS id FROM generate_series(1, 9)");

        assertThatThrownBy(() -> read(postgres.url(), "writing", "id"))
                .hasMessageContaining("cannot execute nextval() in a read-only transaction");
        assertThat(postgres.sql("SELECT is_called FROM used")).startsWith("f");
    }

    @Test
    void saysWhichRightIsMissing() {
        postgres.sql("CREATE ROLE stranger LOGIN; GRANT USAGE ON SCHEMA shop TO stranger");

        assertThatThrownBy(() ->
                        read(postgres.anonymousUrl(postgres.clientPort()) + "?user=stranger", "shop.orders", "id"))
                .hasMessageContaining("permission denied for table orders")
                .hasMessageContaining("Grant this user SELECT on the table.");
    }

    @Test
    void saysSoWhenTheServerEndsAStatementThatTakesTooLong() {
        postgres.sql("CREATE ROLE hurried LOGIN; ALTER ROLE hurried SET statement_timeout = '200ms';"
                + " GRANT SELECT ON loose TO hurried; CREATE VIEW lingering AS SELECT id FROM loose, pg_sleep(600);"
                + " GRANT SELECT ON lingering TO hurried");

        assertThatThrownBy(
                        () -> read(postgres.anonymousUrl(postgres.clientPort()) + "?user=hurried", "lingering", "id"))
                .hasMessageContaining("canceling statement due to statement timeout. Lower --chunk");
    }

    // the connection was taken for lost, and the same statement sent again while the first one ran on, seven times
    @Test
    void aStatementThatTakesTooLongIsEndedAndNotSentAgain() {
        postgres.sql("CREATE VIEW endless AS SELECT id FROM loose, pg_sleep(600)");
        AuditedDatabase database = new AuditedDatabase(postgres.url(), null, null, Duration.ofSeconds(2));
        try (IdReader reader = new IdReader(database, complaints::add)) {
            AuditedColumn endless = reader.find("endless", "id");

            assertThatThrownBy(() -> reader.read(endless, 10, (id, rows) -> {}))
                    .hasMessageContaining("can't be read")
                    .hasMessageContaining("Lower --chunk");
        }
        assertThat(complaints).isEmpty();
        assertThat(active("endless")).startsWith("0");
    }

    @Test
    void aStatementOfMariaDbThatTakesTooLongIsEnded() throws SQLException {
        try (Connection connection = DriverManager.getConnection(mariaDb.url());
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE VIEW endless AS SELECT id FROM orders WHERE SLEEP(1) = 0");
        }
        AuditedDatabase database = new AuditedDatabase(mariaDb.url(), null, null, Duration.ofSeconds(2));
        try (IdReader reader = new IdReader(database, complaints::add)) {
            AuditedColumn endless = reader.find("endless", "id");

            assertThatThrownBy(() -> reader.read(endless, 10, (id, rows) -> {}))
                    .hasMessageContaining("can't be read")
                    .hasMessageContaining("Lower --chunk");
        }
        assertThat(complaints).isEmpty();
    }

    // ---- connections that the server ends

    @ParameterizedTest
    @ValueSource(strings = {"shop.orders", "loose"})
    void goesOnWhenPostgresEndsTheConnection(String table) {
        read(
                postgres.url() + "&ApplicationName=killed-" + table,
                table,
                "id",
                () -> postgres.sql(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'killed-"
                                + table + "'"));

        assertThat(seen).isEqualTo(IDS);
        assertThat(complaints).hasSize(1);
        assertThat(complaints.get(0)).contains("Going on after id ");
    }

    @Test
    void goesOnWhenMariaDbEndsTheConnection() {
        read(mariaDb.anonymousUrl(mariaDb.clientPort()) + "?user=killed", "orders", "id", () -> {
            try (Connection connection = DriverManager.getConnection(mariaDb.url());
                    Statement statement = connection.createStatement()) {
                List<Long> others = new ArrayList<>();
                try (ResultSet rows =
                        statement.executeQuery("SELECT id FROM information_schema.processlist WHERE user = 'killed'")) {
                    while (rows.next()) {
                        others.add(rows.getLong(1));
                    }
                }
                for (long other : others) {
                    statement.execute("KILL " + other);
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });

        assertThat(seen).isEqualTo(IDS);
        assertThat(complaints).hasSize(1);
    }

    @Test
    void readsAStandbyAndGoesOnWhenItIsRestarted() {
        try (PostgresServer standby =
                PostgresServer.builder().standbyOf(postgres).start()) {
            read(standby.url(), "shop.orders", "id", () -> {
                standby.stop();
                standby.startAgain();
            });
        }

        assertThat(seen).isEqualTo(IDS);
        assertThat(complaints).isNotEmpty();
        assertThat(complaints.get(0)).startsWith("Lost the connection after 1");
    }

    @Test
    void aStoppedReadEndsItsStatement() throws InterruptedException {
        postgres.sql("CREATE VIEW slow AS SELECT id FROM loose, pg_sleep(600)");
        try (IdReader reader = new IdReader(new AuditedDatabase(postgres.url(), null, null), complaints::add)) {
            AuditedColumn slow = reader.find("slow", "id");
            List<String> ends = new CopyOnWriteArrayList<>();
            Thread read = new Thread(() -> {
                try {
                    reader.read(slow, 10, (id, rows) -> {});
                } catch (AuditRefusedException e) {
                    ends.add(e.getMessage());
                }
            });
            read.start();
            Node.await(Node.PATIENCE, () -> !sleeping().startsWith("0"));

            reader.stop();
            read.join(60_000);

            assertThat(ends).containsExactly("Stopped after 0 rows. Nothing was changed.");
            Node.await(Node.PATIENCE, () -> sleeping().startsWith("0"));
        }
    }

    private static String sleeping() {
        return active("slow");
    }

    private static String active(String view) {
        return postgres.sql("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%\"" + view
                + "\"%' AND pid <> pg_backend_pid()");
    }
}
