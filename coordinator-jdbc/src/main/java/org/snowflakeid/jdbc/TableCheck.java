// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import org.snowflakeid.CoordinatorException;

/** What must hold of a table, and of its database, before a record in it is believed; and how an absent one is created. */
final class TableCheck {
    private final DatabaseCall call;
    private final JdbcSettings settings;
    private final Dialect dialect;

    TableCheck(DatabaseCall call) {
        this.call = call;
        this.settings = call.settings();
        this.dialect = call.dialect();
    }

    /**
     * Whether there is a table.
     *
     * @throws CoordinatorException if there is one that can't be used
     */
    boolean isUsable() throws SQLException {
        try (PreparedStatement statement = call.prepareForTable(dialect.columns(table()));
                ResultSet columns = call.query(statement)) {
            requireColumns(columns.getMetaData());
        } catch (SQLException e) {
            if (call.saysAbsent(e)) {
                return false;
            }
            throw e;
        }
        requirePrimaryKey();
        requireKept();
        return true;
    }

    private Table table() throws SQLException {
        return call.table();
    }

    void requireOr(boolean itIsCreated) throws SQLException {
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
    void create() throws SQLException {
        TableSearch.Look look = call.lookAtAbsence();
        if (settings.schema() == null && !table().schema().equals(look.shown())) {
            throw new CoordinatorException(
                    "there is no table " + table() + ", and none is created: the schema '" + table().schema()
                            + "' is this user's default, but this connection looks in '" + look.shown()
                            + "'. Name the schema where the table belongs in " + JdbcSettings.SCHEMA + ".",
                    true);
        }
        try (Statement statement = call.connection().createStatement()) {
            boolean unused = statement.execute(dialect.createTable(dialect.quoted(table())));
        } catch (SQLException e) {
            // Another process may have created it at the same time.
            if (call.hasTable()) {
                return;
            }
            if (JdbcFailure.saysForbidden(e)) {
                throw new CoordinatorException(
                        "there is no table " + table() + ", and this user may not create it (" + e.getMessage()
                                + "). Have it created, and SELECT, INSERT and UPDATE granted: " + ddl() + otherwise(),
                        e,
                        true);
            }
            throw e;
        }
        if (!call.hasTable()) {
            throw new CoordinatorException(
                    "the table " + table() + " was created, and is not seen. Is the database a replica?", false);
        }
    }

    private String ddl() throws SQLException {
        return dialect.createTable(dialect.quoted(table())) + ";";
    }

    private void requireColumns(ResultSetMetaData columns) throws SQLException {
        boolean usable = dialect.isExact(columns.getColumnType(1))
                && dialect.isVersion(columns.getColumnType(2))
                && dialect.isExact(columns.getColumnType(3));
        if (!usable) {
            throw unusable("its columns name, version and value are of the types " + columns.getColumnTypeName(1) + ", "
                    + columns.getColumnTypeName(2) + " and " + columns.getColumnTypeName(3));
        }
    }

    /** Without it a record could be inserted twice. */
    private void requirePrimaryKey() throws SQLException {
        String columns = dialect.asksDriver()
                ? new DriverCatalog(call).primaryKey(table())
                : onlyOfTable(dialect.questions().primaryKey());
        if (!columns.equals("name")) {
            throw unusable(
                    "its primary key is not the column name alone, but " + (columns.isEmpty() ? "none" : columns));
        }
    }

    /** Rows that are gone after a crash, or are of one session alone, are no record of anything. */
    private void requireKept() throws SQLException {
        String complaint = dialect.asksDriver()
                ? notATable()
                : onlyOfTable(dialect.questions().notKept());
        if (!complaint.isEmpty()) {
            throw unusable(complaint);
        }
    }

    private String notATable() throws SQLException {
        String kind = new DriverCatalog(call).kind(table());
        return kind.equals("TABLE") ? "" : "it is a " + kind;
    }

    /** Of a query about the table. */
    private String onlyOfTable(String query) throws SQLException {
        return call.only(query, table().schema(), table().name());
    }

    private CoordinatorException unusable(String seen) throws SQLException {
        return new CoordinatorException(
                "the table " + table() + " is of another version, or another application's: " + seen
                        + ". Name a schema in " + JdbcSettings.SCHEMA
                        + " where it is this coordinator's, made like this: " + ddl(),
                true);
    }
}
