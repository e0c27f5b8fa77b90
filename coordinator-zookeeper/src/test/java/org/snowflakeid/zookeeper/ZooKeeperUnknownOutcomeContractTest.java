// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.UnknownOutcomeContract;
import org.snowflakeid.testservers.ProxiedNetwork;
import org.snowflakeid.testservers.TcpProxy;
import org.snowflakeid.testservers.ZooKeeperServer;

/** What becomes of writes whose answers are lost on the way from ZooKeeper. */
class ZooKeeperUnknownOutcomeContractTest extends UnknownOutcomeContract {
    private static ZooKeeperServer server;

    private final TcpProxy proxy = TcpProxy.to(server.clientPort());
    private final Network network = new ProxiedNetwork(proxy);

    @BeforeAll
    static void startServer() {
        server = ZooKeeperServer.builder().longestSession(Node.TIME_TO_LIVE).start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    protected Node overTheNetwork(String namespace) {
        return ZooKeeperNode.at("127.0.0.1:" + proxy.port(), namespace);
    }

    @Override
    protected Node beside(String namespace) {
        return ZooKeeperNode.at(server.connectString(), namespace);
    }

    @Override
    protected Network network() {
        return network;
    }

    @Override
    protected String late() {
        return "does not answer in time (the request was sent)";
    }

    @Override
    protected String broken() {
        return "gave no answer";
    }
}
