// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.RecordStore;
import org.snowflakeid.support.Shared;

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

    private final Shared<JdbcSettings.Access, SharedDatabase>.Loan loan;

    JdbcStore(JdbcSettings settings) {
        this.settings = settings;
        this.loan = SharedDatabase.ALL.loan(settings.access());
    }

    private SharedDatabase shared() {
        SharedDatabase shared = loan.get();
        if (shared == null) {
            throw new CoordinatorException("jdbc (" + settings.access() + "): the coordinator is closed", true);
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

    /** And the table's own record, in the same statement: another table's are never believed. */
    private Instant readSome(Session session, List<String> keys, Map<String, Entry> entries) throws SQLException {
        Map<String, Entry> seen = new HashMap<>();
        try (PreparedStatement statement = session.prepare(session.dialect().read(session.table(), keys.size() + 1))) {
            for (int i = 0; i < keys.size(); i++) {
                session.dialect().set(statement, i + 1, keys.get(i));
            }
            session.dialect().set(statement, keys.size() + 1, Session.TABLE_ID);
            try (ResultSet rows = statement.executeQuery()) {
                Instant time = Instant.MIN;
                String place = "";
                while (rows.next()) {
                    time = Session.primarysTime(rows);
                    place = rows.getString(3);
                    long version = rows.getLong(5);
                    if (!rows.wasNull()) {
                        seen.put(
                                session.dialect().get(rows, 4),
                                new Entry(session.dialect().get(rows, 6), version));
                    }
                }
                Entry id = seen.remove(Session.TABLE_ID);
                session.requireOrigin(place, id == null ? null : id.value());
                entries.putAll(seen);
                return time;
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
        Instant time = session.lookAtAbsence().time();
        session.requireTableOr(settings.createsTable());
        return time;
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
        String tableId = tableId(session);
        return insert(session, session.dialect().insertBeside(session.table()), key, next, Session.TABLE_ID, tableId);
    }

    /** Of the table, which is given one by whichever process writes to it first. */
    private String tableId(Session session) throws SQLException {
        for (int i = 0; i < 2 && session.tableId() == null; i++) {
            Instant unused = readSome(session, List.of(), new HashMap<>());
            if (session.tableId() == null) {
                String id = "id=" + UUID.randomUUID();
                boolean unusedOutcome =
                        insert(session, session.dialect().insert(session.table()), Session.TABLE_ID, id);
            }
        }
        String id = session.tableId();
        if (id == null) {
            throw new CoordinatorException("the table " + session.table() + " does not keep what is written", false);
        }
        return id;
    }

    private static boolean insert(Session session, String sql, String... parameters) throws SQLException {
        try (PreparedStatement statement = session.prepare(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                session.dialect().set(statement, i + 1, parameters[i]);
            }
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
        try (PreparedStatement statement = session.prepare(session.dialect().update(session.table()))) {
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
    public String location() {
        SharedDatabase shared = loan.present();
        return shared == null ? "" : shared.location();
    }

    @Override
    public Object connection() {
        return settings.access();
    }

    @Override
    public void close() {
        loan.close();
    }
}
