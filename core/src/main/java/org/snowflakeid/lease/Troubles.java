// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.lease;

import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is wrong with a generator, in words for its status. The keeper says it; a call that fails does where the keeper has not yet. */
public final class Troubles {

    private volatile @Nullable String lastError;

    /** What the last call said that was refused, where the keeper has said nothing. */
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

    /** Why the last claim or extension failed; empty once one has succeeded, and nothing is wrong with files. */
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

    /** What the first call said that failed since the clock is behind; null if it has caught up. */
    @Nullable
    public String clockBehind() {
        return clockBehind;
    }

    /** What a call said that failed since the clock stands still at that tick. */
    Optional<String> standingAt(long tick) {
        StandingClock seen = standing;
        return seen != null && seen.tick() == tick ? Optional.of(seen.failure()) : Optional.empty();
    }

    // ---- calls that fail

    /**
     * A call fails since nothing more is granted, which the status has to show though the window may not have ended: ids may have run ahead
     * of the clock.
     *
     * @return why, if the keeper has said so; else what the caller says
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

    /** Calls have ids again that were refused since none was noted. */
    public void noteMore() {
        refusal = null;
    }

    /** Of a process that took over from one before it, until it has reached the coordinator. */
    public void noteResumed(@Nullable String what) {
        resumed = what;
    }

    /** A process that is restarted could not take over from this one. */
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
