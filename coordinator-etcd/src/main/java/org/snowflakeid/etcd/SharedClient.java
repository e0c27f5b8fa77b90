// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import com.google.common.util.concurrent.MoreExecutors;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The jetcd client of all coordinators of an application that reach the same servers in the same way, with the threads beside it. It
 * exists as long as one of them uses it. One that fails is thrown away, for all of them: who asks next gets a new one.
 *
 * <p>Applications of one server have a client each, told apart by their context class loader, which the client's threads keep.
 */
final class SharedClient {
    private static final int FAILURES_BEFORE_REBUILD = 3;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    /** etcd counts pings closer than 5 s as abuse, gRPC raises less than 10 s to 10 s. */
    private static final Duration PING_INTERVAL = Duration.ofSeconds(10);

    private static final Duration PING_TIMEOUT = Duration.ofSeconds(3);
    private static final int MAX_MESSAGE_BYTES = 16 << 20;

    // jetcd logs each failed attempt, which is reported to the caller anyway. The logger is its own, by the package it
    // is relocated to. Held here, since java.util.logging forgets the level of a logger that nobody holds.
    private static final Logger JETCD_LOGGER = Logger.getLogger(Client.class.getPackageName());

    static {
        if (JETCD_LOGGER.getLevel() == null) {
            JETCD_LOGGER.setLevel(Level.OFF);
        }
    }

    /** Those in use. Guarded by itself. */
    private static final Map<Key, SharedClient> IN_USE = new HashMap<>();

    private record Key(EtcdSettings.Access access, @Nullable ClassLoader application) {}

    private final Key key;
    private final ExecutorService background;
    private final ServerTime serverTime;

    /** Guarded by {@link #IN_USE}. */
    private int users;

    private volatile @Nullable Client client;

    // Guarded by this.
    private boolean over;
    private boolean hasAnswered;
    private int failures;

    private SharedClient(Key key) {
        this.key = key;
        AtomicInteger count = new AtomicInteger();
        ThreadPoolExecutor threads =
                new ThreadPoolExecutor(2, 2, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "snowflake-etcd-background-" + count.incrementAndGet());
                    thread.setDaemon(true);
                    thread.setContextClassLoader(key.application());
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        this.background = threads;
        this.serverTime = new ServerTime(key.access(), this::background);
    }

    /** To be given back once. */
    static SharedClient borrow(EtcdSettings.Access access, @Nullable ClassLoader application) {
        Key key = new Key(access, application);
        synchronized (IN_USE) {
            SharedClient shared = IN_USE.computeIfAbsent(key, SharedClient::new);
            shared.users++;
            return shared;
        }
    }

    void giveBack() {
        synchronized (IN_USE) {
            users--;
            if (users > 0) {
                return;
            }
            IN_USE.remove(key);
        }
        synchronized (this) {
            over = true;
            discard();
            background.shutdown();
        }
    }

    /** Runs what must not delay a call: the HTTP request for the server's time, closing of what may hang. */
    synchronized void background(Runnable task) {
        if (!over) {
            background.execute(task);
        }
    }

    ServerTime serverTime() {
        return serverTime;
    }

    /** The client that answered last; null if there is none. */
    @Nullable
    Client client() {
        return client;
    }

    /** The present client, or a new one. */
    synchronized Client open() {
        Client open = client;
        if (open == null) {
            if (over) {
                throw new IllegalStateException("closed");
            }
            open = build();
            client = open;
            hasAnswered = false;
            failures = 0;
        }
        return open;
    }

    /** Whether the present client has had an answer. */
    synchronized boolean hasAnswered() {
        return client != null && hasAnswered;
    }

    private synchronized boolean isPresent(Client used) {
        return used.equals(client);
    }

    synchronized void noteAnswer(Client used) {
        if (isPresent(used)) {
            hasAnswered = true;
            failures = 0;
        }
    }

    /**
     * No server answered, as far as can be seen. What one client did is nothing to say against the next.
     *
     * @param inVain it can't connect, or would go on sending to a server that does not answer
     */
    synchronized void noteSilence(Client used, boolean inVain) {
        if (isPresent(used)) {
            failures++;
            if (inVain || failures >= FAILURES_BEFORE_REBUILD) {
                discard();
            }
        }
    }

    private void discard() {
        Client old = client;
        client = null;
        if (old != null) {
            background.execute(old::close);
        }
    }

    private Client build() {
        EtcdSettings.Access access = key.access();
        ClientBuilder builder = Client.builder()
                .endpoints(access.endpoints())
                .interceptor(EtcdConnection.DEADLINES)
                // An unreachable server is reported at once, with the cause; waiting and trying again is core's.
                .waitForReady(false)
                .retryMaxAttempts(0)
                .connectTimeout(CONNECT_TIMEOUT)
                .keepaliveTime(PING_INTERVAL)
                .keepaliveTimeout(PING_TIMEOUT)
                // etcd ends connections that ping without a stream open.
                .keepaliveWithoutCalls(false)
                .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                // jetcd only starts requests there, without blocking: the caller's thread will do, and is the one that
                // the interceptor knows the call by.
                .executorService(MoreExecutors.newDirectExecutorService());
        String user = access.user();
        String password = access.password();
        if (user != null && password != null) {
            builder.user(EtcdConnection.utf8(user)).password(EtcdConnection.utf8(password));
        }
        if (access.sslContext() != null) {
            builder.sslContext(access.sslContext());
        }
        return builder.build();
    }
}
