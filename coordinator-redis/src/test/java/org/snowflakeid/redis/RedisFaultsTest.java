// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.time;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.FreePorts;
import org.snowflakeid.testservers.RedisServer;

/** A server that is frozen, killed, not there or something else. */
class RedisFaultsTest {
    private static final Duration SHORT = Duration.ofSeconds(1);

    private final RedisServer server = RedisServer.start();
    private final String namespace = Node.freshNamespace();
    private final Node node = RedisNode.at(server.uri(), namespace);
    private Stored meta;

    @BeforeEach
    void createMeta() {
        meta = node.createMeta();
    }

    @AfterEach
    void close() {
        node.close();
        server.close();
    }

    @Test
    void everyCallEndsInTimeWhileTheServerIsFrozenForFiveSecondsAndWorksAfter() {
        Stored mark = node.claim(3);

        requireWithin(Duration.ofSeconds(2), () -> {
            server.pause();
            long frozenUntil = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
            while (System.nanoTime() < frozenUntil) {
                requireWithin(
                        Duration.ofMillis(1_200),
                        () -> time(() -> {
                            CoordinatorException read = catchThrowableOfType(
                                    CoordinatorException.class,
                                    () -> node.coordinator.read(3, 3, Duration.ofMillis(500)));
                            assertThat(read.permanent()).isFalse();
                        }));
            }
            server.resume();
            return Duration.ofMillis(await(TIMEOUT, node::answers));
        });

        assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
    }

    @Test
    void worksWithinTwoSecondsOfTheReturnOfAKilledServer() {
        Stored mark = node.claim(3);

        requireWithin(Duration.ofSeconds(2), () -> {
            server.kill();
            long downUntil = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
            await(Node.PATIENCE, () -> {
                assertThat(node.answers()).isFalse();
                return System.nanoTime() > downUntil;
            });
            CoordinatorException unsent = catchThrowableOfType(
                    CoordinatorException.class,
                    () -> node.coordinator.extend(3, mark, "limit=2", node.owner(3), meta, TIMEOUT));
            assertThat(unsent.permanent()).isFalse();
            server.startAgain();
            server.awaitHealthy();
            return Duration.ofMillis(await(TIMEOUT, node::answers));
        });

        assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
    }

    @Test
    void firstCallAfterAnUnnoticedRestartSucceeds() {
        Stored mark = node.claim(3);
        server.kill();
        server.startAgain();
        server.awaitHealthy();

        assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
    }

    /** A kill takes the kernel's cache with it only where the machine dies; what the test can see is that nothing is left to write. */
    @Test
    void whatWasAcknowledgedSurvivesFiveKills() {
        Stored mark = node.claim(3);
        for (int i = 0; i < 5; i++) {
            mark = applied(node.extend(3, mark)).written();
            server.kill();
            server.startAgain();
            server.awaitHealthy();

            assertThat(node.slot(3).mark()).isEqualTo(mark);
        }
    }

    @Test
    void unreachableServerIsReportedAtOnceAndNotPermanent() {
        String uri = "redis://127.0.0.1:" + FreePorts.next();
        try (Node nowhere = RedisNode.at(uri, namespace)) {
            requireWithin(
                    TIMEOUT.dividedBy(2),
                    () -> time(() -> assertThat(catchThrowableOfType(
                                    CoordinatorException.class, () -> nowhere.coordinator.read(0, 0, TIMEOUT)))
                            .isNotNull()));
            CoordinatorException read =
                    catchThrowableOfType(CoordinatorException.class, () -> nowhere.coordinator.read(0, 0, TIMEOUT));
            CoordinatorException write = catchThrowableOfType(
                    CoordinatorException.class, () -> nowhere.coordinator.writeMeta(null, "id=1", TIMEOUT));

            assertThat(read)
                    .hasMessageContaining(uri)
                    .hasMessageContaining("Connection refused")
                    .hasMessageContaining("snowflake.redis.uri");
            assertThat(read.permanent()).isFalse();
            assertThat(write.permanent()).isFalse();
        }
    }

    @Test
    void anUnknownHostIsNamed() {
        try (Node lost = RedisNode.at("redis://unknown.invalid:6379", namespace)) {
            CoordinatorException thrown =
                    catchThrowableOfType(CoordinatorException.class, () -> lost.coordinator.read(0, 0, TIMEOUT));

            assertThat(thrown).hasMessageContaining("is not reachable").hasMessageContaining("unknown.invalid");
            assertThat(thrown.permanent()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n",
                "",
                "+OK\r\n",
                "*2\r\n$-1\r\n:1\r\n",
                "$5\r\nshort",
                "-MOVED nowhere\r\n",
                ":12a\r\n",
                "* OK [CAPABILITY IMAP4rev1] ready\r\n"
            })
    void whatIsNotRedisIsSaidToBeSo(String answer) throws IOException {
        try (ServerSocket web = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread answering = new Thread(() -> answer(web, answer), "web");
            answering.setDaemon(true);
            answering.start();
            try (Node lost = RedisNode.at("redis://127.0.0.1:" + web.getLocalPort(), namespace)) {
                CoordinatorException thrown =
                        catchThrowableOfType(CoordinatorException.class, () -> lost.coordinator.read(0, 0, TIMEOUT));

                assertThat(thrown)
                        .hasMessageContaining("does not speak as a Redis server does")
                        .hasMessageContaining("snowflake.redis.uri, the port");
                assertThat(thrown.permanent()).isFalse();
            }
        }
    }

    /** The thread of the connection ended with an error, and each call waited for its whole time. */
    @ParameterizedTest
    @ValueSource(strings = {"$2147483647\r\n", "*2147483647\r\n", "*1\r\n"})
    void anAnswerThatNoMemoryHoldsEndsTheCallAtOnce(String part) throws IOException {
        String answer = part.repeat(part.startsWith("*1\r") ? 100_000 : 1);
        try (ServerSocket web = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread answering = new Thread(() -> answer(web, answer), "web");
            answering.setDaemon(true);
            answering.start();
            try (Node lost = RedisNode.at("redis://127.0.0.1:" + web.getLocalPort(), namespace)) {
                requireWithin(
                        Duration.ofSeconds(5),
                        () -> time(() -> assertThat(catchThrowableOfType(
                                        CoordinatorException.class,
                                        () -> lost.coordinator.read(0, 0, Duration.ofMinutes(1))))
                                .hasMessageContaining("does not speak as a Redis server does")));
            }
        }
    }

    private static void answer(ServerSocket web, String answer) {
        try {
            while (!web.isClosed()) {
                try (Socket connection = web.accept()) {
                    int unused = connection.getInputStream().read();
                    connection.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                }
            }
        } catch (IOException closed) {
            // the end of the test
        }
    }

    /** It accepts connections, plain or encrypted, and never answers. */
    @ParameterizedTest
    @ValueSource(strings = {"redis", "rediss"})
    void aBlackHoleHoldsNoCallUpForLongerThanItsTimeout(String scheme) throws IOException {
        List<Socket> swallowed = new ArrayList<>();
        try (ServerSocket hole = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                Node lost = RedisNode.at(scheme + "://127.0.0.1:" + hole.getLocalPort(), namespace)) {
            Thread swallowing = new Thread(() -> swallow(hole, swallowed), "hole");
            swallowing.setDaemon(true);
            swallowing.start();

            requireWithin(
                    Duration.ofSeconds(2),
                    () -> time(() -> {
                        CoordinatorException thrown = catchThrowableOfType(
                                CoordinatorException.class, () -> lost.coordinator.read(0, 0, SHORT));
                        assertThat(thrown)
                                .hasMessageContaining("does not answer in time (no connection was established)");
                        assertThat(thrown.permanent()).isFalse();
                    }));
            requireWithin(Duration.ofSeconds(2), () -> time(lost::close));
        } finally {
            for (Socket each : swallowed) {
                each.close();
            }
        }
    }

    private static void swallow(ServerSocket hole, List<Socket> swallowed) {
        try {
            while (!hole.isClosed()) {
                swallowed.add(hole.accept());
            }
        } catch (IOException closed) {
            // the end of the test
        }
    }

    /** A call that waits long enough is told why. */
    @Test
    void aConnectionThatIsNotAnsweredIsGivenUpByItself() throws IOException {
        List<Socket> swallowed = new ArrayList<>();
        try (ServerSocket hole = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                Node lost = RedisNode.at("redis://127.0.0.1:" + hole.getLocalPort(), namespace)) {
            Thread swallowing = new Thread(() -> swallow(hole, swallowed), "hole");
            swallowing.setDaemon(true);
            swallowing.start();

            CoordinatorException thrown = catchThrowableOfType(
                    CoordinatorException.class, () -> lost.coordinator.read(0, 0, Duration.ofMinutes(5)));

            assertThat(thrown).hasMessageContaining("Check redis:// or rediss:// in snowflake.redis.uri");
        } finally {
            for (Socket each : swallowed) {
                each.close();
            }
        }
    }

    /** Each byte comes in time, and the answer never ends. */
    @Test
    void aConnectionThatIsNotSetUpAfterManySecondsIsMadeAnew() throws IOException {
        List<Socket> accepted = new CopyOnWriteArrayList<>();
        ScheduledExecutorService trickling = Executors.newSingleThreadScheduledExecutor();
        try (ServerSocket slow = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                Node waiting = RedisNode.at("redis://127.0.0.1:" + slow.getLocalPort(), namespace)) {
            Thread accepting = new Thread(() -> swallow(slow, accepted), "slow");
            accepting.setDaemon(true);
            accepting.start();
            var unused = trickling.scheduleWithFixedDelay(
                    () -> accepted.forEach(RedisFaultsTest::trickle), 0, 1, TimeUnit.SECONDS);

            await(Node.PATIENCE, () -> {
                assertThat(waiting.answers()).isFalse();
                return accepted.size() > 1;
            });
        } finally {
            trickling.shutdownNow();
            for (Socket each : accepted) {
                each.close();
            }
        }
    }

    /** A status line that never ends. */
    private static void trickle(Socket to) {
        try {
            to.getOutputStream().write('+');
        } catch (IOException closed) {
            // by the other end
        }
    }

    @Test
    void theCallTimeoutOfTheSettingsHolds() {
        try (Node node = RedisNode.at(server.uri(), Map.of("snowflake.redis.call-timeout", "PT0.5S"))) {
            // A first connection may take longer than half a second.
            await(Node.PATIENCE, node::answers);
            server.pause();

            requireWithin(
                    Duration.ofSeconds(5),
                    () -> time(() -> assertThat(catchThrowableOfType(
                                    CoordinatorException.class,
                                    () -> node.coordinator.read(0, 0, Duration.ofMinutes(5))))
                            .isNotNull()));
            server.resume();
        }
    }
}
