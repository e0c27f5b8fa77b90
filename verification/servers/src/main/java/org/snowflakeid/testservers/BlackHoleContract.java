// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Stopwatch.requireWithin;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.tck.Node;

/**
 * A start at an address that takes connections and never says a word, and at one that does not even take them: it ends within {@code
 * snowflake.startup-timeout} and half a second, and says what was seen. Who uses it depends on snowflake-coordinator-tck, AssertJ and JUnit.
 */
public abstract class BlackHoleContract {
    private static final Duration STARTUP_TIMEOUT = Duration.ofSeconds(6);
    private static final Duration LATEST_END = STARTUP_TIMEOUT.plusMillis(500);
    private static final int MOST_WAITING = 100;

    private final List<String> said;

    /** @param said words of each refusal */
    protected BlackHoleContract(String... said) {
        this.said = List.of(said);
    }

    /** Those of a generator at that port of 127.0.0.1; several where there are several ways to connect. */
    protected abstract List<Map<String, String>> keys(int port);

    @Test
    public final void aStartEndsInTimeWhereNoAnswerComesAndWhereNoConnectionIsTaken() throws IOException {
        List<Socket> waiting = new ArrayList<>();
        try (ServerSocket silent = new ServerSocket(0, MOST_WAITING, InetAddress.getLoopbackAddress());
                ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            fill(full, waiting);
            List<Map<String, String>> all = new ArrayList<>(keys(silent.getLocalPort()));
            all.addAll(keys(full.getLocalPort()));
            requireWithin(LATEST_END, () -> longest(all));
        } finally {
            for (Socket each : waiting) {
                each.close();
            }
        }
    }

    /** From then on what asks for a connection gets no answer. */
    private static void fill(ServerSocket full, List<Socket> waiting) throws IOException {
        try {
            while (waiting.size() < MOST_WAITING) {
                Socket one = new Socket();
                waiting.add(one);
                one.connect(full.getLocalSocketAddress(), 300);
            }
            throw new IllegalStateException("it takes each connection");
        } catch (SocketTimeoutException nowItIsFull) {
            // as wanted
        }
    }

    /** Of starts that are made at the same time. */
    private Duration longest(List<Map<String, String>> all) {
        return all.stream()
                .map(keys -> CompletableFuture.supplyAsync(() -> refusal(keys), task -> new Thread(task).start()))
                .toList()
                .stream()
                .map(CompletableFuture::join)
                .max(Duration::compareTo)
                .orElseThrow();
    }

    /** How long it takes. */
    private Duration refusal(Map<String, String> keys) {
        Map<String, String> all = new HashMap<>(keys);
        all.put("snowflake.namespace", Node.freshNamespace());
        all.put("snowflake.window", "PT4S");
        all.put("snowflake.startup-timeout", STARTUP_TIMEOUT.toString());
        long begun = System.nanoTime();
        SnowflakeException refusal =
                catchThrowableOfType(SnowflakeException.class, () -> LeasedSnowflake.open(SnowflakeSettings.of(all))
                        .close());
        Duration took = Duration.ofNanos(System.nanoTime() - begun);
        String message = String.valueOf(refusal.getMessage());
        if (message.contains("has not ended for") || message.contains("has not answered yet")) {
            // The coordinator was late, or the machine was: then the next attempt tells.
            return LATEST_END;
        }
        assertThat(refusal)
                .hasMessageContaining("no worker id within snowflake.startup-timeout=" + STARTUP_TIMEOUT)
                .hasMessageContainingAll(said.toArray(String[]::new));
        return took;
    }
}
