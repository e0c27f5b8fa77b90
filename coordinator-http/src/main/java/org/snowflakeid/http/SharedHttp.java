// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.http;

import java.lang.ref.WeakReference;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.Deadline;
import org.snowflakeid.support.ApplicationThreads;
import org.snowflakeid.support.Shared;
import org.snowflakeid.support.Tls;

/**
 * HTTP with some servers, for all coordinators that {@linkplain Shared share} it. This class makes sure, as far as it can, that no proxy
 * and no cache lies between.
 *
 * <p>From Java 21 on nothing of it is left when the last of them has closed it; before, the JDK's client can't be closed, and its thread
 * ends some seconds after the next garbage collection.
 */
final class SharedHttp {
    /** How long a request may go on after its call has ended. */
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(15);

    private static final Duration CONNECT_TIMEOUT = Duration.ofNanos(LATE_NANOS);
    private static final int SILENT_BEFORE_REBUILD = 3;

    /** Clients that can't be closed, and keep a thread and its descriptors. An outage seems to need another one again and again. */
    private static final int MOST_GIVEN_UP = 5;

    private static final long IDLE_SECONDS = 5;

    static final Shared<HttpSettings.Access, SharedHttp> ALL = new Shared<>(SharedHttp::new, SharedHttp::end);

    private final ApplicationThreads threads;

    /** Runs all threads but the one of each client; tests give it none. */
    final ThreadPoolExecutor pool;

    // Guarded by this.
    private @Nullable HttpClient client;
    private @Nullable Tls tls;
    private boolean filesMayDiffer;

    /** Requests in a row to which the present client got no answer; then when the first failed, and whether the last was late. */
    private int silent;

    private long silentSince;
    private boolean silentFromLateness;
    private boolean over;

    /** Clients that could not be closed, and were not collected as garbage so far. */
    private final List<WeakReference<HttpClient>> givenUp = new ArrayList<>();

    /** Requests whose callers no longer wait, and since when. */
    private final Map<CompletableFuture<?>, Long> late = new HashMap<>();

    private SharedHttp(HttpSettings.Access access, ApplicationThreads threads) {
        this.threads = threads;
        this.pool = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                threads.named("snowflake-" + access.keys().product().toLowerCase(Locale.ROOT) + "-http"),
                new ThreadPoolExecutor.DiscardPolicy());
    }

    /**
     * Asks once.
     *
     * @param mayGoOn whether it does no harm when its call has ended. A handshake may take longer than a call, on a busy machine each time: if
     *     it goes on, a later call finds the connection ready; if it were broken off with its call, none ever would
     */
    Answer send(HttpSettings settings, HttpRequest request, Duration timeout, boolean mayGoOn) throws NoAnswer {
        // To make a client may take long on a busy machine, and counts.
        Deadline deadline = Deadline.after(timeout);
        HttpClient used = open(settings);
        CompletableFuture<HttpResponse<byte[]>> future = used.sendAsync(request, head -> new BoundedBody());
        try {
            Answer answer = new Answer(future.get(deadline.nanosLeft(), TimeUnit.NANOSECONDS));
            noteAnswer(used);
            if (answer.status() == 401) {
                noteFailure();
            }
            return answer;
        } catch (InterruptedException e) {
            future.cancel(true);
            Thread.currentThread().interrupt();
            throw NoAnswer.interrupted(settings, e);
        } catch (TimeoutException e) {
            noteFailure();
            noteSilence(used, true);
            if (mayGoOn) {
                leave(future, used);
            } else {
                future.cancel(true);
            }
            throw NoAnswer.late(settings, timeout.toMillis());
        } catch (ExecutionException e) {
            noteFailure();
            NoAnswer failure = NoAnswer.of(settings, e.getCause() == null ? e : e.getCause());
            if (failure.sent()) {
                noteSilence(used, false);
            }
            throw failure;
        }
    }

    private synchronized void leave(CompletableFuture<?> request, HttpClient used) {
        late.put(request, System.nanoTime());
        var unused = request.thenRun(() -> noteAnswer(used));
    }

    private void cancelLate() {
        late.keySet().removeIf(CompletableFuture::isDone);
        late.forEach((request, since) -> {
            if (System.nanoTime() - since > LATE_NANOS) {
                request.cancel(true);
            }
        });
    }

    /** The next request reads the files again. */
    private synchronized void noteFailure() {
        filesMayDiffer = true;
    }

    private synchronized void noteAnswer(HttpClient used) {
        if (used.equals(client)) {
            silent = 0;
        }
    }

    private synchronized void noteSilence(HttpClient used, boolean fromLateness) {
        if (used.equals(client)) {
            silentSince = silent == 0 ? System.nanoTime() : silentSince;
            silentFromLateness = fromLateness;
            silent++;
        }
    }

    /**
     * The JDK's client has a thread of its own, which ends with an error if it can't start another. From then on the client answers
     * nothing: newer JDKs fail at once, older ones never. A handshake on a busy machine looks the same while it goes on.
     */
    private boolean seemsDead() {
        givenUp.removeIf(old -> old.get() == null);
        return silent >= SILENT_BEFORE_REBUILD
                && givenUp.size() < MOST_GIVEN_UP
                && (!silentFromLateness || System.nanoTime() - silentSince >= LATE_NANOS);
    }

    private synchronized HttpClient open(HttpSettings settings) {
        if (over) {
            throw new IllegalStateException("closed");
        }
        cancelLate();
        HttpClient present = client;
        if (present != null && !filesMayDiffer && !seemsDead()) {
            return present;
        }
        Tls files = settings.tls();
        filesMayDiffer = false;
        if (present == null || seemsDead() || (files != null && !files.equals(tls))) {
            // HTTP/1.1: the JDK might send a request over HTTP/2 a second time by itself.
            HttpClient.Builder builder = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .proxy(HttpClient.Builder.NO_PROXY)
                    .connectTimeout(CONNECT_TIMEOUT)
                    .executor(pool);
            if (files != null) {
                builder.sslContext(settings.context(files));
            }
            if (present != null) {
                giveUp(present);
            }
            present = ofNoApplication(builder);
            client = present;
            silent = 0;
            tls = files;
        }
        return present;
    }

    /** The client's own thread would keep the class loader of the thread that creates it: before Java 21 perhaps for ever. */
    private static HttpClient ofNoApplication(HttpClient.Builder builder) {
        Thread self = Thread.currentThread();
        ClassLoader before = self.getContextClassLoader();
        self.setContextClassLoader(null);
        try {
            return builder.build();
        } finally {
            self.setContextClassLoader(before);
        }
    }

    private void giveUp(HttpClient old) {
        if (old instanceof AutoCloseable) {
            pool.execute(() -> end(old));
        } else {
            givenUp.add(new WeakReference<>(old));
        }
    }

    /** Waits for the requests that it aborts, but not for long. */
    private void end() {
        HttpClient last;
        synchronized (this) {
            over = true;
            last = client;
            client = null;
            late.keySet().forEach(request -> request.cancel(true));
        }
        pool.execute(() -> {
            if (last != null) {
                end(last);
            }
            pool.shutdown();
        });
        threads.awaitEnd(Deadline.after(ApplicationThreads.LONGEST_END));
    }

    /** Call this on a thread that may be interrupted. */
    private static void end(HttpClient client) {
        // Since Java 21; before, it ends by itself when it has been collected as garbage.
        if (client instanceof AutoCloseable closeable) {
            // On an interrupted thread close() does not wait for requests under way, but aborts them.
            Thread.currentThread().interrupt();
            try {
                closeable.close();
            } catch (Exception never) {
                // It throws none.
            }
            boolean unused = Thread.interrupted();
        }
    }
}
