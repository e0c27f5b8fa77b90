// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import static org.snowflakeid.config.Logs.LOG;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorRegressedException;
import org.snowflakeid.Platform;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.claim.Claim;
import org.snowflakeid.config.Settings;
import org.snowflakeid.lease.CurrentLease;
import org.snowflakeid.lease.Lease;
import org.snowflakeid.lease.Positions;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.VettedClock;

/**
 * Which claim follows which, for one of the worker ids that a generator uses at a time: the claim in use, the one that will replace it, and the swap
 * between the two. Called by the keeper's thread only.
 */
public final class Succession {

    private final Settings settings;
    private final SnowflakeLayout layout;
    private final Positions positions;
    private final Platform platform;
    private final VettedClock clock;
    private final SharedState shared;
    private final CurrentLease inUse;
    private final Reports reports;
    private final long allowedTicks;

    /** The claim in use. */
    private @Nullable ExtensionPlan current;

    /** Claimed, but not yet to be used. */
    private @Nullable ExtensionPlan successor;

    /** No claim begins at this tick or an earlier one, since ids were issued there; -1 if there were none. */
    private long highestTick;

    /** Used before, and not given back yet. */
    private final ArrayList<ExtensionPlan> left = new ArrayList<>();

    Succession(
            Settings settings,
            Platform platform,
            VettedClock clock,
            SharedState shared,
            CurrentLease inUse,
            Reports reports) {
        this.settings = settings;
        this.layout = settings.layout();
        this.positions = Positions.of(layout);
        this.platform = platform;
        this.clock = clock;
        this.shared = shared;
        this.inUse = inUse;
        this.reports = reports;
        this.allowedTicks = settings.burst().toMillis();
        this.highestTick = shared.past().highestTick();
    }

    @Nullable
    ExtensionPlan current() {
        return current;
    }

    @Nullable
    ExtensionPlan successor() {
        return successor;
    }

    CurrentLease inUse() {
        return inUse;
    }

    boolean hasBegun() {
        return current != null;
    }

    /** What is to be extended, if there is anything. */
    List<ExtensionPlan> plans() {
        if (current == null) {
            return successor == null ? List.of() : List.of(successor);
        }
        return successor == null ? List.of(current) : List.of(current, successor);
    }

    /** Whether a worker id is used here, and so of no use to another succession; not once another process was granted it. */
    boolean uses(int workerId) {
        return plans().stream()
                .map(ExtensionPlan::claim)
                .anyMatch(claim -> claim.workerId() == workerId && !claim.isSuperseded());
    }

    // ---- claims

    boolean needsClaim() {
        return successor == null && (current == null || current.claim().needsReplacement());
    }

    /** The successor that ids have to wait for, or will, since it begins after the end of what is in use; null: none. */
    @Nullable
    Claim awaited(long allowedLead) {
        if (successor == null || isReady(allowedLead)) {
            return null;
        }
        Claim following = successor.claim();
        return current == null || current.claim().limit() < following.from() ? following : null;
    }

    /** Another worker id would help if it had ids before this tick; empty: none is needed. */
    OptionalLong waitedFor(long allowedLead) {
        Claim awaited = awaited(allowedLead);
        if (awaited != null) {
            return OptionalLong.of(awaited.from());
        }
        if (successor == null && current != null && current.claim().lease().isSkipped()) {
            long tick = positions.tick(current.claim().lease().position() + 1);
            return tick - clock.vettedTick() > allowedLead ? OptionalLong.of(tick) : OptionalLong.empty();
        }
        return OptionalLong.empty();
    }

    /** The first tick that a claim may begin at. */
    long firstTick() {
        noteHighest();
        return highestTick + 1;
    }

    private void noteHighest() {
        if (current != null) {
            long last = current.claim().lease().lastIssuedHere();
            if (last != Lease.SEALED) {
                highestTick = Math.max(highestTick, positions.tick(last));
            }
        }
    }

    /** To be called before another claim of a worker id is noted, which would end the notes of the claim in use as if by a takeover. */
    void endNotesOf(int workerId) {
        if (current != null && current.claim().workerId() == workerId) {
            current.claim().endNotes();
        }
    }

    void succeedWith(Claim claimed) {
        successor = new ExtensionPlan(claimed, settings, platform, clock, shared.counters());
    }

    /** Gives up a successor that is not ours any more. */
    void dropLostSuccessor(Duration timeout) {
        if (successor != null && successor.claim().needsReplacement()) {
            abandonSuccessor(timeout);
        }
    }

    void abandonSuccessor(Duration timeout) {
        ExtensionPlan dropped = successor;
        if (dropped != null) {
            successor = null;
            dropped.claim().forget(timeout);
        }
    }

    /** Gives a successor that was never used back, so that another process can have it. */
    void releaseSuccessor(Duration timeout) {
        ExtensionPlan dropped = successor;
        if (dropped != null) {
            successor = null;
            boolean unused = release(dropped, timeout);
        }
    }

    // ---- the owner entry

    void ownAgain(Duration timeout) {
        for (ExtensionPlan plan : plans()) {
            Claim claim = plan.claim();
            if (plan.equals(current)) {
                reports.lossOf(claim);
            }
            if (!claim.isToBeOwned()) {
                continue;
            }
            boolean resumed = claim.isResumed();
            long limit = claim.limit();
            boolean again = plan.ownAgain(timeout);
            if (claim.limit() > limit) {
                shared.wakeCallers();
            }
            if (again && resumed) {
                LOG.log(Level.INFO, () -> shared.message("worker id " + claim.workerId() + " is held again"));
            } else if (again) {
                reports.ownedAgain(claim);
            }
        }
    }

    // ---- the swap

    /** How far ahead of the clock ids run here. */
    long lead() {
        ExtensionPlan used = current;
        if (used == null) {
            return 0;
        }
        long last = used.claim().lease().position();
        return last == Lease.SEALED ? 0 : used.claim().lease().ahead(clock.vettedTick(), positions.tick(last));
    }

    /** What only the passing of time brings about. */
    void noteTime() {
        Lease lease = inUse.get();
        long last = lease.position();
        if (last != Lease.SEALED) {
            lease.endLead(clock.credibleTick(), positions.tick(last));
        }
        long now = platform.nanoTime();
        if (current != null && now - lease.endNanos() >= 0) {
            // So that in an outage that has lasted even the first call fails at once.
            long unused = lease.noticeEnd(now);
        }
    }

    /** When the window in use ends, or its noted part if no more is noted. */
    long endNanos() {
        Lease lease = inUse.get();
        long end = lease.endNanos();
        if (current == null || !lease.isHeldBack()) {
            return end;
        }
        long left = (positions.tick(lease.limit()) - clock.credibleTick()) * 1_000_000;
        if (left > 0 && !current.claim().isTakenOver()) {
            // More is noted in time.
            return end;
        }
        long noted = platform.nanoTime() + left;
        return noted - end < 0 ? noted : end;
    }

    /** Whether the successor's first tick has come, or may be issued ahead of the clock. */
    boolean isReady(long allowedLead) {
        return successor != null && successor.claim().from() - clock.vettedTick() <= allowedLead;
    }

    /**
     * Lets ids come from the successor from now on. What was used before is {@link #releaseLeft released} later: others may be waiting.
     *
     * @param leastTick they begin there or later
     */
    void swap(long leastTick) {
        swap(leastTick, clock.vettedTick());
    }

    /** As {@link #swap}, where the clock is behind the first tick: callers wait for it, or fail. */
    void swapBehind() {
        swap(0, Long.MAX_VALUE);
    }

    /** @param now by which it is judged whether ids run ahead of the clock */
    private void swap(long leastTick, long now) {
        ExtensionPlan next = successor;
        if (next == null) {
            return;
        }
        ExtensionPlan old = current;
        // Before the seal: after it nothing may fail, even for want of memory, until the next lease is noted as the one
        // in use.
        left.ensureCapacity(left.size() + 1);
        if (old != null) {
            old.claim().lease().seal();
        }
        long first = Math.max(Math.max(next.claim().from(), leastTick), firstTick());
        next.claim().lease().open(positions.first(first), first, allowedTicks, Math.min(now, first));
        shared.publish(inUse, next.claim().lease());
        current = next;
        successor = null;
        if (old != null && old.claim().workerId() != next.claim().workerId()) {
            left.add(old);
        }
        shared.wakeCallers();
        reports.swapped(old == null ? null : old.claim(), next.claim());
    }

    // ---- the end

    /**
     * Seals and gives everything back. Whatever goes wrong here wastes at most a window on one worker id.
     *
     * @return whether others can have it at once
     * @throws CoordinatorRegressedException if the coordinator lost data, as this shows
     */
    boolean end(boolean dataLost, Duration timeout) {
        boolean released = true;
        for (ExtensionPlan plan : sealed()) {
            if (dataLost) {
                plan.claim().forget(timeout);
            } else {
                released &= release(plan, timeout);
            }
        }
        return released;
    }

    /** Only seals, where the coordinator left so many calls unanswered that it is not asked any more. Gives nothing back. */
    boolean keep() {
        for (ExtensionPlan plan : sealed()) {
            plan.claim().leaveNotes();
            sayKept(plan.claim());
        }
        return false;
    }

    private List<ExtensionPlan> sealed() {
        List<ExtensionPlan> all = new ArrayList<>(plans());
        all.addAll(left);
        all.forEach(plan -> plan.claim().lease().seal());
        return all;
    }

    /** Gives back what was used before. */
    void releaseLeft(Duration timeout) {
        while (!left.isEmpty()) {
            boolean unused = release(left.remove(0), timeout);
        }
    }

    /** @return whether others can have it at once, or have it already */
    private boolean release(ExtensionPlan plan, Duration timeout) {
        Claim claim = plan.claim();
        String reason = "it was taken over from a process before this one, and is not owned yet";
        try {
            if (!claim.isSuperseded() && claim.release(plan.nextWindowTicks(), timeout)) {
                claim.leaveNotes();
                LOG.log(Level.INFO, () -> shared.message("released worker id " + claim.workerId()));
                return true;
            }
        } catch (CoordinatorRegressedException e) {
            throw e;
        } catch (Throwable e) {
            reason = e instanceof SnowflakeException ? String.valueOf(e.getMessage()) : e.toString();
            LOG.log(Level.DEBUG, shared.message("release of worker id " + claim.workerId() + " failed"), e);
        }
        if (claim.isSuperseded()) {
            claim.forget(timeout);
            return true;
        }
        claim.leaveNotes();
        shared.troubles().noteUnreleased("worker id " + claim.workerId() + ": " + reason);
        sayKept(claim);
        claim.abandon(timeout);
        return false;
    }

    private void sayKept(Claim claim) {
        LOG.log(
                Level.WARNING,
                () -> shared.message("worker id " + claim.workerId()
                        + " could not be released; others can claim it after " + layout.instantOf(claim.limit())));
    }
}
