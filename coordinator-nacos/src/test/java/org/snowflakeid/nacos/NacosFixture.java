// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import java.time.Duration;
import java.util.Map;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;
import org.snowflakeid.tck.CoordinatorFixture;
import org.snowflakeid.testservers.NacosServer;
import org.snowflakeid.testservers.TcpProxy;

/** A real Nacos behind a proxy that can be cut. */
final class NacosFixture implements CoordinatorFixture, AutoCloseable {
    private final NacosServer server = NacosServer.start();
    private final TcpProxy proxy = TcpProxy.to(server.clientPort());

    @Override
    public WorkerCoordinatorProvider provider() {
        return new NacosCoordinatorProvider();
    }

    @Override
    public Map<String, String> settings() {
        return Map.of("snowflake.nacos.server-addr", "127.0.0.1:" + proxy.port());
    }

    /** It tells the time in whole seconds: what lasts three of them ends after two and a bit at times. */
    @Override
    public Duration unit() {
        return Duration.ofMillis(1_500);
    }

    /** Closing says nothing to the server: the owner expires, as after a kill. */
    @Override
    public void crash(WorkerCoordinator coordinator) {
        coordinator.close();
    }

    @Override
    public void disconnect(String namespace) {
        proxy.freeze();
    }

    @Override
    public void reconnect(String namespace) {
        proxy.pass();
    }

    @Override
    public void close() {
        proxy.close();
        server.close();
    }
}
