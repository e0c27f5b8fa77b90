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

    /** Blocks until about the beginning of the wall clock's next millisecond, so for less than one. May return early. */
    void awaitNextMillis();

    /** Ends the current or the next {@link #park} of {@code thread}. */
    void unpark(Thread thread);

    /** Runs {@code task} in a new thread, which does not keep the process alive and has the caller's context class loader. */
    Thread start(String name, Runnable task);

    /**
     * A name of this process that no other process has: no two generators with the same name are witnesses for each other's clock. Without spaces,
     * and the same until {@link #beforeCheckpoint}.
     */
    String process();

    /** Whether {@link #process} has that name, or had it before a checkpoint. */
    default boolean isProcess(String name) {
        return name.equals(process());
    }

    /** 64 bits that no other process can have drawn, not even a copy of this one's memory: taken from the kernel at each call. */
    long randomLong();

    /**
     * Called when the memory of this process is about to be copied. Drops what two copies must not share, so that {@link #process} returns another
     * name afterwards, and closes what is open until it is next used.
     */
    default void beforeCheckpoint() {}
}
