// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.UnknownOutcomeContract;
import org.snowflakeid.testservers.PostgresServer;
import org.snowflakeid.testservers.ProxiedNetwork;
import org.snowflakeid.testservers.TcpProxy;

/** What becomes of writes whose answers are lost on the way from PostgreSQL. */
class PostgresUnknownOutcomeContractTest extends UnknownOutcomeContract {
    private static PostgresServer server;

    private final TcpProxy proxy = TcpProxy.to(server.clientPort());
    private final Network network = new ProxiedNetwork(proxy);

    @BeforeAll
    static void startServer() {
        server = PostgresServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    protected Node overTheNetwork(String namespace) {
        return JdbcNode.at(server.url(proxy.port()), namespace);
    }

    @Override
    protected Node beside(String namespace) {
        return JdbcNode.at(server.url(), namespace);
    }

    @Override
    protected Network network() {
        return network;
    }

    @Override
    protected String late() {
        return "the request was sent";
    }

    @Override
    protected String broken() {
        return "the database could not be used";
    }
}
