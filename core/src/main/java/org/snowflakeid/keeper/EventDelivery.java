// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import static org.snowflakeid.config.Logs.LOG;

import java.lang.System.Logger.Level;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Platform;
import org.snowflakeid.SnowflakeEvent;

/**
 * Hands a generator's events to its listener, if there is one, and to a recording of JFR. The keeper only leaves them here: its extensions must not
 * wait for an application's code.
 */
public final class EventDelivery {

    private static final int MOST_WAITING = 64;

    private final Platform platform;
    private final String generator;
    private final @Nullable Consumer<? super SnowflakeEvent> listener;
    private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();

    private final Queue<SnowflakeEvent> queue = new ConcurrentLinkedQueue<>();

    /** Events in the queue, and the one being delivered. A thread delivers while it is above 0. */
    private final AtomicInteger undelivered = new AtomicInteger();

    private boolean overflowing;
    private volatile boolean closed;

    public EventDelivery(Platform platform, String generator, @Nullable Consumer<? super SnowflakeEvent> listener) {
        this.platform = platform;
        this.generator = generator;
        this.listener = listener;
    }

    boolean isWanted() {
        return (listener != null || FlightRecording.isOn()) && !closed;
    }

    public synchronized void add(SnowflakeEvent event) {
        if (closed) {
            return;
        }
        FlightRecording.add(event);
        if (listener == null) {
            return;
        }
        if (undelivered.get() >= MOST_WAITING) {
            if (!overflowing) {
                overflowing = true;
                warn("a listener is too slow: events are dropped, first " + event, null);
            }
            return;
        }
        queue.add(event);
        if (undelivered.getAndIncrement() == 0) {
            overflowing = false;
            startDelivering();
        }
    }

    private void startDelivering() {
        try {
            platform.start("snowflake-" + generator + "-events", this::deliver);
        } catch (Throwable noThread) {
            // Before anything else that may fail, or nothing would ever be delivered again.
            queue.clear();
            undelivered.set(0);
            warn("no thread to deliver events", noThread);
        }
    }

    private void deliver() {
        do {
            SnowflakeEvent event = queue.remove();
            try {
                deliver(event);
            } catch (Throwable e) {
                report(event, e);
            }
            Thread.interrupted();
        } while (undelivered.decrementAndGet() > 0);
    }

    private void deliver(SnowflakeEvent event) {
        if (listener != null && !closed) {
            Thread.currentThread().setContextClassLoader(loader);
            listener.accept(event);
        }
    }

    /** If logging fails too, the next event must still be delivered. */
    private void report(SnowflakeEvent event, Throwable failure) {
        try {
            warn("a listener failed at " + event, failure);
        } catch (Throwable logFailed) {
            // It can't be added to the failure: both may be the one OutOfMemoryError that the JVM keeps in reserve.
        }
    }

    /** From now on nothing is delivered. Does not wait: the listener that is being called may go on for as long as it likes. */
    public void close() {
        closed = true;
    }

    private void warn(String text, @Nullable Throwable reason) {
        LOG.log(Level.WARNING, "snowflake '" + generator + "': " + text, reason);
    }
}
