// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;

/** One call's use of a connection, with what is known of the database and its table. On the call's own thread. */
final class Session {
    private static final System.Logger LOG = System.getLogger(Session.class.getName());

    /** Databases that were warned of. */
    private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

    /**
     * The name of the record by which a table is known from all others, in whatever server it is after a failover. No namespace's records
     * are called so: theirs have a slash.
     */
    static final String TABLE_ID = "table-id";

    /**
     * What the records are of.
     *
     * @param place server and database
     * @param id value of {@link #TABLE_ID}; null: there is none yet
     */
    private record Origin(String place, @Nullable String id) {}

    /** What was found out about a database, for all calls of those that share it. */
    static final class Known {
        private final AtomicReference<@Nullable Table> table = new AtomicReference<>();
        private volatile @Nullable Dialect dialect;
        private volatile @Nullable Origin origin;
        private volatile boolean usable;

        /** Connections that don't read what is not committed. */
        private final Set<Connection> committed =
                Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

        /** Null as long as it was not looked for. */
        @Nullable
        Table table() {
            return table.get();
        }
    }

    /** Decides whether a change may still be sent. */
    interface Gate {
        void pass() throws SQLException;
    }

    private final JdbcSettings settings;
    private final Connection connection;
    private final Known known;
    private final Gate gate;
    private final Dialect dialect;

    Session(JdbcSettings settings, Connection connection, Known known, Gate gate) throws SQLException {
        this.settings = settings;
        this.connection = connection;
        this.known = known;
        this.gate = gate;
        Dialect before = known.dialect;
        this.dialect = before == null ? Dialect.of(connection) : before;
        known.dialect = dialect;
    }

    Connection connection() {
        return connection;
    }

    Dialect dialect() {
        return dialect;
    }

    /**
     * What is read may be kept here, and must not be undone afterwards. The drivers ask the server: so once for each connection, and not
     * for the wrapper that a pool makes for each call.
     */
    void requireCommittedReads() throws SQLException {
        if (dialect == Dialect.POSTGRESQL) {
            // It takes READ UNCOMMITTED for READ COMMITTED.
            return;
        }
        Connection itself =
                connection.isWrapperFor(Connection.class) ? connection.unwrap(Connection.class) : connection;
        if (known.committed.contains(itself)) {
            return;
        }
        if (connection.getTransactionIsolation() == Connection.TRANSACTION_READ_UNCOMMITTED) {
            throw new CoordinatorException(
                    "connections have the isolation READ UNCOMMITTED, by which is read what may be undone. Set the isolation "
                            + (settings.access().url() == null ? "of the data source" : "in " + JdbcSettings.URL)
                            + " to READ COMMITTED or higher.",
                    true);
        }
        known.committed.add(itself);
    }

    PreparedStatement prepare(String sql) throws SQLException {
        return connection.prepareStatement(sql);
    }

    /** To be called right before what changes a record is sent. */
    void beforeChange() throws SQLException {
        gate.pass();
    }

    /**
     * To be called right after that. H2's driver may have connected anew in between, without auto-commit if its URL says so: what was
     * changed is undone then when the connection is closed.
     *
     * @throws SQLException if it may not have been committed
     */
    void afterChange() throws SQLException {
        if (!connection.getAutoCommit()) {
            throw new SQLException("auto-commit was turned off during the call, and so the change may be undone");
        }
    }

    /**
     * The one table, which is looked for once.
     *
     * @throws CoordinatorException if it can't be known which one that is
     */
    Table table() throws SQLException {
        Table before = known.table();
        if (before != null) {
            return before;
        }
        Table found = find();
        Table earlier = known.table.compareAndExchange(null, found);
        return earlier == null ? found : earlier;
    }

    /** The first that is there; or the first that could be. */
    private Table find() throws SQLException {
        requireShared();
        String name = dialect.folded(connection, settings.table());
        String given = settings.schema();
        boolean own = settings.access().dataSource() == null;
        List<String> schemas = given == null
                ? DefaultSchemas.of(connection, dialect, own)
                : List.of(dialect.folded(connection, given));
        Table first = null;
        for (String schema : schemas) {
            Table candidate = new Table(schema, name);
            Look look = look(candidate);
            if (look.schema && look.table) {
                return candidate;
            }
            first = look.schema && first == null ? candidate : first;
        }
        if (first == null) {
            throw given == null
                    ? DefaultSchemas.unknown("there is none of " + schemas + ", or this user may use none of them")
                    : noSchema(new Table(schemas.get(0), name));
        }
        return first;
    }

    private static CoordinatorException noSchema(Table table) {
        return new CoordinatorException(
                "there is no schema '" + table.schema() + "' for the table " + table
                        + ", or this user may not use it. Create it, grant its use to this user, or name another in "
                        + JdbcSettings.SCHEMA + ".",
                true);
    }

    /**
     * What is there without the table.
     *
     * @param shown the schema in which this session looks by itself
     */
    record Look(
            Instant time,
            String place,
            boolean schema,
            boolean table,
            @Nullable String shown) {}

    private Look look(Table at) throws SQLException {
        try (PreparedStatement statement = prepare(dialect.look())) {
            statement.setString(1, at.schema());
            statement.setString(2, at.schema());
            statement.setString(3, at.name());
            try (ResultSet row = statement.executeQuery()) {
                boolean unused = row.next();
                return new Look(
                        primarysTime(row), row.getString(3), row.getInt(4) == 1, row.getInt(5) == 1, row.getString(6));
            }
        }
    }

    /** Of a row that begins with these. */
    static Instant primarysTime(ResultSet row) throws SQLException {
        if (row.getInt(2) != 0) {
            throw new CoordinatorException(JdbcFailure.readOnly("it says so itself"), true);
        }
        return Instant.ofEpochMilli(row.getLong(1));
    }

    /**
     * To be called with whatever a statement says of the table, before it is believed: the first time, after a failover, and of what has
     * become of it in its place.
     *
     * @param id null: there is no such record
     * @throws CoordinatorException if this connection leads elsewhere
     */
    void requireOrigin(String place, @Nullable String id) {
        refuseElsewhere(place, id);
        known.origin = new Origin(place, id);
    }

    private void refuseElsewhere(String place, @Nullable String id) {
        Origin before = known.origin;
        if (before != null && before.id != null && !before.id.equals(id) && !before.place.equals(place)) {
            throw new CoordinatorException(
                    "this connection leads to another database (" + place + ") than the one that has the table "
                            + known.table() + " (" + before.place + "). Name a data source in "
                            + JdbcSettings.DATA_SOURCE
                            + " that always leads to one database.",
                    false);
        }
    }

    /** The value of {@link #TABLE_ID}. */
    @Nullable
    String tableId() {
        Origin origin = known.origin;
        return origin == null ? null : origin.id;
    }

    /** Makes sure that there is no table, and that it is not only this connection that does not show it. */
    Look lookAtAbsence() throws SQLException {
        Look look = look(table());
        refuseElsewhere(look.place, null);
        if (!look.schema) {
            throw noSchema(table());
        }
        if (look.table) {
            throw new CoordinatorException("the table " + table() + " was absent a moment ago", false);
        }
        known.origin = new Origin(look.place, null);
        return look;
    }

    /**
     * Whether there is a table, one that can be used.
     *
     * @throws CoordinatorException if there is one that can't
     */
    boolean hasTable() throws SQLException {
        if (known.usable) {
            return true;
        }
        try (Statement statement = connection.createStatement();
                ResultSet columns = statement.executeQuery(dialect.columns(table()))) {
            requireColumns(columns.getMetaData());
        } catch (SQLException e) {
            if (JdbcFailure.saysAbsent(e)) {
                return false;
            }
            throw e;
        }
        requirePrimaryKey();
        requireKept();
        requireCausalReads();
        warnOfDoubts();
        known.usable = true;
        return true;
    }

    /** It is gone: the next one of this name may be another. */
    void forgetTable() {
        known.usable = false;
    }

    void requireTableOr(boolean itIsCreated) throws SQLException {
        if (!itIsCreated) {
            throw new CoordinatorException(
                    "there is no table " + table() + ", and " + JdbcSettings.CREATE_TABLE + " is false. Create it: "
                            + ddl() + otherwise(),
                    true);
        }
    }

    private static String otherwise() {
        return " Or name the schema where it is in " + JdbcSettings.SCHEMA + ".";
    }

    /** Only where it is certain that it belongs there. */
    void createTable() throws SQLException {
        Look look = lookAtAbsence();
        if (settings.schema() == null && !table().schema().equals(look.shown)) {
            throw new CoordinatorException(
                    "there is no table " + table() + ", and none is created: the schema '" + table().schema()
                            + "' is this user's default, but this connection looks in '" + look.shown
                            + "'. Name the schema where the table belongs in " + JdbcSettings.SCHEMA + ".",
                    true);
        }
        try (Statement statement = connection.createStatement()) {
            boolean unused = statement.execute(dialect.createTable(dialect.quoted(table())));
        } catch (SQLException e) {
            if (JdbcFailure.saysForbidden(e)) {
                throw new CoordinatorException(
                        "there is no table " + table() + ", and this user may not create it (" + e.getMessage()
                                + "). Have it created, and SELECT, INSERT and UPDATE granted: " + ddl() + otherwise(),
                        e,
                        true);
            }
            if (!JdbcFailure.saysPresent(e)) {
                throw e;
            }
        }
        if (!hasTable()) {
            throw new CoordinatorException(
                    "the table " + table() + " was created, and is not seen. Is the database a replica?", false);
        }
    }

    private String ddl() throws SQLException {
        return dialect.createTable(dialect.quoted(table())) + ";";
    }

    private void requireColumns(ResultSetMetaData columns) throws SQLException {
        boolean usable = dialect.isExact(columns.getColumnType(1))
                && columns.getColumnType(2) == Types.BIGINT
                && dialect.isExact(columns.getColumnType(3));
        if (!usable) {
            throw unusable("its columns name, version and value are of the types " + columns.getColumnTypeName(1) + ", "
                    + columns.getColumnTypeName(2) + " and " + columns.getColumnTypeName(3));
        }
    }

    /** Without it a record could be inserted twice. */
    private void requirePrimaryKey() throws SQLException {
        String columns = onlyOfTable(dialect.primaryKey());
        if (!columns.equals("name")) {
            throw unusable(
                    "its primary key is not the column name alone, but " + (columns.isEmpty() ? "none" : columns));
        }
    }

    /** Rows that are gone after a crash, or are of one session alone, are no record of anything. */
    private void requireKept() throws SQLException {
        String complaint = onlyOfTable(dialect.notKept());
        if (!complaint.isEmpty()) {
            throw unusable(complaint);
        }
    }

    /** The same of a query about the table. */
    private String onlyOfTable(String query) throws SQLException {
        return only(query, table().schema(), table().name());
    }

    /** What one row has in its one column; empty if that is null. */
    private String only(String query, String... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(query)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                String text = rows.next() ? rows.getString(1) : null;
                return text == null ? "" : text;
            }
        }
    }

    private CoordinatorException unusable(String seen) throws SQLException {
        return new CoordinatorException(
                "the table " + table() + " is of another version, or another application's: " + seen
                        + ". Name a schema in " + JdbcSettings.SCHEMA
                        + " where it is this coordinator's, made like this: " + ddl(),
                true);
    }

    /** Servers come with a database of their own, which no other process sees. */
    private void requireShared() throws SQLException {
        if (settings.isOfTheServer() && isOfThisMachine()) {
            throw new CoordinatorException(
                    "nobody has chosen this database, and it is of this server alone ("
                            + connection.getMetaData().getURL() + "): others would use the same worker ids. Name the"
                            + " application's data source in " + JdbcSettings.DATA_SOURCE + ".",
                    true);
        }
    }

    private boolean isOfThisMachine() throws SQLException {
        String url = connection.getMetaData().getURL();
        return dialect == Dialect.H2 && !url.startsWith("jdbc:h2:tcp:") && !url.startsWith("jdbc:h2:ssl:");
    }

    private void requireCausalReads() throws SQLException {
        if (dialect != Dialect.MARIADB) {
            return;
        }
        Map<String, String> values = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SHOW VARIABLES WHERE Variable_name LIKE 'wsrep%'"
                        + " OR Variable_name LIKE 'group_replication%'")) {
            while (rows.next()) {
                values.put(rows.getString(1), rows.getString(2));
            }
        }
        String complaint = staleReads(values);
        if (!complaint.isEmpty()) {
            throw new CoordinatorException(complaint, true);
        }
    }

    /**
     * Why a server with these variables may answer before it has applied what another of its cluster has acknowledged; empty if it does
     * not.
     */
    static String staleReads(Map<String, String> values) {
        boolean galera = "ON".equals(values.get("wsrep_on"))
                && !values.getOrDefault("wsrep_provider", "none").equals("none");
        String syncWait = values.getOrDefault("wsrep_sync_wait", "0");
        if (galera && Integer.parseInt(syncWait) % 2 == 0) {
            return "this is a node of a Galera cluster, and may answer with what is out of date (wsrep_sync_wait="
                    + syncWait
                    + "). Set wsrep_sync_wait to 1 for this user's sessions, in the URL by"
                    + " sessionVariables=wsrep_sync_wait=1.";
        }
        boolean group = !values.getOrDefault("group_replication_group_name", "").isEmpty();
        boolean severalPrimaries = "OFF".equals(values.get("group_replication_single_primary_mode"));
        String consistency = values.getOrDefault("group_replication_consistency", "EVENTUAL");
        if (severalPrimaries && !consistency.equals("BEFORE") && !consistency.equals("BEFORE_AND_AFTER")) {
            // Also while it is in no group: it may join one later, and is not asked again then.
            return "this is a member of a replication group with several primaries, or is configured to be one, and may"
                    + " answer with what is out of date (group_replication_consistency=" + consistency
                    + "). Set group_replication_consistency to BEFORE for this user's sessions, in the URL by"
                    + " sessionVariables=group_replication_consistency='BEFORE'.";
        }
        if (group && !severalPrimaries && consistency.equals("EVENTUAL")) {
            // A new primary takes reads and writes before it has applied what the last one acknowledged, and does not
            // call itself a replica then.
            return "this is a member of a replication group, or is configured to be one, and after a failover may answer"
                    + " with what is out of date (group_replication_consistency=EVENTUAL)."
                    + " Set group_replication_consistency to BEFORE_ON_PRIMARY_FAILOVER for this user's sessions, in the"
                    + " URL by sessionVariables=group_replication_consistency='BEFORE_ON_PRIMARY_FAILOVER'.";
        }
        return "";
    }

    private void warnOfDoubts() throws SQLException {
        if (!WARNED.add(settings.access().toString())) {
            return;
        }
        if (isOfThisMachine()) {
            LOG.log(
                    Level.WARNING,
                    "snowflake '" + settings.generator() + "': jdbc (" + settings.access()
                            + "): this H2 is of this machine alone. Other machines see nothing of it, and would use the"
                            + " same worker ids. Use a database that all processes share.");
        }
        String doubts = only(dialect.doubts());
        if (!doubts.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "snowflake '" + settings.generator() + "': jdbc (" + settings.access()
                            + "): the database may lose what it has acknowledged (" + doubts
                            + "). After a crash of it, ids may repeat. Make its commits durable.");
        }
    }
}
