// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * How long a call waits when many threads want more ids than there are. The fair share is the number of threads divided by the rate: the
 * time that each would wait if they were served in turn, one id at a time. Behind {@code bin/benchmark --fairness}.
 */
final class Fairness {

    private static final long WARM_UP_MILLIS = 1_500;
    private static final long ENDING_MILLIS = 60_000;

    /** A call that takes this long was asleep. */
    private static final long WAITED_NANOS = 100_000;

    /** The crowds of interest, and some that overload any machine. */
    static final String CROWDS = "8p/12,100p/12,400p/4,1000p/12,1000v/4,1000v/12,10000v/12,10000v/4,10000p/4,10000p/12";

    private Fairness() {}

    /** How long each crowd is measured, in seconds; how long a thread sleeps after each id, in microseconds; the crowds. */
    public static void main(String... arguments) throws Exception {
        int seconds = Integer.parseInt(arguments[0]);
        int pauseMicros = Integer.parseInt(arguments[1]);
        System.out.println(
                "| crowd | of the ceiling | fair share ms | p50 ms | p99 ms | p99.9 ms | longest ms | waited, of 10,000 calls | p99.9 of those that waited"
                        + " | p99.9 / fair share | fewest / most ids of a thread | core-s per million | processors |");
        System.out.println("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
        for (String crowd : arguments[2].split(",", -1)) {
            System.out.println(row(Crowd.parse(crowd), seconds, pauseMicros));
        }
        // A thread that starved would keep this process from ending.
        System.exit(0);
    }

    private enum Phase {
        WARM_UP,
        MEASURED,
        ENDED
    }

    /** A crowd at work. */
    private static final class Run {
        private final Generator generator;
        private final long pauseNanos;
        private final Histogram[] waits;
        private final List<Thread> threads = new ArrayList<>();
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        private volatile Phase phase = Phase.WARM_UP;

        Run(Generator generator, Crowd crowd, long pauseNanos) throws ReflectiveOperationException {
            this.generator = generator;
            this.pauseNanos = pauseNanos;
            this.waits = new Histogram[crowd.threads()];
            ThreadFactory factory = crowd.factory();
            for (int i = 0; i < waits.length; i++) {
                Histogram mine = new Histogram();
                waits[i] = mine;
                threads.add(factory.newThread(() -> take(mine)));
            }
        }

        private void take(Histogram mine) {
            try {
                long mix = 0;
                long before = System.nanoTime();
                for (Phase now = phase; now != Phase.ENDED; now = phase) {
                    mix ^= generator.nextId();
                    long after = System.nanoTime();
                    // A call that began in the warm-up counts too: it may be the one that waits.
                    if (now == Phase.MEASURED || phase == Phase.MEASURED) {
                        mine.add(after - before);
                    }
                    before = after;
                    if (pauseNanos > 0) {
                        LockSupport.parkNanos(this, pauseNanos);
                        before = System.nanoTime();
                    }
                }
                Sink.mixed = mix;
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        }

        void end() throws InterruptedException {
            phase = Phase.ENDED;
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
    }

    private static String row(Crowd crowd, int seconds, int pauseMicros) throws Exception {
        Map<String, String> settings = Map.of("snowflake.sequence-bits", Integer.toString(crowd.sequenceBits()));
        try (Generator generator = new Ours(settings)) {
            Run run = new Run(generator, crowd, pauseMicros * 1_000L);
            run.threads.forEach(Thread::start);
            Thread.sleep(WARM_UP_MILLIS);
            long cpu = CpuTime.ofProcess();
            long begin = System.nanoTime();
            run.phase = Phase.MEASURED;
            Thread.sleep(seconds * 1_000L);
            long ids = ids(run);
            long nanos = System.nanoTime() - begin;
            cpu = CpuTime.ofProcess() - cpu;
            run.end();
            return row(crowd, run, ids, nanos, cpu);
        }
    }

    private static String row(Crowd crowd, Run run, long ids, long nanos, long cpu) {
        Histogram all = new Histogram();
        long fewest = Long.MAX_VALUE;
        long most = 0;
        for (Histogram each : run.waits) {
            all.addAll(each);
            fewest = Math.min(fewest, each.count());
            most = Math.max(most, each.count());
        }
        double longest = all.percentile(1, 0) / 1e6;
        double late = all.percentile(0.999, 0) / 1e6;
        return String.format(
                Locale.ROOT,
                "| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f | %.1f | %.2f | %.1f | %,d / %,d | %.3f | %.2f |",
                crowd,
                ids / (nanos / 1e6) / crowd.idsPerMilli(),
                crowd.fairShareMillis(),
                all.percentile(0.5, 0) / 1e6,
                all.percentile(0.99, 0) / 1e6,
                late,
                longest,
                1e4 * all.count(WAITED_NANOS) / all.count(),
                all.percentile(0.999, WAITED_NANOS) / 1e6,
                late / crowd.fairShareMillis(),
                fewest,
                most,
                (cpu / 1e9) / (ids / 1e6),
                (double) cpu / nanos);
    }

    private static long ids(Run run) {
        return Arrays.stream(run.waits).mapToLong(Histogram::count).sum();
    }
}
