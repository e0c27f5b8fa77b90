// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.ids;

import org.snowflakeid.lease.Positions;

/**
 * Which position comes after the last one. Usually that is the first of now, and what lies before it is given up. A generator that is used up
 * goes on with the very next position instead, though its tick is over: a thread that waits for the next millisecond wakes up late on a busy machine,
 * or is preempted within it, and would lose what came meanwhile.
 *
 * <p>That is so while the tick of the next position is at most {@code snowflake.clock.max-lag} ago, and <em>the one before it was used
 * up</em>: callers wanted more than it had. From then on each tick whose last position was issued counts as used up as well. So ids that come
 * one by one are dated now, and none is dated before the last.
 *
 * <p>Only which positions are given up depends on it. If what a thread reads here is out of date, a few more are.
 */
public final class CatchUp {

    private static final long NONE = Long.MIN_VALUE;

    private final Positions positions;
    private final long maxLagTicks;

    /** The tick after one that was used up. */
    private volatile long wantedTick = NONE;

    CatchUp(Positions positions, long maxLagTicks) {
        this.positions = positions;
        this.maxLagTicks = maxLagTicks;
    }

    /** The position after {@code last} while the clock is at {@code now}, in ticks. */
    long next(long last, long now) {
        long following = last + 1;
        long tick = positions.tick(following);
        // The tick before ended with its last id, so who wanted more than that wants this one.
        if (positions.isFirst(following) && wantedTick == tick - 1) {
            wantedTick = tick;
        }
        long present = positions.next(last, now);
        return present != following && wantedTick == tick && now - tick <= maxLagTicks ? following : present;
    }

    /** A caller wants ids of {@code tick}, since those before it were not enough. */
    void want(long tick) {
        wantedTick = tick;
    }
}
