// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One Consul server on free loopback ports with a data directory of its own, deleted on close. Its faults are those of a process: paused,
 * killed, started again. Needs {@code consul} on the path, or in an image if containers are asked for; its absence is a failure.
 */
public final class ConsulServer extends TestServer {
    private final Ports ports;
    private final @Nullable Certificates certificates;
    private final boolean clientCertificateRequired;
    private final List<String> settings;
    private final int servers;
    private final boolean inMemory;

    private ConsulServer(Ports ports, Builder options) {
        super(
                "Consul " + ports.server(),
                ServerPlace.chosen()
                        .server(
                                "consul",
                                "consul-" + ports.server(),
                                Map.of("CONSUL_HTTP_ADDR", ports.plainUrl()),
                                ports.http(),
                                ports.https()));
        this.ports = ports;
        this.settings = List.copyOf(options.settings);
        this.clientCertificateRequired = options.clientCertificateRequired;
        this.servers = options.servers;
        this.inMemory = options.inMemory;
        this.certificates = options.certificates == null
                ? null
                : options.certificates.copyTo(server.directory().resolve("certificates"));
    }

    /** A single server, answering, over plain HTTP. */
    public static ConsulServer start() {
        return builder().start();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** What a server is started with. */
    public static final class Builder {
        private final List<String> settings = new ArrayList<>();
        private @Nullable Certificates certificates;
        private boolean clientCertificateRequired;
        private int servers = 1;
        private boolean inMemory;

        /** As {@code consul agent -dev}: nothing is left when it ends. */
        public Builder inMemory() {
            inMemory = true;
            return this;
        }

        /** {@link #url()} is encrypted then; clients must show a certificate of the same authority if required. */
        public Builder tls(Certificates certificates, boolean clientCertificateRequired) {
            this.certificates = certificates;
            this.clientCertificateRequired = clientCertificateRequired;
            return this;
        }

        /** With ACLs: a client without a token may do nothing, and one with this token everything. */
        public Builder acl(String masterToken) {
            return configure(
                    "acl",
                    "{\"enabled\": true, \"default_policy\": \"deny\", \"enable_token_persistence\": true,"
                            + " \"tokens\": {\"master\": \"" + masterToken + "\", \"agent\": \"" + masterToken
                            + "\"}}");
        }

        /** A field of its configuration, in JSON. */
        public Builder configure(String field, String json) {
            settings.add("\"" + field + "\": " + json);
            return this;
        }

        /** The server waits for so many before it elects a leader: start it by {@link #launchAlone()}. */
        public Builder expectsServers(int count) {
            servers = count;
            return this;
        }

        public ConsulServer start() {
            ConsulServer server = new ConsulServer(Ports.free(), this);
            return server.started(server);
        }

        /** Starts it without waiting for a leader. */
        public ConsulServer launchAlone() {
            ConsulServer server = new ConsulServer(Ports.free(), this);
            try {
                server.launch();
                await("its HTTP port answers", server::answers);
                return server;
            } catch (RuntimeException e) {
                server.close();
                throw e;
            }
        }
    }

    private record Ports(int http, int https, int server, int lan, int wan) {
        static Ports free() {
            return new Ports(FreePorts.next(), FreePorts.next(), FreePorts.next(), FreePorts.next(), FreePorts.next());
        }

        String plainUrl() {
            return "http://127.0.0.1:" + http;
        }

        String json() {
            return "{\"http\": %d, \"https\": %d, \"server\": %d, \"serf_lan\": %d, \"serf_wan\": %d, \"dns\": -1, \"grpc\": -1}"
                    .formatted(http, https, server, lan, wan);
        }
    }

    @Override
    void launch() {
        List<String> lines = new ArrayList<>(settings);
        lines.add("\"ports\": " + ports.json());
        // How long a request waits for a leader: not for one that will never be.
        lines.add(
                "\"performance\": {\"raft_multiplier\": 1, \"rpc_hold_timeout\": \"" + (servers == 1 ? 7 : 1) + "s\"}");
        lines.add("\"leave_on_terminate\": false");
        lines.add("\"limits\": {\"http_max_conns_per_client\": 2000}");
        if (certificates != null) {
            lines.add("\"cert_file\": \"" + certificates.serverCertificate() + "\"");
            lines.add("\"key_file\": \"" + certificates.serverKey() + "\"");
            lines.add("\"ca_file\": \"" + certificates.ca() + "\"");
            lines.add("\"verify_incoming_https\": " + clientCertificateRequired);
        }
        Path file = server.directory().resolve("consul.json");
        try {
            Files.writeString(file, "{\n" + String.join(",\n", lines) + "\n}\n");
            List<String> command = new ArrayList<>(List.of("consul", "agent"));
            command.addAll(
                    inMemory
                            ? List.of("-dev")
                            : List.of("-server", "-bootstrap-expect=" + servers, "-data-dir=" + server.data()));
            command.addAll(List.of(
                    "-node=consul-" + ports.server(),
                    "-config-file=" + file,
                    "-log-level=warn",
                    "-bind=127.0.0.1",
                    "-client=" + ServerPlace.chosen().listenAddress()));
            server.launch(command);
        } catch (UncheckedIOException e) {
            throw new UncheckedIOException("Consul cannot be started; bin/test gets one", e.getCause());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    boolean healthy() {
        return leads();
    }

    private boolean answers() {
        try {
            return !leader().isEmpty();
        } catch (IOException e) {
            return false;
        }
    }

    /** It is the only one. */
    @Override
    public boolean leads() {
        try {
            return leader().contains(":");
        } catch (IOException e) {
            return false;
        }
    }

    private String leader() throws IOException {
        HttpURLConnection connection = (HttpURLConnection)
                URI.create(ports.plainUrl() + "/v1/status/leader").toURL().openConnection();
        connection.setConnectTimeout(1_000);
        connection.setReadTimeout(2_000);
        // A connection kept alive would leave a thread of the JDK behind, and tests check for that.
        connection.setRequestProperty("Connection", "close");
        try (var body = connection.getInputStream()) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            connection.disconnect();
        }
    }

    /** Where clients connect: {@code http://127.0.0.1:port}, or https. */
    public String url() {
        return (certificates == null ? "http" : "https") + "://127.0.0.1:" + clientPort();
    }

    @Override
    public int clientPort() {
        return certificates == null ? ports.http() : ports.https();
    }

    /** Plain HTTP, also beside TLS. */
    public String plainUrl() {
        return ports.plainUrl();
    }

    /** Shows other certificates, and trusts their authority, from its next start on. Needs a process that does not run. */
    public void use(Certificates others) {
        if (certificates == null) {
            throw new IllegalStateException("this server is not encrypted");
        }
        certificates.become(others);
    }

    /**
     * Runs {@code consul} against this server and returns what it printed.
     *
     * @throws IllegalStateException if it failed
     */
    public String consul(String... arguments) {
        List<String> command = new ArrayList<>(List.of("consul"));
        command.addAll(List.of(arguments));
        return server.run(command);
    }

    /** Runs lines of a shell, which use {@code consul}, with an ACL token, and returns what they printed. */
    public String shell(String lines, String token) {
        return server.run(List.of("sh", "-ec", "CONSUL_HTTP_TOKEN=" + token + "; export CONSUL_HTTP_TOKEN\n" + lines));
    }

    /** Two datacenters that know each other from now on. */
    public void joinDatacenterOf(ConsulServer other) {
        String unused = consul("join", "-wan", "127.0.0.1:" + other.ports.wan());
        await("the datacenters know each other", () -> {
            try {
                return consul("catalog", "datacenters").lines().count() > 1;
            } catch (IllegalStateException notYet) {
                return false;
            }
        });
    }

    /** A snapshot of the running server; deleted with it. Needs a process. */
    public Path backup() {
        Path file = server.reachableData().resolveSibling("backup-" + System.nanoTime());
        consul("snapshot", "save", file.toString());
        return file;
    }

    /** Puts a backup in place of what the running server has. */
    public void restore(Path backup) {
        consul("snapshot", "restore", backup.toString());
    }
}
