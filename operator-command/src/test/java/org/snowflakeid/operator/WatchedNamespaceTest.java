// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.administration.NamespaceAdministration;
import org.snowflakeid.testservers.PostgresServer;
import org.snowflakeid.testservers.TcpProxy;

class WatchedNamespaceTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final GivenSettings given = new GivenSettings(Map.of(), new Profile(null), "-D", new SettingsFiles());
    private int opened;

    private GivenNamespace open() {
        opened++;
        return new GivenNamespace(given, SnowflakeSettings.DEFAULT_GENERATOR);
    }

    // serve said for ever that the connection leads to another database
    @Test
    void aServerInPlaceOfOneThatLostItsDataIsRead() {
        try (PostgresServer lost = PostgresServer.start();
                PostgresServer other = PostgresServer.start();
                TcpProxy proxy = TcpProxy.to(lost.clientPort())) {
            given.typed(settings(lost.url(proxy.port())));
            try (WatchedNamespace watched = new WatchedNamespace(this::open)) {
                LeasedSnowflake.open(SnowflakeSettings.of(settings(lost.url()))).close();
                assertThat(watched.read(SeenNamespace::once).exists()).isTrue();
                assertThat(opened).isOne();

                proxy.leadTo(other.clientPort());
                proxy.cut();
                LeasedSnowflake.open(SnowflakeSettings.of(settings(other.url())))
                        .close();

                Scene.await(PATIENCE, () -> exists(watched));
                assertThat(opened).isGreaterThan(1);
            }
        }
    }

    private static Map<String, String> settings(String url) {
        return Map.of("snowflake.coordinator", "jdbc", "snowflake.jdbc.url", url);
    }

    private static boolean exists(WatchedNamespace watched) {
        try {
            return watched.read(SeenNamespace::once).exists();
        } catch (SnowflakeException e) {
            return false;
        }
    }

    @Test
    void aFailureWhileItIsOpenedAnewDoesNotEndIt() {
        given.typed(Map.of("snowflake.coordinator", "memory"));
        try (WatchedNamespace watched = new WatchedNamespace(this::open)) {
            assertThatThrownBy(() -> watched.read(WatchedNamespaceTest::fail)).hasMessage("away");
            assertThatThrownBy(() -> watched.read(WatchedNamespaceTest::fail)).hasMessage("away");

            assertThat(watched.read(SeenNamespace::once).exists()).isFalse();
            assertThat(watched.namespace().name()).isEqualTo("snowflake");
            assertThat(opened).isEqualTo(3);
        }
    }

    private static SeenNamespace fail(NamespaceAdministration unused) {
        throw new IllegalStateException("away");
    }
}
