// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeEvent;

/**
 * What a server gives to threads of an application, and a generator's own thread lacks: its names in JNDI above all. An observer that is
 * called without it creates beans that get no resources, and keep none.
 *
 * <p>GlassFish and Payara bind an application's names only after CDI has started, and with it the generators. What is captured before
 * never finds them. So events wait for the start of the web application, which is captured again.
 */
final class ServerContext {

    /** An archive that is no web application has no such start. */
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    private final CountDownLatch started = new CountDownLatch(1);
    private final Duration longestWait;

    private volatile @Nullable Executor ofWebApplication;
    private volatile boolean ended;

    ServerContext() {
        this(LONGEST_WAIT);
    }

    /** @param longestWait after this, events no longer wait for the start of a web application */
    ServerContext(Duration longestWait) {
        this.longestWait = longestWait;
    }

    /** Calls the observers with the context of the calling thread, which the server must have started, or that of its web application. */
    Consumer<SnowflakeEvent> surround(Consumer<SnowflakeEvent> observers) {
        Executor ofCaller = captured();
        return happened -> {
            if (ofCaller != null) {
                awaitStart();
            }
            Executor later = ofWebApplication;
            Executor context = later == null ? ofCaller : later;
            if (ended) {
                return;
            }
            if (context == null) {
                observers.accept(happened);
            } else {
                context.execute(() -> observers.accept(happened));
            }
        };
    }

    /** On a thread of the server that has all of the application's context. */
    void webApplicationStarted() {
        ofWebApplication = captured();
        started.countDown();
    }

    /** From now on no observer is called: their beans are gone. */
    void end() {
        ended = true;
        started.countDown();
    }

    private void awaitStart() {
        try {
            if (!started.await(longestWait.toNanos(), TimeUnit.NANOSECONDS)) {
                started.countDown();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static @Nullable Executor captured() {
        return OptionalApi.CONCURRENCY.isPresent() ? CapturedContext.ofCurrentThread() : null;
    }
}
