// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;
import org.h2.tools.Server;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;
import org.snowflakeid.tck.CoordinatorFixture;
import org.snowflakeid.testservers.DatabaseServer;
import org.snowflakeid.testservers.MariaDbServer;
import org.snowflakeid.testservers.PostgresServer;
import org.snowflakeid.testservers.TcpProxy;

/** A real database behind a proxy that can be cut. */
final class Databases implements CoordinatorFixture, AutoCloseable {
    private final Runnable stop;
    private final TcpProxy proxy;
    private final String url;

    private Databases(DatabaseServer server) {
        this.stop = server::close;
        this.proxy = TcpProxy.to(server.clientPort());
        this.url = server.url(proxy.port());
    }

    private Databases(H2 server) {
        this.stop = server::close;
        this.proxy = TcpProxy.to(server.port());
        this.url = server.url(proxy.port());
    }

    static Databases postgres() {
        return new Databases(PostgresServer.start());
    }

    static Databases mariaDb() {
        return new Databases(MariaDbServer.start());
    }

    static Databases h2() {
        return new Databases(new H2());
    }

    /** One that serves a folder, in this JVM. */
    static final class H2 implements AutoCloseable {
        private final Path folder;
        private final Server server;

        H2() {
            try {
                folder = Files.createTempDirectory("h2-test-");
                server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists", "-baseDir", folder.toString())
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        int port() {
            return server.getPort();
        }

        String url(int port) {
            return "jdbc:h2:tcp://127.0.0.1:" + port + "/./ids;WRITE_DELAY=0";
        }

        @Override
        public void close() {
            server.stop();
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public WorkerCoordinatorProvider provider() {
        return new JdbcCoordinatorProvider();
    }

    @Override
    public Map<String, String> settings() {
        return Map.of("snowflake.jdbc.url", url);
    }

    /** Closing says nothing to the database: the owner expires, as after a kill. */
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
        stop.run();
    }
}
