// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Stopwatch.unlessHeldUp;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorRegressedException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.Stopwatch;
import org.snowflakeid.testservers.TcpProxy;
import org.snowflakeid.testservers.ZooKeeperServer;

/** The whole generator, with a session and a window of 5 s, under the faults of servers and networks. */
class LeasedSnowflakeOnZooKeeperTest {
    private static final Duration PATIENCE = Duration.ofSeconds(100);

    private final ZooKeeperServer server = ZooKeeperServer.start();
    private final TcpProxy proxy = TcpProxy.to(server.clientPort());
    private final LeasedSnowflake ids = open("snowflake.worker-ids", "0-3");

    @AfterEach
    void close() {
        proxy.pass();
        ids.close();
        proxy.close();
        server.close();
    }

    private LeasedSnowflake open(String... more) {
        Map<String, String> keys = new HashMap<>();
        keys.put("snowflake.zookeeper.connect-string", "127.0.0.1:" + proxy.port());
        keys.put("snowflake.window", "PT5S");
        for (int i = 0; i < more.length; i += 2) {
            keys.put(more[i], more[i + 1]);
        }
        return LeasedSnowflake.open(SnowflakeSettings.of(keys));
    }

    private int workerId() {
        return ids.status().workerId().orElseThrow();
    }

    private Instant reservedUntil() {
        return ids.status().reservedUntil().orElseThrow();
    }

    /** Asks for an id every few milliseconds, and notes what was refused although the window was open. */
    private final class Load implements AutoCloseable {
        private final AtomicBoolean over = new AtomicBoolean();
        private final ExecutorService thread = Executors.newSingleThreadExecutor();
        private final List<String> refusedTooEarly = new ArrayList<>();
        private final Future<Integer> refused;

        Load() {
            refused = thread.submit(() -> {
                int count = 0;
                long last = 0;
                while (!over.get()) {
                    Instant end = reservedUntil();
                    try {
                        long id = ids.nextId();
                        assertThat(id).isGreaterThan(last);
                        last = id;
                    } catch (SnowflakeException e) {
                        count++;
                        if (Instant.now().isBefore(end)) {
                            refusedTooEarly.add(e.getMessage());
                        }
                    }
                    LockSupport.parkNanos(2_000_000);
                }
                return count;
            });
        }

        /** How many requests were refused, all of them after the end of a window. */
        int end() throws Exception {
            over.set(true);
            int count = refused.get();
            assertThat(refusedTooEarly).isEmpty();
            return count;
        }

        @Override
        public void close() {
            over.set(true);
            thread.shutdownNow();
        }
    }

    private static void elapse(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        await(PATIENCE, () -> System.nanoTime() - end > 0);
    }

    /** Ids, and an owner entry that is this process's. */
    private void awaitRecovery() {
        await(PATIENCE, () -> {
            try (Inspector inspector = new Inspector(server.clientPort(), null)) {
                boolean owned = inspector.stat("/snowflake/workers/" + workerId()) != null;
                return owned && ids.status().state() == State.ACTIVE && ids.nextId() > 0;
            } catch (Exception e) {
                return false;
            }
        });
    }

    @Test
    void aServerFrozenForThreeSecondsIsNotNoticed() throws Exception {
        // With a second less than the window.
        unlessHeldUp(Duration.ofSeconds(4), (number, stopwatch) -> {
            awaitRecovery();
            try (Load load = new Load()) {
                int workerId = workerId();
                Instant end = reservedUntil();
                await(PATIENCE, () -> reservedUntil().isAfter(end));

                stopwatch.startAgain();
                server.pause();
                elapse(Duration.ofSeconds(3));
                server.resume();
                Instant frozen = reservedUntil();
                await(PATIENCE, () -> reservedUntil().isAfter(frozen));

                assertThat(load.end()).isZero();
                assertThat(workerId()).isEqualTo(workerId);
            }
        });
    }

    @Test
    void aServerFrozenForEightSecondsCostsIdsOnlyAfterTheWindow() throws Exception {
        try (Load load = new Load()) {
            server.pause();
            elapse(Duration.ofSeconds(8));
            server.resume();

            awaitRecovery();
            load.end();
        }
    }

    @Test
    void aServerThatIsDownForTenSecondsIsTakenUpAgainInPlace() throws Exception {
        try (Load load = new Load()) {
            int workerId = workerId();
            server.kill();
            elapse(Duration.ofSeconds(10));
            server.startAgain();
            server.awaitHealthy();

            awaitRecovery();
            load.end();
            assertThat(workerId()).isEqualTo(workerId);
        }
    }

    @Test
    void packetsDroppedForTenSecondsCostIdsOnlyAfterTheWindow() throws Exception {
        try (Load load = new Load()) {
            proxy.freeze();
            elapse(Duration.ofSeconds(10));
            proxy.pass();

            awaitRecovery();
            load.end();
        }
    }

    @Test
    void aServerThatLostItsDataStopsTheIds() throws Exception {
        ids.nextId();
        server.stop();
        server.wipe();
        server.startAgain();
        server.awaitHealthy();

        await(PATIENCE, () -> ids.status().lastError().orElse("").contains("lost data it had acknowledged"));

        await(PATIENCE, () -> ids.status().state() == State.SUSPENDED);
        assertThatThrownBy(ids::nextId).isInstanceOf(CoordinatorRegressedException.class);
    }

    @Test
    void anOwnerNodeLeftByAFormerSessionIsNotTrustedButReplaced() throws Exception {
        Duration timeToLive = Duration.ofSeconds(3);
        unlessHeldUp(timeToLive, (number, stopwatch) -> leaveAnOwnerNode("former" + number, timeToLive, stopwatch));
    }

    private void leaveAnOwnerNode(String namespace, Duration timeToLive, Stopwatch stopwatch) throws Exception {
        String owner = "/" + namespace + "/workers/3";
        try (Node node = ZooKeeperNode.at("127.0.0.1:" + proxy.port(), namespace, timeToLive);
                Node other = ZooKeeperNode.at(server.connectString(), namespace);
                Inspector inspector = new Inspector(server.clientPort(), null)) {
            node.createMeta();
            Stored mark = node.claim(3);
            long former = inspector.stat(owner).getEphemeralOwner();
            // So that it is connected when time is short.
            other.read(3, 3);

            // Long enough for the process to give the session up, not for the servers: they were away, too.
            proxy.freeze();
            server.pause();
            elapse(Duration.ofSeconds(4));
            server.resume();
            boolean stillThere = inspector.stat(owner) != null;
            proxy.pass();
            await(PATIENCE, node::answers);
            var extended = Node.applied(node.extend(3, mark));
            stopwatch.begin();
            var claimed = node.claim(3, extended.written(), node.owner(3));

            assertThat(extended.ownerHeld()).isFalse();
            assertThat(claimed).as("old node there: " + stillThere).isInstanceOf(CasResult.Applied.class);
            assertThat(inspector.stat(owner).getEphemeralOwner())
                    .isNotEqualTo(former)
                    .isNotZero();
            Node.rejected(other.claim(3, Node.applied(claimed).written(), Node.unique("host=b")));
        }
    }
}
