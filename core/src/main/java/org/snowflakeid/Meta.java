// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.Stored;

/**
 * The record of a namespace: its identity, its layout, and what every claim in it must respect.
 *
 * @param stored exactly as read or written, to compare with
 * @param floor no claim begins below this tick
 * @param maxWindow the longest window any generator here reserves
 */
record Meta(
        Stored stored, String id, boolean active, SnowflakeLayout layout, long floor, Duration maxWindow, Pairs pairs) {

    private static final String FORMAT = "1";

    /** @throws IllegalArgumentException if the value was not written by this library, or by a newer one with another format */
    static Meta parse(Stored stored) {
        Pairs pairs = Pairs.parse(stored.value());
        if (!pairs.text("format").equals(FORMAT)) {
            throw new IllegalArgumentException("format " + pairs.text("format") + " is not " + FORMAT);
        }
        try {
            SnowflakeLayout layout = new SnowflakeLayout(
                    Instant.parse(pairs.text("epoch")),
                    Math.toIntExact(pairs.number("worker-id-bits")),
                    Math.toIntExact(pairs.number("sequence-bits")));
            return new Meta(
                    stored,
                    pairs.text("id"),
                    pairs.text("state").equals("active"),
                    layout,
                    pairs.number("floor"),
                    Duration.parse(pairs.text("max-window")),
                    pairs);
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    static String create(String id, SnowflakeLayout layout, Duration maxWindow, long floor, Instant created) {
        return Pairs.NONE
                .with("id", id)
                .with("state", "active")
                .with("format", FORMAT)
                .with("epoch", layout.epoch())
                .with("worker-id-bits", layout.workerIdBits())
                .with("sequence-bits", layout.sequenceBits())
                .with("max-window", maxWindow)
                .with("floor", floor)
                .with("created", created)
                .toString();
    }

    String withMaxWindow(Duration window) {
        return pairs.with("max-window", window).toString();
    }

    /** Where a retired namespace goes on; empty if it is to go on in its place. */
    Optional<String> movedTo() {
        return Optional.ofNullable(pairs.entries().get("moved-to"));
    }

    /** The id of the namespace that this one took the place of. */
    Optional<String> replaces() {
        return Optional.ofNullable(pairs.entries().get("replaces"));
    }

    /** @param movedTo null: it is to go on in its place */
    static String retired(Pairs pairs, @Nullable String movedTo) {
        Pairs retired = pairs.with("state", "retired");
        return (movedTo == null ? retired : retired.with("moved-to", movedTo)).toString();
    }

    /** @param replaces the id of what it takes the place of */
    static String successor(Pairs pairs, String replaces, String id, Duration maxWindow, long floor) {
        return pairs.with("id", id)
                .with("state", "active")
                .with("max-window", maxWindow)
                .with("floor", floor)
                .with("replaces", replaces)
                .toString();
    }
}
