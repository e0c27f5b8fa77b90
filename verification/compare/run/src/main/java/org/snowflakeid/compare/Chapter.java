// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import static org.snowflakeid.compare.Event.Kind.FREEZE_COORDINATOR;
import static org.snowflakeid.compare.Event.Kind.KILL;
import static org.snowflakeid.compare.Event.Kind.PAUSE;
import static org.snowflakeid.compare.Event.Kind.RESUME;
import static org.snowflakeid.compare.Event.Kind.START;
import static org.snowflakeid.compare.Event.Kind.THAW_COORDINATOR;
import static org.snowflakeid.compare.Event.Kind.WIPE_COORDINATOR;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** A part of the schedule, with one kind of fault. Fresh processes are started together at its beginning, and stopped in order at its end. */
enum Chapter {
    CALM("no fault; three processes start at the same time") {
        @Override
        List<Event> draw(Random random) {
            return List.of();
        }
    },

    PAUSES(
            "one process is paused for less than a lease, one for more than two; meanwhile two others start, since there are four worker ids where their number can be set") {
        @Override
        List<Event> draw(Random random) {
            double shortPause = between(random, 0.5, 1.5);
            double longPause = between(random, 1, 2);
            double newcomers = longPause + LEASE_SECONDS * between(random, 1.2, 1.5);
            return List.of(
                    Event.of(shortPause, PAUSE, "A"),
                    Event.of(shortPause + LEASE_SECONDS * between(random, 0.2, 0.5), RESUME, "A"),
                    Event.of(longPause, PAUSE, "B"),
                    Event.of(newcomers, START, "D"),
                    Event.of(newcomers, START, "E"),
                    Event.of(longPause + LEASE_SECONDS * between(random, 2.3, 2.8), RESUME, "B"));
        }
    },

    KILLS("two processes are killed and started again within two seconds") {
        @Override
        List<Event> draw(Random random) {
            double first = between(random, 1, 2);
            double second = between(random, 5, 6);
            return List.of(
                    Event.of(first, KILL, "A"),
                    Event.of(first + between(random, 0.1, 1.5), START, "A"),
                    Event.of(second, KILL, "B"),
                    Event.of(second + between(random, 0.1, 1.5), START, "B"));
        }
    },

    CLOCKS(
            "three processes have clocks that are set: back by less than a second, back by some seconds, ahead by up to a minute, and right again; then one is killed and started again with a clock that is some seconds behind") {
        @Override
        List<Event> draw(Random random) {
            double first = between(random, 1, 2);
            return List.of(
                    Event.clock(first, "A", -Math.round(between(random, 100, 900))),
                    Event.clock(first + between(random, 3, 4), "A", 0),
                    Event.clock(first, "B", -Math.round(between(random, 3_000, 8_000))),
                    Event.clock(first + between(random, 5, 7), "B", 0),
                    Event.clock(first, "C", Math.round(between(random, 20_000, 60_000))),
                    Event.clock(first + between(random, 3, 5), "C", 0),
                    Event.of(10, KILL, "A"),
                    Event.clock(10.1, "A", -Math.round(between(random, 2_000, 5_000))),
                    Event.of(10.2, START, "A"));
        }
    },

    FROZEN(
            "the coordinator answers nothing for two and a half leases; meanwhile one process is killed and started again") {
        @Override
        List<Event> draw(Random random) {
            double kill = between(random, 3, 5);
            return List.of(
                    Event.of(1, FREEZE_COORDINATOR, ""),
                    Event.of(kill, KILL, "C"),
                    Event.of(kill + between(random, 0.1, 1.5), START, "C"),
                    Event.of(1 + LEASE_SECONDS * 2.5, THAW_COORDINATOR, ""));
        }
    },

    TWINS(
            "two processes start at the same time, each in a PID namespace of its own, as in two containers: the same host name, address, port and process id") {
        @Override
        List<Event> draw(Random random) {
            return List.of();
        }

        @Override
        List<String> first() {
            return List.of("A", "B");
        }
    },

    WIPED("the coordinator loses all its data while three processes run, and a fourth starts at once") {
        @Override
        List<Event> draw(Random random) {
            double wipe = between(random, 1, 2);
            return List.of(
                    Event.of(wipe, WIPE_COORDINATOR, ""), Event.of(wipe + between(random, 0.1, 0.5), START, "D"));
        }
    };

    /** Of those whose lease can be set. */
    static final int LEASE_SECONDS = 8;

    private final String explanation;

    Chapter(String explanation) {
        this.explanation = explanation;
    }

    abstract List<Event> draw(Random random);

    /** Who is started at its beginning. */
    List<String> first() {
        return List.of("A", "B", "C");
    }

    boolean needsCoordinator() {
        return this == FROZEN || this == WIPED;
    }

    String explanation() {
        return explanation;
    }

    /** What happens in it in some round, and for how long; all of it follows from the seed. */
    Plan plan(long seed, int round) {
        Random random = new Random(31 * (31 * seed + round) + salt());
        List<Event> events = new ArrayList<>(draw(random));
        events.sort(null);
        Duration last =
                events.isEmpty() ? Duration.ZERO : events.get(events.size() - 1).at();
        return new Plan(this, round, List.copyOf(events), last.plusSeconds(LEASE_SECONDS));
    }

    /** By name, so that another chapter in between changes nothing. */
    private int salt() {
        return name().hashCode();
    }

    /** @param round how often this chapter was there before */
    record Plan(Chapter chapter, int round, List<Event> events, Duration length) {}

    private static double between(Random random, double least, double most) {
        return least + (most - least) * random.nextDouble();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
