// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.CoordinatorRegressedException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.kubernetes.ApiServer;

/** The whole generator: what its users see of faults. */
class LeasedSnowflakeOnKubernetesTest {

    private final ApiServer server = ApiServer.start();
    private final String namespace = Node.freshNamespace();

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private LeasedSnowflake open(Path token, String... more) {
        Map<String, String> keys = new HashMap<>(server.settings(server.port(), token));
        keys.put("snowflake.namespace", namespace);
        keys.put("snowflake.window", "PT15S");
        for (int i = 0; i < more.length; i += 2) {
            keys.put(more[i], more[i + 1]);
        }
        return LeasedSnowflake.open(SnowflakeSettings.of(keys));
    }

    private LeasedSnowflake open(String... more) {
        return open(server.token(ApiServer.VERBS), more);
    }

    private static void awaitExtension(LeasedSnowflake ids) {
        Instant before = ids.status().reservedUntil().orElseThrow();
        await(PATIENCE, () -> ids.status().reservedUntil().orElseThrow().isAfter(before.plusMillis(500)));
    }

    @Test
    void tokenThatExpiresWhileItRunsIsReadAnew() throws Exception {
        Path token = server.token(ApiServer.VERBS);
        String good = Files.readString(token);
        try (LeasedSnowflake ids = open(token)) {
            int workerId = ids.status().workerId().orElseThrow();
            Files.writeString(token, "expired");
            await(PATIENCE, () -> ids.status().lastError().orElse("").contains("does not accept the token"));

            Files.writeString(token, good);

            await(PATIENCE, () -> ids.status().lastError().isEmpty());
            awaitExtension(ids);
            assertThat(ids.status().workerId()).hasValue(workerId);
            assertThat(ids.nextId()).isPositive();
        }
    }

    @Test
    void startWithoutARightFailsAtOnceWithTheRemedy() {
        open("snowflake.worker-ids", "0-0").close();

        Instant before = Instant.now();
        assertThatThrownBy(() -> open(
                        server.token(List.of("get", "list", "create")),
                        "snowflake.worker-ids",
                        "0-0",
                        "snowflake.startup-timeout",
                        "PT1H"))
                .isInstanceOf(CoordinatorException.class)
                .hasMessageContaining("forbids this client to update leases")
                .hasMessageContaining("Grant get, list, create and update");
        assertThat(Duration.between(before, Instant.now())).isLessThan(PATIENCE);
    }

    @Test
    void wipedLeasesStopIdsWithinAnExtension() {
        try (LeasedSnowflake ids = open()) {
            awaitExtension(ids);

            server.delete(LeaseNames.name(namespace + "/meta"));
            server.delete(LeaseNames.name(
                    namespace + "/marks/" + ids.status().workerId().orElseThrow()));
            await(PATIENCE, () -> ids.status().state() == State.SUSPENDED);

            // Not merely because the window is used up.
            assertThatThrownBy(ids::nextId)
                    .isInstanceOf(CoordinatorRegressedException.class)
                    .hasMessageContaining("lost its record");
        }
    }

    @Test
    void olderDataStopIdsWithinAnExtension() {
        try (LeasedSnowflake ids = open()) {
            ApiServer.Backup backup = server.backup();
            awaitExtension(ids);
            awaitExtension(ids);

            backup.restore();

            await(PATIENCE, () -> ids.status().state() == State.SUSPENDED);
            assertThatThrownBy(ids::nextId)
                    .isInstanceOf(CoordinatorRegressedException.class)
                    .hasMessageContaining("shows for worker id");
        }
    }

    @Test
    void restartedServerIsUnnoticed() {
        try (LeasedSnowflake ids = open("snowflake.window", "PT60S", "snowflake.wait-timeout", "PT0S")) {
            int workerId = ids.status().workerId().orElseThrow();
            awaitExtension(ids);

            server.kill();
            server.startAgain();

            long until = ids.status().reservedUntil().orElseThrow().toEpochMilli();
            await(PATIENCE, () -> {
                assertThat(ids.nextId()).isPositive();
                return ids.status().reservedUntil().orElseThrow().toEpochMilli() > until;
            });
            assertThat(ids.status().workerId()).hasValue(workerId);
        }
    }

    /** Two reads before the write, and two after it. */
    @Test
    void anExtensionIsOneUpdateAndFourReadsAndAnIdIsNothing() {
        try (LeasedSnowflake ids = open()) {
            awaitExtension(ids);
            List<String> before = server.requests();
            awaitExtension(ids);
            ids.nextIds(1_000);
            awaitExtension(ids);
            List<String> all = server.requests();
            List<String> since = all.subList(before.size(), all.size());

            long updates = since.stream().filter("update leases"::equals).count();
            assertThat(updates).isGreaterThanOrEqualTo(2);
            assertThat(since.size()).isLessThanOrEqualTo((int) updates * 5 + 5);
            assertThat(since).containsOnly("get leases", "update leases");
        }
    }
}
