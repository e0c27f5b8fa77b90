// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** MariaDB or MySQL: both have the same options, statements and greeting. */
abstract sealed class MySqlLikeServer extends DatabaseServer permits MariaDbServer, MySqlServer {
    private static final String DATABASE = "ids";

    private final String software;
    final Path program;

    /** Options of the server that serves. */
    final List<String> options = new ArrayList<>();

    /** @param software as URLs of JDBC name it */
    MySqlLikeServer(String software, Path program) {
        super(software, FreePorts.next());
        this.software = software;
        this.program = program;
    }

    /** Makes a data directory with the server's own tables. */
    abstract void createData();

    final List<String> command(String... more) {
        List<String> command = new ArrayList<>(List.of(
                program.toString(),
                "--no-defaults",
                "--datadir=" + server.data(),
                // Each removes what it takes for left over in a common one.
                "--tmpdir=" + server.directory(),
                "--innodb-buffer-pool-size=16M"));
        if (isRoot()) {
            command.add("--user=root");
        }
        command.addAll(List.of(more));
        return command;
    }

    @Override
    void launch() {
        Path statements = server.directory().resolve("init.sql");
        if (!Files.exists(server.data())) {
            createData();
            try {
                Files.writeString(
                        statements,
                        "CREATE DATABASE IF NOT EXISTS " + DATABASE + ";\n"
                                + "CREATE USER IF NOT EXISTS admin@'127.0.0.1';\n"
                                + "GRANT ALL ON *.* TO admin@'127.0.0.1' WITH GRANT OPTION;\n");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        List<String> command = command(
                "--bind-address=127.0.0.1",
                "--port=" + clientPort(),
                "--socket=" + server.directory().resolve("socket"),
                "--init-file=" + statements);
        command.addAll(options);
        server.launch(command);
    }

    /** It greets who connects once it serves. */
    @Override
    boolean healthy() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), clientPort()), 1_000);
            socket.setSoTimeout(2_000);
            InputStream greeting = socket.getInputStream();
            return greeting.read() >= 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public String url(int port) {
        return anonymousUrl(port) + "?user=admin";
    }

    @Override
    public String anonymousUrl(int port) {
        return "jdbc:" + software + "://127.0.0.1:" + port + "/" + DATABASE;
    }
}
