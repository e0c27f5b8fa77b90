// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a driver knows of schemas and tables, in the same way for all databases. */
final class DriverCatalog {
    private final DatabaseCall call;
    private final DatabaseMetaData driver;

    DriverCatalog(DatabaseCall call) throws SQLException {
        this.call = call;
        this.driver = call.connection().getMetaData();
    }

    /** The default one is created with its first table in some databases, and not listed in those that have no others. */
    boolean hasSchema(Table table) throws SQLException {
        if (table.schema().equals(call.only(call.dialect().schema(false)))) {
            return true;
        }
        String database = database(table);
        try (ResultSet schemas = database == null ? driver.getSchemas() : driver.getSchemas(database, null)) {
            while (schemas.next()) {
                if (Objects.equals(schema(table), schemas.getString("TABLE_SCHEM"))) {
                    return true;
                }
            }
        }
        return false;
    }

    boolean hasTable(Table table) throws SQLException {
        return !kind(table).isEmpty();
    }

    /** "TABLE", or another word for what it is; empty if there is none. */
    String kind(Table table) throws SQLException {
        String own = schema(table);
        // These are patterns, in which an underscore stands for any character.
        try (ResultSet tables = driver.getTables(database(table), own, table.name(), null)) {
            while (tables.next()) {
                String schema = tables.getString("TABLE_SCHEM");
                if (table.name().equals(tables.getString("TABLE_NAME")) && (schema == null || schema.equals(own))) {
                    return String.valueOf(tables.getString("TABLE_TYPE")).strip();
                }
            }
        }
        return "";
    }

    /** Its columns in lower case; empty if it has none. */
    String primaryKey(Table table) throws SQLException {
        TreeMap<Integer, String> columns = new TreeMap<>();
        try (ResultSet keys = driver.getPrimaryKeys(database(table), schema(table), table.name())) {
            while (keys.next()) {
                columns.put(
                        keys.getInt("KEY_SEQ"), keys.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
            }
        }
        return String.join(",", columns.values());
    }

    private @Nullable String database(Table table) {
        return call.dialect() == Dialect.SQLSERVER ? table.schema().split("\\.", 2)[0] : null;
    }

    private @Nullable String schema(Table table) {
        String schema = table.schema();
        if (call.dialect() == Dialect.SQLSERVER) {
            return schema.substring(schema.indexOf('.') + 1);
        }
        return schema.isEmpty() ? null : schema;
    }
}
