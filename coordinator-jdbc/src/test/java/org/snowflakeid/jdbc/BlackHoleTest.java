// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.time;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.tck.Node;

/** An address that takes connections and never says a word, and one that does not even take them. */
class BlackHoleTest {
    private static final Duration STARTUP_TIMEOUT = Duration.ofSeconds(6);

    private static void requireEndInTime(String url) {
        Map<String, String> keys = Map.of(
                "snowflake.coordinator",
                "jdbc",
                "snowflake.namespace",
                Node.freshNamespace(),
                "snowflake.jdbc.url",
                url,
                "snowflake.window",
                "PT4S",
                "snowflake.startup-timeout",
                STARTUP_TIMEOUT.toString());
        requireWithin(
                STARTUP_TIMEOUT.plusSeconds(1),
                () -> time(() -> assertThat(catchThrowableOfType(
                                SnowflakeException.class, () -> LeasedSnowflake.open(SnowflakeSettings.of(keys))
                                        .close()))
                        .hasMessageContaining("no worker id within snowflake.startup-timeout=PT6S")
                        .hasMessageContaining("does not answer in time (no connection was to be had)")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://127.0.0.1:%d/ids",
                "jdbc:mariadb://127.0.0.1:%d/ids",
                "jdbc:h2:tcp://127.0.0.1:%d/ids"
            })
    void aStartEndsInTimeWhereNoAnswerComes(String url) throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            requireEndInTime(String.format(url, silent.getLocalPort()));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://127.0.0.1:%d/ids",
                "jdbc:mariadb://127.0.0.1:%d/ids",
                "jdbc:h2:tcp://127.0.0.1:%d/ids"
            })
    void aStartEndsInTimeWhereNoConnectionIsTaken(String url) throws IOException {
        List<Socket> before = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < 4; i++) {
                Socket socket = new Socket();
                before.add(socket);
                try {
                    socket.connect(full.getLocalSocketAddress(), 200);
                } catch (IOException noMore) {
                    break;
                }
            }
            requireEndInTime(String.format(url, full.getLocalPort()));
        } finally {
            for (Socket each : before) {
                each.close();
            }
        }
    }
}
