// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.RecordStore;

/**
 * Records as rows of one table. Each request is one statement in auto-commit mode, so that it needs no more of a database than that
 * a single {@code UPDATE} is atomic. A statement that reads also says where it was executed: what a proxy sent to a replica is no answer.
 *
 * <p>An absent table is created by the first write. Until then, and whenever it is gone, there are no records.
 */
final class JdbcStore implements RecordStore {

    /** In one statement. Some databases take no more than some thousand parameters, and plan long lists badly. */
    private static final int MAX_KEYS = 500;

    private final JdbcSettings settings;

    /** Of whoever opened it: what the threads begin with. */
    private final @Nullable ClassLoader application = Thread.currentThread().getContextClassLoader();

    // Guarded by this. Borrowed for the first call, so that who is never closed, and never called, keeps nothing.
    private @Nullable SharedConnections borrowed;
    private boolean closed;

    JdbcStore(JdbcSettings settings) {
        this.settings = settings;
    }

    private synchronized SharedConnections shared() {
        if (closed) {
            throw new CoordinatorException("jdbc (" + settings.access() + "): the coordinator is closed", true);
        }
        SharedConnections shared = borrowed;
        if (shared == null) {
            shared = SharedConnections.borrow(settings.access(), application);
            borrowed = shared;
        }
        return shared;
    }

    @Override
    public Reading read(List<String> keys, Duration timeout) {
        try {
            return shared().call(settings, timeout, session -> read(session, keys));
        } catch (JdbcFailure e) {
            throw e.exception();
        }
    }

    private Reading read(Session session, List<String> keys) throws SQLException {
        Map<String, Entry> entries = new HashMap<>();
        Instant time = Instant.MIN;
        for (int from = 0; from < keys.size() || from == 0; from += MAX_KEYS) {
            List<String> some = keys.subList(from, Math.min(from + MAX_KEYS, keys.size()));
            time = session.hasTable() ? readSome(session, some, entries) : readNothing(session);
        }
        return new Reading(entries, time);
    }

    private Instant readSome(Session session, List<String> keys, Map<String, Entry> entries) throws SQLException {
        try (PreparedStatement statement = session.prepare(session.dialect().read(keys.size()))) {
            for (int i = 0; i < keys.size(); i++) {
                session.dialect().set(statement, i + 1, keys.get(i));
            }
            try (ResultSet rows = statement.executeQuery()) {
                long millis = 0;
                while (rows.next()) {
                    millis = primarysTime(rows);
                    long version = rows.getLong(4);
                    if (!rows.wasNull()) {
                        entries.put(
                                session.dialect().get(rows, 3),
                                new Entry(session.dialect().get(rows, 5), version));
                    }
                }
                return Instant.ofEpochMilli(millis);
            }
        } catch (SQLException e) {
            if (!JdbcFailure.saysAbsent(e)) {
                throw e;
            }
            session.forgetTable();
            return readNothing(session);
        }
    }

    private Instant readNothing(Session session) throws SQLException {
        session.requireTableOr(settings.createsTable());
        try (Statement statement = session.connection().createStatement();
                ResultSet rows = statement.executeQuery(session.dialect().readNothing())) {
            boolean unused = rows.next();
            return Instant.ofEpochMilli(primarysTime(rows));
        }
    }

    private static long primarysTime(ResultSet row) throws SQLException {
        if (row.getInt(2) != 0) {
            throw new CoordinatorException(JdbcFailure.readOnly("it says so itself"), true);
        }
        return row.getLong(1);
    }

    @Override
    public Write compareAndSet(String key, @Nullable Entry expected, String next, Duration timeout) {
        try {
            boolean applied = shared().call(
                            settings,
                            timeout,
                            session -> expected == null
                                    ? insert(session, key, next)
                                    : session.hasTable() && update(session, key, expected, next));
            return applied ? new Write.Applied() : new Write.Rejected();
        } catch (JdbcFailure e) {
            if (e.nothingChanged()) {
                throw e.exception();
            }
            return new Write.Unknown(e.exception());
        }
    }

    private boolean insert(Session session, String key, String next) throws SQLException {
        if (!session.hasTable()) {
            session.requireTableOr(settings.createsTable());
            session.createTable();
        }
        try (PreparedStatement statement = session.prepare(session.dialect().insert())) {
            session.dialect().set(statement, 1, key);
            session.dialect().set(statement, 2, next);
            session.beforeChange();
            boolean applied = statement.executeUpdate() == 1;
            session.afterChange();
            return applied;
        } catch (SQLException e) {
            if (JdbcFailure.saysDuplicate(e)) {
                return false;
            }
            if (JdbcFailure.saysAbsent(e)) {
                session.forgetTable();
            }
            throw e;
        }
    }

    private boolean update(Session session, String key, Entry expected, String next) throws SQLException {
        try (PreparedStatement statement = session.prepare(session.dialect().update())) {
            session.dialect().set(statement, 1, next);
            session.dialect().set(statement, 2, key);
            statement.setLong(3, (Long) expected.version());
            session.dialect().set(statement, 4, expected.value());
            session.beforeChange();
            boolean applied = statement.executeUpdate() == 1;
            session.afterChange();
            return applied;
        } catch (SQLException e) {
            if (JdbcFailure.saysAbsent(e)) {
                session.forgetTable();
                return false;
            }
            throw e;
        }
    }

    @Override
    public Object connection() {
        return settings.access();
    }

    @Override
    public void close() {
        SharedConnections shared;
        synchronized (this) {
            closed = true;
            shared = borrowed;
            borrowed = null;
        }
        if (shared != null) {
            shared.giveBack();
        }
    }
}
