// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.claim;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.NoFreeWorkerIdException;
import org.snowflakeid.Platform;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.claim.SlotChoice.Candidate;
import org.snowflakeid.config.Settings;
import org.snowflakeid.config.SnowflakeKeys;
import org.snowflakeid.lease.VettedClock;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.OwnerEntry;
import org.snowflakeid.records.RandomToken;
import org.snowflakeid.records.Reach;
import org.snowflakeid.records.RecordLine;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;

/** Claims a worker id: one that can be used at once if there is one, else one that soon can. */
public final class SlotClaimer {

    private final Settings settings;
    private final SnowflakeLayout layout;
    private final ClaimContext context;
    private final WorkerCoordinator coordinator;
    private final Namespace namespace;
    private final SlotReader reader;
    private final VettedClock clock;
    private final Platform platform;
    private final BooleanSupplier stopping;

    /** Why a claim was not applied; null if worker ids were merely taken. */
    private @Nullable CoordinatorException lastFailure;

    public SlotClaimer(ClaimContext context, SlotReader reader, BooleanSupplier stopping) {
        this.settings = context.settings();
        this.layout = settings.layout();
        this.context = context;
        this.coordinator = context.coordinator();
        this.namespace = context.namespace();
        this.reader = reader;
        this.clock = context.clock();
        this.platform = context.platform();
        this.stopping = stopping;
    }

    /**
     * @param used whether a worker id is in use here already
     * @param firstTick the claim begins there or later
     * @param horizon how far ahead of the clock a claim may begin, in ticks: a generator that once believed a wrong clock must not carry that time to
     *     another worker id
     * @param lead how far ahead of the clock ids may begin, in ticks
     * @param atOnce whether there are no ids until the claim has begun
     */
    public record Terms(IntPredicate used, long firstTick, long horizon, long lead, boolean atOnce) {}

    /**
     * @param firstPage slots already read; null: none
     * @throws NoFreeWorkerIdException if none is available now
     */
    public Claim claim(@Nullable Snapshot firstPage, Terms terms) {
        lastFailure = null;
        Snapshot page = firstPage != null ? firstPage : page();
        if (page.meta() != null) {
            // If no worker id is free nothing is written, and so no rejection shows that the namespace moved.
            namespace.noteSeen(page.meta());
        }
        List<Slot> slots = new ArrayList<>(page.slots());
        Claim claimed = claimNow(slots, terms);
        if (claimed == null && !reader.isAll(page)) {
            slots = new ArrayList<>(reader.all().slots());
            claimed = claimNow(slots, terms);
        }
        if (claimed == null) {
            claimed = claimFirst(slots, terms, true);
        }
        CoordinatorException failure = lastFailure;
        if (claimed == null && failure != null) {
            throw failure;
        }
        if (claimed == null) {
            throw new NoFreeWorkerIdException("no worker id of namespace '" + settings.namespace() + "' is free: "
                    + choice(terms).describe(slots) + ". Stop idle instances, widen "
                    + settings.nameOf(SnowflakeKeys.WORKER_IDS) + ", or wait.");
        }
        return claimed;
    }

    /** As {@link #claim}, but only a worker id usable at once, before {@code awaited}, the tick that ids wait for; else null. */
    @Nullable
    public Claim claimSooner(@Nullable Snapshot firstPage, Terms terms, long awaited) {
        if (Math.max(clock.vettedTick(), floor(terms)) >= awaited) {
            return null;
        }
        lastFailure = null;
        Snapshot page = firstPage != null ? firstPage : page();
        Claim claimed = claimNow(new ArrayList<>(page.slots()), terms);
        if (claimed == null && !reader.isAll(page)) {
            claimed = claimNow(new ArrayList<>(reader.all().slots()), terms);
        }
        CoordinatorException failure = lastFailure;
        if (claimed == null && failure != null) {
            throw failure;
        }
        return claimed;
    }

    /** Also compares the clock: without a worker id to extend, it has not been compared for a while. */
    private Snapshot page() {
        long asked = platform.nanoTime();
        Snapshot page = reader.page();
        context.compareClock(page.serverTime(), asked);
        return page;
    }

    private long floor(Terms terms) {
        return Math.max(namespace.meta().floor(), terms.firstTick());
    }

    private SlotChoice choice(Terms terms) {
        return new SlotChoice(clock.vettedTick(), settings.maxSkew().toMillis(), terms.horizon(), platform);
    }

    private @Nullable Claim claimNow(List<Slot> slots, Terms terms) {
        boolean tooEarly = terms.atOnce() && floor(terms) > clock.vettedTick() + terms.lead();
        return tooEarly ? null : claimFirst(slots, terms, false);
    }

    /** Tries slots until one is ours or none is left; what a rejection shows of a slot replaces what was read. */
    private @Nullable Claim claimFirst(List<Slot> slots, Terms terms, boolean ahead) {
        for (int attempts = 2 * slots.size() + 10; attempts > 0 && !stopping.getAsBoolean(); attempts--) {
            Optional<Candidate> candidate =
                    ahead ? choice(terms).usableSoon(slots) : choice(terms).usableNow(slots);
            if (candidate.isEmpty()) {
                return null;
            }
            Slot slot = candidate.get().slot();
            if (terms.used().test(slot.workerId())) {
                slots.remove(slot);
                continue;
            }
            Claim claimed = tryClaim(candidate.get(), slots, terms);
            if (claimed != null) {
                return claimed;
            }
        }
        return null;
    }

    private @Nullable Claim tryClaim(Candidate candidate, List<Slot> slots, Terms terms) {
        int id = candidate.slot().workerId();
        long now = clock.vettedTick();
        long from = Math.max(Math.max(now, candidate.limit()), floor(terms));
        if (from > now + terms.horizon()) {
            throw new NoFreeWorkerIdException(
                    "a claim would begin at " + layout.instantOf(from) + ", more than a window"
                            + " ahead of the clock (" + layout.instantOf(now) + "), because of "
                            + (from == namespace.meta().floor()
                                    ? "the floor of the namespace, which was restored, moved or created anew. It goes on by"
                                            + " itself then."
                                    : "ids issued while the clock was wrong. Wait until then, or restart with a right"
                                            + " clock."));
        }
        long window = Math.min(settings.window().toMillis(), Reach.FIRST_WINDOW.toMillis());
        long limit = Math.min(from + window, context.lastTick());
        if (limit <= from) {
            String end = "the " + settings.endOfTimestamps();
            // Worker ids in use go on as far as they are granted.
            throw terms.atOnce() ? new InvalidSettingsException(List.of(end)) : new NoFreeWorkerIdException(end);
        }
        String token = RandomToken.random(platform);
        Instant at = context.rawTime();
        RecordLine earlier = candidate.earlier() == null
                ? RecordLine.NONE
                : candidate.earlier().pairs();
        Mark mark = Mark.next(earlier, limit, token, 0, from, at, layout, platform.randomLong());
        String owner = OwnerEntry.value(token, at, platform.process());

        CasResult result = context.write(() -> coordinator.claim(
                id,
                candidate.slot().mark(),
                mark.value(),
                owner,
                candidate.evict(),
                namespace.meta().stored(),
                reader.timeout()));
        if (result instanceof CasResult.Applied applied) {
            return claimed(id, owner, candidate.limit(), mark, applied.written(), applied.ownerHeld());
        }
        slots.remove(candidate.slot());
        if (result instanceof CasResult.Rejected rejected) {
            namespace.noteSeen(rejected.meta());
            Slot seen = rejected.seen();
            if (seen != null && seen.mark() != null && seen.mark().value().equals(mark.value())) {
                return claimed(id, owner, candidate.limit(), mark, seen.mark(), owner.equals(seen.owner()));
            }
            if (seen != null) {
                slots.add(seen);
            }
            return null;
        }
        return readBack(id, owner, candidate.limit(), mark, ((CasResult.Unknown) result).cause());
    }

    /** The claim was sent, and its outcome is unknown. */
    @SuppressWarnings("ReferenceEquality") // One and the same exception can't suppress itself.
    private @Nullable Claim readBack(int id, String owner, long limitFound, Mark mark, CoordinatorException cause) {
        // The interrupt that ended the claim must not end this too: what was claimed has to be released.
        if (stopping.getAsBoolean()) {
            Thread.interrupted();
        }
        Snapshot read;
        try {
            read = coordinator.read(id, id, reader.timeout());
        } catch (RuntimeException stillUnknown) {
            if (stillUnknown != cause) {
                cause.addSuppressed(stillUnknown);
            }
            coordinator.abandon(id, owner, reader.timeout());
            throw cause;
        }
        Slot seen = read.slots().get(0);
        if (seen.mark() != null && seen.mark().value().equals(mark.value())) {
            // Where records are written one by one, a late write still counts, if the namespace is in use after it.
            namespace.noteSeen(read.meta());
            return claimed(id, owner, limitFound, mark, seen.mark(), owner.equals(seen.owner()));
        }
        coordinator.abandon(id, owner, reader.timeout());
        if (lastFailure != null) {
            // Claims fail though reads are answered. Trying each worker id would take longer than a start may.
            throw cause;
        }
        lastFailure = cause;
        return null;
    }

    private Claim claimed(int id, String owner, long limitFound, Mark mark, Stored stored, boolean ownerHeld) {
        return new Claim(context, id, owner, limitFound, mark, stored, ownerHeld);
    }
}
