// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.administration.CoordinatorCheck;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Resources;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.LogLines;
import org.snowflakeid.testservers.PostgresServer;

/** Databases of which the coordinator knows a few words only, and that pretend to be others. */
class OtherDatabasesTest {
    private static final Map<Dialect, Databases> SERVERS = new HashMap<>();
    private static SqliteFile sqlite;
    private static PostgresServer postgres;

    @BeforeAll
    static void startServers() {
        LogLines.listen();
        SERVERS.put(Dialect.HSQLDB, Databases.hsqldb());
        SERVERS.put(Dialect.DERBY, Databases.derby());
        sqlite = new SqliteFile();
        postgres = PostgresServer.start();
    }

    @AfterAll
    static void stopServers() {
        SERVERS.values().forEach(Databases::close);
        sqlite.close();
        postgres.close();
    }

    private static String url(Dialect dialect) {
        return dialect == Dialect.SQLITE
                ? sqlite.url()
                : SERVERS.get(dialect).settings().get("snowflake.jdbc.url");
    }

    private static void execute(String url, String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                boolean unused = statement.execute(each);
            }
        }
    }

    /** What the page says an administrator does. */
    private static List<String> documented(Dialect dialect) throws IOException {
        return Pattern.compile("```sql " + dialect.name().toLowerCase(Locale.ROOT) + "\n(.*?);\n```")
                .matcher(Files.readString(Path.of("../docs/evidence/coordinators.md")))
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    private static CoordinatorConfig config(String generator, Resources resources, String... keys) {
        Map<String, String> all = new HashMap<>();
        for (int i = 0; i < keys.length; i += 2) {
            all.put("snowflake.jdbc." + keys[i], keys[i + 1]);
        }
        return new CoordinatorConfig(generator, Node.freshNamespace(), Node.TIME_TO_LIVE, all::get, resources);
    }

    private static WorkerCoordinator open(CoordinatorConfig config) {
        return new JdbcCoordinatorProvider().open(config, () -> {});
    }

    /** Another data source each time, of connections that an application left as these statements leave them. */
    private static Resources lent(String url, String... before) {
        DataSource dataSource = (DataSource) Proxy.newProxyInstance(
                OtherDatabasesTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                    Connection connection = DriverManager.getConnection(url);
                    try (Statement statement = connection.createStatement()) {
                        for (String each : before) {
                            boolean unused = statement.execute(each);
                        }
                    }
                    return connection;
                });
        return new Resources() {
            @Override
            public <T> Optional<T> find(Class<T> type, @Nullable String name) {
                return Optional.of(type.cast(dataSource));
            }
        };
    }

    @ParameterizedTest
    @EnumSource(names = {"HSQLDB", "DERBY", "SQLITE", "FIREBIRD", "ORACLE", "SQLSERVER", "DB2"})
    void thePageHasTheTableThatTheCoordinatorWouldCreate(Dialect dialect) throws IOException {
        assertThat(documented(dialect)).containsExactly(dialect.createTable("snowflake_record"));
    }

    @ParameterizedTest
    @EnumSource(names = {"HSQLDB", "DERBY", "SQLITE"})
    void aTableMadeByThePageIsUsedAndKeepsAllPromises(Dialect dialect) throws Exception {
        useTheTableOfThePage(dialect, url(dialect));
    }

    static void useTheTableOfThePage(Dialect dialect, String url) throws Exception {
        execute(url, documented(dialect).get(0).replace("snowflake_record", "documented"));
        List<String> broken = new ArrayList<>();
        try (CoordinatorCheck check = new CoordinatorCheck(
                SnowflakeSettings.of(Map.of(
                        "snowflake.coordinator", "jdbc",
                        "snowflake.jdbc.url", url,
                        "snowflake.jdbc.table", "documented",
                        "snowflake.jdbc.create-table", "false")),
                new JdbcCoordinatorProvider())) {
            boolean kept = check.run(finding -> finding.broken().ifPresent(broken::add));

            assertThat(broken).isEmpty();
            assertThat(kept).isTrue();
            assertThat(check.location()).containsIgnoringCase("documented");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"HSQLDB", "DERBY", "SQLITE"})
    void anotherTableIsRefused(Dialect dialect) throws SQLException {
        refuseAnotherTable(url(dialect));
    }

    static void refuseAnotherTable(String url) throws SQLException {
        execute(url, "CREATE TABLE foreign_one (name VARCHAR(200), version BIGINT, \"VALUE\" VARCHAR(200))");
        try (WorkerCoordinator coordinator =
                open(config("orders", Resources.NONE, "url", url, "table", "foreign_one"))) {
            CoordinatorException refusal =
                    catchThrowableOfType(CoordinatorException.class, () -> coordinator.read(0, 0, TIMEOUT));

            assertThat(refusal.permanent()).isTrue();
            assertThat(refusal).hasMessageContaining("another application's").hasMessageContaining("made like this");
        }
    }

    /** Rule 30: a session that was left in a tenant's schema is no reason for a second table. */
    @ParameterizedTest
    @CsvSource({"HSQLDB, SET SCHEMA STRAYING, PUBLIC", "DERBY, SET SCHEMA STRAYING, APP"})
    void aSessionThatLooksElsewhereChangesNothing(Dialect dialect, String statement, String schema)
            throws SQLException {
        execute(url(dialect), "CREATE SCHEMA STRAYING");
        Resources straying = lent(url(dialect), statement);
        try (WorkerCoordinator coordinator = open(config("orders", straying, "table", "one_table"))) {
            assertThat(catchThrowableOfType(
                            CoordinatorException.class, () -> coordinator.writeMeta(null, "id=a", TIMEOUT)))
                    .hasMessageContaining("there is no table " + schema + ".ONE_TABLE, and none is created")
                    .hasMessageContaining("this connection looks in 'STRAYING'");
        }
        CoordinatorConfig config = config("orders", lent(url(dialect)), "table", "one_table");
        try (WorkerCoordinator plain = open(config)) {
            assertThat(plain.writeMeta(null, "id=a", TIMEOUT)).isInstanceOf(CasResult.Applied.class);
        }
        CoordinatorConfig same = new CoordinatorConfig(
                config.generator(), config.namespace(), config.timeToLive(), config.settings(), straying);
        try (WorkerCoordinator coordinator = open(same)) {
            assertThat(coordinator.read(0, 0, TIMEOUT).meta()).isNotNull();
            assertThat(coordinator.location()).isEqualTo("table " + schema + ".ONE_TABLE");
        }
    }

    /** HSQLDB hides a table from those who may not use it, and answers them as if there were none. */
    @Test
    void aTableThatItsUserMayNoLongerUseIsNoLossOfRecords() throws SQLException {
        String url = url(Dialect.HSQLDB);
        execute(url, Dialect.HSQLDB.createTable("rightless"), "CREATE USER \"reduced\" PASSWORD 'secret'");
        String grant = "GRANT SELECT, INSERT, UPDATE ON rightless TO \"reduced\"";
        execute(url, grant);
        Resources reduced = lent(url.replace("user=SA;password=", "user=reduced;password=secret"));
        try (WorkerCoordinator coordinator = open(config("orders", reduced, "table", "rightless"))) {
            Stored meta =
                    Node.applied(coordinator.writeMeta(null, "id=a", TIMEOUT)).written();
            Stored mark = Node.applied(coordinator.claim(3, null, "limit=1", "o", false, meta, TIMEOUT))
                    .written();

            execute(url, "REVOKE ALL PRIVILEGES ON rightless FROM \"reduced\" RESTRICT");

            assertThat(catchThrowableOfType(
                            CoordinatorException.class,
                            () -> coordinator.extend(3, mark, "limit=2", "o", meta, TIMEOUT)))
                    .hasMessageContaining("the table PUBLIC.RIGHTLESS is not shown any more")
                    .matches(failure -> !failure.permanent());
            execute(url, grant);
            assertThat(coordinator.extend(3, mark, "limit=2", "o", meta, TIMEOUT))
                    .isInstanceOf(CasResult.Applied.class);
        }
    }

    /** Where a disk was mounted that is away, SQLite makes an empty database. */
    @Test
    void aDatabaseWhoseDiskIsAwayIsNoLossOfRecords(@TempDir Path directory) throws IOException {
        Path disk = Files.createDirectory(directory.resolve("disk"));
        Path beneath = Files.createDirectory(directory.resolve("beneath"));
        Path point = Files.createSymbolicLink(directory.resolve("point"), disk);
        String url = "jdbc:sqlite:" + point.resolve("ids.db");
        CoordinatorConfig config = config("orders", lent(url));
        try (WorkerCoordinator coordinator = open(config)) {
            Stored meta =
                    Node.applied(coordinator.writeMeta(null, "id=a", TIMEOUT)).written();
            Stored mark = Node.applied(coordinator.claim(3, null, "limit=1", "o", false, meta, TIMEOUT))
                    .written();

            Files.delete(point);
            Files.createSymbolicLink(point, beneath);

            assertThat(catchThrowableOfType(
                            CoordinatorException.class,
                            () -> coordinator.extend(3, mark, "limit=2", "o", meta, TIMEOUT)))
                    .hasMessageContaining("this connection leads to another database")
                    .matches(failure -> !failure.permanent());
            Files.delete(point);
            Files.createSymbolicLink(point, disk);
            assertThat(coordinator.extend(3, mark, "limit=2", "o", meta, TIMEOUT))
                    .isInstanceOf(CasResult.Applied.class);
        }
    }

    // ---- databases of one process, or one machine

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:hsqldb:mem:ids",
                "jdbc:hsqldb:.",
                "jdbc:derby:memory:ids;create=true",
                "jdbc:sqlite::memory:",
                "jdbc:sqlite:",
                "jdbc:sqlite:file:ids?mode=memory&cache=shared"
            })
    void aDatabaseInMemoryIsRefused(String url) {
        assertThatThrownBy(() -> open(config("orders", Resources.NONE, "url", url)))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("in the memory of this process");
        try (WorkerCoordinator coordinator = open(config("orders", lent(url)))) {
            assertThat(catchThrowableOfType(CoordinatorException.class, () -> coordinator.read(0, 0, TIMEOUT)))
                    .hasMessageContaining("in the memory of this process");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:h2:mem:ids, true, true",
        "jdbc:h2:nioMemFS:ids, true, true",
        "jdbc:h2:file:./ids, false, true",
        "jdbc:h2:tcp://db-1/./ids, false, false",
        "jdbc:hsqldb:file:ids, false, true",
        "jdbc:hsqldb:hsqls://db-1/ids, false, false",
        "jdbc:derby:ids, false, true",
        "jdbc:derby://db-1/ids, false, false",
        "jdbc:sqlite:ids.db, false, true",
        "jdbc:firebird:embedded:ids.fdb, false, true",
        "jdbc:firebird://db-1/ids, false, false",
        "jdbc:postgresql://db-1/ids, false, false"
    })
    void aUrlTellsWhoSeesADatabase(String url, boolean inMemory, boolean ofThisMachine) {
        assertThat(LocalDatabase.isInMemory(url)).isEqualTo(inMemory);
        assertThat(LocalDatabase.isOfThisMachine(url)).isEqualTo(ofThisMachine);
    }

    @Test
    void commitsThatAreNotDurableAreRefusedAndAFileIsWarnedOf() throws IOException {
        Path folder = Files.createTempDirectory("hsqldb-test-");
        String url = "jdbc:hsqldb:file:" + folder.resolve("ids") + ";user=SA;password=;shutdown=true";
        try (WorkerCoordinator coordinator = open(config("refused", Resources.NONE, "url", url))) {
            assertThat(catchThrowableOfType(
                            CoordinatorException.class, () -> coordinator.writeMeta(null, "id=a", TIMEOUT)))
                    .hasMessageContaining("hsqldb.write_delay=true")
                    .hasMessageContaining("Set hsqldb.write_delay=false");
        }
        try (WorkerCoordinator coordinator = open(config("unsafe", Resources.NONE, "url", url, "durability", "warn"))) {
            assertThat(coordinator.writeMeta(null, "id=a", TIMEOUT)).isInstanceOf(CasResult.Applied.class);
        }
        assertThat(LogLines.of("refused"))
                .anyMatch(line -> line.contains("this HSQL Database Engine is of this machine alone"));
        assertThat(LogLines.of("unsafe"))
                .anyMatch(line -> line.startsWith("WARNING") && line.contains("hsqldb.write_delay=true"));
    }

    // a process that was killed had lost all that it had acknowledged
    @Test
    void anHsqldbThatKeepsNoLogIsRefused() throws IOException {
        Path folder = Files.createTempDirectory("hsqldb-test-");
        String url = "jdbc:hsqldb:file:" + folder.resolve("ids")
                + ";user=SA;password=;shutdown=true;hsqldb.write_delay=false;hsqldb.log_data=false";
        try (WorkerCoordinator coordinator = open(config("no-log", Resources.NONE, "url", url))) {
            assertThat(catchThrowableOfType(
                            CoordinatorException.class, () -> coordinator.writeMeta(null, "id=a", TIMEOUT)))
                    .hasMessageContaining("hsqldb.log_data=false: the database may lose what it acknowledged")
                    .hasMessageContaining("Set hsqldb.log_data=true");
        }
    }

    /** The driver's own defaults. */
    @Test
    void aJournalOfSqliteThatIsDeletedIsWarnedOf() {
        try (SqliteFile file = new SqliteFile();
                WorkerCoordinator deleted = open(config("deleted", Resources.NONE, "url", file.url()));
                WorkerCoordinator ahead =
                        open(config("ahead", Resources.NONE, "url", file.url() + "&journal_mode=WAL"))) {
            assertThat(deleted.writeMeta(null, "id=a", TIMEOUT)).isInstanceOf(CasResult.Applied.class);
            assertThat(ahead.writeMeta(null, "id=a", TIMEOUT)).isInstanceOf(CasResult.Applied.class);
        }
        assertThat(LogLines.of("deleted"))
                .anyMatch(line -> line.startsWith("WARNING")
                        && line.contains("after a power cut it may undo the last commit. Set journal_mode=WAL."));
        assertThat(LogLines.of("ahead")).noneMatch(line -> line.contains("power cut"));
    }

    @Test
    void aServerOfH2IsWarnedOfSinceItDoesNotWaitForItsDisk() {
        try (Databases.H2 h2 = new Databases.H2();
                WorkerCoordinator coordinator = open(config("on-h2", Resources.NONE, "url", h2.url(h2.port())))) {
            assertThat(coordinator.writeMeta(null, "id=a", TIMEOUT)).isInstanceOf(CasResult.Applied.class);
        }
        assertThat(LogLines.of("on-h2"))
                .anyMatch(line -> line.startsWith("WARNING") && line.contains("H2 does not wait for the disk"));
    }

    // ---- databases that pretend, and others

    @ParameterizedTest
    @CsvSource({
        "'PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu', ''",
        "'CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu, built 2023/09/27)', CockroachDB",
        "'PostgreSQL 11.2-YB-2.18.3.0-b0 on x86_64-pc-linux-gnu', YugabyteDB",
        "'10.11.19-MariaDB Debian 12', ''",
        "'8.0.36 MySQL Community Server - GPL', ''",
        "'8.0.11-TiDB-v7.5.0 TiDB Server (Apache License 2.0)', TiDB",
        "'5.7.25-OceanBase-v4.2.1.0 OceanBase 4.2.1.0', OceanBase",
        "'5.7.32 SingleStoreDB source distribution', SingleStore"
    })
    void aDatabaseThatPretendsIsKnownByItsVersion(String version, String product) {
        assertThat(Dialect.POSTGRESQL.untested(version)).isEqualTo(product);
    }

    /** No such server is to be had: this one says that it were one. */
    @Test
    void aDatabaseThatPretendsIsNamedInAWarning() {
        postgres.sql("CREATE SCHEMA fake; CREATE FUNCTION fake.version() RETURNS text LANGUAGE sql AS"
                + " $$ SELECT 'CockroachDB CCL v23.1.11' $$; CREATE ROLE roach SUPERUSER LOGIN; ALTER ROLE roach SET"
                + " search_path TO fake, pg_catalog");
        String url = postgres.anonymousUrl(postgres.clientPort()) + "?user=roach";
        try (WorkerCoordinator coordinator = open(config("pretended", Resources.NONE, "url", url))) {
            assertThat(coordinator.writeMeta(null, "id=a", TIMEOUT)).isInstanceOf(CasResult.Applied.class);
        }
        assertThat(LogLines.of("pretended"))
                .anyMatch(
                        line -> line.contains("this database is CockroachDB, on which this coordinator was not tested")
                                && line.contains("snowflake-operator check"));
        try (WorkerCoordinator coordinator = open(config("real", Resources.NONE, "url", postgres.url()))) {
            assertThat(coordinator.writeMeta(null, "id=a", TIMEOUT)).isInstanceOf(CasResult.Applied.class);
        }
        assertThat(LogLines.of("real")).noneMatch(line -> line.contains("was not tested"));
    }

    @ParameterizedTest
    @CsvSource({
        "Oracle, ORACLE",
        "Microsoft SQL Server, SQLSERVER",
        "DB2/LINUXX8664, DB2",
        "Firebird 4.0, FIREBIRD",
        "SQLite, SQLITE"
    })
    void aProductIsKnownByItsName(String product, Dialect dialect) throws SQLException {
        assertThat(Dialect.of(called(product))).isEqualTo(dialect);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Informix Dynamic Server", "DB2 UDB for AS/400", "DB2"})
    void aProductOfWhichNothingIsKnownIsRefused(String product) {
        assertThat(catchThrowableOfType(CoordinatorException.class, () -> Dialect.of(called(product))))
                .hasMessageContaining(product)
                .hasMessageContaining("Use PostgreSQL")
                .matches(CoordinatorException::permanent);
    }

    // a table of MariaDB whose file was gone was told as a wrong password, and asked for every ten seconds
    @ParameterizedTest
    @CsvSource({"72000, 1017, true", "S0001, 18456, true", "HY000, 1017, false"})
    void aRefusedLoginIsToldFromAnotherErrorOfTheSameNumber(String state, int code, boolean refused) {
        DataSource refusing = (DataSource) Proxy.newProxyInstance(
                OtherDatabasesTest.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    throw new SQLException("no", state, code);
                });
        Resources resources = new Resources() {
            @Override
            public <T> Optional<T> find(Class<T> type, @Nullable String name) {
                return Optional.of(type.cast(refusing));
            }
        };
        try (WorkerCoordinator coordinator = open(config("orders", resources))) {
            CoordinatorException failure =
                    catchThrowableOfType(CoordinatorException.class, () -> coordinator.read(0, 0, TIMEOUT));

            assertThat(failure.loginRefused()).isEqualTo(refused);
        }
    }

    private static Connection called(String product) {
        DatabaseMetaData metaData = (DatabaseMetaData) Proxy.newProxyInstance(
                OtherDatabasesTest.class.getClassLoader(),
                new Class<?>[] {DatabaseMetaData.class},
                (proxy, method, arguments) -> product);
        return (Connection) Proxy.newProxyInstance(
                OtherDatabasesTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> metaData);
    }

    /** No such server is to be had either: what would be sent, to be compared with the manuals. */
    @Test
    void statementsForOracleAndSqlServerAreAsTheirManualsHaveThem() {
        assertThat(Dialect.ORACLE.update(new Table("APP", "SNOWFLAKE_RECORD")))
                .isEqualTo("UPDATE \"APP\".\"SNOWFLAKE_RECORD\" SET \"VALUE\" = ?, version = version + 1 WHERE name = ?"
                        + " AND version = ? AND DBMS_LOB.COMPARE(\"VALUE\", ?) = 0");
        assertThat(Dialect.ORACLE.read(new Table("APP", "T"), 1))
                .contains(" FROM dual) t LEFT JOIN \"APP\".\"T\" r ON");
        assertThat(Dialect.SQLSERVER.insert(new Table("ids.dbo", "snowflake_record")))
                .isEqualTo(
                        "INSERT INTO \"ids\".\"dbo\".\"snowflake_record\" (name, version, \"VALUE\") VALUES (?, 1, ?)");
    }
}
