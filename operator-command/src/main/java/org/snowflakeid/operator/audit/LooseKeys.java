// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Unique indexes of a table that forbid less, or more, than they seem to. The driver of PostgreSQL shows them as it shows any other: those
 * that could not be built, those of a table of which some partitions have none, and those of a table from which others inherit; and it shows
 * the columns that an index only includes as if they belonged to its key. That of SQLite shows those of some rows alike.
 */
final class LooseKeys {
    private static final String QUERY =
            "SELECT i.relname, x.indisvalid FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid"
                    + " JOIN pg_class t ON t.oid = x.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace"
                    + " WHERE n.nspname = ? AND t.relname = ? AND x.indisunique AND (NOT x.indisvalid OR"
                    + " t.relkind = 'r' AND EXISTS (SELECT 1 FROM pg_inherits h WHERE h.inhparent = t.oid))";

    private static final String INCLUDING =
            "SELECT i.relname FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid"
                    + " JOIN pg_namespace n ON n.oid = t.relnamespace WHERE n.nspname = ? AND t.relname = ?"
                    + " AND x.indisunique AND x.indnkeyatts = 1 AND x.indnatts > 1";

    private static final String OF_SOME_ROWS = "SELECT name FROM pragma_index_list(?) WHERE partial = 1";

    /** From here on indexes include columns. */
    private static final int INCLUDES_SINCE = 11;

    /** What there is to say of each, by name. */
    private final Map<String, String> faults = new HashMap<>();

    /** By these the database finds no row, or not every row. */
    private final Set<String> notValid = new HashSet<>();

    /** Those whose key is one column, and that include others. */
    private final Set<String> including = new HashSet<>();

    private LooseKeys() {}

    static LooseKeys of(Connection connection, @Nullable String schema, String table) throws SQLException {
        LooseKeys found = new LooseKeys();
        String product = connection.getMetaData().getDatabaseProductName();
        if (product.equals("SQLite")) {
            found.addOfSomeRows(connection, table);
        }
        if (!product.equals("PostgreSQL")) {
            return found;
        }
        try (PreparedStatement statement = connection.prepareStatement(QUERY)) {
            statement.setString(1, schema);
            statement.setString(2, table);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(rows.getString(1), rows.getBoolean(2));
                }
            }
        }
        if (connection.getMetaData().getDatabaseMajorVersion() >= INCLUDES_SINCE) {
            found.addIncluding(connection, schema, table);
        }
        return found;
    }

    private void addOfSomeRows(Connection connection, String table) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(OF_SOME_ROWS)) {
            statement.setString(1, table);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    String index = rows.getString(1);
                    faults.put(
                            index, "the unique index " + index + ", which should forbid it, is one of some rows only.");
                    notValid.add(index);
                }
            }
        }
    }

    private void addIncluding(Connection connection, @Nullable String schema, String table) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INCLUDING)) {
            statement.setString(1, schema);
            statement.setString(2, table);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    including.add(rows.getString(1));
                }
            }
        }
    }

    private void add(String index, boolean valid) {
        faults.put(
                index,
                "the unique index " + index + ", which should forbid it, "
                        + (valid
                                ? "does not hold for the tables that inherit from this one."
                                : "is not valid. Drop it and create it again."));
        if (!valid) {
            notValid.add(index);
        }
    }

    /** Null: it keeps its promise. */
    @Nullable
    String fault(String index) {
        return faults.get(index);
    }

    /** Whether its key is its first column alone. */
    boolean isOfOneColumn(Index index) {
        return index.columns().size() == 1 || including.contains(index.name());
    }

    /** Whether the database finds rows by it. */
    boolean isOfUse(String index) {
        return !notValid.contains(index);
    }
}
