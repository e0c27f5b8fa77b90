// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;

import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrantResponse;
import io.netty.util.internal.ThreadExecutorMap;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.Stopwatch;
import org.snowflakeid.testservers.EtcdServer;

/** Coordinators that share a connection must not disturb each other. */
@Isolated("the log of Netty fails meanwhile")
class SharedEtcdTest {
    private final EtcdServer server = EtcdServer.start();
    private final String namespace = Node.freshNamespace();
    private final Node node = EtcdNode.at(server.endpoint(), namespace);

    /** With the same settings: it shares the node's connection. */
    private final EtcdConnection connection = connection();

    private EtcdConnection connection() {
        Map<String, String> keys = Map.of(EtcdSettings.ENDPOINTS.name(), server.endpoint());
        return new EtcdConnection(new EtcdSettings(new CoordinatorConfig("orders", namespace, TIMEOUT, keys::get)));
    }

    @AfterEach
    void close() {
        connection.close();
        node.close();
        server.close();
    }

    private static void grant(EtcdConnection connection) {
        LeaseGrantRequest request = LeaseGrantRequest.newBuilder().setTTL(60).build();
        List<EtcdConnection.Answer<LeaseGrantResponse>> answers =
                connection.callAll(connection.deadline(TIMEOUT), EtcdMethods.GRANT, List.of(request));
        assertThat(answers.get(0).failure()).isNull();
    }

    /** As if memory ran out: a task ends with an error, and so does Netty's report of that. */
    private static void endTheThread(EtcdConnection connection) {
        Logger reports = Logger.getLogger("io.netty.util.concurrent.AbstractEventExecutor");
        Handler full = new Handler() {
            @Override
            public void publish(LogRecord report) {
                throw new OutOfMemoryError("planted in the log");
            }

            @Override
            public void flush() {
                // nothing is kept
            }

            @Override
            public void close() {
                // nothing is open
            }
        };
        reports.addHandler(full);
        try {
            AtomicReference<Thread> ending = new AtomicReference<>();
            connection.later(0, () -> {
                ending.set(Thread.currentThread());
                ThreadExecutorMap.currentExecutor().execute(() -> {
                    throw new OutOfMemoryError("planted");
                });
            });
            await(PATIENCE, () -> ending.get() != null && !ending.get().isAlive());
        } finally {
            reports.removeHandler(full);
        }
    }

    // every call failed until the process was started again
    @Test
    void callsAreAnsweredAgainAfterAnErrorHasEndedTheThreadOfTheConnection() {
        node.createMeta();
        Stored mark = node.claim(3);
        grant(connection);

        endTheThread(connection);

        await(PATIENCE, node::answers);
        assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
    }

    @Test
    void lossesAreHintedAgainAfterAnErrorHasEndedTheThreadOfTheConnection() {
        node.createMeta();
        Stored mark = node.claim(3);
        grant(connection);

        endTheThread(connection);
        await(PATIENCE, node::answers);
        applied(node.extend(3, mark));
        await(PATIENCE, () -> node.hints.get() > 0);
        int before = node.hints.get();

        server.etcdctl("del", "/" + namespace + "/workers/3");

        await(PATIENCE, () -> node.hints.get() > before);
    }

    @Test
    void closingWaitsForNothingThatAnErrorHasEnded() {
        Stopwatch.requireWithin(Duration.ofSeconds(2), () -> {
            EtcdConnection ending = connection();
            grant(ending);
            endTheThread(ending);
            return Stopwatch.time(ending::close);
        });
    }

    // gRPC may end another's watch on the thread that begins a call: each waited for what the other one held, for ever
    @Test
    void aLoginThatBeginsBlocksNoOtherThread() {
        grant(connection);
        try (var loan = SharedEtcd.ALL.loan(connection.access())) {
            SharedEtcd shared = requireNonNull(loan.get());
            assertThatThrownBy(() -> shared.login(() -> {
                        EtcdChannel seen = CompletableFuture.supplyAsync(connection::channel)
                                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                                .join();
                        assertThat(seen).isNotNull();
                        throw new IllegalStateException("planted");
                    }))
                    .hasMessage("planted");
        }
    }

    @Test
    void aQuestionForTheTimeBlocksNoOtherThread() throws Exception {
        EtcdConnection asking = connection();
        grant(asking);
        var loan = SharedEtcd.ALL.loan(asking.access());
        SharedEtcd shared = requireNonNull(loan.get());
        server.pause();
        try {
            // From now on it looks at first whether the connection has had an answer.
            for (int i = 0; i < 3; i++) {
                assertThat(asking.askTime().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isEmpty();
            }
        } finally {
            server.resume();
        }

        Thread question = new Thread(
                () -> {
                    Future<Optional<Instant>> unused = asking.askTime();
                },
                "question");
        question.setDaemon(true);
        CompletableFuture<Void> end = CompletableFuture.runAsync(() -> {
            synchronized (shared) {
                question.start();
                await(PATIENCE, () -> question.getState() == Thread.State.BLOCKED);
                asking.noteWatchFailed(new EtcdChannel.Trace(), new IllegalStateException("planted"));
            }
        });

        assertThat(end).succeedsWithin(PATIENCE);
        asking.close();
        loan.close();
    }
}
