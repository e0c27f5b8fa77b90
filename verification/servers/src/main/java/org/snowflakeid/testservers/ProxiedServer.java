// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.time.Duration;
import java.util.Map;
import java.util.function.IntFunction;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;
import org.snowflakeid.tck.CoordinatorFixture;

/** A real server behind a proxy that can be cut, for coordinators whose closing says nothing to it. Who uses it depends on snowflake-coordinator-tck. */
public final class ProxiedServer implements CoordinatorFixture, AutoCloseable {
    private final WorkerCoordinatorProvider provider;
    private final TestServer server;
    private final TcpProxy proxy;
    private final Map<String, String> settings;
    private final Duration unit;

    /**
     * @param server that runs; closed with this
     * @param settings of who reaches it at that port
     * @param unit see {@link #unit()}
     */
    public ProxiedServer(
            WorkerCoordinatorProvider provider,
            TestServer server,
            IntFunction<Map<String, String>> settings,
            Duration unit) {
        this.provider = provider;
        this.server = server;
        this.proxy = TcpProxy.to(server.clientPort());
        this.settings = settings.apply(proxy.port());
        this.unit = unit;
    }

    @Override
    public WorkerCoordinatorProvider provider() {
        return provider;
    }

    @Override
    public Map<String, String> settings() {
        return settings;
    }

    @Override
    public Duration unit() {
        return unit;
    }

    /** The owner expires, as after a kill. */
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
