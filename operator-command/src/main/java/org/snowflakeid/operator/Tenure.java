// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One holder's time with one worker id, as far as it was seen. */
final class Tenure {

    /** How it ended. */
    enum Ending {
        /** Given back: its reservation was cut to what it had used. */
        RELEASED("released"),
        /** Its owner entry vanished, its reservation is still there: it died, was cut off, or the entry was deleted. */
        LOST("lost"),
        /** Somewhere between two readings; it can't be known how. */
        UNSEEN("released or lost");

        private final String words;

        Ending(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }
    }

    private final Holder holder;
    private final Instant from;
    private final Instant firstSeen;
    private Instant lastSeen;
    private @Nullable Instant reservedUntil;
    private @Nullable Ending ending;

    /** @param from no id of this tenure is dated before it */
    Tenure(Holder holder, Instant from, Instant seen, Optional<Instant> reservedUntil) {
        this.holder = holder;
        this.from = from;
        this.firstSeen = seen;
        this.lastSeen = seen;
        this.reservedUntil = reservedUntil.orElse(null);
    }

    void seen(Instant now, Optional<Instant> reserved) {
        lastSeen = now;
        reservedUntil = reserved.orElse(null);
    }

    /** @param reserved up to where its ids may be dated, exclusive */
    void end(Ending how, @Nullable Instant reserved) {
        ending = how;
        reservedUntil = reserved;
    }

    /**
     * Whether an id of that date was granted to this holder. What counts is what was reserved, not the owner entry: a process that lost its
     * entry goes on to the end of its reservation, and the next holder begins after it.
     */
    boolean covers(Instant timestamp) {
        return !timestamp.isBefore(from) && timestamp.isBefore(end());
    }

    /** Where its mark can't be read, what was seen is all that is known. */
    private Instant end() {
        return reservedUntil == null ? lastSeen.plusMillis(1) : reservedUntil;
    }

    Holder holder() {
        return holder;
    }

    Instant from() {
        return from;
    }

    Instant firstSeen() {
        return firstSeen;
    }

    Instant lastSeen() {
        return lastSeen;
    }

    @Nullable
    Instant reservedUntil() {
        return reservedUntil;
    }

    /** Null: it lasts. */
    @Nullable
    Ending ending() {
        return ending;
    }
}
