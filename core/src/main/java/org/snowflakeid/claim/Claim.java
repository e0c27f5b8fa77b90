// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.claim;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.config.SnowflakeKeys;
import org.snowflakeid.lease.Lease;
import org.snowflakeid.lease.Positions;
import org.snowflakeid.lease.VettedClock;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.OwnerEntry;
import org.snowflakeid.records.RandomToken;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;

/**
 * A worker id that this generator has claimed: the protocol of its one mark. This is where uniqueness is kept.
 *
 * <h2>Uniqueness</h2>
 *
 * A worker id is never owned; it is <em>granted for a span of ticks</em>. The coordinator holds one mark per worker id whose limit says up to which
 * tick it has been granted, to any process. Claiming or extending is one compare-and-set on the whole mark that raises the limit; what lies between
 * the old limit and the new is granted to the process whose write was applied, and to no other, for ever. A generator issues a tick only below its
 * limit. So two processes can't issue the same tick under the same worker id, however long either was paused, whatever its clock says, and whether or
 * not its lease has expired: none of that enters the argument. The owner entry, which has a time to live, only shows others which worker ids not to
 * try.
 *
 * <ul>
 *   <li>The whole value is compared, never the limit alone, which can be lowered at close and raised again. Each write carries random bytes that no
 *       other write ever has.
 *   <li>The bytes of a write are noted before they are sent ({@link #nextWrite}). Until their outcome is known nothing else is sent for this worker
 *       id, whatever ended the call: a lost answer, an exception, an error. The same bytes are sent again until they are applied, or a rejection
 *       shows them or another process's in place.
 *   <li>Another process's mark that begins at or above our limit is a lawful takeover. One that begins below it, or ends below it, or no mark at all,
 *       proves that the coordinator forgot what it had acknowledged, or that a copy of this process is running: nothing may be issued any more.
 *   <li>Every write compares the namespace record too, so that a retired or replaced namespace stops its processes.
 *   <li>A mark is lowered only at release, after sealing, to just above the last tick issued, and never below the limit found at the claim. If the
 *       last tick is uncertain, the mark stays as it is, which wastes a few ticks of one worker id.
 *   <li>A clock that isn't believed raises no mark ({@link VettedClock}).
 * </ul>
 *
 * <h2>Life cycle</h2>
 *
 * {@link SlotClaimer} makes it from an applied claim. It is extended again and again, and its owner entry claimed again if that was lost. Losing the
 * owner entry is no reason to stop: ids are issued up to the limit. It ends in one of three ways: released; superseded by another process, after
 * which ids still go on up to the limit; or left, because a copy of this process may use it too.
 *
 * <p>Or {@link #resumed} makes it, from what a process before this one on the same host noted. The coordinator could not be asked, so nothing is sent
 * before it has shown the mark exactly as it was noted ({@link #meet}). If it shows a later write of the process before, which that process did not
 * live to note, another worker id is claimed; that write is not adopted, since its bytes were not noted.
 *
 * <h2>Copies</h2>
 *
 * A memory image that is restored twice gives two processes that know the same grant. The first to write the mark wins; the other finds
 * foreign bytes, since it drew other random ones, and stops. The winner may go on only above the limit both knew,
 * and never lowers the mark ({@link #share}).
 *
 * <h2>Threads</h2>
 *
 * Called by the keeper's thread only. What callers see of it is the {@link Lease}. An error at any point leaves a state from which the next
 * call goes on: the lease's limit is raised last.
 */
public final class Claim {

    /** Whether others see this worker id as taken, and what that means for it. */
    public enum Standing {
        /** The owner entry is there. */
        OWNED,
        /** The owner entry is gone, the mark is ours: to be owned again. */
        NOT_OWNED,
        /** Taken over from a process before this one, and not owned yet. */
        RESUMED,
        /** The mark is ours, but another's owner entry is in the way: another worker id is needed. */
        BLOCKED,
        /** Another process was granted what comes after our limit: nothing can be written any more. */
        SUPERSEDED
    }

    /** What came of a write that was not left unknown. */
    private enum Outcome {
        SETTLED,
        /** Nothing was written, for a reason that is gone now. */
        TO_BE_SENT_AGAIN
    }

    private static final int ATTEMPTS = 4;

    private final ClaimContext context;
    private final int workerId;
    private final String owner;
    private final Lease lease;

    /**
     * A release never lowers the mark below this: the limit found at the claim, or what others may have issued; {@link Long#MAX_VALUE} where a copy
     * of this process may be issuing below the limit.
     */
    private long trimFloor;

    /** The first tick that may be issued. */
    private final long from;

    /** The mark of the last write that is known to have been applied. */
    private Mark mark;

    /** As the coordinator shows it, to compare with. */
    private Stored stored;

    /** The write that was noted before it was sent, until its outcome is known. */
    private @Nullable Mark pending;

    private Standing standing;

    private Predecessor predecessor;

    /** Keeps callers below what the last note says. */
    private ClaimFile file = ClaimFile.NONE;

    Claim(ClaimContext context, int workerId, String owner, long trimFloor, Mark mark, Stored stored, boolean owned) {
        this(
                context,
                workerId,
                owner,
                trimFloor,
                mark.from(),
                mark,
                stored,
                owned ? Standing.OWNED : Standing.NOT_OWNED);
    }

    private Claim(
            ClaimContext context,
            int workerId,
            String owner,
            long trimFloor,
            long from,
            Mark mark,
            Stored stored,
            Standing standing) {
        this.context = context;
        this.workerId = workerId;
        this.owner = owner;
        this.trimFloor = trimFloor;
        this.from = from;
        this.predecessor = standing == Standing.RESUMED ? Predecessor.UNSEEN : Predecessor.NONE;
        this.mark = mark;
        this.stored = stored;
        this.standing = standing;
        this.lease = new Lease(workerId, Positions.of(context.layout()).first(mark.limit()));
    }

    /** What a process before this one on this host was granted and has not issued. Nothing is sent before {@link #meet}. */
    public static Claim resumed(ClaimContext context, int workerId, long from, Mark mark) {
        return new Claim(
                context,
                workerId,
                OwnerEntry.value(
                        mark.token(), context.rawTime(), context.platform().process()),
                from,
                from,
                mark,
                new Stored(mark.value(), 0),
                Standing.RESUMED);
    }

    /** Whether it is the mark that this process wrote last, or one that it may have written since; not that of the process before. */
    public boolean wrote(Mark shown) {
        String bytes = shown.value();
        Mark sent = pending;
        return (sent != null && bytes.equals(sent.value())) || (!predecessor.mayWrite() && bytes.equals(mark.value()));
    }

    public int workerId() {
        return workerId;
    }

    /** Where its record is, for people; empty if the coordinator's name says it all. */
    public String location() {
        return context.coordinator().location();
    }

    public Lease lease() {
        return lease;
    }

    /** The first tick that may be issued. */
    public long from() {
        return from;
    }

    /** Of the last write that is known to have been applied. */
    public Mark mark() {
        return mark;
    }

    /** Exclusive, in ticks. */
    public long limit() {
        return mark.limit();
    }

    public Standing standing() {
        return standing;
    }

    public boolean isSuperseded() {
        return standing == Standing.SUPERSEDED || file.isLost();
    }

    /** Whether another process of this host goes on from its notes, so that no more are written. */
    public boolean isTakenOver() {
        return file.isLost();
    }

    public boolean needsReplacement() {
        return isSuperseded() || standing == Standing.BLOCKED;
    }

    /** Whether it was taken over from a process before this one and is not owned yet. */
    public boolean isResumed() {
        return standing == Standing.RESUMED;
    }

    /** Whether our owner entry is missing and no other process's entry blocks us. */
    public boolean isToBeOwned() {
        return standing == Standing.NOT_OWNED || standing == Standing.RESUMED;
    }

    /** Whether a copy of this process may be using it too. */
    public boolean isShared() {
        return trimFloor == Long.MAX_VALUE;
    }

    /** Whether a write was sent, and its outcome is not known. */
    public boolean isWriteUnderWay() {
        return pending != null;
    }

    // ---- writes

    /**
     * The write to send now: the one whose outcome is not known, or a new one. Its answer goes to {@link #conclude}. A limit that a wrong clock put
     * further ahead than wanted stays; it is still written, to see whether the coordinator has it.
     *
     * @param windowTicks to be reserved ahead of the clock
     */
    public WorkerCoordinator.Extension nextWrite(long windowTicks) {
        Mark next = pending;
        if (next == null) {
            long wanted = Math.min(context.clock().vettedTick() + windowTicks, context.lastTick());
            next = Mark.next(
                    mark.pairs(),
                    Math.max(mark.limit(), wanted),
                    mark.token(),
                    mark.count() + 1,
                    mark.from(),
                    context.rawTime(),
                    context.layout(),
                    context.platform().randomLong());
            pending = next;
        }
        return new WorkerCoordinator.Extension(workerId, stored, next.value(), owner);
    }

    /** Extends it by a write of its own. Does not claim a lost owner entry: {@link #ownAgain}. */
    public void extend(long windowTicks, Duration timeout) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            WorkerCoordinator.Extension write = nextWrite(windowTicks);
            CasResult result = context.write(() -> context.coordinator()
                    .extend(
                            workerId,
                            write.mark(),
                            write.next(),
                            owner,
                            context.namespace().meta().stored(),
                            timeout));
            if (conclude(result) == Outcome.SETTLED) {
                return;
            }
        }
        throw new CoordinatorException("the mark of worker id " + workerId + " keeps being rejected", false);
    }

    /**
     * Draws the conclusion from the answer to one of several writes that were sent together. One that was rejected only because another made the
     * transaction fail is sent again by itself.
     */
    public void conclude(CasResult result, long windowTicks, Duration timeout) {
        if (conclude(result) == Outcome.TO_BE_SENT_AGAIN) {
            extend(windowTicks, timeout);
        }
    }

    private Outcome conclude(CasResult result) {
        if (result instanceof CasResult.Unknown unknown) {
            throw unknown.cause();
        }
        Mark sent = pending;
        if (sent == null) {
            throw new IllegalStateException("no write of worker id " + workerId + " is under way");
        }
        if (result instanceof CasResult.Applied applied) {
            adopt(sent, applied.written(), applied.ownerHeld());
            return Outcome.SETTLED;
        }
        CasResult.Rejected rejected = (CasResult.Rejected) result;
        Slot slot = rejected.seen();
        try {
            context.namespace().noteSeen(rejected.meta());
        } catch (Namespace.RetiredException e) {
            // It may be retired because data was lost, and no later call would show that.
            requireNotLost(requireMark(slot), sent);
            throw e;
        }
        Stored seen = requireMark(slot);
        if (seen.value().equals(sent.value())) {
            adopt(sent, seen, slot != null && owner.equals(slot.owner()));
            return Outcome.SETTLED;
        }
        if (seen.value().equals(stored.value())) {
            stored = seen;
            return Outcome.TO_BE_SENT_AGAIN;
        }
        requireLawfulTakeover(seen);
        standing = Standing.SUPERSEDED;
        return Outcome.SETTLED;
    }

    private void requireNotLost(Stored seen, Mark sent) {
        if (!seen.value().equals(sent.value()) && !seen.value().equals(stored.value())) {
            requireLawfulTakeover(seen);
        }
    }

    private void adopt(Mark written, Stored as, boolean owned) {
        if (owned) {
            standing = Standing.OWNED;
        } else if (standing == Standing.OWNED || standing == Standing.BLOCKED) {
            // What was in the way may be gone.
            standing = Standing.NOT_OWNED;
        }
        mark = written;
        stored = as;
        pending = null;
        predecessor = predecessor.overwritten();
        file.granted(written, context.namespace().meta());
    }

    private void requireLawfulTakeover(Stored seen) {
        long limit = mark.limit();
        boolean goesOn = false;
        try {
            Mark foreign = Mark.parse(seen);
            goesOn = goesOn(mark, foreign);
            if (isLawful(mark, foreign, predecessor.mayWrite())) {
                return;
            }
        } catch (IllegalArgumentException unreadable) {
            // as good as lost
        }
        if (!file.end()) {
            if (file.isLost()) {
                // That process goes on from our last note, below our limit.
                return;
            }
            if (goesOn) {
                // That, or it is a copy of this process: the notes can't be read to tell.
                lease.seal();
                return;
            }
        }
        throw context.namespace()
                .regressed(
                        "shows for worker id " + workerId + " the mark '" + seen.value()
                                + "', though ticks up to " + limit
                                + " were granted to this process, which may also mean that a copy of it is running",
                        Namespace.OLD_DATA);
    }

    /**
     * Whether the writer of {@code foreign} goes on from our mark: the process before, whose last write it may be; one that took over from our notes;
     * or a copy. A claim and its extensions have the same token.
     */
    private static boolean goesOn(Mark ours, Mark foreign) {
        return foreign.token().equals(ours.token()) && foreign.count() > ours.count();
    }

    /** @param mayGoOn whether going on from our mark is lawful, as it is for the process before */
    static boolean isLawful(Mark ours, Mark foreign, boolean mayGoOn) {
        long limit = ours.limit();
        return foreign.limit() >= limit && (foreign.from() >= limit || (mayGoOn && goesOn(ours, foreign)));
    }

    /** Compares a claim that was {@link #resumed} with what the coordinator shows, now that it can be asked. */
    public void meet(Slot slot) {
        Stored seen = slot.mark();
        if (seen != null && seen.value().equals(stored.value())) {
            stored = seen;
            predecessor = predecessor.met(slot.owner() != null && OwnerEntry.isOfClaim(mark.token(), slot.owner()));
            return;
        }
        compare(slot);
        standing = Standing.SUPERSEDED;
    }

    /** Checks what the coordinator shows of a worker id that another process was granted: it may have lost data. */
    public void compare(Slot slot) {
        requireLawfulTakeover(requireMark(slot));
    }

    /**
     * Claims the owner entry again after it expired or was deleted; the mark is still ours.
     *
     * @return whether it was lost and is ours again
     */
    public boolean ownAgain(long windowTicks, Duration timeout) {
        if (!isToBeOwned() || pending != null) {
            return false;
        }
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            WorkerCoordinator.Extension write = nextWrite(windowTicks);
            CasResult result = context.write(() -> context.coordinator()
                    .claim(
                            workerId,
                            write.mark(),
                            write.next(),
                            owner,
                            predecessor.isOwner(),
                            context.namespace().meta().stored(),
                            timeout));
            if (conclude(result) == Outcome.SETTLED) {
                return standing == Standing.OWNED;
            }
            if (result instanceof CasResult.Rejected rejected
                    && rejected.seen() != null
                    && rejected.seen().owner() != null) {
                standing = Standing.BLOCKED;
                return false;
            }
        }
        return false;
    }

    /** Notes that from now on a copy of this process may be issuing below the limit. */
    public void share() {
        trimFloor = Long.MAX_VALUE;
        file.shareWithCopy();
    }

    // ---- the notes by which another process takes over

    /** From now on callers get no more than the last note allows. The lease must not have been opened. */
    public void keepIn(ClaimFile notes) {
        file = notes;
    }

    /** Another claim of this worker id gets notes of its own: this one goes on without any. */
    public void endNotes() {
        boolean unused = file.goOnWithout();
    }

    /** Leaves the last note, if there is one, to a process that takes over. The lease must be sealed, or was never opened. */
    public void leaveNotes() {
        file.stop();
    }

    // ---- ends

    /**
     * Gives a sealed or never opened claim back, so that others can claim the worker id at once.
     *
     * @return whether that is certain; if not, others can claim it after its limit, or have it already
     * @throws RuntimeException as the coordinator does
     */
    public boolean release(long windowTicks, Duration timeout) {
        lease.seal();
        if (pending != null && !isSuperseded()) {
            extend(windowTicks, timeout);
        }
        if (isSuperseded() || !predecessor.isMet()) {
            return false;
        }
        if (!file.equals(ClaimFile.NONE)) {
            // If the coordinator can't be read, another process of this host may go on from the last note, which then
            // stays.
            Snapshot unused = context.coordinator().read(workerId, workerId, timeout);
            if (!file.end()) {
                throw new CoordinatorException(
                        "its notes in " + SnowflakeKeys.RESUME_DIRECTORY + " could not be ended", false);
            }
        }
        if (context.clock().lookForCopy()) {
            // This may be a copy that has not noticed it yet, while the other one uses what both hold.
            trimFloor = Long.MAX_VALUE;
        }
        long last = lease.lastIssued();
        long afterLast =
                last == Lease.SEALED ? 0 : Positions.of(context.layout()).tick(last) + 1;
        Mark trimmed = Mark.next(
                mark.pairs(),
                Math.min(mark.limit(), Math.max(trimFloor, afterLast)),
                "free-" + RandomToken.random(context.platform()),
                0,
                mark.from(),
                context.rawTime(),
                context.layout(),
                context.platform().randomLong());
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            CasResult result = context.coordinator()
                    .release(
                            workerId,
                            stored,
                            trimmed.value(),
                            owner,
                            context.namespace().meta().stored(),
                            timeout);
            if (result instanceof CasResult.Unknown unknown) {
                throw unknown.cause();
            }
            if (result instanceof CasResult.Applied
                    || (result instanceof CasResult.Rejected rejected && isTrimmed(rejected, trimmed))) {
                return true;
            }
            if (isSuperseded()) {
                return false;
            }
        }
        throw new CoordinatorException("its release keeps being rejected", false);
    }

    /** Whether the release was applied after all. It may be the last call to show that the coordinator lost data. */
    private boolean isTrimmed(CasResult.Rejected rejected, Mark trimmed) {
        Slot slot = rejected.seen();
        if (slot != null && slot.mark() != null && slot.mark().value().equals(trimmed.value())) {
            return true;
        }
        context.namespace().noteSeen(rejected.meta());
        Stored seen = requireMark(slot);
        if (seen.value().equals(stored.value())) {
            // Only the namespace's record has changed, as when a process with a longer window joins.
            stored = seen;
        } else if (isShared() && Mark.limitOf(seen) >= 0) {
            throw new CoordinatorException("a copy of this process has changed its mark", false);
        } else {
            requireLawfulTakeover(seen);
            standing = Standing.SUPERSEDED;
        }
        return false;
    }

    private Stored requireMark(@Nullable Slot seen) {
        if (seen == null || seen.mark() == null) {
            throw context.namespace().regressed("lost the mark of worker id " + workerId, Namespace.OLD_DATA);
        }
        return seen.mark();
    }

    /** Lets go of the owner entry and leaves the mark as it is. Never throws. */
    public void abandon(Duration timeout) {
        context.coordinator().abandon(workerId, owner, timeout);
    }

    /** As {@link #abandon}, and ends the notes: no process may take over either. */
    public void forget(Duration timeout) {
        boolean unused = file.end();
        leaveNotes();
        abandon(timeout);
    }
}
