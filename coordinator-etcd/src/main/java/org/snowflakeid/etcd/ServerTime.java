// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import io.grpc.Deadline;
import io.netty.handler.ssl.JdkSslContext;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import javax.net.ssl.HttpsURLConnection;
import org.jspecify.annotations.Nullable;

/**
 * The server's time, from the {@code Date} header of its {@code GET /version}: etcd's own protocol does not tell it. A background thread
 * asks for it while a read is under way, one request at a time. A caller gets the answer to a request that begins after its call, so no
 * answer is older than the question.
 */
final class ServerTime {
    private static final int TIMEOUT_MILLIS = 400;

    /** A server that answers gRPC but not HTTP will hardly begin to. A busy one may be late once or twice. */
    private static final int FAILURES_BEFORE_PAUSE = 3;

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Executor background;
    private final BooleanSupplier answers;

    private CompletableFuture<Optional<Instant>> underWay = CompletableFuture.completedFuture(Optional.empty());

    /** It has not begun, or never will, since no thread could be started. */
    private @Nullable CompletableFuture<Optional<Instant>> next;

    private volatile int preferred;

    /** Failures in a row while gRPC was answered. Used by one question at a time. */
    private int failures;

    private volatile @Nullable Long pausedSinceNanos;

    /** @param answers whether gRPC was answered: a server that is away tells nothing about what it will answer when it is there */
    ServerTime(Executor background, BooleanSupplier answers) {
        this.background = background;
        this.answers = answers;
    }

    /** Begins to ask; the answer is empty if there is none. */
    synchronized Future<Optional<Instant>> ask(EtcdSettings settings) {
        Long pausedSince = pausedSinceNanos;
        if (pausedSince != null && answers.getAsBoolean() && System.nanoTime() - pausedSince < PAUSE_NANOS) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        CompletableFuture<Optional<Instant>> question = next;
        if (question == null || question.isDone()) {
            // However the one before ended.
            question = underWay.handleAsync(
                    (before, failure) -> {
                        begin();
                        return fetch(settings);
                    },
                    background);
            next = question;
        }
        return question;
    }

    private synchronized void begin() {
        if (next != null) {
            underWay = next;
            next = null;
        }
    }

    /** The answer; null if it does not come soon. */
    static @Nullable Instant answer(Future<Optional<Instant>> question, Deadline deadline) {
        long millis = Math.min(2L * TIMEOUT_MILLIS, Math.max(0, deadline.timeRemaining(TimeUnit.MILLISECONDS)));
        try {
            return question.get(millis, TimeUnit.MILLISECONDS).orElse(null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } catch (ExecutionException | TimeoutException e) {
            return null;
        }
    }

    private Optional<Instant> fetch(EtcdSettings settings) {
        List<URI> endpoints = settings.endpoints();
        boolean answeredBefore = answers.getAsBoolean();
        for (int i = 0; i < endpoints.size() && !Thread.currentThread().isInterrupted(); i++) {
            int n = (preferred + i) % endpoints.size();
            try {
                Instant time = fetch(endpoints.get(n), settings.sslContext());
                preferred = n;
                failures = 0;
                pausedSinceNanos = null;
                return Optional.of(time);
            } catch (IOException | RuntimeException e) {
                // The next server may answer. The answer is useful, never needed.
            }
        }
        failures = answeredBefore ? failures + 1 : 0;
        pausedSinceNanos = failures >= FAILURES_BEFORE_PAUSE ? System.nanoTime() : null;
        return Optional.empty();
    }

    private static Instant fetch(URI endpoint, @Nullable JdkSslContext tls) throws IOException {
        HttpURLConnection http =
                (HttpURLConnection) endpoint.resolve("/version").toURL().openConnection(Proxy.NO_PROXY);
        try {
            if (http instanceof HttpsURLConnection https && tls != null) {
                https.setSSLSocketFactory(tls.context().getSocketFactory());
            }
            http.setConnectTimeout(TIMEOUT_MILLIS);
            http.setReadTimeout(TIMEOUT_MILLIS);
            http.setUseCaches(false);
            http.setInstanceFollowRedirects(false);
            // A connection kept alive would leave a thread of the JDK behind.
            http.setRequestProperty("Connection", "close");
            long date = http.getHeaderFieldDate("Date", 0);
            if (date == 0) {
                throw new IOException("no Date");
            }
            // The header drops the fraction of the second: its middle is the best guess.
            return Instant.ofEpochMilli(date + 500);
        } finally {
            http.disconnect();
        }
    }
}
