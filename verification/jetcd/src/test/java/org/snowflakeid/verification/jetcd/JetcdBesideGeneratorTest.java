// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jetcd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.await;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.lease.LeaseTimeToLiveResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.LeaseOption;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.Stopwatch;
import org.snowflakeid.testservers.EtcdServer;

/**
 * What other software finds in etcd beside a running generator, and what the generator makes of its doings. Nothing here is read or
 * written by our own requests, which could be wrong in the same way on both sides.
 */
class JetcdBesideGeneratorTest {
    private static final Path PAGE = Path.of("../../docs/architecture.md");

    /** A stored line as the page shows it: key and value. */
    private static final Pattern SHOWN = Pattern.compile("(?m)^/snowflake(/\\S+) +(\\S+=.*)$");

    /** An owner entry rightly ends so long after its last extension, where the machine is too slow for the next one. */
    private static final Duration WINDOW = Duration.ofSeconds(12);

    private static final ByteSequence OTHER = bytes("token=1 host=other");

    private static EtcdServer etcd;
    private static Client jetcd;

    private final String fresh = Node.freshNamespace();

    @BeforeAll
    static void start() {
        etcd = EtcdServer.start();
        jetcd = Client.builder().endpoints(etcd.endpoint()).build();
    }

    @AfterAll
    static void stop() {
        jetcd.close();
        etcd.close();
    }

    private static LeasedSnowflake open(String namespace, String workerIds) {
        return LeasedSnowflake.open(SnowflakeSettings.of(Map.of(
                "snowflake.etcd.endpoints",
                etcd.endpoint(),
                "snowflake.namespace",
                namespace,
                "snowflake.worker-ids",
                workerIds,
                "snowflake.window",
                WINDOW.toString(),
                // Asked for while etcd is not needed, an id is there or refused.
                "snowflake.wait-timeout",
                "PT0S")));
    }

    private static int workerId(LeasedSnowflake ids) {
        return ids.status().workerId().orElseThrow();
    }

    private static KV kv() {
        return jetcd.getKVClient();
    }

    private static <T> T answer(CompletableFuture<T> future) {
        return future.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, UTF_8);
    }

    private static Map<String, KeyValue> stored(String prefix) {
        Map<String, KeyValue> stored = new TreeMap<>();
        answer(kv().get(bytes(prefix), GetOption.builder().isPrefix(true).build()))
                .getKvs()
                .forEach(each -> stored.put(each.getKey().toString(UTF_8), each));
        return stored;
    }

    private static KeyValue only(String key) {
        return answer(kv().get(bytes(key))).getKvs().stream().findFirst().orElse(null);
    }

    private static LeaseTimeToLiveResponse lease(long id) {
        return answer(jetcd.getLeaseClient()
                .timeToLive(id, LeaseOption.builder().withAttachedKeys().build()));
    }

    private static Map<String, String> pairs(KeyValue stored) {
        return pairs(stored.getValue().toString(UTF_8));
    }

    private static Map<String, String> pairs(String line) {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (String pair : line.split(" ", -1)) {
            int equals = pair.indexOf('=');
            assertThat(equals).as(line).isPositive();
            pairs.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return pairs;
    }

    /** What a watch sees of a namespace, by revision: key and value of each change, without a value if the key was deleted. */
    private static final class Changes implements AutoCloseable {
        private final Map<Long, Map<String, KeyValue>> byRevision = new TreeMap<>();
        private final Watch.Watcher watcher;

        Changes(String prefix) {
            long now = answer(kv().get(bytes(prefix))).getHeader().getRevision();
            WatchOption all =
                    WatchOption.builder().isPrefix(true).withRevision(now + 1).build();
            watcher = jetcd.getWatchClient().watch(bytes(prefix), all, this::note);
        }

        private synchronized void note(WatchResponse response) {
            for (WatchEvent event : response.getEvents()) {
                KeyValue change = event.getKeyValue();
                byRevision
                        .computeIfAbsent(change.getModRevision(), none -> new TreeMap<>())
                        .put(event.getEventType() + " " + change.getKey().toString(UTF_8), change);
            }
        }

        synchronized List<Map<String, KeyValue>> seen() {
            return byRevision.values().stream().map(Map::copyOf).toList();
        }

        @Override
        public void close() {
            watcher.close();
        }
    }

    @Test
    void findsTheKeysThatThePageShowsAndOnlyTheOwnerUnderALease() throws Exception {
        Map<String, List<String>> shown = SHOWN.matcher(Files.readString(PAGE))
                .results()
                .collect(Collectors.toMap(
                        line -> line.group(1),
                        line -> List.copyOf(pairs(line.group(2)).keySet())));

        Stopwatch.unlessHeldUp(WINDOW, (number, stopwatch) -> {
            String root = "/" + fresh + number;
            try (LeasedSnowflake ids = open(fresh + number, "960")) {
                long id = ids.nextId();
                long tick = id >> 22;

                Map<String, KeyValue> stored = stored(root + "/");

                assertThat(stored).hasSameSizeAs(shown);
                shown.forEach((key, names) ->
                        assertThat(pairs(stored.get(root + key)).keySet()).containsExactlyElementsOf(names));
                KeyValue owner = stored.get(root + "/workers/960");
                Map<String, String> mark = pairs(stored.get(root + "/marks/960"));
                assertThat(mark).containsEntry("token", pairs(owner).get("token"));
                assertThat(id >> 12 & 1023).isEqualTo(960);
                assertThat(tick).isBetween(Long.parseLong(mark.get("from")), Long.parseLong(mark.get("limit")) - 1);
                assertThat(Instant.parse(mark.get("until")))
                        .isEqualTo(Instant.parse("2020-01-01T00:00:00Z").plusMillis(Long.parseLong(mark.get("limit"))));

                assertThat(stored.get(root + "/meta").getLease()).isZero();
                assertThat(stored.get(root + "/marks/960").getLease()).isZero();
                LeaseTimeToLiveResponse lease = lease(owner.getLease());
                assertThat(lease.getGrantedTTL()).isEqualTo(WINDOW.toSeconds());
                assertThat(lease.getTTL()).isBetween(1L, WINDOW.toSeconds());
                assertThat(lease.getKeys()).containsExactly(owner.getKey());
            }
        });
    }

    @Test
    void seesClaimExtensionAndReleaseAsOneChangeEachAndTheLeaseKeptAlive() throws Exception {
        Stopwatch.unlessHeldUp(WINDOW, (number, stopwatch) -> {
            String root = "/" + fresh + number;
            String mark = "PUT " + root + "/marks/7";
            try (Changes changes = new Changes(root + "/")) {
                try (LeasedSnowflake ids = open(fresh + number, "7")) {
                    assertThat(ids.nextId()).isPositive();
                    long lease = only(root + "/workers/7").getLease();
                    awaitRenewal(lease);
                    await(PATIENCE, () -> changes.seen().size() > 2);
                    assertThat(only(root + "/workers/7").getLease()).isEqualTo(lease);
                }
                await(PATIENCE, () -> changes.seen().stream()
                        .anyMatch(change -> change.containsKey("DELETE " + root + "/workers/7")));

                List<Map<String, KeyValue>> seen = changes.seen();
                assertThat(seen.get(0)).containsOnlyKeys("PUT " + root + "/meta");
                Map<String, KeyValue> claim = seen.get(1);
                assertThat(claim).containsOnlyKeys(mark, "PUT " + root + "/workers/7");
                long limit = limit(claim.get(mark));
                List<Map<String, KeyValue>> extensions = seen.subList(2, seen.size() - 1);
                for (int i = 0; i < extensions.size(); i++) {
                    assertThat(extensions.get(i)).containsOnlyKeys(mark);
                    assertThat(pairs(extensions.get(i).get(mark)))
                            .containsEntry("token", pairs(claim.get(mark)).get("token"))
                            .containsEntry("k", String.valueOf(i + 1));
                    assertThat(limit(extensions.get(i).get(mark))).isGreaterThan(limit);
                    limit = limit(extensions.get(i).get(mark));
                }
                Map<String, KeyValue> release = seen.get(seen.size() - 1);
                assertThat(release).containsOnlyKeys(mark, "DELETE " + root + "/workers/7");
                assertThat(limit(release.get(mark))).isLessThan(limit);
            }
        });
    }

    private static long limit(KeyValue mark) {
        return Long.parseLong(pairs(mark).get("limit"));
    }

    private static void awaitRenewal(long lease) {
        long[] least = {WINDOW.toSeconds()};
        await(PATIENCE, () -> {
            long left = lease(lease).getTTL();
            boolean renewed = left > least[0];
            least[0] = Math.min(least[0], left);
            return renewed;
        });
    }

    @Test
    void releaseEndsTheLease() throws Exception {
        // Shorter than the deadline of a release, after which a lease is left to expire.
        Stopwatch.unlessHeldUp(Duration.ofSeconds(1), (number, stopwatch) -> {
            long lease;
            try (LeasedSnowflake ids = open(fresh + number, "7")) {
                assertThat(ids.nextId()).isPositive();
                lease = only("/" + fresh + number + "/workers/7").getLease();
                stopwatch.begin();
            }
            assertThat(lease(lease).getTTL()).isNegative();
        });
    }

    @Test
    void deletedOwnerAndRevokedLeaseAreClaimedAgainWhileIdsGoOn() throws Exception {
        Stopwatch.unlessHeldUp(WINDOW, (number, stopwatch) -> {
            String owner = "/" + fresh + number + "/workers/7";
            try (LeasedSnowflake ids = open(fresh + number, "7")) {
                KeyValue first = only(owner);
                long id = ids.nextId();

                answer(kv().delete(bytes(owner)));
                KeyValue second = awaitOwnerAfter(first, ids);
                answer(jetcd.getLeaseClient().revoke(second.getLease()));
                KeyValue third = awaitOwnerAfter(second, ids);

                assertThat(ids.nextId()).isGreaterThan(id);
                assertThat(workerId(ids)).isEqualTo(7);
                assertThat(lease(third.getLease()).getKeys()).containsExactly(bytes(owner));
                KeyValue mark = only("/" + fresh + number + "/marks/7");
                assertThat(pairs(mark)).containsEntry("token", pairs(third).get("token"));
            }
        });
    }

    private static KeyValue awaitOwnerAfter(KeyValue earlier, LeasedSnowflake ids) {
        String owner = earlier.getKey().toString(UTF_8);
        await(PATIENCE, () -> {
            assertThat(ids.nextId()).isPositive();
            KeyValue now = only(owner);
            return now != null && now.getCreateRevision() > earlier.getCreateRevision();
        });
        KeyValue now = only(owner);
        assertThat(now.getLease()).isNotZero().isNotEqualTo(earlier.getLease());
        return now;
    }

    @Test
    void neitherTakesAWorkerIdThatTheOtherHolds() throws Exception {
        Stopwatch.unlessHeldUp(WINDOW, (number, stopwatch) -> {
            String owners = "/" + fresh + number + "/workers/";
            open(fresh + number, "6").close();
            long lease =
                    answer(jetcd.getLeaseClient().grant(2 * WINDOW.toSeconds())).getID();
            PutOption underLease = PutOption.builder().withLeaseId(lease).build();
            answer(kv().put(bytes(owners + 5), OTHER, underLease));

            try (LeasedSnowflake ids = open(fresh + number, "5-6")) {
                boolean taken = answer(kv().txn()
                                .If(new Cmp(bytes(owners + 6), Cmp.Op.EQUAL, CmpTarget.createRevision(0)))
                                .Then(Op.put(bytes(owners + 6), OTHER, underLease))
                                .commit())
                        .isSucceeded();

                assertThat(taken).isFalse();
                assertThat(workerId(ids)).isEqualTo(6);
                assertThat(only(owners + 5).getValue()).isEqualTo(OTHER);
            }

            answer(jetcd.getLeaseClient().revoke(lease));
            try (LeasedSnowflake ids = open(fresh + number, "5")) {
                assertThat(workerId(ids)).isEqualTo(5);
            }
        });
    }
}
