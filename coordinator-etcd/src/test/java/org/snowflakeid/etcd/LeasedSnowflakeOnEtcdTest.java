// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.time;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorRegressedException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.SnowflakeUnavailableException;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.Stopwatch;
import org.snowflakeid.testservers.EtcdCluster;
import org.snowflakeid.testservers.EtcdServer;

/** A whole generator on a real etcd: what applications see of faults. */
class LeasedSnowflakeOnEtcdTest {
    private static final String[] NO_WAITING = {"snowflake.wait-timeout", "PT0S"};

    /** What is left of a window of twelve seconds after an extension. */
    private static final Duration GROWN = Duration.ofSeconds(11);

    private static EtcdServer etcd;

    private final String namespace = Node.freshNamespace();

    @BeforeAll
    static void startServer() {
        etcd = EtcdServer.start();
    }

    @AfterAll
    static void stopServer() {
        etcd.close();
    }

    private LeasedSnowflake open(String endpoints, String... more) {
        Map<String, String> keys = new HashMap<>();
        keys.put("snowflake.etcd.endpoints", endpoints);
        keys.put("snowflake.namespace", namespace);
        keys.put("snowflake.window", "PT12S");
        for (int i = 0; i < more.length; i += 2) {
            keys.put(more[i], more[i + 1]);
        }
        return LeasedSnowflake.open(SnowflakeSettings.of(keys));
    }

    private static int workerId(LeasedSnowflake ids) {
        return ids.status().workerId().orElseThrow();
    }

    private static long millisLeft(LeasedSnowflake ids) {
        return ids.status().reservedUntil().orElseThrow().toEpochMilli() - System.currentTimeMillis();
    }

    private static void awaitGrownWindow(LeasedSnowflake ids) {
        await(Node.PATIENCE, () -> millisLeft(ids) > GROWN.toMillis());
    }

    /** The stopwatch runs from then on: ids rightly end {@link #GROWN} later, where the machine is too slow for an extension. */
    private static void awaitGrownWindow(LeasedSnowflake ids, Stopwatch stopwatch) {
        await(Node.PATIENCE, () -> {
            stopwatch.begin();
            return millisLeft(ids) > GROWN.toMillis();
        });
    }

    /**
     * Asks for an id every millisecond; each must be greater than the one before. None may wait for etcd: the generator is opened
     * with {@link #NO_WAITING}, so that one that would is refused, however fast the machine is.
     */
    private static final class Load implements AutoCloseable {
        private final AtomicBoolean over = new AtomicBoolean();
        private final ExecutorService thread = Executors.newSingleThreadExecutor();
        private final Future<Long> last;

        Load(LeasedSnowflake ids) {
            last = thread.submit(() -> {
                long before = 0;
                while (!over.get()) {
                    long id = ids.nextId();
                    assertThat(id).isGreaterThan(before);
                    before = id;
                    LockSupport.parkNanos(1_000_000);
                }
                return before;
            });
        }

        void requireUndisturbed() throws InterruptedException {
            over.set(true);
            try {
                assertThat(last.get()).isPositive();
            } catch (ExecutionException e) {
                throw new AssertionError("disturbed", e.getCause());
            }
        }

        @Override
        public void close() {
            over.set(true);
            thread.shutdownNow();
        }
    }

    private String leaseOf(String owner) {
        String hex = etcd.etcdctl("get", owner, "-w", "fields")
                .lines()
                .filter(line -> line.startsWith("\"Lease\""))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElseThrow();
        return Long.toHexString(Long.parseLong(hex));
    }

    @Test
    void deletedOwnerAndRevokedLeaseAreClaimedAgainUnnoticed() throws Exception {
        Stopwatch.unlessHeldUp(GROWN, (number, stopwatch) -> {
            try (LeasedSnowflake ids = open(etcd.endpoint(), NO_WAITING)) {
                awaitGrownWindow(ids, stopwatch);
                try (Load load = new Load(ids)) {
                    int id = workerId(ids);
                    String owner = "/" + namespace + "/workers/" + id;

                    etcd.etcdctl("del", owner);
                    await(Node.PATIENCE, () -> etcd.etcdctl("get", owner).contains("token="));
                    etcd.etcdctl("lease", "revoke", leaseOf(owner));
                    await(Node.PATIENCE, () -> etcd.etcdctl("get", owner).contains("token="));

                    load.requireUndisturbed();
                    assertThat(workerId(ids)).isEqualTo(id);
                }
            }
        });
    }

    @Test
    void freezeOfHalfTheWindowIsUnnoticedAndALongerOneHeals() throws Exception {
        try (LeasedSnowflake ids = open(etcd.endpoint(), NO_WAITING)) {
            Stopwatch.unlessHeldUp(GROWN, (number, stopwatch) -> {
                etcd.resume();
                awaitGrownWindow(ids, stopwatch);
                try (Load load = new Load(ids)) {
                    etcd.pause();
                    await(Node.PATIENCE, () -> millisLeft(ids) < 6_000);
                    load.requireUndisturbed();
                }
            });
            await(Node.PATIENCE, () -> !ids.status().ready());
            await(Node.PATIENCE, () -> ids.status().state() == State.SUSPENDED);
            assertThatThrownBy(ids::nextId)
                    .isInstanceOf(SnowflakeUnavailableException.class)
                    .hasMessageContaining("snowflake.etcd.endpoints");
            requireWithin(
                    Duration.ofMillis(300),
                    () -> time(
                            () -> assertThatThrownBy(ids::nextId).isInstanceOf(SnowflakeUnavailableException.class)));

            etcd.resume();

            await(Node.PATIENCE, () -> ids.status().state() == State.ACTIVE);
            assertThat(ids.nextId()).isPositive();
        } finally {
            etcd.resume();
        }
    }

    @Test
    void killedLeaderIsUnnoticed() throws Exception {
        // An election, too, may last longer than that.
        Stopwatch.unlessHeldUp(GROWN, (number, stopwatch) -> {
            try (EtcdCluster cluster = EtcdCluster.start(3);
                    LeasedSnowflake ids = open(cluster.endpoints(), NO_WAITING)) {
                awaitGrownWindow(ids, stopwatch);
                try (Load load = new Load(ids)) {
                    long before = ids.status().reservedUntil().orElseThrow().toEpochMilli();

                    cluster.leader().kill();
                    await(
                            Node.PATIENCE,
                            () -> ids.status().reservedUntil().orElseThrow().toEpochMilli() > before + 3_000);

                    load.requireUndisturbed();
                }
            }
        });
    }

    @Test
    void restartedServerIsUnnoticed() throws Exception {
        // A server may need longer than that to start.
        Stopwatch.unlessHeldUp(GROWN, (number, stopwatch) -> {
            try (EtcdServer own = EtcdServer.start();
                    LeasedSnowflake ids = open(own.endpoint(), NO_WAITING)) {
                awaitGrownWindow(ids, stopwatch);
                try (Load load = new Load(ids)) {
                    long before = ids.status().reservedUntil().orElseThrow().toEpochMilli();

                    own.kill();
                    own.startAgain();
                    await(
                            Node.PATIENCE,
                            () -> ids.status().reservedUntil().orElseThrow().toEpochMilli() > before + 3_000);

                    load.requireUndisturbed();
                }
            }
        });
    }

    @Test
    void wipedNamespaceStopsIdsWithinAnExtension() throws Exception {
        Stopwatch.unlessHeldUp(GROWN, (number, stopwatch) -> {
            String wiped = namespace + "/" + number;
            try (LeasedSnowflake ids = open(etcd.endpoint(), "snowflake.namespace", wiped)) {
                awaitGrownWindow(ids, stopwatch);
                Instant end = ids.status().reservedUntil().orElseThrow();

                etcd.etcdctl("del", "--prefix", "/" + wiped + "/");
                await(Node.PATIENCE, () -> ids.status().state() == State.SUSPENDED);

                // The cause is not only that the window is used up.
                assertThat(Instant.now()).isBefore(end);
                assertThatThrownBy(ids::nextId)
                        .isInstanceOf(CoordinatorRegressedException.class)
                        .hasMessageContaining("lost its record");
            }
        });
    }

    @Test
    void olderDataAreNoticedAsSoonAsTheServerIsBack() {
        requireWithin(Duration.ofSeconds(2), () -> {
            try (EtcdServer own = EtcdServer.start();
                    LeasedSnowflake ids = open(own.endpoint(), "snowflake.window", "PT60S")) {
                Path backup = own.backup();
                // The next extension is then a long time off.
                await(Node.PATIENCE, () -> millisLeft(ids) > 36_000);
                Instant end = ids.status().reservedUntil().orElseThrow();
                own.kill();
                own.restore(backup);
                own.startAgain();
                own.awaitHealthy();

                long noticedAfter = await(Node.PATIENCE, () -> ids.status().state() == State.SUSPENDED);

                if (!Instant.now().isBefore(end)) {
                    // The server took the whole window to start: the reason why ids ended is unknown.
                    return Duration.ofMinutes(1);
                }
                assertThatThrownBy(ids::nextId).isInstanceOf(CoordinatorRegressedException.class);
                return Duration.ofMillis(noticedAfter);
            }
        });
    }

    @Test
    void extensionIsOneTransactionAndOneRenewalAndAnIdIsNothing() {
        try (LeasedSnowflake ids = open(etcd.endpoint())) {
            awaitGrownWindow(ids);
            long until = ids.status().reservedUntil().orElseThrow().toEpochMilli();
            double transactions = requests("Txn");
            double renewals = requests("LeaseKeepAlive");
            double all = requests("");

            while (ids.status().reservedUntil().orElseThrow().toEpochMilli() < until + 7_500) {
                ids.nextIds(1000);
            }

            // Between two extensions, when none is half done.
            await(Node.PATIENCE, () -> {
                double extensions = requests("Txn") - transactions;
                return extensions >= 2
                        && requests("LeaseKeepAlive") - renewals == extensions
                        && requests("") - all == 2 * extensions;
            });
        }
    }

    private static double requests(String method) {
        String label = method.isEmpty() ? "grpc_method" : "grpc_method=\"" + method + "\"";
        return etcd.metric("grpc_server_handled_total", label);
    }

    @Test
    void manyClaimantsAtOnceGetDistinctWorkerIdsAndGiveThemBack() throws Exception {
        int claimants = 48;
        open(etcd.endpoint()).close();
        ExecutorService threads = Executors.newFixedThreadPool(claimants);
        List<Callable<LeasedSnowflake>> claims = new ArrayList<>();
        for (int i = 0; i < claimants; i++) {
            // No generator loses its worker id while others are still starting.
            claims.add(() ->
                    open(etcd.endpoint(), "snowflake.worker-ids", "0-" + (claimants - 1), "snowflake.window", "PT60S"));
        }
        Set<Integer> workerIds = new HashSet<>();
        List<Callable<Boolean>> closes = new ArrayList<>();
        try {
            for (Future<LeasedSnowflake> claim : threads.invokeAll(claims)) {
                LeasedSnowflake ids = claim.get();
                workerIds.add(workerId(ids));
                closes.add(() -> {
                    ids.close();
                    return true;
                });
            }
        } finally {
            for (Future<Boolean> closed : threads.invokeAll(closes)) {
                assertThat(closed.get()).isTrue();
            }
            threads.shutdown();
        }

        assertThat(workerIds).hasSize(claimants);
        assertThat(etcd.etcdctl("get", "--prefix", "/" + namespace + "/workers/"))
                .isBlank();
    }
}
