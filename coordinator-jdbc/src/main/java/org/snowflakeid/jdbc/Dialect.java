// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Types;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;

/** What differs between the databases: types whose values are compared by bytes, and how each reports its time and its state. */
@SuppressWarnings("ImmutableEnumChecker") // what Set.of() makes is immutable
enum Dialect {
    POSTGRESQL(
            Set.of("PostgreSQL"),
            new Columns(
                    "value",
                    "name varchar(200) COLLATE \"C\" PRIMARY KEY, version bigint NOT NULL,"
                            + " value text COLLATE \"C\" NOT NULL",
                    "text",
                    Set.of(Types.VARCHAR)),
            "",
            new Server(
                    // The time of the statement, also inside a transaction.
                    "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS bigint)",
                    "CASE WHEN pg_is_in_recovery() THEN 1 ELSE 0 END",
                    "current_database() || '@' || COALESCE(host(inet_server_addr()), 'local') || ':'"
                            + " || COALESCE(inet_server_port()::text, current_setting('port'))",
                    "current_schema()"),
            new Questions(
                    // By the user who logged in: SET ROLE changes one session only.
                    "SELECT 1 FROM pg_namespace WHERE nspname = ? AND has_schema_privilege("
                            + "(SELECT usesysid FROM pg_stat_activity WHERE pid = pg_backend_pid()), oid, 'USAGE')",
                    "SELECT 1 FROM " + Postgres.CLASS,
                    "SELECT string_agg(a.attname, ',') FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND"
                            + " a.attnum = ANY(i.indkey) WHERE i.indisprimary AND i.indrelid = (SELECT c.oid FROM "
                            + Postgres.CLASS + ")",
                    "SELECT CASE relpersistence WHEN 'p' THEN '' WHEN 'u' THEN 'it is UNLOGGED, and empty after a crash'"
                            + " ELSE 'it is temporary' END FROM " + Postgres.CLASS,
                    "SELECT 'hides its records from this user by row-level security' FROM " + Postgres.CLASS
                            + " AND row_security_active(c.oid)",
                    "SELECT concat_ws(', ', CASE current_setting('fsync') WHEN 'off' THEN 'fsync=off' END,"
                            + " CASE (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit') WHEN 'off' THEN"
                            + " 'synchronous_commit=off' END)")),

    MARIADB(
            Set.of("MariaDB", "MySQL"),
            // Binary, since collations take 'a' for 'A' and ignore blanks at the end.
            new Columns(
                    "value",
                    "name VARBINARY(200) NOT NULL PRIMARY KEY, version BIGINT NOT NULL, value BLOB NOT NULL",
                    "BINARY",
                    Set.of(Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB)),
            " ENGINE=InnoDB",
            new Server(
                    // NOW() alone is the time of some zone, in which an hour may come twice. SET timestamp makes it
                    // stand still in a session, but not SYSDATE().
                    "CASE WHEN TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) BETWEEN 0 AND 999999 THEN"
                            + " UNIX_TIMESTAMP() * 1000 + MICROSECOND(NOW(6)) DIV 1000"
                            + " ELSE CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000 AS SIGNED) END",
                    // Aurora's readers have read_only=0, and so has any replica for which it was not set.
                    "CASE WHEN " + isOn("@@global.read_only") + " OR " + isOn("@@global.innodb_read_only")
                            + " THEN 1 /*M! WHEN EXISTS (SELECT 1 FROM information_schema.global_status WHERE"
                            + " variable_name = 'SLAVES_RUNNING' AND variable_value > 0) THEN 2*/ ELSE 0 END",
                    "CONCAT(@@hostname, ':', @@port)",
                    "DATABASE()"),
            new Questions(
                    "SELECT 1 FROM information_schema.schemata WHERE schema_name = ?",
                    "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                    "SELECT GROUP_CONCAT(column_name) FROM information_schema.key_column_usage WHERE constraint_name ="
                            + " 'PRIMARY' AND table_schema = ? AND table_name = ?",
                    "SELECT CONCAT('its engine is ', engine, ', which may lose rows in a crash') FROM"
                            + " information_schema.tables WHERE table_schema = ? AND table_name = ? AND engine <> 'InnoDB'",
                    "",
                    // With a binary log, what is committed is durable by that log alone, unless InnoDB's own is flushed
                    // again (3, in MariaDB).
                    "SELECT CONCAT_WS(', ', CASE WHEN @@global.innodb_flush_log_at_trx_commit NOT IN (1, 3) THEN"
                            + " CONCAT('innodb_flush_log_at_trx_commit=', @@global.innodb_flush_log_at_trx_commit) END,"
                            + " CASE WHEN " + isOn("@@global.log_bin") + " AND @@global.sync_binlog <> 1"
                            + " AND @@global.innodb_flush_log_at_trx_commit <> 3 THEN"
                            + " CONCAT('sync_binlog=', @@global.sync_binlog) END)")),

    H2(
            Set.of("H2"),
            new Columns(
                    // A word of the language there.
                    "\"VALUE\"",
                    "name VARBINARY(200) PRIMARY KEY, version BIGINT NOT NULL, \"VALUE\" VARBINARY(40000) NOT NULL",
                    "VARBINARY",
                    Set.of(Types.VARBINARY)),
            "",
            new Server(
                    "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000 AS BIGINT)",
                    "0",
                    "COALESCE(DATABASE_PATH(), DATABASE())",
                    "CURRENT_SCHEMA"),
            new Questions(
                    // Its names are in capitals, or are folded from them: DATABASE_TO_UPPER may be false.
                    "SELECT 1 FROM INFORMATION_SCHEMA.SCHEMATA WHERE SCHEMA_NAME = ?",
                    "SELECT 1 FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?",
                    "SELECT LISTAGG(LOWER(K.COLUMN_NAME)) FROM INFORMATION_SCHEMA.KEY_COLUMN_USAGE K JOIN"
                            + " INFORMATION_SCHEMA.TABLE_CONSTRAINTS C USING (CONSTRAINT_SCHEMA, CONSTRAINT_NAME)"
                            + " WHERE C.CONSTRAINT_TYPE = 'PRIMARY KEY' AND K.TABLE_SCHEMA = ? AND K.TABLE_NAME = ?",
                    "SELECT 'it is temporary' FROM INFORMATION_SCHEMA.TABLES WHERE STORAGE_TYPE LIKE '%TEMPORARY%'"
                            + " AND TABLE_SCHEMA = ? AND TABLE_NAME = ?",
                    "",
                    // Its columns have other names with OLD_INFORMATION_SCHEMA.
                    "SELECT MAX('WRITE_DELAY=' || V) FROM (SELECT * FROM INFORMATION_SCHEMA.SETTINGS) S (N, V)"
                            + " WHERE N = 'WRITE_DELAY' AND V <> '0'")),

    HSQLDB(
            "HSQL Database Engine",
            Columns.of("VARBINARY(200)", "VARBINARY(30000)"),
            new Server(
                    "UNIX_MILLIS()",
                    "CASE WHEN IS_READONLY_DATABASE() THEN 1 ELSE 0 END",
                    "DATABASE_NAME()",
                    "CURRENT_SCHEMA",
                    " FROM (VALUES(0)) one"),
            "'PUBLIC'",
            "SELECT GROUP_CONCAT(property_name || '=' || property_value SEPARATOR ', ') FROM"
                    + " information_schema.system_properties WHERE (property_name, property_value) IN"
                    + " (('hsqldb.write_delay', 'true'), ('hsqldb.log_data', 'false'))"),

    /** Its one clock is local time in a zone that it does not tell. It ignores blanks at the end, by which no two records differ. */
    DERBY(
            "Apache Derby",
            Columns.of("VARCHAR(200) FOR BIT DATA", "VARCHAR(30000) FOR BIT DATA"),
            new Server(Server.NO_TIME, "0", Server.NOT_TOLD, "CURRENT SCHEMA", " FROM SYSIBM.SYSDUMMY1"),
            "CURRENT_USER",
            ""),

    /** Its clock is that of this machine. A database that is attached is one session's. */
    SQLITE(
            "SQLite",
            Columns.of("BLOB", "BLOB"),
            new Server(
                    Server.NO_TIME, "0", "(SELECT file FROM pragma_database_list WHERE name = 'main')", "'main'", ""),
            "'main'",
            // With a journal in memory a process that is killed leaves half of a change.
            "SELECT group_concat(doubt, ', ') FROM (SELECT 'synchronous=' || synchronous AS doubt FROM pragma_synchronous"
                    + " WHERE synchronous < 2 UNION ALL SELECT 'journal_mode=' || journal_mode FROM pragma_journal_mode"
                    + " WHERE journal_mode IN ('off', 'memory'))"),

    /** Before version 4 it tells local time only. It has no schemas. */
    FIREBIRD(
            "Firebird",
            Columns.of("VARCHAR(200) CHARACTER SET OCTETS", "VARCHAR(30000) CHARACTER SET OCTETS"),
            new Server(Server.NO_TIME, "0", "RDB$GET_CONTEXT('SYSTEM', 'DB_NAME')", "''", " FROM RDB$DATABASE"),
            "''",
            "SELECT 'forced_writes=off' FROM MON$DATABASE WHERE MON$FORCED_WRITES = 0"),

    /**
     * By the <a href="https://docs.oracle.com/en/database/oracle/oracle-database/21/sqlrf/SYS_CONTEXT.html">SQL Language Reference</a>
     * (SYS_CONTEXT, SYS_EXTRACT_UTC, and RAW, which ends at 2,000 bytes), the PL/SQL Packages and Types Reference (DBMS_LOB.COMPARE, since
     * a BLOB can't be compared by =) and the JDBC Developer's Guide (setBlob of a stream).
     */
    ORACLE(
            "Oracle",
            new Columns(
                    Columns.VALUE,
                    "name RAW(200) NOT NULL PRIMARY KEY, version NUMBER(19) NOT NULL, \"VALUE\" BLOB NOT NULL",
                    "",
                    Columns.BYTES),
            new Server(
                    "ROUND((CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE) - DATE '1970-01-01') * 86400000)",
                    "CASE SYS_CONTEXT('USERENV', 'DATABASE_ROLE') WHEN 'PRIMARY' THEN 0 ELSE 1 END",
                    "SYS_CONTEXT('USERENV', 'DB_UNIQUE_NAME') || '/' || SYS_CONTEXT('USERENV', 'CON_NAME')",
                    "SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA')",
                    " FROM dual"),
            "SYS_CONTEXT('USERENV', 'SESSION_USER')",
            ""),

    /**
     * By the <a href="https://learn.microsoft.com/en-us/sql/t-sql/language-reference">Transact-SQL reference</a> (DATEDIFF_BIG, since 2016;
     * DATABASEPROPERTYEX; sys.databases). A session may look in another database, so the schema has its database before it.
     */
    SQLSERVER(
            "Microsoft SQL Server",
            Columns.of("VARBINARY(200)", "VARBINARY(MAX)"),
            new Server(
                    "DATEDIFF_BIG(MILLISECOND, '1970-01-01', SYSUTCDATETIME())",
                    "CASE DATABASEPROPERTYEX(DB_NAME(), 'Updateability') WHEN 'READ_ONLY' THEN 1 ELSE 0 END",
                    "CONCAT(@@SERVERNAME, '/', DB_NAME())",
                    "CONCAT(DB_NAME(), '.', SCHEMA_NAME())",
                    ""),
            "SCHEMA_NAME()",
            "SELECT 'delayed_durability=FORCED' FROM sys.databases WHERE name = DB_NAME() AND delayed_durability = 2"),

    /**
     * On Linux, Unix and Windows, by the <a href="https://www.ibm.com/docs/en/db2/11.5">SQL reference</a> (CURRENT TIMEZONE,
     * MIDNIGHT_SECONDS, SYSTEM_USER). Rows longer than a page need extended_row_sz=ENABLE, as a database has it that was created since
     * 10.5. A standby is read with the isolation UR only, which is refused.
     */
    DB2(
            "DB2/",
            Columns.of("VARCHAR(200) FOR BIT DATA", "VARCHAR(30000) FOR BIT DATA"),
            new Server(
                    "CAST(DAYS(CURRENT TIMESTAMP - CURRENT TIMEZONE) - DAYS('1970-01-01') AS BIGINT) * 86400000"
                            + " + MIDNIGHT_SECONDS(CURRENT TIMESTAMP - CURRENT TIMEZONE) * 1000",
                    "0",
                    "CURRENT SERVER",
                    "CURRENT SCHEMA",
                    " FROM SYSIBM.SYSDUMMY1"),
            "SYSTEM_USER",
            "");

    /** Initialized before the dialects. */
    private static final class Postgres {
        static final String CLASS = named("?", "?");

        private static String named(String schema, String table) {
            return "pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = " + schema
                    + " AND c.relname = " + table;
        }

        /** Leaves a role to which the session was set, if that one may not use the table. */
        static String ownRole(Table table) {
            return "CASE WHEN EXISTS (SELECT 1 FROM " + named(literal(table.schema()), literal(table.name()))
                    + " AND NOT (has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')"
                    + " AND has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'UPDATE')))"
                    + " THEN set_config('role', NULL, true) END";
        }

        private static String literal(String text) {
            return "'" + text.replace("'", "''") + "'";
        }
    }

    /**
     * @param value the name of that column, as it is written
     * @param definition of all columns
     * @param bytes the type that a parameter is cast to
     * @param exact types of the columns for name and value that keep each character, and compare all of them
     */
    private record Columns(String value, String definition, String bytes, Set<Integer> exact) {
        /** A word of the language in most of them. */
        static final String VALUE = "\"VALUE\"";

        static final Set<Integer> BYTES = Set.of(Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB);

        /** Types that compare bytes: no character of Unicode is longer than three for each of Java's. */
        static Columns of(String name, String value) {
            return new Columns(
                    VALUE,
                    "name " + name + " NOT NULL PRIMARY KEY, version BIGINT NOT NULL, " + VALUE + " " + value
                            + " NOT NULL",
                    value,
                    BYTES);
        }
    }

    /**
     * Expressions: its time in milliseconds, 1 if it is a replica or 2 if it is one that can be written, which server and database it is, and
     * where this session looks.
     *
     * @param one of which table, with one row, they are selected
     */
    private record Server(String epochMillis, String replica, String place, String shownSchema, String one) {
        static final String NO_TIME = "CAST(NULL AS BIGINT)";
        /** Then the URL tells. */
        static final String NOT_TOLD = "CAST(NULL AS VARCHAR(1))";

        Server(String epochMillis, String replica, String place, String shownSchema) {
            this(epochMillis, replica, place, shownSchema, "");
        }
    }

    /**
     * Queries, the first by a schema and the next four by a schema and a table.
     *
     * @param primaryKey one row with its columns; null or empty if the table has none
     * @param notKept one row that says why rows may be gone after a crash; null, empty or no row if they are not
     * @param hidden one row that says why this user may not see the rows that are there; no row if it does, or there is no query
     * @param doubts one row that says what keeps a commit from being durable; null or empty if nothing does
     */
    record Questions(
            String schemaThere, String tableThere, String primaryKey, String notKept, String hidden, String doubts) {}

    /** Products that take the statements of PostgreSQL and MySQL, by what their version() says, and compare and set in their own way. */
    private static final Pattern PRETENDERS = Pattern.compile(
            "(?i)CockroachDB|\\bYB\\b|Yugabyte|Redshift|Greenplum|Materialize|CrateDB|TiDB|OceanBase|SingleStore|MemSQL|Vitess");

    private final Set<String> products;
    private final Columns columns;
    private final String engine;
    private final Server server;
    private final Questions questions;
    private final @Nullable String ownSchema;

    /** What its driver knows need not be asked of the database. */
    Dialect(String product, Columns columns, Server server, String ownSchema, String doubts) {
        this.products = Set.of(product);
        this.columns = columns;
        this.engine = "";
        this.server = server;
        this.questions = new Questions("", "", "", "", "", doubts);
        this.ownSchema = ownSchema;
    }

    Dialect(Set<String> products, Columns columns, String engine, Server server, Questions questions) {
        this.products = products;
        this.columns = columns;
        this.engine = engine;
        this.server = server;
        this.questions = questions;
        this.ownSchema = null;
    }

    static Dialect of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        for (Dialect each : values()) {
            if (each.products.stream().anyMatch(product::startsWith)) {
                return each;
            }
        }
        throw new CoordinatorException(
                "the database is " + product + ", with which this coordinator was not tested."
                        + " Use PostgreSQL, MariaDB, MySQL, H2, Oracle, SQL Server, Db2 (not on z/OS or i), Firebird, HSQLDB,"
                        + " Derby or SQLite.",
                true);
    }

    /** Of a variable that is a number in some versions, and one of several texts in others. */
    private static String isOn(String variable) {
        return "UPPER(CAST(" + variable + " AS CHAR)) NOT IN ('0', 'OFF')";
    }

    /** In full, for statements. */
    String quoted(Table table) {
        Stream<String> schema = table.schema().isEmpty()
                ? Stream.empty()
                : this == SQLSERVER ? Stream.of(table.schema().split("\\.", 2)) : Stream.of(table.schema());
        return Stream.concat(schema, Stream.of(table.name())).map(this::quoted).collect(Collectors.joining("."));
    }

    private String quoted(String identifier) {
        String quote = this == MARIADB ? "`" : "\"";
        return quote + identifier.replace(quote, quote + quote) + quote;
    }

    /** The name that this identifier has where it is written without quotes. */
    String folded(Connection connection, String identifier) throws SQLException {
        if (this == POSTGRESQL || this == MARIADB) {
            return identifier;
        }
        DatabaseMetaData database = connection.getMetaData();
        return database.storesUpperCaseIdentifiers()
                ? identifier.toUpperCase(Locale.ROOT)
                : database.storesLowerCaseIdentifiers() ? identifier.toLowerCase(Locale.ROOT) : identifier;
    }

    /** @param table as it is to be written there */
    String createTable(String table) {
        return (asksDriver() ? "CREATE TABLE " : "CREATE TABLE IF NOT EXISTS ") + table + " (" + columns.definition()
                + ")" + engine;
    }

    /**
     * Time in milliseconds, 1 or 2 if this is a replica, the place, and each record that is there; one row without a record if there is none.
     */
    String read(Table table, int keys) {
        return "SELECT t.millis, t.replica, t.place, r.name, r.version, r." + columns.value() + " FROM (SELECT "
                + server.epochMillis() + " AS millis, " + server.replica() + " AS replica, " + server.place()
                + " AS place" + server.one() + ") t LEFT JOIN "
                + quoted(table) + " r ON r.name IN (" + String.join(", ", Collections.nCopies(keys, "?")) + ")"
                // Else a session may show fewer: sql_select_limit.
                + (this == MARIADB ? " LIMIT " + keys : "");
    }

    /**
     * The same without a table, and then: 1 if there is the schema (first parameter) and if there is the table (second and third), and the
     * schema in which this session looks. A driver that is asked needs no parameters.
     */
    String look() {
        return oneRow("SELECT " + server.epochMillis() + ", " + server.replica() + ", " + server.place() + ", "
                + (asksDriver() ? "0, 0" : isThere(questions.schemaThere()) + ", " + isThere(questions.tableThere()))
                + ", " + server.shownSchema() + server.one());
    }

    /** The same query, of which a session shows the first row whatever it was left with: sql_select_limit. */
    String oneRow(String query) {
        return this == MARIADB ? query + " LIMIT 1" : query;
    }

    private static String isThere(String query) {
        return "CASE WHEN EXISTS (" + query + ") THEN 1 ELSE 0 END";
    }

    /** Name, value. */
    String insert(Table table) {
        return "INSERT INTO " + quoted(table) + " (name, version, " + columns.value() + ") VALUES (?, 1, ?)";
    }

    /** Name, value; of another record, without which nothing is inserted, also name and value. */
    String insertBeside(Table table) {
        return "INSERT INTO " + quoted(table) + " (name, version, " + columns.value() + ") SELECT " + parameter()
                + ", 1, " + parameter() + " FROM " + quoted(table) + " r WHERE r.name = ? AND "
                + isSame("r." + columns.value());
    }

    private String parameter() {
        return columns.bytes().isEmpty() ? "?" : "CAST(? AS " + columns.bytes() + ")";
    }

    private String isSame(String value) {
        return this == ORACLE ? "DBMS_LOB.COMPARE(" + value + ", ?) = 0" : value + " = ?";
    }

    String update(Table table) {
        return "UPDATE " + quoted(table) + " SET " + columns.value()
                + " = ?, version = version + 1 WHERE name = ? AND version = ? AND " + isSame(columns.value());
    }

    /** Name of a record whose version says nothing. A change of the same value need not be written anywhere. */
    String touch(Table table) {
        return "UPDATE " + quoted(table) + " SET version = version + 1 WHERE name = ?";
    }

    /**
     * Whether a change that was a success may be lost, as this warning says: a commit whose wait for a standby was cancelled. Its text is
     * in the server's language.
     */
    boolean warnsOfLoss(SQLWarning warning) {
        return this == POSTGRESQL && String.valueOf(warning.getSQLState()).startsWith("01");
    }

    /** Whose columns show whether it is the table that is meant. */
    String columns(Table table) {
        return "SELECT name, version, " + columns.value() + " FROM " + quoted(table) + " WHERE 1 = 0";
    }

    Questions questions() {
        return questions;
    }

    /**
     * Query, by a schema and a table, for the name of what writes into it what another server has acknowledged; empty: there is no query, or
     * reading shows it.
     *
     * @param version of the database, the first number
     */
    String follows(int version) {
        return this == POSTGRESQL && version >= 12
                ? "SELECT 'the subscription ' || s.subname FROM pg_subscription s JOIN pg_subscription_rel r ON r.srsubid = s.oid"
                        + " WHERE s.subenabled AND r.srrelid IN (SELECT c.oid FROM " + Postgres.CLASS + ")"
                : "";
    }

    /** Whether the driver tells what schemas and tables there are. */
    boolean asksDriver() {
        return ownSchema != null;
    }

    /** The file of a database that is called so; null: there is none, or it is not told. */
    @Nullable
    String file(String place) {
        return this == SQLITE ? place : this == H2 ? place + ".mv.db" : null;
    }

    /** Whether a table that a user may not use looks to that user as if it were not there, in what the driver tells too. */
    boolean hidesTables() {
        return this == HSQLDB || this == ORACLE || this == SQLSERVER;
    }

    /** Query for the schema in which this session looks, or in which its user looks by default. */
    String schema(boolean shown) {
        return "SELECT " + (shown ? server.shownSchema() : ownSchema) + server.one();
    }

    /** Whether it tells a time that is the same in all zones. */
    boolean tellsTime() {
        return !server.epochMillis().equals(Server.NO_TIME);
    }

    /** Query for what shows which product it is, of those that take the same statements; empty: there are no others. */
    String version() {
        return switch (this) {
            case POSTGRESQL -> "SELECT version()";
            case MARIADB -> "SELECT CONCAT(VERSION(), ' ', @@version_comment)";
            default -> "";
        };
    }

    /**
     * The product, if no test of this coordinator runs on it; empty if one does.
     *
     * @param version the answer to {@link #version}
     */
    String untested(String version) {
        Matcher pretender = PRETENDERS.matcher(version);
        return pretender.find()
                ? pretender.group().replaceFirst("YB", "YugabyteDB")
                : this == ORACLE || this == SQLSERVER || this == DB2
                        ? products.iterator().next().replace("/", "")
                        : "";
    }

    /** Whether such a column keeps each character, and compares all of them. */
    boolean isExact(int type) {
        return columns.exact().contains(type);
    }

    /** Whether an update found its row changed by another, after it had waited for that one: Firebird does not look at it again. */
    boolean saysChanged(SQLException e) {
        return this == FIREBIRD && "40001".equals(e.getSQLState());
    }

    boolean isVersion(int type) {
        return type == Types.BIGINT || (this == ORACLE && type == Types.NUMERIC);
    }

    private boolean isBinary() {
        return this != POSTGRESQL;
    }

    /**
     * The same statement, which waits for a lock no longer than that: the session of a call that was given up would wait on. Not by breaking
     * the statement off: in its commit it may be waiting for a replica, and would end as if that one had it. And its commit
     * waits for the disk as that of a new session does, and its user may use the table, whatever this one was left with.
     *
     * <p>For this statement alone, since the next user of the session may be another application's. MySQL takes it for a comment. Others have
     * such a limit by themselves, or none for one statement.
     */
    String forAnySession(Table table, int millis, String sql) {
        // A few texts, so that drivers know them again.
        long seconds = Math.max(1, millis / 1_000);
        return switch (this) {
            case POSTGRESQL ->
                "SELECT set_config('lock_timeout', '" + Math.max(100, millis / 250 * 250) + "', true),"
                        // Without a value: as the session began.
                        + " set_config('synchronous_commit', NULL, true), " + Postgres.ownRole(table) + ";" + sql;
            case MARIADB ->
                "/*M! SET STATEMENT lock_wait_timeout=" + seconds + ", innodb_lock_wait_timeout=" + seconds + " FOR */ "
                        + sql;
            default -> sql;
        };
    }

    /** Executes it, and leaves it at its own result. */
    void execute(PreparedStatement statement) throws SQLException {
        boolean unused = statement.execute();
        if (this == POSTGRESQL) {
            boolean unusedToo = statement.getMoreResults();
        }
    }

    void setName(PreparedStatement statement, int index, String text) throws SQLException {
        if (isBinary()) {
            statement.setBytes(index, text.getBytes(StandardCharsets.UTF_8));
        } else {
            statement.setString(index, text);
        }
    }

    void setValue(PreparedStatement statement, int index, String text) throws SQLException {
        if (this == ORACLE) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            statement.setBlob(index, new ByteArrayInputStream(bytes), bytes.length);
        } else {
            setName(statement, index, text);
        }
    }

    String get(ResultSet row, int column) throws SQLException {
        return isBinary() ? new String(row.getBytes(column), StandardCharsets.UTF_8) : row.getString(column);
    }
}
