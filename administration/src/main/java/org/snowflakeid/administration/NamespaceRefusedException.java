// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.administration;

import java.util.Map;
import org.snowflakeid.SnowflakeException;

/**
 * A namespace can't be restored or moved as it is asked for. {@link #reason} is for programs, the message for people: it says
 * what was seen and what to do. The namespace is as it was.
 */
public final class NamespaceRefusedException extends SnowflakeException {
    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Reason {
        /** The clock of this machine contradicts that of the coordinator, or lies before the epoch. */
        WRONG_CLOCK,
        /** The record was written with another layout than is configured. */
        OTHER_LAYOUT,
        /** No floor fits: it would lie past the last timestamp, or too far ahead of now. */
        NO_FLOOR,
        /** Something has to be accepted first: {@link NamespaceRefusedException#doubts}. */
        DOUBT,
        /** There is no readable record to be moved. */
        NO_RECORD,
        /** The namespace goes on elsewhere. */
        MOVED,
        /** The namespace is kept for another one that is to move here. */
        RESERVED,
        /** Both ends of the move are the same namespace, or one is a copy of the other. */
        SAME_NAMESPACE,
        /** The place to move to is in use, kept for another namespace, or has remains that look as if it were in use. */
        PLACE_TAKEN,
        /** In the place to move to, a restore or a move was begun that has to be finished first. */
        PLACE_UNFINISHED,
        /** The record was replaced meanwhile, or the doubts to be accepted have changed. */
        CHANGED
    }

    private final Reason reason;
    private final transient Doubts doubts;

    NamespaceRefusedException(Reason reason, String message) {
        this(reason, message, Doubts.NONE);
    }

    private NamespaceRefusedException(Reason reason, String message, Doubts doubts) {
        super(message);
        this.reason = reason;
        this.doubts = doubts;
    }

    /** @param doubts not empty */
    static NamespaceRefusedException because(NamespacePlace place, Doubts doubts) {
        return new NamespaceRefusedException(
                Reason.DOUBT,
                place.described() + ": " + String.join(" ", doubts.reasons().values()),
                doubts);
    }

    public Reason reason() {
        return reason;
    }

    /** What has to be accepted, each with its explanation for people; empty unless the reason is {@link Reason#DOUBT}. */
    public Map<NamespaceDoubt, String> doubts() {
        return doubts.reasons();
    }

    /** The ids of the records that these doubts are about: {@link NamespaceRestore#recordsInDoubt}. */
    public Map<NamespaceDoubt, String> recordsInDoubt() {
        return doubts.records();
    }
}
