// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import static org.snowflakeid.config.Logs.LOG;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Platform;

/**
 * The keeper's thread, one for each generator. It lives until the generator has ended; no failure in a step ends it sooner.
 *
 * <p>Generators of one process share the connection to their coordinator, but no thread: a call that is slow, or that never ends, holds up
 * the generator that made it and no other.
 */
public final class KeeperThread {

    /** A pause follows after more than this many rounds in a row that were each shorter than the pause. */
    private static final int MOST_QUICK_ROUNDS = 10;

    /** How long a millisecond that was found credible stays so. */
    private static final long LOOK_NANOS = 1_000_000_000L;

    private static final long PAUSE_NANOS = 10_000_000;
    private static final int MOST_PARKS = 3;

    private final Keeper keeper;
    private final Platform platform;
    private final String name;

    private volatile @Nullable Thread thread;
    private volatile boolean woken;

    /** Guarded by this, so that an interrupt does not hit the next call. */
    private boolean stepping;

    /** Used by its own thread only. */
    private int quickRounds;

    private KeeperThread(Keeper keeper, Platform platform, String name) {
        this.keeper = keeper;
        this.platform = platform;
        this.name = name;
    }

    /**
     * Starts the thread that looks after a generator.
     *
     * @param name of the thread
     * @throws OutOfMemoryError if a thread can't be made; nothing is looked after then
     */
    public static void keep(Keeper keeper, Platform platform, String name) {
        KeeperThread own = new KeeperThread(keeper, platform, name);
        keeper.keptBy(own::wake, own::interrupt);
        own.thread = platform.start(name, own::run);
    }

    private void wake() {
        woken = true;
        Thread keeping = thread;
        if (keeping != null) {
            platform.unpark(keeping);
        }
    }

    /** Ends a call that the generator is waiting for. */
    private synchronized void interrupt() {
        Thread keeping = thread;
        if (keeping != null && stepping) {
            keeping.interrupt();
        }
    }

    private void run() {
        // Before the starting thread can set it: a generator may be hurried already.
        thread = Thread.currentThread();
        while (!keeper.isOver()) {
            try {
                runOnce();
            } catch (Throwable e) {
                // The generator may not be left alone for that.
                report(e);
            }
        }
        keeper.end();
    }

    private void report(Throwable failure) {
        try {
            LOG.log(Level.ERROR, name + ": unexpected failure between two steps", failure);
        } catch (Throwable logFailed) {
            // It can't be added to the failure: both may be the one OutOfMemoryError that the JVM keeps in reserve.
        }
    }

    private void runOnce() {
        long begun = platform.nanoTime();
        woken = false;
        sleepUntil(step());
        boolean quick = platform.nanoTime() - begun < PAUSE_NANOS;
        quickRounds = quick ? quickRounds + 1 : 0;
        if (quickRounds > MOST_QUICK_ROUNDS) {
            quickRounds = MOST_QUICK_ROUNDS;
            pause();
        }
    }

    /** Failing calls ask for more, one after the other, although there is no more. Each may end one park. */
    private void pause() {
        for (int parks = 0; parks < MOST_PARKS && woken && !keeper.isOver(); parks++) {
            park(PAUSE_NANOS);
        }
    }

    private void park(long nanos) {
        platform.park(nanos);
        // This interrupt was for a call that is over. Clear it, or park returns at once.
        boolean unused = Thread.interrupted();
    }

    private long step() {
        setStepping(true);
        try {
            return keeper.step();
        } finally {
            setStepping(false);
        }
    }

    private synchronized void setStepping(boolean now) {
        stepping = now;
        // It was meant for a call, and that is over.
        boolean unused = Thread.interrupted();
    }

    private void sleepUntil(long nanos) {
        for (long left = nanos - platform.nanoTime();
                left > 0 && !woken && !keeper.isOver();
                left = nanos - platform.nanoTime()) {
            park(Math.min(left, LOOK_NANOS));
            keeper.forgetCredible();
        }
    }
}
