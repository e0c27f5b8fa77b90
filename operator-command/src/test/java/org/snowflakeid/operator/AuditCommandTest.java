// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snowflakeid.IdParts;
import org.snowflakeid.SnowflakeLayout;

/** {@code snowflake-operator audit} on H2 and SQLite: what it says, and what it refuses. */
class AuditCommandTest {

    private static final AtomicInteger DATABASES = new AtomicInteger();

    private final String url = "jdbc:h2:mem:audit-command-" + DATABASES.incrementAndGet();

    private Connection keeper;

    @BeforeEach
    void createDatabase() throws SQLException {
        keeper = DriverManager.getConnection(url);
        sql(keeper, "CREATE TABLE orders (id BIGINT PRIMARY KEY, item VARCHAR(20))");
    }

    @AfterEach
    void closeDatabase() throws SQLException {
        keeper.close();
    }

    private static void sql(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    private Session audit(String... arguments) {
        List<String> all = new ArrayList<>(List.of("audit", "--url", url));
        all.addAll(List.of(arguments));
        return Session.run(all.toArray(String[]::new));
    }

    private static long id(Instant at, int workerId, int sequence) {
        return SnowflakeLayout.STANDARD.encode(new IdParts(at, workerId, sequence));
    }

    private void insert(String table, long... ids) throws SQLException {
        for (long id : ids) {
            sql(keeper, "INSERT INTO " + table + " (id) VALUES (" + id + ")");
        }
    }

    /** The last days, so that nothing is ahead. */
    private void insertSoundIds() throws SQLException {
        Instant start = Instant.now().minus(Duration.ofDays(2));
        for (int i = 0; i < 64; i++) {
            insert("orders", id(start.plusSeconds(i), 3 + i % 3, 17 * i));
        }
    }

    private static JsonObject json(Session session) {
        assertThat(session.out().lines()).as(session.all()).hasSize(1);
        return JsonParser.parseString(session.out()).getAsJsonObject();
    }

    private static String result(JsonObject json, String finding) {
        return StreamSupport.stream(json.getAsJsonArray("findings").spliterator(), false)
                .map(JsonElement::getAsJsonObject)
                .filter(each -> each.get("name").getAsString().equals(finding))
                .findFirst()
                .orElseThrow()
                .get("result")
                .getAsString();
    }

    @Test
    void aSoundTableHasNoFault() throws SQLException {
        insertSoundIds();

        Session session = audit("--table", "orders");

        assertThat(session.exitCode()).as(session.all()).isZero();
        assertThat(session.err()).isEmpty();
        assertThat(session.out())
                .startsWith("table   PUBLIC.ORDERS at " + url + ", column ID (bigint)")
                .contains(
                        "Taken for ours, since --layout names none.",
                        "rows    64, ids from ",
                        "passed  No id is in two rows: a unique key forbids it",
                        "note    64 rows with an id above 2^53",
                        "worker  3 worker ids, on one day 3 at most:",
                        "64 rows  3 worker ids: 3-5",
                        "No fault was found.")
                .doesNotContain("FOUND");
    }

    @Test
    void faultsAreFoundAndEndItWithOne() throws SQLException {
        sql(keeper, "CREATE TABLE copies AS SELECT * FROM orders", "CREATE INDEX by_id ON copies (id)");
        long ahead = id(Instant.now().plus(Duration.ofHours(3)), 7, 1);
        long twice = id(Instant.now().minus(Duration.ofHours(3)), 7, 1);
        insert("copies", -3, ahead, twice, twice);

        Session session = audit("--table", "copies", "--layout", "snowflake");

        assertThat(session.exitCode()).as(session.all()).isEqualTo(1);
        assertThat(session.out())
                .contains(
                        "FOUND   1 id in several rows, 2 rows in all: " + twice,
                        "FOUND   Two processes seem to have used one worker id at once, in 1 case",
                        "FOUND   1 row dated later than this machine's clock, up to ",
                        "FOUND   1 row with a negative id: -3",
                        "4 faults found.")
                .doesNotContain("Taken for ours");
    }

    @Test
    void aLineOfJsonHasItAllAndIdsAsStrings() throws SQLException {
        insertSoundIds();
        insert("orders", -3);

        JsonObject json = json(audit("--table", "orders", "--json", "--chunk", "10"));

        assertThat(json.get("format").getAsInt()).isEqualTo(1);
        assertThat(json.get("smallestId").getAsJsonPrimitive().isString()).isTrue();
        assertThat(json.get("smallestId").getAsString()).isEqualTo("-3");
        assertThat(json.get("smallestAt").isJsonNull()).isTrue();
        assertThat(json.get("rows").getAsLong()).isEqualTo(65);
        assertThat(json.get("faults").getAsLong()).isEqualTo(1);
        assertThat(json.getAsJsonObject("layout").get("given").getAsBoolean()).isFalse();
        assertThat(json.getAsJsonObject("rowsByRemainder").getAsJsonArray("32")).hasSize(32);
        assertThat(result(json, "negative")).isEqualTo("found");
        assertThat(result(json, "ahead")).isEqualTo("passed");
        assertThat(json.getAsJsonArray("days").get(0).toString())
                .contains("\"rows\":64", "\"workerIds\":[3,4,5]", "\"sharedWorkerIds\":[]");
    }

    @Test
    void anEmptyTableHasNothing() {
        Session text = audit("--table", "orders");
        Session json = audit("--table", "orders", "--json");

        assertThat(text.exitCode()).as(text.all()).isZero();
        assertThat(text.out()).contains("rows    0: the table has no ids", "No fault was found.");
        assertThat(json(json).get("largestId").isJsonNull()).isTrue();
    }

    @Test
    void aViewIsReadAndNamedSo() throws SQLException {
        insertSoundIds();
        sql(keeper, "CREATE VIEW recent AS SELECT id FROM orders");

        Session session = audit("--table", "recent");

        assertThat(session.exitCode()).as(session.all()).isZero();
        assertThat(session.out())
                .contains("rows    64", "note    This is a view.", "though no key forbids it")
                .doesNotContain("No index");
    }

    @Test
    void aColumnWithoutAnIndexAndRowsWithoutAnIdAreNoted() throws SQLException {
        sql(keeper, "CREATE TABLE loose (id VARCHAR(19))", "INSERT INTO loose VALUES (NULL)");
        insert("loose", id(Instant.now().minusSeconds(60), 7, 1));

        Session session = audit("--table", "loose");

        assertThat(session.exitCode()).as(session.all()).isZero();
        assertThat(session.out())
                .contains(
                        "column ID (character varying)",
                        "rows    1, ids from",
                        "note    1 row without an id (null)",
                        "note    No index begins with this column",
                        "--chunk (500000)");
    }

    @Test
    void theLayoutIsHintedAtIfNoneIsNamed() throws SQLException {
        long twitter = (Instant.now().minusSeconds(5).toEpochMilli() - 1_288_834_974_657L) << 22 | 77;
        insert("orders", twitter);

        Session unnamed = audit("--table", "orders");
        Session named = audit("--table", "orders", "--layout", "twitter");

        assertThat(unnamed.out()).contains("FOUND   1 row dated later", "Try --layout twitter.");
        assertThat(named.exitCode()).as(named.all()).isZero();
        assertThat(named.out()).contains("layout  twitter: 41 bits of milliseconds since 2010-11-04T01:42:54.657Z");
    }

    @Test
    void readsSqliteWhereIntegersHaveEnoughBits(@TempDir Path folder) throws SQLException {
        String shop = "jdbc:sqlite:" + folder.resolve("shop.db");
        try (Connection connection = DriverManager.getConnection(shop)) {
            sql(
                    connection,
                    "CREATE TABLE orders (id INTEGER PRIMARY KEY)",
                    "INSERT INTO orders VALUES (" + id(Instant.now().minusSeconds(60), 7, 1) + "), ("
                            + id(Instant.now().minusSeconds(50), 7, 2) + "), ("
                            + id(Instant.now().minusSeconds(40), 7, 3) + ")");
        }

        Session session = Session.run("audit", "--url", shop, "--table", "orders", "--chunk", "2");

        assertThat(session.exitCode()).as(session.all()).isZero();
        assertThat(session.out())
                .contains("rows    3,", "a unique key forbids it", "The column holds every id of 63 bits: integer.")
                .doesNotContain("No index");
    }

    // ---- what is refused

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "2 | There is no table purchases at jdbc:h2:mem:audit-command | --table purchases",
                "2 | has no column number, but: ID, ITEM. Correct --column. | --table orders --column number",
                "2 | Missing required option: '--table=NAME' | --column id",
                "2 | Unknown option: '--everything' | --table orders --everything",
                "2 | 'ours' is no layout. Write one of snowflake, twitter | --table orders --layout ours",
                "2 | --chunk=0 is not between 1 and 1000000 ids. | --table orders --chunk 0",
                "2 | 'many' is not | --table orders --chunk many",
                "2 | is not a readable file | --table orders --password-file /nowhere/password"
            })
    void wrongArgumentsAreRefused(int exitCode, String part, String typed) {
        Session session = audit(typed.strip().split(" "));

        assertThat(session.exitCode()).as(session.all()).isEqualTo(exitCode);
        assertThat(session.err()).contains(part).doesNotContain("\tat ");
        assertThat(session.out()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "2, postgresql://db-1/shop, is not a JDBC URL",
        "2, jdbc:nodb://root:hunter2@db-1/shop?password=hunter2, is understood by no driver",
        "2, jdbc:nodb:shop;password=hunter2, is understood by no driver",
        "1, jdbc:postgresql://127.0.0.1:1/shop?user=root&password=hunter2, can't be used: Connection",
        "1, jdbc:h2:/nowhere/shop;IFEXISTS=TRUE;USER=sa;PASSWORD=hunter2, can't be used: Database"
    })
    void urlsThatLeadNowhereAreRefusedWithoutAPassword(int exitCode, String nowhere, String part) {
        Session session = Session.run("audit", "--url", nowhere, "--table", "orders");

        assertThat(session.exitCode()).as(session.all()).isEqualTo(exitCode);
        assertThat(session.err()).contains(part).doesNotContain("hunter2", "\tat ");
        assertThat(session.out()).isEmpty();
    }

    @Test
    void thePasswordComesFromItsFileAndIsNeverShown(@TempDir Path folder) throws SQLException, IOException {
        sql(keeper, "CREATE USER reader PASSWORD 'hunter2'", "GRANT SELECT ON orders TO reader");
        Path right = Files.writeString(folder.resolve("right"), "hunter2\n");
        Path wrong = Files.writeString(folder.resolve("wrong"), "hunter3\n");

        Session let = audit("--table", "orders", "--user", "reader", "--password-file", right.toString());
        Session refused = audit("--table", "orders", "--user", "reader", "--password-file", wrong.toString());

        assertThat(let.exitCode()).as(let.all()).isZero();
        assertThat(refused.exitCode()).as(refused.all()).isEqualTo(1);
        assertThat(refused.err()).contains("Wrong user name or password", "Check --url, --user and --password-file");
        assertThat(let.all() + refused.all()).doesNotContain("hunter");
    }

    @Test
    void withoutTheRightToReadItSaysWhichOneIsNeeded(@TempDir Path folder) throws SQLException, IOException {
        sql(keeper, "CREATE USER stranger PASSWORD 'hunter2'");
        Path password = Files.writeString(folder.resolve("password"), "hunter2");

        Session session = audit("--table", "orders", "--user", "stranger", "--password-file", password.toString());

        assertThat(session.exitCode()).as(session.all()).isNotZero();
        assertThat(session.err()).containsAnyOf("Grant this user SELECT on the table", "no rights on it");
    }

    @Test
    void helpNamesTheOptions() {
        Session session = Session.run("audit", "--help");

        assertThat(session.exitCode()).isZero();
        assertThat(session.out()).contains("--url", "--table", "--column", "--layout", "--json", "uid-generator");
        assertThat(Session.run("--help").out()).contains("audit");
    }
}
