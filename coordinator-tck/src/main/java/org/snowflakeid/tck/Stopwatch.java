// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.assertj.core.api.Assertions;

/** For tests whose outcome depends on time: it distinguishes what a coordinator did and what a slow machine did. */
public final class Stopwatch {
    private static final int ATTEMPTS = 10;

    private final LongSupplier nanoTime;
    private final Duration limit;
    private long start;
    private boolean heldUp;

    private Stopwatch(LongSupplier nanoTime, Duration limit) {
        this.nanoTime = nanoTime;
        this.limit = limit;
        start = nanoTime.getAsLong();
    }

    /** One run of a test. */
    public interface Attempt {
        /**
         * @param number counts from 0
         * @param stopwatch runs already
         */
        void run(int number, Stopwatch stopwatch) throws Exception;
    }

    /**
     * Runs what must never pause for {@code limit}. If it fails after it did, that says nothing, and it is run again. A failure in time
     * is one.
     */
    public static void unlessHeldUp(LongSupplier nanoTime, Duration limit, Attempt attempt) throws Exception {
        for (int number = 0; ; number++) {
            Stopwatch stopwatch = new Stopwatch(nanoTime, limit);
            try {
                attempt.run(number, stopwatch);
                return;
            } catch (AssertionError | RuntimeException e) {
                if (!stopwatch.heldUp() || number == ATTEMPTS - 1) {
                    throw e;
                }
            }
        }
    }

    /** The same by the clock of this machine. */
    public static void unlessHeldUp(Duration limit, Attempt attempt) throws Exception {
        unlessHeldUp(System::nanoTime, limit, attempt);
    }

    /** Fails if something takes {@code limit} or longer each of five times: a slow machine may be slow once, but not always. */
    public static void requireWithin(Duration limit, Supplier<Duration> measured) {
        Duration took = limit;
        for (int i = 0; i < 5 && took.compareTo(limit) >= 0; i++) {
            took = measured.get();
        }
        Assertions.assertThat(took).isLessThan(limit);
    }

    /** How long it takes. */
    public static Duration time(Runnable action) {
        long start = System.nanoTime();
        action.run();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /**
     * Does a step from whose begin the time counts anew: renews an owner, for example. Until that has arrived the time before counts
     * too.
     */
    public <T> T startAgainWith(Supplier<T> step) {
        long begin = nanoTime.getAsLong();
        T result = step.get();
        heldUp = heldUp();
        start = begin;
        return result;
    }

    /** To be called where the time begins to count: how long what was before took does not matter. */
    public void begin() {
        heldUp = false;
        start = nanoTime.getAsLong();
    }

    /** To be called at each step from which the time counts anew. */
    public void startAgain() {
        heldUp = heldUp();
        start = nanoTime.getAsLong();
    }

    private boolean heldUp() {
        return heldUp || nanoTime.getAsLong() - start >= limit.toNanos();
    }
}
