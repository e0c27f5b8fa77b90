// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Instant;
import java.util.Locale;
import java.util.UUID;

/**
 * Where the parts of an id are in a UUID of version 7. Sequence and worker id are left-aligned in 20 bits, the most that a layout has, so that their
 * places are the same in every layout:
 *
 * <pre>
 * Unix milliseconds 48 | version 4 | sequence, first 12 | variant 2 | sequence, last 8 | worker id 20 | random 34
 * </pre>
 *
 * The sequence precedes the worker id, since the first 12 bits are where other generators of UUIDs count within a millisecond.
 */
final class UuidFields {

    private static final int VERSION = 7;
    private static final int VARIANT = 2;
    private static final int FIELD_BITS = 20;
    private static final int FIELD_MASK = (1 << FIELD_BITS) - 1;
    private static final int LAST_SEQUENCE_BITS = 8;
    private static final int LAST_SEQUENCE_MASK = (1 << LAST_SEQUENCE_BITS) - 1;
    private static final int RANDOM_BITS = 34;
    private static final long RANDOM_MASK = (1L << RANDOM_BITS) - 1;
    private static final Instant LAST = Instant.ofEpochMilli((1L << 48) - 1);

    private UuidFields() {}

    /** @throws IllegalArgumentException if the id is negative, or of a time that does not fit */
    static UUID uuid(SnowflakeLayout layout, long id) {
        IdParts parts = layout.decode(id);
        Instant at = parts.timestamp();
        if (at.isBefore(Instant.EPOCH) || at.isAfter(LAST)) {
            throw new IllegalArgumentException(
                    "id " + id + " is of " + at + ", and a UUID has times from " + Instant.EPOCH + " to " + LAST);
        }
        int sequence = parts.sequence() << (FIELD_BITS - layout.sequenceBits());
        long workerId = (long) parts.workerId() << (FIELD_BITS - layout.workerIdBits());
        // The JDK creates this random source on first use, so never while a native image is built.
        long random = UUID.randomUUID().getLeastSignificantBits() & RANDOM_MASK;
        return new UUID(
                at.toEpochMilli() << 16 | VERSION << 12 | sequence >>> LAST_SEQUENCE_BITS,
                (long) VARIANT << 62
                        | (long) (sequence & LAST_SEQUENCE_MASK) << (FIELD_BITS + RANDOM_BITS)
                        | workerId << RANDOM_BITS
                        | random);
    }

    /** @throws IllegalArgumentException if it is of another version or variant, or the layout has no such id */
    static IdParts parts(SnowflakeLayout layout, UUID uuid) {
        if (uuid.version() != VERSION || uuid.variant() != VARIANT) {
            throw new IllegalArgumentException("UUID " + uuid + " has version " + uuid.version() + " and variant "
                    + uuid.variant() + ", not version " + VERSION + " and variant " + VARIANT + " of RFC 9562");
        }
        long high = uuid.getMostSignificantBits();
        long low = uuid.getLeastSignificantBits();
        Instant at = Instant.ofEpochMilli(high >>> 16);
        if (at.isBefore(layout.epoch()) || at.isAfter(layout.exhaustedAt())) {
            throw new IllegalArgumentException("UUID " + uuid + ": " + at + " is not between the epoch "
                    + layout.epoch() + " and " + layout.exhaustedAt());
        }
        int firstOfSequence = (int) (high << LAST_SEQUENCE_BITS) & FIELD_MASK;
        int lastOfSequence = (int) (low >>> (FIELD_BITS + RANDOM_BITS)) & LAST_SEQUENCE_MASK;
        int workerId = (int) (low >>> RANDOM_BITS) & FIELD_MASK;
        return new IdParts(
                at,
                part(uuid, "worker id", workerId, layout.workerIdBits()),
                part(uuid, "sequence", firstOfSequence | lastOfSequence, layout.sequenceBits()));
    }

    private static int part(UUID uuid, String name, int field, int bits) {
        int spare = FIELD_BITS - bits;
        int part = field >>> spare;
        if (part << spare != field) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "UUID %s: its %s field 0x%05x has more than %d bits. It was made with another layout, or not of a"
                            + " snowflake.",
                    uuid,
                    name,
                    field,
                    bits));
        }
        return part;
    }
}
