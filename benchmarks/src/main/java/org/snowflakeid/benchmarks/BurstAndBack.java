// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** 64 threads that together want 0.8 of the ceiling; for a second 64 more; then 64 again. */
final class BurstAndBack {

    private static final Crowd CROWD = new Crowd(64, false, 12);
    private static final int IDS = 20;
    private static final double WANTED = 0.8;
    private static final long PERIOD_NANOS = (long) (CROWD.threads() * IDS / (WANTED * Saturated.CEILING) * 1e9);

    private static final long LEAD_IN_MILLIS = 250;
    private static final long WANTED_LEAD_IN_MILLIS = 50;
    private static final long WANTED_MILLIS = 200;

    private static final long SLICE_MILLIS = 50;
    private static final int HALF_SECOND = 10;

    /** The slices with which the burst begins, and the time after it. */
    static final int BURST = HALF_SECOND;

    static final int AFTER = BURST + 2 * HALF_SECOND;
    static final int AFTER_SLICES = 2 * HALF_SECOND;

    /** So much of the former rate is the former rate. */
    private static final double BACK = 0.9;

    private BurstAndBack() {}

    /** Takes ids at a steady pace. What it missed it does not catch up on. */
    private static final class Pace implements Runnable {
        private final long offset;
        private boolean begun;
        private long due;

        /** Spread over the period, so that they don't all come at once. */
        Pace(int caller) {
            offset = PERIOD_NANOS * caller / CROWD.threads();
        }

        @Override
        public void run() {
            long now = System.nanoTime();
            due = begun ? now + Math.max(0, due + PERIOD_NANOS - now) : now + offset;
            begun = true;
            for (long left = due - now; left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        }
    }

    static void measure(Subject subject, Windows windows, Figures figures) throws Exception {
        List<Figure> wanted = windows.fewest().measure(() -> wanted(subject));
        List<Figure> measured = windows.fewest().measure(() -> {
            List<Reading> course = course(subject);
            List<Double> values = new ArrayList<>(halfSeconds(course));
            values.add(millisUntilBack(course));
            return values;
        });
        figures.put("back.wanted", wanted.get(0));
        figures.put("back.wanted-in-burst", wanted.get(1));
        figures.put("back.before", measured.get(0));
        figures.put("back.burst-1", measured.get(1));
        figures.put("back.burst-2", measured.get(2));
        figures.put("back.after-1", measured.get(3));
        figures.put("back.after-2", measured.get(4));
        figures.put("back.millis", measured.get(5));
    }

    private static PausingCallers callers(@Nullable Generator generator, Subject subject)
            throws ReflectiveOperationException {
        return new PausingCallers(generator, subject.time(), CROWD, IDS, Pace::new);
    }

    /** What 64 of them and 128 would take if ids cost nothing. */
    private static List<Double> wanted(Subject subject) throws Exception {
        try (PausingCallers always = callers(null, subject);
                PausingCallers more = callers(null, subject)) {
            always.begin();
            double few = wanted(always, more);
            more.begin();
            double many = wanted(always, more);
            always.stop();
            more.stop();
            return List.of(few, many);
        }
    }

    private static double wanted(PausingCallers always, PausingCallers more) throws InterruptedException {
        Thread.sleep(WANTED_LEAD_IN_MILLIS);
        Reading before = now(always, more);
        Thread.sleep(WANTED_MILLIS);
        return now(always, more).ratioSince(before);
    }

    private static Reading now(PausingCallers always, PausingCallers more) {
        return Reading.atOnce(() -> always.taken() + more.taken(), () -> 0);
    }

    /** Returns a reading at the beginning of each slice, and one at the end of the last. */
    static List<Reading> course(Subject subject) throws Exception {
        List<Reading> course = new ArrayList<>();
        try (Generator generator = subject.open();
                PausingCallers always = callers(generator, subject);
                PausingCallers more = callers(generator, subject)) {
            always.begin();
            Thread.sleep(LEAD_IN_MILLIS);
            long begin = System.nanoTime();
            for (int i = 0; i <= AFTER + AFTER_SLICES; i++) {
                long rest = begin + i * SLICE_MILLIS * 1_000_000 - System.nanoTime();
                TimeUnit.NANOSECONDS.sleep(rest);
                course.add(now(always, more));
                if (i == BURST) {
                    more.begin();
                } else if (i == AFTER) {
                    more.end();
                }
            }
            always.stop();
            more.stop();
        }
        return course;
    }

    /** The share of the ceiling in each half second. */
    static List<Double> halfSeconds(List<Reading> course) {
        return IntStream.iterate(0, i -> i + HALF_SECOND < course.size(), i -> i + HALF_SECOND)
                .mapToObj(i -> course.get(i + HALF_SECOND).ratioSince(course.get(i)))
                .toList();
    }

    /** From the end of the burst to the first of two slices in a row with the former rate; infinite if there is none. */
    static double millisUntilBack(List<Reading> course) {
        double former = BACK * course.get(BURST).ratioSince(course.get(0));
        for (int i = AFTER; i + 2 < course.size(); i++) {
            Reading slice = course.get(i);
            if (course.get(i + 1).ratioSince(slice) >= former
                    && course.get(i + 2).ratioSince(course.get(i + 1)) >= former) {
                return (slice.nanos() - course.get(AFTER).nanos()) / 1e6;
            }
        }
        return Double.POSITIVE_INFINITY;
    }
}
