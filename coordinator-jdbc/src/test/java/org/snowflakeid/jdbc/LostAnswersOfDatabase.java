// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.UnknownOutcomeContract;
import org.snowflakeid.testservers.DatabaseServer;
import org.snowflakeid.testservers.ProxiedNetwork;
import org.snowflakeid.testservers.TcpProxy;

/** What becomes of writes whose answers are lost on the way from a database. */
abstract class LostAnswersOfDatabase extends UnknownOutcomeContract {
    private final DatabaseServer server;
    private final TcpProxy proxy;
    private final Network network;

    LostAnswersOfDatabase(DatabaseServer server) {
        this.server = server;
        proxy = TcpProxy.to(server.clientPort());
        network = new ProxiedNetwork(proxy);
    }

    @Override
    protected Node overTheNetwork(String namespace) {
        return JdbcNode.at(readable(server.url(proxy.port())), namespace);
    }

    /** With what its driver needs to send values as they are, so that the proxy finds them. */
    String readable(String url) {
        return url;
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
