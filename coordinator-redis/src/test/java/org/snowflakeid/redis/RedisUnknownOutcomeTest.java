// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordStore;
import org.snowflakeid.spi.RecordStore.Entry;
import org.snowflakeid.spi.RecordStore.Write;
import org.snowflakeid.testservers.RedisServer;
import org.snowflakeid.testservers.TcpProxy;

/** Answers that are held or lost on the way: what was asked may have been done, and is not asked again. */
class RedisUnknownOutcomeTest {
    private static final Duration SHORT = Duration.ofMillis(700);

    private final RedisServer server = RedisServer.start();
    private final TcpProxy proxy = TcpProxy.to(server.clientPort());
    private final RecordStore store = store("redis://127.0.0.1:" + proxy.port());
    private Entry before;

    private static RecordStore store(String uri) {
        Map<String, String> keys = Map.of("snowflake.redis.uri", uri);
        return new RedisStore(
                new RedisSettings(new CoordinatorConfig("orders", "snowflake", Duration.ofSeconds(60), keys::get)));
    }

    @BeforeEach
    void write() {
        assertThat(store.compareAndSet("k", null, "before", TIMEOUT)).isInstanceOf(Write.Applied.class);
        before = store.read(List.of("k"), TIMEOUT).entries().get("k");
    }

    @AfterEach
    void close() {
        store.close();
        proxy.close();
        server.close();
    }

    private static CoordinatorException unknown(Write write) {
        assertThat(write).isInstanceOf(Write.Unknown.class);
        CoordinatorException cause = ((Write.Unknown) write).cause();
        assertThat(cause.permanent()).isFalse();
        return cause;
    }

    private String there() {
        return server.command("GET", "k");
    }

    /** A machine that is slow may be too late to send it: it says that nothing was done, and it is tried again. */
    private Write writeThatIsSent() {
        for (int attempt = 1; ; attempt++) {
            try {
                return store.compareAndSet("k", before, "after", SHORT);
            } catch (CoordinatorException unsent) {
                if (attempt == 10) {
                    throw unsent;
                }
            }
        }
    }

    @Test
    void aWriteWhoseServerIsKilledBeforeTheReplyIsUnknown() {
        proxy.holdReplies();
        CompletableFuture<Write> write =
                CompletableFuture.supplyAsync(() -> store.compareAndSet("k", before, "after", TIMEOUT));
        await(TIMEOUT, () -> there().equals("after"));

        server.kill();
        proxy.cut();
        proxy.pass();
        unknown(write.orTimeout(TIMEOUT.toSeconds() / 2, TimeUnit.SECONDS).join());
        server.startAgain();
        server.awaitHealthy();

        assertThat(there()).isEqualTo("after");
    }

    /** A write is in a frozen server's ears, and is applied when that wakes up, long after it was given up. */
    @Test
    void aWriteToAFrozenServerIsUnknownAndMayBeAppliedLater() {
        server.pause();
        unknown(writeThatIsSent());
        server.resume();

        await(TIMEOUT, () -> there().equals("after"));
    }

    @Test
    void aWriteThatFoundNoConnectionCertainlyChangedNothing() {
        proxy.cut();
        // The cut is seen by a read, which needs another connection and does not get it.
        proxy.freeze();
        AtomicReference<CoordinatorException> read = new AtomicReference<>();
        await(TIMEOUT, () -> {
            read.set(catchThrowableOfType(CoordinatorException.class, () -> store.read(List.of("k"), SHORT)));
            return read.get().getMessage().contains("no connection was established");
        });
        CoordinatorException write = catchThrowableOfType(
                CoordinatorException.class, () -> store.compareAndSet("k", before, "after", SHORT));
        proxy.pass();

        assertThat(read.get().permanent()).isFalse();
        assertThat(write).hasMessageContaining("does not answer in time (no connection was established)");
        assertThat(write.permanent()).isFalse();
        assertThat(store.read(List.of("k"), TIMEOUT).entries().get("k").value()).isEqualTo("before");
        assertThat(store.compareAndSet("k", before, "after", TIMEOUT)).isInstanceOf(Write.Applied.class);
    }

    /** Servers close connections that were idle for long. */
    @Test
    void aReadOverAConnectionThatTheServerClosedIsSentOverAnother() {
        for (int i = 0; i < 3; i++) {
            server.command("CLIENT", "KILL", "TYPE", "normal");

            assertThat(store.read(List.of("k"), TIMEOUT).entries().get("k").value())
                    .isEqualTo("before");
        }
    }

    @Test
    void aWriteOverAConnectionThatTheServerClosedIsUnknownAndNotSentAgain() {
        long scripts = server.calls("eval");
        server.command("CLIENT", "KILL", "TYPE", "normal");

        unknown(store.compareAndSet("k", before, "after", TIMEOUT));

        assertThat(store.read(List.of("k"), TIMEOUT).entries().get("k").value()).isEqualTo("before");
        assertThat(server.calls("eval")).isEqualTo(scripts);
    }

    /** Its answers would be taken for those to the next request. */
    @Test
    void lateAnswersAreNotTakenForOthers() {
        proxy.holdReplies();
        for (int i = 0; i < 3; i++) {
            CoordinatorException late =
                    catchThrowableOfType(CoordinatorException.class, () -> store.read(List.of("x"), SHORT));
            assertThat(late).hasMessageContaining("does not answer in time");
        }
        proxy.pass();

        assertThat(store.read(List.of("k"), TIMEOUT).entries()).containsOnlyKeys("k");
        assertThat(store.compareAndSet("k", before, "after", TIMEOUT)).isInstanceOf(Write.Applied.class);
        assertThat(store.compareAndSet("k", before, "after", TIMEOUT)).isInstanceOf(Write.Rejected.class);
    }
}
