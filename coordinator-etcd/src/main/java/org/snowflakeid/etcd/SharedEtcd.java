// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import io.etcd.jetcd.api.AuthenticateResponse;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.Deadline;
import org.snowflakeid.support.ApplicationThreads;
import org.snowflakeid.support.Shared;

/**
 * The connection of all coordinators that {@linkplain Shared share} it, with its login and its threads. One that fails is thrown away, for
 * all of them: the next call gets a new one.
 */
final class SharedEtcd {
    private static final System.Logger LOG = System.getLogger(SharedEtcd.class.getName());
    private static final int FAILURES_BEFORE_REBUILD = 3;

    /** A learner may have become a member with a vote since. */
    private static final long AVOIDED_NANOS = TimeUnit.MINUTES.toNanos(1);

    static final Shared<EtcdSettings.Access, SharedEtcd> ALL =
            new Shared<>((access, threads) -> new SharedEtcd(threads), SharedEtcd::end);

    private final ApplicationThreads threads;
    private final ThreadPoolExecutor background;
    private final ServerTime serverTime;
    private final OneCluster clusters = new OneCluster();
    private final Map<SocketAddress, Long> learners = new ConcurrentHashMap<>();

    /**
     * Held by the thread that begins a login, so that all share it. It is not {@code this}: gRPC may end other calls' watches on the thread
     * that sends, and those look at the connection.
     */
    private final Object beginsLogin = new Object();

    // Guarded by this.
    private EventLoopGroup loop;
    private boolean over;
    private @Nullable EtcdChannel present;
    private boolean hasAnswered;
    private int failures;
    private EtcdConnection.@Nullable Sent<AuthenticateResponse> login;

    /** Connections whose last calls are awaited. Guarded by this. */
    private final List<EtcdChannel> givenUp = new ArrayList<>();

    private SharedEtcd(ApplicationThreads threads) {
        this.threads = threads;
        this.loop = newLoop();
        this.background = new ThreadPoolExecutor(
                2,
                2,
                // A thread that has only asked for the time ends before the next extension.
                1,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                threads("snowflake-etcd-background"),
                new ThreadPoolExecutor.DiscardPolicy());
        background.allowCoreThreadTimeOut(true);
        this.serverTime = new ServerTime(background, this::hasAnswered);
    }

    private EventLoopGroup newLoop() {
        return new NioEventLoopGroup(1, threads("snowflake-etcd-connection"));
    }

    /**
     * Of Netty's kind: Open Liberty keeps the application that is the first to load a class with a logger while others use that class, and
     * Netty would load this one when the first of them ends.
     */
    private ThreadFactory threads(String name) {
        return threads.named(name, FastThreadLocalThread::new);
    }

    private void end() {
        Deadline deadline = Deadline.after(ApplicationThreads.LONGEST_END);
        List<EtcdChannel> open;
        EventLoopGroup last;
        synchronized (this) {
            over = true;
            discard();
            open = List.copyOf(givenUp);
            last = loop;
        }
        open.forEach(EtcdChannel::end);
        background.shutdownNow();
        try {
            for (EtcdChannel each : open) {
                // Without its thread it never comes to its end.
                boolean unused = last.isShuttingDown() || each.awaitEnd(deadline.nanosLeft());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        var unused = last.shutdownGracefully(0, ApplicationThreads.LONGEST_END.toMillis(), TimeUnit.MILLISECONDS);
        threads.awaitEnd(deadline);
    }

    ServerTime serverTime() {
        return serverTime;
    }

    OneCluster clusters() {
        return clusters;
    }

    /** Runs it on a thread where nothing may block, unless this ends before. */
    synchronized void later(long nanos, Runnable task) {
        if (over) {
            return;
        }
        try {
            var unused = liveLoop().schedule(task, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // An error has just ended it, and with it the connection that the task is about.
            LOG.log(Level.DEBUG, "the thread of the connection has ended", e);
        }
    }

    /** An error may have ended its thread: without memory a task fails, and Netty's report of that may fail as well. */
    private EventLoopGroup liveLoop() {
        if (loop.isShuttingDown()) {
            loop = newLoop();
            // Without their thread they never come to their end.
            givenUp.clear();
        }
        return loop;
    }

    /** The present connection; null if there is none. */
    synchronized @Nullable EtcdChannel present() {
        return present;
    }

    /**
     * The present connection, or a new one.
     *
     * @throws org.snowflakeid.InvalidSettingsException if the files for it can't be used
     */
    synchronized EtcdChannel open(EtcdSettings settings) {
        if (over) {
            throw new IllegalStateException("closed");
        }
        if (loop.isShuttingDown()) {
            discard();
        }
        EtcdChannel open = present;
        if (open == null) {
            open = newChannel(settings, settings.endpoints());
            present = open;
            hasAnswered = false;
            failures = 0;
        }
        return open;
    }

    /** One to that server alone, beside the present connection; the caller ends it. */
    synchronized EtcdChannel openBeside(EtcdSettings settings, URI endpoint) {
        if (over) {
            throw new IllegalStateException("closed");
        }
        EtcdChannel beside = newChannel(settings, List.of(endpoint));
        givenUp.removeIf(EtcdChannel::hasEnded);
        givenUp.add(beside);
        return beside;
    }

    private EtcdChannel newChannel(EtcdSettings settings, List<URI> endpoints) {
        return new EtcdChannel(settings, endpoints, liveLoop(), background, this::isAvoided);
    }

    /** Whether the present connection has had an answer. */
    synchronized boolean hasAnswered() {
        return present != null && hasAnswered;
    }

    synchronized void noteAnswer(EtcdChannel used) {
        if (used.equals(present)) {
            hasAnswered = true;
            failures = 0;
        }
    }

    /**
     * No server answered, as far as this process can tell. That says nothing about the next connection.
     *
     * @param inVain it can't connect, or would go on sending to a server that does not answer
     */
    synchronized void noteSilence(EtcdChannel used, boolean inVain) {
        if (used.equals(present)) {
            failures++;
            if (inVain || failures >= FAILURES_BEFORE_REBUILD) {
                discard();
            }
        }
    }

    /** That server does not serve our requests: the next connections avoid it for a while. */
    synchronized void noteLearner(@Nullable SocketAddress server) {
        if (server != null && !isAvoided(server)) {
            learners.put(server, System.nanoTime());
            discard();
        }
    }

    private boolean isAvoided(SocketAddress server) {
        Long since = learners.get(server);
        return since != null && System.nanoTime() - since < AVOIDED_NANOS;
    }

    private synchronized void discard() {
        givenUp.removeIf(EtcdChannel::hasEnded);
        EtcdChannel old = present;
        present = null;
        if (old != null) {
            givenUp.add(old);
            // On the other thread, since what is called at the end of a watch may need locks of its own.
            later(0, old::giveUp);
        }
    }

    /** The login of all, done or under way, or a new one. */
    EtcdConnection.Sent<AuthenticateResponse> login(Supplier<EtcdConnection.Sent<AuthenticateResponse>> begin) {
        synchronized (beginsLogin) {
            EtcdConnection.Sent<AuthenticateResponse> known = login();
            if (known == null) {
                known = begin.get();
                synchronized (this) {
                    login = known;
                }
            }
            return known;
        }
    }

    synchronized EtcdConnection.@Nullable Sent<AuthenticateResponse> login() {
        return login;
    }

    synchronized void forgetLogin(EtcdConnection.Sent<AuthenticateResponse> old) {
        if (old.equals(login)) {
            login = null;
        }
    }
}
