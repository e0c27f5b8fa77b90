// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import io.etcd.jetcd.api.AuthenticateRequest;
import io.etcd.jetcd.api.AuthenticateResponse;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrantResponse;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import io.etcd.jetcd.api.TxnResponse;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.ClientCall;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.support.Shared;

/**
 * What one coordinator sends through the {@linkplain SharedEtcd connection} that it shares with others of the same settings. Calls block,
 * end in time and say how they ended:
 *
 * <ul>
 *   <li>Each is sent once, with a deadline.
 * <li>gRPC waits longer and longer before it connects again. This class throws a connection away if it can't be made, or got no answer
 * three times in a row (with several servers: once). It makes a new one at once, to a server that answers.
 *   <li>When there is no answer, it is known whether the request has left the process, so that an unreachable server leaves no write in
 *       doubt.
 * </ul>
 */
final class EtcdConnection implements AutoCloseable {

    /** How one of several requests ended. */
    record Answer<T>(@Nullable T value, @Nullable EtcdFailure failure) {

        T get() throws EtcdFailure {
            if (failure != null) {
                throw failure;
            }
            if (value == null) {
                throw new IllegalStateException("neither an answer nor a failure");
            }
            return value;
        }
    }

    /** A server takes long to check a password; a call that can't wait for it finds the login done the next time. */
    private static final Duration LOGIN_TIMEOUT = Duration.ofSeconds(10);

    private static final Duration LOOK_TIMEOUT = Duration.ofSeconds(2);

    /** How much later than gRPC's own deadline the wait ends, so that the report is normally gRPC's, which has the cause. */
    private static final long GRACE_MILLIS = 200;

    private final EtcdSettings settings;

    private final Shared<EtcdSettings.Access, SharedEtcd>.Loan loan;

    EtcdConnection(EtcdSettings settings) {
        this.settings = settings;
        this.loan = SharedEtcd.ALL.loan(settings.access());
    }

    private SharedEtcd shared() {
        SharedEtcd shared = loan.get();
        if (shared == null) {
            throw new IllegalStateException("closed");
        }
        return shared;
    }

    EtcdSettings.Access access() {
        return settings.access();
    }

    /** Runs it later, on a thread that must not block; does nothing once this is closed. */
    void later(long nanos, Runnable task) {
        SharedEtcd shared = loan.present();
        if (shared != null) {
            shared.later(nanos, task);
        }
    }

    /** Begins to ask the server for its time. */
    Future<Optional<Instant>> askTime() {
        SharedEtcd shared = loan.get();
        return shared == null
                ? CompletableFuture.completedFuture(Optional.empty())
                : shared.serverTime().ask(settings);
    }

    Deadline deadline(Duration timeout) {
        long nanos = Math.max(1, settings.callTimeout().of(timeout).toNanos());
        return Deadline.after(nanos, TimeUnit.NANOSECONDS);
    }

    /** The connection that answered last; null if there is none. */
    @Nullable
    EtcdChannel channel() {
        SharedEtcd shared = loan.present();
        return shared == null ? null : shared.present();
    }

    /** Sends a request, once, and waits for the answer. */
    <Q, A> A call(Deadline deadline, MethodDescriptor<Q, A> method, Q request) throws EtcdFailure {
        return callAll(deadline, method, List.of(request)).get(0).get();
    }

    /** Sends requests at the same time, each once, and waits for the answers, which are in the order of the requests. */
    <Q, A> List<Answer<A>> callAll(Deadline deadline, MethodDescriptor<Q, A> method, List<Q> requests) {
        EtcdFailure apart = refusalOfClusters(deadline, false);
        if (apart != null) {
            return Collections.nCopies(requests.size(), new Answer<>(null, apart));
        }
        List<Sent<A>> all = new ArrayList<>();
        requests.forEach(request -> all.add(send(deadline, method, request)));
        List<Answer<A>> answers = new ArrayList<>(await(all, deadline));
        for (int i = 0; i < all.size(); i++) {
            // Any of the servers may be a learner.
            for (int again = 0; again <= settings.endpoints().size(); again++) {
                if (!maySendAgain(all.get(i), answers.get(i).failure())) {
                    break;
                }
                all.set(i, send(deadline, method, requests.get(i)));
                answers.set(i, await(List.of(all.get(i)), deadline).get(0));
            }
        }
        boolean another = answers.stream().anyMatch(EtcdConnection::refusesToTalk)
                && settings.endpoints().size() > 1
                && !allRefuseToTalk(deadline);
        if (another) {
            answers.replaceAll(EtcdConnection::ofOneAmongSeveral);
        }
        if (answers.stream().anyMatch(answer -> isOfAnotherCluster(answer.value()))) {
            EtcdFailure refusal = refusalOfAnother(deadline);
            if (refusal != null) {
                answers.replaceAll(answer -> new Answer<>(null, refusal));
            }
        }
        return answers;
    }

    /** Whether it contradicts what is known of the cluster. */
    private boolean isOfAnotherCluster(@Nullable Object answer) {
        SharedEtcd shared = loan.present();
        return shared != null
                && answer instanceof TxnResponse response
                && shared.clusters().isAnother(response.getHeader().getClusterId());
    }

    /** All servers have to be asked again. Where they refuse to tell, one answer is not believed: another cluster may be named, too. */
    private @Nullable EtcdFailure refusalOfAnother(Deadline deadline) {
        SharedEtcd shared = loan.present();
        return shared != null && shared.clusters().isUntold()
                ? EtcdFailure.severalClusters(settings)
                : refusalOfClusters(deadline, true);
    }

    /**
     * Before the first request: of those that answer soon, each has to be of the same cluster.
     *
     * @param sent whether a request was sent already, which one of them may have applied
     * @return null if they are
     */
    private @Nullable EtcdFailure refusalOfClusters(Deadline deadline, boolean sent) {
        SharedEtcd shared = settings.endpoints().size() == 1 ? null : loan.get();
        if (shared == null || shared.clusters().isOne()) {
            return null;
        }
        long millis = Math.min(LOOK_TIMEOUT.toMillis(), deadline.timeRemaining(TimeUnit.MILLISECONDS) / 4);
        Deadline soon = Deadline.after(Math.max(1, millis), TimeUnit.MILLISECONDS);
        List<Answer<StatusResponse>> answers = askEach(shared, soon);
        Map<URI, Long> clusters = new LinkedHashMap<>();
        Map<Long, URI> members = new HashMap<>();
        Map<URI, URI> sameMembers = new LinkedHashMap<>();
        for (int i = 0; i < answers.size(); i++) {
            StatusResponse status = answers.get(i).value();
            if (status != null) {
                URI endpoint = settings.endpoints().get(i);
                clusters.put(endpoint, status.getHeader().getClusterId());
                URI same = members.putIfAbsent(status.getHeader().getMemberId(), endpoint);
                if (same != null) {
                    sameMembers.put(endpoint, same);
                }
            }
        }
        // Some servers tell it only after a login.
        boolean loggedIn = settings.user() == null || token(shared.login()) != null;
        if (loggedIn && clusters.isEmpty() && answers.stream().anyMatch(EtcdConnection::refusesToTell)) {
            shared.clusters().noteUntold();
        }
        for (Map.Entry<URI, URI> each : sameMembers.entrySet()) {
            LeaseKeepAliveResponse renewed = renewed(shared, each.getValue(), each.getKey(), millis);
            if (renewed == null) {
                // It is looked at by the next call.
                return null;
            }
            if (renewed.getTTL() <= 0) {
                return EtcdFailure.namesakes(settings, each.getValue(), each.getKey(), sent);
            }
        }
        return shared.clusters().note(clusters.values()) ? null : EtcdFailure.severalClusters(settings, clusters, sent);
    }

    /**
     * Of two that have the same numbers: they may be one server with two names. Or each began without settings, and these numbers depend
     * on nothing else. So a lease of the one is renewed at the other.
     *
     * @return null if they do not tell
     */
    private @Nullable LeaseKeepAliveResponse renewed(SharedEtcd shared, URI one, URI other, long millis) {
        Deadline deadline = Deadline.after(Math.max(1, millis), TimeUnit.MILLISECONDS);
        LeaseGrantRequest grant =
                LeaseGrantRequest.newBuilder().setTTL(LOOK_TIMEOUT.toSeconds()).build();
        LeaseGrantResponse lease = answer(ask(shared, one, EtcdMethods.GRANT, grant, deadline), deadline)
                .value();
        if (lease == null) {
            return null;
        }
        LeaseKeepAliveRequest renewal =
                LeaseKeepAliveRequest.newBuilder().setID(lease.getID()).build();
        return answer(ask(shared, other, EtcdMethods.KEEP_ALIVE, renewal, deadline), deadline)
                .value();
    }

    private static boolean refusesToTalk(Answer<?> answer) {
        EtcdFailure failure = answer.failure();
        return failure != null && failure.refusesToTalk();
    }

    private static boolean refusesToTell(Answer<?> answer) {
        EtcdFailure failure = answer.failure();
        return failure != null && failure.refused();
    }

    private static <T> Answer<T> ofOneAmongSeveral(Answer<T> answer) {
        EtcdFailure failure = answer.failure();
        return failure != null && failure.refusesToTalk() ? new Answer<>(null, failure.ofOneAmongSeveral()) : answer;
    }

    /** A failed connection tells only of one of its servers: so each is asked alone. Also false if that can't be found out soon. */
    private boolean allRefuseToTalk(Deadline deadline) {
        SharedEtcd shared = loan.present();
        if (shared == null) {
            return false;
        }
        Deadline soon = deadline.minimum(Deadline.after(LOOK_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
        return askEach(shared, soon).stream().allMatch(EtcdConnection::refusesToTalk);
    }

    /** Each server alone, for its state. */
    private List<Answer<StatusResponse>> askEach(SharedEtcd shared, Deadline deadline) {
        StatusRequest question = StatusRequest.getDefaultInstance();
        List<Sent<StatusResponse>> asked = settings.endpoints().stream()
                .map(endpoint -> ask(shared, endpoint, EtcdMethods.STATUS, question, deadline))
                .toList();
        return asked.stream().map(sent -> answer(sent, deadline)).toList();
    }

    /** One server alone. */
    private <Q, A> Sent<A> ask(
            SharedEtcd shared, URI endpoint, MethodDescriptor<Q, A> method, Q question, Deadline deadline) {
        String token = token(shared.login());
        return new Sent<>(deadline, sent -> {
            EtcdChannel channel = shared.openBeside(settings, endpoint);
            sent.channel = channel;
            return channel.send(method, question, token, deadline, sent.trace);
        });
    }

    /** Of {@link #ask}. */
    private <A> Answer<A> answer(Sent<A> asked, Deadline deadline) {
        Answer<A> answer = await(asked, deadline);
        if (asked.channel != null) {
            asked.channel.end();
        }
        return answer;
    }

    /** That does not send a request twice: nothing left this process, or the server refused to look at it. */
    private boolean maySendAgain(Sent<?> sent, @Nullable EtcdFailure failure) {
        return failure != null
                && loan.present() != null
                && ((failure.unreachable() && !sent.trace.isSent() && sent.hadAnswered)
                        || failure.tokenExpired()
                        || failure.learner());
    }

    private <Q, A> Sent<A> send(Deadline deadline, MethodDescriptor<Q, A> method, Q request) {
        return new Sent<>(deadline, sent -> {
            SharedEtcd shared = shared();
            sent.hadAnswered = shared.hasAnswered();
            sent.login = logIn(shared, deadline);
            EtcdChannel channel = shared.open(settings);
            sent.channel = channel;
            return channel.send(method, request, token(sent.login), deadline, sent.trace);
        });
    }

    /** Waits for a login, of this call or another one; null if there is no user. */
    private @Nullable Sent<AuthenticateResponse> logIn(SharedEtcd shared, Deadline deadline) throws EtcdFailure {
        String user = settings.user();
        if (user == null) {
            return null;
        }
        Sent<AuthenticateResponse> login =
                shared.login(() -> new Sent<>(Deadline.after(LOGIN_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS), sent -> {
                    EtcdChannel channel = shared.open(settings);
                    sent.channel = channel;
                    AuthenticateRequest request = AuthenticateRequest.newBuilder()
                            .setName(user)
                            .setPassword(settings.password())
                            .build();
                    return channel.send(EtcdMethods.AUTHENTICATE, request, null, sent.deadline, sent.trace);
                }));
        if (token(login) == null) {
            EtcdFailure failure = await(List.of(login), deadline).get(0).failure();
            if (failure != null) {
                if (login.answer.isDone()) {
                    shared.forgetLogin(login);
                }
                throw failure.withNothingChanged();
            }
        }
        return login;
    }

    /** Opens a stream of watches beside the calls. */
    ClientCall<WatchRequest, WatchResponse> watch(
            EtcdChannel channel, EtcdChannel.Trace trace, ClientCall.Listener<WatchResponse> listener) {
        SharedEtcd shared = loan.present();
        return channel.watch(token(shared == null ? null : shared.login()), trace, listener);
    }

    private static @Nullable String token(@Nullable Sent<AuthenticateResponse> login) {
        return login != null && login.answer.isDone() && !login.answer.isCompletedExceptionally()
                ? login.answer.join().getToken()
                : null;
    }

    private <T> List<Answer<T>> await(List<Sent<T>> all, Deadline deadline) {
        List<Answer<T>> answers = new ArrayList<>();
        all.forEach(sent -> answers.add(await(sent, deadline)));
        boolean silence = false;
        boolean inVain = false;
        for (int i = 0; i < all.size(); i++) {
            Sent<T> sent = all.get(i);
            EtcdFailure failure = answers.get(i).failure();
            if (failure == null || !failure.noAnswer()) {
                note(sent, failure);
            } else if (!failure.interrupted()) {
                silence = true;
                // A frozen member of several keeps its share of the calls until a ping fails, 13 s later. A new
                // connection does without it, since one counts only when the server has said its first word.
                boolean another = sent.trace.isSent() && settings.endpoints().size() > 1;
                inVain |= another || (failure.unreachable() && !sent.trace.isSent());
            }
        }
        SharedEtcd shared = loan.present();
        EtcdChannel used = all.isEmpty() ? null : all.get(0).channel;
        if (silence && shared != null && used != null) {
            shared.noteSilence(used, inVain);
        }
        return answers;
    }

    /** A server has looked at the request. */
    private void note(Sent<?> sent, @Nullable EtcdFailure failure) {
        SharedEtcd shared = loan.present();
        EtcdChannel used = sent.channel;
        if (shared == null || used == null) {
            return;
        }
        shared.noteAnswer(used);
        Sent<AuthenticateResponse> login = sent.login;
        if (failure != null && failure.tokenExpired() && login != null) {
            shared.forgetLogin(login);
        }
        if (failure != null && failure.learner()) {
            shared.noteLearner(sent.trace.server());
        }
    }

    void noteWatchFailed(EtcdChannel.Trace trace, Throwable failure) {
        SharedEtcd shared = loan.present();
        if (shared != null && EtcdFailure.of(settings, failure, trace.isSent()).learner()) {
            shared.noteLearner(trace.server());
        }
    }

    private <T> Answer<T> await(Sent<T> sent, Deadline deadline) {
        long millis = Math.max(0, deadline.timeRemaining(TimeUnit.MILLISECONDS)) + GRACE_MILLIS;
        try {
            return new Answer<>(sent.answer.get(millis, TimeUnit.MILLISECONDS), null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Answer<>(null, EtcdFailure.interrupted(settings, e));
        } catch (ExecutionException e) {
            return new Answer<>(
                    null,
                    e.getCause() instanceof EtcdFailure known
                            ? known
                            : EtcdFailure.of(settings, e, sent.trace.isSent()));
        } catch (TimeoutException e) {
            // gRPC has not ended the call yet, and may still send it. Other calls may wait for a login to end.
            boolean overdue = sent.deadline.isExpired();
            if (overdue) {
                sent.answer.cancel(true);
            }
            return new Answer<>(null, EtcdFailure.of(settings, e, overdue || sent.trace.isSent()));
        } catch (RuntimeException e) {
            return new Answer<>(null, EtcdFailure.of(settings, e, sent.trace.isSent()));
        }
    }

    /** Ends the connection if no other uses it. What is on its way for others goes on. */
    @Override
    public void close() {
        loan.close();
    }

    /** A request under way. */
    static final class Sent<T> {
        private final EtcdChannel.Trace trace = new EtcdChannel.Trace();
        private final Deadline deadline;
        private final CompletableFuture<T> answer;
        private @Nullable EtcdChannel channel;
        private @Nullable Sent<AuthenticateResponse> login;
        private boolean hadAnswered;

        private interface Sending<T> {
            CompletableFuture<T> begin(Sent<T> sent) throws EtcdFailure;
        }

        private Sent(Deadline deadline, Sending<T> sending) {
            this.deadline = deadline;
            CompletableFuture<T> begun;
            try {
                begun = sending.begin(this);
            } catch (EtcdFailure | RuntimeException e) {
                begun = CompletableFuture.failedFuture(e);
            }
            this.answer = begun;
        }
    }
}
