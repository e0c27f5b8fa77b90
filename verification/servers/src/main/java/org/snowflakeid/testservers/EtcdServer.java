// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One etcd on free loopback ports with a data directory of its own, deleted on close. Its faults are those of a process: paused,
 * killed, started again. Needs {@code etcd} and {@code etcdctl} on the path (Debian: etcd-server, etcd-client), or in an image
 * if containers are asked for; their absence is a failure.
 */
public final class EtcdServer extends TestServer {
    private final Ports ports;
    private final @Nullable Certificates certificates;
    private final boolean clientCertificateRequired;
    private final String initialCluster;
    private final List<String> extraArguments;
    private final String address;

    EtcdServer(Ports ports, String initialCluster, Builder options) {
        super(
                "etcd " + ports.name(),
                ServerPlace.chosen()
                        .server("etcd", ports.serverName(), environment(), ports.client(), ports.metrics()));
        this.ports = ports;
        this.initialCluster = initialCluster;
        this.clientCertificateRequired = options.clientCertificateRequired;
        this.extraArguments = List.copyOf(options.arguments);
        this.address = options.address;
        this.certificates = options.certificates == null
                ? null
                : options.certificates.copyTo(server.directory().resolve("certificates"));
    }

    private static Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>(Map.of("ETCDCTL_API", "3"));
        if (System.getProperty("os.arch").equals("aarch64")) {
            environment.put("ETCD_UNSUPPORTED_ARCH", "arm64");
        }
        return environment;
    }

    /** A single server, answering, over plain HTTP. */
    public static EtcdServer start() {
        return builder().start();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** What a server is started with. */
    public static final class Builder {
        private @Nullable Certificates certificates;
        private boolean clientCertificateRequired;
        private final List<String> arguments = new ArrayList<>();
        private String address = "127.0.0.1";

        /** Clients connect by TLS, and must show a certificate of the same authority if {@code clientCertificateRequired}. */
        public Builder tls(Certificates certificates, boolean clientCertificateRequired) {
            this.certificates = certificates;
            this.clientCertificateRequired = clientCertificateRequired;
            return this;
        }

        /** Further arguments of the etcd command. */
        public Builder arguments(String... more) {
            arguments.addAll(List.of(more));
            return this;
        }

        /** Where clients connect instead of at 127.0.0.1, as a URL has it: {@code [::1]}. Needs a process. */
        public Builder address(String loopback) {
            address = loopback;
            return this;
        }

        public EtcdServer start() {
            Ports ports = Ports.free("single");
            EtcdServer server = new EtcdServer(ports, ports.initialCluster(), this);
            return server.started(server);
        }
    }

    record Ports(String name, int client, int peer, int metrics) {
        static Ports free(String name) {
            return new Ports(name, FreePorts.next(), FreePorts.next(), FreePorts.next());
        }

        String serverName() {
            return "etcd-" + name + "-" + peer;
        }

        String peerUrl() {
            return "http://" + ServerPlace.chosen().peerHost(serverName()) + ":" + peer;
        }

        String initialCluster() {
            return name + "=" + peerUrl();
        }
    }

    @Override
    void launch() {
        launchWith();
    }

    private void launchWith(String... once) {
        String listenAddress = ServerPlace.chosen().listenAddress();
        List<String> command = new ArrayList<>(List.of("etcd"));
        option(command, "name", ports.name());
        option(command, "data-dir", server.data().toString());
        String clientAddress = address.equals("127.0.0.1") ? listenAddress : address;
        option(command, "listen-client-urls", scheme() + clientAddress + ":" + ports.client());
        option(command, "advertise-client-urls", endpoint());
        option(command, "listen-peer-urls", "http://" + listenAddress + ":" + ports.peer());
        option(command, "initial-advertise-peer-urls", ports.peerUrl());
        option(command, "initial-cluster", initialCluster);
        option(command, "listen-metrics-urls", "http://" + listenAddress + ":" + ports.metrics());
        option(command, "logger", "zap");
        option(command, "log-level", "warn");
        if (certificates != null) {
            option(command, "cert-file", certificates.serverCertificate().toString());
            option(command, "key-file", certificates.serverKey().toString());
            if (clientCertificateRequired) {
                option(command, "trusted-ca-file", certificates.ca().toString());
                command.add("--client-cert-auth");
            }
        }
        command.addAll(extraArguments);
        command.addAll(List.of(once));
        try {
            server.launch(command);
        } catch (UncheckedIOException e) {
            throw new UncheckedIOException(
                    "etcd cannot be started; on Debian: apt-get install etcd-server etcd-client", e.getCause());
        }
    }

    private static void option(List<String> command, String name, String value) {
        command.add("--" + name + "=" + value);
    }

    @Override
    boolean healthy() {
        try {
            return get("/health", BRIEFLY).contains("\"true\"");
        } catch (IOException e) {
            return false;
        }
    }

    private String get(String path, int millis) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) URI.create(metricsUrl() + path).toURL().openConnection();
        connection.setConnectTimeout(1_000);
        connection.setReadTimeout(millis);
        // Kept alive, it would leave a thread of the JDK behind, and tests look for such.
        connection.setRequestProperty("Connection", "close");
        try (var body = connection.getInputStream()) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            connection.disconnect();
        }
    }

    /** Where clients connect: {@code http://127.0.0.1:port}, or https. */
    public String endpoint() {
        return scheme() + address + ":" + ports.client();
    }

    /** The same for another server. */
    String endpointOfServers() {
        return scheme() + ServerPlace.chosen().peerHost(ports.serverName()) + ":" + ports.client();
    }

    private String scheme() {
        return certificates == null ? "http://" : "https://";
    }

    @Override
    public int clientPort() {
        return ports.client();
    }

    private String metricsUrl() {
        return "http://127.0.0.1:" + ports.metrics();
    }

    /** The sum of all samples of a metric whose line, name and labels, contains each of the given parts. */
    public double metric(String name, String... labels) {
        return metric(PATIENTLY, name, labels);
    }

    private double metric(int millis, String name, String... labels) {
        try {
            double sum = 0;
            for (String line : get("/metrics", millis).split("\n", -1)) {
                boolean named = line.startsWith(name + "{") || line.startsWith(name + " ");
                if (named && Stream.of(labels).allMatch(line::contains)) {
                    sum += Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
                }
            }
            return sum;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What {@code etcd --version} says first, such as {@code etcd Version: 3.4.23}. */
    public String version() {
        return server.run(List.of("etcd", "--version")).lines().findFirst().orElseThrow();
    }

    /** A backup of the running server; deleted with it. Needs a process. */
    public Path backup() {
        Path file = server.reachableData().resolveSibling("backup-" + System.nanoTime());
        etcdctl("snapshot", "save", file.toString());
        return file;
    }

    /** Puts a backup in place of the data of a server that does not run, as the etcd documentation says. Needs a process. */
    public void restore(Path backup) {
        Path data = server.reachableData();
        wipe();
        server.run(List.of(
                "etcdctl",
                "snapshot",
                "restore",
                backup.toString(),
                "--data-dir=" + data,
                "--name=" + ports.name(),
                "--initial-cluster=" + initialCluster,
                "--initial-advertise-peer-urls=" + ports.peerUrl()));
    }

    /** Shows other certificates, and trusts their authority, from its next start on. Needs a process that does not run. */
    public void use(Certificates others) {
        if (certificates == null) {
            throw new IllegalStateException("this server is not encrypted");
        }
        certificates.become(others);
    }

    /** Starts a member again, alone, with what it has: the last resort when the other members are lost. Needs a process. */
    public void startForcingNewCluster() {
        launchWith("--force-new-cluster");
    }

    /**
     * Runs {@code etcdctl} against this server and returns what it printed.
     *
     * @throws IllegalStateException if it failed
     */
    public String etcdctl(String... arguments) {
        // Its own timeout of five seconds is not enough on a busy machine.
        List<String> command =
                new ArrayList<>(List.of("etcdctl", "--endpoints=" + endpoint(), "--command-timeout=60s"));
        if (certificates != null) {
            command.add("--cacert=" + certificates.ca());
            command.add("--cert=" + certificates.clientCertificate());
            command.add("--key=" + certificates.clientKey());
        }
        command.addAll(List.of(arguments));
        return server.run(command);
    }

    @Override
    public boolean leads() {
        return String.format(Locale.ROOT, "%.0f", metric(BRIEFLY, "etcd_server_is_leader"))
                .equals("1");
    }
}
