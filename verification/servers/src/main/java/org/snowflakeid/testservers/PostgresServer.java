// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One PostgreSQL on a free loopback port with a data directory of its own, deleted on close. Needs {@code postgres} on the path or where
 * packages put it (Debian: postgresql); its absence is a failure. It refuses to run as root, so root starts it as the user {@code nobody}.
 */
public final class PostgresServer extends DatabaseServer {
    private static final String ADMINISTRATOR = "admin";
    private static final String DATABASE = "ids";

    private final Path programs;
    private final Map<String, String> configuration = new LinkedHashMap<>();
    private final List<String> access;

    private PostgresServer(Builder options) {
        super("postgres", FreePorts.next());
        this.programs = programs();
        configuration.put("dynamic_shared_memory_type", "mmap");
        configuration.put("shared_buffers", "16MB");
        configuration.put("max_connections", "200");
        configuration.put("unix_socket_directories", "");
        configuration.putAll(options.configuration);
        access = new ArrayList<>(options.access);
        access.add("host all all 127.0.0.1/32 trust");
        access.add("host replication all 127.0.0.1/32 trust");
        if (options.certificates != null) {
            Certificates copy = options.certificates.copyTo(server.directory().resolve("certificates"));
            configuration.put("ssl", "on");
            configuration.put("ssl_cert_file", copy.serverCertificate().toString());
            configuration.put("ssl_key_file", copy.serverKey().toString());
            configuration.put("ssl_ca_file", copy.ca().toString());
            server.run(List.of("chmod", "600", copy.serverKey().toString()));
        }
    }

    private static Path programs() {
        Path program = program(
                "postgres",
                "apt-get install postgresql",
                "/usr/lib/postgresql/*/bin",
                "/usr/pgsql/*/bin",
                "/opt/homebrew/opt/postgresql/bin");
        try {
            // The others are beside it, and not where a link to it is.
            return program.toRealPath().resolveSibling("");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static PostgresServer start() {
        return builder().start();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** What a server is started with. */
    public static final class Builder {
        private final Map<String, String> configuration = new LinkedHashMap<>();
        private final List<String> access = new ArrayList<>();
        private @Nullable Certificates certificates;
        private @Nullable PostgresServer primary;

        /** A line of postgresql.conf. */
        public Builder configure(String key, String value) {
            configuration.put(key, value);
            return this;
        }

        /** A line of pg_hba.conf, before the last one, which lets all clients in. */
        public Builder access(String line) {
            access.add(line);
            return this;
        }

        /** Clients may connect by TLS. */
        public Builder tls(Certificates shown) {
            certificates = shown;
            return this;
        }

        /** It is a hot standby of that one, without any delay. */
        public Builder standbyOf(PostgresServer followed) {
            primary = followed;
            return this;
        }

        public PostgresServer start() {
            PostgresServer server = new PostgresServer(this);
            try {
                server.create(primary);
            } catch (RuntimeException e) {
                server.close();
                throw e;
            }
            return server.started(server);
        }
    }

    private void create(@Nullable PostgresServer primary) {
        if (isRoot()) {
            server.run(List.of("chown", "-R", "nobody", server.directory().toString()));
        }
        String data = server.data().toString();
        if (primary == null) {
            String unused = run(
                    "initdb",
                    "-D",
                    data,
                    "-U",
                    ADMINISTRATOR,
                    "--auth=trust",
                    "--no-sync",
                    "--encoding=UTF8",
                    "--locale=C");
        } else {
            String unused = run(
                    "pg_basebackup",
                    "-D",
                    data,
                    "-R",
                    "--no-sync",
                    "--checkpoint=fast",
                    "-d",
                    primary.parameters("postgres"));
        }
        configure();
    }

    private void configure() {
        try {
            Files.writeString(
                    server.data().resolve("postgresql.conf"),
                    configuration.entrySet().stream()
                            .map(line -> line.getKey() + " = '" + line.getValue() + "'\n")
                            .collect(Collectors.joining()));
            Files.writeString(server.data().resolve("pg_hba.conf"), String.join("\n", access) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> command(String program, String... arguments) {
        List<String> command = new ArrayList<>();
        if (isRoot()) {
            command.addAll(List.of("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"));
        }
        command.add(programs.resolve(program).toString());
        command.addAll(List.of(arguments));
        return command;
    }

    private String run(String program, String... arguments) {
        return server.run(command(program, arguments));
    }

    private String parameters(String database) {
        return "host=127.0.0.1 port=" + clientPort() + " user=" + ADMINISTRATOR + " dbname=" + database;
    }

    @Override
    void launch() {
        if (!Files.exists(server.data())) {
            create(null);
        }
        server.launch(command(
                "postgres", "-D", server.data().toString(), "-p", Integer.toString(clientPort()), "-h", "127.0.0.1"));
    }

    @Override
    boolean healthy() {
        try {
            if (psql(BRIEFLY, "postgres", "SELECT pg_is_in_recovery(), count(*) FROM pg_database WHERE datname = 'ids'")
                    .contains("f|0")) {
                String unused = psql(BRIEFLY, "postgres", "CREATE DATABASE " + DATABASE);
            }
            return true;
        } catch (IllegalStateException notYet) {
            return false;
        }
    }

    private String psql(int millis, String database, String sql) {
        String parameters = parameters(database) + " connect_timeout=" + millis / 1_000;
        return run("psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", parameters, "-c", sql);
    }

    /**
     * Runs statements as the administrator, and returns what was printed, columns joined by {@code |}.
     *
     * @throws IllegalStateException if one failed
     */
    public String sql(String statements) {
        return psql(PATIENTLY, DATABASE, statements);
    }

    @Override
    public String url(int port) {
        return anonymousUrl(port) + "?user=" + ADMINISTRATOR;
    }

    @Override
    public String anonymousUrl(int port) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + DATABASE;
    }

    /** From now on a standby takes writes. */
    public void promote() {
        String unused = run("pg_ctl", "promote", "-D", server.data().toString());
        await("it takes writes", () -> sql("SELECT pg_is_in_recovery()").contains("f"));
    }

    /** Without waiting until all clients have left, as it would at the signal that ends other servers. */
    @Override
    public void stop() {
        server.signal("INT");
        super.stop();
    }

    /** Ends it in an orderly way if it can, which removes what it has in shared memory, and deletes its data. */
    @Override
    public void close() {
        if (server.isAlive()) {
            try {
                server.signal("CONT");
                server.run(command(
                        "pg_ctl", "stop", "-m", "immediate", "-D", server.data().toString()));
            } catch (IllegalStateException e) {
                // It is killed then.
            }
        }
        super.close();
    }
}
