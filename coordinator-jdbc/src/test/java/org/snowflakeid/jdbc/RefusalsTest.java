// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Node.unknown;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.time;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.spi.Resources;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.LogLines;
import org.snowflakeid.testservers.MariaDbServer;
import org.snowflakeid.testservers.PgBouncer;
import org.snowflakeid.testservers.PostgresServer;

/** Starts that end at once with the database's own words, and starts that wait for a database that will serve. */
class RefusalsTest {
    private static final Duration AT_ONCE = Duration.ofSeconds(10);

    private static PostgresServer postgres;
    private static MariaDbServer mariaDb;
    private static Databases.H2 h2;

    @TempDir
    private static Path folder;

    @BeforeAll
    static void startServers() {
        LogLines.listen();
        postgres = PostgresServer.builder().configure("wal_level", "replica").start();
        mariaDb = MariaDbServer.start();
        h2 = new Databases.H2();
    }

    @AfterAll
    static void stopServers() {
        postgres.close();
        mariaDb.close();
        h2.close();
    }

    private static void execute(String url, String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    private static LeasedSnowflake open(String generator, Resources resources, String... keys) {
        Map<String, String> all = new HashMap<>();
        all.put("snowflake.coordinator", "jdbc");
        all.put("snowflake.namespace", Node.freshNamespace());
        all.put("snowflake.startup-timeout", "PT30S");
        all.put("snowflake.window", "PT20S");
        for (int i = 0; i < keys.length; i += 2) {
            all.put((keys[i].startsWith("snowflake.") ? "" : "snowflake.jdbc.") + keys[i], keys[i + 1]);
        }
        return LeasedSnowflake.open(SnowflakeSettings.of(generator, all::get).withResources(resources));
    }

    private static SnowflakeException refusal(Resources resources, String... keys) {
        SnowflakeException[] refusal = new SnowflakeException[1];
        requireWithin(
                AT_ONCE,
                () -> time(() -> {
                    refusal[0] = catchThrowableOfType(SnowflakeException.class, () -> open("refused", resources, keys)
                            .close());
                    assertThat(refusal[0]).isNotNull();
                }));
        return refusal[0];
    }

    private static SnowflakeException refusal(String url) {
        return refusal(Resources.NONE, "url", url);
    }

    // ---- what no wait can cure

    @ParameterizedTest
    @CsvSource({
        "'/./ids;SCHEMA=NOPE;WRITE_DELAY=0', Schema \"NOPE\" not found",
        "/./ids;NOSUCH=1, Unsupported connection setting \"NOSUCH\"",
        "/./ids;MODE=Nope, Unknown mode \"Nope\"",
    })
    void whatAnH2DoesNotHaveEndsAStartAtOnce(String parameters, String words) {
        SnowflakeException refusal = refusal("jdbc:h2:tcp://127.0.0.1:" + h2.port() + parameters);

        assertThat(refusal).hasMessageContaining(words).hasMessageContaining("Correct snowflake.jdbc.url");
    }

    @Test
    void anH2ThatIsNotThereAndMayNotBeMadeEndsAStartAtOnce() {
        assertThat(refusal("jdbc:h2:file:" + folder.resolve("none") + ";IFEXISTS=TRUE;WRITE_DELAY=0"))
                .hasMessageContaining("not found, and IFEXISTS=true")
                .hasMessageContaining("Correct snowflake.jdbc.url");
        assertThat(refusal("jdbc:h2:file:/sys/ids;WRITE_DELAY=0;TRACE_LEVEL_FILE=0"))
                .hasMessageContaining("/sys/ids")
                .hasMessageContaining("Correct snowflake.jdbc.url");
    }

    @ParameterizedTest
    @CsvSource({
        "&options=-c%20nope=1, unrecognized configuration parameter",
        "&options=-c%20timezone=nope, invalid value for parameter",
    })
    void whatAPostgresDoesNotKnowEndsAStartAtOnce(String parameters, String words) {
        assertThat(refusal(postgres.url() + parameters))
                .hasMessageContaining(words)
                .hasMessageContaining("Correct snowflake.jdbc.url");
    }

    @Test
    void whatAMariaDbDoesNotKnowEndsAStartAtOnce() {
        assertThat(refusal(mariaDb.url() + "&sessionVariables=nope=1"))
                .hasMessageContaining("Unknown system variable 'nope'")
                .hasMessageContaining("Correct snowflake.jdbc.url");
    }

    // ---- what a wait cures

    @Test
    void aStandbyThatIsPromotedDuringAStartIsUsed() throws Exception {
        try (PostgresServer standby =
                PostgresServer.builder().standbyOf(postgres).start()) {
            CompletableFuture<LeasedSnowflake> start =
                    CompletableFuture.supplyAsync(() -> open("promoted", Resources.NONE, "url", standby.url()));
            await(PATIENCE, () -> LogLines.of("promoted").stream()
                    .anyMatch(line -> line.contains("the database is a replica, or read-only")));
            standby.promote();

            try (LeasedSnowflake ids = start.get()) {
                assertThat(ids.nextId()).isPositive();
            }
        }
    }

    @Test
    void aMariaDbThatIsMadeWritableDuringAStartIsUsed() throws Exception {
        try (MariaDbServer replica = MariaDbServer.start("--read-only")) {
            CompletableFuture<LeasedSnowflake> start =
                    CompletableFuture.supplyAsync(() -> open("writable", Resources.NONE, "url", replica.url()));
            await(PATIENCE, () -> LogLines.of("writable").stream()
                    .anyMatch(line -> line.contains("the database is a replica, or read-only")));
            execute(replica.url(), "SET GLOBAL read_only = 0");

            try (LeasedSnowflake ids = start.get()) {
                assertThat(ids.nextId()).isPositive();
            }
        }
    }

    // ---- H2 that folds no names, or to small letters

    @ParameterizedTest
    @ValueSource(
            strings = {";DATABASE_TO_UPPER=FALSE", ";DATABASE_TO_LOWER=TRUE", ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE"
            })
    void anH2ThatFoldsNoNamesToCapitalsIsUsed(String parameters) throws SQLException {
        String url =
                "jdbc:h2:tcp://127.0.0.1:" + h2.port() + "/./" + Node.freshNamespace() + ";WRITE_DELAY=0" + parameters;
        String[] namespace = {"snowflake.namespace", Node.freshNamespace(), "url", url};
        try (Pool pool = new Pool(Pool.Product.HIKARI, url);
                LeasedSnowflake ofPool = open("folding", pool, namespace[0], namespace[1]);
                LeasedSnowflake byUrl = open("folding", Resources.NONE, namespace)) {
            assertThat(ofPool.nextId()).isNotEqualTo(byUrl.nextId());
        }
    }

    // a start ended at once: the table was said to be another application's
    @Test
    void anH2WithTheInformationSchemaOfItsFirstVersionIsUsed() {
        try (Node node = JdbcNode.at(
                "jdbc:h2:file:" + folder.resolve("old") + ";WRITE_DELAY=0;OLD_INFORMATION_SCHEMA=TRUE",
                Node.freshNamespace())) {
            node.claimExtendAndRelease();
        }
    }

    // ---- the database's own words

    private static String schema(String name, String... changes) {
        postgres.sql("CREATE SCHEMA " + name + "; " + Dialect.POSTGRESQL.createTable(name + ".snowflake_record"));
        for (String each : changes) {
            postgres.sql(each.replace("TABLE", "TABLE " + name + ".snowflake_record")
                    .replace("ON snowflake_record", "ON " + name + ".snowflake_record")
                    .replace("FUNCTION ", "FUNCTION " + name + "."));
        }
        return postgres.url() + "&currentSchema=" + name;
    }

    @Test
    void aColumnThatNeedsAValueIsNamed() throws SQLException {
        assertThat(refusal(schema("added", "ALTER TABLE ADD COLUMN tenant text NOT NULL")))
                .hasMessageContaining("null value in column \"tenant\"")
                .hasMessageContaining("Remove what was added to the table");
        execute(
                mariaDb.url(),
                "CREATE DATABASE added",
                Dialect.MARIADB.createTable("added.snowflake_record"),
                "ALTER TABLE added.snowflake_record ADD COLUMN tenant VARCHAR(9) NOT NULL");
        assertThat(refusal(mariaDb.url().replace("/ids", "/added")))
                .hasMessageContaining("Field 'tenant' doesn't have a default value")
                .hasMessageContaining("Remove what was added to the table");
        String url = h2.url(h2.port()).replace("/ids", "/added");
        execute(
                url,
                Dialect.H2.createTable("snowflake_record"),
                "ALTER TABLE snowflake_record ADD COLUMN tenant VARCHAR(9) NOT NULL");
        assertThat(refusal(url))
                .hasMessageContaining("NULL not allowed for column \"TENANT\"")
                .hasMessageContaining("Remove what was added to the table");
    }

    @Test
    void aConstraintIsNamed() {
        assertThat(refusal(schema("constrained", "ALTER TABLE ADD CONSTRAINT tiny CHECK (length(value) < 60)")))
                .hasMessageContaining("violates check constraint \"tiny\"")
                .hasMessageContaining("Remove what was added to the table");
    }

    @Test
    void aTriggerThatRefusesIsQuoted() throws SQLException {
        assertThat(refusal(schema(
                        "guarded",
                        "CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS"
                                + " $$ BEGIN RAISE EXCEPTION 'hands off'; END $$",
                        "CREATE TRIGGER no BEFORE INSERT ON snowflake_record FOR EACH ROW EXECUTE FUNCTION no()")))
                .hasMessageContaining("hands off")
                .hasMessageContaining("Remove what was added to the table");
        execute(
                mariaDb.url(),
                "CREATE DATABASE guarded",
                Dialect.MARIADB.createTable("guarded.snowflake_record"),
                "CREATE TRIGGER guarded.no BEFORE INSERT ON guarded.snowflake_record FOR EACH ROW"
                        + " SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'hands off'");
        assertThat(refusal(mariaDb.url().replace("/ids", "/guarded")))
                .hasMessageContaining("hands off")
                .hasMessageContaining("Remove what was added to the table");
    }

    /** At the first insert, or only at an update of a mark. */
    @ParameterizedTest
    @ValueSource(strings = {"INSERT", "UPDATE"})
    void aTriggerThatDropsWhatIsWrittenIsSuspected(String event) {
        String name = "dropping_" + event.toLowerCase(Locale.ROOT);
        String url = schema(
                name,
                "CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$",
                "CREATE TRIGGER no BEFORE " + event + " ON snowflake_record FOR EACH ROW EXECUTE FUNCTION no()");
        if (event.equals("INSERT")) {
            assertThat(refusal(url))
                    .hasMessageContaining("the database does not change the table " + name + ".snowflake_record")
                    .hasMessageContaining("Remove what was added to the table");
            return;
        }
        try (Node node = JdbcNode.at(url, Node.freshNamespace())) {
            node.createMeta();
            assertThat(unknown(node.extend(3, node.claim(3))).cause())
                    .hasMessageContaining("the database does not change the table " + name + ".snowflake_record")
                    .hasMessageContaining("Remove what was added to the table");
        }
    }

    @Test
    void aTriggerThatAltersWhatIsWrittenIsSuspected() {
        String url = schema(
                "altering",
                "CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS"
                        + " $$ BEGIN NEW.value := 'audited=yes ' || NEW.value; RETURN NEW; END $$",
                "CREATE TRIGGER other BEFORE INSERT OR UPDATE ON snowflake_record FOR EACH ROW"
                        + " WHEN (NEW.name LIKE '%/marks/%') EXECUTE FUNCTION other()");

        assertThat(refusal(url))
                .hasMessageContaining("keeps another value than was written")
                .hasMessageContaining("Remove what was added to the table");
    }

    @Test
    void rowLevelSecurityIsNamed() {
        postgres.sql("CREATE ROLE narrow LOGIN");
        String url = schema(
                        "narrowed",
                        "GRANT ALL ON snowflake_record TO narrow",
                        "GRANT USAGE ON SCHEMA narrowed TO narrow",
                        "ALTER TABLE ENABLE ROW LEVEL SECURITY")
                .replace("user=admin", "user=narrow");
        assertThat(refusal(url))
                .hasMessageContaining("violates row-level security policy")
                .hasMessageContaining("or let this user pass it");

        postgres.sql("CREATE POLICY writes ON narrowed.snowflake_record FOR INSERT WITH CHECK (true)");
        assertThat(refusal(url))
                .hasMessageContaining("the database does not change the table narrowed.snowflake_record")
                .hasMessageContaining("row-level security");
    }

    // ---- poolers

    @Test
    void statementsThatAPoolerMixesUpAreExplained() {
        try (PgBouncer bouncer = PgBouncer.start(postgres, "transaction", 1)) {
            String url = bouncer.url().replace("prepareThreshold=0", "prepareThreshold=1");
            try (Node one = JdbcNode.at(url + "&ApplicationName=one", Node.freshNamespace());
                    Node other = JdbcNode.at(url + "&ApplicationName=other", Node.freshNamespace())) {
                CoordinatorException refusal = catchThrowableOfType(CoordinatorException.class, () -> {
                    for (int i = 0; i < 10; i++) {
                        one.read(0, 0);
                        other.read(0, 0);
                    }
                });

                assertThat(refusal)
                        .hasMessageMatching("(?s).*prepared statement \"S_\\d+\" (already exists|does not exist).*")
                        .hasMessageContaining("prepareThreshold=0");
            }
        }
    }
}
