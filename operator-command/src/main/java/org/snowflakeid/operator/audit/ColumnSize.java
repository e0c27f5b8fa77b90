// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import static org.snowflakeid.operator.audit.Finding.Result.FOUND;
import static org.snowflakeid.operator.audit.Finding.Result.NOTE;

import java.util.List;

/** Whether ids fit: the column, and the numbers of JavaScript. */
final class ColumnSize {
    private static final String NAME = "column";
    private static final String JAVASCRIPT = "javascript";
    private static final long JAVASCRIPT_LAST = (1L << 53) - 1;

    private final AuditedColumn column;
    private final Examples examples = new Examples();
    private long rows;

    ColumnSize(AuditedColumn column) {
        this.column = column;
    }

    void see(long id, long rowsOfIt) {
        if (id > JAVASCRIPT_LAST || id < -JAVASCRIPT_LAST) {
            rows += rowsOfIt;
            examples.add(id);
        }
    }

    Finding column() {
        return column.isTooSmall()
                ? new Finding(
                        NAME,
                        FOUND,
                        1,
                        "The column is too small: " + column.type()
                                + " does not hold all ids of 63 bits, which have up to" + " 19 digits. Make it BIGINT.",
                        List.of())
                : Finding.passed(NAME, "The column holds every id of 63 bits: " + column.type() + ".");
    }

    Finding javaScript() {
        return rows == 0
                ? Finding.passed(JAVASCRIPT, "All ids are below 2^53: JavaScript keeps them.")
                : new Finding(
                        JAVASCRIPT,
                        NOTE,
                        rows,
                        Counted.of(rows, "row") + " with an id above 2^53, which JavaScript rounds as a number: "
                                + examples + ". Send ids as strings.",
                        examples.ids());
    }
}
