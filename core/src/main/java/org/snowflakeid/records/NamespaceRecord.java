// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.records;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.spi.Stored;

/**
 * The record of a namespace: its identity, its layout, and what every claim in it must respect.
 *
 * @param stored exactly as read or written, to compare with
 * @param floor no claim begins below this tick; 0 to the layout's last tick
 * @param maxWindow the longest window any generator here reserves; more than 0, at most {@link #LONGEST_WINDOW}
 */
public record NamespaceRecord(
        Stored stored,
        String id,
        NamespaceState state,
        SnowflakeLayout layout,
        long floor,
        Duration maxWindow,
        RecordLine pairs) {

    /** Far more than can be configured. A longer one was not written by this library. */
    public static final Duration LONGEST_WINDOW = Duration.ofDays(1);

    private static final String FORMAT = "1";
    private static final Instant FIRST_EPOCH = Instant.EPOCH;
    private static final Instant LAST_EPOCH = Instant.parse("9999-12-31T23:59:59.999Z");

    private static final String STATE = "state";
    private static final String MOVED_TO = "moved-to";
    private static final String SUCCESSOR = "successor";
    private static final String REPLACES = "replaces";

    /**
     * @throws IllegalArgumentException if the value was not written by this library, or by a newer version with another format. Absurd or
     *     contradictory values were edited: better no ids than a floor that cannot be computed with
     */
    public static NamespaceRecord parse(Stored stored) {
        RecordLine pairs = RecordLine.parse(stored.value());
        if (!pairs.text("format").equals(FORMAT)) {
            throw new IllegalArgumentException("format " + pairs.text("format") + " is not " + FORMAT);
        }
        try {
            SnowflakeLayout layout = new SnowflakeLayout(
                    epoch(pairs),
                    Math.toIntExact(pairs.number("worker-id-bits")),
                    Math.toIntExact(pairs.number("sequence-bits")));
            return new NamespaceRecord(
                    stored, pairs.text("id"), state(pairs), layout, floor(pairs, layout), maxWindow(pairs), pairs);
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static Instant epoch(RecordLine pairs) {
        Instant epoch = Instant.parse(pairs.text("epoch"));
        if (epoch.isBefore(FIRST_EPOCH) || epoch.isAfter(LAST_EPOCH)) {
            throw new IllegalArgumentException("epoch=" + epoch + " is not between 1970 and 9999");
        }
        return epoch;
    }

    private static long floor(RecordLine pairs, SnowflakeLayout layout) {
        long floor = pairs.number("floor");
        if (floor < 0 || floor > layout.lastTick()) {
            throw new IllegalArgumentException("floor=" + floor + " is not between 0 and " + layout.lastTick());
        }
        return floor;
    }

    private static Duration maxWindow(RecordLine pairs) {
        Duration window = Duration.parse(pairs.text("max-window"));
        if (window.isNegative() || window.isZero() || window.compareTo(LONGEST_WINDOW) > 0) {
            throw new IllegalArgumentException(
                    "max-window=" + window + " is not more than PT0S and at most " + LONGEST_WINDOW);
        }
        return window;
    }

    private static NamespaceState state(RecordLine pairs) {
        boolean leaves =
                pairs.entries().containsKey(MOVED_TO) || pairs.entries().containsKey(SUCCESSOR);
        String state = pairs.text(STATE);
        switch (state) {
            case "active" -> {
                if (leaves) {
                    throw new IllegalArgumentException("state=active contradicts moved-to and successor");
                }
                return NamespaceState.ACTIVE;
            }
            case "reserved" -> {
                pairs.text(REPLACES);
                return NamespaceState.RESERVED;
            }
            case "retired" -> {
                return leaves ? NamespaceState.MOVING : NamespaceState.RESTORING;
            }
            case "moved" -> {
                pairs.text(SUCCESSOR);
                return NamespaceState.MOVED;
            }
            default -> throw new IllegalArgumentException("state=" + state + " is unknown");
        }
    }

    /** Whether worker ids are claimed and extended under it. */
    public boolean active() {
        return state == NamespaceState.ACTIVE;
    }

    /** Where a namespace goes on, for people; empty if it is to go on in its place. */
    public Optional<String> movedTo() {
        return pair(MOVED_TO);
    }

    /** The id of the one namespace that may take the place of this one elsewhere; early versions did not note it. */
    public Optional<String> successor() {
        return pair(SUCCESSOR);
    }

    /** The id of the namespace that this one took the place of, or is reserved for. */
    public Optional<String> replaces() {
        return pair(REPLACES);
    }

    private Optional<String> pair(String key) {
        return Optional.ofNullable(pairs.entries().get(key));
    }

    /** The longest window of all, where one generator has {@code other}. */
    public Duration longestWindow(Duration other) {
        return maxWindow.compareTo(other) > 0 ? maxWindow : other;
    }

    // ---- the values that are written; each one differs from all before it

    public static String create(String id, SnowflakeLayout layout, Duration maxWindow, long floor, Instant created) {
        return RecordLine.NONE
                .with("id", id)
                .with(STATE, "active")
                .with("format", FORMAT)
                .with("epoch", layout.epoch())
                .with("worker-id-bits", layout.workerIdBits())
                .with("sequence-bits", layout.sequenceBits())
                .with("max-window", maxWindow)
                .with("floor", floor)
                .with("created", created)
                .toString();
    }

    public String withMaxWindow(Duration window) {
        return pairs.with("max-window", window).toString();
    }

    /**
     * No process claims under it until it is put {@link #inUse in use}, after the namespace that it is reserved for was retired.
     *
     * @param created as {@link #create} gives it
     * @param replaces the id of the namespace it is reserved for
     */
    public static String reserved(String created, String replaces) {
        return RecordLine.parse(created)
                .with(STATE, "reserved")
                .with(REPLACES, replaces)
                .toString();
    }

    /** What was reserved is put in use. */
    public String inUse(Duration longestWindow, long aboveAll) {
        return pairs.with(STATE, "active")
                .with("max-window", longestWindow)
                .with("floor", aboveAll)
                .toString();
    }

    /** It is to be replaced in its place. */
    public String retired() {
        return pairs.without(MOVED_TO).without(SUCCESSOR).with(STATE, "retired").toString();
    }

    /** It is to go on elsewhere. */
    public String retired(String movedTo, String successor) {
        return pairs.with(STATE, "retired")
                .with(MOVED_TO, movedTo)
                .with(SUCCESSOR, successor)
                .toString();
    }

    /** It goes on elsewhere. */
    public String moved(String successor) {
        return pairs.with(STATE, "moved").with(SUCCESSOR, successor).toString();
    }

    /** Takes the place of this one where it is. */
    public String restored(String newId, Duration longestWindow, long aboveAll) {
        return pairs.with("id", newId)
                .with(STATE, "active")
                .with("max-window", longestWindow)
                .with("floor", aboveAll)
                .with(REPLACES, id)
                .toString();
    }
}
