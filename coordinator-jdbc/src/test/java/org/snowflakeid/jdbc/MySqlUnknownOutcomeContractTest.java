// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.UnknownOutcomeContract;
import org.snowflakeid.testservers.MySqlServer;
import org.snowflakeid.testservers.ProxiedNetwork;
import org.snowflakeid.testservers.TcpProxy;

/** What becomes of writes whose answers are lost on the way from MySQL. */
class MySqlUnknownOutcomeContractTest extends UnknownOutcomeContract {
    /** Else its driver sends values in hexadecimal digits, which the proxy does not find. */
    static final String READABLE = "&useServerPrepStmts=true";

    private static MySqlServer server;

    private final TcpProxy proxy = TcpProxy.to(server.clientPort());
    private final Network network = new ProxiedNetwork(proxy);

    @BeforeAll
    static void startServer() {
        server = MySqlServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    protected Node overTheNetwork(String namespace) {
        return JdbcNode.at(server.url(proxy.port()) + READABLE, namespace);
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
