// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.await;

import java.nio.file.Path;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorRegressedException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.ConsulServer;

/** The whole generator on a real Consul: what its users see of faults. */
class LeasedSnowflakeOnConsulTest {
    private static ConsulServer server;

    private final String namespace = Node.freshNamespace();

    @BeforeAll
    static void startServer() {
        server = ConsulServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private LeasedSnowflake open(String... more) {
        Map<String, String> keys = new HashMap<>();
        keys.put("snowflake.consul.url", server.url());
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

    private static void startServerAgain() {
        server.startAgain();
        server.awaitHealthy();
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
    void restartedServerCostsNoWorkerId() {
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
    void frozenServerSuspendsIdsAtTheWindowsEndAndNoLonger() {
        try (LeasedSnowflake ids = open("snowflake.wait-timeout", "PT0S")) {
            server.pause();
            try {
                await(PATIENCE, () -> ids.status().state() == State.SUSPENDED);
                assertThatThrownBy(ids::nextId).hasMessageContaining("snowflake.consul.url");
            } finally {
                server.resume();
            }
            await(PATIENCE, () -> ids.status().state() == State.ACTIVE);
            assertThat(ids.nextId()).isPositive();
        }
    }

    @Test
    void wipedNamespaceStopsIds() {
        try (LeasedSnowflake ids = open("snowflake.window", "PT60S")) {
            awaitExtension(ids);

            server.consul("kv", "delete", "-recurse", namespace + "/");

            requireLossNoticed(ids);
        }
    }

    @Test
    void wipedServerStopsIds() {
        try (LeasedSnowflake ids = open("snowflake.window", "PT60S")) {
            awaitExtension(ids);

            server.kill();
            server.wipe();
            startServerAgain();

            requireLossNoticed(ids);
        }
    }

    @Test
    void restoredBackupStopsIds() {
        try (LeasedSnowflake ids = open("snowflake.window", "PT60S")) {
            Path backup = server.backup();
            awaitExtension(ids);

            server.restore(backup);

            requireLossNoticed(ids);
        }
    }

    @Test
    void manyClaimantsAtOnceGetDistinctWorkerIdsAndGiveThemBack() throws Exception {
        int claimants = 32;
        open().close();
        ExecutorService threads = Executors.newFixedThreadPool(claimants);
        List<Callable<LeasedSnowflake>> claims = new ArrayList<>();
        for (int i = 0; i < claimants; i++) {
            claims.add(() -> open("snowflake.worker-ids", "0-" + (claimants - 1)));
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
        assertThat(server.consul("kv", "get", "-recurse", namespace + "/marks/"))
                .doesNotContain("expires=");
    }
}
