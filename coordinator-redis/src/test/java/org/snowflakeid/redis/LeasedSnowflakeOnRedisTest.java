// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.await;

import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.LogLines;
import org.snowflakeid.testservers.RedisServer;

/** Generators on a server that dies, forgets or is replaced by its replica. */
class LeasedSnowflakeOnRedisTest {
    private final RedisServer server = RedisServer.start();
    private final String namespace = Node.freshNamespace();

    @AfterEach
    void stop() {
        server.close();
    }

    private LeasedSnowflake open(String generator, Map<String, String> more) {
        LogLines.listen();
        Map<String, String> keys = new HashMap<>();
        keys.put("snowflake.redis.uri", server.uri());
        keys.put("snowflake.generators." + generator + ".namespace", namespace);
        keys.put("snowflake.window", "PT9S");
        keys.putAll(more);
        return LeasedSnowflake.open(SnowflakeSettings.of(generator, keys));
    }

    private LeasedSnowflake open(String generator, int workerId) {
        return open(generator, Map.of("snowflake.worker-ids", Integer.toString(workerId)));
    }

    private static void awaitExtension(LeasedSnowflake ids) {
        Instant before = ids.status().reservedUntil().orElseThrow();
        await(PATIENCE, () -> ids.status().reservedUntil().orElseThrow().isAfter(before.plusMillis(500)));
    }

    /** One extension is due each third of a window. */
    private static void awaitLine(String generator, String part) {
        try {
            await(PATIENCE, () -> LogLines.of(generator).stream().anyMatch(line -> line.contains(part)));
        } catch (AssertionError e) {
            throw new AssertionError("no line with \"" + part + "\" among " + LogLines.of(generator), e);
        }
    }

    private static void requireStopped(LeasedSnowflake ids, String reason) {
        // The line comes first.
        await(PATIENCE, () -> {
            SnowflakeException refusal = catchThrowableOfType(SnowflakeException.class, ids::nextId);
            return refusal != null && String.valueOf(refusal.getMessage()).contains(reason);
        });
    }

    private void killAndStartAgain() {
        server.kill();
        server.startAgain();
        server.awaitHealthy();
    }

    @Test
    void idsGoOnWhileTheServerIsKilledAndStartedAgain() {
        try (LeasedSnowflake ids = open("killed", 3)) {
            long before = ids.nextId();
            awaitExtension(ids);

            killAndStartAgain();

            awaitExtension(ids);
            assertThat(ids.nextId()).isGreaterThan(before);
            assertThat(ids.status().workerId()).hasValue(3);
            await(PATIENCE, () -> ids.status().lastError().isEmpty());
        }
    }

    @Test
    void aWipedServerIsNoticedWithinOneExtension() {
        try (LeasedSnowflake ids = open("wiped", 3)) {
            ids.nextId();
            server.kill();
            server.wipe();
            server.startAgain();
            server.awaitHealthy();

            awaitLine("wiped", "lost its record (meta)");

            requireStopped(ids, "lost its record (meta)");
        }
        assertThatThrownBy(() -> open("required", Map.of("snowflake.namespace-creation", "require")))
                .isInstanceOf(CoordinatorException.class)
                .hasMessageContaining("does not exist, and snowflake.namespace-creation=require");
    }

    @Test
    void anOldBackupIsNoticedWithinOneExtension() {
        try (LeasedSnowflake old = open("old", 3)) {
            awaitExtension(old);
            Path backup = server.backup();
            try (LeasedSnowflake later = open("later", 4)) {
                awaitExtension(old);
                awaitExtension(later);

                server.kill();
                server.restore(backup);
                server.startAgain();
                server.awaitHealthy();

                awaitLine("old", "shows for worker id 3 the mark 'limit=");
                awaitLine("later", "lost the mark of worker id 4");
                requireStopped(old, "worker id 3");
                requireStopped(later, "worker id 4");
            }
        }
    }

    /** What no setting of Redis prevents, and what the page says first. */
    @Test
    void aReplicaThatLaggedAndWasMadeThePrimaryIsNoticedWithinOneExtension() {
        try (RedisServer replica = RedisServer.builder()
                        .arguments("--replicaof", "127.0.0.1", Integer.toString(server.clientPort()))
                        .start();
                LeasedSnowflake ids = open("failover", 3)) {
            String mark = namespace + "/marks/3";
            await(PATIENCE, () -> replica.command("GET", mark).contains("limit="));
            replica.command("REPLICAOF", "127.0.0.1", "1");
            // An extension may have been seen here that the replica has too.
            await(PATIENCE, () -> !server.command("GET", mark).equals(replica.command("GET", mark)));
            awaitExtension(ids);
            Path lagging = replica.backup();

            // As though the name had been given to the replica.
            server.kill();
            server.restore(lagging);
            server.startAgain();
            server.awaitHealthy();

            awaitLine("failover", "shows for worker id 3 the mark 'limit=");
            requireStopped(ids, "worker id 3");
        }
    }

    @Test
    void aServerThatLosesWhatItAcknowledgedFailsTheStartAtOnce() {
        server.command("CONFIG", "SET", "appendfsync", "everysec");

        assertThatThrownBy(() -> open("careless", Map.of("snowflake.startup-timeout", "PT10M")))
                .isInstanceOf(CoordinatorException.class)
                .hasMessageContaining("has appendfsync everysec: redis may lose what it acknowledged");
    }
}
