// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.kubernetes;

import java.util.Map;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;
import org.snowflakeid.tck.CoordinatorFixture;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.TcpProxy;
import org.snowflakeid.testservers.kubernetes.ApiServer;

/** An API server behind a proxy that can be cut. */
final class KubernetesFixture implements CoordinatorFixture, AutoCloseable {
    private final ApiServer server = ApiServer.start();
    private final TcpProxy proxy = TcpProxy.to(server.port());
    private final Map<String, String> settings = server.settings(proxy.port(), server.token(ApiServer.VERBS));

    KubernetesFixture() {
        // Not while times are short: the first requests of a JVM take long.
        try (Node first = new KubernetesNode("first", settings)) {
            Node.await(Node.PATIENCE, first::answers);
        }
    }

    @Override
    public WorkerCoordinatorProvider provider() {
        return new KubernetesCoordinatorProvider();
    }

    @Override
    public Map<String, String> settings() {
        return settings;
    }

    /** Closing says nothing to the server, as after a kill. */
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
