// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.RedisServer;
import org.snowflakeid.testservers.RunningGenerator;
import org.snowflakeid.testservers.TcpProxy;

/** The database of a running process is emptied, exchanged for another, or no longer there. */
class RedisPlacesTest {
    private final RedisServer server = RedisServer.start();
    private final String namespace = Node.freshNamespace();

    @AfterEach
    void stop() {
        server.close();
    }

    private RunningGenerator run(String uri, String... more) {
        Map<String, String> keys = new HashMap<>(Map.of("snowflake.redis.uri", uri, "snowflake.namespace", namespace));
        for (int i = 0; i < more.length; i += 2) {
            keys.put(more[i], more[i + 1]);
        }
        return new RunningGenerator(keys);
    }

    private static void requireEmpty(RedisServer server) {
        assertThat(server.command("DBSIZE")).isEqualTo("0");
    }

    /** No client can tell that from lost data. */
    @Test
    void anExchangedDatabaseStopsIdsAndIsUsedAgainByTheNextStartWhenItIsBack() {
        try (RunningGenerator ids = run(server.uri())) {
            server.command("SWAPDB", "0", "1");

            ids.awaitStop("lost its record (meta)", "Restore it", "runbook, then restart");
            requireEmpty(server);

            server.command("SWAPDB", "0", "1");
            try (RunningGenerator next = run(server.uri(), "snowflake.namespace-creation", "require")) {
                assertThat(next.last()).isGreaterThan(ids.last());
            }
            ids.awaitStop("lost its record (meta)");
        }
    }

    @Test
    void anEmptiedDatabaseStopsIdsAndGetsNoSecondRecord() {
        try (RunningGenerator ids = run(server.uri())) {
            server.command("FLUSHDB");

            ids.awaitStop("lost its record (meta)", "Restore it", "runbook, then restart");
            requireEmpty(server);
        }
    }

    @Test
    void aServerWithoutThatDatabaseIsAnOutageUntilTheFirstIsBack() {
        try (RedisServer other =
                        RedisServer.builder().arguments("--databases", "1").start();
                TcpProxy proxy = TcpProxy.to(server.clientPort());
                RunningGenerator ids = run("redis://127.0.0.1:" + proxy.port() + "/5")) {
            int workerId = ids.workerId();

            proxy.leadTo(other.clientPort());
            proxy.cut();

            ids.awaitStop("has no database 5", "Check the number at the end of snowflake.redis.uri");
            requireEmpty(other);

            proxy.leadTo(server.clientPort());
            proxy.cut();

            ids.awaitIds();
            assertThat(ids.workerId()).isEqualTo(workerId);
        }
    }
}
