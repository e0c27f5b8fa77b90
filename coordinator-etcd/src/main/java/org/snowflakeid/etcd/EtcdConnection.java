// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import com.google.common.util.concurrent.MoreExecutors;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientStreamTracer;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A jetcd client whose calls block, end in time and say how they ended. Bare jetcd does none of this:
 *
 * <ul>
 *   <li>Its futures never complete while no server answers. Here each call carries a deadline, and the wait for it is bounded
 *       as well.
 *   <li>After an outage it waits out a reconnect backoff of up to two minutes. Here a client that cannot connect, or that
 *       got no answer {@value #FAILURES_BEFORE_REBUILD} times in a row (with several servers: once), is thrown away: a new
 *       one connects at once, to what answers.
 *   <li>It does not tell a request that never left from one without an answer. Here a {@link ClientStreamTracer} does, so that
 *       an unreachable server leaves no write in doubt.
 * </ul>
 *
 * <p>Used by one thread at a time, except for {@link #background} and {@link #close}.
 */
final class EtcdConnection implements AutoCloseable {

    /** One request to the server. */
    interface Request<T> {
        CompletableFuture<T> send(Client client);
    }

    private static final int FAILURES_BEFORE_REBUILD = 3;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration LOGIN_TIMEOUT = Duration.ofSeconds(10);

    /** etcd counts pings closer than 5 s as abuse, gRPC raises less than 10 s to 10 s. */
    private static final Duration PING_INTERVAL = Duration.ofSeconds(10);

    private static final Duration PING_TIMEOUT = Duration.ofSeconds(3);
    private static final int MAX_MESSAGE_BYTES = 16 << 20;

    /** How much later than gRPC's own deadline the wait ends, so that the report is normally gRPC's, which has the cause. */
    private static final long GRACE_MILLIS = 200;

    /** Set while jetcd starts a request, for the interceptor. */
    private static final ThreadLocal<@Nullable Call> CURRENT_CALL = new ThreadLocal<>();

    private static final String LOGIN = "etcdserverpb.Auth/Authenticate";

    // jetcd logs each failed attempt, which is reported to the caller anyway. The logger is its own, by the package it
    // is
    // relocated to. Held here, since java.util.logging forgets the level of a logger that nobody holds.
    private static final Logger JETCD_LOGGER = Logger.getLogger(Client.class.getPackageName());

    static {
        if (JETCD_LOGGER.getLevel() == null) {
            JETCD_LOGGER.setLevel(Level.OFF);
        }
    }

    private final EtcdSettings settings;
    private final ExecutorService background;
    private volatile @Nullable Client client;
    private volatile boolean closed;
    private boolean hasAnswered;
    private int failures;

    EtcdConnection(EtcdSettings settings) {
        this.settings = settings;
        AtomicInteger count = new AtomicInteger();
        ThreadPoolExecutor threads =
                new ThreadPoolExecutor(2, 2, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread =
                            new Thread(task, "snowflake-etcd-" + settings.generator() + "-" + count.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        this.background = threads;
    }

    /** Runs what must not delay a call: the HTTP request for the server's time, closing of what may hang. */
    synchronized void background(Runnable task) {
        if (!closed) {
            background.execute(task);
        }
    }

    EtcdSettings settings() {
        return settings;
    }

    Deadline deadline(Duration timeout) {
        long nanos = Math.max(1, settings.callTimeout(timeout).toNanos());
        return Deadline.after(nanos, TimeUnit.NANOSECONDS);
    }

    /** The client that answered last; null if there is none. */
    @Nullable
    Client client() {
        return client;
    }

    /** Sends a request, once, and waits for the answer. */
    <T> T call(Deadline deadline, Request<T> request) throws EtcdFailure {
        for (boolean first = true; ; first = false) {
            boolean hadAnswered = hasAnswered;
            Call call = new Call(deadline);
            try {
                T answer = await(call, request);
                hasAnswered = true;
                failures = 0;
                return answer;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw EtcdFailure.interrupted(settings, e);
            } catch (ExecutionException | TimeoutException | RuntimeException e) {
                EtcdFailure failure = EtcdFailure.of(settings, e, call.sent);
                noteFailure(failure, call.sent);
                // Both are no second sending: nothing left this process, or the server refused to look at it.
                boolean again = (failure.unreachable() && !call.sent && hadAnswered) || failure.tokenExpired();
                if (!first || !again || closed) {
                    throw failure;
                }
            }
        }
    }

    private <T> T await(Call call, Request<T> request)
            throws InterruptedException, ExecutionException, TimeoutException {
        CompletableFuture<T> answer;
        CURRENT_CALL.set(call);
        try {
            answer = request.send(open());
        } finally {
            CURRENT_CALL.remove();
        }
        long millis = Math.max(0, call.deadline.timeRemaining(TimeUnit.MILLISECONDS)) + GRACE_MILLIS;
        return answer.get(millis, TimeUnit.MILLISECONDS);
    }

    private void noteFailure(EtcdFailure failure, boolean sent) {
        if (!failure.noAnswer()) {
            hasAnswered = true;
            failures = 0;
            return;
        }
        failures++;
        // A frozen member of several keeps its share of the calls until a ping fails, 13 s later. A new client does
        // without
        // it, since a connection counts only when the server has said its first word.
        boolean another = sent && settings.endpoints().size() > 1;
        if (another || failures >= FAILURES_BEFORE_REBUILD || (failure.unreachable() && !sent)) {
            discard();
        }
    }

    private synchronized Client open() {
        Client open = client;
        if (open == null) {
            if (closed) {
                throw new IllegalStateException("closed");
            }
            open = build();
            client = open;
            hasAnswered = false;
            failures = 0;
        }
        return open;
    }

    private Client build() {
        ClientBuilder builder = Client.builder()
                .endpoints(settings.endpoints())
                .interceptor(new Deadlines())
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
                // carries CURRENT_CALL.
                .executorService(MoreExecutors.newDirectExecutorService());
        if (settings.user() != null && settings.password() != null) {
            builder.user(utf8(settings.user())).password(utf8(settings.password()));
        }
        if (settings.tls() != null) {
            builder.sslContext(settings.tls());
        }
        return builder.build();
    }

    static ByteSequence utf8(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    private synchronized void discard() {
        Client old = client;
        client = null;
        if (old != null) {
            background.execute(old::close);
        }
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            discard();
            background.shutdown();
        }
    }

    /** What is known about a request under way. */
    private static final class Call extends ClientStreamTracer.Factory {
        final Deadline deadline;
        volatile boolean sent;

        Call(Deadline deadline) {
            this.deadline = deadline;
        }

        @Override
        public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
            return new ClientStreamTracer() {
                @Override
                public void streamCreated(Attributes transportAttributes, Metadata sentHeaders) {
                    sent = true;
                }
            };
        }
    }

    private final class Deadlines implements ClientInterceptor {
        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            Call call = CURRENT_CALL.get();
            if (method.getFullMethodName().equals(LOGIN)) {
                // Logging in may run inside a call, or for a watch.
                return next.newCall(method, options.withDeadlineAfter(LOGIN_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
            }
            if (call == null) {
                return next.newCall(method, options);
            }
            // Also for the renewal of a lease, a stream: without a deadline each one that times out stays open in the
            // server.
            return next.newCall(method, options.withDeadline(call.deadline).withStreamTracerFactory(call));
        }
    }
}
