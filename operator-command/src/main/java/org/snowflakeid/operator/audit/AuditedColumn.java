// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import org.jspecify.annotations.Nullable;

/**
 * The column that is read, as the database describes it.
 *
 * @param table with its schema, as messages show it
 * @param quotedTable as statements name it
 * @param type for people, such as {@code bigint}
 * @param digits how many decimal digits always fit
 * @param nullable whether rows without an id are possible
 * @param unique whether a key forbids that two rows have the same id
 * @param looseKey what there is to say of a key that should forbid it and may not; null if there is none, or another one forbids it
 * @param indexed whether an index begins with it, so that chunks are cheap
 * @param view whether the table is a view, of whose indexes nothing is known
 * @param rowSecurity whether the database may hide rows from this user
 * @param aboutRows how many rows the database believes the table has; 0 if it does not say
 */
public record AuditedColumn(
        String table,
        String name,
        String quotedTable,
        String quotedName,
        Form form,
        String type,
        int digits,
        boolean nullable,
        boolean unique,
        @Nullable String looseKey,
        boolean indexed,
        boolean view,
        boolean rowSecurity,
        long aboutRows) {

    /** How ids are in it. */
    public enum Form {
        LONG,
        DECIMAL,
        TEXT
    }

    private static final int DIGITS_OF_AN_ID = 19;

    boolean isTooSmall() {
        return digits < DIGITS_OF_AN_ID;
    }
}
