// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.await;

import java.util.Map;
import org.junit.jupiter.api.parallel.Isolated;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.tck.SharingContract;
import org.snowflakeid.testservers.PostgresServer;
import org.snowflakeid.testservers.TcpProxy;

@Isolated("it looks at all threads of the JVM")
class JdbcSharingTest extends SharingContract {
    private final PostgresServer server = PostgresServer.start();
    private final TcpProxy proxy = TcpProxy.to(server.clientPort());

    @Override
    protected Map<String, String> settings() {
        return Map.of("snowflake.jdbc.url", server.url(proxy.port()), "snowflake.window", "PT9S");
    }

    @Override
    protected Map<String, String> elsewhere() {
        return Map.of("snowflake.jdbc.url", server.url(proxy.port()).replace("127.0.0.1", "localhost"));
    }

    /** A connection is kept for longer than the time between two extensions, and threads have the name of the one that extends. */
    @Override
    protected void awaitShared(int connections) {
        await(
                PATIENCE,
                () -> proxy.connections() == connections
                        && (connections > 0 || threads().findAny().isEmpty()));
    }

    /** Two that the same answer let go on may extend at the same moment ever after, and then each has a connection. */
    @Override
    protected void awaitSharedAgain(LeasedSnowflake one) {
        one.close();
        awaitShared(1);
    }

    @Override
    protected void kill() {
        server.kill();
    }

    @Override
    protected void startAgain() {
        server.startAgain();
    }

    @Override
    protected void freeze() {
        proxy.freeze();
    }

    @Override
    protected void pass() {
        proxy.pass();
    }

    @Override
    protected void closeServer() {
        proxy.close();
        server.close();
    }
}
