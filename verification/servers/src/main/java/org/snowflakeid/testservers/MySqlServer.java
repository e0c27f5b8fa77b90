// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One MySQL on a free loopback port with a data directory of its own, deleted on close. Needs {@code mysqld}, of MySQL and not of MariaDB, on
 * the path; its absence is a failure.
 */
public final class MySqlServer extends DatabaseServer {
    private static final String DATABASE = "ids";

    private final Path program = program("mysqld", "it is in unstable only: mysql-server-core");
    private final List<String> arguments;

    private MySqlServer(List<String> arguments) {
        super("mysql", FreePorts.next());
        this.arguments = arguments;
    }

    /** @param arguments further options of the server */
    public static MySqlServer start(String... arguments) {
        MySqlServer server = new MySqlServer(List.of(arguments));
        return server.started(server);
    }

    private List<String> command(String... more) {
        List<String> command = new ArrayList<>(List.of(
                program.toString(), "--no-defaults", "--datadir=" + server.data(), "--innodb-buffer-pool-size=16M"));
        if (isRoot()) {
            command.add("--user=root");
        }
        command.addAll(List.of(more));
        return command;
    }

    private void create() {
        String unused = server.run(command("--initialize-insecure"));
        try {
            Files.writeString(
                    server.directory().resolve("init.sql"),
                    "CREATE DATABASE IF NOT EXISTS " + DATABASE + ";\n"
                            + "CREATE USER IF NOT EXISTS admin@'127.0.0.1';\n"
                            + "GRANT ALL ON *.* TO admin@'127.0.0.1' WITH GRANT OPTION;\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    void launch() {
        if (!Files.exists(server.data())) {
            create();
        }
        List<String> command = command(
                "--bind-address=127.0.0.1",
                "--port=" + clientPort(),
                "--mysqlx=OFF",
                "--secure-file-priv=NULL",
                "--skip-name-resolve",
                "--socket=" + server.directory().resolve("socket"),
                "--init-file=" + server.directory().resolve("init.sql"));
        command.addAll(arguments);
        server.launch(command);
    }

    /** It greets who connects once it serves. */
    @Override
    boolean healthy() {
        return greets();
    }

    @Override
    public String url(int port) {
        return anonymousUrl(port) + "?user=admin&sslMode=DISABLED";
    }

    @Override
    public String anonymousUrl(int port) {
        return "jdbc:mysql://127.0.0.1:" + port + "/" + DATABASE;
    }
}
