// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One etcd on free loopback ports with a data directory of its own, deleted on close. Its faults are those of a process: paused,
 * killed, started again. Needs {@code etcd} and {@code etcdctl} on the path (Debian: etcd-server, etcd-client), or in an image
 * if containers are asked for; their absence is a failure.
 */
public final class EtcdServer implements AutoCloseable {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(30);

    private final Ports ports;
    private final @Nullable Certificates certificates;
    private final boolean clientCertificateRequired;
    private final String initialCluster;
    private final List<String> extraArguments;
    private final Server server;

    EtcdServer(Ports ports, String initialCluster, Builder options) {
        this.ports = ports;
        this.initialCluster = initialCluster;
        this.clientCertificateRequired = options.clientCertificateRequired;
        this.extraArguments = List.copyOf(options.arguments);
        Map<String, String> environment = new HashMap<>(Map.of("ETCDCTL_API", "3"));
        if (System.getProperty("os.arch").equals("aarch64")) {
            environment.put("ETCD_UNSUPPORTED_ARCH", "arm64");
        }
        this.server =
                ServerPlace.chosen().server("etcd", ports.serverName(), environment, ports.client(), ports.metrics());
        this.certificates = options.certificates == null
                ? null
                : options.certificates.copyTo(server.directory().resolve("certificates"));
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

        public EtcdServer start() {
            Ports ports = Ports.free("single");
            EtcdServer server = new EtcdServer(ports, ports.initialCluster(), this);
            try {
                server.launch();
                server.awaitHealthy();
                return server;
            } catch (RuntimeException e) {
                server.close();
                throw e;
            }
        }
    }

    record Ports(String name, int client, int peer, int metrics) {
        static Ports free(String name) {
            try (ServerSocket a = loopback();
                    ServerSocket b = loopback();
                    ServerSocket c = loopback()) {
                return new Ports(name, a.getLocalPort(), b.getLocalPort(), c.getLocalPort());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static ServerSocket loopback() throws IOException {
            return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
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

    void launch(String... once) {
        String listenAddress = ServerPlace.chosen().listenAddress();
        List<String> command = new ArrayList<>(List.of("etcd"));
        option(command, "name", ports.name());
        option(command, "data-dir", server.data().toString());
        option(command, "listen-client-urls", scheme() + listenAddress + ":" + ports.client());
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

    /** Returns once the server has a leader and answers. */
    public void awaitHealthy() {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!healthy()) {
            if (!server.isAlive() || System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(
                        "etcd " + ports.name() + " did not become healthy:\n" + server.logTail());
            }
            pauseBriefly();
        }
    }

    private boolean healthy() {
        try {
            return get("/health").contains("\"true\"");
        } catch (IOException e) {
            return false;
        }
    }

    private String get(String path) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) URI.create(metricsUrl() + path).toURL().openConnection();
        connection.setConnectTimeout(1_000);
        connection.setReadTimeout(2_000);
        // Kept alive, it would leave a thread of the JDK behind, and tests look for such.
        connection.setRequestProperty("Connection", "close");
        try (var body = connection.getInputStream()) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            connection.disconnect();
        }
    }

    private static void pauseBriefly() {
        try {
            TimeUnit.MILLISECONDS.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Where clients connect: {@code http://127.0.0.1:port}, or https. */
    public String endpoint() {
        return scheme() + "127.0.0.1:" + ports.client();
    }

    private String scheme() {
        return certificates == null ? "http://" : "https://";
    }

    public int clientPort() {
        return ports.client();
    }

    private String metricsUrl() {
        return "http://127.0.0.1:" + ports.metrics();
    }

    /** The sum of all samples of a metric whose line, name and labels, contains each of the given parts. */
    public double metric(String name, String... labels) {
        try {
            double sum = 0;
            for (String line : get("/metrics").split("\n", -1)) {
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

    public boolean isRunning() {
        return server.isAlive();
    }

    /** Freezes it (SIGSTOP): it accepts connections, but answers nothing. */
    public void pause() {
        server.signal("STOP");
    }

    /** Ends a {@link #pause()}. */
    public void resume() {
        server.signal("CONT");
    }

    /** Ends it at once (SIGKILL); its data stay. */
    public void kill() {
        server.kill();
    }

    /** Asks it to end (SIGTERM) and waits until it has; its data stay. */
    public void stop() {
        server.terminate();
    }

    /** Starts a stopped or killed server again on the same port and data, without waiting for it. */
    public void startAgain() {
        launch();
    }

    /** Loses all data of a server that does not run. */
    public void wipe() {
        server.wipe();
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

    /** Starts a member again, alone, with what it has: the last resort when the other members are lost. Needs a process. */
    public void startForcingNewCluster() {
        launch("--force-new-cluster");
    }

    /**
     * Runs {@code etcdctl} against this server and returns what it printed.
     *
     * @throws IllegalStateException if it failed
     */
    public String etcdctl(String... arguments) {
        List<String> command = new ArrayList<>(List.of("etcdctl", "--endpoints=" + endpoint()));
        if (certificates != null) {
            command.add("--cacert=" + certificates.ca());
            command.add("--cert=" + certificates.clientCertificate());
            command.add("--key=" + certificates.clientKey());
        }
        command.addAll(List.of(arguments));
        return server.run(command);
    }

    /** What it has used of a processor's time since it was started. */
    public Duration cpuTime() {
        return server.cpuTime();
    }

    /** Whether this member leads its cluster. */
    public boolean leads() {
        return String.format(Locale.ROOT, "%.0f", metric("etcd_server_is_leader"))
                .equals("1");
    }

    /** Kills it and deletes its data. */
    @Override
    public void close() {
        server.close();
    }
}
