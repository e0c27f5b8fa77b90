// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One MariaDB on a free loopback port with a data directory of its own, deleted on close. Needs {@code mariadbd} (Debian:
 * mariadb-server-core); its absence is a failure.
 */
public final class MariaDbServer extends MySqlLikeServer {
    private static final String SMALL_LOG = "--innodb-log-file-size=8M";

    private MariaDbServer(List<String> options, @Nullable Certificates certificates) {
        super("mariadb", program("mariadbd", "apt-get install mariadb-server-core", "/usr/sbin", "/usr/libexec"));
        this.options.add(SMALL_LOG);
        this.options.addAll(options);
        if (certificates != null) {
            Certificates copy = certificates.copyTo(server.directory().resolve("certificates"));
            this.options.add("--ssl-cert=" + copy.serverCertificate());
            this.options.add("--ssl-key=" + copy.serverKey());
            this.options.add("--ssl-ca=" + copy.ca());
        }
    }

    /** @param options further options of the server */
    public static MariaDbServer start(String... options) {
        return start(null, options);
    }

    /** Clients may connect by TLS, if certificates are given. */
    public static MariaDbServer start(@Nullable Certificates certificates, String... options) {
        MariaDbServer server = new MariaDbServer(List.of(options), certificates);
        return server.started(server);
    }

    /** Not by mariadb-install-db, which needs the package of the client too. */
    @Override
    void createData() {
        try {
            Files.createDirectories(server.data().resolve("mysql"));
            Path tables = tables();
            Path statements = server.directory().resolve("create.sql");
            Files.writeString(
                    statements,
                    "USE mysql;\n" + Files.readString(tables)
                            + Files.readString(tables.resolveSibling(
                                    tables.getFileName().toString().replace("_tables", "_tables_data"))));
            String bootstrap = String.join(" ", command("--bootstrap", "--skip-log-bin", SMALL_LOG));
            String unused = server.run(List.of("sh", "-c", "exec " + bootstrap + " < " + statements));
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
}
