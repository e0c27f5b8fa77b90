// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Policies of PostgreSQL by which a user sees a part of the rows of a table, without a word. */
final class RowSecurity {
    // Not by row_security_active(), which relatives of PostgreSQL lack.
    private static final String QUERY = "SELECT t.relrowsecurity AND NOT r.rolsuper AND NOT r.rolbypassrls"
            + " AND (t.relforcerowsecurity OR NOT pg_has_role(t.relowner, 'USAGE'))"
            + " FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace"
            + " JOIN pg_roles r ON r.rolname = current_user WHERE n.nspname = ? AND t.relname = ?";

    private RowSecurity() {}

    /** Whether a policy may hide rows of the table from this user. */
    static boolean hidesRows(Connection connection, @Nullable String schema, String table) throws SQLException {
        if (!connection.getMetaData().getDatabaseProductName().equals("PostgreSQL")) {
            return false;
        }
        try (PreparedStatement statement = connection.prepareStatement(QUERY)) {
            statement.setString(1, schema);
            statement.setString(2, table);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() && rows.getBoolean(1);
            }
        }
    }
}
