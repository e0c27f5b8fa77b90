// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import java.util.Map;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;
import org.snowflakeid.tck.CoordinatorFixture;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.TcpProxy;

/** A real etcd behind a proxy that can be cut. */
final class EtcdFixture implements CoordinatorFixture, AutoCloseable {
    private final EtcdServer server = EtcdServer.start();
    private final TcpProxy proxy = TcpProxy.to(server.clientPort());

    @Override
    public WorkerCoordinatorProvider provider() {
        return new EtcdCoordinatorProvider();
    }

    @Override
    public Map<String, String> settings() {
        return Map.of("snowflake.etcd.endpoints", "http://127.0.0.1:" + proxy.port());
    }

    /** Closing says nothing to the server: the lease runs out, as after a kill. */
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
