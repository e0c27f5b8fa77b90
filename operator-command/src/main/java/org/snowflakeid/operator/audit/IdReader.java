// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the ids of a column in its order, by chunks: each is one query for the next so many ids after the last one, in a transaction of its
 * own that only reads. So nothing is held open for long, and there is never more than one statement. After a lost connection it goes on
 * after the last id.
 *
 * <p>Rows with the same id follow each other, and are counted here. That a key forbids them is not believed: a unique index may be invalid,
 * and the key of a table does not hold for tables that inherit from it.
 */
public final class IdReader implements AutoCloseable {

    /** What is done with an id. */
    @FunctionalInterface
    public interface Sink {
        /** @param rows in how many rows it is */
        void see(long id, long rows);
    }

    /** Waits between attempts to connect again. */
    @FunctionalInterface
    interface Pause {
        void sleep(Duration duration) throws InterruptedException;
    }

    /** Two minutes in all: longer than a database needs for a restart or a failover. */
    private static final List<Duration> PAUSES = List.of(
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(4),
            Duration.ofSeconds(8),
            Duration.ofSeconds(15),
            Duration.ofSeconds(30),
            Duration.ofSeconds(60));

    private static final int FETCH_SIZE = 5_000;

    /** The rows of one id. */
    private static final class Copies {
        final long id;
        /** As the column has it. */
        Object value;

        long rows;

        Copies(long id, Object value) {
            this.id = id;
            this.value = value;
        }
    }

    private final AuditedDatabase database;
    private final Consumer<String> complain;
    private final Pause pause;
    private Connection connection;

    /** The only one; what ends the process cancels it. */
    private volatile @Nullable PreparedStatement running;

    private volatile boolean stopped;

    /** All rows with that id were seen. */
    private @Nullable Copies last;

    private long rows;

    /**
     * Connects.
     *
     * @param complain told of each lost connection
     * @throws AuditRefusedException if the database can't be used
     */
    public IdReader(AuditedDatabase database, Consumer<String> complain) {
        this(database, complain, duration -> Thread.sleep(duration.toMillis()));
    }

    IdReader(AuditedDatabase database, Consumer<String> complain, Pause pause) {
        this.database = database;
        this.complain = complain;
        this.pause = pause;
        database.requireDriver();
        try {
            connection = database.open();
        } catch (SQLException e) {
            throw database.unreachable(e);
        }
    }

    /** @throws AuditRefusedException if there is no such table or column, or it has no ids */
    public AuditedColumn find(String table, String column) {
        try {
            AuditedColumn found = ColumnSearch.find(database, connection, table, column);
            connection.rollback();
            return found;
        } catch (SQLException e) {
            throw database.unreachable(e);
        }
    }

    /** @return in how many rows the column is null */
    public long rowsWithoutId(AuditedColumn column) {
        if (!column.nullable()) {
            return 0;
        }
        int attempt = 0;
        while (true) {
            try {
                return countRowsWithoutId(column);
            } catch (SQLException e) {
                attempt = connectAgain(column, e, attempt);
            }
        }
    }

    private long countRowsWithoutId(AuditedColumn column) throws SQLException {
        long count;
        String sql = "SELECT COUNT(*) FROM " + column.quotedTable() + " WHERE " + column.quotedName() + " IS NULL";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setQueryTimeout(database.longestStatementSeconds());
            running = statement;
            try (ResultSet counted = statement.executeQuery()) {
                counted.next();
                count = counted.getLong(1);
            } finally {
                running = null;
            }
        }
        connection.rollback();
        return count;
    }

    /**
     * Returns when all were seen, each id once.
     *
     * @param chunk how many ids a statement reads
     * @throws AuditRefusedException if a value is no id, if the column can't be read, or if the connection is lost and does not come back
     */
    public void read(AuditedColumn column, int chunk, Sink sink) {
        Spelling spelling = new Spelling(column);
        int attempt = 0;
        // One more shows where the rows of the last id end.
        long most = chunk + 1L;
        while (true) {
            long before = rows;
            try {
                if (!readChunk(column, spelling, most, sink)) {
                    return;
                }
                most = rows > before ? chunk + 1L : 2 * most;
                attempt = 0;
            } catch (SQLException e) {
                attempt = connectAgain(column, e, rows > before ? 0 : attempt);
            }
        }
    }

    /** @return whether there may be more */
    private boolean readChunk(AuditedColumn column, Spelling spelling, long most, Sink sink) throws SQLException {
        long read = 0;
        try (PreparedStatement statement = connection.prepareStatement(query(column, most))) {
            statement.setFetchSize((int) Math.min(most, FETCH_SIZE));
            statement.setQueryTimeout(database.longestStatementSeconds());
            bind(statement);
            running = statement;
            try (ResultSet ids = statement.executeQuery()) {
                Copies copies = null;
                while (ids.next()) {
                    Object value = value(column, ids);
                    long id = spelling.id(value);
                    if (copies == null || copies.id != id) {
                        see(copies, sink);
                        requireAscending(column, id);
                        copies = new Copies(id, value);
                    }
                    copies.value = value;
                    copies.rows++;
                    read++;
                }
                if (read < most) {
                    see(copies, sink);
                }
            } finally {
                running = null;
            }
        }
        connection.rollback();
        if (stopped) {
            throw stopped();
        }
        return read == most;
    }

    private void see(@Nullable Copies copies, Sink sink) {
        if (copies != null) {
            sink.see(copies.id, copies.rows);
            rows += copies.rows;
            last = copies;
        }
    }

    private String query(AuditedColumn column, long most) throws SQLException {
        String name = column.quotedName();
        return "SELECT " + name + " FROM " + column.quotedTable()
                + (last == null ? " WHERE " + name + " IS NOT NULL" : " WHERE " + name + " > ?")
                + " ORDER BY " + name + first(most);
    }

    private String first(long rows) throws SQLException {
        return switch (connection.getMetaData().getDatabaseProductName()) {
            case "MariaDB", "MySQL", "SQLite" -> " LIMIT " + rows;
            default -> " OFFSET 0 ROWS FETCH NEXT " + rows + " ROWS ONLY";
        };
    }

    private void bind(PreparedStatement statement) throws SQLException {
        Object value = last == null ? null : last.value;
        if (value instanceof Long id) {
            statement.setLong(1, id);
        } else if (value instanceof BigDecimal id) {
            statement.setBigDecimal(1, id);
        } else if (value instanceof String text) {
            statement.setString(1, text);
        }
    }

    private static Object value(AuditedColumn column, ResultSet ids) throws SQLException {
        return switch (column.form()) {
            case LONG -> ids.getLong(1);
            case DECIMAL -> ids.getBigDecimal(1);
            case TEXT -> ids.getString(1);
        };
    }

    /** Text has an order of its own. Numbers that came in another one would be read again and again. */
    private void requireAscending(AuditedColumn column, long id) {
        if (column.form() != AuditedColumn.Form.TEXT && last != null && id <= last.id) {
            throw AuditRefusedException.failed("The column " + column.name() + " of " + column.table() + " has the id "
                    + id
                    + " after the id " + last.id + " in its ascending order: it has values that are no whole numbers."
                    + " Audit a view that leaves them out.");
        }
    }

    /**
     * @return the number of the next attempt
     * @throws AuditRefusedException if another connection would not help, or there is none
     */
    private int connectAgain(AuditedColumn column, SQLException e, int firstAttempt) {
        if (stopped) {
            throw stopped();
        }
        if (!AuditedDatabase.isLost(e, connection)) {
            throw database.unreadable(column, e);
        }
        return connectAgain(e, firstAttempt);
    }

    private int connectAgain(SQLException lost, int firstAttempt) {
        Exception why = lost;
        for (int attempt = firstAttempt; attempt < PAUSES.size(); attempt++) {
            Duration wait = PAUSES.get(attempt);
            complain.accept("Lost the connection after " + Counted.of(rows, "row") + " (" + database.words(why)
                    + "). Going on after " + (last == null ? "the start" : "id " + last.id) + " in " + wait.toSeconds()
                    + " s.");
            try {
                close();
                pause.sleep(wait);
                connection = database.open();
                return attempt + 1;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw stopped();
            } catch (SQLException e) {
                if (AuditedDatabase.refusesLogin(e)) {
                    throw database.unreachable(e);
                }
                why = e;
            } catch (AuditRefusedException e) {
                // The password file is away: it may just be replaced.
                why = e;
            }
            if (stopped) {
                throw stopped();
            }
        }
        throw AuditRefusedException.failed("Lost the connection to " + database.place() + " after "
                + Counted.of(rows, "row") + ", and " + PAUSES.size()
                + " attempts in two minutes did not bring it back: "
                + database.words(why) + ". Nothing was changed. Run the same again when the database answers.");
    }

    /** Ends a read that is under way, from another thread. */
    public void stop() {
        stopped = true;
        PreparedStatement statement = running;
        if (statement != null) {
            try {
                statement.cancel();
            } catch (SQLException e) {
                // It ends with its connection.
            }
        }
    }

    /** Whether {@link #stop} was called. */
    public boolean isStopped() {
        return stopped;
    }

    private AuditRefusedException stopped() {
        return AuditRefusedException.failed("Stopped after " + Counted.of(rows, "row") + ". Nothing was changed.");
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            // It is lost then.
        }
    }
}
