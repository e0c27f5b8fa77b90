// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers.kubernetes;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.support.TlsKeys;
import org.snowflakeid.testservers.Certificates;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.FreePorts;

/** A kube-apiserver on an etcd of its own, with rights by roles (RBAC). Its program has to be at hand. */
final class RealApiServer implements ApiServer {
    private static final Duration START_TIMEOUT = Duration.ofMinutes(2);
    private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/" + NAMESPACE + "/leases";
    private static final String ROLES = "/apis/rbac.authorization.k8s.io/v1/namespaces/" + NAMESPACE;

    private final String program;
    private final Path directory;
    private final Certificates certificates;
    private final EtcdServer etcd = EtcdServer.start();
    private final int port = FreePorts.next();
    private final HttpClient administrator;

    /** What each user may do, by number. */
    private final List<List<String>> users = new ArrayList<>();

    private @Nullable Process process;

    private RealApiServer(String program) {
        this.program = program;
        try {
            directory = Files.createTempDirectory("kube-apiserver");
            certificates = new Certificates(directory);
            administrator = administrator(certificates);
            StringBuilder tokens = new StringBuilder("admin-token,admin,admin,\"system:masters\"\n");
            for (int i = 0; i < 100; i++) {
                tokens.append("token-" + i + ",user-" + i + "," + i + "\n");
            }
            Files.writeString(directory.resolve("tokens.csv"), tokens);
            Files.writeString(
                    directory.resolve("audit.yaml"),
                    json(
                            "{'apiVersion': 'audit.k8s.io/v1', 'kind': 'Policy', 'omitStages': ['RequestReceived'], 'rules':"
                                    + " [{'level': 'Metadata', 'resources': [{'group': 'coordination.k8s.io'}]}, {'level': 'None'}]}"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static RealApiServer start(String program) {
        RealApiServer server = new RealApiServer(program);
        Runtime.getRuntime().addShutdownHook(new Thread(server::kill));
        server.startAgain();
        return server;
    }

    private static HttpClient administrator(Certificates certificates) {
        try {
            Map<String, String> keys =
                    Map.of("snowflake.test.ca", certificates.ca().toString());
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    null,
                    TlsKeys.below("snowflake.test")
                            .read(new SettingsReader("test", keys::get))
                            .trustManagers()
                            .getTrustManagers(),
                    null);
            return HttpClient.newBuilder()
                    .sslContext(context)
                    .version(HttpClient.Version.HTTP_1_1)
                    .build();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String file(Path file) {
        return file.toString();
    }

    @Override
    public void startAgain() {
        List<String> command = List.of(
                program,
                "--etcd-servers=" + etcd.endpoint(),
                "--bind-address=127.0.0.1",
                "--advertise-address=127.0.0.1",
                "--secure-port=" + port,
                "--tls-cert-file=" + file(certificates.serverCertificate()),
                "--tls-private-key-file=" + file(certificates.serverKey()),
                "--client-ca-file=" + file(certificates.ca()),
                "--cert-dir=" + directory,
                "--token-auth-file=" + directory.resolve("tokens.csv"),
                "--authorization-mode=RBAC",
                "--service-account-issuer=https://kubernetes.default.svc",
                "--service-account-signing-key-file=" + file(certificates.serverKey()),
                "--service-account-key-file=" + file(certificates.serverCertificate()),
                "--service-cluster-ip-range=10.0.0.0/24",
                "--disable-admission-plugins=ServiceAccount",
                "--audit-policy-file=" + directory.resolve("audit.yaml"),
                "--audit-log-path=" + directory.resolve("audit.log"));
        File log = directory.resolve("log").toFile();
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        await(() -> ask("GET", "/readyz", null).statusCode() == 200);
        grantAll();
        // Rights are known to it a moment after they were granted.
        await(() -> users.isEmpty() || mayAsGranted(users.size() - 1));
    }

    private boolean mayAsGranted(int user) throws IOException, InterruptedException {
        if (!users.get(user).contains("list")) {
            TimeUnit.SECONDS.sleep(1);
            return true;
        }
        return send("GET", LEASES, null, "token-" + user).statusCode() == 200;
    }

    private void grantAll() {
        ask(
                "POST",
                "/api/v1/namespaces",
                json("{'kind': 'Namespace', 'apiVersion': 'v1', 'metadata': {'name': '" + NAMESPACE + "'}}"));
        for (int i = 0; i < users.size(); i++) {
            grant(i);
        }
    }

    private void grant(int user) {
        String head = "'apiVersion': 'rbac.authorization.k8s.io/v1', 'metadata': {'name': 'role-" + user + "'}, ";
        ask(
                "POST",
                ROLES + "/roles",
                json("{'kind': 'Role', " + head
                        + "'rules': [{'apiGroups': ['coordination.k8s.io'], 'resources': ['leases'], 'verbs': ['"
                        + String.join("', '", users.get(user)) + "']}]}"));
        ask(
                "POST",
                ROLES + "/rolebindings",
                json("{'kind': 'RoleBinding', " + head
                        + "'roleRef': {'apiGroup': 'rbac.authorization.k8s.io', 'kind': 'Role', 'name': 'role-" + user
                        + "'}, 'subjects': [{'kind': 'User', 'name': 'user-" + user + "'}]}"));
    }

    private static String json(String withOtherQuotes) {
        return withOtherQuotes.replace('\'', '"');
    }

    private HttpResponse<String> ask(String method, String path, @Nullable String body) {
        try {
            return send(method, path, body, "admin-token");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private HttpResponse<String> send(String method, String path, @Nullable String body, String token)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port + path))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .header("Content-Type", "application/json")
                .header("Authorization", "Bearer " + token)
                .timeout(Duration.ofSeconds(30))
                .build();
        return administrator.send(request, BodyHandlers.ofString());
    }

    private interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    private void await(Condition condition) {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (true) {
            try {
                if (condition.holds()) {
                    return;
                }
            } catch (IOException | UncheckedIOException notYet) {
                // Until the deadline.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
            if (System.nanoTime() - deadline > 0 || process == null || !process.isAlive()) {
                throw new IllegalStateException("the API server does not start, see " + directory.resolve("log"));
            }
            pauseBriefly();
        }
    }

    private static void pauseBriefly() {
        try {
            TimeUnit.MILLISECONDS.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public Certificates certificates() {
        return certificates;
    }

    @Override
    public Path token(List<String> verbs) {
        int user = users.size();
        users.add(verbs);
        grant(user);
        await(() -> mayAsGranted(user));
        try {
            return Files.writeString(directory.resolve("token-" + user), "token-" + user + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String lease(String name) {
        return ask("GET", LEASES + "/" + name, null).body();
    }

    @Override
    public void put(String name, String json) {
        JsonObject lease = JsonParser.parseString(json).getAsJsonObject();
        HttpResponse<String> present = ask("GET", LEASES + "/" + name, null);
        if (present.statusCode() == 404) {
            require(ask("POST", LEASES, lease.toString()));
        } else {
            // Whatever version was edited.
            JsonObject metadata = lease.getAsJsonObject("metadata");
            metadata.add(
                    "resourceVersion",
                    JsonParser.parseString(present.body())
                            .getAsJsonObject()
                            .getAsJsonObject("metadata")
                            .get("resourceVersion"));
            require(ask("PUT", LEASES + "/" + name, lease.toString()));
        }
    }

    @Override
    public void delete(String name) {
        require(ask("DELETE", LEASES + "/" + name, null));
    }

    private static void require(HttpResponse<String> response) {
        if (response.statusCode() >= 300) {
            throw new IllegalStateException(response.statusCode() + " " + response.body());
        }
    }

    @Override
    public List<String> requests() {
        try (Stream<String> lines = Files.lines(directory.resolve("audit.log"))) {
            return lines.map(line -> JsonParser.parseString(line).getAsJsonObject())
                    .filter(event -> event.getAsJsonObject("user").toString().contains("\"username\":\"user-"))
                    .map(event -> event.get("verb").getAsString() + " "
                            + event.getAsJsonObject("objectRef").get("resource").getAsString())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void kill() {
        Process running = process;
        if (running != null) {
            running.destroyForcibly().onExit().join();
        }
    }

    @Override
    public Backup backup() {
        Path backup = etcd.backup();
        return () -> {
            kill();
            etcd.kill();
            etcd.restore(backup);
            etcd.startAgain();
            etcd.awaitHealthy();
            startAgain();
        };
    }

    @Override
    public void loseAllData() {
        kill();
        etcd.kill();
        etcd.wipe();
        etcd.startAgain();
        etcd.awaitHealthy();
        startAgain();
    }

    @Override
    public void close() {
        kill();
        etcd.close();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
