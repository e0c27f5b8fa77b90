// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One Redis on free loopback ports with a data directory of its own, deleted on close: an append-only file that is synchronized always,
 * unless its arguments say otherwise. Needs {@code redis-server} on the path (Debian: redis-server), or in an image if containers are asked
 * for; its absence is a failure.
 */
public final class RedisServer extends TestServer {
    /** Where a member of a cluster listens for the others, above the port for clients. */
    private static final int CLUSTER_PORT_ABOVE = 10_000;

    private final int port;
    private final int tlsPort;
    private final @Nullable Certificates certificates;
    private final boolean clientCertificateRequired;
    private final List<String> arguments;
    private final @Nullable String password;
    private final @Nullable Path sentinel;

    private RedisServer(int port, int tlsPort, Builder options) {
        super("redis " + port, ServerPlace.chosen().server("redis", "redis-" + port, Map.of(), port, tlsPort));
        this.port = port;
        this.tlsPort = tlsPort;
        this.clientCertificateRequired = options.clientCertificateRequired;
        this.arguments = List.copyOf(options.arguments);
        this.password = options.password;
        this.sentinel = options.sentinel;
        this.certificates = options.certificates == null
                ? null
                : options.certificates.copyTo(server.directory().resolve("certificates"));
    }

    /** A single server that answers, without encryption and users. */
    public static RedisServer start() {
        return builder().start();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** What a server is started with. */
    public static final class Builder {
        private @Nullable Certificates certificates;
        private boolean clientCertificateRequired;
        private @Nullable String password;
        private @Nullable Path sentinel;
        private boolean memberOfCluster;
        private final List<String> arguments = new ArrayList<>();

        /** Clients may also connect by TLS, and then must show a certificate of the same authority if {@code clientCertificateRequired}. */
        public Builder tls(Certificates certificates, boolean clientCertificateRequired) {
            this.certificates = certificates;
            this.clientCertificateRequired = clientCertificateRequired;
            return this;
        }

        /** The default user has it. */
        public Builder password(String secret) {
            password = secret;
            return this;
        }

        /** It is none of records, but one that watches such. The file must exist, and is written by it. */
        public Builder sentinel(Path file) {
            sentinel = file;
            return this;
        }

        /** It is one of a cluster, whose members talk to it on a second port. */
        public Builder memberOfCluster() {
            memberOfCluster = true;
            return arguments("--cluster-enabled", "yes");
        }

        /** Further arguments, such as {@code --appendfsync everysec}. */
        public Builder arguments(String... more) {
            arguments.addAll(List.of(more));
            return this;
        }

        public RedisServer start() {
            RedisServer server = create();
            return server.started(server);
        }

        /** The same as a group of one. */
        public SingleServer<RedisServer> startAlone() {
            return new SingleServer<>(create());
        }

        private RedisServer create() {
            return new RedisServer(FreePorts.next(memberOfCluster ? CLUSTER_PORT_ABOVE : 0), FreePorts.next(), this);
        }
    }

    @Override
    void launch() {
        launchWith();
    }

    /** Like {@link #startAgain()}, with further arguments that hold until it ends. */
    public void startAgain(String... once) {
        launchWith(once);
    }

    private void launchWith(String... once) {
        List<String> command = new ArrayList<>(List.of("redis-server"));
        if (sentinel != null) {
            command.addAll(List.of(sentinel.toString(), "--sentinel"));
        }
        option(command, "port", Integer.toString(port));
        option(command, "bind", ServerPlace.chosen().listenAddress());
        option(command, "protected-mode", "no");
        option(command, "dir", server.data().toString());
        option(command, "save", "");
        option(command, "appendonly", "yes");
        option(command, "appendfsync", "always");
        option(command, "loglevel", "warning");
        if (password != null) {
            option(command, "requirepass", password);
        }
        if (certificates != null) {
            option(command, "tls-port", Integer.toString(tlsPort));
            option(command, "tls-cert-file", certificates.serverCertificate().toString());
            option(command, "tls-key-file", certificates.serverKey().toString());
            option(command, "tls-ca-cert-file", certificates.ca().toString());
            option(command, "tls-auth-clients", clientCertificateRequired ? "yes" : "no");
        }
        command.addAll(arguments);
        command.addAll(List.of(once));
        try {
            Files.createDirectories(server.data());
            server.launch(command);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (UncheckedIOException e) {
            throw new UncheckedIOException(
                    "redis-server cannot be started; on Debian: apt-get install redis-server", e.getCause());
        }
    }

    private static void option(List<String> command, String name, String value) {
        command.add("--" + name);
        command.add(value);
    }

    /** It says so while it reads its file. */
    @Override
    boolean healthy() {
        try {
            return command(BRIEFLY, "PING").equals("PONG");
        } catch (IllegalStateException | UncheckedIOException notYet) {
            return false;
        }
    }

    @Override
    public boolean leads() {
        return info(BRIEFLY, "role").equals("master");
    }

    /** A line of {@code INFO}. */
    public String info(String name) {
        return info(PATIENTLY, name);
    }

    private String info(int millis, String name) {
        return command(millis, "INFO", "all")
                .lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1))
                .findFirst()
                .orElseThrow();
    }

    /** How often a command was called, those included that scripts call. From Redis 7 on each subcommand is counted by itself. */
    public long calls(String command) {
        return command("INFO", "commandstats")
                .lines()
                .filter(line -> line.matches("cmdstat_" + command + "[:|].*"))
                .mapToLong(line -> Long.parseLong(line.replaceFirst(".*:calls=(\\d+),.*", "$1")))
                .sum();
    }

    @Override
    public int clientPort() {
        return port;
    }

    /** Where clients connect by TLS, if it was started with certificates. */
    public int tlsPort() {
        return tlsPort;
    }

    /** Where clients connect: {@code redis://127.0.0.1:port}. */
    public String uri() {
        return "redis://127.0.0.1:" + port;
    }

    /** The same by TLS. */
    public String tlsUri() {
        return "rediss://127.0.0.1:" + tlsPort;
    }

    /** Shows other certificates, and trusts their authority, from its next start on. Needs a process that does not run. */
    public void use(Certificates others) {
        if (certificates == null) {
            throw new IllegalStateException("this server is not encrypted");
        }
        certificates.become(others);
    }

    /** A copy of what is on its disk; deleted with it. Needs a process. */
    public Path backup() {
        Path data = server.reachableData();
        Path copy = data.resolveSibling("backup-" + System.nanoTime());
        awaitWholeFile();
        pause();
        try {
            copy(data, copy);
        } finally {
            resume();
        }
        return copy;
    }

    /** A replica writes its file anew after it was synchronized, in a process of its own: until that ends, its file lacks everything. */
    private void awaitWholeFile() {
        await(
                "the append-only file is whole",
                () -> info("aof_rewrite_in_progress").equals("0")
                        && info("aof_rewrite_scheduled").equals("0"));
    }

    /** Puts a backup in place of the data of a server that does not run. Needs a process. */
    public void restore(Path backup) {
        wipe();
        copy(backup, server.reachableData());
    }

    private static void copy(Path from, Path to) {
        try (var files = Files.walk(from)) {
            for (Path folder : files.filter(Files::isDirectory).toList()) {
                Files.createDirectories(to.resolve(from.relativize(folder).toString()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Directories.copy(from, to);
    }

    /**
     * Has a command executed as the default user, over a connection of its own; lists are lines of the result.
     *
     * @throws IllegalStateException if it is answered with an error
     * @throws UncheckedIOException if it is not answered, though there was time enough for a server that is held up
     */
    public String command(String... words) {
        return command(PATIENTLY, words);
    }

    private String command(int millis, String... words) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), millis);
            socket.setSoTimeout(millis);
            InputStream in = new BufferedInputStream(socket.getInputStream());
            if (password != null) {
                send(socket, "AUTH", password);
                String unused = answer(in);
            }
            send(socket, words);
            return answer(in);
        } catch (IOException e) {
            throw new UncheckedIOException(String.join(" ", words), e);
        }
    }

    private static void send(Socket socket, String... words) throws IOException {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(("*" + words.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
        for (String word : words) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            request.writeBytes(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
            request.writeBytes(bytes);
            request.writeBytes(new byte[] {'\r', '\n'});
        }
        socket.getOutputStream().write(request.toByteArray());
    }

    private static String answer(InputStream in) throws IOException {
        String line = line(in);
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+', ':' -> rest;
            case '$' -> rest.equals("-1") ? "" : text(in, Integer.parseInt(rest));
            case '*' -> {
                List<String> elements = new ArrayList<>();
                for (int left = Integer.parseInt(rest); left > 0; left--) {
                    elements.add(answer(in));
                }
                yield String.join("\n", elements);
            }
            default -> throw new IllegalStateException(line);
        };
    }

    private static String text(InputStream in, int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        String unused = line(in);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("the server closed the connection");
            }
            if (b != '\r') {
                line.write(b);
            }
        }
        return line.toString(StandardCharsets.UTF_8);
    }
}
