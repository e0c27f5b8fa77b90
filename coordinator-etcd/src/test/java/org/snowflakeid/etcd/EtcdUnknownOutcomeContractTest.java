// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.UnknownOutcomeContract;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.ProxiedNetwork;
import org.snowflakeid.testservers.TcpProxy;

/** What becomes of writes whose answers are lost on the way from etcd. */
class EtcdUnknownOutcomeContractTest extends UnknownOutcomeContract {
    private static EtcdServer server;

    private final TcpProxy proxy = TcpProxy.to(server.clientPort());
    private final Network network = new ProxiedNetwork(proxy);

    @BeforeAll
    static void startServer() {
        server = EtcdServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    protected Node overTheNetwork(String namespace) {
        return EtcdNode.at("http://127.0.0.1:" + proxy.port(), namespace);
    }

    @Override
    protected Node beside(String namespace) {
        return EtcdNode.at(server.endpoint(), namespace);
    }

    @Override
    protected Network network() {
        return network;
    }

    @Override
    protected String late() {
        return "does not answer in time";
    }

    @Override
    protected String broken() {
        return "gave no answer";
    }
}
