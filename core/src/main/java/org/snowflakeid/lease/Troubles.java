// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.lease;

import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is wrong with a generator, in words for its status: given by the keeper, or by a failing call before the keeper has given any. */
public final class Troubles {

    private volatile @Nullable String lastError;

    /** The reason given to the last refused call, where the keeper has given none. */
    private volatile @Nullable String refusal;

    private volatile @Nullable String resumed;
    private volatile @Nullable String files;
    private volatile @Nullable String clockWarning;
    private volatile @Nullable String suspension;
    private volatile @Nullable String clockBehind;
    private volatile @Nullable String unreleased;
    private volatile @Nullable StandingClock standing;

    /** @param tick where it stands */
    private record StandingClock(long tick, String failure) {}

    /** What is wrong with the last claim or extension, with the notes, or with a start from notes; empty if nothing is. */
    public Optional<String> lastError() {
        return said().or(() -> Optional.ofNullable(refusal));
    }

    private Optional<String> said() {
        return Stream.of(resumed, files, lastError)
                .filter(each -> each != null)
                .reduce((one, other) -> one + " " + other);
    }

    /** Set while the system clock is not believed. */
    Optional<String> clockWarning() {
        return Optional.ofNullable(clockWarning);
    }

    /** Why callers are kept waiting although there is a lease. */
    Optional<String> suspension() {
        return Optional.ofNullable(suspension);
    }

    /** The reason of the first call that failed because the clock is behind; null once it has caught up. */
    @Nullable
    public String clockBehind() {
        return clockBehind;
    }

    /** The reason of a call that failed because the clock stands still at that tick. */
    Optional<String> standingAt(long tick) {
        StandingClock seen = standing;
        return seen != null && seen.tick() == tick ? Optional.of(seen.failure()) : Optional.empty();
    }

    // ---- calls that fail

    /**
     * Notes that a call fails because nothing more is granted, for the status: the window may not have ended, since ids may have run ahead of the
     * clock.
     *
     * @return the keeper's reason if it has given one, else {@code reason}
     */
    public String refusedSince(String reason) {
        refusal = reason;
        return said().orElse(reason);
    }

    void suspend(String reason) {
        suspension = reason;
    }

    void noteStanding(long tick, String failure) {
        standing = new StandingClock(tick, failure);
    }

    /** @return whether it is the first that fails so */
    boolean noteBehind(String failure) {
        boolean first = clockBehind == null;
        if (first) {
            clockBehind = failure;
        }
        return first;
    }

    // ---- the keeper

    public void noteError(@Nullable String error) {
        refusal = null;
        lastError = error;
    }

    /** More ids are noted, for lack of which calls were refused. */
    public void noteMore() {
        refusal = null;
    }

    /** For a process that took over from one before it; null once it has reached the coordinator. */
    public void noteResumed(@Nullable String what) {
        resumed = what;
    }

    /** Why a restarted process could not take over from this one; null: it could. */
    public void noteFiles(@Nullable String what) {
        files = what;
    }

    /** Why a worker id was not given back. */
    public void noteUnreleased(String what) {
        unreleased = what;
    }

    /** Empty: all were given back, or it is not known yet. */
    public Optional<String> unreleased() {
        return Optional.ofNullable(unreleased);
    }

    public void noteCaughtUp() {
        clockBehind = null;
    }

    public void noteClock(@Nullable String warning, @Nullable String suspendedBy) {
        clockWarning = warning;
        suspension = suspendedBy;
    }
}
