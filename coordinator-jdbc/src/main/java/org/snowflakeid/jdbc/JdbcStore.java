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
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
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

    /** The version of a record that was inserted. */
    private static final Long FIRST = 1L;

    private final JdbcSettings settings;

    private final Shared<JdbcSettings.Access, SharedDatabase>.Loan loan;

    /** What was there before a write that may have been applied, by its key. */
    private final Map<String, Optional<Entry>> doubtful = new ConcurrentHashMap<>();

    JdbcStore(JdbcSettings settings) {
        this(settings, SharedDatabase.ALL);
    }

    JdbcStore(JdbcSettings settings, Shared<JdbcSettings.Access, SharedDatabase> all) {
        this.settings = settings;
        this.loan = all.loan(settings.access());
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
            return shared().call(settings, timeout, call -> readKept(call, keys));
        } catch (JdbcFailure e) {
            throw e.exception();
        }
    }

    /** Core takes what it finds of its own for granted. */
    private Reading readKept(DatabaseCall call, List<String> keys) throws SQLException {
        Map<String, Optional<Entry>> before = Map.copyOf(doubtful);
        Reading reading = read(call, keys);
        for (String key : keys) {
            Optional<Entry> replaced = before.get(key);
            if (replaced != null
                    && !replaced.equals(Optional.ofNullable(reading.entries().get(key)))) {
                call.awaitKept();
                boolean unused = doubtful.remove(key, replaced);
            }
        }
        return reading;
    }

    private Reading read(DatabaseCall call, List<String> keys) throws SQLException {
        Map<String, Entry> entries = new HashMap<>();
        Instant time = Instant.MIN;
        for (int from = 0; from < keys.size() || from == 0; from += MAX_KEYS) {
            List<String> some = keys.subList(from, Math.min(from + MAX_KEYS, keys.size()));
            time = call.hasTable() ? readSome(call, some, entries) : readNothing(call);
        }
        return new Reading(entries, time);
    }

    /** And the table's own record, in the same statement: another table's are never believed. */
    private Instant readSome(DatabaseCall call, List<String> keys, Map<String, Entry> entries) throws SQLException {
        Map<String, Entry> seen = new HashMap<>();
        try (PreparedStatement statement = call.prepareForTable(call.dialect().read(call.table(), keys.size() + 1))) {
            for (int i = 0; i < keys.size(); i++) {
                call.dialect().setName(statement, i + 1, keys.get(i));
            }
            call.dialect().setName(statement, keys.size() + 1, DatabaseCall.TABLE_ID);
            try (ResultSet rows = call.query(statement)) {
                Instant time = Instant.MIN;
                String place = "";
                while (rows.next()) {
                    time = call.primarysTime(rows);
                    place = call.place(rows);
                    long version = rows.getLong(5);
                    if (!rows.wasNull()) {
                        seen.put(
                                call.dialect().get(rows, 4),
                                new Entry(call.dialect().get(rows, 6), version));
                    }
                }
                Entry id = seen.remove(DatabaseCall.TABLE_ID);
                call.requireOrigin(place, id == null ? null : id.value());
                entries.putAll(seen);
                return time;
            }
        } catch (SQLException e) {
            if (!call.saysAbsent(e)) {
                throw e;
            }
            call.forgetTable();
            return readNothing(call);
        }
    }

    private Instant readNothing(DatabaseCall call) throws SQLException {
        Instant time = call.lookAtAbsence().time();
        new TableCheck(call).requireOr(settings.createsTable());
        return time;
    }

    @Override
    public Write compareAndSet(String key, @Nullable Entry expected, String next, Duration timeout) {
        try {
            boolean applied = shared().call(
                            settings,
                            timeout,
                            call -> expected == null
                                    ? insert(call, key, next)
                                    : call.hasTable() && update(call, key, expected, next));
            return applied ? new Write.Applied() : new Write.Rejected();
        } catch (JdbcFailure e) {
            CoordinatorException cause = e.ofUnknownOutcome();
            doubtful.put(key, Optional.ofNullable(expected));
            return new Write.Unknown(cause);
        }
    }

    private boolean insert(DatabaseCall call, String key, String next) throws SQLException {
        if (!call.hasTable()) {
            new TableCheck(call).requireOr(settings.createsTable());
            new TableCheck(call).create();
        }
        String tableId = tableId(call);
        if (insert(call, call.dialect().insertBeside(call.table()), key, next, DatabaseCall.TABLE_ID, tableId)) {
            requireKept(call, key, next);
            return true;
        }
        requireChangedByAnother(call, key, null, tableId);
        return false;
    }

    /** Of the table, which is given one by whichever process writes to it first. */
    private String tableId(DatabaseCall call) throws SQLException {
        for (int i = 0; i < 2 && call.tableId() == null; i++) {
            Instant unused = readSome(call, List.of(), new HashMap<>());
            if (call.tableId() == null) {
                String id = "id=" + UUID.randomUUID();
                boolean unusedOutcome = insert(call, call.dialect().insert(call.table()), DatabaseCall.TABLE_ID, id);
            }
        }
        String id = call.tableId();
        if (id == null) {
            throw unchanged(call.table(), DatabaseCall.TABLE_ID);
        }
        return id;
    }

    /** @param parameters names and values by turns */
    private static boolean insert(DatabaseCall call, String sql, String... parameters) throws SQLException {
        try (PreparedStatement statement = call.prepareForTable(sql)) {
            for (int i = 0; i < parameters.length; i += 2) {
                call.dialect().setName(statement, i + 1, parameters[i]);
                call.dialect().setValue(statement, i + 2, parameters[i + 1]);
            }
            call.beforeChange();
            boolean applied = call.change(statement) == 1;
            call.afterChange();
            return applied;
        } catch (SQLException e) {
            if (JdbcFailure.saysDuplicate(e)) {
                return false;
            }
            if (call.saysAbsent(e)) {
                call.forgetTable();
            }
            throw e;
        }
    }

    private static CoordinatorException unchanged(Table table, String key) {
        return new CoordinatorException(
                "the database does not change the table " + table + ", and does not say why: after a write of '" + key
                        + "' it shows the same as before. " + JdbcFailure.UNCHANGED,
                true);
    }

    /** A trigger may have altered it: others would have given it another version. */
    private void requireKept(DatabaseCall call, String key, String inserted) throws SQLException {
        Map<String, Entry> now = new HashMap<>();
        try {
            Instant unused = readSome(call, List.of(key), now);
        } catch (SQLException | CoordinatorException notSeen) {
            // It was inserted all the same, and is read again before it is believed.
            return;
        }
        Entry present = now.get(key);
        if (present != null
                && present.version().equals(FIRST)
                && !present.value().equals(inserted)) {
            throw new CoordinatorException(
                    "the table " + call.table() + " keeps another value than was written: after the insert of '" + key
                            + "' it has one that was altered. " + JdbcFailure.UNCHANGED,
                    true);
        }
    }

    /** What another process wrote since is the one lawful reason why nothing was changed. */
    private void requireChangedByAnother(
            DatabaseCall call, String key, @Nullable Entry expected, @Nullable String tableId) throws SQLException {
        Map<String, Entry> now = new HashMap<>();
        try {
            Instant unused = readSome(call, List.of(key), now);
        } catch (CoordinatorException elsewhere) {
            // So says the next read, too.
            return;
        }
        if (Objects.equals(now.get(key), expected) && Objects.equals(call.tableId(), tableId)) {
            throw unchanged(call.table(), key);
        }
    }

    private boolean update(DatabaseCall call, String key, Entry expected, String next) throws SQLException {
        try (PreparedStatement statement = call.prepareForTable(call.dialect().update(call.table()))) {
            call.dialect().setValue(statement, 1, next);
            call.dialect().setName(statement, 2, key);
            statement.setLong(3, (Long) expected.version());
            call.dialect().setValue(statement, 4, expected.value());
            call.beforeChange();
            boolean applied = call.change(statement) == 1;
            call.afterChange();
            if (!applied) {
                requireChangedByAnother(call, key, expected, call.tableId());
            }
            return applied;
        } catch (SQLException e) {
            if (call.dialect().saysChanged(e)) {
                return false;
            }
            if (call.saysAbsent(e)) {
                call.forgetTable();
                return false;
            }
            throw e;
        }
    }

    @Override
    public boolean isWitness() {
        SharedDatabase shared = loan.present();
        return shared == null || shared.isWitness();
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
