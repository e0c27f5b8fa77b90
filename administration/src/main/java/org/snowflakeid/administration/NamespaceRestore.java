// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.administration;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.administration.NamespaceRefusedException.Reason;
import org.snowflakeid.config.LayoutAdvice;
import org.snowflakeid.config.Quoted;
import org.snowflakeid.records.NamespaceRecord;
import org.snowflakeid.records.NamespaceState;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Stored;

/**
 * Replaces a namespace in its place, after its coordinator lost what it had acknowledged or it was edited, so that no id of the new equals one of the
 * old. From {@link NamespaceAdministration#prepareRestore}; for one thread at a time.
 *
 * <h2>How it works</h2>
 *
 * <ol>
 *   <li><b>Retire</b>: compare-and-set the record to {@code state=retired}. Every write of a mark compares the record, so from
 *       here on no mark changes and nothing more is granted under the old one. (No record at all does the same, but any process might
 *       create one; so a retired one is written.)
 *   <li><b>Read</b> the record and all marks. The marks say, now and later, what was granted, except for what was lost.
 *   <li><b>Replace</b>: compare-and-set exactly the retired record to a fresh id and a floor above it all
 *       ({@link NamespaceFloor}).
 * </ol>
 *
 * In the other order an extension between reading and replacing would be granted above the floor (the model {@code Move} finds
 * the duplicate in nine steps).
 *
 * <h2>Interrupted, repeated, at the same time</h2>
 *
 * A record that is retired already is taken as it is. The bytes that replace it are unique (a fresh id each time), so that a late copy of an earlier
 * write changes nothing. Of two operators at once one sees the other's record and stops, also where there was none when both looked: what an operator
 * writes names what it takes the place of. Accepting a doubt covers only what was seen: each look is compared with the one before it ({@link
 * Doubts}). A namespace that moved is not restored: its ids go on elsewhere.
 */
public final class NamespaceRestore {

    private static final int ATTEMPTS = 10;

    private final NamespacePlace place;
    private final Look prepared;

    NamespaceRestore(NamespacePlace place) {
        this.place = place;
        this.prepared = look();
    }

    /** One view of the namespace, and what follows from it, none of which is a reason to refuse. */
    private record Look(NamespaceView view, Doubts doubts, NamespaceFloor bounds, long floor) {}

    /** What has to be accepted, with the reason for people, in the order of the constants. */
    public Map<NamespaceDoubt, String> doubts() {
        return prepared.doubts().reasons();
    }

    /**
     * The ids of the records that doubts are about: of {@link NamespaceDoubt#LOST_SUCCESSOR} the successor, unless an early version did not note it,
     * and of {@link NamespaceDoubt#RESERVED_RECORD} the reservation. Compare them if a doubt is accepted later than it was shown: it may be about
     * another record by then.
     */
    public Map<NamespaceDoubt, String> recordsInDoubt() {
        return prepared.doubts().records();
    }

    /** No id of the new namespace is dated before it; by what the coordinator held when this was prepared. */
    public Instant firstIds() {
        return firstIds(prepared);
    }

    private static Instant firstIds(Look look) {
        return look.view().layout().instantOf(look.floor());
    }

    /**
     * Retires the namespace, reads its marks, and replaces it. Blocks for as long as the coordinator takes: at most some 35
     * seconds for each of the two writes and 30 for each read.
     *
     * @param accepted the doubts that the operator has looked into, as they were when this was prepared
     * @return no id of the new namespace is dated before it
     * @throws NamespaceRefusedException if it can't be done, or a doubt is not accepted; the namespace is as it was
     * @throws NamespaceUnfinishedException if it ended half-way; prepare and carry it out again
     * @throws CoordinatorException if the coordinator could not be used; the namespace is as it was
     */
    public Instant carryOut(Set<NamespaceDoubt> accepted) {
        prepared.doubts().requireAccepted(place, accepted);
        NamespaceRecord known = prepared.view().meta();
        Doubts seen = prepared.doubts();
        boolean retired = isRetired(prepared);
        try {
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                Look now = look();
                requireUnchanged(known, now);
                now.doubts().requireAccepted(place, accepted);
                now.doubts().requireNoneNewSince(seen, place);
                seen = now.doubts();
                retired |= isRetired(now);
                if (now.view().state() == NamespaceState.RESTORING) {
                    replace(now);
                    return firstIds(now);
                }
                CasResult result = place.write(now.view().stored(), retiredRecord(now));
                known = result instanceof CasResult.Applied applied
                        ? NamespaceRecord.parse(applied.written())
                        : now.view().meta();
                // Rejected: a process raised its max-window, or a start created the record.
                retired |= !(result instanceof CasResult.Rejected);
                if (result instanceof CasResult.Unknown unknown) {
                    throw unknown.cause();
                }
            }
            throw new CoordinatorException(place.described() + ": the record keeps changing. Try again.", false);
        } catch (SnowflakeException e) {
            throw retired ? new NamespaceUnfinishedException(place, e) : e;
        }
    }

    private static boolean isRetired(Look look) {
        NamespaceState state = look.view().state();
        return state == NamespaceState.RESTORING || state == NamespaceState.MOVING;
    }

    private Look look() {
        NamespaceView view = place.view();
        place.requireRightClock(view);
        place.requireConfiguredLayout(view);
        requireHere(view);
        NamespaceFloor bounds = new NamespaceFloor(place, view);
        return new Look(view, doubts(view, bounds), bounds, bounds.inPlace());
    }

    private void requireHere(NamespaceView view) {
        NamespaceRecord meta = view.meta();
        if (meta != null && meta.state() == NamespaceState.MOVED) {
            throw place.refused(
                    Reason.MOVED,
                    " moved to " + meta.movedTo().orElse("another place") + " (id "
                            + meta.successor().orElse("?")
                            + "): ids go on there, and would repeat here. Restore that one, or move from there to here.");
        }
    }

    /** Allows for what this or another restore does first, to retire the record, and for what processes do. */
    private void requireUnchanged(@Nullable NamespaceRecord was, Look now) {
        NamespaceRecord is = now.view().meta();
        if (was == null ? isWrittenByAnotherOperator(is) : !isOfSame(was, is)) {
            throw place.changed(now.view().stored());
        }
    }

    /** For where no record could be read: one that a start creates takes the place of none. */
    private static boolean isWrittenByAnotherOperator(@Nullable NamespaceRecord is) {
        return is != null && is.replaces().isPresent();
    }

    private static boolean isOfSame(NamespaceRecord was, @Nullable NamespaceRecord is) {
        return is != null
                && is.id().equals(was.id())
                && (is.state() == was.state() || is.state() == NamespaceState.RESTORING);
    }

    private String retiredRecord(Look now) {
        NamespaceRecord meta = now.view().meta();
        if (meta == null) {
            Stored unwritten = new Stored(
                    NamespaceRecord.create(
                            place.freshId(),
                            now.view().layout(),
                            place.settings().window(),
                            0,
                            Instant.ofEpochMilli(now.view().clockMillis())),
                    0);
            meta = NamespaceRecord.parse(unwritten);
        }
        return meta.retired();
    }

    private void replace(Look frozen) {
        NamespaceRecord retired = frozen.view().meta();
        if (retired == null) {
            throw new IllegalStateException("not retired: " + frozen.view());
        }
        String id = place.freshId();
        CasResult result = place.write(
                retired.stored(), retired.restored(id, frozen.bounds().longestWindow(), frozen.floor()));
        if (result instanceof CasResult.Unknown unknown) {
            throw unknown.cause();
        }
        if (result instanceof CasResult.Rejected rejected && !isOf(id, rejected.meta())) {
            throw place.changed(rejected.meta());
        }
    }

    /** Whether our write was applied and its answer lost; a process may have raised the max-window since. */
    private static boolean isOf(String id, @Nullable Stored seen) {
        try {
            return seen != null && NamespaceRecord.parse(seen).id().equals(id);
        } catch (IllegalArgumentException unreadable) {
            return false;
        }
    }

    // ---- doubts

    private static Doubts doubts(NamespaceView view, NamespaceFloor bounds) {
        Doubts found = new Doubts();
        Stored stored = view.stored();
        NamespaceRecord meta = view.meta();
        String layout = LayoutAdvice.describe(view.layout());
        switch (view.state()) {
            case ABSENT ->
                found.add(
                        NamespaceDoubt.LOST_RECORD,
                        Set.of(),
                        "There is no record. If the namespace was never here, or moved, ids would repeat: look whether this"
                                + " is the right coordinator. A record with "
                                + layout + " is written, which must be what it had.");
            case UNREADABLE ->
                found.add(
                        NamespaceDoubt.UNREADABLE_RECORD,
                        Set.of(stored == null ? "" : stored.value()),
                        "The record " + Quoted.of(stored == null ? "" : stored.value()) + " can't be read: "
                                + Quoted.plain(view.unreadable())
                                + ". If a newer version wrote it, use that version's command; if the namespace moved, ids"
                                + " would repeat. It is replaced, with "
                                + layout + ", which must be what it had.");
            case RESERVED ->
                found.addOfRecord(
                        NamespaceDoubt.RESERVED_RECORD,
                        Optional.ofNullable(meta).map(NamespaceRecord::id),
                        "The record" + (meta == null ? "" : " (id " + meta.id() + ")")
                                + " is reserved for the namespace with id "
                                + (meta == null ? "?" : meta.replaces().orElse("?"))
                                + ", which is to move here. Unless that move was finished and the coordinator forgot it, ids"
                                + " would repeat: finish the move instead.");
            case MOVING -> {
                if (meta != null) {
                    found.addOfRecord(NamespaceDoubt.LOST_SUCCESSOR, meta.successor(), lostSuccessor(meta));
                }
            }
            case ACTIVE, RESTORING, MOVED -> {}
        }
        Map<Integer, Long> farAhead = bounds.limitsFarAhead();
        if (!farAhead.isEmpty()) {
            // Not their limits: the process whose clock is wrong goes on to raise them.
            found.add(
                    NamespaceDoubt.FAR_AHEAD_MARKS,
                    farAhead.keySet(),
                    farAhead.size() + " worker ids are reserved far ahead, up to "
                            + view.layout().instantOf(Collections.max(farAhead.values()))
                            + ", by a process whose clock was wrong. They stay out of use until then;"
                            + " covering them too would put off all others.");
        }
        return found;
    }

    private static String lostSuccessor(NamespaceRecord meta) {
        return "A move to " + meta.movedTo().orElse("another place")
                + meta.successor().map(id -> " (id " + id + ")").orElse("")
                + " was begun. If the namespace is in use there, or that move is about to be finished, ids would repeat:"
                + " finish the move instead.";
    }
}
