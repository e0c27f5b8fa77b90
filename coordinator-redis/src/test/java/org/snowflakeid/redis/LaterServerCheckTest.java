// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.time;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordCoordinator;
import org.snowflakeid.spi.RecordStore;
import org.snowflakeid.spi.RecordStore.Entry;
import org.snowflakeid.spi.RecordStore.Write;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.support.Shared;
import org.snowflakeid.testservers.LogLines;
import org.snowflakeid.testservers.RedisServer;
import org.snowflakeid.testservers.TcpProxy;

/** Servers whose settings change while a process is connected. */
class LaterServerCheckTest {
    private static final Duration SHORT = Duration.ofSeconds(1);

    private final AtomicLong nanos = new AtomicLong();
    private final Shared<RedisSettings.Access, SharedRedis> all =
            SharedRedis.all(InetAddress::getAllByName, nanos::get);
    private final RedisServer server = RedisServer.start();
    private final TcpProxy proxy = TcpProxy.to(server.clientPort());
    private final String uri = "redis://127.0.0.1:" + proxy.port();
    private final String generator = "g" + UUID.randomUUID();
    private final List<RecordStore> stores = new ArrayList<>();

    @AfterEach
    void stop() {
        stores.forEach(RecordStore::close);
        proxy.close();
        server.close();
    }

    private CoordinatorConfig config(Map<String, String> more) {
        Map<String, String> keys = new HashMap<>(more);
        keys.put("snowflake.redis.uri", uri);
        return new CoordinatorConfig(generator, "snowflake", Duration.ofSeconds(60), keys::get);
    }

    private RecordStore store(Map<String, String> more) {
        LogLines.listen();
        RecordStore store = new RedisStore(new RedisSettings(config(more)), all);
        stores.add(store);
        return store;
    }

    private RecordStore store() {
        return store(Map.of());
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private void passAMinute() {
        pass(Duration.ofMinutes(1));
    }

    private void set(String name, String value) {
        server.command("CONFIG", "SET", name, value);
    }

    private String there() {
        return server.command("GET", "k");
    }

    private List<String> warnings() {
        return LogLines.of(generator).stream()
                .filter(line -> line.startsWith("WARNING") && !line.contains("is not encrypted"))
                .toList();
    }

    private static void applied(Write write) {
        assertThat(write).isInstanceOf(Write.Applied.class);
    }

    private static Entry entry(RecordStore store) {
        return store.read(List.of("k"), TIMEOUT).entries().get("k");
    }

    @ParameterizedTest
    @CsvSource({
        "appendonly, no, yes",
        "appendfsync, everysec, always",
        "appendfsync, no, always",
        "no-appendfsync-on-rewrite, yes, no",
        "maxmemory-policy, allkeys-lru, noeviction"
    })
    void aServerThatBeginsToLoseWhatItAcknowledgesIsRefusedWithinAMinute(String name, String value, String remedy) {
        RecordStore store = store();
        applied(store.compareAndSet("k", null, "before", TIMEOUT));
        Entry before = entry(store);
        set(name, value);
        passAMinute();

        CoordinatorException write = catchThrowableOfType(
                CoordinatorException.class, () -> store.compareAndSet("k", before, "after", TIMEOUT));
        CoordinatorException read = catchThrowableOfType(CoordinatorException.class, () -> entry(store));

        assertThat(write)
                .as("certainly nothing was written")
                .hasMessage("redis (" + uri + ") has " + name + " " + value
                        + ": redis may lose what it acknowledged, and then ids repeat. Set " + name + " " + remedy
                        + " by CONFIG SET and in redis.conf, or accept it with snowflake.redis.durability=warn.");
        assertThat(write.permanent()).isTrue();
        assertThat(read).hasMessage(write.getMessage());
        assertThat(there()).isEqualTo("before");

        set(name, remedy);
        await(TIMEOUT, () -> catchThrowableOfType(CoordinatorException.class, () -> entry(store)) == null);
        applied(store.compareAndSet("k", before, "after", TIMEOUT));
    }

    /** Rewrites slow a server, and calls that are too late cost a connection. */
    @Test
    void aRewriteHoldsUpNoConnectionThatReplacesOneThatWasJudgedLately() {
        RecordStore store = store();
        applied(store.compareAndSet("k", null, "before", TIMEOUT));
        set("rdb-key-save-delay", "600000000");
        server.command("BGREWRITEAOF");
        try {
            pass(Duration.ofSeconds(119));
            proxy.cut();
            await(TIMEOUT, () -> catchThrowableOfType(CoordinatorException.class, () -> entry(store)) == null);
            applied(store.compareAndSet("k", entry(store), "after", TIMEOUT));

            pass(Duration.ofMinutes(2));
            proxy.cut();
            await(TIMEOUT, () -> {
                CoordinatorException refused = catchThrowableOfType(CoordinatorException.class, () -> entry(store));
                return refused != null && refused.getMessage().contains("is rewriting its append-only file");
            });
        } finally {
            set("appendonly", "no");
        }
    }

    /** Over one connection, and in silence, it was applied for ever. */
    @Test
    void anExtensionOnAServerThatWritesNoFileAnyMoreIsNotAcknowledged() {
        RecordStore store = store();
        RecordCoordinator coordinator = new RecordCoordinator(config(Map.of()), store);
        Stored meta = ((CasResult.Applied) coordinator.writeMeta(null, "id=1", TIMEOUT)).written();
        CasResult claimed = coordinator.claim(3, null, "limit=1", "a", false, meta, TIMEOUT);
        set("appendonly", "no");
        passAMinute();

        CoordinatorException thrown = catchThrowableOfType(
                CoordinatorException.class,
                () -> coordinator.extend(3, ((CasResult.Applied) claimed).written(), "limit=2", "a", meta, TIMEOUT));

        assertThat(thrown).hasMessageContaining("has appendonly no: redis may lose what it acknowledged");
        assertThat(server.command("GET", "snowflake/marks/3")).startsWith("limit=1\n");
    }

    @Test
    void itIsAskedOnceAMinuteAndOnlyWithACall() {
        RecordStore store = store();
        for (int call = 0; call < 5; call++) {
            assertThat(entry(store)).isNull();
        }
        assertThat(server.calls("config")).isEqualTo(1);

        pass(Duration.ofSeconds(59));
        assertThat(entry(store)).isNull();
        assertThat(server.calls("config")).isEqualTo(1);

        for (int call = 0; call < 5; call++) {
            pass(Duration.ofSeconds(20));
            assertThat(entry(store)).isNull();
        }
        // 79 s and 139 s after the first.
        assertThat(server.calls("config")).isEqualTo(3);
        assertThat(proxy.connections()).isEqualTo(1);
        assertThat(warnings()).isEmpty();
    }

    @Test
    void ofAServerThatBeginsToLoseWhatItAcknowledgesItIsWarnedIfThatIsAccepted() {
        RecordStore store = store(Map.of("snowflake.redis.durability", "warn"));
        applied(store.compareAndSet("k", null, "before", TIMEOUT));
        assertThat(warnings()).isEmpty();
        set("appendfsync", "everysec");
        for (int minute = 0; minute < 3; minute++) {
            passAMinute();
            applied(store.compareAndSet("k", entry(store), "after " + minute, TIMEOUT));
        }

        assertThat(warnings())
                .singleElement()
                .asString()
                .contains("has appendfsync everysec: redis may lose what it acknowledged, and then ids repeat.")
                .contains("snowflake.redis.durability=warn accepts it");
    }

    @Test
    void whatTheUserMayNotAskStaysOneWarning() {
        server.command("ACL", "SETUSER", "app", "on", ">app", "~*", "-@all", "+eval", "+get", "+set", "+mget", "+time");
        RecordStore store = store(Map.of("snowflake.redis.user", "app", "snowflake.redis.password", "app"));
        applied(store.compareAndSet("k", null, "0", TIMEOUT));
        for (int minute = 1; minute < 4; minute++) {
            passAMinute();
            applied(store.compareAndSet("k", entry(store), Integer.toString(minute), TIMEOUT));
        }

        assertThat(warnings())
                .singleElement()
                .asString()
                .contains("does not say whether it keeps what it acknowledges: it refuses INFO (NOPERM");
    }

    /** It takes minutes on a server with many data. */
    @ParameterizedTest
    @ValueSource(strings = {"require", "warn"})
    void aRewriteHoldsUpNoConnectionThatIsThere(String durability) {
        RecordStore store = store(Map.of("snowflake.redis.durability", durability));
        applied(store.compareAndSet("k", null, "before", TIMEOUT));
        set("rdb-key-save-delay", "600000000");
        server.command("BGREWRITEAOF");
        try {
            passAMinute();

            applied(store.compareAndSet("k", entry(store), "after", TIMEOUT));
            assertThat(server.info("aof_rewrite_in_progress")).isEqualTo("1");
            assertThat(warnings()).isEmpty();
        } finally {
            // Ends that process, which would outlive its server.
            set("appendonly", "no");
        }
    }

    /** A failover that is under way passes. */
    @Test
    void aServerThatBecameAReplicaIsNotReadFromAnyMore() {
        RecordStore store = store();
        assertThat(entry(store)).isNull();
        server.command("REPLICAOF", "127.0.0.1", "1");
        passAMinute();

        CoordinatorException thrown = catchThrowableOfType(CoordinatorException.class, () -> entry(store));

        assertThat(thrown).hasMessageContaining("is a replica (role slave)");
        assertThat(thrown.permanent()).isFalse();
    }

    // ---- while the server does not answer

    @Test
    void aCallThatAsksAServerThatIsFrozenEndsInTimeAndTheNextOneWorks() {
        RecordStore store = store();
        applied(store.compareAndSet("k", null, "before", TIMEOUT));
        Entry before = entry(store);
        passAMinute();
        server.pause();

        requireWithin(
                SHORT.multipliedBy(2),
                () -> time(() -> assertThat(store.compareAndSet("k", before, "after", SHORT))
                        .isInstanceOf(Write.Unknown.class)));
        requireWithin(
                SHORT.multipliedBy(2),
                () -> time(() -> assertThat(
                                catchThrowableOfType(CoordinatorException.class, () -> store.read(List.of("k"), SHORT)))
                        .isNotNull()));
        server.resume();

        await(TIMEOUT, () -> catchThrowableOfType(CoordinatorException.class, () -> entry(store)) == null);
        assertThat(there()).isEqualTo("before");
    }

    @Test
    void aReadThatFindsItsConnectionClosedIsSentOverAnother() {
        RecordStore store = store();
        applied(store.compareAndSet("k", null, "before", TIMEOUT));
        server.command("CLIENT", "KILL", "TYPE", "normal");
        passAMinute();

        assertThat(entry(store).value()).isEqualTo("before");
    }

    @Test
    void whatTheServerSaysIsWaitedForBeforeAWriteIsSent() {
        RecordStore store = store();
        applied(store.compareAndSet("k", null, "before", TIMEOUT));
        Entry before = entry(store);
        passAMinute();
        proxy.holdReplies();
        CompletableFuture<Write> write =
                CompletableFuture.supplyAsync(() -> store.compareAndSet("k", before, "after", TIMEOUT));
        await(TIMEOUT, () -> server.calls("config") == 2);

        assertThat(there()).isEqualTo("before");
        proxy.pass();
        applied(write.orTimeout(TIMEOUT.toSeconds() / 2, TimeUnit.SECONDS).join());
    }
}
