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
 * Unique indexes of a table that may let an id into two rows. The driver of PostgreSQL shows them as it shows any other: those that could
 * not be built, those of a table of which some partitions have none, and those of a table from which others inherit.
 */
final class LooseKeys {
    private static final String QUERY =
            "SELECT i.relname, x.indisvalid FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid"
                    + " JOIN pg_class t ON t.oid = x.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace"
                    + " WHERE n.nspname = ? AND t.relname = ? AND x.indisunique AND (NOT x.indisvalid OR"
                    + " t.relkind = 'r' AND EXISTS (SELECT 1 FROM pg_inherits h WHERE h.inhparent = t.oid))";

    /** What there is to say of each, by name. */
    private final Map<String, String> faults = new HashMap<>();

    private final Set<String> notValid = new HashSet<>();

    private LooseKeys() {}

    static LooseKeys of(Connection connection, @Nullable String schema, String table) throws SQLException {
        LooseKeys found = new LooseKeys();
        if (!connection.getMetaData().getDatabaseProductName().equals("PostgreSQL")) {
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
        return found;
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

    /** Whether the database finds rows by it. */
    boolean isOfUse(String index) {
        return !notValid.contains(index);
    }
}
