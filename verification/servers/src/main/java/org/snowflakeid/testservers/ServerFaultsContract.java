// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.await;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorRegressedException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.tck.Node;

/**
 * The whole generator on a real server, which is the only one: what its users see of faults. Who uses it depends on snowflake-coordinator-tck,
 * AssertJ and JUnit.
 */
public abstract class ServerFaultsContract {
    protected final String namespace = Node.freshNamespace();

    private final TestServer server;
    private final String addressKey;
    private final String address;
    private final int claimants;

    /**
     * @param server that runs
     * @param addressKey where it is named, such as {@code snowflake.consul.url}
     * @param claimants how many claim at once, of as many worker ids
     */
    protected ServerFaultsContract(TestServer server, String addressKey, String address, int claimants) {
        this.server = server;
        this.addressKey = addressKey;
        this.address = address;
        this.claimants = claimants;
    }

    /** Deletes at least the namespace's record. */
    protected abstract void deleteNamespace();

    /**
     * Takes a backup of the running server, which may be started again for it.
     *
     * @return puts it in place of what the running server has by then
     */
    protected abstract Runnable backup();

    /** What stands in the server for a worker id. */
    protected abstract String record(int workerId);

    /** Returns when it answers. */
    protected final void startServerAgain() {
        server.startAgain();
        server.awaitHealthy();
    }

    private LeasedSnowflake open(String... more) {
        Map<String, String> keys = new HashMap<>();
        keys.put(addressKey, address);
        keys.put("snowflake.namespace", namespace);
        keys.put("snowflake.window", "PT12S");
        for (int i = 0; i < more.length; i += 2) {
            keys.put(more[i], more[i + 1]);
        }
        return LeasedSnowflake.open(SnowflakeSettings.of(keys));
    }

    private static Instant end(LeasedSnowflake ids) {
        return ids.status().reservedUntil().orElseThrow();
    }

    private static void awaitExtension(LeasedSnowflake ids) {
        Instant before = end(ids);
        await(PATIENCE, () -> end(ids).isAfter(before));
    }

    /** Not merely because the window is used up: that would be another exception. */
    private static void requireLossNoticed(LeasedSnowflake ids) {
        await(PATIENCE, () -> ids.status().state() == State.SUSPENDED && hasNoticedALoss(ids));
    }

    private static boolean hasNoticedALoss(LeasedSnowflake ids) {
        try {
            return ids.nextId() < 0;
        } catch (CoordinatorRegressedException e) {
            return true;
        } catch (SnowflakeException notYet) {
            return false;
        }
    }

    @Test
    public final void restartedServerCostsNoWorkerId() {
        try (LeasedSnowflake ids = open("snowflake.window", "PT60S")) {
            long before = ids.nextId();
            int id = ids.status().workerId().orElseThrow();

            server.kill();
            startServerAgain();
            awaitExtension(ids);

            await(PATIENCE, () -> ids.status().state() == State.ACTIVE);
            assertThat(ids.nextId()).isGreaterThan(before);
            assertThat(ids.status().workerId()).hasValue(id);
        }
    }

    @Test
    public final void frozenServerSuspendsIdsAtTheWindowsEndAndNoLonger() {
        try (LeasedSnowflake ids = open("snowflake.wait-timeout", "PT0S")) {
            server.pause();
            try {
                await(PATIENCE, () -> ids.status().state() == State.SUSPENDED);
                assertThatThrownBy(ids::nextId).hasMessageContaining(addressKey);
            } finally {
                server.resume();
            }
            await(PATIENCE, () -> ids.status().state() == State.ACTIVE);
            assertThat(ids.nextId()).isPositive();
        }
    }

    @Test
    public final void wipedNamespaceStopsIds() {
        try (LeasedSnowflake ids = open("snowflake.window", "PT60S")) {
            awaitExtension(ids);

            deleteNamespace();

            requireLossNoticed(ids);
        }
    }

    @Test
    public final void wipedServerStopsIds() {
        try (LeasedSnowflake ids = open("snowflake.window", "PT60S")) {
            awaitExtension(ids);

            server.kill();
            server.wipe();
            startServerAgain();

            requireLossNoticed(ids);
        }
    }

    @Test
    public final void restoredBackupStopsIds() {
        try (LeasedSnowflake ids = open("snowflake.window", "PT60S")) {
            Runnable restoration = backup();
            awaitExtension(ids);

            restoration.run();

            requireLossNoticed(ids);
        }
    }

    @Test
    public final void manyClaimantsAtOnceGetDistinctWorkerIdsAndGiveThemBack() throws Exception {
        open().close();
        ExecutorService threads = Executors.newFixedThreadPool(claimants);
        List<Callable<LeasedSnowflake>> claims = new ArrayList<>();
        for (int i = 0; i < claimants; i++) {
            // No generator loses its worker id while others are still starting.
            claims.add(() -> open("snowflake.worker-ids", "0-" + (claimants - 1), "snowflake.window", "PT60S"));
        }
        Set<Integer> workerIds = new HashSet<>();
        List<LeasedSnowflake> open = new ArrayList<>();
        try {
            for (Future<LeasedSnowflake> claim : threads.invokeAll(claims)) {
                open.add(claim.get());
            }
            open.forEach(ids -> workerIds.add(ids.status().workerId().orElseThrow()));
        } finally {
            open.forEach(LeasedSnowflake::close);
            threads.shutdownNow();
        }

        assertThat(workerIds).hasSize(claimants);
        for (int id = 0; id < claimants; id++) {
            assertThat(record(id)).contains("limit=").doesNotContain("expires=");
        }
    }
}
