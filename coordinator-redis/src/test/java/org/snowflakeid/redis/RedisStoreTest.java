// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordStore;
import org.snowflakeid.spi.RecordStore.Entry;
import org.snowflakeid.spi.RecordStore.Write;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.RedisServer;

/** Records of any content, and servers that refuse to write them. */
class RedisStoreTest {
    private static RedisServer server;

    private final RecordStore store = store(server);
    private final String key = Node.freshNamespace() + "/k";

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static RecordStore store(RedisServer at) {
        return store(at.uri());
    }

    private static RecordStore store(String uri) {
        Map<String, String> keys = Map.of("snowflake.redis.uri", uri);
        return new RedisStore(
                new RedisSettings(new CoordinatorConfig("orders", "snowflake", Duration.ofSeconds(60), keys::get)));
    }

    private Entry entry(String of) {
        return store.read(List.of(of), TIMEOUT).entries().get(of);
    }

    private Entry entry() {
        return entry(key);
    }

    private static void applied(Write write) {
        assertThat(write).isInstanceOf(Write.Applied.class);
    }

    private static void rejected(Write write) {
        assertThat(write).isInstanceOf(Write.Rejected.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a ", "\n", "a\r\nb\\n\u0000", "0", "-1", "false", "nil", "ünïcödé 日本 🦔"})
    void valuesComeBackAsTheyWereAndAreComparedExactly(String value) {
        applied(store.compareAndSet(key, null, value, TIMEOUT));
        Entry there = entry();

        assertThat(there.value()).isEqualTo(value);
        rejected(store.compareAndSet(key, null, "x", TIMEOUT));
        rejected(store.compareAndSet(key, new Entry("other", "other"), "x", TIMEOUT));
        rejected(store.compareAndSet(key, new Entry(value + " ", there.version() + " "), "x", TIMEOUT));
        applied(store.compareAndSet(key, there, "x", TIMEOUT));
        assertThat(entry().value()).isEqualTo("x");
    }

    @Test
    void tenThousandCharactersFit() {
        String large = "日".repeat(5_000) + "a".repeat(5_000);
        applied(store.compareAndSet(key, null, large, TIMEOUT));
        applied(store.compareAndSet(key, entry(), large + "b", TIMEOUT));

        assertThat(entry().value()).isEqualTo(large + "b");
    }

    @Test
    void caseCountsInKeysAndValues() {
        applied(store.compareAndSet(key + "/a", null, "v", TIMEOUT));
        applied(store.compareAndSet(key + "/A", null, "V", TIMEOUT));

        rejected(store.compareAndSet(key + "/A", entry(key + "/a"), "x", TIMEOUT));
        assertThat(entry(key + "/A").value()).isEqualTo("V");
    }

    /** A value of another program that is not text is compared byte for byte, and can be replaced. */
    @Test
    void whatIsNoTextIsComparedByItsBytes() {
        server.command("BITFIELD", key, "SET", "u8", "0", "255", "SET", "u8", "8", "254");
        Entry garbage = entry();
        server.command("BITFIELD", key, "SET", "u8", "8", "253");

        assertThat(entry().value()).isEqualTo(garbage.value());
        rejected(store.compareAndSet(key, garbage, "x", TIMEOUT));
        applied(store.compareAndSet(key, entry(), "x", TIMEOUT));
    }

    @Test
    void nothingThatWasWrittenExpires() {
        applied(store.compareAndSet(key, null, "a", TIMEOUT));
        server.command("EXPIRE", key, "1000");

        applied(store.compareAndSet(key, entry(), "b", TIMEOUT));

        assertThat(server.command("TTL", key)).isEqualTo("-1");
    }

    @Test
    void aThousandRecordsAreReadAtOnceWithTheServersTime() {
        List<String> keys =
                IntStream.range(0, 1_024).mapToObj(i -> key + "/" + i).toList();
        String value = "x".repeat(4_000);
        keys.subList(0, 100).forEach(each -> applied(store.compareAndSet(each, null, value, TIMEOUT)));

        Instant before = Instant.now();
        RecordStore.Reading reading = store.read(keys, TIMEOUT);
        Instant after = Instant.now();

        assertThat(reading.entries()).containsOnlyKeys(keys.subList(0, 100));
        assertThat(reading.entries().get(keys.get(99)).value()).isEqualTo(value);
        assertThat(reading.time()).isBetween(before.minusMillis(50), after.plusMillis(50));
    }

    /** Older servers would refuse one command for all of them, and it keeps all other clients waiting. */
    @Test
    void manyRecordsAreReadByCommandsOfAThousandEach() {
        List<String> keys =
                IntStream.range(0, 5_000).mapToObj(i -> key + "/" + i).toList();
        List<String> there = List.of(keys.get(0), keys.get(1_023), keys.get(1_024), keys.get(4_999));
        there.forEach(each -> applied(store.compareAndSet(each, null, each, TIMEOUT)));
        long before = server.calls("mget");

        RecordStore.Reading reading = store.read(keys, TIMEOUT);

        assertThat(server.calls("mget") - before).isEqualTo(5);
        assertThat(reading.entries()).containsOnlyKeys(there);
        there.forEach(each -> assertThat(reading.entries().get(each).value()).isEqualTo(each));
    }

    @Test
    void ofManyWhoReplaceTheSameRecordOneSucceedsEachTime() {
        applied(store.compareAndSet(key, null, "0", TIMEOUT));
        AtomicInteger successes = new AtomicInteger();
        List<CompletableFuture<Void>> writers = IntStream.range(0, 4)
                .mapToObj(writer -> CompletableFuture.runAsync(() -> {
                    try (RecordStore own = store(server)) {
                        for (int i = 0; i < 200; i++) {
                            Entry seen =
                                    own.read(List.of(key), TIMEOUT).entries().get(key);
                            String next = Integer.toString(Integer.parseInt(seen.value()) + 1);
                            if (own.compareAndSet(key, seen, next, TIMEOUT) instanceof Write.Applied) {
                                successes.incrementAndGet();
                            }
                        }
                    }
                }))
                .toList();
        writers.forEach(CompletableFuture::join);

        assertThat(entry().value()).isEqualTo(successes.toString());
        assertThat(successes.get()).isGreaterThanOrEqualTo(200);
    }

    // ---- what certainly changes nothing

    private CoordinatorException refused(RecordStore by) {
        CoordinatorException thrown =
                catchThrowableOfType(CoordinatorException.class, () -> by.compareAndSet(key, null, "x", TIMEOUT));
        assertThat(thrown).as("certainly nothing").isNotNull();
        return thrown;
    }

    @Test
    void aKeyOfAnotherTypeIsPermanent() {
        server.command("LPUSH", key, "a");

        CoordinatorException thrown = refused(store);

        assertThat(thrown)
                .hasMessageContaining("has something else at a key of namespace 'snowflake': WRONGTYPE")
                .hasMessageContaining("snowflake.namespace");
        assertThat(thrown.permanent()).isTrue();
    }

    @Test
    void aServerWithoutMemoryOrReplicasOrOccupiedByAScriptWroteNothing() {
        try (RedisServer full = RedisServer.builder()
                        .arguments("--lua-time-limit", "50")
                        .start();
                RecordStore own = store(full)) {
            full.command("CONFIG", "SET", "maxmemory", "1000");
            CoordinatorException memory = refused(own);
            full.command("CONFIG", "SET", "maxmemory", "0");
            full.command("CONFIG", "SET", "min-replicas-to-write", "1");
            CoordinatorException replicas = refused(own);
            full.command("CONFIG", "SET", "min-replicas-to-write", "0");
            CompletableFuture<Void> endless = CompletableFuture.runAsync(() -> {
                try {
                    full.command("EVAL", "while true do end", "0");
                } catch (RuntimeException killed) {
                    // as it should be
                }
            });
            await(TIMEOUT, () -> refusesToPing(full));
            CoordinatorException busy = refused(own);
            full.command("SCRIPT", "KILL");
            endless.join();

            assertThat(memory)
                    .hasMessageContaining("has no memory left: OOM command not allowed when used memory > 'maxmemory'."
                            + " Nothing was written. Raise its maxmemory");
            assertThat(replicas).hasMessageContaining("takes no writes without replicas");
            assertThat(busy).hasMessageContaining("is kept busy by a script: BUSY");
            assertThat(List.of(memory, replicas, busy)).noneMatch(CoordinatorException::permanent);
            assertThat(own.read(List.of(key), TIMEOUT).entries()).isEmpty();
            applied(own.compareAndSet(key, null, "x", TIMEOUT));
        }
    }

    private static boolean refusesToPing(RedisServer server) {
        try {
            return !server.command("PING").equals("PONG");
        } catch (IllegalStateException busy) {
            return true;
        }
    }

    @Test
    void aServerThatCanNotSaveWroteNothing(@TempDir Path folder) throws Exception {
        Path gone = Files.createDirectory(folder.resolve("gone"));
        try (RedisServer full = RedisServer.builder()
                        .arguments("--enable-protected-configs", "yes")
                        .start();
                RecordStore own = store(full)) {
            full.command("CONFIG", "SET", "save", "3600 1");
            full.command("CONFIG", "SET", "dir", gone.toString());
            Files.delete(gone);
            full.command("BGSAVE");
            await(TIMEOUT, () -> full.info("rdb_last_bgsave_status").equals("err"));

            CoordinatorException thrown = refused(own);

            assertThat(thrown).hasMessageContaining("can't write to its disk: MISCONF");
            assertThat(thrown.permanent()).isFalse();
        }
    }

    @Test
    void aServerThatIsStillLoadingIsWaitedFor() {
        try (RedisServer slow = RedisServer.start();
                RecordStore own = store(slow)) {
            slow.command("EVAL", "for i = 1, 20000 do redis.call('SET', 'fill/' .. i, 'x') end", "0");
            applied(own.compareAndSet(key, null, "x", TIMEOUT));
            CoordinatorException thrown = null;
            // A test thread that is held up for longer than the server loads finds it ready.
            for (int attempt = 0; attempt < 5 && thrown == null; attempt++) {
                slow.kill();
                // It answers once in a thousand commands that it reads, microseconds each.
                slow.startAgain("--key-load-delay", "400");
                await(TIMEOUT, () -> loading(slow).isPresent());
                thrown = catchThrowableOfType(CoordinatorException.class, () -> own.read(List.of(key), TIMEOUT));
            }

            assertThat(thrown).hasMessageContaining("has just been started: LOADING");
            assertThat(thrown.permanent()).isFalse();
            slow.awaitHealthy();
            assertThat(own.read(List.of(key), TIMEOUT).entries()).containsKey(key);
        }
    }

    private static Optional<String> loading(RedisServer server) {
        try {
            return Optional.of(server.info("loading"));
        } catch (RuntimeException notYet) {
            return Optional.empty();
        }
    }

    @Test
    void aServerThatHasNoConnectionLeftIsNotPermanent() {
        try (RedisServer small =
                        RedisServer.builder().arguments("--maxclients", "1").start();
                RecordStore one = store(small);
                RecordStore other = store(small.uri() + "/1")) {
            await(TIMEOUT, () -> reads(one));

            CoordinatorException thrown = refused(other);

            assertThat(thrown).hasMessageContaining("has no connection left (maxclients)");
            assertThat(thrown.permanent()).isFalse();
        }
    }

    private boolean reads(RecordStore one) {
        try {
            return one.read(List.of(key), TIMEOUT).entries().isEmpty();
        } catch (CoordinatorException notYet) {
            return false;
        }
    }

    @Test
    void whatIsClosedAnswersNoMore() {
        store.close();
        store.close();

        assertThat(refused(store)).hasMessageContaining("closed");
        assertThat(catchThrowableOfType(CoordinatorException.class, () -> store.read(List.of(key), TIMEOUT)))
                .hasMessageContaining("closed");
    }
}
