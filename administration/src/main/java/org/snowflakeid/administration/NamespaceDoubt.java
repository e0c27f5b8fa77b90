// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.administration;

/**
 * What only a person can know. A namespace is not restored or moved until an operator has looked into these and accepts them. Ids
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
     * Restore, move: a move to another place was begun, and it can't be seen whether that place is in use. Accepted: it is not in use, and
     * no operator is about to finish that move.
     */
    LOST_SUCCESSOR,
    /** Restore: marks lie far ahead of the clock. Accepted: their worker ids stay out of use until then. */
    FAR_AHEAD_MARKS,
    /** Move: marks can't be read. Accepted: no clock was wrong where they were written. */
    UNREADABLE_MARKS
}
