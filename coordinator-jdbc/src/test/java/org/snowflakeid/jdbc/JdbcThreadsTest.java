// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.time;

import java.lang.ref.WeakReference;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.Stopwatch;
import org.snowflakeid.testservers.PostgresServer;
import org.snowflakeid.testservers.TcpProxy;

@Isolated("it looks at all threads of the JVM")
class JdbcThreadsTest {

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("snowflake"))
                .collect(Collectors.toSet());
    }

    @Test
    void severalShareOneThreadAndOneConnectionWhichAreGoneAfterAWhile() throws Exception {
        try (PostgresServer server = PostgresServer.start();
                TcpProxy proxy = TcpProxy.to(server.clientPort())) {
            await(Node.PATIENCE, () -> threads().isEmpty());
            List<Node> nodes = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                Node node = JdbcNode.at(server.url(proxy.port()), Node.freshNamespace());
                nodes.add(node);
                node.createMeta();
                Stored mark = node.claim(3);
                assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
            }

            assertThat(nodes.stream().map(node -> node.coordinator.connection()).distinct())
                    .hasSize(1);
            // On a busy machine a call may come before the thread of the last one is ready for it.
            assertThat(threads()).hasSizeLessThan(nodes.size()).allMatch(Thread::isDaemon);
            assertThat(proxy.connections()).isLessThan(4);
            await(Node.PATIENCE, () -> threads().isEmpty() && proxy.connections() == 0);
            // Who closes waits two seconds for threads to end: one that is held up may still be there then.
            Stopwatch.unlessHeldUp(Duration.ofSeconds(2), (number, stopwatch) -> {
                if (number > 0) {
                    await(Node.PATIENCE, () -> threads().isEmpty());
                    nodes.replaceAll(closed -> JdbcNode.at(server.url(proxy.port()), Node.freshNamespace()));
                }
                nodes.forEach(node -> assertThat(node.read(0, 0).serverTime()).isNotNull());
                stopwatch.begin();
                nodes.forEach(Node::close);
                nodes.forEach(Node::close);
                assertThat(threads()).isEmpty();
            });
            await(Node.PATIENCE, () -> proxy.connections() == 0);
        }
    }

    @Test
    void closingWhileTheServerIsFrozenTakesNoLongerThanItMay() {
        try (PostgresServer server = PostgresServer.start()) {
            Node node = JdbcNode.at(server.url(), Node.freshNamespace());
            node.createMeta();
            server.pause();
            assertThat(node.answers()).isFalse();

            requireWithin(Duration.ofMillis(2_500), () -> time(node::close));

            server.resume();
            await(Node.PATIENCE, () -> threads().isEmpty());
        }
    }

    private static JdbcSettings settings(PostgresServer server) {
        Map<String, String> keys = Map.of(JdbcSettings.URL.name(), server.url());
        return new JdbcSettings(new CoordinatorConfig("orders", "snowflake", Duration.ofSeconds(60), keys::get));
    }

    /** As the JVM does when it is allowed no more than so many. */
    private static ThreadFactory atMost(int threads, ThreadFactory factory, Queue<WeakReference<Thread>> made) {
        AtomicInteger left = new AtomicInteger(threads);
        return task -> {
            Thread thread = factory.newThread(task);
            made.add(new WeakReference<>(thread));
            if (left.getAndDecrement() > 0) {
                return thread;
            }
            throw new OutOfMemoryError("unable to create native thread");
        };
    }

    // each kept its place for ever, and after eight no call was made any more
    @Test
    void callsThatFindNoThreadTakeNothingFromLaterOnes() throws Exception {
        try (PostgresServer server = PostgresServer.start()) {
            JdbcSettings settings = settings(server);
            var loan = SharedDatabase.ALL.loan(settings.access());
            SharedDatabase shared = requireNonNull(loan.get());
            ThreadFactory factory = shared.pool.getThreadFactory();
            Queue<WeakReference<Thread>> made = new ConcurrentLinkedQueue<>();
            shared.pool.setThreadFactory(atMost(0, factory, made));

            for (int i = 0; i < 20; i++) {
                assertThatThrownBy(() -> shared.call(settings, Node.TIMEOUT, session -> "answer"))
                        .isInstanceOf(OutOfMemoryError.class);
            }

            shared.pool.setThreadFactory(factory);
            String answer = shared.call(settings, Node.TIMEOUT, session -> "answer");
            assertThat(answer).isEqualTo("answer");
            assertThat(made).hasSize(20);
            await(Node.PATIENCE, () -> {
                System.gc();
                return made.stream().allMatch(thread -> thread.get() == null);
            });
            loan.close();
        }
    }

    // the error took the place of that answer
    @Test
    void whetherAnythingWasSentIsKnownAlsoWhereNoThreadBreaksTheCallOff() {
        try (PostgresServer server = PostgresServer.start()) {
            JdbcSettings settings = settings(server);
            var loan = SharedDatabase.ALL.loan(settings.access());
            SharedDatabase shared = requireNonNull(loan.get());
            shared.pool.setThreadFactory(atMost(1, shared.pool.getThreadFactory(), new ConcurrentLinkedQueue<>()));
            Thread caller = Thread.currentThread();

            JdbcFailure failure = catchThrowableOfType(
                    JdbcFailure.class,
                    () -> shared.call(settings, Node.TIMEOUT, session -> {
                        session.beforeChange();
                        caller.interrupt();
                        try (Statement statement = session.connection().createStatement()) {
                            return statement.execute("SELECT pg_sleep(3600)");
                        }
                    }));

            assertThat(Thread.interrupted()).isTrue();
            assertThat(failure.nothingChanged()).isFalse();
            server.kill();
            await(Node.PATIENCE, () -> threads().isEmpty());
            loan.close();
        }
    }
}
