// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.spi.RecordStore.Write;
import org.snowflakeid.support.TlsKeys;
import org.snowflakeid.testservers.Certificates;
import org.snowflakeid.testservers.FreePorts;
import org.snowflakeid.testservers.TcpProxy;

@Timeout(240)
class HttpCallerTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Key<String> URL =
            Key.address("snowflake.test.url", "a URL").meaning("The server.");
    private static final Key<Path> SECRET =
            Key.file("snowflake.test.secret-file").meaning("A secret.");
    private static final HttpSettings.Keys KEYS = new HttpSettings.Keys(
            "Server",
            URL,
            TlsKeys.below("snowflake.test.tls"),
            Key.duration("snowflake.test.call-timeout", "PT0.1S", "PT1M").meaning("Upper bound."));

    @TempDir
    private Path directory;

    /** Closed at the end. */
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private AnsweringServer answering(String answer) throws IOException {
        AnsweringServer server = AnsweringServer.start(answer);
        open.add(server);
        return server;
    }

    private static HttpSettings settings(List<String> servers, Map<String, String> files) {
        SettingsReader reader = new SettingsReader("orders", files::get);
        HttpSettings settings = new HttpSettings("orders", reader, KEYS, servers, SECRET, null);
        reader.throwProblems();
        return settings;
    }

    private HttpCaller caller(List<String> servers, Map<String, String> files) {
        HttpCaller caller = new HttpCaller(settings(servers, files));
        open.add(0, caller);
        return caller;
    }

    private HttpCaller caller(int port) {
        return caller(List.of("http://127.0.0.1:" + port), Map.of());
    }

    private CoordinatorException complaintOf(String answer) throws IOException {
        HttpCaller caller = caller(answering(answer).port());
        return caller.ask(caller.request("/x"), caller.deadline(LONG))
                .complaint(new CoordinatorException("complains", true));
    }

    @Test
    void whenAServerWantsToBeAskedAgainIsKept() throws IOException {
        String empty = "Content-Length: 0\r\n\r\n";
        assertThat(complaintOf("429 Busy\r\nRetry-After: 7\r\n" + empty).retryAfter())
                .hasValue(Duration.ofSeconds(7));
        assertThat(complaintOf("503 Busy\r\nDate: Fri, 27 Nov 2026 01:00:00 GMT\r\n"
                                + "Retry-After: Fri, 27 Nov 2026 01:00:30 GMT\r\n" + empty)
                        .retryAfter())
                .hasValue(Duration.ofSeconds(30));
        // In the past, neither, none, and of what has it for another reason.
        for (String other : List.of(
                "429 Busy\r\nDate: Fri, 27 Nov 2026 01:00:00 GMT\r\nRetry-After: Fri, 27 Nov 2026 00:59:00 GMT",
                "429 Busy\r\nRetry-After: 60",
                "429 Busy\r\nRetry-After: -1",
                "503 Busy\r\nRetry-After: soon",
                "503 Busy\r\nRetry-After: 99999999999999999999",
                "503 Busy",
                "301 Moved\r\nRetry-After: 7")) {
            boolean kept = other.endsWith(": 60");
            assertThat(complaintOf(other + "\r\n" + empty).retryAfter().isPresent())
                    .as(other)
                    .isEqualTo(kept);
        }
    }

    @Test
    void aRefusedClientIsToldFromOneWhoseTokenWasReplacedMeanwhile() throws IOException {
        HttpCaller caller =
                caller(answering("403 Forbidden\r\nContent-Length: 0\r\n\r\n").port());
        Answer answer = caller.ask(caller.request("/x"), caller.deadline(LONG));

        assertThat(answer.complaint(new CoordinatorException("wrong", true)).loginRefused())
                .isTrue();
        assertThat(answer.complaint(new CoordinatorException("old", false)).loginRefused())
                .isFalse();
    }

    private HttpCaller encrypted(int port, Certificates trusted) {
        return caller(
                List.of("https://127.0.0.1:" + port),
                Map.of("snowflake.test.tls.ca", trusted.ca().toString()));
    }

    private static Answer ask(HttpCaller caller, Duration timeout) {
        return caller.ask(caller.request("/a"), caller.deadline(timeout));
    }

    private static CoordinatorException thrown(HttpCaller caller, Duration timeout) {
        return catchThrowableOfType(CoordinatorException.class, () -> ask(caller, timeout));
    }

    private static Write put(HttpCaller caller, Duration timeout) {
        HttpRequest.Builder request = caller.request("/a").PUT(BodyPublishers.ofString("body"));
        return caller.write(
                request,
                caller.deadline(timeout),
                answer -> answer.status() == 200 ? new Write.Applied() : null,
                caller::foreign);
    }

    private static void await(Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(200);
        while (!condition.call()) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(20);
        }
    }

    // ---- answers

    @Test
    void returnsWhatIsAnswered() throws Exception {
        AnsweringServer server = answering("418 Teapot\r\nDate: Sun, 22 Nov 2026 12:40:50 GMT\r\nX-Kind: é\r\n"
                + "Content-Length: 11\r\n\r\n[\"tée\", 1]");
        HttpCaller caller = caller(server.port());

        Answer answer = ask(caller, LONG);

        assertThat(answer.status()).isEqualTo(418);
        assertThat(answer.refuses()).isTrue();
        assertThat(answer.body()).isEqualTo("[\"tée\", 1]");
        assertThat(answer.json().getAsJsonArray().get(0).getAsString()).isEqualTo("tée");
        assertThat(answer.said()).isEqualTo("answers 418 ([\"tée\", 1])");
        assertThat(answer.header("x-kind")).isPresent();
        assertThat(answer.header("none")).isEmpty();
        assertThat(caller.time(answer)).isEqualTo(Instant.parse("2026-11-22T12:40:50.500Z"));
        assertThat(caller.foreign(answer))
                .hasMessage("Server (http://127.0.0.1:" + server.port() + ") answers 418 ([\"tée\", 1]), and not as"
                        + " Server does. Check http or https, host and port in snowflake.test.url.");
        assertThat(server.requests())
                .singleElement()
                .asString()
                .startsWith("GET /a?nocache=")
                .contains("Cache-Control: no-cache", "User-Agent: snowflake-id");
    }

    /** Over HTTP/2 the JDK sends a request again by itself, a write too, when the server closes the connection (GOAWAY). */
    @Test
    void noServerIsOfferedHttp2() throws Exception {
        AnsweringServer server = answering("200 OK\r\nContent-Length: 0\r\n\r\n");
        HttpCaller caller = caller(server.port());

        assertThat(ask(caller, LONG).status()).isEqualTo(200);
        assertThat(put(caller, LONG)).isInstanceOf(Write.Applied.class);

        assertThat(server.requests()).hasSize(2).allSatisfy(request -> assertThat(request)
                .contains(" HTTP/1.1\r\n")
                .doesNotContainIgnoringCase("Upgrade")
                .doesNotContain("HTTP2-Settings"));
    }

    @Test
    void findsTextsWhereTheyAre() throws Exception {
        String body = "{\"a\": {\"b\": 12345678901234567890, \"c\": null, \"d\": {}}, \"e\": true}";
        Answer answer = ask(
                caller(answering("200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                        .port()),
                LONG);

        assertThat(Answer.text(answer.json(), "a", "b")).isEqualTo("12345678901234567890");
        assertThat(Answer.text(answer.json(), "e")).isEqualTo("true");
        for (String[] path : new String[][] {{"a", "c"}, {"a", "d"}, {"a", "x"}, {"e", "x"}, {"x", "y"}, {}}) {
            assertThat(Answer.text(answer.json(), path)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[1,", "\"a"})
    void whatIsNoJsonIsNone(String body) throws Exception {
        Answer answer = ask(
                caller(answering("200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                        .port()),
                LONG);

        assertThat(answer.json().isJsonNull()).isTrue();
        assertThat(Answer.text(answer.json(), "a")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Date: now\r\n"})
    void aServerThatDoesNotTellTheTimeIsToldSo(String header) throws Exception {
        HttpCaller caller = caller(
                answering("200 OK\r\n" + header + "Content-Length: 0\r\n\r\n").port());
        Answer answer = ask(caller, LONG);

        assertThatThrownBy(() -> caller.time(answer))
                .isInstanceOf(CoordinatorException.class)
                .hasMessageContaining("does not tell the time")
                .hasMessageContaining("snowflake.test.url");
    }

    @Test
    void aRedirectionIsAnAnswerAndNotFollowed() throws Exception {
        AnsweringServer server = answering("302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n");

        assertThat(ask(caller(server.port()), LONG).status()).isEqualTo(302);
        assertThat(server.requests()).hasSize(1);
    }

    // what a cache remembered of the namespace would have made a write a grant
    @Test
    void whatACacheRememberedIsNoAnswer() throws Exception {
        assertThat(ask(
                                caller(answering("200 OK\r\nAge: 0\r\nContent-Length: 0\r\n\r\n")
                                        .port()),
                                LONG)
                        .status())
                .isEqualTo(200);
        for (String age : List.of("1", "120", "a day")) {
            CoordinatorException thrown = thrown(
                    caller(answering("404 Not Found\r\nAge: " + age + "\r\nContent-Length: 0\r\n\r\n")
                            .port()),
                    LONG);

            assertThat(thrown)
                    .hasMessageContaining("is not what answers: a cache between gave what it remembered (Age: " + age)
                    .hasMessageContaining("snowflake.test.url");
            assertThat(thrown.permanent()).isTrue();
        }
    }

    /** As nginx does it by proxy_cache_valid: it has no Age, and does not look at what the client says. */
    @Test
    void noAnswerIsOneThatACacheRemembersWithoutAWord() throws IOException {
        HttpServer cache = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        Map<String, Integer> remembered = new ConcurrentHashMap<>();
        AtomicInteger changes = new AtomicInteger();
        cache.createContext("/", exchange -> {
            String asked = exchange.getRequestMethod() + " " + exchange.getRequestURI();
            String answer = String.valueOf(remembered.computeIfAbsent(asked, first -> changes.incrementAndGet()));
            exchange.sendResponseHeaders(200, answer.length());
            exchange.getResponseBody().write(answer.getBytes(UTF_8));
            exchange.close();
        });
        cache.start();
        open.add(() -> cache.stop(0));
        HttpCaller caller = caller(cache.getAddress().getPort());

        for (String path : List.of("/a", "/b?consistent")) {
            String before =
                    caller.ask(caller.request(path), caller.deadline(LONG)).body();
            assertThat(caller.ask(caller.request(path), caller.deadline(LONG)).body())
                    .isNotEqualTo(before);
        }
        assertThat(remembered.keySet()).allMatch(asked -> asked.matches("GET /(a\\?|b\\?consistent&).*"));
    }

    // ---- writes

    @Test
    void aWriteIsWhatItsAnswerSaysForCertain() throws Exception {
        assertThat(put(caller(answering("200 OK\r\nContent-Length: 0\r\n\r\n").port()), LONG))
                .isInstanceOf(Write.Applied.class);
        for (int refused : new int[] {400, 401, 403, 404, 405, 410, 413, 422, 429}) {
            HttpCaller caller = caller(
                    answering(refused + " No\r\nContent-Length: 0\r\n\r\n").port());
            assertThatThrownBy(() -> put(caller, LONG))
                    .isInstanceOf(CoordinatorException.class)
                    .hasMessageContaining("answers " + refused);
        }
        for (int unclear : new int[] {201, 302, 408, 409, 500, 502, 503, 504}) {
            assertThat(put(
                            caller(answering(unclear + " Maybe\r\nContent-Length: 0\r\n\r\n")
                                    .port()),
                            LONG))
                    .as("%d", unclear)
                    .isInstanceOf(Write.Unknown.class);
        }
    }

    @Test
    void aWriteWhoseConnectionBreaksIsUnknownAndNotSentAgain() throws Exception {
        for (String part : List.of("", "200 OK\r\nContent-Length: 9\r\n\r\n1")) {
            AnsweringServer server = answering(part);
            Write write = put(caller(server.port()), LONG);

            assertThat(write).isInstanceOf(Write.Unknown.class);
            assertThat(((Write.Unknown) write).cause())
                    .hasMessageContaining("gave no answer: ")
                    .hasMessageContaining("snowflake.test.url");
            assertThat(server.requests()).hasSize(1);
        }
    }

    @Test
    void aWriteThatWasNeverSentIsAFailure() throws Exception {
        int closed = FreePorts.next();
        CoordinatorException refused =
                catchThrowableOfType(CoordinatorException.class, () -> put(caller(closed), LONG));
        CoordinatorException unknown = catchThrowableOfType(
                CoordinatorException.class, () -> put(caller(List.of("http://unknown.invalid"), Map.of()), LONG));

        assertThat(refused)
                .hasMessage("Server (http://127.0.0.1:" + closed + ") is not reachable: it accepts no connection."
                        + " Check host, port, and http or https in snowflake.test.url.");
        assertThat(refused.permanent()).isFalse();
        assertThat(unknown).hasMessageContaining("is not reachable: its host is unknown.");
    }

    @Test
    void withoutTimeNothingIsSent() throws Exception {
        AnsweringServer server = answering("200 OK\r\nContent-Length: 0\r\n\r\n");
        HttpCaller caller = caller(server.port());

        assertThatThrownBy(() -> put(caller, Duration.ZERO))
                .isInstanceOf(CoordinatorException.class)
                .hasMessageContaining("was not asked: no time was left");
        assertThat(server.requests()).isEmpty();
    }

    // ---- deadlines

    @Test
    void aTimeoutHoldsWhileNothingIsAnsweredAndInTheMiddleOfAnAnswer() throws Exception {
        for (String part : List.of("", "200 O", "200 OK\r\nContent-Length: 10\r\n\r\nhalf")) {
            HttpCaller caller =
                    caller(open(AnsweringServer.startAndKeepOpen(part)).port());

            assertThat(put(caller, SHORT)).as(part).isInstanceOf(Write.Unknown.class);
            assertThat(thrown(caller, SHORT))
                    .hasMessageMatching(".*does not answer within \\d+ ms. Check host, port, and http or https in"
                            + " snowflake.test.url, and the server.");
        }
    }

    private <T extends AutoCloseable> T open(T closeable) {
        open.add(closeable);
        return closeable;
    }

    @Test
    void aTimeoutHoldsInAHandshake() throws Exception {
        Certificates certificates = new Certificates(directory);
        try (TlsServer server = TlsServer.start(certificates);
                TcpProxy proxy = TcpProxy.to(server.port())) {
            HttpCaller caller = encrypted(proxy.port(), certificates);
            proxy.holdReplies();

            assertThat(thrown(caller, SHORT)).hasMessageContaining("does not answer within");
        }
    }

    /** Otherwise a machine whose handshakes take longer than a call may would never connect again. */
    @Test
    void aHandshakeThatOutlastsItsCallServesALaterOne() throws Exception {
        Certificates certificates = new Certificates(directory);
        try (TlsServer server = TlsServer.start(certificates);
                TcpProxy proxy = TcpProxy.to(server.port())) {
            proxy.delayFirstReplies(SHORT.multipliedBy(3));
            HttpCaller caller = encrypted(proxy.port(), certificates);

            assertThat(thrown(caller, SHORT)).isNotNull();

            await(() -> answers(caller, SHORT));
        }
    }

    @Test
    void anInterruptEndsItAndIsKept() throws Exception {
        HttpCaller caller = caller(open(AnsweringServer.startAndKeepOpen("")).port());
        Thread.currentThread().interrupt();
        Write interrupted = put(caller, LONG);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(interrupted).isInstanceOf(Write.Unknown.class);
    }

    @Test
    void theSettingsBoundACall() throws Exception {
        String port =
                Integer.toString(open(AnsweringServer.startAndKeepOpen("")).port());
        HttpCaller caller =
                caller(List.of("http://127.0.0.1:" + port), Map.of("snowflake.test.call-timeout", "PT0.2S"));

        assertThat(thrown(caller, LONG)).hasMessageContaining("does not answer within");
    }

    // ---- servers

    @Test
    void afterAFailureTheNextServerIsAsked() throws Exception {
        int closed = FreePorts.next();
        AnsweringServer server = answering("200 OK\r\nContent-Length: 0\r\n\r\n");
        HttpCaller caller =
                caller(List.of("http://127.0.0.1:" + closed, "http://127.0.0.1:" + server.port()), Map.of());

        assertThat(thrown(caller, LONG)).hasMessageContaining("is not reachable");
        for (int i = 0; i < 3; i++) {
            assertThat(ask(caller, LONG).status()).isEqualTo(200);
        }
    }

    @Test
    void afterAServersErrorTheNextServerIsAsked() throws Exception {
        AnsweringServer broken = answering("503 Unavailable\r\nContent-Length: 0\r\n\r\n");
        AnsweringServer refusing = answering("403 Forbidden\r\nContent-Length: 0\r\n\r\n");
        HttpCaller caller =
                caller(List.of("http://127.0.0.1:" + broken.port(), "http://127.0.0.1:" + refusing.port()), Map.of());

        assertThat(put(caller, LONG)).isInstanceOf(Write.Unknown.class);
        assertThat(ask(caller, LONG).status()).isEqualTo(403);
        assertThat(ask(caller, LONG).status()).isEqualTo(403);

        assertThat(broken.requests()).hasSize(1);
    }

    /** A server whose certificate is not trusted says nothing about the others. */
    @Test
    void onlyWhereNoServerIsTrustedWaitingIsInVain() throws Exception {
        Certificates certificates = new Certificates(directory);
        Certificates foreign = new Certificates(Files.createDirectory(directory.resolve("foreign")));
        Map<String, String> files =
                Map.of("snowflake.test.tls.ca", certificates.ca().toString());
        try (TlsServer trusted = TlsServer.start(certificates);
                TlsServer bad = TlsServer.start(foreign);
                TlsServer alsoBad = TlsServer.start(foreign)) {
            HttpCaller one = caller(List.of("https://127.0.0.1:" + bad.port()), files);
            HttpCaller several =
                    caller(List.of("https://127.0.0.1:" + bad.port(), "https://127.0.0.1:" + trusted.port()), files);
            HttpCaller none =
                    caller(List.of("https://127.0.0.1:" + bad.port(), "https://127.0.0.1:" + alsoBad.port()), files);

            assertThat(thrown(one, LONG).permanent()).isTrue();
            CoordinatorException first = thrown(several, LONG);
            assertThat(first).hasMessageContaining("shows a certificate that is not trusted");
            assertThat(first.permanent()).isFalse();
            assertThat(ask(several, LONG).status()).isEqualTo(200);
            assertThat(thrown(none, LONG).permanent()).isFalse();
            assertThat(thrown(none, LONG).permanent()).isTrue();
            assertThat(thrown(none, LONG).permanent()).isTrue();
        }
    }

    @Test
    void aServerThatFailedAMomentAgoIsNotSettled() throws Exception {
        AnsweringServer server = answering("503 Service Unavailable\r\nContent-Length: 0\r\n\r\n");
        AtomicLong nanos = new AtomicLong(Long.MAX_VALUE);
        HttpCaller caller =
                new HttpCaller(settings(List.of("http://127.0.0.1:" + server.port()), Map.of()), nanos::get);
        open.add(0, caller);
        assertThat(caller.isSettled()).isTrue();

        assertThat(caller.ask(caller.request("/"), caller.deadline(LONG)).status())
                .isEqualTo(503);

        assertThat(caller.isSettled()).isFalse();
        nanos.addAndGet(Duration.ofSeconds(30).toNanos() - 1);
        assertThat(caller.isSettled()).isFalse();
        nanos.incrementAndGet();
        assertThat(caller.isSettled()).isTrue();
    }

    // ---- threads

    // the client's own thread ended with the error, and no request was answered any more
    @Test
    void requestsAreAnsweredAgainAfterNoThreadCouldBeHad() throws Exception {
        AnsweringServer server = answering("200 OK\r\nContent-Length: 0\r\n\r\n");
        HttpSettings settings = settings(List.of("http://127.0.0.1:" + server.port()), Map.of());
        HttpCaller caller = new HttpCaller(settings);
        open.add(0, caller);
        var loan = SharedHttp.ALL.loan(settings.access());
        open.add(1, loan);
        SharedHttp shared = requireNonNull(loan.get());
        ThreadFactory factory = shared.pool.getThreadFactory();
        AtomicInteger refused = new AtomicInteger();
        shared.pool.setThreadFactory(task -> {
            if (Thread.currentThread().getName().startsWith("HttpClient-")) {
                refused.incrementAndGet();
                throw new OutOfMemoryError("unable to create native thread");
            }
            return factory.newThread(task);
        });
        // The threads that exist would suffice for a while.
        shared.pool.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
        await(() -> {
            boolean unused = answers(caller, SHORT);
            return refused.get() > 0;
        });

        shared.pool.setThreadFactory(factory);

        await(() -> answers(caller, SHORT));
    }

    // each three failures left a thread and its descriptors behind, on Java 17 until garbage was collected
    @Test
    void anOutageLeavesFewThreadsBehind() throws Exception {
        HttpCaller caller = caller(answering("").port());
        long before = threadsOfClients();

        for (int i = 0; i < 90; i++) {
            assertThat(thrown(caller, LONG)).hasMessageContaining("gave no answer");
        }

        assertThat(threadsOfClients() - before).isLessThan(10);
    }

    private static long threadsOfClients() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("HttpClient-"))
                .count();
    }

    private static boolean answers(HttpCaller caller, Duration timeout) {
        try {
            return ask(caller, timeout).status() == 200;
        } catch (CoordinatorException e) {
            return false;
        }
    }

    // ---- certificates

    @Test
    void certificatesAreReadAnewAfterAFailure() throws Exception {
        Certificates certificates = new Certificates(directory);
        Path other = Files.createDirectory(directory.resolve("other"));
        Path ca = Files.copy(new Certificates(other).ca(), directory.resolve("trusted.pem"));
        try (TlsServer server = TlsServer.start(certificates)) {
            HttpCaller caller = caller(
                    List.of("https://127.0.0.1:" + server.port()), Map.of("snowflake.test.tls.ca", ca.toString()));
            CoordinatorException untrusted = thrown(caller, LONG);
            assertThat(untrusted)
                    .hasMessageContaining("shows a certificate that is not trusted")
                    .hasMessageContaining("Check snowflake.test.tls.ca");
            assertThat(untrusted.permanent()).isTrue();
            assertThatThrownBy(() -> put(caller, LONG)).isInstanceOf(CoordinatorException.class);

            Files.writeString(ca, "half a file");
            CoordinatorException half = thrown(caller, LONG);
            assertThat(half).hasMessageContaining("snowflake.test.tls.ca=" + ca + " holds no certificates");
            assertThat(half.permanent()).isFalse();
            Files.write(ca, Files.readAllBytes(certificates.ca()));

            assertThat(ask(caller, LONG).status()).isEqualTo(200);
        }
    }

    @Test
    void whatDoesNotSpeakTlsIsToldSo() throws Exception {
        HttpCaller caller = encrypted(
                answering("400 Bad Request\r\nContent-Length: 0\r\n\r\n").port(), new Certificates(directory));

        CoordinatorException thrown = thrown(caller, LONG);
        assertThat(thrown)
                .hasMessageContaining("does not speak TLS as expected: ")
                .hasMessageContaining("Check http or https and the port in snowflake.test.url.");
        assertThat(thrown.permanent()).isFalse();
    }

    @Test
    void aSecretIsReadAnew() throws IOException {
        Path file = Files.writeString(directory.resolve("secret"), "one");
        HttpSettings settings =
                settings(List.of("http://localhost"), Map.of("snowflake.test.secret-file", file.toString()));

        assertThat(settings.anew(SECRET, HttpCallerTest::read)).isEqualTo("one");
        Files.writeString(file, "");
        assertThatThrownBy(() -> settings.anew(SECRET, HttpCallerTest::read))
                .isInstanceOf(CoordinatorException.class)
                .hasMessage("snowflake 'orders': snowflake.test.secret-file=" + file + " is empty. Write it.");
        assertThat(settings(List.of("http://localhost"), Map.of()).anew(SECRET, HttpCallerTest::read))
                .isNull();
    }

    private static @Nullable String read(SettingsReader reader, Path file) {
        try {
            String secret = Files.readString(file);
            if (secret.isEmpty()) {
                reader.refuse(SECRET, "is empty. Write it.");
            }
            return secret;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void refusesCertificatesForWhatIsNotEncrypted() {
        Certificates certificates = new Certificates(directory);
        Map<String, String> files =
                Map.of("snowflake.test.tls.ca", certificates.ca().toString());

        assertThatThrownBy(() -> settings(List.of("http://localhost"), files))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(
                        "is not encrypted, but snowflake.test.tls.* is set. Write https:// or remove the latter.");
    }

    // ---- sharing

    @Test
    void equalSettingsShareConnectionsUntilTheLastIsClosed() throws Exception {
        AnsweringServer server = answering("200 OK\r\nContent-Length: 0\r\n\r\n");
        HttpCaller one = caller(server.port());
        HttpCaller same = caller(server.port());
        HttpCaller other = caller(List.of("http://localhost:" + server.port()), Map.of());

        assertThat(one.connection()).isEqualTo(same.connection()).isNotEqualTo(other.connection());
        ask(one, LONG);
        ask(same, LONG);
        one.close();
        one.close();
        assertThat(ask(same, LONG).status()).isEqualTo(200);
        assertThat(thrown(one, LONG))
                .hasMessageContaining("the coordinator was closed")
                .matches(CoordinatorException::permanent);
        same.close();
        assertThat(ask(caller(server.port()), LONG).status()).isEqualTo(200);
    }

    @Test
    void nothingIsLeftOfItWhenItIsClosedWhileNothingIsAnswered() throws Exception {
        HttpCaller caller = caller(open(AnsweringServer.startAndKeepOpen("")).port());
        assertThat(thrown(caller, SHORT)).isNotNull();
        assertThat(threads()).isNotEmpty();

        caller.close();

        await(() -> {
            System.gc();
            return threads().isEmpty();
        });
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.equals("snowflake-server-http") || name.startsWith("HttpClient"))
                .toList();
    }
}
