// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import java.util.Map;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;
import org.snowflakeid.tck.CoordinatorFixture;
import org.snowflakeid.testservers.RedisServer;
import org.snowflakeid.testservers.TcpProxy;

/** A real Redis behind a proxy that can be cut. */
final class RedisFixture implements CoordinatorFixture, AutoCloseable {
    private final RedisServer server = RedisServer.start();
    private final TcpProxy proxy = TcpProxy.to(server.clientPort());

    @Override
    public WorkerCoordinatorProvider provider() {
        return new RedisCoordinatorProvider();
    }

    @Override
    public Map<String, String> settings() {
        return Map.of("snowflake.redis.uri", "redis://127.0.0.1:" + proxy.port());
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
