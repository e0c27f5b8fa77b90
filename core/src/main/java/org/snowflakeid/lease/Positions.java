// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.lease;

import org.snowflakeid.SnowflakeLayout;

/**
 * Converts ticks, positions and ids into each other.
 *
 * <p>A <em>tick</em> is a millisecond since the epoch of the layout. A <em>position</em> is a tick and a sequence in one number, {@code tick <<
 * sequenceBits | sequence}: the next position after the last sequence of a tick is the first of the following tick. An <em>id</em> is a position with
 * the worker id between tick and sequence.
 */
public final class Positions {

    private final int sequenceBits;
    private final int tickShift;
    private final long sequenceMask;
    private final long workerIdMask;

    /** A new tick begins at a rolling sequence, so that rare ids spread evenly modulo 2, 8 and 32. */
    private final long roll;

    public Positions(int workerIdBits, int sequenceBits) {
        this.sequenceBits = sequenceBits;
        this.tickShift = workerIdBits + sequenceBits;
        this.sequenceMask = (1L << sequenceBits) - 1;
        this.workerIdMask = (1L << workerIdBits) - 1;
        this.roll = Math.min(31, sequenceMask >> 2);
    }

    public static Positions of(SnowflakeLayout layout) {
        return new Positions(layout.workerIdBits(), layout.sequenceBits());
    }

    /** The first position of a tick. */
    public long first(long tick) {
        return tick << sequenceBits;
    }

    /** Whether it is the first of its tick. */
    public boolean isFirst(long position) {
        return (position & sequenceMask) == 0;
    }

    /** The tick of a position. */
    public long tick(long position) {
        return position >> sequenceBits;
    }

    /** The position after {@code last} while the clock is at {@code now}, in ticks. */
    public long next(long last, long now) {
        return Math.max(last + 1, first(now) | ((last + 1) & roll));
    }

    public long id(long position, int workerId) {
        return ((position >>> sequenceBits) << tickShift)
                | ((long) workerId << sequenceBits)
                | (position & sequenceMask);
    }

    public long id(long tick, int workerId, int sequence) {
        return id(first(tick) | sequence, workerId);
    }

    public long tickOfId(long id) {
        return id >>> tickShift;
    }

    public int workerIdOfId(long id) {
        return (int) ((id >>> sequenceBits) & workerIdMask);
    }

    public int sequenceOfId(long id) {
        return (int) (id & sequenceMask);
    }

    public int maxWorkerId() {
        return (int) workerIdMask;
    }

    public int maxSequence() {
        return (int) sequenceMask;
    }

    /**
     * The highest tick that an id of that many bits can hold.
     *
     * @param idBits more than those of worker id and sequence, at most 63
     */
    public long lastTick(int idBits) {
        return (1L << (idBits - tickShift)) - 1;
    }
}
