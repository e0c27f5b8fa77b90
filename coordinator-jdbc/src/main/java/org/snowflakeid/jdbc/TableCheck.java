// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.lang.System.Logger.Level;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.snowflakeid.CoordinatorException;

/** What must hold of a table, and of its database, before a record in it is believed; and how an absent one is created. */
final class TableCheck {
    private static final System.Logger LOG = System.getLogger(TableCheck.class.getName());

    /** Databases that were warned of. */
    private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

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
        try (Statement statement = call.connection().createStatement();
                ResultSet columns = statement.executeQuery(dialect.columns(table()))) {
            requireColumns(columns.getMetaData());
        } catch (SQLException e) {
            if (call.saysAbsent(e)) {
                return false;
            }
            throw e;
        }
        requirePrimaryKey();
        requireKept();
        if (dialect == Dialect.MARIADB) {
            CausalReads.require(call.connection());
        }
        warnOfDoubts();
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

    private void warnOfDoubts() throws SQLException {
        if (!WARNED.add(settings.access().toString())) {
            return;
        }
        if (new TableSearch(call).isOfThisMachine()) {
            LOG.log(
                    Level.WARNING,
                    "snowflake '" + settings.generator() + "': jdbc (" + settings.access()
                            + "): this " + call.connection().getMetaData().getDatabaseProductName()
                            + " is of this machine alone. Other machines see nothing of it, and would use the"
                            + " same worker ids. Use a database that all processes share.");
        }
        String untested = dialect.untested(call.only(dialect.version()));
        if (!untested.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "snowflake '" + settings.generator() + "': jdbc (" + settings.access() + "): this database is "
                            + untested + ", on which this coordinator was not tested. Run snowflake-operator check"
                            + " with these settings: it says whether the database keeps what the coordinator needs.");
        }
        String doubts = call.only(dialect.questions().doubts());
        if (!doubts.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "snowflake '" + settings.generator() + "': jdbc (" + settings.access()
                            + "): the database may lose what it has acknowledged (" + doubts
                            + "). After a crash of it, ids may repeat. Make its commits durable.");
        }
    }
}
