// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One etcd process on free loopback ports with a data directory of its own, deleted on close. Its faults are those of a
 * process: paused, killed, started again. Needs {@code etcd} and {@code etcdctl} on the path (Debian: etcd-server,
 * etcd-client); their absence is a failure.
 */
public final class EtcdServer implements AutoCloseable {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(30);

    private final String name;
    private final Path directory;
    private final int clientPort;
    private final int peerPort;
    private final int metricsPort;
    private final @Nullable Certificates certificates;
    private final boolean clientCertificateRequired;
    private final String initialCluster;
    private final List<String> extraArguments;
    private final Thread reaper = new Thread(this::destroy);
    private @Nullable Process process;

    EtcdServer(Ports ports, String initialCluster, Builder options) {
        this.name = ports.name();
        this.clientPort = ports.client();
        this.peerPort = ports.peer();
        this.metricsPort = ports.metrics();
        this.initialCluster = initialCluster;
        this.certificates = options.certificates;
        this.clientCertificateRequired = options.clientCertificateRequired;
        this.extraArguments = List.copyOf(options.arguments);
        try {
            this.directory = Files.createTempDirectory("etcd-test-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(reaper);
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

        String initialCluster() {
            return name + "=http://127.0.0.1:" + peer;
        }
    }

    void launch(String... once) {
        List<String> command = new ArrayList<>(List.of("etcd"));
        option(command, "name", name);
        option(command, "data-dir", directory.resolve("data").toString());
        option(command, "listen-client-urls", endpoint());
        option(command, "advertise-client-urls", endpoint());
        option(command, "listen-peer-urls", "http://127.0.0.1:" + peerPort);
        option(command, "initial-advertise-peer-urls", "http://127.0.0.1:" + peerPort);
        option(command, "initial-cluster", initialCluster);
        option(command, "listen-metrics-urls", metricsUrl());
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

        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(Redirect.appendTo(log().toFile()));
        if (System.getProperty("os.arch").equals("aarch64")) {
            builder.environment().put("ETCD_UNSUPPORTED_ARCH", "arm64");
        }
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "etcd cannot be started; on Debian: apt-get install etcd-server etcd-client", e);
        }
    }

    private static void option(List<String> command, String name, String value) {
        command.add("--" + name + "=" + value);
    }

    private Path log() {
        return directory.resolve("etcd.log");
    }

    /** Returns once the server has a leader and answers. */
    public void awaitHealthy() {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!healthy()) {
            Process running = process;
            if (running == null || !running.isAlive() || System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("etcd " + name + " did not become healthy:\n" + tail(log()));
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

    private static String tail(Path log) {
        try {
            String all = Files.readString(log);
            return all.substring(Math.max(0, all.length() - 3_000));
        } catch (IOException e) {
            return e.toString();
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
        return (certificates == null ? "http" : "https") + "://127.0.0.1:" + clientPort;
    }

    public int clientPort() {
        return clientPort;
    }

    private String metricsUrl() {
        return "http://127.0.0.1:" + metricsPort;
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

    /** Freezes the process (SIGSTOP): it accepts connections, but answers nothing. */
    public void pause() {
        signal("STOP");
    }

    /** Ends a {@link #pause()}. */
    public void resume() {
        signal("CONT");
    }

    /** Ends the process at once (SIGKILL); its data stay. */
    public void kill() {
        destroy();
        process = null;
    }

    /** Asks the process to end (SIGTERM) and waits until it has; its data stay. */
    public void stop() {
        signal("TERM");
        awaitEnd(running());
        process = null;
    }

    /** Starts a stopped or killed server again on the same port and data, without waiting for it. */
    public void startAgain() {
        requireNotRunning();
        launch();
    }

    /** Loses all data of a server that does not run. */
    public void wipe() {
        requireNotRunning();
        Path data = directory.resolve("data");
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A backup of the running server; deleted with it. */
    public Path backup() {
        Path file = directory.resolve("backup-" + System.nanoTime());
        etcdctl("snapshot", "save", file.toString());
        return file;
    }

    /** Puts a backup in place of the data of a server that does not run, as the etcd documentation says. */
    public void restore(Path backup) {
        wipe();
        run(List.of(
                "etcdctl",
                "snapshot",
                "restore",
                backup.toString(),
                "--data-dir=" + directory.resolve("data"),
                "--name=" + name,
                "--initial-cluster=" + initialCluster,
                "--initial-advertise-peer-urls=http://127.0.0.1:" + peerPort));
    }

    /** Starts a member again, alone, with what it has: the last resort when the other members are lost. */
    public void startForcingNewCluster() {
        requireNotRunning();
        launch("--force-new-cluster");
    }

    private void requireNotRunning() {
        if (process != null) {
            throw new IllegalStateException("etcd " + name + " is running");
        }
    }

    private Process running() {
        Process running = process;
        if (running == null) {
            throw new IllegalStateException("etcd " + name + " is not running");
        }
        return running;
    }

    private void signal(String signal) {
        run(List.of("kill", "-" + signal, Long.toString(running().pid())));
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
        return run(command);
    }

    private static String run(List<String> command) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().put("ETCDCTL_API", "3");
            Process child = builder.start();
            child.getOutputStream().close();
            String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            awaitEnd(child);
            if (child.exitValue() != 0) {
                throw new IllegalStateException(String.join(" ", command) + ": " + output);
            }
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(String.join(" ", command), e);
        }
    }

    private static void awaitEnd(Process child) {
        try {
            if (!child.waitFor(20, TimeUnit.SECONDS)) {
                child.destroyForcibly();
                throw new IllegalStateException("a process did not end: " + child.info());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Whether this member leads its cluster. */
    public boolean leads() {
        return String.format(Locale.ROOT, "%.0f", metric("etcd_server_is_leader"))
                .equals("1");
    }

    private void destroy() {
        Process running = process;
        if (running != null && running.isAlive()) {
            running.destroyForcibly();
            awaitEnd(running);
        }
    }

    /** Kills the process and deletes its data. */
    @Override
    public void close() {
        destroy();
        try {
            Runtime.getRuntime().removeShutdownHook(reaper);
        } catch (IllegalStateException alreadyShuttingDown) {
            // the hook is running: it kills the process too
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
