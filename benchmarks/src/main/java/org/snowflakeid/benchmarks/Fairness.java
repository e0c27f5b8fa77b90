// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * How long a call waits when many threads want more ids than there are. The fair share is the number of threads divided by the rate: the
 * time that each would wait if they were served in turn, one id at a time. Behind {@code bin/benchmark --fairness}.
 */
final class Fairness {

    private static final long WARM_UP_MILLIS = 1_500;

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

    private static String row(Crowd crowd, int seconds, int pauseMicros) throws Exception {
        Map<String, String> settings = Map.of("snowflake.sequence-bits", Integer.toString(crowd.sequenceBits()));
        try (Generator generator = new Ours(settings);
                PausingCallers callers =
                        new PausingCallers(generator, Subjects.named("ours").time(), crowd, 1, caller -> () -> {
                            if (pauseMicros > 0) {
                                LockSupport.parkNanos(pauseMicros * 1_000L);
                            }
                        })) {
            callers.begin();
            Thread.sleep(WARM_UP_MILLIS);
            callers.timeCalls();
            callers.countCalls();
            Reading before = callers.now();
            Thread.sleep(seconds * 1_000L);
            Reading after = callers.now();
            callers.stop();
            return row(crowd, callers, before, after);
        }
    }

    private static String row(Crowd crowd, PausingCallers callers, Reading before, Reading after) {
        Histogram all = callers.waits();
        LongSummaryStatistics each = callers.counts();
        double late = all.percentile(0.999, 0) / 1e6;
        return String.format(
                Locale.ROOT,
                "| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f | %.1f | %.2f | %.1f | %,d / %,d | %.3f | %.2f |",
                crowd,
                after.idsPerSecondSince(before) / 1_000 / crowd.idsPerMilli(),
                crowd.fairShareMillis(),
                all.percentile(0.5, 0) / 1e6,
                all.percentile(0.99, 0) / 1e6,
                late,
                all.percentile(1, 0) / 1e6,
                1e4 * all.count(WAITED_NANOS) / all.count(),
                all.percentile(0.999, WAITED_NANOS) / 1e6,
                late / crowd.fairShareMillis(),
                each.getMin(),
                each.getMax(),
                after.cpuPerMillionSince(before),
                (double) (after.cpuNanos() - before.cpuNanos()) / (after.nanos() - before.nanos()));
    }
}
