// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;

/**
 * A worker id that this generator has claimed: the protocol of its one mark. This is where uniqueness is kept.
 *
 * <h2>Uniqueness</h2>
 *
 * A worker id is never owned; it is <em>granted for a span of ticks</em>. The coordinator holds one mark per worker id whose
 * limit says up to which tick it has been granted, to anybody. Claiming or extending is one compare-and-set on the whole mark
 * that raises the limit; what lies between the old limit and the new is granted to whoever's write was applied, and to nobody
 * else, for ever. A generator issues a tick only below its limit. So two processes can't issue the same tick under the same
 * worker id, however long either was paused, whatever its clock says, and whether or not its lease has expired: nothing of that
 * occurs in the argument. The owner entry, bound to a time to live, only shows others which worker ids not to try.
 *
 * <ul>
 *   <li>The whole value is compared, never the limit alone: it can be lowered at close and raised again. Each write carries random bytes
 *       that no other write ever has.
 *   <li>The bytes of a write are noted before they are sent ({@link #nextWrite}). Until it is known what became of them nothing else is
 *       sent for this worker id, whatever ended the call: an answer that was lost, an exception, an error. The same bytes are sent again
 *       until they are applied, or rejected by exactly themselves.
 *   <li>Another's mark that begins at or above our limit is a lawful takeover. One that begins below it, or ends below it, or
 *       no mark at all, proves that the coordinator forgot what it had acknowledged, or that a copy of this process is running: nothing
 *       may be issued any more.
 *   <li>Every write compares the namespace record too, so that a retired or replaced namespace stops its processes.
 *   <li>A mark is lowered only at release, after sealing, to just above the last tick issued, and never below the limit found
 *       at the claim. If the last tick is uncertain, the mark stays as it is: that wastes a little time on one worker id.
 *   <li>A clock that isn't believed raises no mark ({@link VettedClock}).
 * </ul>
 *
 * <h2>Life cycle</h2>
 *
 * {@link SlotClaimer} makes it from an applied claim. It is extended again and again, and its owner entry claimed again if that was lost.
 * Losing the owner entry is no reason to stop: ids are issued up to the limit. It ends in one of three ways: released; taken over by
 * another process, after which ids still go on up to the limit; or left, because a copy of this process may use it too.
 *
 * <h2>Copies</h2>
 *
 * A memory image that is resumed twice gives two processes that know the same grant. Whoever writes the mark first wins; the other finds
 * foreign bytes, since it drew other random ones, and stops. The winner may go on only above the limit both knew
 * ({@link Succession}), and never lowers the mark ({@link #share}).
 *
 * <h2>Threads</h2>
 *
 * Called by the keeper's thread only. What callers see of it is the {@link Lease}. An error at any point leaves a state from which the next
 * call goes on: the lease's limit is raised last.
 */
final class Claim {

    /** Whether others see this worker id as taken, and what that means for it. */
    enum Standing {
        /** The owner entry is there. */
        OWNED,
        /** The owner entry is gone, the mark is ours: to be owned again. */
        NOT_OWNED,
        /** The mark is ours, but another's owner entry is in the way: another worker id is needed. */
        BLOCKED,
        /** Another process was granted what comes after our limit: nothing can be written any more. */
        TAKEN_OVER
    }

    /** What came of a write that was not left unknown. */
    private enum Outcome {
        SETTLED,
        /** Nothing was written, for a reason that is mended now. */
        TO_BE_SENT_AGAIN
    }

    /** What a claim's writes need, beside itself. */
    record Place(
            WorkerCoordinator coordinator,
            Namespace namespace,
            SnowflakeLayout layout,
            Platform platform,
            VettedClock clock) {

        /** A call of the coordinator that writes: whatever is thrown out of it, it may have been applied. */
        static CasResult write(Supplier<CasResult> call) {
            try {
                return call.get();
            } catch (CoordinatorException e) {
                return new CasResult.Unknown(e);
            } catch (Throwable e) {
                boolean permanent = e instanceof Error && !(e instanceof VirtualMachineError);
                return new CasResult.Unknown(new CoordinatorException("the coordinator failed: " + e, e, permanent));
            }
        }

        Instant rawTime() {
            return Instant.ofEpochMilli(platform.wallMillis());
        }
    }

    private static final int ATTEMPTS = 4;

    private final Place place;
    private final int workerId;
    private final String owner;
    private final Lease lease;

    /** The limit found when it was claimed: a trim never goes below it. */
    private final long limitFound;

    /** The mark of the last write that is known to have been applied. */
    private Mark mark;

    /** As the coordinator shows it, to compare with. */
    private Stored stored;

    /** Noted before it was sent, until it is known what became of it. */
    private @Nullable Mark pending;

    private Standing standing;

    /** A copy of this process may be issuing below the limit: the mark must not be trimmed. */
    private boolean shared;

    Claim(Place place, int workerId, String owner, long limitFound, Mark mark, Stored stored, boolean owned) {
        this.place = place;
        this.workerId = workerId;
        this.owner = owner;
        this.limitFound = limitFound;
        this.mark = mark;
        this.stored = stored;
        this.standing = owned ? Standing.OWNED : Standing.NOT_OWNED;
        this.lease = new Lease(workerId, Positions.of(place.layout).first(mark.limit()));
    }

    int workerId() {
        return workerId;
    }

    Lease lease() {
        return lease;
    }

    /** The first tick granted to it. */
    long from() {
        return mark.from();
    }

    /** Exclusive, in ticks. */
    long limit() {
        return mark.limit();
    }

    Standing standing() {
        return standing;
    }

    boolean isTakenOver() {
        return standing == Standing.TAKEN_OVER;
    }

    boolean needsReplacement() {
        return standing == Standing.TAKEN_OVER || standing == Standing.BLOCKED;
    }

    /** Whether a copy of this process may be using it too. */
    boolean isShared() {
        return shared;
    }

    /** Whether a write was sent and it is not known what became of it. */
    boolean isWriteUnderWay() {
        return pending != null;
    }

    // ---- writes

    /**
     * The write to be sent now, for {@link #conclude}: the one whose outcome is not known, or a new one. A limit that is further ahead than
     * wanted, since a clock was wrong, stays; it is written all the same, to find out whether the coordinator still has it.
     *
     * @param windowTicks to be reserved ahead of the clock
     */
    WorkerCoordinator.Extension nextWrite(long windowTicks) {
        Mark next = pending;
        if (next == null) {
            long wanted = Math.min(place.clock.vettedTick() + windowTicks, place.layout.lastTick());
            next = Mark.next(
                    mark.pairs(),
                    Math.max(mark.limit(), wanted),
                    mark.token(),
                    mark.count() + 1,
                    mark.from(),
                    place.rawTime(),
                    place.layout,
                    place.platform.randomLong());
            pending = next;
        }
        return new WorkerCoordinator.Extension(workerId, stored, next.value());
    }

    /** Extends it by a write of its own, and owns it again if need be. */
    void extend(long windowTicks, Duration timeout) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            WorkerCoordinator.Extension write = nextWrite(windowTicks);
            CasResult result = Place.write(() -> place.coordinator.extend(
                    workerId, write.mark(), write.next(), place.namespace.meta().stored(), timeout));
            if (conclude(result) == Outcome.SETTLED) {
                return;
            }
        }
        throw new CoordinatorException("the mark of worker id " + workerId + " keeps being rejected", false);
    }

    /**
     * Draws the conclusion from the answer to one of several writes that were sent together. One that was rejected though nothing stood
     * in its way, since another was in the way of all, is sent again by itself.
     */
    void conclude(CasResult result, long windowTicks, Duration timeout) {
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
        place.namespace.noteSeen(rejected.meta());
        Slot slot = rejected.seen();
        Stored seen = slot == null ? null : slot.mark();
        if (slot == null || seen == null) {
            throw place.namespace.regressed("lost the mark of worker id " + workerId);
        }
        if (seen.value().equals(sent.value())) {
            adopt(sent, seen, owner.equals(slot.owner()));
            return Outcome.SETTLED;
        }
        if (seen.value().equals(stored.value())) {
            stored = seen;
            return Outcome.TO_BE_SENT_AGAIN;
        }
        requireLawfulTakeover(seen);
        standing = Standing.TAKEN_OVER;
        return Outcome.SETTLED;
    }

    private void adopt(Mark written, Stored as, boolean owned) {
        if (owned) {
            standing = Standing.OWNED;
        } else if (standing == Standing.OWNED) {
            standing = Standing.NOT_OWNED;
        }
        mark = written;
        stored = as;
        pending = null;
    }

    private void requireLawfulTakeover(Stored seen) {
        long limit = mark.limit();
        try {
            Mark foreign = Mark.parse(seen);
            if (foreign.limit() >= limit && foreign.from() >= limit) {
                return;
            }
        } catch (IllegalArgumentException unreadable) {
            // as good as lost
        }
        throw place.namespace.regressed("shows for worker id " + workerId + " the mark '" + seen.value()
                + "', though ticks up to " + limit
                + " were granted to this process, which may also mean that a copy of it is running");
    }

    /**
     * Gets the owner entry again, which had expired or was deleted; the mark is still ours.
     *
     * @return whether it was lost and is ours again
     */
    boolean ownAgain(long windowTicks, Duration timeout) {
        if (standing != Standing.NOT_OWNED || pending != null) {
            return false;
        }
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            WorkerCoordinator.Extension write = nextWrite(windowTicks);
            CasResult result = Place.write(() -> place.coordinator.claim(
                    workerId,
                    write.mark(),
                    write.next(),
                    owner,
                    false,
                    place.namespace.meta().stored(),
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

    /** From here on a copy of this process may be issuing below the limit. */
    void share() {
        shared = true;
    }

    // ---- ends

    /**
     * Gives a sealed or never opened claim back, such that others can have it at once.
     *
     * @return whether that is certain; if not, they can after its limit, or it is theirs already
     * @throws RuntimeException as the coordinator does
     */
    boolean release(long windowTicks, Duration timeout) {
        lease.seal();
        if (pending != null) {
            extend(windowTicks, timeout);
        }
        if (isTakenOver()) {
            return false;
        }
        long last = lease.lastIssued();
        long free =
                last == Lease.SEALED ? limitFound : Positions.of(place.layout).tick(last) + 1;
        Mark trimmed = Mark.next(
                mark.pairs(),
                shared ? mark.limit() : free,
                "free-" + Token.random(place.platform),
                0,
                mark.from(),
                place.rawTime(),
                place.layout,
                place.platform.randomLong());
        return place.coordinator.release(
                        workerId,
                        stored,
                        trimmed.value(),
                        place.namespace.meta().stored(),
                        timeout)
                instanceof CasResult.Applied;
    }

    /** Lets go of the owner entry and leaves the mark as it is. Never throws. */
    void abandon(Duration timeout) {
        place.coordinator.abandon(workerId, timeout);
    }
}
