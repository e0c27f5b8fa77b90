// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.ids;

import org.snowflakeid.lease.Positions;

/**
 * Chooses the position after the last one. Usually that is one of the present tick, and those before it are given up. A generator whose ids are used
 * up goes on with the very next position instead, although its tick is over: on a busy machine a thread that waits for the next millisecond wakes up
 * late, or is preempted, and would lose what came meanwhile.
 *
 * <p>That holds while the tick of the next position is at most {@code snowflake.clock.max-lag} ago, and <em>the tick before it was used up</em>:
 * callers wanted more than it had. From then on each tick whose last position was issued counts as used up as well. So ids that are asked for one by
 * one are dated now, and none is dated before the last.
 *
 * <p>This decides only which positions are given up. If a thread reads an old value here, a few more are.
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
        // The tick before was issued to its last id, so callers that want more want this one.
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
