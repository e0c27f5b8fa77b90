// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.concurrent.locks.LockSupport;

/**
 * Everything core takes from the machine it runs on: clocks, waiting, threads, randomness. Applications use {@link #system()};
 * tests and simulations bring their own.
 */
public interface Platform {

    /** The machine's clocks, {@link LockSupport}, daemon threads and the kernel's random numbers. */
    static Platform system() {
        return SystemPlatform.INSTANCE;
    }

    /** The wall clock in milliseconds since 1970. May jump in either direction. */
    long wallMillis();

    /** A clock that never jumps, in nanoseconds from an arbitrary origin. */
    long nanoTime();

    /**
     * Blocks the calling thread for at most {@code nanos}. Returns early if the thread was or is {@link #unpark unparked} or
     * interrupted, or for no reason.
     */
    void park(long nanos);

    /** Blocks until about when the wall clock's next millisecond begins, under a millisecond. May return early. */
    void awaitNextMillis();

    /** Ends the current or the next {@link #park} of {@code thread}. */
    void unpark(Thread thread);

    /** Runs {@code task} in a new thread that does not keep the process alive, with the context class loader of this one. */
    Thread start(String name, Runnable task);

    /**
     * A name for the process that runs on it, which no other process has: generators with the same name are no witnesses to each other
     * when the clock is doubted. Without spaces, always the same.
     */
    String process();

    /** Whether {@link #process} has that name, or had it before a checkpoint. */
    default boolean isProcess(String name) {
        return name.equals(process());
    }

    /** 64 bits that no other process can have drawn, not even a copy of this one's memory: from the kernel, at each call. */
    long randomLong();

    /**
     * The memory of this process is about to be copied. What two copies may not share is dropped: {@link #process} has another name when it
     * is asked next. What is held open is closed until it is used next.
     */
    default void beforeCheckpoint() {}
}
