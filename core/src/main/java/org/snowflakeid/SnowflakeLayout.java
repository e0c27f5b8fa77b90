// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Instant;
import java.util.UUID;
import org.snowflakeid.lease.Positions;

/**
 * How the 63 usable bits of an id are divided: timestamp, worker id, sequence, from the highest bit down. The timestamp counts milliseconds from the
 * epoch and takes the bits that the other two leave.
 *
 * @param epoch the instant of timestamp 0, in whole milliseconds
 * @param workerIdBits 1 to 20
 * @param sequenceBits 1 to 20: ids per worker id and millisecond, as a power of two
 */
public record SnowflakeLayout(Instant epoch, int workerIdBits, int sequenceBits) {

    /** The bits of a {@code long} that is not negative. */
    public static final int ID_BITS = 63;

    /** 41 bits of timestamp, 10 of worker id, 12 of sequence, from 2020-01-01T00:00:00Z: lasts until 2089. */
    public static final SnowflakeLayout STANDARD = new SnowflakeLayout(Instant.parse("2020-01-01T00:00:00Z"), 10, 12);

    /** @throws IllegalArgumentException if a part is outside its range */
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
        Positions positions = Positions.of(this);
        return new IdParts(instantOf(positions.tickOfId(id)), positions.workerIdOfId(id), positions.sequenceOfId(id));
    }

    /** @throws IllegalArgumentException if a part lies outside its range */
    public long encode(IdParts parts) {
        requireRange("worker id", parts.workerId(), maxWorkerId());
        requireRange("sequence", parts.sequence(), maxSequence());
        return id(parts.timestamp(), parts.workerId(), parts.sequence());
    }

    private static void requireRange(String name, int value, int max) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException(name + " " + value + " is not between 0 and " + max);
        }
    }

    /**
     * A UUID of version 7 (RFC 9562) that contains an id: 48 bits of Unix milliseconds, the sequence and the worker id, each left-aligned in 20 bits
     * whatever the layout, and 34 random bits. Different ids of one layout make different UUIDs. Each call for the same id makes another UUID, with
     * other random bits: store it instead of making it again.
     *
     * <p>Compared as text or as unsigned bytes, UUIDs of one worker id sort as their ids do; those of several, to the millisecond.
     *
     * @throws IllegalArgumentException if {@code id} is negative, or its time is before 1970 or after the year 10889
     */
    public UUID uuid(long id) {
        return UuidFields.uuid(this, id);
    }

    /**
     * The id in a UUID that {@link #uuid} made. Other UUIDs of version 7 are refused only if they happen not to fit the layout: with the standard
     * one, all but one in 262,144.
     *
     * @throws IllegalArgumentException if the UUID has another version or variant, a time before the epoch or past the last timestamp, or
     *     more bits of worker id or sequence than the layout; the message says what was found
     */
    public long id(UUID uuid) {
        return encode(UuidFields.parts(this, uuid));
    }

    /**
     * The smallest id of the millisecond {@code at} falls into; with {@link #maxId}, the inclusive bounds of a range query. While callers want more
     * ids than there are, ids are dated up to {@code snowflake.clock.max-lag} (10 ms) before they are issued.
     *
     * @throws IllegalArgumentException if {@code at} lies before the epoch or past the last timestamp
     */
    public long minId(Instant at) {
        return id(at, 0, 0);
    }

    private long id(Instant at, int workerId, int sequence) {
        if (at.isBefore(epoch) || at.isAfter(instantOf(lastTick()).plusMillis(1).minusNanos(1))) {
            throw new IllegalArgumentException(
                    at + " is not between the epoch " + epoch + " and " + instantOf(lastTick()));
        }
        return Positions.of(this).id(tickOf(at.toEpochMilli()), workerId, sequence);
    }

    /**
     * The largest id of the millisecond {@code at} falls into.
     *
     * @throws IllegalArgumentException if {@code at} lies before the epoch or past the last timestamp
     */
    public long maxId(Instant at) {
        return id(at, maxWorkerId(), maxSequence());
    }

    /** No id is dated at or after this instant. With {@code snowflake.id-bits} ids end earlier. */
    public Instant exhaustedAt() {
        return instantOf(lastTick());
    }

    /** 2^workerIdBits - 1. */
    public int maxWorkerId() {
        return Positions.of(this).maxWorkerId();
    }

    int maxSequence() {
        return Positions.of(this).maxSequence();
    }

    /** The highest value of the timestamp field. No limit exceeds it, so no id has it, and no shift reaches the sign bit. */
    public long lastTick() {
        return Positions.of(this).lastTick(ID_BITS);
    }

    /**
     * The first tick of this layout whose ids are all greater, as numbers, than every id of {@code other} below {@code tick}. Dates don't matter: ids
     * are equal only as numbers. If this layout has no such tick, the result is {@link #lastTick} + 1.
     *
     * @param tick 0 to the last tick of {@code other}
     * @throws IllegalArgumentException if {@code tick} is outside that range
     */
    public long firstTickAbove(SnowflakeLayout other, long tick) {
        if (tick < 0 || tick > other.lastTick()) {
            throw new IllegalArgumentException("tick " + tick + " is not between 0 and " + other.lastTick());
        }
        long bound = tick << (other.workerIdBits + other.sequenceBits);
        int shift = workerIdBits + sequenceBits;
        // Not bound + (1 << shift) - 1, which may pass Long.MAX_VALUE.
        return bound == 0 ? 0 : ((bound - 1) >>> shift) + 1;
    }

    /** When a tick begins; ticks are milliseconds since the epoch. */
    public Instant instantOf(long tick) {
        return epoch.plusMillis(tick);
    }

    /** Ticks from the epoch to a wall-clock reading; negative before the epoch. */
    public long tickOf(long epochMillis) {
        return epochMillis - epoch.toEpochMilli();
    }
}
