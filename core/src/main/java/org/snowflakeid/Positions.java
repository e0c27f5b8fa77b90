// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

/**
 * How ticks, positions and ids are composed of each other: every shift of this library is here.
 *
 * <p>A <em>tick</em> is a millisecond since the epoch of the layout. A <em>position</em> is a tick and a sequence in one number, {@code tick
 * << sequenceBits | sequence}: the next position after the last sequence of a tick is the first of the following tick. An <em>id</em> is a
 * position with the worker id put in between.
 */
final class Positions {

    private final int sequenceBits;
    private final int tickShift;
    private final long sequenceMask;
    private final long workerIdMask;

    /** A new tick begins at a rolling sequence, so that rare ids spread evenly modulo 2, 8 and 32. */
    private final long roll;

    Positions(int workerIdBits, int sequenceBits) {
        this.sequenceBits = sequenceBits;
        this.tickShift = workerIdBits + sequenceBits;
        this.sequenceMask = (1L << sequenceBits) - 1;
        this.workerIdMask = (1L << workerIdBits) - 1;
        this.roll = Math.min(31, sequenceMask >> 2);
    }

    static Positions of(SnowflakeLayout layout) {
        return new Positions(layout.workerIdBits(), layout.sequenceBits());
    }

    /** The first position of a tick. */
    long first(long tick) {
        return tick << sequenceBits;
    }

    /** Whether it is the first of its tick. */
    boolean isFirst(long position) {
        return (position & sequenceMask) == 0;
    }

    /** The tick of a position. */
    long tick(long position) {
        return position >> sequenceBits;
    }

    /** The position after {@code last} while the clock is at {@code now}, in ticks. */
    long next(long last, long now) {
        return Math.max(last + 1, first(now) | ((last + 1) & roll));
    }

    long id(long position, int workerId) {
        return ((position >>> sequenceBits) << tickShift)
                | ((long) workerId << sequenceBits)
                | (position & sequenceMask);
    }

    long id(long tick, int workerId, int sequence) {
        return id(first(tick) | sequence, workerId);
    }

    long tickOfId(long id) {
        return id >>> tickShift;
    }

    int workerIdOfId(long id) {
        return (int) ((id >>> sequenceBits) & workerIdMask);
    }

    int sequenceOfId(long id) {
        return (int) (id & sequenceMask);
    }

    int maxWorkerId() {
        return (int) workerIdMask;
    }

    int maxSequence() {
        return (int) sequenceMask;
    }

    /**
     * The highest tick that an id of so many bits can hold.
     *
     * @param idBits more than those of worker id and sequence, at most 63
     */
    long lastTick(int idBits) {
        return (1L << (idBits - tickShift)) - 1;
    }
}
