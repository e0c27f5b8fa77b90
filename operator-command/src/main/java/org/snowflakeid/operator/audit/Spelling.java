// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import java.math.BigDecimal;
import java.util.regex.Pattern;
import org.snowflakeid.config.Quoted;

/**
 * How the ids of a column are written. In a column of text two spellings of one id lie apart, and neither a key nor the order of the column
 * takes them for equal. So there must be one: the usual, or filled up with zeros to one length.
 */
final class Spelling {
    private static final Pattern FILLED_UP = Pattern.compile("0[0-9]+");

    private final AuditedColumn column;
    private boolean filledUp;
    private int length;
    private boolean severalLengths;

    Spelling(AuditedColumn column) {
        this.column = column;
    }

    /** @throws AuditRefusedException if it is none, or may be there in another spelling, too */
    long id(Object value) {
        try {
            if (value instanceof Long id) {
                return id;
            }
            return value instanceof BigDecimal number ? number.longValueExact() : ofText(value.toString());
        } catch (ArithmeticException | NumberFormatException e) {
            throw AuditRefusedException.failed(
                    has(value) + ", which is no whole number from -2^63 to 2^63-1 in decimal."
                            + " Other forms of ids can't be read: audit a column of numbers.");
        }
    }

    private long ofText(String text) {
        // As the column has it: padded, if it is of a fixed length.
        String digits = text.stripTrailing();
        long id = Long.parseLong(digits.stripLeading());
        boolean filled = FILLED_UP.matcher(digits).matches();
        filledUp |= filled;
        severalLengths |= length != 0 && length != digits.length();
        length = digits.length();
        boolean usual = digits.equals(Long.toString(id));
        if ((!usual && !filled) || (filledUp && severalLengths)) {
            throw AuditRefusedException.failed(
                    has(text) + " for the id " + id + ", which may be there in another"
                            + " spelling, too, and would not be seen as a duplicate. Audit a view that casts the column to BIGINT.");
        }
        return id;
    }

    private String has(Object value) {
        return "The column " + column.name() + " of " + column.table() + " has the value "
                + Quoted.of(value.toString());
    }
}
