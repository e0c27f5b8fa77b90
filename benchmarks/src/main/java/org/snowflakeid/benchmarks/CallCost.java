// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What a call costs while ids are there: only the first thousand of a millisecond are timed, so that no call waits for the next.
 */
final class CallCost {

    private static final int IDS = 1_000;
    private static final int ROUNDS = 200;

    /** Two threads that begin further apart than this were not there at once. */
    private static final long AT_ONCE_NANOS = 15_000;

    private static final int PACED_CALLS = 200_000;
    private static final long PACE_NANOS = 1_000;

    private CallCost() {}

    static void solo(Subject subject, Windows windows, Figures figures) throws Exception {
        measure(subject, windows, figures, List.of("solo"), generator -> {
            double[] nanos = new double[ROUNDS];
            for (int i = 0; i < ROUNDS; i++) {
                awaitNextMillisecond();
                long begin = System.nanoTime();
                Sink.take(generator, IDS);
                nanos[i] = (double) (System.nanoTime() - begin) / IDS;
            }
            Arrays.sort(nanos);
            return List.of(Percentile.of(nanos, 0.5));
        });
    }

    /** For the pair: half of what one thread pays if the two don't hinder each other, as much or more if they queue. */
    static void two(Subject subject, Windows windows, Figures figures) throws Exception {
        measure(subject, windows, figures, List.of("two.p50", "two.p90"), CallCost::twoAtOnce);
    }

    private static List<Double> twoAtOnce(Generator generator) throws InterruptedException {
        long start = awaitNextMillisecond() + 3_000_000;
        Taker one = new Taker(generator, start);
        Taker other = new Taker(generator, start);
        one.start();
        other.start();
        one.join();
        other.join();
        double[] nanos = new double[ROUNDS];
        int rounds = 0;
        for (int i = 0; i < ROUNDS; i++) {
            if (Math.abs(one.begun[i] - other.begun[i]) <= AT_ONCE_NANOS) {
                long both = Math.max(one.ended[i], other.ended[i]) - Math.min(one.begun[i], other.begun[i]);
                nanos[rounds++] = both / (2.0 * IDS);
            }
        }
        if (rounds < ROUNDS / 10) {
            return List.of(Double.NaN, Double.NaN);
        }
        Arrays.sort(nanos, 0, rounds);
        double[] sorted = Arrays.copyOf(nanos, rounds);
        return List.of(Percentile.of(sorted, 0.5), Percentile.of(sorted, 0.9));
    }

    /** Begins a round every two milliseconds, just after a millisecond begins. */
    private static final class Taker extends Thread {
        private final Generator generator;
        private final long start;
        private final long[] begun = new long[ROUNDS];
        private final long[] ended = new long[ROUNDS];

        Taker(Generator generator, long start) {
            this.generator = generator;
            this.start = start;
        }

        @Override
        public void run() {
            for (int i = 0; i < ROUNDS; i++) {
                begun[i] = awaitNanos(start + 20_000 + i * 2_000_000L);
                Sink.take(generator, IDS);
                ended[i] = System.nanoTime();
            }
        }
    }

    /** One call each microsecond; what was missed is not caught up on. A reading of the timer is in each of the times. */
    static void paced(Subject subject, Windows windows, Figures figures) throws Exception {
        int[] nanos = new int[PACED_CALLS];
        measure(subject, windows, figures, List.of("paced.p50", "paced.p99", "paced.p99.9"), generator -> {
            pace(generator, nanos);
            Arrays.sort(nanos);
            return Stream.of(0.5, 0.99, 0.999)
                    .map(share -> (double) Percentile.of(nanos, share))
                    .toList();
        });
    }

    private static void pace(Generator generator, int[] nanos) {
        long mix = 0;
        long due = System.nanoTime();
        for (int i = 0; i < nanos.length; i++) {
            long begin = awaitNanos(due);
            mix ^= generator.nextId();
            nanos[i] = (int) (System.nanoTime() - begin);
            due = Math.max(due + PACE_NANOS, begin);
        }
        Sink.mixed = mix;
    }

    /** Leaves no figures for those without a call for many ids. */
    static void batch(Subject subject, Windows windows, Figures figures) throws Exception {
        useHeap();
        batches(subject, windows, figures, "batch", Generator.InBatches.class, generator -> generator.nextIds(IDS));
    }

    /** As {@link #batch}, for those that fill an array of the caller's: the same one each time. */
    static void into(Subject subject, Windows windows, Figures figures) throws Exception {
        long[] ids = new long[IDS];
        batches(subject, windows, figures, "into", Generator.IntoArrays.class, generator -> {
            generator.nextIds(ids, 0, IDS);
            return ids;
        });
    }

    private static <T> void batches(
            Subject subject, Windows windows, Figures figures, String name, Class<T> kind, Function<T, Object> call)
            throws Exception {
        try (Generator probe = subject.open()) {
            if (!kind.isInstance(probe)) {
                return;
            }
        }
        measure(subject, windows, figures, List.of(name), generator -> {
            T batches = kind.cast(generator);
            double[] nanos = new double[ROUNDS];
            for (int i = 0; i < ROUNDS; i++) {
                awaitNextMillisecond();
                long begin = System.nanoTime();
                Sink.batch = call.apply(batches);
                nanos[i] = (double) (System.nanoTime() - begin) / IDS;
            }
            Arrays.sort(nanos);
            return List.of(Percentile.of(nanos, 0.5));
        });
    }

    /** The first use of memory costs a page fault for every 4 KiB: more than the ids in it. Until the heap has stopped growing. */
    private static void useHeap() {
        long before;
        do {
            before = Runtime.getRuntime().totalMemory();
            for (int i = 0; i < 100_000; i++) {
                Sink.batch = new long[IDS];
            }
        } while (Runtime.getRuntime().totalMemory() != before);
    }

    private interface Body {
        List<Double> measure(Generator generator) throws Exception;
    }

    private static void measure(Subject subject, Windows windows, Figures figures, List<String> names, Body body)
            throws Exception {
        for (int i = 0; i < 2; i++) {
            try (Generator warmUp = subject.open()) {
                body.measure(warmUp);
            }
        }
        try (Generator generator = subject.open()) {
            List<Figure> measured = windows.measure(() -> body.measure(generator));
            for (int i = 0; i < measured.size(); i++) {
                figures.put(names.get(i), measured.get(i));
            }
        }
    }

    /** Returns when it began, on the timer. */
    private static long awaitNextMillisecond() {
        long now = System.currentTimeMillis();
        while (System.currentTimeMillis() == now) {
            Thread.onSpinWait();
        }
        return System.nanoTime();
    }

    /** Returns the first reading of the timer that is late enough. */
    private static long awaitNanos(long due) {
        long now = System.nanoTime();
        while (now - due < 0) {
            now = System.nanoTime();
        }
        return now;
    }
}
