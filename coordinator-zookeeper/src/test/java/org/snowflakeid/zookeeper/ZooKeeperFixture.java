// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;
import org.snowflakeid.tck.CoordinatorFixture;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.TcpProxy;
import org.snowflakeid.testservers.ZooKeeperServer;

/**
 * A real ZooKeeper, with a proxy before each coordinator: closing a coordinator tells the server, so that its death must be one of its
 * connection.
 */
final class ZooKeeperFixture implements CoordinatorFixture, WorkerCoordinatorProvider, AutoCloseable {
    private final ZooKeeperServer server =
            ZooKeeperServer.builder().longestSession(Node.TIME_TO_LIVE).start();
    private final WorkerCoordinatorProvider zookeeper = new ZooKeeperCoordinatorProvider();
    private final Map<WorkerCoordinator, TcpProxy> proxies = new ConcurrentHashMap<>();
    private boolean frozen;

    @Override
    public WorkerCoordinatorProvider provider() {
        return this;
    }

    @Override
    public String name() {
        return zookeeper.name();
    }

    @Override
    public synchronized WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        TcpProxy proxy = TcpProxy.to(server.clientPort());
        if (frozen) {
            proxy.freeze();
        }
        Map<String, String> settings = new HashMap<>();
        settings.put("snowflake.zookeeper.connect-string", "127.0.0.1:" + proxy.port());
        WorkerCoordinator coordinator = zookeeper.open(
                new CoordinatorConfig(config.generator(), config.namespace(), config.timeToLive(), settings::get),
                lossHint);
        proxies.put(coordinator, proxy);
        return coordinator;
    }

    @Override
    public Map<String, String> settings() {
        return Map.of();
    }

    @Override
    public void crash(WorkerCoordinator coordinator) {
        proxies.get(coordinator).close();
        coordinator.close();
    }

    @Override
    public synchronized void disconnect(String namespace) {
        frozen = true;
        proxies.values().forEach(TcpProxy::freeze);
    }

    @Override
    public synchronized void reconnect(String namespace) {
        frozen = false;
        proxies.values().forEach(TcpProxy::pass);
    }

    @Override
    public void close() {
        proxies.values().forEach(TcpProxy::close);
        server.close();
    }
}
