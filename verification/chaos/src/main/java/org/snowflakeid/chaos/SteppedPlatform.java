// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.util.concurrent.atomic.AtomicInteger;
import org.snowflakeid.Platform;

/** The system, but for a wall clock that can be set wrong: what a generator sees when the machine's clock is set. */
final class SteppedPlatform implements Platform {
    private final Platform system = Platform.system();
    private final AtomicInteger steps = new AtomicInteger();
    private volatile long offsetMillis;
    private volatile long lastStepNanos = Recorder.NEVER;

    /** From now on the wall clock is wrong by so much. */
    void setWrongBy(long millis) {
        // First: a thread that sees the new offset must know that the clock was stepped.
        lastStepNanos = System.nanoTime();
        steps.incrementAndGet();
        offsetMillis = millis;
        lastStepNanos = System.nanoTime();
        steps.incrementAndGet();
    }

    /** Changes whenever the clock is stepped. */
    int steps() {
        return steps.get();
    }

    /** When the clock was last wrong, by {@link System#nanoTime}, or {@link Recorder#NEVER}. */
    long lastWrongNanos() {
        return offsetMillis != 0 ? System.nanoTime() : lastStepNanos;
    }

    @Override
    public long wallMillis() {
        return system.wallMillis() + offsetMillis;
    }

    @Override
    public long nanoTime() {
        return system.nanoTime();
    }

    @Override
    public void park(long nanos) {
        system.park(nanos);
    }

    @Override
    public void awaitNextMillis() {
        system.awaitNextMillis();
    }

    @Override
    public void unpark(Thread thread) {
        system.unpark(thread);
    }

    @Override
    public Thread start(String name, Runnable task) {
        return system.start(name, task);
    }

    @Override
    public String process() {
        return system.process();
    }

    @Override
    public long randomLong() {
        return system.randomLong();
    }
}
