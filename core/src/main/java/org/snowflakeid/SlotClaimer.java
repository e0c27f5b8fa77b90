// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SlotChoice.Candidate;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;

/** Claims a worker id: one that can be used at once if there is one, else one that soon can. */
final class SlotClaimer {

    static final Duration FIRST_WINDOW = Duration.ofSeconds(10);

    private final SnowflakeSettings settings;
    private final SnowflakeLayout layout;
    private final WorkerCoordinator coordinator;
    private final Namespace namespace;
    private final SlotReader reader;
    private final VettedClock clock;
    private final Platform platform;
    private final BooleanSupplier stopping;

    SlotClaimer(
            SnowflakeSettings settings,
            WorkerCoordinator coordinator,
            Namespace namespace,
            SlotReader reader,
            VettedClock clock,
            Platform platform,
            BooleanSupplier stopping) {
        this.settings = settings;
        this.layout = settings.layout();
        this.coordinator = coordinator;
        this.namespace = namespace;
        this.reader = reader;
        this.clock = clock;
        this.platform = platform;
        this.stopping = stopping;
    }

    /**
     * @param present what this generator issues from now; not claimed again unless it was taken over
     * @param highestTick the highest tick this generator ever issued, -1 if none: it begins above
     * @param horizon how far ahead of the clock a claim may begin, in ticks: one that once believed a wrong clock must not
     *     spread it
     * @param lead how far ahead of the clock ids may begin, in ticks
     */
    record Terms(@Nullable Claim present, long highestTick, long horizon, long lead) {}

    /**
     * @param firstPage slots already read; null: none
     * @throws NoFreeWorkerIdException if there is none to be had now
     */
    Claim claim(@Nullable Snapshot firstPage, Terms terms) {
        Snapshot page = firstPage != null ? firstPage : reader.page();
        List<Slot> slots = new ArrayList<>(page.slots());
        Claim claimed = claimNow(slots, terms);
        if (claimed == null && !reader.isAll(page)) {
            slots = new ArrayList<>(reader.all().slots());
            claimed = claimNow(slots, terms);
        }
        if (claimed == null) {
            claimed = claimFirst(slots, terms, true);
        }
        if (claimed == null) {
            throw new NoFreeWorkerIdException("no worker id of namespace '" + settings.namespace() + "' is free: "
                    + choice(terms).describe(slots) + ". Stop idle instances, widen snowflake.worker-ids, or wait.");
        }
        return claimed;
    }

    private long floor(Terms terms) {
        return Math.max(namespace.meta().floor(), terms.highestTick() + 1);
    }

    private SlotChoice choice(Terms terms) {
        return new SlotChoice(clock.tick(), settings.maxSkew().toMillis(), terms.horizon(), platform);
    }

    private @Nullable Claim claimNow(List<Slot> slots, Terms terms) {
        boolean tooEarly = terms.present() == null && floor(terms) > clock.tick() + terms.lead();
        return tooEarly ? null : claimFirst(slots, terms, false);
    }

    /** Tries slots until one is ours or none is left; what is seen of a slot that was lost replaces what was believed. */
    private @Nullable Claim claimFirst(List<Slot> slots, Terms terms, boolean ahead) {
        for (int attempts = 2 * slots.size() + 10; attempts > 0 && !stopping.getAsBoolean(); attempts--) {
            Optional<Candidate> candidate =
                    ahead ? choice(terms).usableSoon(slots) : choice(terms).usableNow(slots);
            if (candidate.isEmpty()) {
                return null;
            }
            Slot slot = candidate.get().slot();
            Claim mine = terms.present();
            if (mine != null && !mine.takenOver && mine.workerId == slot.workerId()) {
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
                                    ? "the floor of the namespace"
                                    : "ids issued while the clock was wrong")
                            + ". Wait until then, or restart with a right clock.");
        }
        long window = Math.min(settings.window().toMillis(), FIRST_WINDOW.toMillis());
        long limit = Math.min(from + window, layout.lastTick());
        if (limit <= from) {
            throw new InvalidSettingsException(List.of("the timestamps of " + layout + " end at " + layout.exhaustedAt()
                    + ". Use a new namespace with a later epoch."));
        }
        String token = Token.random(platform);
        Instant at = Instant.ofEpochMilli(platform.wallMillis());
        Pairs earlier =
                candidate.earlier() == null ? Pairs.NONE : candidate.earlier().pairs();
        Mark mark = Mark.next(earlier, limit, token, 0, from, at, layout);
        String owner = Owner.value(token, at);

        CasResult result = coordinator.claim(
                id,
                candidate.slot().mark(),
                mark.value(),
                owner,
                candidate.evict(),
                namespace.meta().stored(),
                reader.timeout());
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

    /** The claim was sent, and nothing is known of it. */
    private @Nullable Claim readBack(int id, String owner, long limitFound, Mark mark, CoordinatorException cause) {
        // The interrupt that ended the claim must not end this too: what was claimed has to be released.
        if (stopping.getAsBoolean()) {
            Thread.interrupted();
        }
        try {
            Slot seen = coordinator.read(id, id, reader.timeout()).slots().get(0);
            if (seen.mark() != null && seen.mark().value().equals(mark.value())) {
                return claimed(id, owner, limitFound, mark, seen.mark(), owner.equals(seen.owner()));
            }
        } catch (CoordinatorException stillUnknown) {
            cause.addSuppressed(stillUnknown);
            coordinator.abandon(id, reader.timeout());
            throw cause;
        }
        coordinator.abandon(id, reader.timeout());
        return null;
    }

    private Claim claimed(int id, String owner, long limitFound, Mark mark, Stored stored, boolean ownerHeld) {
        Lease lease = new Lease(id, mark.limit() << layout.sequenceBits());
        return new Claim(id, owner, lease, limitFound, mark, stored, ownerHeld);
    }
}
