// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import static org.snowflakeid.config.Logs.LOG;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.CoordinatorRegressedException;
import org.snowflakeid.NoFreeWorkerIdException;
import org.snowflakeid.Platform;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.claim.Claim;
import org.snowflakeid.claim.ClaimContext;
import org.snowflakeid.claim.Namespace;
import org.snowflakeid.claim.Shown;
import org.snowflakeid.claim.SlotClaimer;
import org.snowflakeid.claim.SlotReader;
import org.snowflakeid.claim.Takeover;
import org.snowflakeid.config.Settings;
import org.snowflakeid.lease.CurrentLease;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.VettedClock;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * Looks after the worker ids of one generator: joins the namespace, claims, has them extended, replaces what was lost, gives them back.
 *
 * <p>{@link Claim} decides what is safe, {@link Succession} which claim follows which, {@link ExtensionPlan} when to extend and how far, {@link
 * Outage} what is said of failures. This class decides only the order in which things are done, and what an exception means.
 *
 * <p>It is called step by step by {@link KeeperThread}, except the methods that say otherwise. Whatever is thrown in a step is reported, and the next
 * step goes on from the state it left: bytes are noted before they are sent, limits are raised last, and a lease is opened once.
 */
public final class Keeper {

    private static final int JOIN_ATTEMPTS = 5;

    /** Allowed for a call that began before the deadline, and again for the end of a failed start: half a second in all. */
    private static final long START_GRACE_NANOS = 250_000_000L;

    private static final long SECOND = 1_000_000_000L;

    private static final String SUSPECTED =
            "the system clock stepped, as when a copy of this process is restored, and ";

    private final Settings settings;
    private final SnowflakeLayout layout;
    private final Platform platform;
    private final VettedClock clock;
    private final SharedState shared;
    private final WorkerIds workerIds;
    private final CopyGuard copies;
    private final Ending ending;
    private final Reports reports;
    private final Outage outage;
    private final WorkerCoordinator coordinator;
    private final Namespace namespace;
    private final SlotReader slots;
    private final ClockVetting vetting;
    private final ClaimContext context;
    private final StartDeadline start;
    private final String coordinatorName;

    private final Takeover takeover;
    private final Shown shown = new Shown();

    /** Whether other processes may use the same coordinator; if not, no write can show a copy of this one. */
    private final boolean guarded;

    private final long windowNanos;
    private final CallTimeouts timeouts;

    private volatile boolean lossHinted;
    private volatile Runnable interruption = () -> {};

    /** Stays set where the last look at the clock failed half-way. */
    private boolean callersWaitForClock;

    private boolean retired;

    /** In a retired namespace the coordinator's clock is not read before this, however many calls fail. */
    private long missedTimeNanos;

    public Keeper(
            Settings settings,
            WorkerCoordinatorProvider provider,
            Platform platform,
            VettedClock clock,
            SharedState shared,
            Reports reports,
            Takeover takeover) {
        this.settings = settings;
        this.layout = settings.layout();
        this.platform = platform;
        this.clock = clock;
        this.shared = shared;
        this.reports = reports;
        this.windowNanos = settings.window().toNanos();
        this.missedTimeNanos = platform.nanoTime();
        this.guarded = provider.isShared();
        this.coordinatorName = provider.name();
        this.takeover = takeover;
        this.outage = new Outage(platform, clock, shared, coordinatorName, settings.window());
        this.start = new StartDeadline(settings, platform, clock, shared);
        this.timeouts = new CallTimeouts(settings, start, shared);
        WorkerCoordinator opened = provider.open(settings.coordinatorConfig(), this::hintLoss);
        this.coordinator = new WatchedCoordinator(opened, shared, timeouts, outage, shown);
        try {
            this.namespace = new Namespace(
                    settings, coordinator, platform, provider, shared.past().known());
            this.slots = new SlotReader(settings, coordinator, platform, timeouts::now);
            this.context = new ClaimContext(coordinator, namespace, settings, platform, clock);
            SlotClaimer claimer = new SlotClaimer(context, slots, shared::isClosed);
            this.workerIds = new WorkerIds(context, claimer, successions(reports), shared, outage, timeouts, takeover);
            this.ending = new Ending(workerIds, coordinator, takeover, shared, timeouts, this::breakDown);
            this.copies = new CopyGuard(workerIds, layout, clock, shared, timeouts.started());
            this.vetting = new ClockVetting(clock, slots, platform, settings, coordinatorName, workerIds::wrote);
        } catch (Throwable e) {
            discardAfter(e);
            throw e;
        }
    }

    private List<Succession> successions(Reports reports) {
        return shared.leases().stream()
                .map(inUse -> new Succession(settings, platform, clock, shared, inUse, reports))
                .toList();
    }

    /** Closes the connection, which the caller does not know of yet. */
    private void discardAfter(Throwable failure) {
        try {
            discard();
        } catch (Throwable e) {
            failure.addSuppressed(e);
        }
    }

    // ---- for any thread; none of these blocks

    private void hintLoss() {
        lossHinted = true;
        shared.wakeKeeper();
    }

    /** When the start ends, even if a call of the coordinator does not; it may be postponed meanwhile. */
    public long startEndNanos() {
        return start.nanos() + START_GRACE_NANOS;
    }

    /** The failure of a start that has lasted until then. */
    public SnowflakeException overdueStart() {
        return start.overdue();
    }

    private void callOverdue(CurrentLease inUse, String what) {
        LOG.log(Level.WARNING, shared.message(what));
        reports.suspended(inUse, what);
        // That may end the call, which is then tried again.
        interruption.run();
    }

    void keptBy(Runnable wake, Runnable interrupt) {
        interruption = interrupt;
        shared.whenOverdue(this::callOverdue);
        shared.keptBy(() -> {
            wake.run();
            takeover.wake();
        });
    }

    /** Has the worker ids of a closed generator given back, soon. */
    public void hurryToEnd() {
        shared.wakeKeeper();
        if (!shared.isStarted()) {
            interruption.run();
        }
    }

    /** The longest wait for each worker id to be given back; for all of them, if the coordinator does not answer. */
    public long longestCloseNanos() {
        return timeouts.longestCloseNanos();
    }

    // ---- steps

    /** Whether there is nothing more to be done but {@link #end}. */
    boolean isOver() {
        return shared.isClosed() || shared.isBroken();
    }

    /**
     * Does what is due.
     *
     * @return when to call again, by the monotonic clock
     */
    long step() {
        try {
            attempt();
            workerIds.noteTime();
            takeover.lookAtFiles();
            reports.lookAt(workerIds.successions());
            return reports.nextLookNanos(workerIds.successions(), platform.nanoTime(), nextStepNanos());
        } catch (Throwable e) {
            // Not even the failure could be reported.
            return platform.nanoTime() + SECOND;
        }
    }

    private void attempt() {
        SnowflakeException refusal = start.refusal(outage);
        if (refusal != null) {
            breakDown(refusal);
            return;
        }
        try {
            work();
        } catch (Namespace.RetiredException e) {
            retire(e);
        } catch (CoordinatorException e) {
            boolean unused = failed(e, e.permanent());
        } catch (NoFreeWorkerIdException e) {
            start.failed(e);
            outage.noneFree(e, shared.isStarted(), workerIds.endNanos(platform.nanoTime()));
        } catch (SnowflakeException e) {
            breakDown(e);
        } catch (Throwable e) {
            // Out of memory, or of stack: that passes. So may an exception. What else is an error stays one.
            unexpected(e, e instanceof Error && !(e instanceof VirtualMachineError));
        }
    }

    private void work() {
        if (lossHinted) {
            outage.hurry();
        }
        if (callersWaitForClock || clock.isCopySuspected() || shared.isKeeperWanted()) {
            outage.callsWait();
        }
        if (shared.isClosed() || platform.nanoTime() - outage.retryNanos() < 0) {
            return;
        }
        if (retired) {
            vetRetired();
            return;
        }
        if (namespace.isResumed()) {
            meet();
        }
        Snapshot firstPage = vetClock();
        if (shared.isStarted()) {
            // What was claimed is granted, though the coordinator may not be reached any more.
            Optional<Claim> unused = workerIds.swapReady();
        }
        if (!namespace.isJoined()) {
            firstPage = join(firstPage);
        }
        start.waitFor(namespace.meta().floor());
        boolean hinted = lossHinted;
        lossHinted = false;
        workerIds.extendDue(hinted);
        workerIds.releaseLeft();
        workerIds.mend();
        workerIds.claimMissing(firstPage);
        // The clock may have stepped back meanwhile: back again, it would be credible by what it showed before.
        showClock();
        Optional<Claim> awaited = workerIds.swapReady();
        workerIds.releaseLeft();
        if (awaited.isPresent()) {
            NoFreeWorkerIdException reserved = reserved(awaited.get());
            start.failed(reserved);
            if (shared.isStarted()) {
                throw reserved;
            }
        }
    }

    private NoFreeWorkerIdException reserved(Claim claim) {
        return new NoFreeWorkerIdException("worker id " + claim.workerId() + " is reserved, but usable only from "
                + layout.instantOf(claim.from()) + ". Wait until then, or set snowflake.startup-ahead.");
    }

    // ---- what is taken over from a process before this one

    /** Takes over from a process before this one, where the coordinator can't be asked for a first worker id. */
    private void resume() {
        if (shared.isClosed()) {
            return;
        }
        try {
            boolean mayTakeOver = workerIds.isEmpty() && !shared.past().isRestored();
            List<Claim> resumed = mayTakeOver ? takeover.resume(context, shown) : List.of();
            if (!resumed.isEmpty()) {
                // As at any start without another clock to read. The grant that is taken over bounds the harm of a
                // wrong one.
                VettedClock.Verdict unused = clock.judge(null, 0, false);
                clock.show();
                noteNamespace();
                workerIds.resume(resumed);
            }
            if (namespace.isResumed() && workerIds.swapReady().isEmpty()) {
                noteResumed();
            }
        } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, shared.message("unexpected failure while worker ids were taken over"), e);
        }
    }

    private void noteResumed() {
        shared.troubles()
                .noteResumed(workerIds.describe() + ", was taken over from a process before this one, since "
                        + coordinatorName + " could not be reached at the start.");
    }

    /** After a start without the coordinator: checks that it still has what was noted of it. */
    private void meet() {
        Snapshot seen = vetting.vetFirst();
        if (clock.lookForCopy()) {
            vetting.forgetStart();
        }
        namespace.noteSeen(seen.meta());
        workerIds.meet();
        Snapshot unused = join(seen);
        shared.troubles().noteResumed(null);
        LOG.log(Level.INFO, () -> shared.message(coordinatorName + " can be reached again"));
    }

    // ---- the clock

    /** @return what was read for that; null: nothing of use */
    private @Nullable Snapshot vetClock() {
        callersWaitForClock |= shared.takeVettingWanted();
        Snapshot firstPage = null;
        if (workerIds.isEmpty() && !clock.isSteady()) {
            firstPage = vetting.vetFirst();
        } else {
            vetting.vet(longestWindowMillis());
        }
        if (clock.isCopySuspected()) {
            callersWaitForClock = true;
            excludeCopy();
        }
        showClock();
        wakeForClock();
        return firstPage;
    }

    private long longestWindowMillis() {
        return (namespace.isJoined() ? namespace.meta().maxWindow() : settings.window()).toMillis();
    }

    private void wakeForClock() {
        if (callersWaitForClock) {
            callersWaitForClock = false;
            shared.wakeCallers();
        }
    }

    /** Vets the clock where no write can exclude a copy of this process, which would use up the same grants. */
    private void vetRetired() {
        callersWaitForClock |= shared.takeVettingWanted();
        vetting.vet(longestWindowMillis());
        if (clock.isCopySuspected() && platform.nanoTime() - missedTimeNanos >= 0) {
            callersWaitForClock = true;
            missedTimeNanos = platform.nanoTime() + SECOND;
            try {
                vetting.lookForMissedTime();
            } catch (CoordinatorException e) {
                // The reported trouble stays that the namespace is retired.
                LOG.log(Level.DEBUG, shared.message("the coordinator's clock could not be read"), e);
            }
        }
        showClock();
        if (clock.isCopySuspected()) {
            shared.troubles()
                    .noteClock(
                            vetting.warning(),
                            SUSPECTED + "no write can show that there is none: the namespace is retired");
        }
        wakeForClock();
    }

    /** Between two steps, once a second. */
    void forgetCredible() {
        clock.forgetCredible();
    }

    /** Shows the clock to callers, as the writes until now have compared it with the coordinator's. */
    private void showClock() {
        vetting.lookAtComparison();
        clock.show();
        shared.troubles().noteClock(vetting.warning(), null);
    }

    /** Ends with nothing in use that a copy may use. Callers wait until then. */
    private void excludeCopy() {
        int steps = clock.steps();
        if (guarded) {
            try {
                copies.leaveShared();
            } catch (SnowflakeException e) {
                shared.troubles()
                        .noteClock(
                                vetting.warning(),
                                SUSPECTED + "no write at the coordinator has shown yet that there is none: "
                                        + outage.withoutPrefix(e));
                throw e;
            }
        }
        clock.copyExcluded(steps);
    }

    // ---- the namespace

    private @Nullable Snapshot join(@Nullable Snapshot firstPage) {
        Snapshot page = firstPage;
        for (int attempt = 0; attempt < JOIN_ATTEMPTS; attempt++) {
            Snapshot seen = page != null ? page : readAgain();
            if (namespace.join(seen, clock.vettedTick(), timeouts.now())) {
                noteNamespace();
                return seen;
            }
            page = null;
        }
        throw new CoordinatorException("the namespace record keeps changing", false);
    }

    /** Where no other process can use the coordinator, each connection has a namespace of its own. */
    private void noteNamespace() {
        if (guarded) {
            shared.joined(namespace.meta().id());
        }
    }

    /** The process that wrote the record may have claimed since the clock was believed, and contradict it. */
    private Snapshot readAgain() {
        return workerIds.isEmpty() && clock.isSteady() ? vetting.vetFirst() : slots.page();
    }

    // ---- time

    private long nextStepNanos() {
        long now = platform.nanoTime();
        long wake = now + windowNanos / 3;
        if (vetting.warning() != null || clock.isCopySuspected()) {
            wake = Math.min(wake, now + Math.max(SECOND, windowNanos / 12));
        }
        if (!retired) {
            wake = workerIds.nextNanos(now, wake);
        }
        if (outage.retryNanos() - now > 0) {
            // What failed is tried again then; a caller that asked for it in the pause does not ask twice.
            wake = outage.retryNanos();
        }
        return shared.isStarted() ? wake : Math.min(wake, Math.max(start.nanos(), now + 1));
    }

    // ---- failures

    /** @return whether it is another failure than the last one */
    private boolean failed(CoordinatorException e, boolean permanent) {
        start.failed(e);
        if (permanent && !shared.isStarted()) {
            breakDown(e);
            return true;
        }
        long now = platform.nanoTime();
        boolean another = outage.failed(e, shared.isStarted(), workerIds.firstEndNanos(now), workerIds.endNanos(now));
        if (shared.isStarted()) {
            FlightRecording.addFailure(settings.generator(), outage.withoutPrefix(e));
        }
        // Not with a refused clock: resume() would believe it, since no other clock can be asked.
        if (!shared.isStarted() && !vetting.hasRefused()) {
            resume();
        }
        return another;
    }

    private void unexpected(Throwable e, boolean permanent) {
        if (failed(new CoordinatorException("unexpected failure: " + e, e, permanent), permanent)) {
            LOG.log(Level.ERROR, shared.message("unexpected failure; what is reserved stays usable"), e);
        }
    }

    /** Ids go on to the end of the window, and nothing is extended any more. */
    private void retire(Namespace.RetiredException e) {
        if (!shared.isStarted()) {
            breakDown(e);
            return;
        }
        retired = true;
        shared.troubles().noteError(e.getMessage());
        LOG.log(Level.ERROR, e.getMessage());
    }

    private void breakDown(SnowflakeException e) {
        if (shared.isInImage()) {
            LOG.log(Level.DEBUG, shared.message("failed after a checkpoint"), e);
            return;
        }
        SnowflakeException named = named(e);
        // First, and without memory: whatever fails after that, no call gets an id or waits for one.
        shared.breakDown(named);
        shared.troubles().noteError(named.getMessage());
        if (e instanceof CoordinatorRegressedException) {
            boolean unused = takeover.endAll();
        }
        if (shared.isStarted()) {
            LOG.log(Level.ERROR, named.getMessage());
        }
    }

    private SnowflakeException named(SnowflakeException e) {
        try {
            String text = String.valueOf(e.getMessage());
            return e instanceof CoordinatorException && !text.startsWith(shared.message(""))
                    ? new CoordinatorException(shared.message(text), e, true)
                    : e;
        } catch (Throwable noMemory) {
            return e;
        }
    }

    // ---- the end

    /** Gives back what can be given back, and ends the connection. Throws only for want of memory, and then it has ended too. */
    void end() {
        ending.end();
    }

    /** Ends the connection of a generator that has no keeper's thread. */
    public void discard() {
        coordinator.close();
    }
}
