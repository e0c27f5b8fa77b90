// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.http;

import java.net.URI;
import java.net.http.HttpRequest;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.Deadline;
import org.snowflakeid.spi.RecordStore.Write;
import org.snowflakeid.support.Shared;

/**
 * Asks servers for one coordinator: each request is sent at most once, unless it is a GET, and its call ends in time, be that spent on
 * connecting, on a handshake, on waiting or in the middle of an answer. When a server does not answer, or with a status of 500 or above, the next one
 * is asked from the next call on.
 *
 * <p>Those of an application that reach the same servers in the same way share their connections and threads.
 */
public final class HttpCaller implements AutoCloseable {
    private static final long HALF_A_SECOND = 500;

    /** Nacos needs five seconds, an API server of Kubernetes with many rights longer. */
    private static final long SETTLING_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final HttpSettings settings;
    private final Shared<HttpSettings.Access, SharedHttp>.Loan loan;

    /** Which one is asked. */
    private int server;

    /** How many failed in a row in a way that waiting can't cure. */
    private int lost;

    private int failures;

    /** When the last request failed; null: none has. */
    private @Nullable Long failedNanos;

    private final LongSupplier nanoTime;

    public HttpCaller(HttpSettings settings) {
        this(settings, System::nanoTime);
    }

    HttpCaller(HttpSettings settings, LongSupplier nanoTime) {
        this.settings = settings;
        this.nanoTime = nanoTime;
        this.loan = SharedHttp.ALL.loan(settings.access());
    }

    /** When a call has to end that is granted so long. */
    public Deadline deadline(Duration timeout) {
        return Deadline.after(settings.callTimeout().of(timeout));
    }

    /** @param path follows the URL of a server, and may have a query */
    public HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(settings.access().servers().get(server) + path));
    }

    /**
     * Sends what does no harm if it is done after the call has ended: a read.
     *
     * @throws CoordinatorException if there is no complete answer, or one that a cache remembered
     */
    public Answer ask(HttpRequest.Builder request, Deadline deadline) {
        Answer answer;
        try {
            answer = send(withUrlOfItsOwn(request), deadline, true);
        } catch (NoAnswer e) {
            throw e.exception();
        }
        // Some caches give an age to what they have just fetched, too.
        Optional<String> age =
                answer.header("Age").filter(seconds -> !seconds.strip().equals("0"));
        if (age.isPresent()) {
            throw failure(
                    "is not what answers: a cache between gave what it remembered (Age: " + age.get()
                            + "). Let none remember these answers, or name the server itself in "
                            + settings.access().keys().address() + ".",
                    true);
        }
        return answer;
    }

    /** Servers ignore what is added. A cache that was told to remember all, and does not say so, has not seen it before. */
    private static HttpRequest.Builder withUrlOfItsOwn(HttpRequest.Builder request) {
        HttpRequest asked = request.copy().build();
        String url = asked.uri().toString();
        return asked.method().equals("GET")
                ? request.uri(URI.create(url + (url.indexOf('?') < 0 ? "?" : "&") + "nocache=" + UUID.randomUUID()))
                : request;
    }

    /**
     * Sends a compare-and-set.
     *
     * @param clear what an answer says for certain; null: nothing
     * @param complaint what is said of any other answer
     * @throws CoordinatorException if certainly nothing was changed, or will be
     */
    public Write write(
            HttpRequest.Builder request,
            Deadline deadline,
            Function<Answer, @Nullable Write> clear,
            Function<Answer, CoordinatorException> complaint) {
        Answer answer;
        try {
            answer = send(request, deadline, false);
        } catch (NoAnswer e) {
            if (e.sent()) {
                return new Write.Unknown(e.exception());
            }
            throw e.exception();
        }
        Write write = clear.apply(answer);
        if (write == null && answer.refuses()) {
            throw answer.complaint(complaint.apply(answer));
        }
        return write == null ? new Write.Unknown(answer.complaint(complaint.apply(answer))) : write;
    }

    private Answer send(HttpRequest.Builder request, Deadline deadline, boolean mayGoOn) throws NoAnswer {
        SharedHttp connection = loan.get();
        if (connection == null) {
            throw failure("is not used any more: the coordinator was closed.", true);
        }
        Duration timeout = Duration.ofNanos(deadline.nanosLeft());
        if (timeout.isZero()) {
            throw failure("was not asked: no time was left for another request.", false);
        }
        request.header("Cache-Control", "no-cache").header("User-Agent", "snowflake-id");
        try {
            Answer answer = connection.send(settings, request.build(), timeout, mayGoOn);
            if (answer.status() >= 500) {
                noteFailure();
            }
            lost = 0;
            return answer;
        } catch (NoAnswer e) {
            noteFailure();
            lost = e.permanent() ? lost + 1 : 0;
            throw e.permanent() && lost < servers() ? e.ofOneAmongSeveral(settings) : e;
        }
    }

    /** How many requests had no answer, or none that counts: after each another server may answer, or the same one started anew. */
    public int failures() {
        return failures;
    }

    private void noteFailure() {
        failures++;
        failedNanos = nanoTime.getAsLong();
        server = (server + 1) % servers();
    }

    /** Whether a server that refuses this client means it: one that has just started may not know its users and their rights yet. */
    public boolean isSettled() {
        Long failed = failedNanos;
        return failed == null || nanoTime.getAsLong() - failed >= SETTLING_NANOS;
    }

    private int servers() {
        return settings.access().servers().size();
    }

    /**
     * Does the same with each of the servers, whatever of it fails. Which one is asked otherwise stays as it is.
     *
     * @param asking builds its requests by {@link #request}
     * @return by server, without those of which it failed
     */
    public <T> Map<String, T> ofEach(Supplier<T> asking) {
        Map<String, T> all = new LinkedHashMap<>();
        int before = server;
        try {
            for (int i = 0; i < servers(); i++) {
                server = i;
                try {
                    all.put(settings.access().servers().get(i), asking.get());
                } catch (CoordinatorException unanswered) {
                    // It says nothing of the others.
                }
            }
        } finally {
            server = before;
        }
        return all;
    }

    /**
     * The server's clock when it answered, to half a second.
     *
     * @throws CoordinatorException if the server reports no time
     */
    public Instant time(Answer answer) {
        try {
            // The header drops the fraction of the second: its middle is the best guess.
            return Answer.time(answer.header("Date").orElse("")).plusMillis(HALF_A_SECOND);
        } catch (DateTimeException e) {
            throw failure(
                    "does not tell the time: its answer has no Date header. Let no proxy take it away, and check "
                            + settings.access().keys().address() + ".",
                    false);
        }
    }

    /** @param complaint a whole sentence except for the server, which is named before it; what to do follows it */
    public CoordinatorException failure(String complaint, boolean permanent) {
        return new CoordinatorException(settings.server() + " " + complaint, permanent);
    }

    /** For messages. */
    public String server() {
        return settings.server();
    }

    /** What is asked there is something else. */
    public CoordinatorException foreign(Answer answer) {
        return foreign(answer, false);
    }

    /** @param permanent whether waiting can't cure it */
    public CoordinatorException foreign(Answer answer, boolean permanent) {
        HttpSettings.Keys keys = settings.access().keys();
        return failure(
                answer.said() + ", and not as " + keys.product() + " does. Check http or https, host and port in "
                        + keys.address() + ".",
                permanent);
    }

    /** Equal for those who share their connections: see {@link org.snowflakeid.spi.WorkerCoordinator#connection()}. */
    public Object connection() {
        return settings.access();
    }

    @Override
    public void close() {
        loan.close();
    }
}
