// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The start of a container in Java SE that a build compatible extension has seen begin. Weld does not tell it that a start failed. So the
 * generators of such a start are closed when its thread starts a container again, or when the process ends.
 */
final class UnfinishedStart {

    /** The latest start of this thread that has not succeeded. */
    private static final ThreadLocal<@Nullable UnfinishedStart> LATEST = new ThreadLocal<>();

    private final int depth;

    /** The start inside which this one began; null if that is over. */
    private final @Nullable UnfinishedStart outer;

    /** Not to be found by their container: Weld forgets one that failed to start. */
    private final List<InjectedSnowflake> open = new CopyOnWriteArrayList<>();

    private final StopWhileStarting stop = new StopWhileStarting(this::close);

    private UnfinishedStart(int depth, @Nullable UnfinishedStart outer) {
        this.depth = depth;
        this.outer = outer;
    }

    /** This thread starts a container. */
    static void begin() {
        int depth = SeStart.depth();
        LATEST.set(new UnfinishedStart(depth, closeFrom(depth)));
    }

    /** Closes a generator with the others of the start that opens it, if that fails. */
    static void opened(InjectedSnowflake ids) {
        UnfinishedStart latest = LATEST.get();
        if (latest != null && latest.depth == SeStart.depth()) {
            latest.open.add(ids);
        }
    }

    /** The start that this thread is in has succeeded. */
    static void end() {
        int depth = SeStart.depth();
        UnfinishedStart latest = closeFrom(depth + 1);
        if (latest != null && latest.depth == depth) {
            latest.stop.end();
            latest = latest.outer;
        }
        LATEST.set(latest);
    }

    /**
     * Closes those of this depth and more: they are no longer on the stack, and did not succeed.
     *
     * @return the latest of the others
     */
    private static @Nullable UnfinishedStart closeFrom(int depth) {
        UnfinishedStart latest = LATEST.get();
        while (latest != null && latest.depth >= depth) {
            latest.stop.end();
            latest.close();
            latest = latest.outer;
        }
        return latest;
    }

    private void close() {
        InjectedSnowflake.closeAll(open);
    }
}
