// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.interleaving;

import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * What happens before what in one run, by the rules of the Java memory model: a vector clock for each thread, and for each volatile field,
 * atomic, shared collection and monitor the clocks of those who wrote to it. Two accesses to a plain field, one of them a write, of which
 * neither happens before the other are a data race.
 */
final class Memory {

    private static final int MOST_THREADS = 16;
    private static final Object STATIC = new Object();

    private final int[][] clocks = new int[MOST_THREADS][MOST_THREADS];
    private final IdentityHashMap<Object, Map<String, int[]>> released = new IdentityHashMap<>();
    private final IdentityHashMap<Object, Map<String, Accesses>> accesses = new IdentityHashMap<>();
    private int running;

    /** Of one plain field: when each thread read it, and who wrote it last. */
    private static final class Accesses {
        final int[] reads = new int[MOST_THREADS];
        int writer = -1;
        int written;
    }

    Memory() {
        for (int thread = 0; thread < MOST_THREADS; thread++) {
            clocks[thread][thread] = 1;
        }
    }

    void run(int thread) {
        running = thread;
    }

    /** All that {@code parent} has done until now happens before all that {@code child} does. */
    void begins(int child, int parent) {
        join(clocks[child], clocks[parent]);
        clocks[parent][parent]++;
    }

    private static void join(int[] clock, int[] other) {
        for (int thread = 0; thread < MOST_THREADS; thread++) {
            clock[thread] = Math.max(clock[thread], other[thread]);
        }
    }

    void acquire(Object owner, String field) {
        Map<String, int[]> fields = released.get(owner == null ? STATIC : owner);
        int[] clock = fields == null ? null : fields.get(field);
        if (clock != null) {
            join(clocks[running], clock);
        }
    }

    void release(Object owner, String field) {
        int[] mine = clocks[running];
        int[] clock = released.computeIfAbsent(owner == null ? STATIC : owner, key -> new HashMap<>(4))
                .computeIfAbsent(field, key -> new int[MOST_THREADS]);
        join(clock, mine);
        mine[running]++;
    }

    /** @return the thread with which it is a data race; -1 if it is none */
    int access(Object owner, String field, boolean write) {
        Accesses all = accesses.computeIfAbsent(owner == null ? STATIC : owner, key -> new HashMap<>(8))
                .computeIfAbsent(field, key -> new Accesses());
        int[] mine = clocks[running];
        if (all.writer >= 0 && all.writer != running && all.written > mine[all.writer]) {
            return all.writer;
        }
        if (write) {
            for (int thread = 0; thread < MOST_THREADS; thread++) {
                if (thread != running && all.reads[thread] > mine[thread]) {
                    return thread;
                }
            }
            Arrays.fill(all.reads, 0);
            all.writer = running;
            all.written = mine[running];
        } else {
            all.reads[running] = mine[running];
        }
        return -1;
    }
}
