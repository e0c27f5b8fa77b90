// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.snowflakeid.tck.Node.await;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.CoordinatorRegressedException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.DatabaseServer;
import org.snowflakeid.testservers.MariaDbServer;
import org.snowflakeid.testservers.PostgresServer;

/** A whole generator on a real database: what applications see of faults. */
class LeasedSnowflakeOnJdbcTest {

    enum Product {
        POSTGRESQL,
        MARIADB;

        private DatabaseServer server() {
            return this == POSTGRESQL ? postgres : mariaDb;
        }
    }

    private static PostgresServer postgres;
    private static MariaDbServer mariaDb;

    @BeforeAll
    static void startServers() {
        postgres = PostgresServer.start();
        mariaDb = MariaDbServer.start();
    }

    @AfterAll
    static void stopServers() {
        postgres.close();
        mariaDb.close();
    }

    private final String namespace = Node.freshNamespace();

    private LeasedSnowflake open(DatabaseServer server, String... more) {
        Map<String, String> keys = new HashMap<>();
        keys.put("snowflake.coordinator", "jdbc");
        keys.put("snowflake.jdbc.url", server.url());
        keys.put("snowflake.namespace", namespace);
        keys.put("snowflake.window", "PT12S");
        for (int i = 0; i < more.length; i += 2) {
            keys.put(more[i], more[i + 1]);
        }
        return LeasedSnowflake.open(SnowflakeSettings.of(keys));
    }

    private static boolean isRefused(LeasedSnowflake ids, Class<? extends Exception> with) {
        try {
            return ids.nextId() < 0;
        } catch (RuntimeException e) {
            return with.isInstance(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void idsGoOnWhileTheServerIsKilledAndStartedAgain(Product product) {
        DatabaseServer server = product.server();
        // Longer than a server needs to start.
        try (LeasedSnowflake ids = open(server, "snowflake.wait-timeout", "PT0S", "snowflake.window", "PT60S")) {
            long before = ids.nextId();
            for (int i = 0; i < 2; i++) {
                server.kill();
                for (int n = 0; n < 1_000; n++) {
                    long id = ids.nextId();
                    assertThat(id).isGreaterThan(before);
                    before = id;
                }
                server.startAgain();
                server.awaitHealthy();
                var reserved = ids.status().reservedUntil().orElseThrow();
                await(
                        Node.PATIENCE,
                        () -> ids.status().reservedUntil().orElseThrow().isAfter(reserved));
            }
            assertThat(ids.status().state()).isEqualTo(State.ACTIVE);
        }
    }

    @ParameterizedTest
    @EnumSource
    void wipedServerIsNoticed(Product product) {
        DatabaseServer server = product.server();
        try (LeasedSnowflake ids = open(server)) {
            assertThat(ids.nextId()).isPositive();

            server.kill();
            server.wipe();
            server.startAgain();
            server.awaitHealthy();

            await(Node.PATIENCE, () -> isRefused(ids, CoordinatorRegressedException.class));
        }
    }

    @ParameterizedTest
    @EnumSource
    void restoredBackupIsNoticed(Product product) {
        DatabaseServer server = product.server();
        try (LeasedSnowflake ids = open(server)) {
            assertThat(ids.nextId()).isPositive();
            Path backup = server.backup();
            var reserved = ids.status().reservedUntil().orElseThrow();
            await(
                    Node.PATIENCE,
                    () -> ids.status().reservedUntil().orElseThrow().isAfter(reserved));

            server.kill();
            server.restore(backup);
            server.startAgain();
            server.awaitHealthy();

            await(Node.PATIENCE, () -> isRefused(ids, CoordinatorRegressedException.class));
        }
    }

    @ParameterizedTest
    @EnumSource
    void wrongPasswordEndsAStartAtOnce(Product product) {
        DatabaseServer server = product.server();
        long start = System.nanoTime();
        String url = server.anonymousUrl(server.clientPort());

        assertThatThrownBy(() -> open(
                        server,
                        "snowflake.jdbc.url",
                        url + (product == Product.POSTGRESQL ? "x" : ""),
                        "snowflake.jdbc.user",
                        "unknown",
                        "snowflake.jdbc.password",
                        "hunter2"))
                .isInstanceOf(CoordinatorException.class)
                .hasMessageContaining("snowflake.jdbc.user")
                .hasMessageNotContaining("hunter2");
        assertThat(System.nanoTime() - start).isLessThan(Node.PATIENCE.toNanos());
    }
}
