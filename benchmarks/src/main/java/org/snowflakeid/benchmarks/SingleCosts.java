// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.snowflakeid.IdParts;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.SnowflakeSettings;

/**
 * What no generator can do without, and what ours takes, by JMH.
 *
 * <p>JMH calls without a pause, so with 12 bits of sequence {@code nextId} would show the ceiling, 244 ns. It has 20 here, the most
 * there is: 0.95 ns. The path is the same.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class SingleCosts {

    private static final int BATCH = 1_000;

    private final Clock clock = Clock.systemUTC();
    private final AtomicLong word = new AtomicLong();
    private final LeasedSnowflake snowflake = LeasedSnowflake.open(SnowflakeSettings.of(Map.of(
            "snowflake.coordinator",
            "static",
            "snowflake.static.worker-id",
            "1",
            "snowflake.worker-id-bits",
            "1",
            "snowflake.sequence-bits",
            "20")));
    private final SnowflakeLayout layout = snowflake.layout();
    private final long id = snowflake.nextId();
    private final long[] into = new long[BATCH];

    /** Gives the worker id back. */
    @TearDown
    public void close() {
        snowflake.close();
    }

    @Benchmark
    public long currentTimeMillis() {
        return System.currentTimeMillis();
    }

    @Benchmark
    @Threads(2)
    public long currentTimeMillisByTwo() {
        return System.currentTimeMillis();
    }

    @Benchmark
    public long nanoTime() {
        return System.nanoTime();
    }

    @Benchmark
    public Instant instant() {
        return clock.instant();
    }

    @Benchmark
    public long getAndAdd() {
        return word.getAndIncrement();
    }

    @Benchmark
    @Threads(2)
    public long getAndAddByTwo() {
        return word.getAndIncrement();
    }

    @Benchmark
    public long compareAndSetAfterTheClock() {
        return compareAndSetClock();
    }

    @Benchmark
    @Threads(2)
    public long compareAndSetAfterTheClockByTwo() {
        return compareAndSetClock();
    }

    private long compareAndSetClock() {
        for (; ; ) {
            long last = word.get();
            long next = Math.max(last + 1, System.currentTimeMillis() << 20);
            if (word.compareAndSet(last, next)) {
                return next;
            }
        }
    }

    @Benchmark
    public long nextId() {
        return snowflake.nextId();
    }

    @Benchmark
    @Threads(2)
    public long nextIdByTwo() {
        return snowflake.nextId();
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long[] nextIds() {
        return snowflake.nextIds(BATCH);
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long[] nextIdsIntoAnArray() {
        snowflake.nextIds(into, 0, BATCH);
        return into;
    }

    @Benchmark
    public IdParts decode() {
        return layout.decode(id);
    }
}
