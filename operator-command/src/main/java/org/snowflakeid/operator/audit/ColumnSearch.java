// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds the table and its column in what the database says of itself. Names come from there, and are quoted in statements. */
final class ColumnSearch {

    private record Table(@Nullable String catalog, @Nullable String schema, String name, String type) {

        /** The schema; where the database has none, such as MariaDB and MySQL, the catalog. */
        @Nullable
        String place() {
            return schema == null || schema.isEmpty() ? catalog : schema;
        }

        boolean isView() {
            return type.contains("VIEW");
        }

        @Override
        public String toString() {
            String place = place();
            return (place == null || place.isEmpty() ? "" : place + ".") + name;
        }
    }

    private record Column(String name, int jdbcType, String type, int size, int scale, boolean nullable) {}

    /** What keys and indexes say of the column. */
    private record Indexes(boolean unique, @Nullable String looseKey, boolean leading, long aboutRows) {}

    private final AuditedDatabase database;
    private final Connection connection;
    private final DatabaseMetaData metadata;

    private ColumnSearch(AuditedDatabase database, Connection connection) throws SQLException {
        this.database = database;
        this.connection = connection;
        this.metadata = connection.getMetaData();
    }

    /**
     * @param table as it is typed, with its schema or without
     * @throws AuditRefusedException if it is not there, not unique, or its column has no ids
     */
    static AuditedColumn find(AuditedDatabase database, Connection connection, String table, String column)
            throws SQLException {
        ColumnSearch search = new ColumnSearch(database, connection);
        Table found = search.table(table);
        return search.described(found, search.column(found, column));
    }

    private Table table(String typed) throws SQLException {
        int dot = typed.lastIndexOf('.');
        String qualifier = dot < 0 ? null : typed.substring(0, dot);
        String name = typed.substring(dot + 1);
        Set<String> spellings =
                new LinkedHashSet<>(List.of(name, name.toLowerCase(Locale.ROOT), name.toUpperCase(Locale.ROOT)));
        for (String spelling : spellings) {
            List<Table> found = named(spelling, qualifier);
            List<Table> exact = found.stream()
                    .filter(each -> qualifier != null && qualifier.equals(each.place()))
                    .toList();
            if (!found.isEmpty()) {
                return one(typed, exact.isEmpty() ? found : exact);
            }
        }
        throw AuditRefusedException.wrongUse("There is no table " + typed + " at " + database.place()
                + ", or this user has no rights on it. Correct --table, or name its schema too: --table SCHEMA.TABLE.");
    }

    private List<Table> named(String name, @Nullable String qualifier) throws SQLException {
        List<Table> found = new ArrayList<>();
        try (ResultSet rows = metadata.getTables(null, null, pattern(name), null)) {
            while (rows.next()) {
                Table table = new Table(
                        rows.getString("TABLE_CAT"),
                        rows.getString("TABLE_SCHEM"),
                        rows.getString("TABLE_NAME"),
                        String.valueOf(rows.getString("TABLE_TYPE")).toUpperCase(Locale.ROOT));
                // Others are indexes and sequences. The pattern may match more than the name.
                if (table.name().equals(name)
                        && (table.type().contains("TABLE") || table.isView())
                        && (qualifier == null
                                ? !table.type().contains("SYSTEM")
                                : qualifier.equalsIgnoreCase(table.place()))) {
                    found.add(table);
                }
            }
        }
        return found;
    }

    private Table one(String typed, List<Table> found) throws SQLException {
        if (found.size() == 1) {
            return found.get(0);
        }
        String schema = connection.getSchema();
        String catalog = connection.getCatalog();
        return found.stream()
                .filter(table -> (schema == null || table.schema() == null)
                        ? Objects.equals(table.catalog(), catalog)
                        : schema.equals(table.schema()))
                .findFirst()
                .orElseThrow(() -> AuditRefusedException.wrongUse("There are several tables " + typed + ": "
                        + found.stream().map(Table::toString).collect(Collectors.joining(", "))
                        + ". Name one of them."));
    }

    private Column column(Table table, String typed) throws SQLException {
        List<Column> columns = new ArrayList<>();
        String schema = table.schema() == null ? null : pattern(table.schema());
        try (ResultSet rows = metadata.getColumns(table.catalog(), schema, pattern(table.name()), null)) {
            while (rows.next()) {
                if (rows.getString("TABLE_NAME").equals(table.name())
                        && Objects.equals(rows.getString("TABLE_SCHEM"), table.schema())) {
                    columns.add(new Column(
                            rows.getString("COLUMN_NAME"),
                            rows.getInt("DATA_TYPE"),
                            String.valueOf(rows.getString("TYPE_NAME")).toLowerCase(Locale.ROOT),
                            rows.getInt("COLUMN_SIZE"),
                            rows.getInt("DECIMAL_DIGITS"),
                            rows.getInt("NULLABLE") != DatabaseMetaData.columnNoNulls));
                }
            }
        }
        return columns.stream()
                .filter(column -> column.name().equals(typed))
                .findFirst()
                .or(() -> columns.stream()
                        .filter(column -> column.name().equalsIgnoreCase(typed))
                        .findFirst())
                .orElseThrow(() -> AuditRefusedException.wrongUse("The table " + table + " has no column " + typed
                        + ", but: " + columns.stream().map(Column::name).collect(Collectors.joining(", "))
                        + ". Correct --column."));
    }

    private AuditedColumn described(Table table, Column column) throws SQLException {
        ColumnType type = ColumnType.of(
                metadata.getDatabaseProductName(), column.jdbcType(), column.type(), column.size(), column.scale());
        if (type == null) {
            throw AuditRefusedException.wrongUse("The column " + column.name() + " of " + table + " is of type "
                    + column.type() + ". Ids can be read from columns of whole numbers, and of text in decimal.");
        }
        Indexes indexes = indexes(table, column.name());
        return new AuditedColumn(
                table.toString(),
                column.name(),
                quoted(table),
                quote(column.name()),
                type.form(),
                column.type(),
                type.digits(),
                column.nullable(),
                indexes.unique(),
                indexes.looseKey(),
                indexes.leading(),
                table.isView(),
                RowSecurity.hidesRows(connection, table.schema(), table.name()),
                indexes.aboutRows());
    }

    private Indexes indexes(Table table, String column) throws SQLException {
        if (table.isView()) {
            return new Indexes(false, null, false, 0);
        }
        LooseKeys loose = LooseKeys.of(connection, table.schema(), table.name());
        Set<Index> all = new LinkedHashSet<>(Index.of(metadata, table.catalog(), table.schema(), table.name()));
        all.add(Index.ofPrimaryKey(metadata, table.catalog(), table.schema(), table.name()));
        boolean unique = false;
        String looseKey = null;
        boolean leading = false;
        long aboutRows = 0;
        for (Index index : all) {
            if (!index.leads(column)) {
                continue;
            }
            if (index.unique() && loose.isOfOneColumn(index)) {
                String fault = loose.fault(index.name());
                unique |= fault == null;
                looseKey = looseKey == null ? fault : looseKey;
            }
            if (loose.isOfUse(index.name())) {
                leading = true;
                aboutRows = Math.max(aboutRows, index.entries());
            }
        }
        return new Indexes(unique, unique ? null : looseKey, leading, aboutRows);
    }

    /** An underscore in a name stands for any character otherwise. */
    private String pattern(String name) throws SQLException {
        String escape = metadata.getSearchStringEscape();
        return escape == null || escape.isEmpty()
                ? name
                : name.replace(escape, escape + escape)
                        .replace("_", escape + "_")
                        .replace("%", escape + "%");
    }

    private String quoted(Table table) throws SQLException {
        String schema = table.schema();
        String catalog = table.catalog();
        if (schema != null && !schema.isEmpty()) {
            return quote(schema) + "." + quote(table.name());
        }
        // Databases without schemas: MariaDB and MySQL.
        return catalog == null || catalog.isEmpty() ? quote(table.name()) : quote(catalog) + "." + quote(table.name());
    }

    private String quote(String name) throws SQLException {
        String quote = metadata.getIdentifierQuoteString();
        return quote == null || quote.isBlank() ? name : quote + name.replace(quote, quote + quote) + quote;
    }
}
