// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.snowflakeid.Platform;

/**
 * A machine whose time moves only when a test moves it. Threads are real and really block in {@link #park}; moving the
 * time wakes those whose time has come, one moment after the other, and lets the threads that were {@link #start started}
 * here come to rest before it goes on. So a test needs no sleep, and sees the same order of events in each run.
 *
 * <p>Wall clock and {@link #nanoTime} move together in {@link #advance} and apart in {@link #stepWallClock} and
 * {@link #advanceWithoutWallClock}.
 */
public final class ManualPlatform implements Platform {

    /** How much real time started threads get to come to rest before time moves on without them. */
    private final String process;

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Thread, Long> parkedUntil = new HashMap<>();
    private final Set<Thread> permits = new HashSet<>();
    private final List<Thread> started = new ArrayList<>();
    private final Random random;
    private long wallNanos;
    private long nanoTime;
    private boolean callersMoveTime;

    /** Starts at 2026-01-01T00:00:00Z. */
    public ManualPlatform() {
        this(Instant.parse("2026-01-01T00:00:00Z"), 0);
    }

    /** @param seed of {@link #randomLong}, and names the process */
    public ManualPlatform(Instant start, long seed) {
        this.process = "manual-" + seed + "-" + System.identityHashCode(this);
        this.wallNanos = nanosOf(start);
        this.random = new Random(seed);
    }

    private static long nanosOf(Instant instant) {
        return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano());
    }

    /**
     * From now on time moves by itself while a thread that was not {@link #start started} here, such as the test's own, waits
     * in {@link #park}: to the next moment that a thread waits for.
     */
    public ManualPlatform callersMoveTime() {
        lock.lock();
        try {
            callersMoveTime = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        return this;
    }

    /** Moves both clocks forward. Returns once the threads it woke are at rest again. */
    public void advance(Duration time) {
        move(time, true);
    }

    /** Moves {@link #nanoTime} alone forward: the wall clock was set back by as much meanwhile. */
    public void advanceWithoutWallClock(Duration time) {
        move(time, false);
    }

    /** Sets the wall clock forward, or back if negative. Wakes no thread. */
    public void stepWallClock(Duration step) {
        lock.lock();
        try {
            wallNanos += step.toNanos();
        } finally {
            lock.unlock();
        }
    }

    /** What the wall clock shows. */
    public Instant now() {
        lock.lock();
        try {
            return Instant.ofEpochSecond(0, wallNanos);
        } finally {
            lock.unlock();
        }
    }

    private void move(Duration time, boolean wallToo) {
        lock.lock();
        try {
            awaitRest();
            long target = nanoTime + time.toNanos();
            while (nanoTime < target) {
                moveTo(Math.min(target, nextMoment(target)), wallToo);
                awaitRest();
            }
        } finally {
            lock.unlock();
        }
    }

    private void moveTo(long moment, boolean wallToo) {
        if (wallToo) {
            wallNanos += moment - nanoTime;
        }
        nanoTime = moment;
        changed.signalAll();
    }

    private long nextMoment(long otherwise) {
        return parkedUntil.values().stream()
                .mapToLong(Long::longValue)
                .filter(moment -> moment > nanoTime)
                .min()
                .orElse(otherwise);
    }

    /** Waits, in real time, until no thread is about to leave {@link #park} and started ones wait or have ended. */
    private void awaitRest() {
        long giveUp = System.nanoTime() + PATIENCE_NANOS;
        while (!atRest() && System.nanoTime() - giveUp < 0) {
            try {
                changed.await(50, TimeUnit.MICROSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private boolean atRest() {
        for (Map.Entry<Thread, Long> parked : parkedUntil.entrySet()) {
            if (parked.getValue() <= nanoTime || permits.contains(parked.getKey())) {
                return false;
            }
        }
        started.removeIf(thread -> thread.getState() == Thread.State.TERMINATED);
        for (Thread thread : started) {
            Thread.State state = thread.getState();
            boolean waitsElsewhere = state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
            if (!parkedUntil.containsKey(thread) && (!waitsElsewhere || lock.hasQueuedThread(thread))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public long wallMillis() {
        lock.lock();
        try {
            return Math.floorDiv(wallNanos, 1_000_000L);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long nanoTime() {
        lock.lock();
        try {
            return nanoTime;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void park(long nanos) {
        Thread thread = Thread.currentThread();
        lock.lock();
        try {
            if (nanos <= 0 || permits.remove(thread) || thread.isInterrupted()) {
                return;
            }
            long until = nanoTime + nanos < 0 ? Long.MAX_VALUE : nanoTime + nanos;
            parkedUntil.put(thread, until);
            changed.signalAll();
            boolean caller = !started.contains(thread);
            while (nanoTime < until && !permits.contains(thread)) {
                if (caller && callersMoveTime && atRest()) {
                    moveTo(nextMoment(until), true);
                } else if (caller && callersMoveTime) {
                    changed.await(50, TimeUnit.MICROSECONDS);
                } else {
                    changed.await();
                }
            }
        } catch (InterruptedException e) {
            thread.interrupt();
        } finally {
            permits.remove(thread);
            parkedUntil.remove(thread);
            changed.signalAll();
            lock.unlock();
        }
    }

    @Override
    public void awaitNextMillis() {
        long rest;
        lock.lock();
        try {
            rest = 1_000_000L - Math.floorMod(wallNanos, 1_000_000L);
        } finally {
            lock.unlock();
        }
        park(rest);
    }

    @Override
    public void unpark(Thread thread) {
        lock.lock();
        try {
            permits.add(thread);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Thread start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        lock.lock();
        try {
            started.add(thread);
        } finally {
            lock.unlock();
        }
        thread.start();
        return thread;
    }

    @Override
    public String process() {
        return process;
    }

    @Override
    public long randomLong() {
        lock.lock();
        try {
            return random.nextLong();
        } finally {
            lock.unlock();
        }
    }
}
