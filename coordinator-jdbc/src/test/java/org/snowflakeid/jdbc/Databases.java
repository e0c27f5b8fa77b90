// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.snowflakeid.tck.Node.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.apache.derby.drda.NetworkServerControl;
import org.h2.tools.Server;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;
import org.snowflakeid.tck.CoordinatorFixture;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.DatabaseServer;
import org.snowflakeid.testservers.FirebirdServer;
import org.snowflakeid.testservers.FreePorts;
import org.snowflakeid.testservers.MariaDbServer;
import org.snowflakeid.testservers.MySqlServer;
import org.snowflakeid.testservers.PostgresServer;
import org.snowflakeid.testservers.TcpProxy;

/** A real database behind a proxy that can be cut. */
final class Databases implements CoordinatorFixture, AutoCloseable {
    private final Runnable stop;
    private final TcpProxy proxy;
    private final String url;
    private final boolean tellsTime;

    private Databases(int port, IntFunction<String> url, boolean tellsTime, Runnable stop) {
        this.stop = stop;
        this.proxy = TcpProxy.to(port);
        this.url = url.apply(proxy.port());
        this.tellsTime = tellsTime;
    }

    private static Databases of(DatabaseServer server) {
        return new Databases(server.clientPort(), server::url, true, server::close);
    }

    static Databases postgres() {
        return of(PostgresServer.start());
    }

    static Databases mariaDb() {
        return of(MariaDbServer.start());
    }

    static Databases mySql() {
        return of(MySqlServer.start());
    }

    static Databases h2() {
        H2 server = new H2();
        return new Databases(server.port(), server::url, true, server::close);
    }

    static Databases hsqldb() {
        int port = FreePorts.next();
        Path folder = folder("hsqldb-test-");
        org.hsqldb.server.Server server = new org.hsqldb.server.Server();
        server.setAddress("127.0.0.1");
        server.setPort(port);
        server.setDatabaseName(0, "ids");
        server.setDatabasePath(0, "file:" + folder.resolve("ids") + ";hsqldb.write_delay=false");
        server.setSilent(true);
        server.setLogWriter(null);
        server.setErrWriter(null);
        server.start();
        return new Databases(
                port, proxy -> "jdbc:hsqldb:hsql://127.0.0.1:" + proxy + "/ids;user=SA;password=", true, () -> {
                    server.stop();
                    delete(folder);
                });
    }

    static Databases derby() {
        int port = FreePorts.next();
        Path folder = folder("derby-test-");
        System.setProperty("derby.system.home", folder.toString());
        try {
            NetworkServerControl server = new NetworkServerControl(InetAddress.getLoopbackAddress(), port);
            server.start(null);
            await(Node.PATIENCE, () -> answers(server));
            return new Databases(
                    port, proxy -> "jdbc:derby://127.0.0.1:" + proxy + "/ids;create=true", false, () -> stop(server));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean answers(NetworkServerControl server) {
        try {
            server.ping();
            return true;
        } catch (Exception notYet) {
            return false;
        }
    }

    private static void stop(NetworkServerControl server) {
        try {
            server.shutdown();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static Databases firebird() {
        FirebirdServer server = FirebirdServer.start();
        return new Databases(server.clientPort(), server::url, false, server::close);
    }

    private static Path folder(String prefix) {
        try {
            return Files.createTempDirectory(prefix);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
            delete(folder);
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

    @Override
    public boolean tellsTime() {
        return tellsTime;
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
