// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import java.time.Instant;
import java.util.List;

/**
 * An audit that came to its end.
 *
 * @param place the database's URL without credentials
 * @param layoutGiven whether it was named; otherwise it is ours
 * @param clock this machine's, when it ended
 * @param rowsWithoutId in which the column is null
 * @param chunk how many ids each statement read
 */
public record AuditReport(
        String place,
        AuditedColumn column,
        IdLayout layout,
        boolean layoutGiven,
        Instant clock,
        long rowsWithoutId,
        int chunk,
        Audit audit) {

    /** Those of the ids, and those of how they were read. */
    List<Finding> findings() {
        return audit.findings();
    }

    public long faults() {
        return findings().stream()
                .filter(finding -> finding.result() == Finding.Result.FOUND)
                .count();
    }
}
