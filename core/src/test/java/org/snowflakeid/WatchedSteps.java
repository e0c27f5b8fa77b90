// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;

/** The steps of one generator's clock, and which of them its own threads, its calls and the coordinator have seen. */
final class WatchedSteps {

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

    private int count;
    private long lastMillis;
    private long lastLargeMillis;
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
        if (large || Math.abs(watch.machine.wallNow() - watch.process.run.world.trueMillis()) > most) {
            lastLargeMillis = lastMillis;
        }
    }

    /** Takes over the steps of the process that this one is a copy of. */
    void remember(WatchedSteps original) {
        vettedMillis = original.vettedMillis;
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
