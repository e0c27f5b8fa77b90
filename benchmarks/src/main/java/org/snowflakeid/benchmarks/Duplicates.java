// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/**
 * How many ids came twice while eight threads took 400,000 each. They begin together again and again: a thread that has a
 * processor for itself would be done before the next one begins.
 */
final class Duplicates {

    private static final int THREADS = 8;
    private static final int ROUNDS = 40;
    private static final int IDS_PER_ROUND = 10_000;

    private Duplicates() {}

    static void measure(Subject subject, Figures figures) throws Exception {
        figures.put("duplicates", Figure.counted((double) count(subject, ROUNDS)));
    }

    static long count(Subject subject, int rounds) throws Exception {
        int each = rounds * IDS_PER_ROUND;
        long[] ids = new long[THREADS * each];
        CyclicBarrier together = new CyclicBarrier(THREADS);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (Generator generator = subject.open()) {
            List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int first = thread * each;
                all.add(threads.submit(() -> {
                    for (int i = first; i < first + each; i++) {
                        if (i % IDS_PER_ROUND == 0) {
                            together.await();
                        }
                        ids[i] = generator.nextId();
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } finally {
            threads.shutdownNow();
        }
        return repeated(ids);
    }

    static long repeated(long[] ids) {
        Arrays.sort(ids);
        return IntStream.range(1, ids.length).filter(i -> ids[i] == ids[i - 1]).count();
    }
}
