// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An index of all rows of a table, in the order of its columns.
 *
 * @param entries how many the database believes it has; 0 if it does not say
 */
record Index(String name, boolean unique, List<String> columns, long entries) {

    static Collection<Index> of(
            DatabaseMetaData metadata, @Nullable String catalog, @Nullable String schema, String table)
            throws SQLException {
        Map<String, Index> indexes = new LinkedHashMap<>();
        // Its indexes of other kinds, such as BRIN, are told by this alone. Other databases may leave it out.
        boolean toldByOrder = metadata.getDatabaseProductName().equals("PostgreSQL");
        try (ResultSet rows = metadata.getIndexInfo(catalog, schema, table, false, true)) {
            while (rows.next()) {
                String name = rows.getString("INDEX_NAME");
                short type = rows.getShort("TYPE");
                if (name == null
                        || type == DatabaseMetaData.tableIndexStatistic
                        || type == DatabaseMetaData.tableIndexHashed
                        || rows.getString("FILTER_CONDITION") != null
                        || (toldByOrder && rows.getString("ASC_OR_DESC") == null)) {
                    continue;
                }
                boolean unique = !rows.getBoolean("NON_UNIQUE");
                long entries = rows.getLong("CARDINALITY");
                indexes.computeIfAbsent(name, key -> new Index(name, unique, new ArrayList<>(), entries))
                        .columns()
                        .add(String.valueOf(rows.getString("COLUMN_NAME")));
            }
        }
        return indexes.values();
    }

    /** Not all databases show it among the indexes. Without columns if there is none. */
    static Index ofPrimaryKey(
            DatabaseMetaData metadata, @Nullable String catalog, @Nullable String schema, String table)
            throws SQLException {
        TreeMap<Integer, String> ordered = new TreeMap<>();
        String name = "";
        try (ResultSet rows = metadata.getPrimaryKeys(catalog, schema, table)) {
            while (rows.next()) {
                name = String.valueOf(rows.getString("PK_NAME"));
                ordered.put(rows.getInt("KEY_SEQ"), rows.getString("COLUMN_NAME"));
            }
        }
        return new Index(name, true, List.copyOf(ordered.values()), 0);
    }

    boolean leads(String column) {
        return !columns.isEmpty() && columns.get(0).equals(column);
    }
}
