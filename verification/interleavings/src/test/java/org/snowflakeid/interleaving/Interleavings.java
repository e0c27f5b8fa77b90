// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.interleaving;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/**
 * Runs a scenario under one schedule after the other, until every schedule within a bound has been tried.
 *
 * <p>One thread runs at a time, until it waits or ends; then the first that can goes on. From that a schedule deviates a bounded
 * number of times: another thread goes on, or the running one is preempted at a point. {@link InstrumentedCore} puts a point
 * before everything in core that threads share. The search goes depth first through all places to deviate at, so the
 * same scenario always gives the same schedules. Memory is sequentially consistent here: what a processor or the compiler may
 * reorder is for the stress tests to find.
 */
public final class Interleavings {

    /**
     * @param schedules how many were tried
     * @param violation what went wrong, with the steps that lead there; null if nothing did
     */
    public record Result(long schedules, String violation) {}

    private int maxDeviations;
    private int[] choices = new int[64];
    private int[] options = new int[64];
    private int depth;
    private int length;

    private static final String CONTENTS = "contents";

    private Interleavings() {}

    /** Schedules with fewer deviations come first, and the first violation ends the search. */
    public static Result explore(int maxDeviations, Supplier<Scenario> scenarios) throws InterruptedException {
        Interleavings search = new Interleavings();
        Result[] result = new Result[1];
        Thread.ofVirtual()
                .start(() -> result[0] = search.deepen(maxDeviations, scenarios))
                .join();
        if (result[0] == null) {
            throw new IllegalStateException("the search itself failed");
        }
        return result[0];
    }

    private Result deepen(int atMost, Supplier<Scenario> scenarios) {
        Result result = new Result(0, null);
        for (maxDeviations = 0; maxDeviations <= atMost && result.violation() == null; maxDeviations++) {
            result = all(result.schedules(), scenarios);
        }
        return result;
    }

    private Result all(long before, Supplier<Scenario> scenarios) {
        long schedules = before;
        length = 0;
        do {
            depth = 0;
            schedules++;
            Schedule schedule = new Schedule(this);
            String violation = schedule.run(scenarios.get());
            if (violation != null) {
                return new Result(schedules, violation);
            }
            length = depth;
        } while (advance());
        return new Result(schedules, null);
    }

    /** Moves to the next branch of the search. */
    private boolean advance() {
        while (length > 0 && choices[length - 1] + 1 == options[length - 1]) {
            length--;
        }
        if (length > 0) {
            choices[length - 1]++;
        }
        return length > 0;
    }

    int maxDeviations() {
        return maxDeviations;
    }

    int choose(int among) {
        if (among == 1) {
            return 0;
        }
        if (depth == choices.length) {
            choices = Arrays.copyOf(choices, 2 * depth);
            options = Arrays.copyOf(options, 2 * depth);
        }
        if (depth >= length) {
            choices[depth] = 0;
            options[depth] = among;
        } else if (options[depth] != among) {
            throw new IllegalStateException("the scenario took another course under the same schedule: " + among
                    + " ways to go on instead of " + options[depth]);
        }
        return choices[depth++];
    }

    // ---- called by the instrumented classes

    /** The running thread is about to read a volatile field; {@code owner} is null for a static one. */
    public static void readVolatile(Object owner, String field, boolean point) {
        Schedule schedule = Schedule.present;
        if (schedule != null) {
            if (point) {
                schedule.point("read " + field);
            }
            schedule.memory().acquire(owner, field);
        }
    }

    /** The running thread is about to write a volatile field. */
    public static void writeVolatile(Object owner, String field, boolean point) {
        Schedule schedule = Schedule.present;
        if (schedule != null) {
            if (point) {
                schedule.point("write " + field);
            }
            schedule.memory().release(owner, field);
        }
    }

    /** The running thread is about to read a field that is not made for several threads. */
    public static void readPlain(Object owner, String field) {
        Schedule schedule = Schedule.present;
        if (schedule != null) {
            schedule.access(owner, field, false);
        }
    }

    /** The running thread is about to write a field that is not made for several threads. */
    public static void writePlain(Object owner, String field) {
        Schedule schedule = Schedule.present;
        if (schedule != null) {
            schedule.access(owner, field, true);
        }
    }

    /** The running thread is about to call an atomic or a collection made for several threads. */
    public static void beforeShared(String what, Object receiver, boolean writes) {
        Schedule schedule = Schedule.present;
        if (schedule != null) {
            schedule.point(what);
            if (!what.endsWith(".set")) {
                schedule.memory().acquire(receiver, CONTENTS);
            }
        }
    }

    /** The running thread is about to call a collection of some kind. */
    public static void beforeCollection(String what, Object receiver, boolean writes) {
        Schedule schedule = Schedule.present;
        if (receiver instanceof ConcurrentMap || receiver instanceof ConcurrentLinkedQueue) {
            beforeShared(what, receiver, writes);
        } else if (schedule != null) {
            schedule.access(receiver, what.substring(0, what.indexOf('.')), writes);
        }
    }

    public static void afterShared(Object receiver, boolean writes) {
        Schedule schedule = Schedule.present;
        if (schedule != null && writes) {
            schedule.memory().release(receiver, CONTENTS);
        }
    }

    /** A comparison that failed writes nothing. */
    public static boolean afterCompare(boolean done, Object receiver) {
        afterShared(receiver, done);
        return done;
    }

    /** The running thread enters a monitor, once it is free. */
    public static void enter(Object monitor) {
        Schedule schedule = Schedule.present;
        if (schedule != null) {
            schedule.enter(monitor);
        }
    }

    /** The running thread leaves a monitor. */
    public static void exit(Object monitor) {
        Schedule schedule = Schedule.present;
        if (schedule != null) {
            schedule.exit(monitor);
        }
    }

    static String describe(List<String> steps, String what) {
        List<String> lines = new ArrayList<>(List.of(what, "after"));
        lines.addAll(steps);
        return String.join("\n  ", lines);
    }
}
