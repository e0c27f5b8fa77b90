// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.records;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.HexFormat;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.spi.Stored;

/**
 * How far the timestamps of one worker id have been granted. Persistent; never lowered to repair anything.
 *
 * @param limit exclusive, in ticks: every tick below it was granted
 * @param token of the claim that wrote it
 * @param count of the writes under this token
 * @param from first tick of the holder's claim
 * @param pairs all of the line
 */
public record Mark(long limit, String token, long count, long from, RecordLine pairs) {

    /** @throws IllegalArgumentException if the value was not written by this library */
    public static Mark parse(Stored stored) {
        RecordLine pairs = RecordLine.parse(stored.value());
        return new Mark(pairs.number("limit"), pairs.text("token"), pairs.number("k"), pairs.number("from"), pairs);
    }

    /** Its limit; -1 if the value was not written by this library. */
    public static long limitOf(Stored stored) {
        try {
            return parse(stored).limit();
        } catch (IllegalArgumentException unreadable) {
            return -1;
        }
    }

    /**
     * A value that no other write ever has: two copies of one memory image that write at the same moment, from the same state, write
     * different bytes, so that only one of them can find its own.
     *
     * @param earlier what is replaced: pairs this version does not know are kept
     * @param fresh random bits from the kernel, drawn for this write alone
     */
    public static Mark next(
            RecordLine earlier,
            long limit,
            String token,
            long count,
            long from,
            Instant at,
            SnowflakeLayout layout,
            long fresh) {
        RecordLine pairs = earlier.with("limit", limit)
                .with("token", token)
                .with("k", count)
                .with("from", from)
                .with("at", at)
                .with("until", layout.instantOf(limit))
                .with("random", HexFormat.of().toHexDigits(fresh));
        return new Mark(limit, token, count, from, pairs);
    }

    /**
     * The writer's wall clock, unvetted, for others to vet theirs.
     *
     * @throws IllegalArgumentException if it can't be read
     */
    public Instant at() {
        try {
            return Instant.parse(pairs.text("at"));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    public String value() {
        return pairs.toString();
    }
}
