// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

/**
 * What only a person can know: restoring or moving a namespace is refused until the operator has looked into it and accepts it. Ids
 * repeat if what is accepted is not true.
 */
public enum NamespaceDoubt {
    /** Restore: there is no record. Accepted: the namespace was here, with the configured layout, and did not move. */
    LOST_RECORD,
    /** Restore: the record can't be read. Accepted: as for {@link #LOST_RECORD}. */
    UNREADABLE_RECORD,
    /**
     * Restore: the record is reserved for a namespace that is to move here. Accepted: that move was finished, and the coordinator
     * forgot it.
     */
    RESERVED_RECORD,
    /**
     * Restore, move: it was to go on elsewhere, and whether it does can't be seen. Accepted: it does not, and nobody is about to
     * finish that.
     */
    LOST_SUCCESSOR,
    /** Restore: marks lie far ahead of the clock. Accepted: their worker ids stay out of use until then. */
    FAR_AHEAD_MARKS,
    /** Move: marks can't be read. Accepted: no clock was wrong where they were written. */
    UNREADABLE_MARKS
}
