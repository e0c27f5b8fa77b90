// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What one coordinator sends through the {@linkplain SharedClient jetcd client} that it shares with others of the same settings. Calls
 * block, end in time and say how they ended. Bare jetcd does none of this:
 *
 * <ul>
 *   <li>Its futures never complete while no server answers. Here each call carries a deadline, and the wait for it is bounded
 *       as well.
 *   <li>After an outage it waits out a reconnect backoff of up to two minutes. Here a client that cannot connect, or that
 *       got no answer three times in a row (with several servers: once), is thrown away: a new one connects at once, to what answers.
 *   <li>It does not report whether a request has left the process when there is no answer. Here a {@link ClientStreamTracer} does, so that
 *       an unreachable server leaves no write in doubt.
 * </ul>
 */
final class EtcdConnection implements AutoCloseable {

    /** One request to the server. */
    interface Request<T> {
        CompletableFuture<T> send(Client client);
    }

    /** How one of several requests ended. */
    record Answer<T>(@Nullable T value, @Nullable EtcdFailure failure) {

        T get() throws EtcdFailure {
            if (failure != null) {
                throw failure;
            }
            // An answer of jetcd is never null.
            if (value == null) {
                throw new IllegalStateException("neither an answer nor a failure");
            }
            return value;
        }
    }

    /** Of each request. */
    static final ClientInterceptor DEADLINES = new Deadlines();

    private static final Duration LOGIN_TIMEOUT = Duration.ofSeconds(10);

    /** How much later than gRPC's own deadline the wait ends, so that the report is normally gRPC's, which has the cause. */
    private static final long GRACE_MILLIS = 200;

    /** Set while jetcd starts a request, for the interceptor. */
    private static final ThreadLocal<@Nullable Call> CURRENT_CALL = new ThreadLocal<>();

    private static final String LOGIN = "etcdserverpb.Auth/Authenticate";

    private final EtcdSettings settings;

    /** Of whoever opened it: what the client's threads begin with. */
    private final @Nullable ClassLoader application = Thread.currentThread().getContextClassLoader();

    // Guarded by this. Borrowed for the first call, so that who is never closed, and never called, keeps nothing.
    private @Nullable SharedClient borrowed;
    private boolean closed;

    EtcdConnection(EtcdSettings settings) {
        this.settings = settings;
    }

    private synchronized SharedClient shared() {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        SharedClient shared = borrowed;
        if (shared == null) {
            shared = SharedClient.borrow(settings.access(), application);
            borrowed = shared;
        }
        return shared;
    }

    EtcdSettings.Access access() {
        return settings.access();
    }

    /** Runs what must not delay a call; nothing once this is closed. */
    synchronized void background(Runnable task) {
        if (!closed) {
            shared().background(task);
        }
    }

    /** Begins to ask the server for its time. */
    synchronized Future<Optional<Instant>> askTime() {
        return closed
                ? CompletableFuture.completedFuture(Optional.empty())
                : shared().serverTime().ask();
    }

    Deadline deadline(Duration timeout) {
        long nanos = Math.max(1, settings.callTimeout(timeout).toNanos());
        return Deadline.after(nanos, TimeUnit.NANOSECONDS);
    }

    /** The client that answered last; null if there is none. */
    synchronized @Nullable Client client() {
        return borrowed == null ? null : borrowed.client();
    }

    /** Sends a request, once, and waits for the answer. */
    <T> T call(Deadline deadline, Request<T> request) throws EtcdFailure {
        return callAll(deadline, List.of(request)).get(0).get();
    }

    /** Sends requests at the same time, each once, and waits for the answers, which are in the order of the requests. */
    <T> List<Answer<T>> callAll(Deadline deadline, List<Request<T>> requests) {
        List<Sent<T>> all = new ArrayList<>();
        requests.forEach(request -> all.add(send(deadline, request)));
        List<Answer<T>> answers = new ArrayList<>(await(all));
        for (int i = 0; i < answers.size(); i++) {
            if (maySendAgain(all.get(i), answers.get(i).failure())) {
                Sent<T> again = send(deadline, requests.get(i));
                answers.set(i, await(List.of(again)).get(0));
            }
        }
        return answers;
    }

    /** That is no second sending: nothing left this process, or the server refused to look at it. */
    private synchronized boolean maySendAgain(Sent<?> sent, @Nullable EtcdFailure failure) {
        return failure != null
                && !closed
                && ((failure.unreachable() && !sent.call.sent && sent.hadAnswered) || failure.tokenExpired());
    }

    private <T> Sent<T> send(Deadline deadline, Request<T> request) {
        Sent<T> sent = new Sent<>(new Call(deadline));
        CURRENT_CALL.set(sent.call);
        try {
            SharedClient shared = shared();
            sent.hadAnswered = shared.hasAnswered();
            sent.client = shared.open();
            sent.answer = request.send(sent.client);
        } catch (RuntimeException e) {
            sent.answer = CompletableFuture.failedFuture(e);
        } finally {
            CURRENT_CALL.remove();
        }
        return sent;
    }

    private <T> List<Answer<T>> await(List<Sent<T>> all) {
        List<Answer<T>> answers = new ArrayList<>();
        boolean silence = false;
        boolean inVain = false;
        for (Sent<T> sent : all) {
            Answer<T> answer = await(sent);
            answers.add(answer);
            EtcdFailure failure = answer.failure();
            if (failure != null && failure.noAnswer()) {
                if (!failure.interrupted()) {
                    silence = true;
                    // A frozen member of several keeps its share of the calls until a ping fails, 13 s later. A new
                    // client does without it, since a connection counts only when the server has said its first word.
                    boolean another = sent.call.sent && settings.endpoints().size() > 1;
                    inVain |= another || (failure.unreachable() && !sent.call.sent);
                }
            } else {
                noteAnswer(sent.client);
            }
        }
        if (silence) {
            noteSilence(all.get(0).client, inVain);
        }
        return answers;
    }

    private synchronized void noteAnswer(@Nullable Client used) {
        if (borrowed != null && used != null) {
            borrowed.noteAnswer(used);
        }
    }

    private synchronized void noteSilence(@Nullable Client used, boolean inVain) {
        if (borrowed != null && used != null) {
            borrowed.noteSilence(used, inVain);
        }
    }

    private <T> Answer<T> await(Sent<T> sent) {
        long millis = Math.max(0, sent.call.deadline.timeRemaining(TimeUnit.MILLISECONDS)) + GRACE_MILLIS;
        try {
            return new Answer<>(sent.answer.get(millis, TimeUnit.MILLISECONDS), null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Answer<>(null, EtcdFailure.interrupted(settings, e));
        } catch (ExecutionException | TimeoutException | RuntimeException e) {
            return new Answer<>(null, EtcdFailure.of(settings, e, sent.call.sent));
        }
    }

    static ByteSequence utf8(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    /** Ends the client if no other connection uses it. What is on its way for others goes on. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            if (borrowed != null) {
                borrowed.giveBack();
            }
        }
    }

    /** A request under way. */
    private static final class Sent<T> {
        final Call call;
        CompletableFuture<T> answer = new CompletableFuture<>();

        @Nullable
        Client client;

        boolean hadAnswered;

        Sent(Call call) {
            this.call = call;
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

    private static final class Deadlines implements ClientInterceptor {
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
