// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading by chunks, on H2 in memory and through connections that are lost. */
class IdReaderTest {

    private static final AtomicInteger DATABASES = new AtomicInteger();

    private final String url = "jdbc:h2:mem:audit-reader-" + DATABASES.incrementAndGet();

    private final TreeMap<Long, Long> seen = new TreeMap<>();
    private final List<String> complaints = new ArrayList<>();
    private final List<Duration> pauses = new ArrayList<>();
    private Connection keeper;

    @BeforeEach
    void createDatabase() throws SQLException {
        keeper = DriverManager.getConnection(url);
    }

    @AfterEach
    void closeDatabase() throws SQLException {
        keeper.close();
    }

    private void sql(String... statements) throws SQLException {
        try (Statement statement = keeper.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    private AuditedColumn read(String from, String table, String column, int chunk) {
        try (IdReader reader = new IdReader(new AuditedDatabase(from, null, null), complaints::add, pauses::add)) {
            AuditedColumn found = reader.find(table, column);
            reader.read(
                    found, chunk, (id, rows) -> assertThat(seen.put(id, rows)).isNull());
            return found;
        }
    }

    private void requireSeen(int ids, long rowsOfEach) {
        assertThat(seen).hasSize(ids);
        assertThat(seen.firstKey()).isEqualTo(1);
        assertThat(seen.lastKey()).isEqualTo(ids);
        assertThat(seen.values()).containsOnly(rowsOfEach);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 100, 1_000})
    void readsAllIdsOfAKeyOnce(int chunk) throws SQLException {
        sql("CREATE TABLE orders (id BIGINT PRIMARY KEY)", "INSERT INTO orders SELECT x FROM SYSTEM_RANGE(1, 100)");

        AuditedColumn column = read(url, "orders", "id", chunk);

        requireSeen(100, 1);
        assertThat(column.unique()).isTrue();
        assertThat(column.indexed()).isTrue();
        assertThat(column.table()).isEqualTo("PUBLIC.ORDERS");
    }

    /** A chunk that ends between two rows of one id would lose one, or the duplicate. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 100})
    void countsRowsOfOneIdAcrossChunks(int chunk) throws SQLException {
        sql(
                "CREATE TABLE orders (id BIGINT)",
                "CREATE INDEX by_id ON orders (id)",
                "INSERT INTO orders SELECT x FROM SYSTEM_RANGE(1, 100)",
                "INSERT INTO orders SELECT x FROM SYSTEM_RANGE(1, 100)",
                "INSERT INTO orders SELECT x FROM SYSTEM_RANGE(1, 100)",
                "INSERT INTO orders VALUES (NULL)");

        AuditedColumn column = read(url, "orders", "id", chunk);

        requireSeen(100, 3);
        assertThat(column.unique()).isFalse();
        assertThat(column.indexed()).isTrue();
        assertThat(column.nullable()).isTrue();
    }

    @Test
    void aKeyOfSeveralColumnsForbidsNoDuplicates() throws SQLException {
        sql(
                "CREATE TABLE orders (tenant INT, id BIGINT, PRIMARY KEY (id, tenant))",
                "INSERT INTO orders SELECT 1, x FROM SYSTEM_RANGE(1, 10)",
                "INSERT INTO orders SELECT 2, x FROM SYSTEM_RANGE(1, 10)");

        AuditedColumn column = read(url, "orders", "id", 3);

        requireSeen(10, 2);
        assertThat(column.unique()).isFalse();
        assertThat(column.indexed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"VARCHAR(20)", "CHAR(20)", "NUMERIC(19)", "INT", "SMALLINT"})
    void readsOtherTypes(String type) throws SQLException {
        sql(
                "CREATE TABLE orders (id " + type + " PRIMARY KEY)",
                "INSERT INTO orders SELECT x FROM SYSTEM_RANGE(1, 100)");

        AuditedColumn column = read(url, "orders", "id", 7);

        requireSeen(100, 1);
        assertThat(column.isTooSmall()).isEqualTo(type.endsWith("INT"));
    }

    @Test
    void refusesTextThatIsNoNumberAndTypesWithoutIds() throws SQLException {
        sql(
                "CREATE TABLE orders (id VARCHAR(36) PRIMARY KEY, token UUID, price NUMERIC(10, 2), ratio DOUBLE PRECISION)",
                "INSERT INTO orders VALUES ('1', NULL, 1, 1), ('0VGQX', NULL, 1, 1)");

        assertThatThrownBy(() -> read(url, "orders", "id", 7))
                .hasMessageContaining("column ID of PUBLIC.ORDERS has the value '0VGQX'")
                .hasMessageContaining("whole number");
        for (String column : List.of("token", "price", "ratio")) {
            assertThatThrownBy(() -> read(url, "orders", column, 7))
                    .isInstanceOfSatisfying(AuditRefusedException.class, e -> assertThat(e.isWrongUse())
                            .isTrue())
                    .hasMessageContaining("Ids can be read from columns of whole numbers");
        }
    }

    /** Two spellings of one id lie apart in the order of text, and no key takes them for equal. */
    @ParameterizedTest
    @ValueSource(strings = {"007", "+7", " 7", "-0", "\u0667"})
    void refusesTextInAnotherSpelling(String spelling) throws SQLException {
        sql(
                "CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY)",
                "INSERT INTO orders VALUES ('0'), ('10'), ('7'), ('" + spelling + "')");

        assertThatThrownBy(() -> read(url, "orders", "id", 7))
                .isInstanceOf(AuditRefusedException.class)
                .hasMessageContaining("'" + spelling + "'")
                .hasMessageContaining("spelling");
    }

    @Test
    void readsTextThatIsFilledUpWithZerosToOneLength() throws SQLException {
        sql(
                "CREATE TABLE orders (id VARCHAR(20))",
                "INSERT INTO orders SELECT LPAD(x, 19, '0') FROM SYSTEM_RANGE(1, 100)",
                "INSERT INTO orders SELECT LPAD(x, 19, '0') FROM SYSTEM_RANGE(1, 100)");

        read(url, "orders", "id", 7);

        requireSeen(100, 2);
    }

    /** SQLite keeps any text in a column of whole numbers, and sorts it behind them. */
    @Test
    void refusesValuesThatAreNoNumbersInAColumnOfNumbers(@TempDir Path folder) throws SQLException {
        String shop = "jdbc:sqlite:" + folder.resolve("shop.db");
        try (Connection connection = DriverManager.getConnection(shop);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE orders (id BIGINT)");
            statement.execute("INSERT INTO orders VALUES (1), (2), (3), ('none'), ('unknown')");
        }

        assertThatThrownBy(() -> read(shop, "orders", "id", 2))
                .isInstanceOf(AuditRefusedException.class)
                .hasMessageContaining("the id 0 after the id 3");
    }

    /** SQLite takes every text for greater than every number. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 10})
    void readsNumbersOfAColumnWithoutAType(int chunk, @TempDir Path folder) throws SQLException {
        String shop = "jdbc:sqlite:" + folder.resolve("shop.db");
        try (Connection connection = DriverManager.getConnection(shop);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE orders (id)");
            statement.execute("INSERT INTO orders VALUES (1), (2), (3), (4)");
            statement.execute("CREATE TABLE texts (id TEXT)");
            statement.execute("INSERT INTO texts VALUES ('1'), ('2'), ('3'), ('4')");
            statement.execute("CREATE VIEW cast_texts AS SELECT CAST(id AS BIGINT) AS id FROM texts");
        }

        read(shop, "orders", "id", chunk);
        requireSeen(4, 1);
        seen.clear();
        read(shop, "cast_texts", "id", chunk);
        requireSeen(4, 1);
    }

    @Test
    void anIndexOfSomeRowsForbidsNoDuplicates(@TempDir Path folder) throws SQLException {
        String shop = "jdbc:sqlite:" + folder.resolve("shop.db");
        try (Connection connection = DriverManager.getConnection(shop);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE orders (id BIGINT, gone INT)");
            statement.execute("CREATE UNIQUE INDEX alive ON orders (id) WHERE gone = 0");
            statement.execute("INSERT INTO orders VALUES (1, 0), (1, 1), (2, 0)");
        }

        AuditedColumn column = read(shop, "orders", "id", 7);

        assertThat(seen).containsEntry(1L, 2L).containsEntry(2L, 1L);
        assertThat(column.unique()).isFalse();
        assertThat(column.looseKey()).contains("the unique index alive");
        assertThat(column.indexed()).isFalse();
    }

    @Test
    void findsTablesByTheirSchemaAndWithOddNames() throws SQLException {
        sql(
                "CREATE SCHEMA shop",
                "CREATE TABLE shop.orders (id BIGINT PRIMARY KEY)",
                "CREATE TABLE shop.ordersx (id BIGINT PRIMARY KEY)",
                "CREATE TABLE orders (id BIGINT PRIMARY KEY)",
                "CREATE TABLE \"order_s\" (\"select\" BIGINT PRIMARY KEY)",
                "CREATE TABLE orderxs (id BIGINT PRIMARY KEY)",
                "INSERT INTO shop.orders VALUES (1), (2)",
                "INSERT INTO \"order_s\" VALUES (3)");

        assertThat(read(url, "shop.orders", "id", 7).table()).isEqualTo("SHOP.ORDERS");
        assertThat(read(url, "order_s", "select", 7).quotedName()).isEqualTo("\"select\"");
        assertThat(seen.keySet()).containsExactly(1L, 2L, 3L);
        assertThat(read(url, "orders", "id", 7).table()).isEqualTo("PUBLIC.ORDERS");
        sql("DROP TABLE orders", "CREATE SCHEMA store", "CREATE TABLE store.orders (id BIGINT PRIMARY KEY)");
        assertThatThrownBy(() -> read(url, "orders", "id", 7))
                .hasMessageContaining("There are several tables orders: SHOP.ORDERS, STORE.ORDERS. Name one of them.");
        assertThatThrownBy(() -> read(url, "purchases", "id", 7))
                .hasMessageContaining("There is no table purchases at " + url);
        assertThatThrownBy(() -> read(url, "shop.orders", "ident", 7))
                .hasMessageContaining("SHOP.ORDERS has no column ident, but: ID.");
    }

    // ---- lost connections

    @ParameterizedTest
    @CsvSource({"' PRIMARY KEY', HY000, false", "'', HY000, false", "'', 40001, true"})
    void goesOnAfterTheLastIdWhenTheConnectionIsLostHalfWay(String key, String state, boolean valid)
            throws SQLException {
        sql("CREATE TABLE orders (id BIGINT" + key + ")", "INSERT INTO orders SELECT x FROM SYSTEM_RANGE(1, 100)");
        // In the middle of a chunk, each time. The row after a chunk is read with it, and that before the loss may have
        // copies.
        try (LosingDriver driver = new LosingDriver(url, 26, state, valid)) {
            read(driver.url(), "orders", "id", 10);

            assertThat(driver.mostStatements()).isEqualTo(1);
        }

        requireSeen(100, 1);
        assertThat(complaints)
                .hasSize(4)
                .first(InstanceOfAssertFactories.STRING)
                .contains("Lost the connection after 23 rows (lost). Going on after id 23 in 1 s.");
        assertThat(pauses).containsOnly(Duration.ofSeconds(1));
    }

    @Test
    void countsRowsWithoutAnIdAgainWhenTheConnectionIsLost() throws SQLException {
        sql("CREATE TABLE orders (id BIGINT)", "INSERT INTO orders VALUES (1), (NULL), (NULL)");
        try (LosingDriver driver = new LosingDriver(url, 0, "HY000", false)) {
            driver.loseNoMoreThan(1);
            try (IdReader reader =
                    new IdReader(new AuditedDatabase(driver.url(), null, null), complaints::add, pauses::add)) {
                assertThat(reader.rowsWithoutId(reader.find("orders", "id"))).isEqualTo(2);
            }
        }
        assertThat(complaints).hasSize(1);
    }

    @Test
    void givesUpWhenItStaysAway() throws SQLException {
        sql("CREATE TABLE orders (id BIGINT PRIMARY KEY)", "INSERT INTO orders SELECT x FROM SYSTEM_RANGE(1, 100)");
        try (LosingDriver driver = new LosingDriver(url, 26, "HY000", false)) {
            driver.openNoMoreThan(1);

            assertThatThrownBy(() -> read(driver.url(), "orders", "id", 10))
                    .isInstanceOfSatisfying(AuditRefusedException.class, e -> assertThat(e.isWrongUse())
                            .isFalse())
                    .hasMessageContaining("after 23 rows, and 7 attempts in two minutes did not bring it back: away")
                    .hasMessageContaining("Nothing was changed");
        }
        assertThat(pauses.stream().mapToLong(Duration::toSeconds).sum()).isEqualTo(120);
        assertThat(seen).hasSize(23);
    }

    // hours of reading were lost, since the file was being replaced
    @Test
    void goesOnThoughThePasswordFileIsAwayForAMoment(@TempDir Path folder) throws IOException, SQLException {
        Path password = Files.writeString(folder.resolve("password"), "hunter2");
        sql("CREATE TABLE orders (id BIGINT PRIMARY KEY)", "INSERT INTO orders SELECT x FROM SYSTEM_RANGE(1, 100)");
        try (LosingDriver driver = new LosingDriver(url, 26, "HY000", false)) {
            driver.loseNoMoreThan(1);
            AuditedDatabase database = new AuditedDatabase(driver.url(), null, password);
            try (IdReader reader = new IdReader(database, complaints::add, pause -> replace(password))) {
                reader.read(reader.find("orders", "id"), 10, seen::put);
            }
        }
        requireSeen(100, 1);
        assertThat(complaints).hasSize(2).last(InstanceOfAssertFactories.STRING).contains("is not a readable file");
    }

    /** First it goes, then it comes back. */
    private static void replace(Path file) {
        try {
            if (!Files.deleteIfExists(file)) {
                Files.writeString(file, "hunter3");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aStatementThatFailsIsNoLostConnection() throws SQLException {
        sql("CREATE TABLE orders (id BIGINT PRIMARY KEY)", "INSERT INTO orders SELECT x FROM SYSTEM_RANGE(1, 100)");
        try (LosingDriver driver = new LosingDriver(url, 23, "HY000", true)) {
            assertThatThrownBy(() -> read(driver.url(), "orders", "id", 10))
                    .hasMessageContaining("can't be read: lost.");
        }
        assertThat(complaints).isEmpty();
    }
}
