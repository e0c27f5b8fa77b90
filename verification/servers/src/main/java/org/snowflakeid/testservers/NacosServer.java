// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One Nacos server with its built-in database on a free loopback port, in a JVM of its own, with a directory of its own that is deleted on
 * close. Its faults are those of a process: paused, killed, started again. It has no gRPC, which no coordinator uses. Modules that start
 * one depend on snowflake-nacos-server, and exclude what that needs.
 */
public final class NacosServer extends TestServer {
    private static final String MAIN = "org.snowflakeid.testservers.nacos.NacosMain";

    private final int port;
    private final @Nullable Certificates certificates;
    private final String contextPath;
    private final Map<String, String> properties;
    private final List<String> jvmArguments;

    private NacosServer(int port, Builder options) {
        super("Nacos " + port, new ServerProcess("nacos-" + port, Map.of()));
        this.port = port;
        this.contextPath = options.contextPath;
        this.properties = new LinkedHashMap<>(options.properties);
        this.jvmArguments = List.copyOf(options.jvmArguments);
        this.certificates = options.certificates == null
                ? null
                : options.certificates.copyTo(server.directory().resolve("certificates"));
        if (certificates != null) {
            properties.put(
                    "server.ssl.certificate", certificates.serverCertificate().toString());
            properties.put(
                    "server.ssl.certificate-private-key",
                    certificates.serverKey().toString());
            if (options.clientCertificateRequired) {
                properties.put("server.ssl.trust-certificate", certificates.ca().toString());
                properties.put("server.ssl.client-auth", "need");
            }
        }
    }

    /** A single server, answering, over plain HTTP. */
    public static NacosServer start() {
        return builder().start();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** What a server is started with. */
    public static final class Builder {
        private final Map<String, String> properties = new LinkedHashMap<>();
        private final List<String> jvmArguments = new ArrayList<>();
        private @Nullable Certificates certificates;
        private boolean clientCertificateRequired;
        private String contextPath = "/nacos";

        private Builder() {
            properties.put("nacos.core.auth.system.type", "nacos");
            properties.put("nacos.core.auth.server.identity.key", "snowflake");
            properties.put("nacos.core.auth.server.identity.value", "snowflake");
            properties.put(
                    "nacos.core.auth.plugin.nacos.token.secret.key",
                    "c25vd2ZsYWtlLXNub3dmbGFrZS1zbm93Zmxha2Utc25vd2ZsYWtlLTE=");
            users(false);
        }

        private void users(boolean enabled) {
            for (String api : List.of("", "admin.", "console.")) {
                properties.put("nacos.core.auth." + api + "enabled", Boolean.toString(enabled));
            }
        }

        /** {@link #address()} is encrypted then; clients must show a certificate of the same authority if required. */
        public Builder tls(Certificates certificates, boolean clientCertificateRequired) {
            this.certificates = certificates;
            this.clientCertificateRequired = clientCertificateRequired;
            return this;
        }

        /** Clients that don't log in may do nothing. The user {@code nacos} has no password before {@link #post} gives it one. */
        public Builder users() {
            users(true);
            return this;
        }

        /** Its API is not below {@code /nacos}, but right below the host. */
        public Builder withoutContextPath() {
            contextPath = "";
            return configure("nacos.server.contextPath", "/");
        }

        /** A line of application.properties. */
        public Builder configure(String key, String value) {
            properties.put(key, value);
            return this;
        }

        /** Further arguments of the JVM, such as system properties. */
        public Builder jvmArguments(String... more) {
            jvmArguments.addAll(List.of(more));
            return this;
        }

        public NacosServer start() {
            NacosServer server = new NacosServer(FreePorts.next(), this);
            return server.started(server);
        }
    }

    @Override
    void launch() {
        Path home = server.directory();
        try {
            Files.createDirectories(server.data());
            Files.createDirectories(home.resolve("conf"));
            Files.writeString(
                    home.resolve("conf").resolve("application.properties"),
                    properties.entrySet().stream()
                            .map(line -> line.getKey() + "=" + line.getValue() + "\n")
                            .collect(Collectors.joining()));
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx256m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    // Killed processes lose nothing by it.
                    "-Dderby.system.durability=test",
                    "-Dderby.stream.error.file=" + home.resolve("derby.log"),
                    "-Dnacos.standalone=true",
                    "-Dnacos.functionMode=config",
                    "-Dnacos.home=" + home,
                    "-Dnacos.server.main.port=" + port,
                    "-Dserver.port=" + port,
                    "-Dserver.address=127.0.0.1",
                    "-Dnacos.server.ip=127.0.0.1",
                    "-Dnacos.inetutils.ip-address=127.0.0.1"));
            command.addAll(jvmArguments);
            command.addAll(List.of("-cp", home.resolve("conf") + ":" + ClassPath.OF_THE_SERVER, MAIN));
            server.launch(command);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    boolean healthy() {
        try {
            return certificates != null
                    ? listens()
                    : get("/v3/admin/core/state/readiness").contains("\"ok\"");
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    private boolean listens() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** It is the only one. */
    @Override
    public boolean leads() {
        return healthy();
    }

    @Override
    public int clientPort() {
        return port;
    }

    /** Where clients connect: {@code 127.0.0.1:port}, or {@code https://127.0.0.1:port}. */
    public String address() {
        return (certificates != null ? "https://" : "") + "127.0.0.1:" + port;
    }

    /** Shows other certificates, and trusts their authority, from its next start on. Needs a process that does not run. */
    public void use(Certificates others) {
        if (certificates == null) {
            throw new IllegalStateException("this server is not encrypted");
        }
        certificates.become(others);
    }

    /** The body of an answer of 200. Over plain HTTP. */
    public String get(String path) {
        return request("GET", path, "", "");
    }

    /** The same for a form that is posted, perhaps with the token of a login. */
    public String post(String path, String form, String accessToken) {
        return request("POST", path, form, accessToken);
    }

    /** Deletes a configuration. */
    public void delete(String nacosNamespace, String group, String dataId) {
        String unused = request(
                "DELETE",
                "/v3/admin/cs/config?namespaceId=" + nacosNamespace + "&groupName=" + group + "&dataId=" + dataId,
                "",
                "");
    }

    /** A namespace of Nacos, which the console shows then. */
    public void createNamespace(String id) {
        String unused = post("/v3/admin/core/namespace", "namespaceId=" + id + "&namespaceName=" + id, "");
    }

    public void deleteNamespace(String id) {
        String unused = request("DELETE", "/v3/admin/core/namespace?namespaceId=" + id, "", "");
    }

    private String request(String method, String path, String form, String accessToken) {
        try {
            HttpURLConnection connection =
                    (HttpURLConnection) URI.create("http://127.0.0.1:" + port + contextPath + path)
                            .toURL()
                            .openConnection();
            connection.setRequestMethod(method);
            connection.setConnectTimeout(1_000);
            connection.setReadTimeout(20_000);
            // A connection kept alive would leave a thread of the JDK behind, and tests check for that.
            connection.setRequestProperty("Connection", "close");
            if (!accessToken.isEmpty()) {
                connection.setRequestProperty("accessToken", accessToken);
            }
            if (!form.isEmpty()) {
                connection.setDoOutput(true);
                connection.getOutputStream().write(form.getBytes(StandardCharsets.UTF_8));
            }
            try (InputStream body = connection.getInputStream()) {
                return new String(body.readAllBytes(), StandardCharsets.UTF_8);
            } finally {
                connection.disconnect();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A copy of the data of a server that does not run; deleted with it. */
    public Path backup() {
        Path data = server.data();
        Path copy = data.resolveSibling("backup-" + System.nanoTime());
        Directories.copy(data, copy);
        return copy;
    }

    /** Puts a backup in place of the data of a server that does not run. */
    public void restore(Path backup) {
        wipe();
        Directories.copy(backup, server.data());
    }

    /** What Maven resolved, and the class that starts it. */
    private static final class ClassPath {
        static final String OF_THE_SERVER = find();

        private static String find() {
            URL resource = NacosServer.class.getResource("/nacos-server.classpath");
            if (resource == null) {
                throw new IllegalStateException("no snowflake-nacos-server is on the class path");
            }
            try (InputStream in = resource.openStream()) {
                String jars = new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
                Path home = Path.of(Class.forName(MAIN, false, NacosServer.class.getClassLoader())
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI());
                return home + ":" + jars;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (ClassNotFoundException | URISyntaxException | LinkageError e) {
                throw new IllegalStateException("the class that starts Nacos is not there", e);
            }
        }
    }
}
