// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.List;

/** How long 100,000 ids take that are wanted at once, after a time without any. */
final class Burst {

    private static final int IDS = 100_000;
    private static final long IDLE_MILLIS = 100;

    private Burst() {}

    static void measure(Subject subject, Windows windows, Figures figures) throws Exception {
        for (int i = 0; i < 3; i++) {
            millis(subject);
        }
        List<Figure> measured = windows.measure(() -> List.of(millis(subject)));
        figures.put("burst", measured.get(0));
    }

    private static double millis(Subject subject) throws InterruptedException {
        try (Generator generator = subject.open()) {
            generator.nextId();
            // Counted into the window: the burst alone is too short to see what others take.
            Thread.sleep(IDLE_MILLIS);
            long begin = System.nanoTime();
            Sink.take(generator, IDS);
            return (System.nanoTime() - begin) / 1e6;
        }
    }
}
