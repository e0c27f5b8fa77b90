// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import static org.snowflakeid.operator.audit.Finding.Result.FOUND;

/** Ids that are in several rows. */
final class Duplicates {
    private static final String NAME = "duplicates";

    private final AuditedColumn column;
    private final Examples examples = new Examples();
    private long ids;
    private long rows;

    Duplicates(AuditedColumn column) {
        this.column = column;
    }

    void see(long id, long rowsOfIt) {
        if (rowsOfIt > 1) {
            ids++;
            rows += rowsOfIt;
            examples.add(id);
        }
    }

    Finding finding() {
        if (ids > 0) {
            return new Finding(
                    NAME,
                    FOUND,
                    ids,
                    Counted.of(ids, "id") + " in several rows, " + Counted.of(rows, "row") + " in all: " + examples
                            + ". Give these rows new ids, then forbid it by a unique key"
                            + (column.looseKey() == null ? "." : ": " + column.looseKey()),
                    examples.ids());
        }
        return Finding.passed(NAME, "No id is in two rows" + why());
    }

    private String why() {
        if (column.unique()) {
            return ": a unique key forbids it. An id that was made twice failed at its second insert; the application's log"
                    + " has the key's name then.";
        }
        return column.looseKey() == null ? ", though no key forbids it." : ", but " + column.looseKey();
    }
}
