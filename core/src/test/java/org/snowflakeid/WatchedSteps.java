// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;

/** The steps of one generator's clock, and which of them its own threads, its calls and the coordinator have seen. */
final class WatchedSteps {

    /** A larger step keeps calls waiting until the keeper has looked, unless the clock is back before. */
    private static final long CREDIBLE_MILLIS = 1_000;

    private final Watch watch;

    /**
     * How far the clock stepped since one of the generator's own threads looked, by steps small and large; below 0: back. A step back and
     * an equal one ahead cancel out: the generator went by that time before.
     */
    private long smallMillis;

    private long largeMillis;

    /** How far it stepped since one of the generator's own threads looked. */
    private long unseenMillis;

    /** The largest step ahead that one of the generator's own threads could see when it looked. */
    private long largestSeenMillis;

    /** The largest step back, below 0. */
    private long lowestSeenMillis;

    /** How far it stepped before the keeper or a call looked, and ids have not followed yet. */
    long vettedMillis;

    /** How far ids have followed what was vetted. */
    private long followedMillis;

    private int count;
    private long lastMillis;
    private long lastLargeMillis;
    private long lastIncredibleMillis;
    private long lastLookMillis;
    private boolean showsOnceMore;

    WatchedSteps(Watch watch) {
        this.watch = watch;
    }

    void step(Duration by) {
        long millis = by.toMillis();
        long most = watch.settings.maxSkew.toMillis();
        boolean large = Math.abs(millis) > most;
        unseenMillis += millis;
        if (large) {
            largeMillis += millis;
        } else {
            smallMillis += millis;
        }
        count++;
        lastMillis = watch.runningMillis();
        if (Math.abs(millis) > CREDIBLE_MILLIS) {
            lastIncredibleMillis = lastMillis;
        }
        if (large || Math.abs(watch.machine.wallNow() - watch.process.run.world.trueMillis()) > most) {
            lastLargeMillis = lastMillis;
        }
    }

    /** Takes over the steps of the process that this one is a copy of. */
    void remember(WatchedSteps original) {
        vettedMillis = original.vettedMillis;
        followedMillis = original.followedMillis;
        smallMillis = original.smallMillis;
        largeMillis = original.largeMillis;
        unseenMillis = original.unseenMillis;
        // Steps that the original saw before tell nothing of the time that the copy missed.
        largestSeenMillis = 0;
        lowestSeenMillis = 0;
    }

    /** The clocks are read anew, as at a start. */
    void forget() {
        smallMillis = 0;
        largeMillis = 0;
        unseenMillis = 0;
    }

    // ---- who sees them

    /** Each look at the clocks shows a small step; other clocks have to confirm a large one. */
    void ownThreadLooks() {
        if (smallMillis != 0 || unseenMillis != 0) {
            vettedMillis += Math.max(0, smallMillis);
            smallMillis = 0;
            largestSeenMillis = Math.max(largestSeenMillis, unseenMillis);
            lowestSeenMillis = Math.min(lowestSeenMillis, unseenMillis);
            unseenMillis = 0;
        }
    }

    void callLooks(long wallMillis) {
        showsOnceMore = wallMillis == lastLookMillis;
        lastLookMillis = wallMillis;
    }

    void confirmed() {
        vettedMillis += Math.max(0, largeMillis);
        largeMillis = 0;
    }

    /** An id is dated further ahead than the one before, by so much more than time has passed. */
    void followed(long millis) {
        long vetted = Math.max(0, Math.min(vettedMillis, millis));
        vettedMillis -= vetted;
        followedMillis += vetted;
    }

    /** Ids no longer go by what they have followed, and may do so again. */
    void fellBack(long millis) {
        long again = Math.max(0, Math.min(followedMillis, millis));
        followedMillis -= again;
        vettedMillis += again;
    }

    // ---- what is to be known of them

    int count() {
        return count;
    }

    /** The time that the clock showed to a call last. */
    long lastLookMillis() {
        return lastLookMillis;
    }

    /** Whether a call saw the same millisecond as the last call: it then goes by that call's finding. */
    boolean showsOnceMore() {
        return showsOnceMore;
    }

    /** When the clock stepped last, by the time for which the process ran. */
    long lastMillis() {
        return lastMillis;
    }

    /** When the clock stepped last by more than max-skew, at once or in sum. */
    long lastLargeMillis() {
        return lastLargeMillis;
    }

    /** When the clock last stepped to where calls don't go by it, or back. */
    long lastIncredibleMillis() {
        return lastIncredibleMillis;
    }

    /** Whether a call went by the time that the clock showed to the last one, to which it was set back since. */
    boolean showsTheSameAfterAStepBack() {
        return showsOnceMore && unseenMillis < 0;
    }

    /** How far the clock has stepped since one of the generator's own threads looked; below 0: back. */
    long unseenMillis() {
        return unseenMillis;
    }

    /** How far ahead a look, now or before, shows the clock to have stepped at once. */
    long furthestSeenAheadMillis() {
        return Math.max(largestSeenMillis, unseenMillis);
    }

    /** The same for a step back, below 0. */
    long furthestSeenBackMillis() {
        return Math.min(lowestSeenMillis, unseenMillis);
    }

    boolean areUnvetted() {
        return smallMillis + largeMillis > 0;
    }
}
