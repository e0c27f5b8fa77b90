// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import static org.snowflakeid.config.Logs.LOG;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.Platform;
import org.snowflakeid.claim.SlotReader;
import org.snowflakeid.config.Logs;
import org.snowflakeid.config.Settings;
import org.snowflakeid.config.SnowflakeKeys;
import org.snowflakeid.lease.VettedClock;
import org.snowflakeid.lease.VettedClock.Verdict;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.NamespaceRecord;
import org.snowflakeid.records.OwnerEntry;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;

/**
 * Asks other clocks when the system clock can't be believed by itself: the coordinator's, or, where it reports no time, those of
 * the live peers, by what they wrote into their marks. The median of these, not the mean: one wrong clock must not count.
 */
public final class ClockVetting {

    /** How much later than due a live peer may write, and how late an answer may come. */
    private static final long LATENESS_MILLIS = 5000;

    /** Two readings of a clock that reports whole seconds, as the middle of the second, are off by this much at most. */
    private static final long COORDINATOR_READINGS_MILLIS = 1000;

    /** With this many, one or two wrong clocks don't decide the median. */
    private static final int ENOUGH_PEERS = 5;

    /** After a step the next look must find the same peers, to see which of them have written since. */
    private static final int ALL_PEERS = Integer.MAX_VALUE;

    private final VettedClock clock;
    private final SlotReader slots;
    private final Platform platform;
    private final Settings settings;
    private final String coordinatorName;
    private final Predicate<Mark> own;

    private @Nullable String warning;
    private boolean contradicted;

    /** How far the clock was from where it was expected when it was looked at last. */
    private long step;

    /** Whether the last look at the start found a clock that is not to be used. */
    private boolean refused;

    /** How far the coordinator's clock was ahead of the monotonic one at the start; while that is so, this process missed no time. */
    private @Nullable Long coordinatorAheadMillis;

    /** The marks of the first look after a step: a peer that still shows the same one has not written since. */
    private @Nullable Map<Integer, String> marksAtStep;

    /** @param own whether this generator wrote a mark */
    ClockVetting(
            VettedClock clock,
            SlotReader slots,
            Platform platform,
            Settings settings,
            String coordinatorName,
            Predicate<Mark> own) {
        this.clock = clock;
        this.slots = slots;
        this.platform = platform;
        this.settings = settings;
        this.coordinatorName = coordinatorName;
        this.own = own;
    }

    /** Set while the system clock is not believed. */
    @Nullable
    String warning() {
        return warning;
    }

    /**
     * Believes the clock at start, unless another clock contradicts it.
     *
     * @return what was read for it
     * @throws CoordinatorException naming both clocks
     */
    Snapshot vetFirst() {
        long asked = platform.nanoTime();
        Snapshot seen = slots.pageWithReference(ENOUGH_PEERS);
        // The coordinator may have read its clock as late as this: a slow answer must not hide time that is missed
        // later.
        long answered = platform.nanoTime();
        // Peers need not have written lately: the process of an owner entry may have ended a whole window ago.
        Reference reference = reference(seen, asked, Map.of(), longestWindowMillis(seen.meta()));
        refused = reference.judges(clock, false) == Verdict.CONTRADICTED;
        if (refused) {
            throw new CoordinatorException(
                    contradiction(reference) + ". Correct the one that is wrong; "
                            + settings.shown(SnowflakeKeys.MAX_SKEW) + " allows for less.",
                    false);
        }
        forgetStep();
        coordinatorAheadMillis = seen.serverTime() == null ? null : aheadMillis(seen.serverTime(), answered);
        return seen;
    }

    boolean hasRefused() {
        return refused;
    }

    /** Time may have passed unseen before the coordinator's clock was first read, so that clock can't show that none has. */
    void forgetStart() {
        coordinatorAheadMillis = null;
    }

    private static long aheadMillis(Instant coordinatorTime, long nanos) {
        return coordinatorTime.toEpochMilli() - nanos / 1_000_000;
    }

    private boolean runsAsBefore(Instant coordinatorTime, long askedNanos) {
        Long before = coordinatorAheadMillis;
        return before != null
                && Math.abs(aheadMillis(coordinatorTime, askedNanos) - before) <= COORDINATOR_READINGS_MILLIS;
    }

    /** To be called before each write. */
    void vet(long maxWindowMillis) {
        if (!clock.isSteady()) {
            judgeStep(maxWindowMillis);
        }
    }

    private void judgeStep(long maxWindowMillis) {
        step = clock.step();
        if (warning == null) {
            warning = "The system clock stepped by " + step + " ms and is not believed yet.";
            LOG.log(Level.WARNING, prefix() + warning);
        }
        Reference reference = referenceAfterStep(maxWindowMillis);
        if (reference != null) {
            judge(reference);
        }
    }

    /** Finds out by the coordinator's clock whether this process missed any time, where no write can show whether there is a copy. */
    void lookForMissedTime() {
        long asked = platform.nanoTime();
        Instant coordinatorTime = slots.page().serverTime();
        if (coordinatorTime != null && runsAsBefore(coordinatorTime, asked)) {
            clock.ranOn();
        }
    }

    /** To be called after writes, whose answers were compared with the clock. */
    void lookAtComparison() {
        VettedClock.Contradiction contradiction = clock.contradiction();
        if (contradiction != null) {
            step = clock.step();
            contradicted(contradiction(contradiction.wallMillis(), coordinatorName, contradiction.coordinatorMillis()));
        } else if (warning != null && !clock.isDoubted()) {
            believeAgain();
        }
    }

    private void judge(Reference reference) {
        switch (reference.judges(clock, reference.anotherMayFollow())) {
            case ACCEPTED, BELIEVED -> believeAgain();
            case CONTRADICTED -> contradicted(contradiction(reference));
            case UNDECIDED -> {
                // the warning is still right
            }
        }
    }

    private void contradicted(String contradiction) {
        String text = contradiction
                + ": it is not believed, ids go on as if it had not stepped. Correct the one that is wrong.";
        warning = text;
        if (!contradicted) {
            contradicted = true;
            LOG.log(Level.WARNING, prefix() + text);
        }
    }

    private void believeAgain() {
        LOG.log(
                Level.INFO,
                () -> prefix() + "the system clock is believed again, " + step + " ms from where it was expected");
        forgetStep();
    }

    private void forgetStep() {
        warning = null;
        contradicted = false;
        marksAtStep = null;
    }

    private String prefix() {
        return Logs.named(settings.generator(), "");
    }

    private String contradiction(Reference reference) {
        return contradiction(platform.wallMillis(), reference.source(), reference.millis());
    }

    private static String contradiction(long wallMillis, String source, @Nullable Long millis) {
        return "The system clock says " + Instant.ofEpochMilli(wallMillis) + ", but " + source + " says "
                + (millis == null ? "nothing" : Instant.ofEpochMilli(millis));
    }

    /**
     * The time of another process, or the coordinator's. A worker id of this process is no witness, whichever of its generators uses it: all read the
     * same clock. One that was taken over may still have the owner entry of the process before; so this generator also knows the marks that it wrote.
     *
     * @param millis null: none
     * @param ageMillis by how much it may lag behind its clock; of the coordinator's that is measured
     * @param askedNanos when the coordinator was asked for its time; null: that of peers, or none
     * @param anotherMayFollow whether there are peers that have not written since the step
     */
    private record Reference(
            @Nullable Long millis, long ageMillis, @Nullable Long askedNanos, String source, boolean anotherMayFollow) {

        Verdict judges(VettedClock clock, boolean waits) {
            return millis != null && askedNanos != null
                    ? clock.compare(millis, askedNanos)
                    : clock.judge(millis, ageMillis, waits);
        }
    }

    /** Null if the coordinator can't be asked now. */
    private @Nullable Reference referenceAfterStep(long maxWindowMillis) {
        // The coordinator may read its clock as early as this, however long its answer takes.
        long asked = platform.nanoTime();
        Snapshot seen;
        try {
            seen = slots.pageWithReference(ALL_PEERS);
        } catch (CoordinatorException unreachable) {
            return null;
        }
        if (seen.serverTime() != null && runsAsBefore(seen.serverTime(), asked)) {
            clock.compareWith(seen.serverTime().toEpochMilli(), LATENESS_MILLIS, asked);
        }
        Map<Integer, String> before = marksAtStep;
        if (before == null) {
            before = new HashMap<>();
            for (Slot slot : seen.slots()) {
                if (slot.mark() != null) {
                    before.put(slot.workerId(), slot.mark().value());
                }
            }
            marksAtStep = before;
        }
        return reference(seen, asked, before, maxWindowMillis / 3);
    }

    private long longestWindowMillis(@Nullable Stored meta) {
        Duration own = settings.window();
        try {
            return (meta == null ? own : NamespaceRecord.parse(meta).longestWindow(own)).toMillis();
        } catch (IllegalArgumentException unreadable) {
            // The start is refused for that soon.
            return own.toMillis();
        }
    }

    /** @param ageMillis how long ago a live peer may have written, if it was in time */
    private Reference reference(Snapshot seen, long askedNanos, Map<Integer, String> before, long ageMillis) {
        Instant serverTime = seen.serverTime();
        if (serverTime != null) {
            return new Reference(serverTime.toEpochMilli(), 0, askedNanos, coordinatorName, false);
        }
        List<Long> clocks = new ArrayList<>();
        boolean anotherMayFollow = false;
        for (Slot slot : seen.slots()) {
            Stored mark = slot.mark();
            if (mark == null || slot.owner() == null || OwnerEntry.isOf(platform, slot.owner())) {
                continue;
            }
            if (mark.value().equals(before.get(slot.workerId()))) {
                anotherMayFollow = true;
                continue;
            }
            try {
                Mark written = Mark.parse(mark);
                if (!own.test(written)) {
                    clocks.add(written.at().toEpochMilli());
                }
            } catch (IllegalArgumentException unreadable) {
                // no reference then
            }
        }
        if (clocks.isEmpty()) {
            return new Reference(null, 0, null, "no other clock", anotherMayFollow);
        }
        clocks.sort(null);
        return new Reference(
                clocks.get(clocks.size() / 2),
                ageMillis + LATENESS_MILLIS,
                null,
                clocks.size() == 1
                        ? "the only one of the live peers"
                        : "the median of " + clocks.size() + " live peers",
                false);
    }
}
