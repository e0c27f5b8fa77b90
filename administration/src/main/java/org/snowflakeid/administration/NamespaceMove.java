// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.administration;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.administration.NamespaceRefusedException.Reason;
import org.snowflakeid.config.LayoutAdvice;
import org.snowflakeid.records.NamespaceRecord;
import org.snowflakeid.records.NamespaceState;
import org.snowflakeid.spi.CasResult;

/**
 * Lets a namespace go on elsewhere, at another coordinator, under another name or with another layout, so that no id of the new equals one of the
 * old. From {@link NamespaceAdministration#prepareMove}; for one thread at a time.
 *
 * <h2>How it works</h2>
 *
 * Each step is one compare-and-set on one of the two records, and leads from one {@link Stage} to the next:
 *
 * <ol>
 *   <li><b>Reserve</b> the new place: a record with a fresh id and {@code state=reserved}. No process claims under it.
 *   <li><b>Retire</b> the old record: {@code state=retired}, with {@code successor=} that id. Every write of a mark compares the
 *       record, so from here on no mark changes and nothing more is granted under the old one.
 *   <li><b>Put in use</b>: read the old record and all marks, after that, and make exactly the reserved record active, with a floor above it all
 *       ({@link NamespaceFloor}).
 *   <li><b>Note</b> in the old record that it moved: {@code state=moved}.
 * </ol>
 *
 * Reading before retiring would let an extension in between be granted above the floor (the model {@code Move} finds the
 * duplicate in nine steps).
 *
 * <h2>Why there is one successor</h2>
 *
 * Several places may have the same name: a coordinator and a namespace on another server, or on the same one after it was wiped. Such places can be
 * distinguished only by the id that was drawn for each. The old record names one id, once; only a record with that id is ever put in use for it; and
 * a record with that id was written at one place, before the old one named it. So a second successor is refused, wherever it is asked for (the model
 * {@code MoveTwice}; with only the place noted, or the id noted but not reserved, it finds the duplicate).
 *
 * <h2>Interrupted, repeated, at the same time</h2>
 *
 * What is next follows from what the two records say, never from what this object did. So a repeated move goes on where the last one ended, two
 * operators at once do the same steps together, a late copy of an earlier write finds other bytes than it expects, and a finished move can be asked
 * for again without effect. The way back is a move of its own, to a place whose record says that it moved. Accepting a doubt covers only what was
 * seen: each look is compared with the one before it ({@link Doubts}), so that accepting the loss of one successor does not cover another.
 */
public final class NamespaceMove {

    /** How far a move has come, by what the records of both places say. */
    public enum Stage {
        /** Nothing was written. */
        NOT_BEGUN,
        /** The new place is kept for it; the old namespace is in use. */
        RESERVED,
        /** The old namespace is retired, the new one is not in use yet. */
        RETIRED,
        /** The new namespace is in use; the old record does not say so yet. */
        IN_USE,
        /** Nothing is left to be done. */
        FINISHED
    }

    /** Four steps, and as many again for what processes and other operators write in between. */
    private static final int ATTEMPTS = 12;

    private final NamespacePlace old;
    private final NamespacePlace place;
    private final Look prepared;

    NamespaceMove(NamespacePlace old, NamespacePlace place) {
        this.old = old;
        this.place = place;
        this.prepared = look();
    }

    /**
     * Both places, and what follows from them, none of which is a reason to refuse. The old one is read first: a record there that names its
     * successor does not change while the other is read.
     *
     * @param floor what the new namespace has, or would get now
     */
    private record Look(
            Stage stage, NamespaceView before, NamespaceRecord from, NamespaceView there, Doubts doubts, long floor) {}

    /** How far it had come when this was prepared. */
    public Stage stage() {
        return prepared.stage();
    }

    /** What has to be accepted, with the reason for people, in the order of the constants. */
    public Map<NamespaceDoubt, String> doubts() {
        return prepared.doubts().reasons();
    }

    /** The ids of the records that doubts are about: {@link NamespaceRestore#recordsInDoubt}. */
    public Map<NamespaceDoubt, String> recordsInDoubt() {
        return prepared.doubts().records();
    }

    /** No id of the new namespace is dated before it; by what the coordinators held when this was prepared. */
    public Instant firstIds() {
        return firstIds(prepared);
    }

    private Instant firstIds(Look look) {
        return place.settings().layout().instantOf(look.floor());
    }

    /**
     * Does the steps that are left. Blocks for as long as the coordinators take: at most some 35 seconds for each of the four
     * writes and 30 for each read.
     *
     * @param accepted the doubts that the operator has looked into, as they were when this was prepared
     * @return no id of the new namespace is dated before it
     * @throws NamespaceRefusedException if it can't be done, or a doubt is not accepted; the old namespace is as it was
     * @throws NamespaceUnfinishedException if it ended half-way; prepare and carry it out again
     * @throws CoordinatorException if a coordinator could not be used; the old namespace is as it was. The new place may be
     *     reserved: the same move takes that up
     */
    public Instant carryOut(Set<NamespaceDoubt> accepted) {
        prepared.doubts().requireAccepted(old, accepted);
        Doubts seen = prepared.doubts();
        boolean retired = isRetired(prepared);
        boolean seenRetired = retired;
        try {
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                Look now = look();
                if (isRetired(now) && !seenRetired) {
                    // The marks may have been read before it was, and lack what was claimed until then.
                    seenRetired = true;
                    retired = true;
                    continue;
                }
                requireUnchanged(now);
                now.doubts().requireAccepted(old, accepted);
                now.doubts().requireNoneNewSince(seen, old);
                seen = now.doubts();
                retired |= isRetired(now);
                if (now.stage() == Stage.FINISHED) {
                    return firstIds(now);
                }
                CasResult result = step(now);
                // Rejected: the record changed. Look again to see where that leads.
                retired |= now.stage() == Stage.RESERVED && !(result instanceof CasResult.Rejected);
                if (result instanceof CasResult.Unknown unknown) {
                    throw unknown.cause();
                }
                if (now.stage() == Stage.RESERVED && result instanceof CasResult.Applied) {
                    seenRetired = true;
                    // Another successor is named now. If an operator names the lost one again, that doubt is a new one.
                    seen = seen.without(Set.of(NamespaceDoubt.LOST_SUCCESSOR));
                }
            }
            throw new CoordinatorException(old.described() + ": the record keeps changing. Try again.", false);
        } catch (SnowflakeException e) {
            throw retired ? new NamespaceUnfinishedException(old, e) : e;
        }
    }

    private static boolean isRetired(Look look) {
        return look.from().state() != NamespaceState.ACTIVE;
    }

    private CasResult step(Look now) {
        NamespaceRecord from = now.from();
        NamespaceRecord to = now.there().meta();
        if (now.stage() == Stage.NOT_BEGUN) {
            return place.write(now.there().stored(), reservedRecord(now));
        }
        if (to == null) {
            throw new IllegalStateException("no record to go on with: " + now.there());
        }
        return switch (now.stage()) {
            case RESERVED -> old.write(from.stored(), from.retired(place.address(), to.id()));
            case RETIRED -> place.write(to.stored(), to.inUse(place.settings().window(), now.floor()));
            default -> old.write(from.stored(), from.moved(from.successor().orElse(to.id())));
        };
    }

    /** It keeps the floor of an earlier namespace in that place. */
    private String reservedRecord(Look now) {
        return NamespaceRecord.reserved(
                NamespaceRecord.create(
                        place.freshId(),
                        place.settings().layout(),
                        place.settings().window(),
                        now.there().floor(),
                        Instant.ofEpochMilli(now.there().clockMillis())),
                now.from().id());
    }

    // ---- how far it has come

    private Look look() {
        NamespaceView before = old.view();
        NamespaceView there = place.view();
        old.requireConfiguredLayout(before);
        NamespaceRecord from = requireRecord(before);
        Stage stage = stage(from, there);
        if (stage == Stage.IN_USE || stage == Stage.FINISHED) {
            return new Look(stage, before, from, there, Doubts.NONE, there.floor());
        }
        old.requireRightClock(before);
        place.requireRightClock(there);
        long floor = new NamespaceFloor(old, before).elsewhere(place, there);
        return new Look(stage, before, from, there, doubts(stage, from, before), floor);
    }

    private NamespaceRecord requireRecord(NamespaceView before) {
        NamespaceRecord from = before.meta();
        if (from == null) {
            throw old.refused(
                    Reason.NO_RECORD,
                    (before.stored() == null ? " has no record" : " has an unreadable record")
                            + ". Restore it first, if it ever had one.");
        }
        return from;
    }

    private void requireUnchanged(Look now) {
        if (!now.from().id().equals(prepared.from().id())) {
            throw old.changed(now.from().stored());
        }
    }

    private Stage stage(NamespaceRecord from, NamespaceView there) {
        NamespaceRecord to = there.meta();
        if (to != null && isSuccessorInUse(from, to)) {
            requireSameLayout(to);
            return from.state() == NamespaceState.MOVED ? Stage.FINISHED : Stage.IN_USE;
        }
        if (from.state() == NamespaceState.MOVED) {
            throw old.refused(Reason.MOVED, movedElsewhere(from, to));
        }
        if (from.state() == NamespaceState.RESERVED) {
            throw old.refused(
                    Reason.RESERVED,
                    " is reserved for the namespace with id " + from.replaces().orElse("?")
                            + ", which is to move here. Finish that move.");
        }
        if (to == null) {
            requireEmpty(there);
            return Stage.NOT_BEGUN;
        }
        if (to.id().equals(from.id())) {
            throw place.refused(
                    Reason.SAME_NAMESPACE,
                    " has the same record as " + old.described()
                            + ": it is the same place, or a copy of it. Move to another snowflake.namespace, or restore.");
        }
        requireFree(from, to);
        requireSameLayout(to);
        if (from.successor().filter(to.id()::equals).isPresent()) {
            return Stage.RETIRED;
        }
        boolean forThis = to.state() == NamespaceState.RESERVED
                && to.replaces().filter(from.id()::equals).isPresent();
        return forThis ? Stage.RESERVED : Stage.NOT_BEGUN;
    }

    /** Whether its successor was put in use there; it may have been restored or moved since. */
    private static boolean isSuccessorInUse(NamespaceRecord from, NamespaceRecord to) {
        if (to.state() == NamespaceState.RESERVED
                || (from.state() != NamespaceState.MOVING && from.state() != NamespaceState.MOVED)) {
            return false;
        }
        Optional<String> successor = from.successor();
        if (successor.isEmpty()) {
            // Early versions noted only in the new record what it took the place of.
            return to.replaces().filter(from.id()::equals).isPresent();
        }
        return successor.get().equals(to.id()) || successor.equals(to.replaces());
    }

    private String movedElsewhere(NamespaceRecord from, @Nullable NamespaceRecord to) {
        String id = from.successor().orElse("?");
        return " moved to " + from.movedTo().orElse("another place") + " (id " + id + "), "
                + (to != null && to.id().equals(id)
                        ? "which is only reserved now: the coordinator there lost data. Restore it there."
                        : "which is not at " + place.address() + " as configured here"
                                + (to == null ? "" : " (id " + to.id() + ")")
                                + ": ids go on there, and would repeat here. If that one lost its data, restore it in its"
                                + " place. To come back, move from there to here.");
    }

    // ---- the place it moves to

    private void requireEmpty(NamespaceView there) {
        if (there.stored() != null || there.hasMarks()) {
            throw place.refused(
                    Reason.PLACE_TAKEN,
                    " has "
                            + (there.stored() != null ? "an unreadable record" : "marks of worker ids but no record")
                            + ". Move to another snowflake.namespace.");
        }
    }

    private void requireFree(NamespaceRecord from, NamespaceRecord to) {
        switch (to.state()) {
            case RESERVED -> requireReservedForThis(from, to);
            case RESTORING ->
                throw place.refused(
                        Reason.PLACE_UNFINISHED,
                        " is retired, but did not move: a restore was interrupted. Finish that first.");
            case MOVING -> requireMoveAwayFinished(from, to);
            case MOVED -> {}
            default ->
                throw place.refused(
                        Reason.PLACE_TAKEN,
                        " is in use. Two namespaces can't become one: move to another snowflake.namespace.");
        }
    }

    private void requireReservedForThis(NamespaceRecord from, NamespaceRecord to) {
        // The namespace that this one took the place of is gone, and its move will never be finished.
        boolean freed = to.replaces().equals(from.replaces());
        if (!freed && to.replaces().filter(from.id()::equals).isEmpty()) {
            throw place.refused(
                    Reason.PLACE_TAKEN,
                    " is reserved for the namespace with id " + to.replaces().orElse("?")
                            + ", which is to move there. Finish that move, or move to another snowflake.namespace.");
        }
    }

    /** If this namespace goes back to where it came from, the move away from there was finished, noted or not. */
    private void requireMoveAwayFinished(NamespaceRecord from, NamespaceRecord to) {
        boolean finished = to.successor().isPresent()
                ? to.successor().filter(from.id()::equals).isPresent()
                        || to.successor().equals(from.replaces())
                : from.replaces().filter(to.id()::equals).isPresent();
        if (!finished) {
            throw place.refused(
                    Reason.PLACE_UNFINISHED,
                    " is itself moving to " + to.movedTo().orElse("another place")
                            + ". Finish that move first, or move to another snowflake.namespace.");
        }
    }

    private void requireSameLayout(NamespaceRecord to) {
        if (!to.layout().equals(place.settings().layout())) {
            throw place.refused(
                    Reason.OTHER_LAYOUT,
                    " was created with " + LayoutAdvice.describe(to.layout()) + ", but configured is "
                            + LayoutAdvice.describe(place.settings().layout())
                            + ". Move to another snowflake.namespace.");
        }
    }

    // ---- doubts

    private Doubts doubts(Stage stage, NamespaceRecord from, NamespaceView before) {
        Doubts found = new Doubts();
        if (from.state() == NamespaceState.MOVING && stage != Stage.RETIRED) {
            found.addOfRecord(
                    NamespaceDoubt.LOST_SUCCESSOR,
                    from.successor(),
                    "A move to " + from.movedTo().orElse("another place")
                            + from.successor()
                                    .map(id -> " was begun, to the namespace with id " + id + ", which is not at "
                                            + place.address() + " as configured here.")
                                    .orElse(
                                            " was begun by an early version, which did not note the id of its successor.")
                            + " If that successor is in use anywhere, or that move is about to be finished, ids would"
                            + " repeat: finish that move, or use that successor.");
        }
        List<Integer> unreadable = before.workerIdsWithUnreadableMarks();
        if (!unreadable.isEmpty()) {
            found.add(
                    NamespaceDoubt.UNREADABLE_MARKS,
                    unreadable,
                    "The marks of worker ids " + unreadable
                            + " can't be read. What they granted is taken to end as what a right clock grants.");
        }
        return found;
    }
}
