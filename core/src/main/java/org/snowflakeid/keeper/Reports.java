// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import static org.snowflakeid.config.Logs.LOG;

import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeEvent;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.SnowflakeStatus;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.claim.Claim;
import org.snowflakeid.config.Settings;
import org.snowflakeid.lease.CurrentLease;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.StatusView;

/**
 * Reports what happens to a generator's worker ids, in log lines and events for the listener. For the keeper's thread only, except where it says
 * otherwise.
 */
public final class Reports {

    private static final long LOOK_NANOS = 1_000_000_000L;

    private final SnowflakeLayout layout;
    private final String generator;
    private final String coordinatorName;
    private final SharedState shared;
    private final StatusView status;
    private final EventDelivery events;

    /** Claims whose loss was reported. */
    private final Set<Claim> lost = new HashSet<>();

    /** Worker ids that were reported to have no ids. */
    private final Set<CurrentLease> suspended = ConcurrentHashMap.newKeySet();

    /** Whether it was reported that the clock is behind the last id. */
    private boolean behind;

    public Reports(
            Settings settings, String coordinatorName, SharedState shared, StatusView status, EventDelivery events) {
        this.layout = settings.layout();
        this.generator = settings.generator();
        this.coordinatorName = coordinatorName;
        this.shared = shared;
        this.status = status;
        this.events = events;
    }

    /** @param old null: the first one */
    void swapped(@Nullable Claim old, Claim claimed) {
        if (old == null && claimed.isResumed()) {
            LOG.log(
                    Level.WARNING,
                    () -> shared.message(
                            "took worker id " + claimed.workerId() + " over from a process before this one, since "
                                    + coordinatorName + " can't be reached; reserved until "
                                    + layout.instantOf(claimed.limit())));
            events.add(new SnowflakeEvent.Claimed(generator, claimed.workerId()));
            return;
        }
        if (old == null) {
            LOG.log(
                    Level.INFO,
                    () -> shared.message("claimed worker id " + claimed.workerId() + " from " + place(claimed)
                            + ", reserved until " + layout.instantOf(claimed.limit()) + " (extended automatically)"));
            events.add(
                    shared.past().isBegun()
                            ? new SnowflakeEvent.Resumed(generator, claimed.workerId())
                            : new SnowflakeEvent.Claimed(generator, claimed.workerId()));
            return;
        }
        lost.remove(old);
        LOG.log(
                Level.WARNING,
                () -> shared.message((old.isShared() ? "left worker id " : "lost worker id ") + old.workerId()
                        + ", continuing as " + claimed.workerId()));
        events.add(new SnowflakeEvent.Swapped(generator, old.workerId(), claimed.workerId()));
    }

    private String place(Claim claimed) {
        String location = claimed.location();
        return coordinatorName + (location.isEmpty() ? "" : " (" + location + ")");
    }

    /** Reports once that the owner entry of the worker id in use is gone, if it is. */
    void lossOf(Claim claim) {
        if (claim.standing() == Claim.Standing.OWNED) {
            if (lost.contains(claim)) {
                // The answer to the claim was lost, and a later write has shown what became of it.
                ownedAgain(claim);
            }
            return;
        }
        if (claim.isResumed() || !lost.add(claim)) {
            return;
        }
        events.add(new SnowflakeEvent.Lost(
                generator,
                claim.workerId(),
                claim.isSuperseded()
                        ? "Another process was granted what comes after " + layout.instantOf(claim.limit()) + "."
                        : "The owner entry in " + coordinatorName + " is gone."));
    }

    void ownedAgain(Claim claim) {
        LOG.log(
                Level.WARNING,
                () -> shared.message(
                        "lost the owner entry of worker id " + claim.workerId() + " and claimed it again"));
        if (lost.remove(claim)) {
            events.add(new SnowflakeEvent.Swapped(generator, claim.workerId(), claim.workerId()));
        }
    }

    /** Reports what time alone brings about: ids stopped, or are issued again. */
    void lookAt(List<Succession> successions) {
        lookAtClock();
        if (!events.isWanted()) {
            return;
        }
        for (Succession succession : successions) {
            ExtensionPlan current = succession.current();
            if (current != null) {
                lookAt(current.claim(), succession.inUse());
            }
        }
    }

    private void lookAtClock() {
        String failure = shared.troubles().clockBehind();
        if (failure == null) {
            return;
        }
        if (!behind) {
            behind = true;
            LOG.log(Level.WARNING, shared.message("calls fail: " + failure));
        } else if (!status.isClockBehind()) {
            behind = false;
            shared.troubles().noteCaughtUp();
            LOG.log(Level.INFO, shared.message("the clock has caught up with the last id"));
        }
    }

    private void lookAt(Claim claim, CurrentLease inUse) {
        lossOf(claim);
        SnowflakeStatus now = status.of(inUse);
        if (now.state() == State.SUSPENDED) {
            suspended(inUse, whySuspended(now));
        } else if (suspended.remove(inUse)) {
            events.add(new SnowflakeEvent.Resumed(generator, claim.workerId()));
        }
    }

    /** For any thread. */
    void suspended(CurrentLease inUse, String why) {
        if (suspended.add(inUse)) {
            events.add(new SnowflakeEvent.Suspended(generator, inUse.get().workerId, why));
        }
    }

    private static String whySuspended(SnowflakeStatus status) {
        return status.lastError()
                .or(() -> status.reservedUntil().map(until -> "What was reserved ended at " + until + "."))
                .orElse("No worker id.");
    }

    /** When to look again, since extensions come too rarely to notice that a window ends, or that there are ids again. */
    long nextLookNanos(List<Succession> successions, long now, long otherwise) {
        long next = otherwise;
        if (behind) {
            long look = now + LOOK_NANOS;
            next = look - next < 0 ? look : next;
        }
        if (events.isWanted()) {
            for (Succession succession : successions) {
                ExtensionPlan current = succession.current();
                if (current != null) {
                    long end = current.claim().lease().endNanos();
                    boolean often = suspended.contains(succession.inUse()) || end - now <= 0;
                    long look = often ? now + LOOK_NANOS : end;
                    next = look - next < 0 ? look : next;
                }
            }
        }
        return next;
    }
}
