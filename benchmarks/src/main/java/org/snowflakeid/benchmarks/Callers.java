// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Threads that take ids from one generator as fast as they get them, until they are stopped. */
final class Callers implements AutoCloseable {

    /** Ids between two looks at the clock and at whether to stop. */
    private static final int IDS = 64;

    /** So far apart that two threads never write to the same line of the cache. */
    private static final int APART = 16;

    private final Subject subject;
    private final Generator generator;
    private final AtomicLongArray taken;
    private final long[] maxAhead;
    private final long[] lastAhead;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile boolean stopped;

    private Callers(Subject subject, int count) {
        this.subject = subject;
        this.generator = subject.open();
        this.taken = new AtomicLongArray((count + 1) * APART);
        this.maxAhead = new long[count];
        this.lastAhead = new long[count];
    }

    static Callers platformThreads(Subject subject, int count) {
        Callers callers = new Callers(subject, count);
        for (int i = 0; i < count; i++) {
            int caller = i;
            Thread thread = new Thread(() -> callers.run(caller), "caller-" + i);
            callers.threads.add(thread);
            thread.start();
        }
        return callers;
    }

    /** @param starter {@code Thread.startVirtualThread}, which Java 17 does not have */
    static Callers virtualThreads(Subject subject, int count, Method starter) throws ReflectiveOperationException {
        Callers callers = new Callers(subject, count);
        for (int i = 0; i < count; i++) {
            int caller = i;
            Runnable body = () -> callers.run(caller);
            callers.threads.add((Thread) starter.invoke(null, body));
        }
        return callers;
    }

    private void run(int caller) {
        try {
            take(caller);
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    private void take(int caller) {
        long count = 0;
        long mix = 0;
        long max = Long.MIN_VALUE;
        long ahead = Long.MIN_VALUE; // of a thread that never got to run
        while (!stopped) {
            long id = 0;
            for (int i = 0; i < IDS; i++) {
                id = generator.nextId();
                mix ^= id;
            }
            // The clock comes second: a thread preempted in between sees less, never more, than there was.
            ahead = subject.time().millis(id) - System.currentTimeMillis();
            max = Math.max(max, ahead);
            count += IDS;
            taken.lazySet((caller + 1) * APART, count);
        }
        maxAhead[caller] = max;
        lastAhead[caller] = ahead;
        Sink.mixed = mix;
    }

    long taken() {
        long sum = 0;
        for (int i = APART; i < taken.length(); i += APART) {
            sum += taken.get(i);
        }
        return sum;
    }

    /** Ends all threads. */
    void stop() {
        stopped = true;
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while ending callers", e);
        }
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new IllegalStateException(subject.name() + " failed: " + thrown, thrown);
        }
    }

    /** By how many milliseconds ids were ahead of the clock at most. After the end. */
    long maxAhead() {
        long max = Long.MIN_VALUE;
        for (long ahead : maxAhead) {
            max = Math.max(max, ahead);
        }
        return max;
    }

    /** By how many milliseconds the last ids were ahead of the clock; negative if behind. After the end. */
    long lastAhead() {
        long max = Long.MIN_VALUE;
        for (long ahead : lastAhead) {
            max = Math.max(max, ahead);
        }
        return max;
    }

    @Override
    public void close() {
        try {
            stop();
        } finally {
            generator.close();
        }
    }
}
