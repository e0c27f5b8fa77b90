// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * One ZooKeeper server on free loopback ports with a data directory of its own, deleted on close: a JVM of its own, or a container if
 * that is asked for. Its faults are those of a process: paused, killed, started again. It ticks twice a second and grants sessions of one
 * to ten seconds, if nothing else is asked for.
 */
public final class ZooKeeperServer extends TestServer {
    private final Ports ports;
    private final List<Ports> members;
    private final Map<String, String> configuration;
    private final List<String> jvmArguments;
    private final boolean tls;
    private final @Nullable String ownHost;

    ZooKeeperServer(Ports ports, List<Ports> members, Builder options) {
        super(
                "ZooKeeper " + ports.id(),
                ServerPlace.chosen()
                        .server(
                                "zookeeper",
                                ports.serverName(),
                                Map.of(
                                        "JVMFLAGS",
                                        String.join(" ", jvmFlags(options.jvmArguments)),
                                        "JMXDISABLE",
                                        "true"),
                                ports.client(),
                                ports.secure()));
        this.ports = ports;
        this.members = members;
        this.configuration = new LinkedHashMap<>(options.configuration);
        this.jvmArguments = List.copyOf(options.jvmArguments);
        this.tls = options.certificates != null;
        this.ownHost = options.ownHost;
        if (options.certificates != null) {
            configureTls(options.certificates, options.clientCertificateRequired);
        }
    }

    /** A single server, answering, over plain TCP. */
    public static ZooKeeperServer start() {
        return builder().start();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** What a server is started with. */
    public static final class Builder {
        private final Map<String, String> configuration = new LinkedHashMap<>();
        private final List<String> jvmArguments = new ArrayList<>();
        private @Nullable Certificates certificates;
        private boolean clientCertificateRequired;
        private @Nullable String ownHost;

        /** In its own list of members each is at this host, as where {@code 0.0.0.0} stands there: no two lists are the same. */
        public Builder ownHost(String host) {
            ownHost = host;
            return this;
        }

        /** {@link #connectString()} is by TLS then; clients must show a certificate of the same authority if required. */
        public Builder tls(Certificates certificates, boolean clientCertificateRequired) {
            this.certificates = certificates;
            this.clientCertificateRequired = clientCertificateRequired;
            return this;
        }

        /** A line of zoo.cfg. */
        public Builder configure(String key, String value) {
            configuration.put(key, value);
            return this;
        }

        /**
         * For tests in which no owner may be lost: a session of ten seconds ends while a slow machine starts the server again, or while the
         * client shakes hands with it.
         */
        public Builder longestSession(Duration time) {
            return configure("maxSessionTimeout", Long.toString(time.toMillis()));
        }

        /** Further arguments of the JVM, such as system properties. */
        public Builder jvmArguments(String... more) {
            jvmArguments.addAll(List.of(more));
            return this;
        }

        public ZooKeeperServer start() {
            ZooKeeperServer server = new ZooKeeperServer(Ports.free(1), List.of(), this);
            return server.started(server);
        }
    }

    record Ports(int id, int client, int secure, int peer, int election) {
        String serverName() {
            return "zookeeper-" + id + "-" + peer;
        }

        static Ports free(int id) {
            return new Ports(id, FreePorts.next(), FreePorts.next(), FreePorts.next(), FreePorts.next());
        }
    }

    private Path keys() {
        return server.directory().resolve("server-keys.pem");
    }

    private Certificates copyIn(Certificates given) throws IOException {
        Path directory = server.directory().resolve("certificates");
        if (Files.exists(directory)) {
            Directories.delete(directory);
        }
        Certificates certificates = given.copyTo(directory);
        // Its PEM key stores hold certificate and key in one file.
        Files.writeString(
                keys(),
                Files.readString(certificates.serverCertificate()) + Files.readString(certificates.serverKey()));
        return certificates;
    }

    /** A server that does not run, and was started with TLS, will use and trust these. Needs a process. */
    public void replaceCertificates(Certificates others) {
        try {
            Certificates unused = copyIn(others);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void configureTls(Certificates given, boolean clientCertificateRequired) {
        try {
            Certificates certificates = copyIn(given);
            configuration.put("secureClientPort", Integer.toString(ports.secure()));
            configuration.put("secureClientPortAddress", ServerPlace.chosen().listenAddress());
            configuration.put("serverCnxnFactory", "org.apache.zookeeper.server.NettyServerCnxnFactory");
            configuration.put("ssl.keyStore.location", keys().toString());
            configuration.put("ssl.keyStore.type", "PEM");
            configuration.put("ssl.trustStore.location", certificates.ca().toString());
            configuration.put("ssl.trustStore.type", "PEM");
            configuration.put("ssl.clientAuth", clientCertificateRequired ? "need" : "none");
            configuration.put("ssl.hostnameVerification", "false");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    void launch() {
        Path data = server.data();
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put("tickTime", "500");
        lines.put("dataDir", data.toString());
        lines.put("clientPort", Integer.toString(ports.client()));
        lines.put("clientPortAddress", ServerPlace.chosen().listenAddress());
        lines.put("maxClientCnxns", "0");
        lines.put("admin.enableServer", "false");
        lines.put("4lw.commands.whitelist", "*");
        lines.put("initLimit", "10");
        lines.put("syncLimit", "6");
        for (Ports member : members) {
            String host = member.equals(ports) && ownHost != null
                    ? ownHost
                    : ServerPlace.chosen().peerHost(member.serverName());
            lines.put("server." + member.id(), host + ":" + member.peer() + ":" + member.election());
        }
        lines.putAll(configuration);
        Path file = server.directory().resolve("zoo.cfg");
        try {
            Files.createDirectories(data);
            Files.writeString(data.resolve("myid"), Integer.toString(ports.id()));
            Files.writeString(
                    file,
                    lines.entrySet().stream()
                            .map(line -> line.getKey() + "=" + line.getValue() + "\n")
                            .collect(Collectors.joining()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.launch(ServerPlace.chosen() == ServerPlace.CONTAINERS ? script(file) : java(file));
    }

    private static List<String> jvmFlags(List<String> more) {
        List<String> flags = new ArrayList<>(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        // What a killed process wrote the system still has; waiting for a busy disk would make sessions expire.
        flags.add("-Dzookeeper.forceSync=no");
        flags.addAll(List.of("-Dzookeeper.jmx.log4j.disable=true", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"));
        flags.addAll(more);
        return flags;
    }

    private List<String> java(Path file) {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(jvmFlags(jvmArguments));
        command.addAll(List.of("-cp", Jars.CLASS_PATH));
        command.addAll(List.of("org.apache.zookeeper.server.quorum.QuorumPeerMain", file.toString()));
        return command;
    }

    /** Of each ZooKeeper distribution. It takes the flags from the environment, and becomes the server. */
    private static List<String> script(Path file) {
        return List.of("zkServer.sh", "start-foreground", file.toString());
    }

    @Override
    boolean healthy() {
        return mode() != null;
    }

    /** {@code leader}, {@code follower} or {@code standalone}; null while it serves no client. */
    private @Nullable String mode() {
        try {
            return command("srvr", BRIEFLY)
                    .lines()
                    .filter(line -> line.startsWith("Mode: "))
                    .map(line -> line.substring("Mode: ".length()))
                    .findFirst()
                    .orElse(null);
        } catch (UncheckedIOException e) {
            return null;
        }
    }

    /** The answer to one of its four letter words. */
    public String command(String word) {
        return command(word, PATIENTLY);
    }

    private String command(String word, int millis) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), ports.client()), 1_000);
            socket.setSoTimeout(millis);
            socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One of the figures of the word {@code mntr}, such as {@code zk_ephemerals_count}. */
    public double figure(String name) {
        return command("mntr")
                .lines()
                .map(line -> line.split("\t", 2))
                .filter(line -> line[0].equals(name))
                .mapToDouble(line -> Double.parseDouble(line[1]))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no figure " + name));
    }

    @Override
    public boolean leads() {
        return "leader".equals(mode());
    }

    /** Where clients connect: {@code 127.0.0.1:port}. */
    public String connectString() {
        return "127.0.0.1:" + clientPort();
    }

    @Override
    public int clientPort() {
        return tls ? ports.secure() : ports.client();
    }

    /** What it says of itself in its list of members, without its number: host and ports. */
    public String member() {
        return ServerPlace.chosen().peerHost(ports.serverName()) + ":" + ports.peer() + ":" + ports.election();
    }

    /** Plain TCP, also beside TLS. */
    public int plainPort() {
        return ports.client();
    }

    /** A copy of the data of the running server, which stands still for it; deleted with it. Needs a process. */
    public Path backup() {
        Path data = server.reachableData();
        Path copy = data.resolveSibling("backup-" + System.nanoTime());
        pause();
        try {
            Directories.copy(data, copy);
        } finally {
            resume();
        }
        return copy;
    }

    /** Puts a backup in place of the data of a server that does not run. Needs a process. */
    public void restore(Path backup) {
        Path data = server.reachableData();
        wipe();
        Directories.copy(backup, data);
    }

    /** The server's jars: the build puts them beside this class, or packs them with it. */
    private static final class Jars {
        static final String CLASS_PATH = find() + "/*";

        private static Path find() {
            try {
                Path home = Path.of(ZooKeeperServer.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI());
                return Files.isDirectory(home) ? home.resolve("zookeeper") : unpack(home);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (URISyntaxException e) {
                throw new IllegalStateException(e);
            }
        }

        private static Path unpack(Path jar) throws IOException {
            Path directory = Files.createTempDirectory("zookeeper-jars-");
            directory.toFile().deleteOnExit();
            try (ZipFile packed = new ZipFile(jar.toFile())) {
                for (ZipEntry entry : packed.stream()
                        .filter(e -> e.getName().matches("zookeeper/[^/]+\\.jar"))
                        .toList()) {
                    Path file = directory.resolve(entry.getName().substring("zookeeper/".length()));
                    file.toFile().deleteOnExit();
                    try (InputStream in = packed.getInputStream(entry)) {
                        Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
                    }
                }
            }
            return directory;
        }
    }
}
