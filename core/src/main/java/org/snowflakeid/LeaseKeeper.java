// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * Claims, extends, re-owns, replaces and releases worker ids, on one thread of its own. This is where uniqueness is kept.
 *
 * <h2>How it works</h2>
 *
 * A worker id is never owned; it is <em>granted for a span of ticks</em>. The coordinator holds one mark per worker id whose
 * limit says up to which tick it has been granted, to anybody. Claiming or extending is one compare-and-set on the whole mark
 * that raises the limit; what lies between the old limit and the new is granted to whoever's write was applied, and to nobody
 * else, for ever. A generator issues a tick only below its limit. So two processes can't issue the same tick under the same
 * worker id, however long either was paused, whatever its clock says, and whether or not its lease has expired: nothing of that
 * occurs in the argument. The owner entry, bound to a time to live, only tells others which worker ids not to try.
 *
 * <p>What follows from it:
 *
 * <ul>
 *   <li>Compare the whole value, never the limit alone: it can be lowered at close and raised again. Each write carries a
 *       token and a count that no other write ever has.
 *   <li>An unknown outcome grants nothing. The same bytes are sent again until a write is applied, or rejected by those bytes
 *       themselves; meanwhile nothing else is sent for that worker id.
 *   <li>Losing the owner entry is no reason to stop: issue to the limit, and get the entry again or another worker id.
 *   <li>Another's mark that begins at or above our limit is a lawful takeover. One that begins below it, or ends below it, or
 *       no mark at all, proves that the coordinator forgot what it had acknowledged, or that a copy of this process runs
 *       elsewhere: stop issuing at once.
 *   <li>Every write compares the namespace record too, so that a retired or replaced namespace stops its processes.
 *   <li>A mark is lowered only at release, after sealing, to just above the last tick issued, and never below the limit found
 *       at the claim. In doubt it stays: that wastes a little time on one worker id.
 *   <li>A clock that isn't believed raises no mark ({@link VettedClock}).
 * </ul>
 *
 * The rules and the bug that each prevents are in docs/safety.md.
 */
final class LeaseKeeper {

    private static final System.Logger LOG = System.getLogger(LeasedSnowflake.class.getName());

    /** A client's first call in a cold process takes seconds; a longer one could not say every 5 s why it fails. */
    private static final Duration FIRST_CALL_TIMEOUT = Duration.ofSeconds(5);

    private static final long SECOND = 1_000_000_000L;

    private final SnowflakeSettings settings;
    private final SnowflakeLayout layout;
    private final Platform platform;
    private final VettedClock clock;
    private final WaitingThreads waiting;
    private final Stripe stripe;
    private final EventDelivery events;
    private final String coordinatorName;
    private final WorkerCoordinator coordinator;
    private final Namespace namespace;
    private final SlotReader slots;
    private final SlotClaimer claimer;
    private final ClockVetting vetting;
    private final String prefix;

    private final long windowTicks;
    private final long windowNanos;
    private final long allowedTicks;
    private final Duration callTimeout;

    private volatile @Nullable Thread thread;
    private volatile boolean stopping;
    private volatile boolean ended;
    private volatile boolean woken;
    private volatile boolean extendRequested;
    private volatile boolean lossHinted;
    private volatile boolean vetRequested;
    private volatile @Nullable String lastError;

    private long startDeadline;
    private @Nullable SnowflakeException lastFailure;
    private volatile long lastVetNanos;
    private long lastComplaintNanos;
    private long retryNanos;
    private long nextClaimNanos;
    private int failures;
    private boolean joined;
    private boolean retired;
    private boolean starved;
    private boolean suspensionTold;
    private long highestTick = -1;
    private @Nullable Snapshot firstPage;

    /** Set while a copy of this process's memory may be running, to what its next write must carry. */
    private @Nullable String tokenAfterJump;

    private @Nullable Claim current;
    private @Nullable Claim next;

    LeaseKeeper(
            SnowflakeSettings settings,
            WorkerCoordinatorProvider provider,
            Platform platform,
            VettedClock clock,
            WaitingThreads waiting,
            Stripe stripe,
            EventDelivery events) {
        this.settings = settings;
        this.layout = settings.layout();
        this.platform = platform;
        this.clock = clock;
        this.waiting = waiting;
        this.stripe = stripe;
        this.events = events;
        this.coordinatorName = provider.name();
        this.prefix = "snowflake '" + settings.generator() + "': ";
        this.windowTicks = settings.window().toMillis();
        this.windowNanos = settings.window().toNanos();
        this.allowedTicks = settings.burst().toMillis();
        Duration sixth = settings.window().dividedBy(6);
        this.callTimeout = sixth.compareTo(Duration.ofMillis(500)) < 0
                ? Duration.ofMillis(500)
                : sixth.compareTo(Duration.ofSeconds(2)) > 0 ? Duration.ofSeconds(2) : sixth;
        this.coordinator = provider.open(
                new CoordinatorConfig(settings.generator(), settings.namespace(), settings.window(), settings.lookup()),
                this::hintLoss);
        this.namespace = new Namespace(settings, coordinator, platform, coordinatorName);
        this.slots = new SlotReader(settings, coordinator, platform, this::timeout);
        this.claimer = new SlotClaimer(settings, coordinator, namespace, slots, clock, platform, () -> stopping);
        this.vetting = new ClockVetting(clock, slots, platform, settings, coordinatorName, this::isOwn);
    }

    // ---- called by any thread; none of these blocks

    void start() {
        long now = platform.nanoTime();
        startDeadline = now + settings.startupTimeout().toNanos();
        lastComplaintNanos = now - 5 * SECOND;
        lastVetNanos = now;
        retryNanos = now;
        nextClaimNanos = now;
        thread = platform.start("snowflake-" + settings.generator(), this::run);
    }

    /** A caller needs more than is granted. */
    void extendSoon() {
        if (!extendRequested) {
            extendRequested = true;
            wake();
        }
    }

    /** A caller saw the clock step back further than a steady clock may. */
    void vetClockSoon() {
        if (!vetRequested && platform.nanoTime() - lastVetNanos > SECOND) {
            vetRequested = true;
            wake();
        }
    }

    private void hintLoss() {
        lossHinted = true;
        wake();
    }

    void stop(boolean interrupt) {
        stopping = true;
        wake();
        Thread keeper = thread;
        if (interrupt && keeper != null) {
            keeper.interrupt();
        }
    }

    private void wake() {
        woken = true;
        Thread keeper = thread;
        if (keeper != null) {
            platform.unpark(keeper);
        }
    }

    boolean hasEnded() {
        return ended;
    }

    /** Enough for a call under way, one to resolve a doubt, the release, and closing the connection. */
    long longestCloseNanos() {
        return callTimeout.toNanos() * 4 + SECOND;
    }

    Optional<String> lastError() {
        return Optional.ofNullable(lastError);
    }

    Optional<String> clockWarning() {
        return Optional.ofNullable(vetting.warning());
    }

    // ---- the keeper's thread

    private void run() {
        boolean broken = false;
        try {
            while (!stopping && !broken) {
                woken = false;
                broken = !step();
                tellOfState();
                if (!stopping && !broken) {
                    sleepUntil(nextLookNanos(nextStepNanos()));
                }
            }
        } finally {
            end(broken);
        }
    }

    /** @return false: nothing more can be done */
    private boolean step() {
        SnowflakeException failure = lastFailure;
        if (current == null && failure != null && platform.nanoTime() - startDeadline >= 0) {
            return breakDown(startFailure(failure));
        }
        try {
            work();
            return true;
        } catch (Namespace.RetiredException e) {
            return retire(e);
        } catch (CoordinatorException e) {
            return (current != null || !e.permanent()) ? failed(e) : breakDown(e);
        } catch (NoFreeWorkerIdException e) {
            return failed(e);
        } catch (SnowflakeException e) {
            return breakDown(e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, prefix + "unexpected failure of the coordinator '" + coordinatorName + "'", e);
            return failed(new CoordinatorException(e.toString(), e, false));
        }
    }

    private void work() {
        if (retired || platform.nanoTime() - retryNanos < 0) {
            return;
        }
        vetClock();
        if (!joined) {
            join();
        }
        if (current != null) {
            tend(current);
        }
        if (next != null) {
            tend(next);
            if (next.needsReplacement()) {
                coordinator.abandon(next.workerId, callTimeout);
                next = null;
            }
        }
        boolean wanted = current == null || current.needsReplacement();
        if (wanted && next == null && platform.nanoTime() - nextClaimNanos >= 0) {
            next = claim();
        }
        if (next != null && clock.tick() >= next.mark.from() - leadAllowed()) {
            swapTo(next);
        }
        if (current == null && next != null) {
            lastFailure = new NoFreeWorkerIdException("worker id " + next.workerId
                    + " is reserved, but usable only from " + layout.instantOf(next.mark.from())
                    + ". Wait until then, or set snowflake.startup-ahead.");
        }
    }

    /** How far ahead of the clock a lease may begin. */
    private long leadAllowed() {
        return current == null ? Math.max(allowedTicks, settings.startupAhead().toMillis()) : allowedTicks;
    }

    private void sleepUntil(long nanos) {
        for (long left = nanos - platform.nanoTime(); left > 0 && !woken; left = nanos - platform.nanoTime()) {
            platform.park(left);
            if (Thread.interrupted() && stopping) {
                return;
            }
        }
    }

    private long nextStepNanos() {
        long now = platform.nanoTime();
        long wake = now + windowNanos / 3;
        if (!retired) {
            if (current != null && !current.takenOver) {
                wake = Math.min(wake, current.dueNanos);
            }
            if (next != null) {
                long wait = next.mark.from() - leadAllowed() - clock.tick();
                wake = Math.min(Math.min(wake, next.dueNanos), now + Math.max(1, wait) * 1_000_000);
            } else if (current == null || current.needsReplacement()) {
                wake = Math.min(wake, nextClaimNanos);
            }
            if (vetting.warning() != null) {
                wake = Math.min(wake, now + Math.max(SECOND, windowNanos / 12));
            }
            wake = Math.max(wake, retryNanos);
        }
        return current == null ? Math.min(wake, Math.max(startDeadline, now + 1)) : wake;
    }

    // ---- events

    /** What nobody does, but time brings about. */
    private void tellOfState() {
        Claim claim = current;
        if (claim == null || !events.isWanted()) {
            return;
        }
        tellOfLoss(claim);
        SnowflakeStatus status = stripe.status();
        boolean suspended = status.state() == SnowflakeStatus.State.SUSPENDED;
        if (suspended != suspensionTold) {
            suspensionTold = suspended;
            events.tell(
                    suspended
                            ? new SnowflakeEvent.Suspended(settings.generator(), claim.workerId, whySuspended(status))
                            : new SnowflakeEvent.Resumed(settings.generator(), claim.workerId));
        }
    }

    private static String whySuspended(SnowflakeStatus status) {
        return status.lastError()
                .or(() -> status.reservedUntil().map(until -> "What was reserved ended at " + until + "."))
                .orElse("No worker id.");
    }

    private void tellOfLoss(Claim claim) {
        boolean lost = !claim.ownerHeld || claim.takenOver;
        if (lost && !claim.lossTold) {
            claim.lossTold = true;
            events.tell(new SnowflakeEvent.Lost(
                    settings.generator(),
                    claim.workerId,
                    claim.takenOver
                            ? "Another process was granted what comes after " + layout.instantOf(claim.mark.limit())
                                    + "."
                            : "The owner entry in " + coordinatorName + " is gone."));
        }
    }

    /** Extensions come too rarely to tell when a window ends, or ids flow again. */
    private long nextLookNanos(long nextStepNanos) {
        Claim claim = current;
        if (claim == null || !events.isWanted()) {
            return nextStepNanos;
        }
        long now = platform.nanoTime();
        long end = claim.lease.endNanos();
        return Math.min(nextStepNanos, suspensionTold || end - now <= 0 ? now + SECOND : end);
    }

    // ---- outcomes

    private boolean failed(SnowflakeException e) {
        failures++;
        lastFailure = e;
        long now = platform.nanoTime();
        boolean taken = e instanceof NoFreeWorkerIdException;
        String reason = withoutPrefix(e);
        lastError = taken ? reason : "Last error from " + coordinatorName + ": " + reason;
        if (taken) {
            nextClaimNanos = now + SECOND + Math.floorMod(platform.randomLong(), 2 * SECOND);
        } else {
            long pause = Math.min(SECOND, (SECOND / 10) << Math.min(failures, 5));
            retryNanos = now + pause / 2 + Math.floorMod(platform.randomLong(), pause / 2);
        }
        if (current == null) {
            complain(5 * SECOND, "still without a worker id: " + reason);
        } else if (!starved && current.lease.endNanos() - now <= 0) {
            starved = true;
            lastComplaintNanos = now;
            LOG.log(
                    Level.WARNING,
                    prefix + "the window of worker id " + current.workerId + " is used up, no ids: " + lastError);
        } else {
            long left = current.lease.endNanos() - now;
            complain(
                    failures == 1 ? 0 : 15 * SECOND,
                    (taken ? "no other worker id (" : "renewal failed (") + reason + "), "
                            + (left > 0 ? "ids continue for " + seconds(left) : "still no ids"));
        }
        return true;
    }

    /** Messages of coordinators may name the generator already. */
    private String withoutPrefix(SnowflakeException e) {
        String text = String.valueOf(e.getMessage());
        return text.startsWith(prefix) ? text.substring(prefix.length()) : text;
    }

    private static String seconds(long nanos) {
        return nanos / SECOND + "." + nanos % SECOND / (SECOND / 10) + " s";
    }

    private void complain(long everyNanos, String text) {
        long now = platform.nanoTime();
        if (now - lastComplaintNanos >= everyNanos) {
            lastComplaintNanos = now;
            LOG.log(Level.WARNING, prefix + text);
        }
    }

    private SnowflakeException startFailure(SnowflakeException reason) {
        String text = prefix + "no worker id within snowflake.startup-timeout=" + settings.startupTimeout() + ": "
                + withoutPrefix(reason);
        return reason instanceof NoFreeWorkerIdException
                ? new NoFreeWorkerIdException(text, reason)
                : new CoordinatorException(text, reason, true);
    }

    private boolean breakDown(SnowflakeException e) {
        SnowflakeException named = e;
        if (e instanceof CoordinatorException && !String.valueOf(e.getMessage()).startsWith(prefix)) {
            named = new CoordinatorException(prefix + e.getMessage(), e, true);
        }
        lastError = named.getMessage();
        if (current != null) {
            current.lease.seal();
            LOG.log(Level.ERROR, named.getMessage());
        }
        stripe.breakDown(named);
        return false;
    }

    private boolean retire(Namespace.RetiredException e) {
        retired = true;
        lastError = e.getMessage();
        LOG.log(Level.ERROR, e.getMessage());
        if (current == null) {
            return breakDown(e);
        }
        return true;
    }

    private void succeeded() {
        if (starved) {
            LOG.log(Level.INFO, prefix + "ids again");
        } else if (failures > 0 && current != null) {
            LOG.log(Level.INFO, prefix + "renewal works again");
        }
        starved = false;
        failures = 0;
        lastError = null;
    }

    private boolean isOwn(int workerId) {
        return (current != null && current.workerId == workerId) || (next != null && next.workerId == workerId);
    }

    // ---- start

    private Duration timeout() {
        if (current != null || stopping) {
            return callTimeout;
        }
        long left = Math.max(SECOND, startDeadline - platform.nanoTime());
        return left < FIRST_CALL_TIMEOUT.toNanos() ? Duration.ofNanos(left) : FIRST_CALL_TIMEOUT;
    }

    private void join() {
        for (int attempt = 0; attempt < 5; attempt++) {
            Snapshot page = firstPage != null ? firstPage : slots.page();
            if (namespace.join(page, clock.vettedTick(), timeout())) {
                joined = true;
                return;
            }
            firstPage = null;
        }
        throw new CoordinatorException("the namespace record keeps changing", false);
    }

    private void vetClock() {
        vetRequested = false;
        lastVetNanos = platform.nanoTime();
        if (current == null && next == null && !clock.isSteady()) {
            firstPage = vetting.vetFirst();
            return;
        }
        boolean jumpedAhead = vetting.vet(joined ? namespace.meta().maxWindow().toMillis() : windowTicks);
        if (jumpedAhead) {
            suspectCopy();
        }
    }

    /** A memory image that was resumed twice looks like a jump ahead. */
    private void suspectCopy() {
        if (next != null) {
            // Both would swap to it. The mark stays: one may have begun to issue there when the other notices.
            coordinator.abandon(next.workerId, callTimeout);
            next = null;
            nextClaimNanos = platform.nanoTime();
        }
        if (current != null && !current.takenOver) {
            // Find out by a write that only one copy can win.
            tokenAfterJump = Token.random(platform);
            current.dueNanos = platform.nanoTime();
        }
    }

    // ---- claim

    /** No claim or extension begins further ahead of the clock: one that once believed a wrong clock must not spread it. */
    private long horizon() {
        return Math.max(windowTicks, namespace.meta().maxWindow().toMillis()) + allowedTicks;
    }

    private void noteHighest() {
        if (current != null) {
            long last = current.lease.lastIssued();
            if (last != Lease.SEALED) {
                highestTick = Math.max(highestTick, last >> layout.sequenceBits());
            }
        }
    }

    private Claim claim() {
        noteHighest();
        SlotClaimer.Terms terms = new SlotClaimer.Terms(current, highestTick, horizon(), leadAllowed());
        Claim claimed = claimer.claim(firstPage, terms);
        firstPage = null;
        claimed.nextWindow = Math.min(windowTicks, 2 * SlotClaimer.FIRST_WINDOW.toMillis());
        grant(claimed, Math.min(windowTicks, SlotClaimer.FIRST_WINDOW.toMillis()));
        succeeded();
        return claimed;
    }

    private long position(long tick) {
        return tick << layout.sequenceBits();
    }

    // ---- extend

    private void tend(Claim claim) {
        long now = platform.nanoTime();
        if (claim.lease.ahead() > allowedTicks && clock.tick() >= claim.mark.from()) {
            claim.lease.allowAhead(allowedTicks);
        }
        if (lossHinted) {
            lossHinted = false;
            claim.dueNanos = Math.min(claim.dueNanos, Math.max(now, claim.lastSentNanos + SECOND / 2));
        }
        if (extendRequested) {
            extendRequested = false;
            long gain = Math.min(clock.tick() + claim.nextWindow, layout.lastTick()) - claim.mark.limit();
            if (gain > claim.nextWindow / 8) {
                claim.dueNanos = Math.min(claim.dueNanos, now);
            }
        }
        if (claim.takenOver || now - claim.dueNanos < 0) {
            return;
        }
        String fresh = tokenAfterJump;
        if (fresh != null && claim == current) {
            leaveCopyBehind(claim, fresh);
        } else {
            extend(claim, claim.mark.token());
        }
        if (claim == current) {
            tellOfLoss(claim);
        }
        if (!claim.ownerHeld && !claim.takenOver && !claim.ownerBlocked) {
            reown(claim);
        }
    }

    /**
     * What to write next. The limit of a mark that lies too far ahead, since a clock was wrong, stays; it is written all the same,
     * to hear whether the coordinator still knows it.
     */
    private Mark extension(Claim claim, String token) {
        long limit = Math.max(claim.mark.limit(), Math.min(clock.vettedTick() + claim.nextWindow, layout.lastTick()));
        Instant at = Instant.ofEpochMilli(platform.wallMillis());
        return Mark.next(claim.mark.pairs(), limit, token, claim.mark.count() + 1, claim.mark.from(), at, layout);
    }

    private void extend(Claim claim, String token) {
        for (int attempt = 0; attempt < 4; attempt++) {
            Mark wanted = claim.pending != null ? claim.pending : extension(claim, token);
            claim.lastSentNanos = platform.nanoTime();
            CasResult result = coordinator.extend(
                    claim.workerId,
                    claim.stored,
                    wanted.value(),
                    namespace.meta().stored(),
                    timeout());
            if (settle(claim, wanted, result)) {
                return;
            }
        }
        throw new CoordinatorException("the mark of worker id " + claim.workerId + " keeps being rejected", false);
    }

    /**
     * Draws the conclusions from the answer to a write of {@code wanted} over the claim's mark.
     *
     * @return false: rejected for a reason that is mended now, send it again
     */
    private boolean settle(Claim claim, Mark wanted, CasResult result) {
        if (result instanceof CasResult.Applied applied) {
            claim.ownerHeld = applied.ownerHeld();
            adopt(claim, wanted, applied.written());
            return true;
        }
        if (result instanceof CasResult.Unknown unknown) {
            claim.pending = wanted;
            throw unknown.cause();
        }
        CasResult.Rejected rejected = (CasResult.Rejected) result;
        namespace.noteSeen(rejected.meta());
        Slot slot = rejected.seen();
        Stored seen = slot == null ? null : slot.mark();
        if (slot == null || seen == null) {
            throw namespace.regressed("lost the mark of worker id " + claim.workerId);
        }
        if (seen.value().equals(wanted.value())) {
            claim.ownerHeld = claim.owner.equals(slot.owner());
            adopt(claim, wanted, seen);
            return true;
        }
        if (seen.value().equals(claim.stored.value())) {
            claim.stored = seen;
            if (slot.owner() != null && !claim.ownerHeld) {
                claim.ownerBlocked = true;
                return true;
            }
            return false;
        }
        requireLawfulTakeover(claim, seen);
        claim.takenOver = true;
        claim.ownerHeld = false;
        claim.pending = null;
        nextClaimNanos = platform.nanoTime();
        return true;
    }

    private void requireLawfulTakeover(Claim claim, Stored seen) {
        long limit = claim.mark.limit();
        try {
            Mark foreign = Mark.parse(seen);
            if (foreign.limit() >= limit && foreign.from() >= limit) {
                return;
            }
        } catch (IllegalArgumentException unreadable) {
            // as good as lost
        }
        throw namespace.regressed("shows for worker id " + claim.workerId + " the mark '" + seen.value()
                + "', though ticks up to " + limit
                + " were granted to this process, which may also mean that a copy of it is running");
    }

    private void adopt(Claim claim, Mark written, Stored stored) {
        boolean grown = written.limit() > claim.mark.limit();
        claim.mark = written;
        claim.stored = stored;
        claim.pending = null;
        grant(claim, claim.nextWindow);
        if (grown) {
            claim.nextWindow = Math.min(2 * claim.nextWindow, windowTicks);
        }
        succeeded();
        if (written.limit() == layout.lastTick()) {
            lastError = "The timestamps of " + layout + " end at " + layout.exhaustedAt()
                    + ": nothing can be added. Use a new namespace with a later epoch.";
        } else if (written.limit() > clock.tick() + horizon()) {
            lastError = "What is reserved for worker id " + claim.workerId + " ends at "
                    + layout.instantOf(written.limit()) + ", further ahead of the clock ("
                    + layout.instantOf(clock.tick())
                    + ") than a window: the clock was wrong. Nothing is added until it gets there.";
        }
        waiting.wake();
    }

    private void grant(Claim claim, long window) {
        long now = platform.nanoTime();
        long left = claim.mark.limit() - clock.tick();
        claim.lease.grant(position(claim.mark.limit()), now + Math.min(left, windowTicks * 2) * 1_000_000, window);
        long untilTwoThirds = (left - window * 2 / 3) * 1_000_000;
        claim.dueNanos = now + Math.max(SECOND / 10, Math.min(untilTwoThirds, windowNanos / 3));
    }

    /** Gets the owner entry again, which had expired or was deleted; the mark is still ours. */
    private void reown(Claim claim) {
        if (claim.pending != null) {
            return;
        }
        for (int attempt = 0; attempt < 4; attempt++) {
            Mark wanted = extension(claim, claim.mark.token());
            CasResult result = coordinator.claim(
                    claim.workerId,
                    claim.stored,
                    wanted.value(),
                    claim.owner,
                    false,
                    namespace.meta().stored(),
                    timeout());
            if (settle(claim, wanted, result)) {
                if (claim.ownerHeld) {
                    LOG.log(
                            Level.WARNING,
                            () -> prefix + "lost the owner entry of worker id " + claim.workerId
                                    + " and claimed it again");
                    if (claim.lossTold) {
                        claim.lossTold = false;
                        events.tell(new SnowflakeEvent.Swapped(settings.generator(), claim.workerId, claim.workerId));
                    }
                }
                return;
            }
        }
    }

    /**
     * The clock jumped forward, as when a memory image is resumed, perhaps twice: both copies then hold the same grant. Only one
     * of them wins a write with fresh random bytes, the other finds foreign bytes and stops. The winner leaves the span they
     * shared: it goes to another worker id, or, if there is none, on to what was granted to it alone.
     */
    private void leaveCopyBehind(Claim claim, String fresh) {
        Mark pending = claim.pending;
        if (pending != null && !pending.token().equals(fresh)) {
            // Bytes drawn before the jump: both copies would take them for their own.
            claim.lease.seal();
            claim.takenOver = true;
            tokenAfterJump = null;
            return;
        }
        long shared = claim.mark.limit();
        extend(claim, fresh);
        tokenAfterJump = null;
        if (!claim.mark.token().equals(fresh)) {
            return;
        }
        claim.copied = true;
        if (clock.tick() >= shared) {
            return;
        }
        if (next == null) {
            try {
                next = claim();
            } catch (NoFreeWorkerIdException none) {
                LOG.log(Level.DEBUG, prefix + "no other worker id", none);
            }
        }
        if (next == null || next.mark.from() > clock.tick() + allowedTicks) {
            LOG.log(
                    Level.WARNING,
                    () -> prefix + "a copy of this process may be running and no other worker id is free: ids"
                            + " continue from " + layout.instantOf(shared));
            claim.lease.skipTo(position(shared));
        }
    }

    // ---- swap, release, end

    private void swapTo(Claim claim) {
        Claim old = current;
        if (old != null) {
            old.lease.seal();
            noteHighest();
        }
        long from = Math.max(claim.mark.from(), highestTick + 1);
        claim.lease.open(position(from), Math.max(allowedTicks, claim.mark.from() - clock.tick()));
        current = claim;
        next = null;
        stripe.publish(claim.lease);
        if (old == null) {
            LOG.log(
                    Level.INFO,
                    () -> prefix + "claimed worker id " + claim.workerId + " from " + coordinatorName
                            + ", usable until " + layout.instantOf(claim.mark.limit()));
            events.tell(new SnowflakeEvent.Claimed(settings.generator(), claim.workerId));
        } else {
            LOG.log(
                    Level.WARNING,
                    () -> prefix + (old.copied ? "left worker id " : "lost worker id ") + old.workerId
                            + ", continuing as " + claim.workerId);
            events.tell(new SnowflakeEvent.Swapped(settings.generator(), old.workerId, claim.workerId));
            if (old.workerId != claim.workerId) {
                release(old);
            }
        }
    }

    /** Gives a sealed or never published claim back. Whatever goes wrong here wastes at most a window on one worker id. */
    private void release(Claim claim) {
        try {
            if (claim.takenOver) {
                coordinator.abandon(claim.workerId, callTimeout);
                return;
            }
            if (claim.pending != null) {
                extend(claim, claim.mark.token());
            }
            long last = claim.lease.lastIssued();
            long limit = last == Lease.SEALED ? claim.limitFound : (last >> layout.sequenceBits()) + 1;
            Mark free = Mark.next(
                    claim.mark.pairs(),
                    claim.copied ? claim.mark.limit() : limit,
                    "free-" + Token.random(platform),
                    0,
                    claim.mark.from(),
                    Instant.ofEpochMilli(platform.wallMillis()),
                    layout);
            if (!claim.takenOver
                    && coordinator.release(
                                    claim.workerId,
                                    claim.stored,
                                    free.value(),
                                    namespace.meta().stored(),
                                    callTimeout)
                            instanceof CasResult.Applied) {
                LOG.log(Level.INFO, () -> prefix + "released worker id " + claim.workerId);
                return;
            }
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, prefix + "release of worker id " + claim.workerId + " failed", e);
        }
        LOG.log(
                Level.WARNING,
                () -> prefix + "worker id " + claim.workerId + " could not be released; others can claim it after "
                        + layout.instantOf(claim.mark.limit()));
        coordinator.abandon(claim.workerId, callTimeout);
    }

    private void end(boolean broken) {
        // Set by stop() to end a long first call; the release below needs the thread.
        Thread.interrupted();
        try {
            for (Claim claim : new Claim[] {next, current}) {
                if (claim == null) {
                    continue;
                }
                claim.lease.seal();
                if (broken && current != null) {
                    coordinator.abandon(claim.workerId, callTimeout);
                } else {
                    release(claim);
                }
            }
        } finally {
            coordinator.close();
            ended = true;
            waiting.wake();
        }
    }
}
