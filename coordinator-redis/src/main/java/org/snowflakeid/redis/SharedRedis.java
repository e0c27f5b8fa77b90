// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.Deadline;
import org.snowflakeid.support.ApplicationThreads;
import org.snowflakeid.support.Shared;
import redis.clients.jedis.Connection;

/**
 * The connection of all coordinators that {@linkplain Shared share} it.
 *
 * <p><b>Deadlines.</b> A read from a socket ends neither at an interrupt nor, if bytes trickle in, at its timeout. So the connection
 * belongs to a thread of its own, and callers wait for that thread. A caller that stops waiting closes the connection if its request was on
 * its way, and otherwise keeps it from ever being sent. A connection that is being set up goes on without that caller, for later ones,
 * unless it takes far too long.
 *
 * <p>After any failure the next call begins with a new connection, which looks at the server anew. Over a connection that stays
 * open a call looks once a minute, before it sends its request.
 */
final class SharedRedis {
    private static final System.Logger LOG = System.getLogger(SharedRedis.class.getName());

    static final Shared<RedisSettings.Access, SharedRedis> ALL = all(RedisConnection::resolved, System::nanoTime);

    private final ApplicationThreads threads;
    private final RedisConnection.Addresses addresses;
    private final LongSupplier nanoTime;
    private final ThreadPoolExecutor thread;

    /** Warnings that were logged are not repeated at each look. Only the thread uses them. */
    private final Set<String> warnings = new HashSet<>();

    /** The last one that was open. Only the thread uses it. */
    private @Nullable RedisConnection before;

    // Guarded by this.
    private boolean over;
    private @Nullable RedisConnection present;

    private SharedRedis(ApplicationThreads threads, RedisConnection.Addresses addresses, LongSupplier nanoTime) {
        this.threads = threads;
        this.addresses = addresses;
        this.nanoTime = nanoTime;
        this.thread = new ThreadPoolExecutor(
                1, 1, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads.named("snowflake-redis-connection"));
        thread.allowCoreThreadTimeOut(true);
    }

    /** @param nanoTime by which connections age */
    static Shared<RedisSettings.Access, SharedRedis> all(RedisConnection.Addresses addresses, LongSupplier nanoTime) {
        return new Shared<>((access, threads) -> new SharedRedis(threads, addresses, nanoTime), SharedRedis::end);
    }

    private void end() {
        synchronized (this) {
            over = true;
            if (present != null) {
                present.close();
            }
        }
        thread.shutdownNow().forEach(waiting -> ((Call<?>) waiting).run());
        // Not asked of the executor: it reports its end while its thread still has a last step to do.
        threads.awaitEnd(Deadline.after(ApplicationThreads.LONGEST_END));
    }

    /**
     * Sends a request and waits for what it gives.
     *
     * @param harmless if the server has closed a connection that was used before, it is sent over a new one
     */
    <T> T call(RedisSettings settings, Duration timeout, boolean harmless, Function<Connection, T> request)
            throws RedisFailure {
        Call<T> call = new Call<>(settings, harmless, request);
        try {
            thread.execute(call);
            return call.result.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            throw RedisFailure.closed(settings);
        } catch (InterruptedException e) {
            boolean unused = call.giveUp();
            Thread.currentThread().interrupt();
            throw RedisFailure.interrupted(settings, e);
        } catch (TimeoutException e) {
            throw RedisFailure.late(settings, call.giveUp());
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RedisFailure failure ? failure : RedisFailure.lost(settings, e, true);
        }
    }

    private final class Call<T> implements Runnable {
        private final RedisSettings settings;
        private final boolean harmless;
        private final Function<Connection, T> request;
        private final CompletableFuture<T> result = new CompletableFuture<>();

        // Guarded by this.
        private boolean givenUp;
        private @Nullable RedisConnection sentOver;

        Call(RedisSettings settings, boolean harmless, Function<Connection, T> request) {
            this.settings = settings;
            this.harmless = harmless;
            this.request = request;
        }

        /** Whether the server may have received it, or may still receive it. */
        synchronized boolean giveUp() {
            givenUp = true;
            if (sentOver != null && !result.isDone()) {
                discard(sentOver);
            }
            discardOverdue();
            return sentOver != null;
        }

        private synchronized boolean begin(RedisConnection connection) {
            if (!givenUp) {
                sentOver = connection;
            }
            return !givenUp;
        }

        private synchronized boolean isGivenUp() {
            return givenUp;
        }

        private synchronized void end(@Nullable T value, @Nullable RedisFailure failure) {
            if (failure != null) {
                boolean unused = result.completeExceptionally(failure);
            } else {
                boolean unused = result.complete(value);
            }
        }

        @Override
        public void run() {
            try {
                if (!isGivenUp() && !attempt() && !isGivenUp()) {
                    boolean unused = attempt();
                }
            } catch (RedisFailure e) {
                end(null, e);
            }
        }

        /** Returns false if it may be sent once more. */
        private boolean attempt() throws RedisFailure {
            RedisConnection connection = connection(settings);
            boolean usedBefore = connection.isUsed();
            if (begin(connection)) {
                try {
                    // First: of a server that must not be used any more nothing is asked.
                    log(connection.lookAgain());
                    end(connection.ask(request), null);
                } catch (RedisFailure e) {
                    discard(connection);
                    if (harmless && usedBefore && e.isLoss()) {
                        return false;
                    }
                    throw e;
                }
            }
            return true;
        }
    }

    /** The present one, or a new one. */
    private RedisConnection connection(RedisSettings settings) throws RedisFailure {
        RedisConnection opened;
        synchronized (this) {
            if (over) {
                throw RedisFailure.closed(settings);
            }
            if (present != null) {
                return present;
            }
            opened = new RedisConnection(settings, addresses, nanoTime);
            present = opened;
        }
        try {
            log(opened.open(before));
            before = opened;
            return opened;
        } catch (RedisFailure e) {
            discard(opened);
            throw e;
        }
    }

    private void log(List<String> dangers) {
        dangers.stream().filter(warnings::add).forEach(warning -> LOG.log(System.Logger.Level.WARNING, warning));
    }

    private synchronized void discardOverdue() {
        if (present != null && present.isOverdue()) {
            discard(present);
        }
    }

    private synchronized void discard(RedisConnection connection) {
        connection.close();
        if (connection.equals(present)) {
            present = null;
        }
    }
}
