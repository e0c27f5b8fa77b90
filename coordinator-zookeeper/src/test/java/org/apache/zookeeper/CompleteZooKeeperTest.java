// SPDX-License-Identifier: Apache-2.0
package org.apache.zookeeper;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.snowflakeid.tck.Node.await;

import java.time.Duration;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.StaticHostProvider;
import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.Test;

class CompleteZooKeeperTest {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final String NO_SERVER = "127.0.0.1:1";
    private static final int TIMEOUT_MILLIS = 10_000;

    // such a client connected, and kept a session alive, until the JVM ended
    @Test
    void aClientThatFindsNoThreadForItsEventsEndsTheOneThatConnects() throws Exception {
        HostProvider servers = new StaticHostProvider(new ConnectStringParser(NO_SERVER).getServerAddresses());
        ZKClientConfig config = new ZKClientConfig() {
            // It would look for Netty.
            @Override
            protected void handleBackwardCompatibility() {}
        };
        config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
        Watcher deaf = event -> {};
        ZooKeeper client = new CompleteZooKeeper(NO_SERVER, TIMEOUT_MILLIS, deaf, servers, config);
        try {
            ClientCnxn connection = client.createConnection(
                    "", servers, TIMEOUT_MILLIS, config, deaf, new ClientCnxnSocketNIO(config), false);
            // It can't be started now, as if the process had no thread left.
            connection.eventThread.start();

            assertThatThrownBy(connection::start).isInstanceOf(IllegalThreadStateException.class);

            await(PATIENCE, () -> !connection.sendThread.isAlive() && !connection.eventThread.isAlive());
        } finally {
            client.close();
        }
    }
}
