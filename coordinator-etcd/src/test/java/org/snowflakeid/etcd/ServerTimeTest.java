// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.testservers.FreePorts;

/** A server that answers only when a test tells it to: a real one can't be stopped in the middle of an answer. */
class ServerTimeTest {

    private final ExecutorService background = Executors.newCachedThreadPool();
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch askedAgain = new CountDownLatch(2);
    private final CountDownLatch released = new CountDownLatch(1);
    private final AtomicInteger questions = new AtomicInteger();
    private HttpServer server;
    private ServerTime time;
    private EtcdSettings settings;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(background);
        server.createContext("/version", exchange -> {
            askedAgain.countDown();
            if (questions.incrementAndGet() == 1) {
                asked.countDown();
                await(released);
            }
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        // Without a pause after a question that had no answer in time.
        time = new ServerTime(background, () -> false);
        String endpoint = "http://127.0.0.1:" + server.getAddress().getPort();
        settings = settings(endpoint);
    }

    private static EtcdSettings settings(String endpoint) {
        return new EtcdSettings(new CoordinatorConfig(
                "orders", "snowflake", Duration.ofSeconds(60), Map.of(EtcdSettings.ENDPOINTS.name(), endpoint)::get));
    }

    @AfterEach
    void stop() {
        released.countDown();
        server.stop(0);
        background.shutdownNow();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // the answer under way may have been written before a copy of this process was taken
    @Test
    void answersNoCallWithWhatWasAskedForBeforeIt() throws Exception {
        Future<Optional<Instant>> first = time.ask(settings);
        assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
        List<Future<Optional<Instant>>> later = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            later.add(time.ask(settings));
        }

        assertThat(later).doesNotContain(first);
        // On a machine that is held up it may have ended by itself, and one of the later ones have begun.
        if (!first.isDone()) {
            assertThat(Set.copyOf(later)).hasSize(1);
        }
        released.countDown();
        first.get(10, TimeUnit.SECONDS);
        later.get(0).get(10, TimeUnit.SECONDS);
        assertThat(questions.get()).isGreaterThan(1);
    }

    // a question that found no thread would have kept all later ones waiting
    @Test
    void asksAgainAfterNoThreadCouldBeHad() throws Exception {
        released.countDown();
        AtomicInteger tasks = new AtomicInteger();
        ServerTime rejectedOnce = new ServerTime(
                task -> {
                    if (tasks.incrementAndGet() == 1) {
                        throw new RejectedExecutionException("planted");
                    }
                    background.execute(task);
                },
                () -> true);
        Future<Optional<Instant>> rejected = rejectedOnce.ask(settings);
        assertThatThrownBy(rejected::get).hasRootCauseInstanceOf(RejectedExecutionException.class);

        Future<Optional<Instant>> asked = rejectedOnce.ask(settings);

        assertThat(asked).isNotSameAs(rejected);
        asked.get(10, TimeUnit.SECONDS);
        assertThat(questions.get()).isPositive();
    }

    @Test
    void asksAnewWhenNoCallIsWaiting() throws Exception {
        released.countDown();

        for (int i = 1; i < 10; i++) {
            time.ask(settings).get(10, TimeUnit.SECONDS);

            assertThat(questions.get()).isGreaterThanOrEqualTo(i);
        }
    }

    // a server that had answered late once was not asked for half a minute
    @Test
    void asksAgainAfterAnAnswerThatWasLate() throws Exception {
        ServerTime patient = new ServerTime(background, () -> true);
        assertThat(patient.ask(settings).get(10, TimeUnit.SECONDS)).isEmpty();
        released.countDown();

        Future<Optional<Instant>> unused = patient.ask(settings);

        assertThat(askedAgain.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void pausesAfterThreeQuestionsWithoutAnAnswer() throws Exception {
        EtcdSettings closed = settings("http://127.0.0.1:" + FreePorts.next());
        AtomicInteger tasks = new AtomicInteger();
        ServerTime pausing = new ServerTime(
                task -> {
                    tasks.incrementAndGet();
                    background.execute(task);
                },
                () -> true);
        for (int i = 0; i < 5; i++) {
            assertThat(pausing.ask(closed).get(10, TimeUnit.SECONDS)).isEmpty();
        }

        assertThat(tasks).hasValue(3);
    }

    // an application that started before its server believed a wrong clock, and had no witness against it
    @Test
    void asksAServerThatWasAwayAsSoonAsItIsThere() throws Exception {
        int port = FreePorts.next();
        EtcdSettings later = settings("http://127.0.0.1:" + port);
        AtomicBoolean answers = new AtomicBoolean();
        ServerTime waiting = new ServerTime(background, answers::get);
        assertThat(waiting.ask(later).get(10, TimeUnit.SECONDS)).isEmpty();

        HttpServer started = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        started.setExecutor(background);
        started.createContext("/version", exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        started.start();
        answers.set(true);
        try {
            boolean told = false;
            // A machine that is held up answers late, but not each time.
            for (int i = 0; i < 10 && !told; i++) {
                told = waiting.ask(later).get(10, TimeUnit.SECONDS).isPresent();
            }

            assertThat(told).isTrue();
        } finally {
            started.stop(0);
        }
    }
}
