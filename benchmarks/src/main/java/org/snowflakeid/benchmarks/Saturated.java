// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.List;

/** The rate beside the ceiling, the CPU an id costs, and how far the ids' time departs from the clock: under full load. */
final class Saturated {

    /** Ids a second that 12 bits of sequence allow. */
    static final double CEILING = 4_096_000;

    static final List<Integer> THREADS = List.of(1, 2, 4, 8);

    private static final int VIRTUAL_THREADS = 1_000;
    private static final long WARM_UP_MILLIS = 300;
    private static final long WINDOW_MILLIS = 250;

    private Saturated() {}

    static void byPlatformThreads(Subject subject, Windows windows, Figures figures) throws Exception {
        for (int count : THREADS) {
            measure("saturated-" + count, subject, () -> Callers.platformThreads(subject, count), windows, figures);
        }
    }

    /** Leaves no figures on a JDK without virtual threads. */
    static void byVirtualThreads(Subject subject, Windows windows, Figures figures) throws Exception {
        if (Runtime.version().feature() >= 21) {
            Method starter = Thread.class.getMethod("startVirtualThread", Runnable.class);
            measure(
                    "virtual",
                    subject,
                    () -> Callers.virtualThreads(subject, VIRTUAL_THREADS, starter),
                    windows,
                    figures);
        }
    }

    private interface Start {
        Callers begin() throws ReflectiveOperationException;
    }

    private static void measure(String name, Subject subject, Start start, Windows windows, Figures figures)
            throws Exception {
        try (Callers warmUp = start.begin()) {
            Thread.sleep(WARM_UP_MILLIS);
            warmUp.stop();
        }
        long length = Math.max(WINDOW_MILLIS, subject.cycleMillis());
        try (Callers callers = start.begin()) {
            Thread.sleep(50);
            CpuTime cpu = new CpuTime();
            List<Figure> measured = windows.measure(() -> {
                Reading before = now(callers, cpu);
                Thread.sleep(length);
                Reading after = now(callers, cpu);
                return List.of(after.ratioSince(before), after.cpuPerMillionSince(before));
            });
            callers.stop();
            figures.put(name + ".ratio", measured.get(0));
            figures.put(name + ".cpu", measured.get(1));
            figures.put(name + ".max-ahead", Figure.counted((double) callers.maxAhead()));
            figures.put(name + ".end-ahead", Figure.counted((double) callers.lastAhead()));
        }
    }

    /** The ids at one moment, and the time of their threads soon after: to look at each takes a while. */
    private static Reading now(Callers callers, CpuTime cpu) throws IOException {
        Reading ids = Reading.atOnce(callers::taken, () -> 0);
        return new Reading(ids.nanos(), ids.ids(), cpu.nanos());
    }
}
