// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.snowflakeid.SnowflakeLayout;

/**
 * How the ids of one generator are read.
 *
 * @param name as it is typed
 * @param epoch the instant of timestamp 0
 * @param unit of the timestamp, in whole milliseconds
 */
public record IdLayout(String name, Instant epoch, Duration unit, Bits timestamp, Bits workerId, Bits sequence) {

    /** A part of an id. */
    public record Bits(int shift, int count) {

        long of(long id) {
            return (id >>> shift) & ((1L << count) - 1);
        }
    }

    private static final int ID_BITS = 63;
    private static final Duration MILLISECOND = Duration.ofMillis(1);

    /** Of Twitter's first snowflakes, which many others took over. */
    private static final Instant TWITTER_EPOCH = Instant.ofEpochMilli(1_288_834_974_657L);

    private static final Map<String, IdLayout> KNOWN = new LinkedHashMap<>();

    static {
        know("snowflake", SnowflakeLayout.STANDARD.epoch(), MILLISECOND, 10, 12);
        know("twitter", TWITTER_EPOCH, MILLISECOND, 10, 12);
        know("leaf", TWITTER_EPOCH, MILLISECOND, 10, 12);
        know("hutool", TWITTER_EPOCH, MILLISECOND, 10, 12);
        know("tsid", SnowflakeLayout.STANDARD.epoch(), MILLISECOND, 10, 12);
        know("cosid", Instant.ofEpochMilli(1_577_203_200_000L), MILLISECOND, 10, 12);
        know("uid-generator", Instant.parse("2016-05-20T00:00:00Z"), Duration.ofSeconds(1), 22, 13);
        know("yitter", Instant.ofEpochMilli(1_582_136_402_000L), MILLISECOND, 6, 6);
        // Its node stands above the timestamp.
        KNOWN.put(
                "seata",
                new IdLayout(
                        "seata",
                        Instant.ofEpochMilli(1_588_435_200_000L),
                        MILLISECOND,
                        new Bits(12, 41),
                        new Bits(53, 10),
                        new Bits(0, 12)));
    }

    public IdLayout {
        if (unit.isNegative() || unit.isZero() || unit.toNanosPart() % 1_000_000 != 0) {
            throw new IllegalArgumentException("the unit " + unit + " is not a whole number of milliseconds");
        }
        try {
            Math.addExact(epoch.toEpochMilli(), Math.multiplyExact((1L << timestamp.count()) - 1, unit.toMillis()));
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "timestamps of " + timestamp.count() + " bits in units of " + unit + " reach beyond all dates", e);
        }
    }

    private static void know(String name, Instant epoch, Duration unit, int workerIdBits, int sequenceBits) {
        KNOWN.put(name, of(name, epoch, unit, workerIdBits, sequenceBits));
    }

    /** Timestamp, worker id, sequence, from the highest bit down. */
    private static IdLayout of(String name, Instant epoch, Duration unit, int workerIdBits, int sequenceBits) {
        return new IdLayout(
                name,
                epoch,
                unit,
                new Bits(workerIdBits + sequenceBits, ID_BITS - workerIdBits - sequenceBits),
                new Bits(sequenceBits, workerIdBits),
                new Bits(0, sequenceBits));
    }

    /** All that have a name, ours first. */
    public static Map<String, IdLayout> known() {
        return Collections.unmodifiableMap(KNOWN);
    }

    /** What may be typed. */
    public static String accepted() {
        return String.join(", ", KNOWN.keySet()) + ", or EPOCH,WORKER_ID_BITS,SEQUENCE_BITS[,UNIT]"
                + " such as 2020-01-01T00:00:00Z,10,12 or 2016-05-19T16:00:00Z,22,13,PT1S";
    }

    /** @throws IllegalArgumentException with what is wrong, and what is accepted */
    public static IdLayout parse(String text) {
        IdLayout known = KNOWN.get(text);
        if (known != null) {
            return known;
        }
        String[] parts = text.split(",", -1);
        if (parts.length < 3 || parts.length > 4) {
            throw new IllegalArgumentException("'" + text + "' is no layout. Write one of " + accepted() + ".");
        }
        try {
            return of(
                    text,
                    Instant.parse(parts[0]),
                    parts.length == 3 ? MILLISECOND : Duration.parse(parts[3]),
                    bits(parts[1]),
                    bits(parts[2]));
        } catch (DateTimeException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no layout: " + e.getMessage() + ". Write one of " + accepted() + ".", e);
        }
    }

    private static int bits(String text) {
        int bits = Integer.parseInt(text);
        if (bits < 1 || bits > 24) {
            throw new IllegalArgumentException(text + " bits are not between 1 and 24");
        }
        return bits;
    }

    public Instant timestampOf(long id) {
        return Instant.ofEpochMilli(millisOf(id));
    }

    long millisOf(long id) {
        return epoch.toEpochMilli() + timestamp.of(id) * unit.toMillis();
    }

    /** For people. */
    public String described() {
        return (KNOWN.containsKey(name) ? name : "given") + ": " + timestamp.count() + " bits of "
                + (unit.equals(MILLISECOND) ? "milliseconds" : "units of " + unit) + " since " + epoch + ", "
                + workerId.count() + " of worker id, " + sequence.count() + " of sequence"
                + (workerId.shift() > timestamp.shift() ? ", the worker id highest" : "");
    }
}
