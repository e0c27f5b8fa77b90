// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Instant;

/**
 * How the 63 usable bits of an id are shared out: timestamp, worker id, sequence, from the highest bit down. The timestamp
 * counts milliseconds from the epoch and takes the bits that the other two leave.
 *
 * @param epoch the instant of timestamp 0, in whole milliseconds
 * @param workerIdBits 1 to 20
 * @param sequenceBits 1 to 20: ids per worker id and millisecond, as a power of two
 */
public record SnowflakeLayout(Instant epoch, int workerIdBits, int sequenceBits) {

    /** 41 bits of timestamp, 10 of worker id, 12 of sequence, from 2020-01-01T00:00:00Z: lasts until 2089. */
    public static final SnowflakeLayout STANDARD = new SnowflakeLayout(Instant.parse("2020-01-01T00:00:00Z"), 10, 12);

    public SnowflakeLayout {
        if (epoch.getNano() % 1_000_000 != 0) {
            throw new IllegalArgumentException("epoch " + epoch + " is not a whole millisecond");
        }
        requireBits("workerIdBits", workerIdBits);
        requireBits("sequenceBits", sequenceBits);
    }

    private static void requireBits(String name, int bits) {
        if (bits < 1 || bits > 20) {
            throw new IllegalArgumentException(name + " is " + bits + ", not 1 to 20");
        }
    }

    /** @throws IllegalArgumentException if {@code id} is negative */
    public IdParts decode(long id) {
        if (id < 0) {
            throw new IllegalArgumentException("id " + id + " is negative");
        }
        return new IdParts(
                instantOf(id >>> (workerIdBits + sequenceBits)),
                (int) (id >>> sequenceBits) & maxWorkerId(),
                (int) id & maxSequence());
    }

    /** @throws IllegalArgumentException if a part lies outside its range */
    public long encode(IdParts parts) {
        requireRange("worker id", parts.workerId(), maxWorkerId());
        requireRange("sequence", parts.sequence(), maxSequence());
        return minId(parts.timestamp()) | (long) parts.workerId() << sequenceBits | parts.sequence();
    }

    private static void requireRange(String name, int value, int max) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException(name + " " + value + " is not between 0 and " + max);
        }
    }

    /**
     * The smallest id of the millisecond {@code at} falls into: with {@link #maxId} the inclusive bounds of a range query.
     *
     * @throws IllegalArgumentException if {@code at} lies before the epoch or past the last timestamp
     */
    public long minId(Instant at) {
        if (at.isBefore(epoch) || at.isAfter(instantOf(lastTick()).plusMillis(1).minusNanos(1))) {
            throw new IllegalArgumentException(
                    at + " is not between the epoch " + epoch + " and " + instantOf(lastTick()));
        }
        return tickOf(at.toEpochMilli()) << (workerIdBits + sequenceBits);
    }

    /**
     * The largest id of the millisecond {@code at} falls into.
     *
     * @throws IllegalArgumentException if {@code at} lies before the epoch or past the last timestamp
     */
    public long maxId(Instant at) {
        return minId(at) | (1L << (workerIdBits + sequenceBits)) - 1;
    }

    /** No id is dated at or after this instant. */
    public Instant exhaustedAt() {
        return instantOf(lastTick());
    }

    public int maxWorkerId() {
        return (1 << workerIdBits) - 1;
    }

    int maxSequence() {
        return (1 << sequenceBits) - 1;
    }

    /** Highest value of the timestamp field. A limit never exceeds it, so it is never issued and no shift reaches the sign. */
    long lastTick() {
        return (1L << (63 - workerIdBits - sequenceBits)) - 1;
    }

    /**
     * The first tick here whose ids are all greater, as numbers, than any id below {@code tick} of another layout. Dates don't
     * enter into it: two ids are equal only as numbers.
     */
    long firstTickAbove(SnowflakeLayout other, long tick) {
        long bound = Math.min(tick, other.lastTick()) << (other.workerIdBits + other.sequenceBits);
        int shift = workerIdBits + sequenceBits;
        // Unsigned: rounding up may reach the sign bit.
        return (bound + (1L << shift) - 1) >>> shift;
    }

    Instant instantOf(long tick) {
        return epoch.plusMillis(tick);
    }

    /** Ticks from the epoch to a wall-clock reading; negative before the epoch. */
    long tickOf(long epochMillis) {
        return epochMillis - epoch.toEpochMilli();
    }
}
