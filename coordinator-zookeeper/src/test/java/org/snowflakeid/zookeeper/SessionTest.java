// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.junit.jupiter.api.Test;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.testservers.ZooKeeperServer;

class SessionTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    // the first call of a start failed at once, and said that no session was granted in time
    @Test
    void aRequestWaitsForAClientThatIsConnectedBeforeItIsThere() throws Exception {
        try (ZooKeeperServer server = ZooKeeperServer.start();
                Sessions sessions = sessions(server.connectString())) {
            Session session = new Session(sessions);
            session.changed(new WatchedEvent(EventType.None, KeeperState.SyncConnected, null));
            CompletableFuture<List<OpResult>> answer = CompletableFuture.supplyAsync(() -> {
                try {
                    return session.send(List.of(Op.check("/", -1)), Deadline.after(PATIENCE));
                } catch (ZooKeeperFailure e) {
                    throw new IllegalStateException(e);
                }
            });

            session.connect();

            assertThat(answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).hasSize(1);
            session.end();
        }
    }

    private static Sessions sessions(String servers) {
        Map<String, String> settings = Map.of("snowflake.zookeeper.connect-string", servers);
        return new Sessions(
                ZooKeeperSettings.of(new CoordinatorConfig("default", "snowflake", PATIENCE, settings::get)),
                PATIENCE,
                () -> {});
    }
}
