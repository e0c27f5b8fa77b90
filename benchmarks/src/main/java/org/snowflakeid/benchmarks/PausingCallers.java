// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Threads that take some ids, then pause, again and again. They don't begin before all of them are there. */
final class PausingCallers implements AutoCloseable {

    private static final long ENDING_MILLIS = 60_000;

    /** Of so many threads few write at once, and a sum over lines of their own would take longer than a moment. */
    private static final int MANY = 1_000;

    private static final int APART = 16;

    private enum Phase {
        TAKING,
        TIMED,
        ENDED
    }

    /** What a thread saw of its calls. */
    private static final class Calls {
        private final Histogram waits = new Histogram();
        private long maxAhead = Long.MIN_VALUE;
        private long lastAhead = Long.MIN_VALUE;
    }

    private final @Nullable Generator generator;
    private final IdTime time;
    private final int ids;
    private final int apart;
    private final AtomicLongArray taken;
    private final @Nullable Calls[] calls;
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch begin = new CountDownLatch(1);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile Phase phase = Phase.TAKING;
    private volatile long countedSince;

    /**
     * @param generator to be closed by the caller; none: ids cost nothing, each thread counts for itself
     * @param ids between two pauses
     * @param pauses one for each thread
     */
    PausingCallers(@Nullable Generator generator, IdTime time, Crowd crowd, int ids, IntFunction<Runnable> pauses)
            throws ReflectiveOperationException {
        this.generator = generator;
        this.time = time;
        this.ids = ids;
        this.apart = crowd.threads() > MANY ? 1 : APART;
        this.taken = new AtomicLongArray((crowd.threads() + 1) * apart);
        this.calls = new Calls[crowd.threads()];
        ThreadFactory factory = crowd.factory();
        for (int i = 0; i < crowd.threads(); i++) {
            int caller = i;
            Runnable pause = pauses.apply(i);
            Thread thread = factory.newThread(() -> run(caller, pause));
            threads.add(thread);
            thread.start();
        }
    }

    void begin() {
        begin.countDown();
    }

    private void run(int caller, Runnable pause) {
        try {
            begin.await();
            if (generator == null) {
                takeNothing(caller, pause);
            } else {
                take(generator, caller, pause);
            }
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    /** A loop of its own: the call of the other shall be the only one that the compiler sees there. */
    private void takeNothing(int caller, Runnable pause) {
        long count = 0;
        while (phase != Phase.ENDED) {
            count += ids;
            taken.lazySet((caller + 1) * apart, count);
            pause.run();
        }
    }

    private void take(Generator from, int caller, Runnable pause) {
        long count = 0;
        long mix = 0;
        while (phase != Phase.ENDED) {
            long id = 0;
            for (int i = 0; i < ids; i++) {
                boolean timed = phase != Phase.TAKING;
                long before = timed ? System.nanoTime() : 0;
                id = from.nextId();
                mix ^= id;
                if ((timed || phase != Phase.TAKING) && countedSince != 0) {
                    // A call that began before calls were timed counts from when they were counted: it may be the one
                    // that waits.
                    ofMine(caller).waits.add(System.nanoTime() - (timed ? before : countedSince));
                }
            }
            count += ids;
            taken.lazySet((caller + 1) * apart, count);
            if (countedSince != 0) {
                Calls mine = ofMine(caller);
                // The clock comes second: a thread preempted in between sees less, never more, than there was.
                mine.lastAhead = time.millis(id) - System.currentTimeMillis();
                mine.maxAhead = Math.max(mine.maxAhead, mine.lastAhead);
            }
            pause.run();
        }
        Sink.mixed = mix;
    }

    private Calls ofMine(int caller) {
        Calls mine = calls[caller];
        if (mine == null) {
            mine = new Calls();
            calls[caller] = mine;
        }
        return mine;
    }

    /** Times each call from now on. */
    void timeCalls() {
        phase = Phase.TIMED;
    }

    /** Counts what was timed from now on. */
    void countCalls() {
        countedSince = System.nanoTime();
    }

    Reading now() {
        return Reading.atOnce(this::taken, CpuTime::ofProcess);
    }

    long taken() {
        long sum = 0;
        for (int i = apart; i < taken.length(); i += apart) {
            sum += taken.get(i);
        }
        return sum;
    }

    /** All calls that were counted. After the end. */
    Histogram waits() {
        Histogram all = new Histogram();
        for (Calls each : calls) {
            if (each != null) {
                all.addAll(each.waits);
            }
        }
        return all;
    }

    /** How many calls of each thread were counted. After the end. */
    LongSummaryStatistics counts() {
        return Arrays.stream(calls)
                .mapToLong(each -> each == null ? 0 : each.waits.count())
                .summaryStatistics();
    }

    /** By how many milliseconds ids were ahead of the clock while calls were counted: at most, and at the end. After the end. */
    Drift drift() {
        long max = Long.MIN_VALUE;
        long last = Long.MIN_VALUE;
        for (Calls each : calls) {
            if (each != null) {
                max = Math.max(max, each.maxAhead);
                last = Math.max(last, each.lastAhead);
            }
        }
        return new Drift(max, last);
    }

    /** Asks all threads to end, and does not wait for it. */
    void end() {
        phase = Phase.ENDED;
        begin.countDown();
    }

    void stop() throws InterruptedException {
        end();
        long deadline = System.nanoTime() + Duration.ofMillis(ENDING_MILLIS).toNanos();
        for (Thread thread : threads) {
            thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
            if (thread.isAlive()) {
                throw new IllegalStateException("a call has not returned within a minute of the end");
            }
        }
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new IllegalStateException("a call failed: " + thrown, thrown);
        }
    }

    @Override
    public void close() {
        end();
    }
}
