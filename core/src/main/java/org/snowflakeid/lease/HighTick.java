// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.lease;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The highest tick of any id that a generator with several worker ids has handed out. A call takes no position below it, and raises it
 * before it returns: so a call that begins after another one returned gets no lower tick, whichever worker ids they use and whatever the
 * clock does in between.
 *
 * <p>It changes at most once per tick, so that reading it costs next to nothing.
 */
public final class HighTick {

    /** In the middle of an array, as {@link Lease} keeps its position. */
    private static final int TICK = 16;

    private final AtomicLongArray words = new AtomicLongArray(2 * TICK + 1);

    public long get() {
        return words.get(TICK);
    }

    public void raise(long tick) {
        long seen = words.get(TICK);
        while (tick > seen && !words.compareAndSet(TICK, seen, tick)) {
            seen = words.get(TICK);
        }
    }
}
