// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.Arrays;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/** How many ids came twice while eight threads took 200,000 each. */
final class Duplicates {

    private static final int THREADS = 8;
    private static final int IDS = 200_000;

    private Duplicates() {}

    static void measure(Subject subject, Figures figures) throws Exception {
        figures.put("duplicates", Figure.counted((double) count(subject, IDS)));
    }

    static long count(Subject subject, int idsPerThread) throws Exception {
        long[] ids = new long[THREADS * idsPerThread];
        CyclicBarrier together = new CyclicBarrier(THREADS);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (Generator generator = subject.open()) {
            for (Future<?> done : IntStream.range(0, THREADS)
                    .mapToObj(thread -> threads.submit(() -> {
                        together.await();
                        for (int i = thread * idsPerThread; i < (thread + 1) * idsPerThread; i++) {
                            ids[i] = generator.nextId();
                        }
                        return null;
                    }))
                    .toList()) {
                done.get();
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
