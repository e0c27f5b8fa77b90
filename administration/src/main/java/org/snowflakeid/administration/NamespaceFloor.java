// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.administration;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.administration.NamespaceRefusedException.Reason;
import org.snowflakeid.config.LayoutAdvice;
import org.snowflakeid.config.Settings;
import org.snowflakeid.records.NamespaceRecord;
import org.snowflakeid.records.Reach;

/**
 * From which tick a new namespace may begin, so that no id of it equals one of the old namespace that it takes the place of.
 *
 * <h2>Why no id repeats</h2>
 *
 * Claims in the new namespace begin at its floor or later. It remains to be shown that every grant of the old one ends at or below that floor.
 *
 * <ul>
 *   <li><em>Grants whose marks are there</em> end at their mark, and the floor lies above all of them. This holds for processes
 *       that still run, are cut off, or sleep: they may issue to their limit without asking. Those that reach the
 *       coordinator stop earlier, since they see a foreign id at their next extension. No clock occurs in this part.
 *   <li><em>Grants whose marks were lost</em> can only be bounded by time. Each was written before the loss, so before now, and a process is granted
 *       no further than its time + a window at an extension, and its time + longest window + burst + first window at a claim. A burst is at most half
 *       a window. The premise is that each time in use is ahead of the coordinator's by no more than {@code snowflake.clock.max-skew}, at each write.
 *       It holds where the coordinator tells the time, since that is compared at every claim and every extension, and no mark is raised by a time
 *       further ahead of what it told last; its own clock must not have been set back since. Where it tells none, the operator has to make sure that
 *       the clocks agree. Our clock may be wrong by the skew too. So all grants end before now + longest window + half of it + first window + twice
 *       the skew, and the floor is not below that. The longest window is the greater of what the record says (it may have been lost too) and what is
 *       configured.
 *   <li><em>Earlier namespaces</em> that this one took the place of end below its floor, hence the new floor is never
 *       lower than the old.
 * </ul>
 *
 * So the floor is max(now + uncertainty, every mark, floor − longest window) + longest window: one window more than the marks ask
 * for, since a mark that is there may be an older one.
 *
 * <p>What this cannot know is a floor that was lost with its record and lay ahead of the clock. A floor lies at most an hour and a window ahead, or,
 * with windows or a skew of more than a quarter of an hour, at most {@link Reach#FURTHEST_FLOOR}. So the argument holds again that long after the
 * restore or move that wrote it.
 *
 * <h2>Another layout</h2>
 *
 * Ids are equal only as numbers, so the bound is carried over as a number: the new floor is the first tick whose ids are all
 * greater than every id below the old bound ({@link SnowflakeLayout#firstTickAbove}). Ids then never repeat and sort above all
 * earlier ones. With fewer low bits or a later epoch that tick may lie years ahead; then the move is refused, since until that day
 * the new numbers would run through the old ones again.
 *
 * <h2>Marks that make no sense, or lie far ahead</h2>
 *
 * A process believed a wrong clock, or they were edited. In the same place a mark is still there when the namespace has been
 * replaced: no claim takes a worker id whose mark can't be read, and none begins below a mark. So both are harmless to
 * it; a mark far ahead keeps its worker id out of use until then, instead of the whole namespace ({@link
 * NamespaceDoubt#FAR_AHEAD_MARKS}). Elsewhere the marks are absent, and the floor must cover them: what can't be read is bounded by
 * time, as if lost ({@link NamespaceDoubt#UNREADABLE_MARKS}); what lies so far ahead that no floor fits is refused.
 *
 * <h2>Arithmetic</h2>
 *
 * All of it is done on ticks from 0 to the layout's last one: what is read lies in that range, or is not taken for a mark or a
 * record at all, and nothing is added that does not fit below the last tick. So no number ever wraps around, and a floor that does
 * not fit is refused before it is computed. A floor must also leave room for a window of ids that have no more than {@code
 * snowflake.id-bits}, since no process could start otherwise.
 */
public final class NamespaceFloor {

    private final NamespacePlace old;
    private final NamespaceView view;
    private final SnowflakeLayout layout;
    private final Duration longestWindow;
    private final Duration uncertainty;
    private final long nowTick;
    private final long farAheadTick;

    /**
     * @param view of {@code old}, by clocks that are right: {@link NamespacePlace#requireRightClock}; its layout is the configured
     *     one: {@link NamespacePlace#requireConfiguredLayout}
     * @throws NamespaceRefusedException if the layout's last tick is past
     */
    public NamespaceFloor(NamespacePlace old, NamespaceView view) {
        this.old = old;
        this.view = view;
        this.layout = view.layout();
        this.longestWindow = longest(view, old.settings().window());
        Duration maxSkew = old.settings().maxSkew();
        this.uncertainty = Reach.uncertainty(longestWindow, maxSkew);
        this.nowTick = layout.tickOf(view.nowMillis());
        if (nowTick < 0 || nowTick > layout.lastTick()) {
            throw noRoom(old);
        }
        // A clock within the layout plus some days: far from where a long ends.
        this.farAheadTick = nowTick + Reach.farAhead(longestWindow, maxSkew).toMillis();
    }

    private static Duration longest(NamespaceView view, Duration configured) {
        NamespaceRecord meta = view.meta();
        return meta == null ? configured : meta.longestWindow(configured);
    }

    /** Of any generator in the old namespace, as far as is known. */
    Duration longestWindow() {
        return longestWindow;
    }

    /** The limits of marks that a restore leaves alone, by their worker ids. */
    Map<Integer, Long> limitsFarAhead() {
        Map<Integer, Long> found = new TreeMap<>(view.limitsByWorkerId());
        found.values().removeIf(limit -> limit <= farAheadTick);
        return found;
    }

    /**
     * Where the marks stay in force.
     *
     * @throws NamespaceRefusedException if there is no such tick, or it is too far ahead
     */
    public long inPlace() {
        long near = view.limits().stream()
                .mapToLong(Long::longValue)
                .filter(limit -> limit <= farAheadTick)
                .max()
                .orElse(0);
        long floor = aboveAllGrants(near);
        requireRoomFor(old, floor);
        requireNear(
                old,
                layout,
                floor,
                floor,
                "Move to a namespace whose layout has more bits of worker id and sequence, or an earlier snowflake.epoch.");
        return floor;
    }

    /**
     * Where the old marks are not known, and the layout may be another.
     *
     * @throws NamespaceRefusedException if there is no such tick, or it is too far ahead
     */
    public long elsewhere(NamespacePlace place, NamespaceView there) {
        long all = view.limits().stream().mapToLong(Long::longValue).max().orElse(0);
        long bound = aboveAllGrants(all);
        SnowflakeLayout newLayout = place.settings().layout();
        long floor = Math.max(newLayout.firstTickAbove(layout, bound), there.floor());
        requireRoomFor(place, floor);
        requireNear(
                place,
                newLayout,
                floor,
                bound,
                "Choose a layout with more bits of worker id and sequence, or an earlier snowflake.epoch.");
        return floor;
    }

    private long aboveAllGrants(long highestLimit) {
        long reserved = Math.max(plus(nowTick, uncertainty), highestLimit);
        return Math.max(plus(reserved, longestWindow), view.floor());
    }

    /** @param tick 0 to the last one */
    private long plus(long tick, Duration span) {
        if (span.toMillis() >= layout.lastTick() - tick) {
            throw noRoom(old);
        }
        return tick + span.toMillis();
    }

    /** A limit ends at the last tick, so that there must be room for a window below it. With fewer bits of an id that tick comes sooner. */
    private static void requireRoomFor(NamespacePlace place, long floor) {
        Settings settings = place.settings();
        if (settings.window().toMillis() >= settings.lastTick() - floor) {
            throw noRoom(place);
        }
    }

    private static NamespaceRefusedException noRoom(NamespacePlace place) {
        Settings settings = place.settings();
        return place.refused(
                Reason.NO_FLOOR,
                ": ids would have to be dated after " + settings.exhaustedAt() + ", when the timestamps of "
                        + LayoutAdvice.describe(settings.layout()) + settings.boundOfIds()
                        + " end. Move to a namespace with a layout whose timestamps last longer.");
    }

    private void requireNear(NamespacePlace place, SnowflakeLayout newLayout, long floor, long bound, String remedy) {
        Instant first = newLayout.instantOf(floor);
        if (first.isAfter(layout.instantOf(farAheadTick).plus(longestWindow))) {
            throw place.refused(
                    Reason.NO_FLOOR,
                    ": ids would have to be dated after " + first + ", so that none equals one of " + old.described()
                            + ", which may have issued any number below those of " + layout.instantOf(bound) + ". "
                            + remedy);
        }
    }
}
