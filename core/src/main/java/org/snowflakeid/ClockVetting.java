// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.VettedClock.Verdict;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;

/**
 * Asks other clocks when the system clock can't be believed by itself: the coordinator's, or, where it tells no time, those of
 * the live peers, by what they wrote into their marks. The median of these, not the mean: one wrong clock must not count.
 */
final class ClockVetting {

    private static final System.Logger LOG = System.getLogger(LeasedSnowflake.class.getName());

    /** How much later than due a live peer may write, and how late an answer may come. */
    private static final long LATENESS_MILLIS = 5000;

    /** No one or two with a wrong clock decide their median. */
    private static final int ENOUGH_PEERS = 5;

    /** After a jump the next look must find the same ones, to see who has written since. */
    private static final int ALL_PEERS = Integer.MAX_VALUE;

    private final VettedClock clock;
    private final SlotReader slots;
    private final Platform platform;
    private final SnowflakeSettings settings;
    private final String coordinatorName;
    private final IntPredicate own;

    private volatile @Nullable String warning;
    private boolean contradicted;

    /** The marks of the first look after a jump: who still shows the same has not written since. */
    private @Nullable Map<Integer, String> marksAtJump;

    /** @param own which worker ids are this generator's, and so no reference */
    ClockVetting(
            VettedClock clock,
            SlotReader slots,
            Platform platform,
            SnowflakeSettings settings,
            String coordinatorName,
            IntPredicate own) {
        this.clock = clock;
        this.slots = slots;
        this.platform = platform;
        this.settings = settings;
        this.coordinatorName = coordinatorName;
        this.own = own;
    }

    /** Set while the system clock is not believed. May be read by any thread. */
    @Nullable
    String warning() {
        return warning;
    }

    /**
     * Believes the clock at start, unless somebody contradicts it.
     *
     * @return what was read for it
     * @throws CoordinatorException naming both clocks
     */
    Snapshot vetFirst() {
        Snapshot seen = slots.pageWithReference(ENOUGH_PEERS);
        Reference reference = reference(seen, Map.of(), settings.window().toMillis());
        if (clock.judge(reference.millis(), reference.ageMillis(), false) == Verdict.CONTRADICTED) {
            throw new CoordinatorException(
                    contradiction(reference) + ". Correct the one that is wrong; snowflake.clock.max-skew="
                            + settings.maxSkew() + " allows for less.",
                    false);
        }
        return seen;
    }

    /**
     * To be called before each write.
     *
     * @return whether the clock was found to have jumped ahead just now
     */
    boolean vet(long maxWindowMillis) {
        if (clock.isSteady()) {
            return false;
        }
        boolean first = warning == null;
        long jump = clock.jump();
        if (first) {
            warning = "The system clock jumped by " + jump + " ms and is not believed yet.";
            LOG.log(Level.WARNING, prefix() + warning);
        }
        Reference reference = referenceAfterJump(maxWindowMillis);
        if (reference != null) {
            judge(reference, jump);
        }
        return first && jump > 0;
    }

    private void judge(Reference reference, long jump) {
        switch (clock.judge(reference.millis(), reference.ageMillis(), reference.mayCome())) {
            case ACCEPTED, BELIEVED -> settle(jump);
            case CONTRADICTED -> {
                String text = contradiction(reference)
                        + ": it is not believed, ids go on as if it had not jumped. Correct the one that is wrong.";
                warning = text;
                if (!contradicted) {
                    contradicted = true;
                    LOG.log(Level.WARNING, prefix() + text);
                }
            }
            case UNDECIDED -> {
                // the warning stands
            }
        }
    }

    private void settle(long jump) {
        LOG.log(
                Level.INFO,
                () -> prefix() + "the system clock is believed again, " + jump + " ms from where it was expected");
        warning = null;
        contradicted = false;
        marksAtJump = null;
    }

    private String prefix() {
        return "snowflake '" + settings.generator() + "': ";
    }

    private String contradiction(Reference reference) {
        return "The system clock says " + Instant.ofEpochMilli(platform.wallMillis()) + ", but " + reference.source()
                + " says " + (reference.millis() == null ? "nothing" : Instant.ofEpochMilli(reference.millis()));
    }

    /**
     * @param millis null: none
     * @param mayCome whether there are peers that have not written since the jump
     */
    private record Reference(@Nullable Long millis, long ageMillis, String source, boolean mayCome) {}

    /** Null if the coordinator can't be asked now. */
    private @Nullable Reference referenceAfterJump(long maxWindowMillis) {
        Snapshot seen;
        try {
            seen = slots.pageWithReference(ALL_PEERS);
        } catch (CoordinatorException unreachable) {
            return null;
        }
        Map<Integer, String> before = marksAtJump;
        if (before == null) {
            before = new HashMap<>();
            for (Slot slot : seen.slots()) {
                if (slot.mark() != null) {
                    before.put(slot.workerId(), slot.mark().value());
                }
            }
            marksAtJump = before;
        }
        return reference(seen, before, maxWindowMillis);
    }

    private Reference reference(Snapshot seen, Map<Integer, String> before, long maxWindowMillis) {
        Instant serverTime = seen.serverTime();
        if (serverTime != null) {
            return new Reference(serverTime.toEpochMilli(), LATENESS_MILLIS, coordinatorName, false);
        }
        List<Long> clocks = new ArrayList<>();
        boolean mayCome = false;
        for (Slot slot : seen.slots()) {
            Stored mark = slot.mark();
            if (mark == null || slot.owner() == null || own.test(slot.workerId())) {
                continue;
            }
            if (mark.value().equals(before.get(slot.workerId()))) {
                mayCome = true;
                continue;
            }
            try {
                clocks.add(Mark.parse(mark).at().toEpochMilli());
            } catch (IllegalArgumentException unreadable) {
                // no reference then
            }
        }
        if (clocks.isEmpty()) {
            return new Reference(null, 0, "nobody", mayCome);
        }
        clocks.sort(null);
        return new Reference(
                clocks.get(clocks.size() / 2),
                maxWindowMillis / 3 + LATENESS_MILLIS,
                "the median of " + clocks.size() + " live peers",
                false);
    }
}
