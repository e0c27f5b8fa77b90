// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import java.sql.Types;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.operator.audit.AuditedColumn.Form;

/**
 * How ids are in a column of some type.
 *
 * @param digits how many decimal digits always fit
 */
record ColumnType(Form form, int digits) {
    private static final int DIGITS_OF_A_LONG = 19;

    /** @return null if there can be no ids in it */
    static @Nullable ColumnType of(String product, int jdbcType, String name, int size, int scale) {
        // Its whole numbers have 64 bits, whatever they are called.
        boolean allLong = product.toLowerCase(Locale.ROOT).contains("sqlite");
        if (allLong && name.isBlank()) {
            // Called text by the driver. A number would be less than any text that it is compared with.
            return new ColumnType(Form.LONG, DIGITS_OF_A_LONG);
        }
        return switch (jdbcType) {
            case Types.BIGINT -> new ColumnType(name.contains("unsigned") ? Form.DECIMAL : Form.LONG, DIGITS_OF_A_LONG);
            case Types.INTEGER -> new ColumnType(Form.LONG, allLong ? DIGITS_OF_A_LONG : 9);
            case Types.SMALLINT -> new ColumnType(Form.LONG, allLong ? DIGITS_OF_A_LONG : 4);
            case Types.TINYINT -> new ColumnType(Form.LONG, allLong ? DIGITS_OF_A_LONG : 2);
            // A size of 0 has no limit.
            case Types.NUMERIC, Types.DECIMAL ->
                scale > 0 ? null : new ColumnType(Form.DECIMAL, size == 0 ? DIGITS_OF_A_LONG : size);
            case Types.CHAR, Types.VARCHAR, Types.LONGVARCHAR, Types.NCHAR, Types.NVARCHAR, Types.LONGNVARCHAR ->
                new ColumnType(Form.TEXT, size == 0 ? DIGITS_OF_A_LONG : size);
            default -> null;
        };
    }
}
