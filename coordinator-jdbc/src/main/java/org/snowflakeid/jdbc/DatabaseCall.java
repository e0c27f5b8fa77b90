// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;

/** One call's use of a connection, with what is known of the database and its table. On the call's own thread. */
final class DatabaseCall {
    /**
     * The name of the record by which a table is known from all others, in whatever server it is after a failover. No namespace's records
     * are called so: theirs have a slash.
     */
    static final String TABLE_ID = "table-id";

    /** How long what a server said of its settings is believed: they can be changed while it runs. */
    private static final long BELIEVED_NANOS = TimeUnit.MINUTES.toNanos(1);

    /**
     * What the records are of.
     *
     * @param place server and database
     * @param id value of {@link #TABLE_ID}; null: there is none yet
     */
    private record Origin(String place, @Nullable String id) {}

    /**
     * When a connection was checked.
     *
     * @param place the server behind it; empty: it has not told yet
     */
    private record Checked(String place, long nanos) {}

    /** What was found out about a database, for all calls of those that share it. */
    static final class Known {
        private final AtomicReference<@Nullable Table> table = new AtomicReference<>();
        private volatile @Nullable Dialect dialect;
        private volatile @Nullable Origin origin;
        private volatile boolean usable;
        private volatile boolean oneOfSeveral;

        /** Connections that passed {@link ConnectionCheck}. */
        private final Map<Connection, Checked> checked = Collections.synchronizedMap(new WeakHashMap<>());

        private final LongSupplier nanoTime;

        /** @param nanoTime by which what a server said ages */
        Known(LongSupplier nanoTime) {
            this.nanoTime = nanoTime;
        }

        /** Whether the database's time can be compared with this process's. */
        boolean isWitness() {
            Dialect asked = dialect;
            return asked == null || asked.tellsTime();
        }

        /** Null as long as it was not looked for. */
        @Nullable
        Table table() {
            return table.get();
        }
    }

    /** The time that is left. */
    interface Time {
        /** Of the whole call; at least one. */
        int leftMillis();

        /** Decides whether a change may still be sent. */
        void send() throws SQLException;
    }

    private final JdbcSettings settings;
    private final Connection connection;
    private final Known known;
    private final Time time;
    private final Dialect dialect;

    DatabaseCall(JdbcSettings settings, Connection connection, Known known, Time time) throws SQLException {
        this.settings = settings;
        this.connection = connection;
        this.known = known;
        this.time = time;
        Dialect before = known.dialect;
        this.dialect = before == null ? Dialect.of(connection) : before;
        known.dialect = dialect;
    }

    JdbcSettings settings() {
        return settings;
    }

    Connection connection() {
        return connection;
    }

    Dialect dialect() {
        return dialect;
    }

    /** In full once a minute for each connection, and not for the wrapper that a pool makes for each call. */
    void requireGoodConnection() throws SQLException {
        ConnectionCheck check = new ConnectionCheck(this);
        Checked before = known.checked.get(itself());
        long now = known.nanoTime.getAsLong();
        if (before == null || now - before.nanos() >= BELIEVED_NANOS) {
            check.require();
            known.checked.put(itself(), new Checked(before == null ? "" : before.place(), now));
        } else if (settings.access().dataSource() != null) {
            check.requireGoodSession();
        }
    }

    private Connection itself() throws SQLException {
        return connection.isWrapperFor(Connection.class) ? connection.unwrap(Connection.class) : connection;
    }

    /** What the server told that was checked says nothing of another one: drivers that know several go on at the next by themselves. */
    private void requireGoodServer(String place) throws SQLException {
        Checked before = known.checked.get(itself());
        if (before != null && !before.place().isEmpty() && !before.place().equals(place)) {
            new ConnectionCheck(this).require();
        }
        known.checked.put(itself(), new Checked(place, before == null ? known.nanoTime.getAsLong() : before.nanos()));
    }

    /** The server is one of several that write, where each session may choose to see what is out of date. */
    void noteOneOfSeveral() {
        known.oneOfSeveral = true;
    }

    boolean isOneOfSeveral() {
        return known.oneOfSeveral;
    }

    PreparedStatement prepare(String sql) throws SQLException {
        return connection.prepareStatement(sql);
    }

    /** On the table, which others may have locked. */
    PreparedStatement prepareForTable(String sql) throws SQLException {
        // The answer that the lock was not to be had has to come in time as well.
        return prepare(dialect.forAnySession(table(), time.leftMillis() / 8 * 7, sql));
    }

    /** Of {@link #prepareForTable}. */
    ResultSet query(PreparedStatement statement) throws SQLException {
        dialect.execute(statement);
        return statement.getResultSet();
    }

    /** Of {@link #prepareForTable}. */
    int change(PreparedStatement statement) throws SQLException {
        dialect.execute(statement);
        int changed = statement.getUpdateCount();
        for (SQLWarning each = statement.getWarnings(); each != null; each = each.getNextWarning()) {
            if (dialect.warnsOfLoss(each)) {
                throw new SQLException(
                        "a change was made with a warning: " + each.getMessage(), each.getSQLState(), each);
            }
        }
        return changed;
    }

    /**
     * Returns when what was seen is kept as certainly as what was acknowledged. A database may show a commit before its log is on the disk,
     * as MariaDB does without a binary log, or before its standby has it. Of a log, what was written before a change that is acknowledged is
     * kept too.
     */
    void awaitKept() throws SQLException {
        try (PreparedStatement statement = prepareForTable(dialect.touch(table()))) {
            dialect.setName(statement, 1, TABLE_ID);
            beforeChange();
            if (change(statement) != 1) {
                throw new SQLException("the table " + table() + " has no record '" + TABLE_ID + "' any more");
            }
            afterChange();
        }
    }

    /** What one row of a query has in its one column; empty if that is null, or there is no query. */
    String only(String query, String... parameters) throws SQLException {
        if (query.isEmpty()) {
            return "";
        }
        try (PreparedStatement statement = prepare(dialect.oneRow(query))) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                String text = rows.next() ? rows.getString(1) : null;
                return text == null ? "" : text;
            }
        }
    }

    /** To be called right before what changes a record is sent. */
    void beforeChange() throws SQLException {
        time.send();
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
        Table found = new TableSearch(this).find();
        Table earlier = known.table.compareAndExchange(null, found);
        return earlier == null ? found : earlier;
    }

    /** Of a row that begins with these. */
    Instant primarysTime(ResultSet row) throws SQLException {
        switch (row.getInt(2)) {
            case 0 -> {}
            case 2 -> new ConnectionCheck(this).requireNoFollower("Slaves_running");
            default -> throw new CoordinatorException(JdbcFailure.readOnly("it says so itself"), false);
        }
        long millis = row.getLong(1);
        return row.wasNull() ? Instant.now() : Instant.ofEpochMilli(millis);
    }

    /** Of such a row: server and database. */
    String place(ResultSet row) throws SQLException {
        String told = row.getString(3);
        return told == null
                ? JdbcSettings.URL.shown(String.valueOf(connection.getMetaData().getURL()))
                : told + disk(dialect.file(told));
    }

    /** Where a disk was mounted that is away, an empty database is made on another one. */
    private static String disk(@Nullable String file) {
        try {
            return file == null ? "" : " on device " + Files.getAttribute(Path.of(file), "unix:dev");
        } catch (IOException | UnsupportedOperationException | InvalidPathException notTold) {
            return "";
        }
    }

    /** Whether a statement failed because there is no table. */
    boolean saysAbsent(SQLException e) {
        if (!dialect.asksDriver()) {
            return JdbcFailure.saysAbsent(e);
        }
        try {
            return !new DriverCatalog(this).hasTable(table());
        } catch (SQLException notKnown) {
            return false;
        }
    }

    /**
     * To be called with whatever a statement says of the table, before it is believed: the first time, after a failover, and of what has
     * become of it in its place.
     *
     * @param id null: there is no such record
     * @throws CoordinatorException if this connection leads elsewhere, or the records are hidden
     */
    void requireOrigin(String place, @Nullable String id) throws SQLException {
        requireGoodServer(place);
        refuseElsewhere(place, id);
        if (id == null && tableId() != null) {
            String hidden = only(dialect.questions().hidden(), table().schema(), table().name());
            if (!hidden.isEmpty()) {
                throw new CoordinatorException(
                        "the table " + table() + " " + hidden + ". " + JdbcFailure.UNCHANGED, false);
            }
        }
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
    TableSearch.Look lookAtAbsence() throws SQLException {
        TableSearch.Look look = new TableSearch(this).look(table());
        refuseElsewhere(look.place(), null);
        if (!look.schema()) {
            throw TableSearch.noSchema(table());
        }
        if (look.table()) {
            throw new CoordinatorException("the table " + table() + " was absent a moment ago", false);
        }
        if (dialect.hidesTables() && tableId() != null) {
            // Dropped, perhaps: then the next one of this name tells.
            throw new CoordinatorException(
                    "the table " + table()
                            + " is not shown any more. Let this session's user have SELECT, INSERT and UPDATE"
                            + " on it again; if it was dropped, its records are lost.",
                    false);
        }
        known.origin = new Origin(look.place(), null);
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
        boolean usable = new TableCheck(this).isUsable();
        if (usable) {
            known.usable = true;
        }
        return usable;
    }

    /** It is gone: the next one of this name may be another. */
    void forgetTable() {
        known.usable = false;
    }
}
