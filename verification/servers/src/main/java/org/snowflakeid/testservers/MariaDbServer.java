// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One MariaDB on a free loopback port with a data directory of its own, deleted on close. Needs {@code mariadbd} (Debian:
 * mariadb-server-core); its absence is a failure.
 */
public final class MariaDbServer extends DatabaseServer {
    private static final String DATABASE = "ids";

    private final Path program =
            program("mariadbd", "apt-get install mariadb-server-core", "/usr/sbin", "/usr/libexec");
    private final List<String> arguments;

    private MariaDbServer(List<String> arguments, @Nullable Certificates certificates) {
        super("mariadb", FreePorts.next());
        this.arguments = new ArrayList<>(arguments);
        if (certificates != null) {
            Certificates copy = certificates.copyTo(server.directory().resolve("certificates"));
            this.arguments.add("--ssl-cert=" + copy.serverCertificate());
            this.arguments.add("--ssl-key=" + copy.serverKey());
            this.arguments.add("--ssl-ca=" + copy.ca());
        }
    }

    /** @param arguments further options of the server */
    public static MariaDbServer start(String... arguments) {
        return start(null, arguments);
    }

    /** Clients may connect by TLS, if certificates are given. */
    public static MariaDbServer start(@Nullable Certificates certificates, String... arguments) {
        MariaDbServer server = new MariaDbServer(List.of(arguments), certificates);
        return server.started(server);
    }

    private List<String> command(String... more) {
        List<String> command = new ArrayList<>(List.of(
                program.toString(),
                "--no-defaults",
                "--datadir=" + server.data(),
                // Each removes what it takes for left over in a common one.
                "--tmpdir=" + server.directory(),
                "--innodb-log-file-size=8M",
                "--innodb-buffer-pool-size=16M"));
        if (isRoot()) {
            command.add("--user=root");
        }
        command.addAll(List.of(more));
        return command;
    }

    /** Not by mariadb-install-db, which needs the package of the client too. */
    private void create() {
        try {
            Files.createDirectories(server.data().resolve("mysql"));
            Path tables = tables();
            Path statements = server.directory().resolve("create.sql");
            Files.writeString(
                    statements,
                    "USE mysql;\n" + Files.readString(tables)
                            + Files.readString(tables.resolveSibling(
                                    tables.getFileName().toString().replace("_tables", "_tables_data"))));
            String bootstrap = String.join(" ", command("--bootstrap", "--skip-log-bin"));
            String unused = server.run(List.of("sh", "-c", "exec " + bootstrap + " < " + statements));
            Files.writeString(
                    server.directory().resolve("init.sql"),
                    "CREATE DATABASE IF NOT EXISTS " + DATABASE + ";\n"
                            + "CREATE USER IF NOT EXISTS admin@'127.0.0.1';\n"
                            + "GRANT ALL ON *.* TO admin@'127.0.0.1' WITH GRANT OPTION;\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Named after MySQL until MariaDB 11. */
    private Path tables() {
        for (String place :
                List.of(program.resolveSibling("../share").toString(), "/usr/share/mysql", "/usr/share/mariadb")) {
            for (String software : List.of("mariadb", "mysql")) {
                Path tables = Path.of(place, software + "_system_tables.sql");
                if (Files.exists(tables)) {
                    return tables;
                }
            }
        }
        throw new IllegalStateException("mariadb_system_tables.sql is not there; on Debian it comes with mariadbd");
    }

    @Override
    void launch() {
        if (!Files.exists(server.data())) {
            create();
        }
        List<String> command = command(
                "--bind-address=127.0.0.1",
                "--port=" + clientPort(),
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
        return anonymousUrl(port) + "?user=admin";
    }

    @Override
    public String anonymousUrl(int port) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/" + DATABASE;
    }
}
