// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import static org.snowflakeid.config.Logs.LOG;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.NoFreeWorkerIdException;
import org.snowflakeid.Platform;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.claim.Claim;
import org.snowflakeid.claim.ClaimContext;
import org.snowflakeid.claim.Namespace;
import org.snowflakeid.claim.SlotClaimer;
import org.snowflakeid.claim.Takeover;
import org.snowflakeid.config.Settings;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.VettedClock;
import org.snowflakeid.records.Mark;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.WorkerCoordinator;

/**
 * All worker ids of one generator, and what is done for them together: at the start all are claimed or none, those that are due are
 * extended by one write, and ids under one of them run no further ahead of the clock than under the others. Called by the keeper's thread
 * only.
 */
public final class WorkerIds {

    private final Settings settings;
    private final SnowflakeLayout layout;
    private final ClaimContext context;
    private final Platform platform;
    private final VettedClock clock;
    private final SharedState shared;
    private final Outage outage;
    private final WorkerCoordinator coordinator;
    private final Namespace namespace;
    private final SlotClaimer claimer;
    private final CallTimeouts timeouts;
    private final long allowedTicks;
    private final Takeover takeover;
    private final List<Succession> successions;

    /** Claims taken over, whose owner entries may still be those of the process before. */
    private List<Claim> resumed = List.of();

    private long nextClaimNanos;
    private long nextLookNanos;

    WorkerIds(
            ClaimContext context,
            SlotClaimer claimer,
            List<Succession> successions,
            SharedState shared,
            Outage outage,
            CallTimeouts timeouts,
            Takeover takeover) {
        this.settings = context.settings();
        this.layout = settings.layout();
        this.context = context;
        this.platform = context.platform();
        this.clock = context.clock();
        this.shared = shared;
        this.outage = outage;
        this.coordinator = context.coordinator();
        this.namespace = context.namespace();
        this.claimer = claimer;
        this.timeouts = timeouts;
        this.allowedTicks = settings.burst().toMillis();
        this.takeover = takeover;
        this.nextClaimNanos = platform.nanoTime();
        this.nextLookNanos = nextClaimNanos;
        this.successions = successions;
    }

    List<Succession> successions() {
        return successions;
    }

    /** Whether nothing is claimed, neither in use nor to follow. */
    boolean isEmpty() {
        return successions.stream().allMatch(each -> each.plans().isEmpty());
    }

    // ---- extensions

    /** @param hinted whether an owner entry may have been lost */
    void extendDue(boolean hinted) {
        List<ExtensionPlan> due = new ArrayList<>();
        for (Succession succession : successions) {
            ExtensionPlan current = succession.current();
            if (succession.inUse().takeMoreWanted() && current != null) {
                current.hurryIfItGains();
            }
            for (ExtensionPlan plan : succession.plans()) {
                if (hinted) {
                    plan.hurry();
                }
                if (plan.isNearlyDue()) {
                    due.add(plan);
                }
            }
        }
        if (due.stream().noneMatch(ExtensionPlan::isDue)) {
            return;
        }
        extendTogether(due);
        coordinatorAnswers();
        due.forEach(this::noteLimit);
        shared.wakeCallers();
    }

    private void extendTogether(List<ExtensionPlan> due) {
        List<WorkerCoordinator.Extension> writes =
                due.stream().map(ExtensionPlan::nextWrite).toList();
        long asked = platform.nanoTime();
        List<CasResult> results = coordinator.extendAll(writes, namespace.meta().stored(), timeouts.now(writes.size()));
        results.forEach(result -> context.compareClock(result, asked));
        SnowflakeException failure = null;
        for (int i = 0; i < due.size(); i++) {
            try {
                due.get(i).conclude(results.get(i), timeouts.now());
            } catch (Namespace.RetiredException e) {
                // Each is looked at: the mark of one may be lost.
                failure = e;
            } catch (CoordinatorException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            // The others were extended.
            shared.wakeCallers();
            throw failure;
        }
    }

    private void noteLimit(ExtensionPlan plan) {
        Claim claim = plan.claim();
        if (claim.limit() == settings.lastTick()) {
            shared.troubles().noteError("The " + settings.endOfTimestamps());
        } else if (claim.limit() > clock.credibleTick() + 2 * horizon()) {
            // A claim begins no further ahead than that, and takes no more.
            shared.troubles()
                    .noteError(
                            "What is reserved for worker id " + claim.workerId() + " ends at "
                                    + layout.instantOf(claim.limit()) + ", further ahead of the clock ("
                                    + layout.instantOf(clock.credibleTick())
                                    + ") than any right clock reserves: the clock was wrong. Nothing is added until it gets there.");
        }
    }

    /** Claims lost owner entries again, and gives up successors that are not ours any more. */
    void mend() {
        for (Succession succession : successions) {
            succession.ownAgain(timeouts.now());
            succession.dropLostSuccessor(timeouts.started());
        }
    }

    // ---- claims

    /** @param firstPage what was read just now; null: nothing of use */
    void claimMissing(@Nullable Snapshot firstPage) {
        boolean claims = platform.nanoTime() - nextClaimNanos >= 0;
        boolean looks = platform.nanoTime() - nextLookNanos >= 0;
        for (Succession succession : successions) {
            if (claims || looks) {
                compareSuperseded(succession);
            }
            OptionalLong waitedFor = succession.waitedFor(leadAllowed());
            if (claims && succession.needsClaim()) {
                try {
                    claim(succession, firstPage);
                } catch (NoFreeWorkerIdException e) {
                    nextClaimNanos = platform.nanoTime() + outage.pauseBeforeClaimNanos();
                    nextLookNanos = nextClaimNanos;
                    if (!shared.isStarted()) {
                        // Or two processes that need several would each hold some, and wait for ever.
                        successions.forEach(each -> each.releaseSuccessor(timeouts.started()));
                    }
                    throw e;
                }
                coordinatorAnswers();
            } else if (looks && waitedFor.isPresent()) {
                claimSooner(succession, firstPage, waitedFor.getAsLong());
            }
        }
    }

    /** Reads the mark of a worker id that another process has: no write for it would show any more that the coordinator lost data. */
    private void compareSuperseded(Succession succession) {
        ExtensionPlan current = succession.current();
        if (current != null && current.claim().standing() == Claim.Standing.SUPERSEDED) {
            int workerId = current.claim().workerId();
            long asked = platform.nanoTime();
            Snapshot seen = coordinator.read(workerId, workerId, timeouts.now());
            context.compareClock(seen.serverTime(), asked);
            current.claim().compare(seen.slots().get(0));
        }
    }

    /** Looks for a worker id that can be used sooner: another process may have ended meanwhile. */
    private void claimSooner(Succession succession, @Nullable Snapshot firstPage, long waitedFor) {
        nextLookNanos = platform.nanoTime() + outage.pauseBeforeClaimNanos();
        Claim sooner = claimer.claimSooner(firstPage, terms(succession), waitedFor);
        if (sooner != null) {
            succeedWith(succession, sooner);
        }
        coordinatorAnswers();
    }

    void coordinatorAnswers() {
        outage.over(
                shared.isStarted(),
                successions.stream().anyMatch(Succession::needsClaim)
                        || awaited().isPresent(),
                hasIds());
    }

    private boolean hasIds() {
        long now = platform.nanoTime();
        return endNanos(now) - now > 0;
    }

    private void claim(Succession succession, @Nullable Snapshot firstPage) {
        succeedWith(succession, claimer.claim(firstPage, terms(succession)));
    }

    private void succeedWith(Succession succession, Claim claimed) {
        try {
            successions.forEach(each -> each.endNotesOf(claimed.workerId()));
            takeover.keep(claimed, namespace.meta());
            nextLookNanos = platform.nanoTime() + outage.pauseBeforeClaimNanos();
            succession.releaseSuccessor(timeouts.started());
            succession.succeedWith(claimed);
        } catch (Throwable e) {
            // Otherwise nothing would remember that it is held.
            claimed.forget(timeouts.started());
            throw e;
        }
    }

    private SlotClaimer.Terms terms(Succession succession) {
        return new SlotClaimer.Terms(
                id -> successions.stream().anyMatch(each -> each.uses(id)),
                succession.firstTick(),
                horizon(),
                leadAllowed(),
                !succession.hasBegun());
    }

    // ---- what was taken over from a process before this one

    /** @param claims one for each of the successions */
    void resume(List<Claim> claims) {
        resumed = List.copyOf(claims);
        for (int i = 0; i < claims.size(); i++) {
            successions.get(i).succeedWith(claims.get(i));
        }
    }

    /** Whether this generator wrote a mark, whatever its owner entry says. */
    boolean wrote(Mark mark) {
        return Stream.concat(
                        resumed.stream(),
                        successions.stream()
                                .flatMap(each -> each.plans().stream())
                                .map(ExtensionPlan::claim))
                .anyMatch(claim -> claim.wrote(mark));
    }

    /** Those in use, and how far they are granted; for messages. */
    String describe() {
        return successions.stream()
                .flatMap(each -> Stream.ofNullable(each.current()))
                .map(ExtensionPlan::claim)
                .map(claim -> "worker id " + claim.workerId() + ", reserved until " + layout.instantOf(claim.limit()))
                .collect(Collectors.joining(", and "));
    }

    /** Compares what was taken over with what the coordinator shows, now that it can be asked. */
    void meet() {
        for (Succession succession : successions) {
            for (ExtensionPlan plan : succession.plans()) {
                Claim claim = plan.claim();
                claim.meet(coordinator
                        .read(claim.workerId(), claim.workerId(), timeouts.now())
                        .slots()
                        .get(0));
                plan.hurry();
            }
        }
    }

    /** No claim begins further ahead of the clock: a generator that once believed a wrong one must not carry its time to another worker id. */
    private long horizon() {
        return Math.max(
                        settings.window().toMillis(),
                        namespace.meta().maxWindow().toMillis())
                + allowedTicks;
    }

    /** How far ahead of the clock ids may begin. */
    private long leadAllowed() {
        return shared.isStarted()
                ? allowedTicks
                : Math.max(allowedTicks, settings.startupAhead().toMillis());
    }

    // ---- swaps

    /**
     * Lets ids come from what was claimed, as soon as it may be used.
     *
     * @return what ids wait for, if they do
     */
    Optional<Claim> swapReady() {
        if (!shared.isStarted()) {
            if (successions.stream().allMatch(each -> each.hasBegun() || each.isReady(leadAllowed()))) {
                begin();
            }
            return awaited();
        }
        for (Succession succession : successions) {
            if (succession.isReady(allowedTicks)) {
                succession.swap(leastTick());
            }
        }
        if (hasIds()) {
            outage.idsAgain();
        }
        return awaited();
    }

    private Optional<Claim> awaited() {
        return successions.stream()
                .flatMap(each -> Stream.ofNullable(each.awaited(leadAllowed())))
                .findFirst();
    }

    /** Gives back what was swapped for something else. */
    void releaseLeft() {
        successions.forEach(each -> each.releaseLeft(timeouts.started()));
    }

    private Stream<Claim> successors() {
        return successions.stream()
                .flatMap(each -> Stream.ofNullable(each.successor()))
                .map(ExtensionPlan::claim);
    }

    /** All at the same tick: or ids under the first would run ahead of those under the others. */
    private void begin() {
        long first = successors().mapToLong(Claim::from).max().orElse(0);
        for (Succession succession : successions) {
            succession.swap(first);
        }
        shared.start();
    }

    /** If ids run ahead of the clock because they had to begin so, they do under each worker id. */
    private long leastTick() {
        long lead = successions.stream().mapToLong(Succession::lead).max().orElse(0);
        return lead > allowedTicks ? clock.vettedTick() + lead : 0;
    }

    /**
     * Lets ids come from another worker id, if there is one.
     *
     * @param before the tick at which the present one would otherwise go on
     */
    void goElsewhere(Succession succession, long before) {
        try {
            claim(succession, null);
        } catch (NoFreeWorkerIdException none) {
            LOG.log(Level.DEBUG, shared.message("no other worker id"), none);
            return;
        }
        ExtensionPlan other = succession.successor();
        if (succession.isReady(allowedTicks)) {
            succession.swap(leastTick());
        } else if (other != null && other.claim().from() < before) {
            // Where the clock was set back, ids begin above those that were issued, and calls wait as after any step
            // back.
            succession.swapBehind();
        } else {
            succession.releaseSuccessor(timeouts.started());
        }
    }

    // ---- time

    /** What only the passing of time brings about. */
    void noteTime() {
        successions.forEach(Succession::noteTime);
    }

    /** When something is to be done next, at the latest {@code otherwise}; by the monotonic clock. */
    long nextNanos(long now, long otherwise) {
        long next = Math.min(otherwise, successorsNanos(now));
        for (Succession succession : successions) {
            for (ExtensionPlan plan : succession.plans()) {
                next = Math.min(next, plan.dueNanos());
            }
            if (succession.needsClaim()) {
                next = Math.min(next, nextClaimNanos);
            }
            if (succession.waitedFor(leadAllowed()).isPresent()) {
                next = Math.min(next, nextLookNanos);
            }
        }
        return next;
    }

    /** When ids may come from successors: at the start from all of them together, later from each. */
    private long successorsNanos(long now) {
        LongStream waits = successors().mapToLong(claim -> claim.from() - leadAllowed() - clock.vettedTick());
        OptionalLong wait = shared.isStarted() ? waits.min() : waits.max();
        return wait.isEmpty() ? Long.MAX_VALUE : now + Math.max(1, wait.getAsLong()) * 1_000_000;
    }

    /** When the last of the windows in use ends; {@code otherwise} if none is in use. */
    long endNanos(long otherwise) {
        return windowEnds()
                .reduce((one, other) -> other - one > 0 ? other : one)
                .orElse(otherwise);
    }

    /** When the first of them does. */
    long firstEndNanos(long otherwise) {
        return windowEnds()
                .reduce((one, other) -> other - one < 0 ? other : one)
                .orElse(otherwise);
    }

    private Stream<Long> windowEnds() {
        return successions.stream().filter(Succession::hasBegun).map(Succession::endNanos);
    }
}
