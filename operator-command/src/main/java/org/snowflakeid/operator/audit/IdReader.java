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

    private final AuditedDatabase database;
    private final Consumer<String> complain;
    private final Pause pause;
    private Connection connection;

    /** The only one; what ends the process cancels it. */
    private volatile @Nullable PreparedStatement running;

    private volatile boolean stopped;

    private @Nullable Object last;
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
        String sql = "SELECT COUNT(*) FROM " + column.quotedTable() + " WHERE " + column.quotedName() + " IS NULL";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            running = statement;
            try (ResultSet count = statement.executeQuery()) {
                count.next();
                return count.getLong(1);
            } finally {
                running = null;
            }
        } catch (SQLException e) {
            throw stopped ? stopped() : database.unreadable(column, e);
        } finally {
            endTransaction();
        }
    }

    /**
     * Returns when all were seen, each id once.
     *
     * @param chunk how many ids a statement reads
     * @throws AuditRefusedException if a value is no id, if the column can't be read, or if the connection is lost and does not come back
     */
    public void read(AuditedColumn column, int chunk, Sink sink) {
        int attempt = 0;
        while (true) {
            long before = rows;
            try {
                if (readChunk(column, chunk, sink) < chunk) {
                    return;
                }
                attempt = 0;
            } catch (SQLException e) {
                if (stopped) {
                    throw stopped();
                }
                if (!AuditedDatabase.isLost(e, connection)) {
                    throw database.unreadable(column, e);
                }
                attempt = connectAgain(e, rows > before ? 0 : attempt);
            }
        }
    }

    /** @return how many there were */
    private int readChunk(AuditedColumn column, int chunk, Sink sink) throws SQLException {
        int seen = 0;
        try (PreparedStatement statement = connection.prepareStatement(query(column, chunk))) {
            statement.setFetchSize(Math.min(chunk, FETCH_SIZE));
            bind(statement);
            running = statement;
            try (ResultSet ids = statement.executeQuery()) {
                while (ids.next()) {
                    see(column, ids, sink);
                    seen++;
                }
            } finally {
                running = null;
            }
        }
        connection.rollback();
        if (stopped) {
            throw stopped();
        }
        return seen;
    }

    /** Copies of an id are counted by the database: between two chunks none can be missed. */
    private String query(AuditedColumn column, int chunk) throws SQLException {
        String name = column.quotedName();
        return "SELECT " + name + (column.unique() ? "" : ", COUNT(*)") + " FROM " + column.quotedTable()
                + (last == null ? " WHERE " + name + " IS NOT NULL" : " WHERE " + name + " > ?")
                + (column.unique() ? "" : " GROUP BY " + name)
                + " ORDER BY " + name + first(chunk);
    }

    private String first(int chunk) throws SQLException {
        return switch (connection.getMetaData().getDatabaseProductName()) {
            case "MariaDB", "MySQL", "SQLite" -> " LIMIT " + chunk;
            default -> " OFFSET 0 ROWS FETCH NEXT " + chunk + " ROWS ONLY";
        };
    }

    private void bind(PreparedStatement statement) throws SQLException {
        if (last instanceof Long id) {
            statement.setLong(1, id);
        } else if (last instanceof BigDecimal id) {
            statement.setBigDecimal(1, id);
        } else if (last instanceof String text) {
            statement.setString(1, text);
        }
    }

    private void see(AuditedColumn column, ResultSet ids, Sink sink) throws SQLException {
        Object value =
                switch (column.form()) {
                    case LONG -> ids.getLong(1);
                    case DECIMAL -> ids.getBigDecimal(1);
                    case TEXT -> ids.getString(1);
                };
        long copies = column.unique() ? 1 : ids.getLong(2);
        sink.see(id(column, value), copies);
        rows += copies;
        last = value;
    }

    private static long id(AuditedColumn column, Object value) {
        try {
            if (value instanceof Long id) {
                return id;
            }
            return value instanceof BigDecimal number
                    ? number.longValueExact()
                    // As the column has it: padded, if it is of a fixed length.
                    : Long.parseLong(value.toString().strip());
        } catch (ArithmeticException | NumberFormatException e) {
            throw AuditRefusedException.failed(
                    "The column " + column.name() + " of " + column.table() + " has the value '"
                            + value
                            + "', which is no whole number of 64 bits in decimal. Other forms of ids can't be read: audit a"
                            + " column of numbers.");
        }
    }

    /** @return the number of the next attempt */
    private int connectAgain(SQLException lost, int firstAttempt) {
        SQLException why = lost;
        for (int attempt = firstAttempt; attempt < PAUSES.size(); attempt++) {
            Duration wait = PAUSES.get(attempt);
            complain.accept("Lost the connection after " + Counted.of(rows, "row") + " (" + database.words(why)
                    + "). Going on after " + (last == null ? "the start" : "id " + last) + " in " + wait.toSeconds()
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

    private void endTransaction() {
        try {
            connection.rollback();
        } catch (SQLException e) {
            // The next statement tells.
        }
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
