// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.lang.System.Logger.Level;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands a generator's events to its listener, if there is one. The keeper only leaves them here: its extensions must not wait
 * for anybody's code.
 */
final class EventDelivery {

    private static final System.Logger LOG = System.getLogger(LeasedSnowflake.class.getName());

    private static final int MOST_WAITING = 64;

    private final Platform platform;
    private final String generator;
    private final @Nullable Consumer<? super SnowflakeEvent> listener;
    private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();

    private final Queue<SnowflakeEvent> queue = new ConcurrentLinkedQueue<>();

    /** Events in the queue, and the one being told. A thread delivers while it is above 0. */
    private final AtomicInteger untold = new AtomicInteger();

    private boolean overflowing;
    private volatile boolean closed;

    EventDelivery(Platform platform, String generator, @Nullable Consumer<? super SnowflakeEvent> listener) {
        this.platform = platform;
        this.generator = generator;
        this.listener = listener;
    }

    boolean isWanted() {
        return listener != null && !closed;
    }

    /** Called by the keeper's thread only. */
    void tell(SnowflakeEvent event) {
        if (!isWanted()) {
            return;
        }
        if (untold.get() >= MOST_WAITING) {
            if (!overflowing) {
                overflowing = true;
                warn("a listener is too slow: events are dropped, first " + event, null);
            }
            return;
        }
        queue.add(event);
        if (untold.getAndIncrement() == 0) {
            overflowing = false;
            startDelivering();
        }
    }

    private void startDelivering() {
        try {
            platform.start("snowflake-" + generator + "-events", this::deliver);
        } catch (OutOfMemoryError noThread) {
            warn("no thread to tell of " + queue, noThread);
            queue.clear();
            untold.set(0);
        }
    }

    private void deliver() {
        do {
            SnowflakeEvent event = queue.remove();
            if (listener != null && !closed) {
                Thread.currentThread().setContextClassLoader(loader);
                try {
                    listener.accept(event);
                } catch (RuntimeException | Error e) {
                    warn("a listener failed at " + event, e);
                }
                Thread.interrupted();
            }
        } while (untold.decrementAndGet() > 0);
    }

    /** From now on nothing is told. Waits for nobody: what is being told may go on for as long as it likes. */
    void close() {
        closed = true;
    }

    private void warn(String text, @Nullable Throwable reason) {
        LOG.log(Level.WARNING, "snowflake '" + generator + "': " + text, reason);
    }
}
