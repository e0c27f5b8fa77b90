// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.NamespaceReport.State;
import org.snowflakeid.OperatedNamespace.View;
import org.snowflakeid.OperatedNamespace.Written;
import org.snowflakeid.spi.Stored;

/**
 * Puts a new namespace in the place of an old one, such that no id of the new equals one of the old: <em>restore</em>, in the
 * same place, after the coordinator lost what it had acknowledged; <em>move</em>, to another coordinator, name or layout.
 *
 * <h2>How it works</h2>
 *
 * <ol>
 *   <li><b>Retire</b>: compare-and-set the record of the old namespace to {@code state=retired}. Every write of a mark compares
 *       the record, so from here on no mark changes and nothing more is granted under the old one. (No record at all does the
 *       same, but anybody might create one; so a retired one is written.)
 *   <li><b>Read</b> all marks. They say, and will go on to say, what was granted, except for what was lost.
 *   <li><b>Replace</b>: compare-and-set the record of the new namespace to a fresh id and a floor above it all. In the same place
 *       this replaces exactly the retired bytes.
 * </ol>
 *
 * In the other order an extension between reading and replacing would be granted above the floor (the model {@code Move} finds
 * the duplicate in ten steps).
 *
 * <h2>Why no id repeats</h2>
 *
 * Claims in the new namespace begin at its floor or later. It remains to be shown that every grant of the old one ends below.
 *
 * <ul>
 *   <li><em>Grants whose marks stand</em> end at their mark, and the floor lies above all of them. This holds for processes that
 *       still run, are cut off, or sleep: they may issue to their limit, with nobody's leave. Those that reach the coordinator
 *       stop earlier, since they see a foreign id at their next extension. No clock occurs in this part.
 *   <li><em>Grants whose marks were lost</em> can only be bounded by time. Each was written before the loss, so before now, and
 *       {@link LeaseKeeper} grants no further than its clock + a window at an extension, and its clock + longest window + burst + first
 *       window at a claim. A burst is at most half a window. Clocks, ours and that process's, are allowed to be wrong
 *       by {@code snowflake.clock.max-skew} each, ours being compared with the coordinator's. So all of them end before now +
 *       longest window + half of it + first window + twice the skew, which the floor does not fall below. The longest window is the
 *       greater one of what the record says (it may have been lost too) and what is configured.
 *   <li><em>Earlier namespaces</em> that this one took the place of end below its floor, hence the new floor is never
 *       lower than the old.
 * </ul>
 *
 * So the floor is max(now + uncertainty, every mark, floor − longest window) + longest window: one window more than what stands asks
 * for, since a mark that is there may be an older one.
 *
 * <p><em>Another layout.</em> Ids are equal only as numbers, so the bound is carried over as a number: the new floor is the first tick
 * whose ids are all greater than every id below the old bound ({@link SnowflakeLayout#firstTickAbove}). Ids then never repeat and
 * sort above all earlier ones. With fewer low bits or a later epoch that tick may lie years ahead; then the move is refused,
 * since until that day the new numbers would run through the old ones again.
 *
 * <p><em>Marks that make no sense, or lie far ahead</em> (a process believed a wrong clock). In the same place a mark still
 * stands when the namespace has been replaced: no claim takes a worker id whose mark can't be read, and none begins below a mark. So
 * both are harmless to what stands; a mark far ahead keeps its worker id out of use until then, instead of the whole namespace
 * ({@link Doubt#FAR_AHEAD_MARKS}). Elsewhere the marks are absent, and the floor must cover them: what can't be read is
 * bounded by time, as if lost ({@link Doubt#UNREADABLE_MARKS}); what lies far ahead is refused.
 *
 * <h2>Interrupted, repeated, at the same time</h2>
 *
 * Each step can be repeated: a retired record is taken as it is, unless it says that it moved elsewhere. The bytes of each write
 * are unique (a fresh id each time; a record is retired once), so that a late copy of an earlier write changes nothing. Of two
 * operators at once one sees the other's record and stops.
 */
public final class NamespaceReplacement {

    /** What is refused unless the operator says otherwise. */
    public enum Doubt {
        /** Restore: marks lie far ahead of the clock. Accepted: their worker ids stay out of use until then. */
        FAR_AHEAD_MARKS,
        /** Move: marks can't be read. Accepted: no clock is taken to have been wrong where they were written. */
        UNREADABLE_MARKS,
        /** Restore: the record can't be read. Accepted: it is replaced, with the configured layout. */
        UNREADABLE_RECORD
    }

    /** Nobody reserves so far ahead by a right clock. */
    private static final long FAR_AHEAD_MILLIS = 3_600_000;

    /** A coordinator's time is right to about a second. */
    private static final long CLOCK_READING_MILLIS = 1_000;

    private static final int RETIRE_ATTEMPTS = 5;

    private final OperatedNamespace old;
    private final OperatedNamespace place;
    private final Map<Doubt, String> doubts = new EnumMap<>(Doubt.class);
    private final boolean finished;
    private final Instant firstIds;
    private boolean begun;

    private NamespaceReplacement(OperatedNamespace old, OperatedNamespace place) {
        this.old = old;
        this.place = place;
        View before = old.view();
        View there = isMove() ? place.view() : before;
        requireRightClock(old, before);
        requireRightClock(place, there);
        requireOldFits(before);
        this.finished = isMove() && isFinished(before, there);
        if (finished) {
            this.firstIds = there.layout().instantOf(there.floor());
        } else {
            if (isMove()) {
                requirePlaceIsFree(before, there);
            }
            doubts.putAll(doubts(before));
            this.firstIds = newLayout().instantOf(floor(before, there));
        }
    }

    static NamespaceReplacement prepare(OperatedNamespace old, OperatedNamespace place) {
        return new NamespaceReplacement(old, place);
    }

    private boolean isMove() {
        return old != place;
    }

    /** What has to be accepted, with the reason for people. */
    public Map<Doubt, String> doubts() {
        return Collections.unmodifiableMap(doubts);
    }

    /** No id is dated before it; by what stood in the coordinator when this was prepared. */
    public Instant firstIds() {
        return firstIds;
    }

    /** Whether a move was carried out before: nothing is left to be done. */
    public boolean isFinished() {
        return finished;
    }

    /** Whether the old namespace was retired, or may have been. If {@link #carryOut} failed then, it has to be done again. */
    public boolean isBegun() {
        return begun;
    }

    /**
     * Does it.
     *
     * @param accepted the doubts the operator knows of
     * @return no id of the new namespace is dated before it
     * @throws SnowflakeException if it is refused, or could not be carried out; see {@link #isBegun}
     */
    public Instant carryOut(Set<Doubt> accepted) {
        if (finished) {
            return firstIds;
        }
        requireAccepted(doubts, accepted);
        Stored retired = retire();
        View frozen = old.view();
        if (frozen.meta() == null || !retired.equals(frozen.stored())) {
            throw changed(old, frozen.stored());
        }
        View there = isMove() ? place.view() : frozen;
        if (isMove()) {
            requirePlaceIsFree(frozen, there);
        }
        requireRightClock(old, frozen);
        requireAccepted(doubts(frozen), accepted);
        long floor = floor(frozen, there);
        Duration longest = isMove() ? place.settings().window() : maxWindow(frozen);
        Pairs pairs = isMove()
                ? Pairs.parse(Meta.create("", newLayout(), longest, floor, Instant.ofEpochMilli(there.clockMillis())))
                : frozen.meta().pairs();
        String next = Meta.successor(pairs, frozen.meta().id(), Token.random(place.platform()), longest, floor);
        Written written = place.write(there.stored(), next);
        if (!written.applied()) {
            throw changed(place, written.standing());
        }
        return newLayout().instantOf(floor);
    }

    /** From here on nothing is granted under the old record. */
    private Stored retire() {
        View seen = old.view();
        for (int attempt = 0; attempt < RETIRE_ATTEMPTS; attempt++) {
            requireOldFits(seen);
            Meta meta = seen.meta();
            if (meta != null
                    && seen.stored() != null
                    && seen.state() == State.RETIRED
                    && meta.movedTo().isPresent() == isMove()) {
                begun = true;
                return seen.stored();
            }
            begun = true;
            Written written = old.write(seen.stored(), retiredRecord(seen));
            Stored standing = written.standing();
            if (written.applied() && standing != null) {
                return standing;
            }
            // A process raised its max-window, or a start created the record.
            begun = false;
            seen = old.view();
        }
        throw new CoordinatorException(old.described() + ": the record keeps changing. Try again.", false);
    }

    private String retiredRecord(View seen) {
        Meta meta = seen.meta();
        Pairs pairs = meta != null
                ? meta.pairs()
                : Pairs.parse(Meta.create(
                        Token.random(old.platform()),
                        seen.layout(),
                        old.settings().window(),
                        0,
                        Instant.ofEpochMilli(seen.clockMillis())));
        return Meta.retired(pairs, isMove() ? destination() : null);
    }

    private String destination() {
        return place.coordinatorName() + ":" + place.settings().namespace();
    }

    private SnowflakeLayout newLayout() {
        return place.settings().layout();
    }

    // ---- the floor

    private Duration maxWindow(View view) {
        Duration configured = old.settings().window();
        Meta meta = view.meta();
        return meta != null && meta.maxWindow().compareTo(configured) > 0 ? meta.maxWindow() : configured;
    }

    /** How far ahead of now a grant may end that was lost, less the longest window. */
    private long uncertaintyMillis(View view) {
        Duration longest = maxWindow(view);
        Duration first = longest.compareTo(SlotClaimer.FIRST_WINDOW) < 0 ? longest : SlotClaimer.FIRST_WINDOW;
        return longest.dividedBy(2)
                .plus(first)
                .plus(old.settings().maxSkew().multipliedBy(2))
                .toMillis();
    }

    /** By whichever clock is ahead. */
    private static long nowMillis(View view) {
        Instant server = view.serverTime();
        return server == null ? view.clockMillis() : Math.max(view.clockMillis(), server.toEpochMilli());
    }

    private long farAheadMillis(View view) {
        return nowMillis(view)
                + Math.max(
                        FAR_AHEAD_MILLIS,
                        uncertaintyMillis(view) + maxWindow(view).toMillis());
    }

    private boolean isFarAhead(Mark mark, View view) {
        return mark.limit() > view.layout().tickOf(farAheadMillis(view));
    }

    private long floor(View view, View there) {
        SnowflakeLayout layout = view.layout();
        long bound = layout.tickOf(nowMillis(view)) + uncertaintyMillis(view);
        for (Mark mark : view.marks()) {
            if (isMove() || !isFarAhead(mark, view)) {
                bound = Math.max(bound, mark.limit());
            }
        }
        bound = Math.max(bound + maxWindow(view).toMillis(), view.floor());
        long floor = Math.max(newLayout().firstTickAbove(layout, bound), isMove() ? there.floor() : 0);
        if (bound >= layout.lastTick()
                || floor + place.settings().window().toMillis() >= newLayout().lastTick()) {
            throw new InvalidSettingsException(List.of(place.described() + ": ids would have to be dated after "
                    + newLayout().exhaustedAt() + ", when the timestamps of " + Namespace.describe(newLayout())
                    + " end."));
        }
        Instant first = newLayout().instantOf(floor);
        if (first.isAfter(Instant.ofEpochMilli(farAheadMillis(view)).plus(maxWindow(view)))) {
            throw new InvalidSettingsException(List.of(place.described()
                    + ": ids would have to be dated after " + first + ", so that none equals one of "
                    + old.described() + ", which may have issued any number below those of "
                    + layout.instantOf(bound) + ". "
                    + (isMove()
                            ? "Choose a layout with more bits of worker id and sequence, or an earlier snowflake.epoch."
                            : "Move to a namespace whose layout has more bits of worker id and sequence, or an earlier"
                                    + " snowflake.epoch.")));
        }
        return floor;
    }

    // ---- what stands in the way

    private Map<Doubt, String> doubts(View view) {
        Map<Doubt, String> found = new EnumMap<>(Doubt.class);
        List<Integer> unreadable = view.unreadableMarks();
        if (isMove() && !unreadable.isEmpty()) {
            found.put(
                    Doubt.UNREADABLE_MARKS,
                    "The marks of worker ids " + unreadable
                            + " can't be read. What they granted is taken to end as what a right clock grants.");
        }
        List<Mark> farAhead =
                view.marks().stream().filter(mark -> isFarAhead(mark, view)).toList();
        if (!isMove() && !farAhead.isEmpty()) {
            long limit = farAhead.stream().mapToLong(Mark::limit).max().orElseThrow();
            found.put(
                    Doubt.FAR_AHEAD_MARKS,
                    farAhead.size() + " worker ids are reserved far ahead, up to "
                            + view.layout().instantOf(limit)
                            + ", by a process whose clock was wrong. They stay out of use until then;"
                            + " covering them too would put off all others.");
        }
        if (view.state() == State.UNREADABLE) {
            Stored stored = view.stored();
            found.put(
                    Doubt.UNREADABLE_RECORD,
                    "The record '" + (stored == null ? "" : stored.value())
                            + "' can't be read. If a newer version wrote it, use that version's command. It is replaced, with "
                            + Namespace.describe(newLayout()) + ", which must be what it had.");
        }
        return found;
    }

    private void requireAccepted(Map<Doubt, String> found, Set<Doubt> accepted) {
        for (Map.Entry<Doubt, String> doubt : found.entrySet()) {
            if (!accepted.contains(doubt.getKey())) {
                throw new SnowflakeException(old.described() + ": " + doubt.getValue());
            }
        }
    }

    private static void requireRightClock(OperatedNamespace namespace, View view) {
        Instant server = view.serverTime();
        Instant here = Instant.ofEpochMilli(view.clockMillis());
        Duration allowed = namespace.settings().maxSkew().plusMillis(CLOCK_READING_MILLIS);
        // The coordinator read its clock at some moment of the call, which may have taken long.
        if (server != null
                && (server.isAfter(here.plus(allowed))
                        || server.isBefore(
                                Instant.ofEpochMilli(view.askedMillis()).minus(allowed)))) {
            throw new SnowflakeException(namespace.described() + ": the clock of this machine says " + here
                    + ", that of the coordinator says " + server
                    + ". The floor depends on it: correct the one that is wrong.");
        }
        if (!namespace.settings().layout().epoch().isBefore(here)) {
            throw new SnowflakeException(namespace.described() + ": the clock of this machine says " + here
                    + ", which is not after snowflake.epoch="
                    + namespace.settings().layout().epoch() + ". Correct the one that is wrong.");
        }
    }

    private void requireOldFits(View view) {
        Meta meta = view.meta();
        if (isMove() && meta == null) {
            throw new SnowflakeException(
                    old.described() + (view.stored() == null ? " has no record" : " has an unreadable record")
                            + ". Restore it first, if it ever had one.");
        }
        if (meta == null) {
            return;
        }
        if (!meta.layout().equals(old.settings().layout())) {
            throw new LayoutMismatchException(old.described() + " was created with " + Namespace.describe(meta.layout())
                    + ", but configured is " + Namespace.describe(old.settings().layout())
                    + ". Give this command the settings of the application.");
        }
        String destination = isMove() ? destination() : null;
        if (meta.movedTo().isPresent() && !meta.movedTo().get().equals(destination)) {
            throw new SnowflakeException(
                    old.described() + " moved to " + meta.movedTo().get()
                            + ": ids go on there, and would repeat here. To come back, move from there to here.");
        }
    }

    private static boolean isFinished(View before, View there) {
        Meta from = before.meta();
        Meta to = there.meta();
        return from != null
                && to != null
                && to.active()
                && before.state() == State.RETIRED
                && to.replaces().filter(from.id()::equals).isPresent();
    }

    private void requirePlaceIsFree(View before, View there) {
        Meta from = before.meta();
        Meta to = there.meta();
        if (to == null) {
            if (there.stored() != null || there.hasMarks()) {
                throw new SnowflakeException(place.described() + " has "
                        + (there.stored() != null ? "an unreadable record" : "marks of worker ids but no record")
                        + ". Move to another snowflake.namespace.");
            }
            return;
        }
        if (from != null && from.id().equals(to.id())) {
            throw new SnowflakeException(place.described() + " has the same record as " + old.described()
                    + ": it is the same place, or a copy of it. Move to another snowflake.namespace, or restore.");
        }
        if (to.active()) {
            throw new SnowflakeException(place.described()
                    + " is in use. Two namespaces can't become one: move to another snowflake.namespace.");
        }
        if (to.movedTo().isEmpty()) {
            throw new SnowflakeException(
                    place.described() + " is retired, but did not move: a restore was interrupted. Finish that first.");
        }
        if (!to.layout().equals(newLayout())) {
            throw new LayoutMismatchException(
                    place.described() + " was created with " + Namespace.describe(to.layout()) + ", but configured is "
                            + Namespace.describe(newLayout()) + ". Move to another snowflake.namespace.");
        }
    }

    private static CoordinatorException changed(OperatedNamespace namespace, @Nullable Stored standing) {
        return new CoordinatorException(
                namespace.described() + " was changed by somebody else meanwhile, to '"
                        + (standing == null ? "nothing" : standing.value()) + "'. Look at it, then decide again.",
                true);
    }
}
