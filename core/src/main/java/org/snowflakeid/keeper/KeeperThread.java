// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import static org.snowflakeid.config.Logs.LOG;

import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Platform;

/**
 * The one thread that looks after all generators of an application on the same connection, one after the other. It exists while there is
 * one of them, and nothing that goes wrong with one ends it for the others.
 *
 * <p>A generator that starts or ends may need many calls, and long ones: meanwhile it has a thread to itself. Once it has started it goes
 * over to that of the others, or its thread becomes that, if there is none. A round over all of them is then, while no server answers, hardly
 * more than one call for each, of two seconds at most.
 *
 * <p>Generators of different applications of a server share nothing, though the connection be the same: a thread belongs to the application
 * that made it, by its context class loader, and would keep it alive after its undeployment.
 */
public final class KeeperThread {

    private static final long LONGEST_SLEEP_NANOS = 3_600_000_000_000L;

    /** After so many rounds in a row that each took no longer than the pause. */
    private static final int MOST_QUICK_ROUNDS = 10;

    private static final long PAUSE_NANOS = 10_000_000;
    private static final int MOST_PARKS = 3;

    /** Those that generators go over to. A thread is removed when its last generator ends. */
    private static final Map<Key, KeeperThread> SHARED = new ConcurrentHashMap<>();

    private record Key(Platform platform, @Nullable ClassLoader application, Object connection) {}

    private final Platform platform;
    private final String name;

    /** Null: it stays with its one generator. */
    private final @Nullable Key key;

    private final Queue<Keeper> keepers = new ConcurrentLinkedQueue<>();

    private volatile @Nullable Thread thread;
    private volatile boolean woken;

    /** Guarded by this, so that a call is interrupted and not the next one. */
    private @Nullable Keeper stepping;

    /** Its own thread's. */
    private int quickRounds;

    /** Guarded by this: none is added once it was found to be empty. */
    private boolean over;

    private KeeperThread(Platform platform, String name, @Nullable Key key) {
        this.platform = platform;
        this.name = name;
        this.key = key;
    }

    /**
     * Has a generator looked after from now on, by a thread of its own or, once it has started, by that of others on the same connection.
     *
     * @param name of the thread
     * @param connection equal for generators that share a connection; null if it shares none
     * @throws OutOfMemoryError if a thread can't be made; nothing is looked after then
     */
    public static void keep(Keeper keeper, Platform platform, String name, @Nullable Object connection) {
        ClassLoader application = Thread.currentThread().getContextClassLoader();
        Key key = connection == null ? null : new Key(platform, application, connection);
        KeeperThread own = new KeeperThread(platform, name, key);
        own.add(keeper);
        own.thread = platform.start(name, own::run);
    }

    /** @return whether it will be looked after */
    private synchronized boolean add(Keeper keeper) {
        if (over) {
            return false;
        }
        keeper.keptBy(this::wake, () -> interrupt(keeper));
        keepers.add(keeper);
        wake();
        return true;
    }

    private void wake() {
        woken = true;
        Thread keeping = thread;
        if (keeping != null) {
            platform.unpark(keeping);
        }
    }

    /** Ends a call that a generator is waiting for. */
    private synchronized void interrupt(Keeper keeper) {
        Thread keeping = thread;
        if (keeping != null && stepping == keeper) {
            keeping.interrupt();
        }
    }

    private void run() {
        // Before the starting thread can set it: a generator may be hurried already.
        thread = Thread.currentThread();
        while (!isOver()) {
            try {
                runOnce();
            } catch (Throwable e) {
                // None of the generators may be left alone for that.
                report(e);
            }
        }
    }

    private void report(Throwable failure) {
        try {
            LOG.log(Level.ERROR, name + ": unexpected failure between two steps", failure);
        } catch (Throwable logFailed) {
            // Nor can it be added to the failure: both may be the one error that the JVM keeps for want of memory.
        }
    }

    private void runOnce() {
        long begun = platform.nanoTime();
        woken = false;
        long wake = begun + LONGEST_SLEEP_NANOS;
        for (Keeper keeper : keepers) {
            long next = step(keeper);
            if (keeper.isOver()) {
                end(keeper);
            } else if (key != null && keeper.isStarted()) {
                goOver(keeper, key);
            }
            wake = next - wake < 0 ? next : wake;
        }
        sleepUntil(wake);
        boolean quick = platform.nanoTime() - begun < PAUSE_NANOS;
        quickRounds = quick ? quickRounds + 1 : 0;
        if (quickRounds > MOST_QUICK_ROUNDS) {
            quickRounds = MOST_QUICK_ROUNDS;
            pause();
        }
    }

    /** Calls that fail want more, one after the other, though nothing more is to be had. Each may end one park. */
    private void pause() {
        for (int parks = 0; parks < MOST_PARKS && woken && !isAnyOver(); parks++) {
            park(PAUSE_NANOS);
        }
    }

    private boolean isAnyOver() {
        return keepers.isEmpty() || keepers.stream().anyMatch(Keeper::isOver);
    }

    private void park(long nanos) {
        platform.park(nanos);
        // This interrupt was for a call that is over. Clear it, or park returns at once.
        boolean unused = Thread.interrupted();
    }

    private long step(Keeper keeper) {
        setStepping(keeper);
        try {
            return keeper.step();
        } finally {
            setStepping(null);
        }
    }

    private synchronized void setStepping(@Nullable Keeper keeper) {
        stepping = keeper;
        // It was meant for a call, and that is over.
        boolean unused = Thread.interrupted();
    }

    /** Has it looked after by the thread of those that have started, which may be this one. */
    private void goOver(Keeper keeper, Key to) {
        KeeperThread shared = SHARED.putIfAbsent(to, this);
        while (shared != null && shared != this) {
            if (shared.add(keeper)) {
                keepers.remove(keeper);
                return;
            }
            // It has just ended.
            SHARED.remove(to, shared);
            shared = SHARED.putIfAbsent(to, this);
        }
    }

    /** The others don't wait for it; the last one needs no thread but this. */
    private void end(Keeper keeper) {
        keepers.remove(keeper);
        if (!isOver()) {
            try {
                Thread unused = platform.start(name, keeper::end);
                return;
            } catch (Throwable noThread) {
                // Then the others wait for it.
            }
        }
        keeper.end();
    }

    private synchronized boolean isOver() {
        over = keepers.isEmpty();
        if (over && key != null) {
            SHARED.remove(key, this);
        }
        return over;
    }

    private void sleepUntil(long nanos) {
        for (long left = nanos - platform.nanoTime();
                left > 0 && !woken && !keepers.isEmpty();
                left = nanos - platform.nanoTime()) {
            park(left);
        }
    }
}
