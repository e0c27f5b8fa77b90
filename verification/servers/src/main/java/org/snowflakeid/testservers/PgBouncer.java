// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A pgbouncer before the database {@code ids} of one PostgreSQL, for its administrator. Needs {@code pgbouncer} (Debian: pgbouncer); its
 * absence is a failure. It refuses to run as root, so root starts it as the user {@code nobody}.
 */
public final class PgBouncer implements AutoCloseable {
    private final Path program = DatabaseServer.program("pgbouncer", "apt-get install pgbouncer", "/usr/sbin");
    private final int port = FreePorts.next();
    private final ServerProcess process;

    private PgBouncer() {
        process = new ServerProcess("pgbouncer-" + port, Map.of());
    }

    /**
     * @param mode {@code session} or {@code transaction}
     * @param connections to the server, which its clients share
     */
    public static PgBouncer start(PostgresServer server, String mode, int connections) {
        PgBouncer bouncer = new PgBouncer();
        try {
            bouncer.launch(server, mode, connections);
            TestServer.await("pgbouncer answers", bouncer::answers);
            return bouncer;
        } catch (RuntimeException e) {
            bouncer.close();
            throw e;
        }
    }

    private void launch(PostgresServer server, String mode, int connections) {
        Path settings = process.directory().resolve("pgbouncer.ini");
        try {
            Files.writeString(
                    settings,
                    String.join(
                            "\n",
                            "[databases]",
                            "ids = host=127.0.0.1 port=" + server.clientPort() + " dbname=ids user=admin",
                            "[pgbouncer]",
                            "listen_addr = 127.0.0.1",
                            "listen_port = " + port,
                            "unix_socket_dir =",
                            "auth_type = any",
                            "pool_mode = " + mode,
                            "default_pool_size = " + connections,
                            // As its documentation recommends for JDBC; a search_path is dropped by that, too.
                            "ignore_startup_parameters = extra_float_digits,search_path",
                            ""));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<String> command = new ArrayList<>();
        if (DatabaseServer.isRoot()) {
            String unused = process.run(
                    List.of("chown", "-R", "nobody", process.directory().toString()));
            command.addAll(List.of("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"));
        }
        command.addAll(List.of(program.toString(), settings.toString()));
        process.launch(command);
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
            return true;
        } catch (IOException e) {
            if (!process.isAlive()) {
                throw new IllegalStateException("pgbouncer did not start:\n" + process.logTail(), e);
            }
            return false;
        }
    }

    /** Of the database {@code ids}. The server's connections may change between two statements, and know no others' names for them. */
    public String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/ids?user=admin&prepareThreshold=0";
    }

    @Override
    public void close() {
        process.close();
    }
}
