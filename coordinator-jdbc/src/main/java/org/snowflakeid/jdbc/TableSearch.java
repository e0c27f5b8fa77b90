// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;

/** Finds the table that a call is to use, by what the database says of each schema where it may be. */
final class TableSearch {
    private final DatabaseCall call;
    private final JdbcSettings settings;
    private final Dialect dialect;

    TableSearch(DatabaseCall call) {
        this.call = call;
        this.settings = call.settings();
        this.dialect = call.dialect();
    }

    /** The first that is there; or the first that could be. */
    Table find() throws SQLException {
        String name = dialect.folded(call.connection(), settings.table());
        String given = settings.schema();
        if (given != null && dialect == Dialect.SQLSERVER && given.indexOf('.') < 0) {
            throw DefaultSchemas.unknown(
                    "each session has its own database, so '" + given + "' needs one before it, as in ids." + given);
        }
        boolean own = settings.access().dataSource() == null;
        List<String> schemas =
                given == null ? DefaultSchemas.of(call, own) : List.of(dialect.folded(call.connection(), given));
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

    static CoordinatorException noSchema(Table table) {
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

    Look look(Table at) throws SQLException {
        Look look = lookBySql(at);
        if (!dialect.asksDriver()) {
            return look;
        }
        // Not while a result is open, which the next statement of a connection may close.
        DriverCatalog catalog = new DriverCatalog(call);
        return new Look(look.time, look.place, catalog.hasSchema(at), catalog.hasTable(at), look.shown);
    }

    private Look lookBySql(Table at) throws SQLException {
        try (PreparedStatement statement = call.prepare(dialect.look())) {
            if (!dialect.asksDriver()) {
                statement.setString(1, at.schema());
                statement.setString(2, at.schema());
                statement.setString(3, at.name());
            }
            try (ResultSet row = statement.executeQuery()) {
                boolean unused = row.next();
                return new Look(
                        call.primarysTime(row),
                        call.place(row),
                        row.getInt(4) == 1,
                        row.getInt(5) == 1,
                        row.getString(6));
            }
        }
    }
}
