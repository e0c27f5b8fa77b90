// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.Stored;

/** A worker id this generator has claimed, as the keeper's thread knows it. */
final class Claim {

    final int workerId;
    final String owner;
    final Lease lease;

    /** The limit found when it was claimed: a trim never goes below it. */
    final long limitFound;

    /** The mark as this process last knew it to stand in the coordinator. */
    Mark mark;

    Stored stored;

    /** Sent with unknown outcome: until that is known, nothing else may be sent for this worker id. */
    @Nullable
    Mark pending;

    boolean ownerHeld;

    /** Somebody else was lawfully granted what comes after this lease's limit. */
    boolean takenOver;

    /** The owner entry can't be had again: another worker id is needed. */
    boolean ownerBlocked;

    /** Listeners know that this claim was lost. */
    boolean lossTold;

    /** A copy of this process's memory may be issuing below the limit: the mark must not be trimmed. */
    boolean copied;

    /** Ticks that the next extension reserves ahead of the clock. */
    long nextWindow;

    /** When the next extension is due, by the monotonic clock. */
    long dueNanos;

    long lastSentNanos;

    Claim(int workerId, String owner, Lease lease, long limitFound, Mark mark, Stored stored, boolean ownerHeld) {
        this.workerId = workerId;
        this.owner = owner;
        this.lease = lease;
        this.limitFound = limitFound;
        this.mark = mark;
        this.stored = stored;
        this.ownerHeld = ownerHeld;
    }

    boolean needsReplacement() {
        return takenOver || ownerBlocked;
    }
}
