// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers.kubernetes;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.mockwebserver.dsl.HttpMethod;
import io.fabric8.mockwebserver.http.Buffer;
import io.fabric8.mockwebserver.http.Headers;
import io.fabric8.mockwebserver.http.MockResponse;
import io.fabric8.mockwebserver.http.RecordedRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.support.Tls;
import org.snowflakeid.support.TlsKeys;
import org.snowflakeid.testservers.Certificates;

/**
 * fabric8's mock of an API server keeps the objects and refuses what has another {@code resourceVersion}. This class adds what the mock
 * lacks, as a real kube-apiserver does it: tokens, rights, the date, rules for names and labels, {@code uid}, selectors, pages of one
 * moment, and
 * bodies that say what was refused.
 */
public final class MockApiServer implements ApiServer {
    static {
        // Otherwise each answer waits for the acknowledgement of its first packet, 40 ms.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        // The first request loads a thousand classes: on a busy machine that takes longer than a call may.
        KubernetesCrudDispatcher first = new KubernetesCrudDispatcher();
        require(first.handleCreate(request(
                HttpMethod.POST,
                path(""),
                "{\"kind\":\"Lease\",\"apiVersion\":\"coordination.k8s.io/v1\",\"metadata\":{\"name\":\"first\"}}")));
        require(first.handleGet(path("first")));
    }

    private static final Pattern PATH =
            Pattern.compile("/apis/coordination\\.k8s\\.io/v1/namespaces/([^/]+)/leases(?:/([^/]+))?");
    private static final Pattern NAME =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
    private static final Pattern LABEL = Pattern.compile("([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?");
    private static final Pattern IN = Pattern.compile("([^ ,]+) in \\(([^)]*)\\),?");

    /** An answer in place of the right one. */
    public record Fault(int code, String body, Map<String, String> headers) {

        /** None: the right answer. */
        public static final Fault PASS = new Fault(0, "", Map.of());

        /** As an API server words it. */
        public static Fault of(int code, String reason, String message) {
            return new Fault(code, status(code, reason, message, new JsonObject()), Map.of());
        }
    }

    private final @Nullable Certificates certificates;
    private final Path directory;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "mock-api-server");
        thread.setDaemon(true);
        return thread;
    });
    private final Map<String, List<String>> rights = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final Map<String, ConcurrentLinkedDeque<Fault>> faults = new ConcurrentHashMap<>();
    private final Map<String, JsonArray> snapshots = new ConcurrentHashMap<>();
    private volatile KubernetesCrudDispatcher objects = new KubernetesCrudDispatcher();
    private volatile Runnable beforeAnswer = () -> {};
    private volatile boolean namespaceExists = true;
    private HttpServer server;

    private MockApiServer(boolean encrypted) {
        try {
            directory = Files.createTempDirectory("mock-api-server");
            certificates = encrypted ? new Certificates(directory) : null;
            server = listen(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static MockApiServer start() {
        return new MockApiServer(false);
    }

    public static MockApiServer startEncrypted() {
        return new MockApiServer(true);
    }

    private HttpServer listen(int port) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        HttpServer made;
        if (certificates == null) {
            made = HttpServer.create(address, 0);
        } else {
            HttpsServer https = HttpsServer.create(address, 0);
            https.setHttpsConfigurator(new HttpsConfigurator(context(certificates)) {
                @Override
                public void configure(HttpsParameters parameters) {
                    SSLParameters wanted = getSSLContext().getDefaultSSLParameters();
                    wanted.setWantClientAuth(true);
                    parameters.setSSLParameters(wanted);
                }
            });
            made = https;
        }
        made.setExecutor(threads);
        made.createContext("/", this::answer);
        made.start();
        return made;
    }

    private static SSLContext context(Certificates files) {
        Map<String, String> keys = Map.of(
                "snowflake.test.ca", files.ca().toString(),
                "snowflake.test.cert", files.serverCertificate().toString(),
                "snowflake.test.key", files.serverKey().toString());
        try {
            Tls tls = TlsKeys.below("snowflake.test").read(new SettingsReader("test", keys::get));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    tls.keyManagers().map(KeyManagerFactory::getKeyManagers).orElseThrow(),
                    tls.trustManagers().getTrustManagers(),
                    null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    // ---- for tests

    @Override
    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public Certificates certificates() {
        return Objects.requireNonNull(certificates, "not encrypted");
    }

    @Override
    public Path token(List<String> verbs) {
        String token = UUID.randomUUID().toString();
        rights.put(token, verbs);
        try {
            return Files.writeString(directory.resolve("token-" + token), token + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A client that shows a certificate of that name needs no token. */
    public void acceptCertificate(String name) {
        rights.put(name, VERBS);
    }

    /** The next request of that kind, such as {@code update}, gets this answer and is not carried out. */
    public void fail(String verb, Fault... answers) {
        faults.computeIfAbsent(verb, v -> new ConcurrentLinkedDeque<>()).addAll(List.of(answers));
    }

    /** Runs when a request has been carried out, and before it is answered. */
    public void beforeAnswer(Runnable task) {
        beforeAnswer = task;
    }

    /** After {@link #deleteNamespace}: an empty one. */
    public void createNamespace() {
        namespaceExists = true;
    }

    public void deleteNamespace() {
        namespaceExists = false;
        objects = new KubernetesCrudDispatcher();
    }

    @Override
    public List<String> requests() {
        return List.copyOf(requests);
    }

    @Override
    public String lease(String name) {
        return string(objects.handleGet(path(name)));
    }

    @Override
    public void put(String name, String json) {
        while (true) {
            String present = string(objects.handleGet(path(name)));
            if (present.isEmpty()) {
                require(objects.handleCreate(request(HttpMethod.POST, path(""), json)));
                return;
            }
            // Whatever version was edited: a generator may have written since, and may do so right now.
            JsonObject lease = JsonParser.parseString(json).getAsJsonObject();
            JsonObject current = JsonParser.parseString(present).getAsJsonObject();
            metadata(lease).add("resourceVersion", metadata(current).get("resourceVersion"));
            MockResponse answer = objects.handleUpdate(request(HttpMethod.PUT, path(name), lease.toString()));
            if (answer.code() != 409) {
                require(answer);
                return;
            }
        }
    }

    @Override
    public void delete(String name) {
        require(objects.handleDelete(path(name)));
    }

    private static String path(String name) {
        return "/apis/coordination.k8s.io/v1/namespaces/" + NAMESPACE + "/leases" + (name.isEmpty() ? "" : "/" + name);
    }

    private static void require(MockResponse response) {
        if (response.code() >= 300) {
            throw new IllegalStateException(response.code() + " " + string(response));
        }
    }

    @Override
    public void kill() {
        server.stop(0);
    }

    @Override
    public void startAgain() {
        try {
            server = listen(port());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Backup backup() {
        JsonArray held = items(string(objects.handleGet(path(""))));
        return () -> {
            kill();
            objects = new KubernetesCrudDispatcher();
            held.forEach(each -> require(objects.handleCreate(request(HttpMethod.POST, path(""), each.toString()))));
            startAgain();
        };
    }

    @Override
    public void loseAllData() {
        kill();
        objects = new KubernetesCrudDispatcher();
        startAgain();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- what it answers

    private record Said(int status, String body, Map<String, String> headers) {
        Said(int status, String body) {
            this(status, body, Map.of());
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Said said = said(exchange.getRequestMethod(), exchange.getRequestURI(), client(exchange), body);
            beforeAnswer.run();
            byte[] bytes = said.body().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            said.headers().forEach(exchange.getResponseHeaders()::set);
            exchange.sendResponseHeaders(said.status(), bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    /** A token, or the name of a certificate; empty without either. */
    private static String client(HttpExchange exchange) {
        String authorization = exchange.getRequestHeaders().getFirst("Authorization");
        if (authorization != null) {
            return authorization.replaceFirst("^Bearer ", "");
        }
        try {
            return exchange instanceof HttpsExchange https
                    ? https.getSSLSession().getPeerPrincipal().getName()
                    : "";
        } catch (SSLPeerUnverifiedException none) {
            return "";
        }
    }

    private Said said(String method, URI uri, String client, String body) {
        Matcher path = PATH.matcher(uri.getPath());
        if (!path.matches()) {
            return new Said(404, "404 page not found\n");
        }
        String namespace = path.group(1);
        String name = path.group(2) == null ? "" : path.group(2);
        String verb =
                switch (method) {
                    case "GET" -> name.isEmpty() ? "list" : "get";
                    case "POST" -> "create";
                    case "PUT" -> "update";
                    default -> method;
                };
        requests.add(verb + " leases");
        Fault fault = faults.getOrDefault(verb, new ConcurrentLinkedDeque<>()).poll();
        if (fault != null && !fault.equals(Fault.PASS)) {
            return new Said(fault.code(), fault.body(), fault.headers());
        }
        List<String> verbs = rights.get(client);
        if (verbs == null) {
            return refused(401, "Unauthorized", "Unauthorized", "", "");
        }
        if (!verbs.contains(verb) || !namespace.equals(NAMESPACE)) {
            return refused(
                    403,
                    "Forbidden",
                    "leases.coordination.k8s.io" + (name.isEmpty() ? "" : " \"" + name + "\"")
                            + " is forbidden: User \"system:serviceaccount:apps:app\" cannot " + verb
                            + " resource \"leases\" in API group \"coordination.k8s.io\" in the namespace \""
                            + namespace + "\"",
                    name,
                    "leases");
        }
        // As one step: rules of which the mock knows nothing are checked before it.
        synchronized (this) {
            return switch (verb) {
                case "get" -> found(objects.handleGet(uri.getPath()), name);
                case "list" -> listed(uri);
                case "create" -> created(uri, body);
                case "update" -> updated(uri, name, body);
                default -> refused(405, "MethodNotAllowed", "not allowed", name, "leases");
            };
        }
    }

    private static Said found(MockResponse response, String name) {
        return response.code() == 404
                ? refused(404, "NotFound", "leases.coordination.k8s.io \"" + name + "\" not found", name, "leases")
                : new Said(response.code(), string(response));
    }

    private Said created(URI uri, String body) {
        JsonObject lease = JsonParser.parseString(body).getAsJsonObject();
        String name = metadata(lease).get("name").getAsString();
        if (!namespaceExists) {
            return refused(404, "NotFound", "namespaces \"" + NAMESPACE + "\" not found", NAMESPACE, "namespaces");
        }
        Said invalid = invalid(lease, name);
        if (invalid != null) {
            return invalid;
        }
        if (metadata(lease).has("resourceVersion")) {
            return refused(500, "", "resourceVersion should not be set on objects to be created", name, "leases");
        }
        MockResponse response = objects.handleCreate(request(HttpMethod.POST, uri.toString(), body));
        return response.code() == 409
                ? refused(
                        409,
                        "AlreadyExists",
                        "leases.coordination.k8s.io \"" + name + "\" already exists",
                        name,
                        "leases")
                : new Said(response.code(), string(response));
    }

    private Said updated(URI uri, String name, String body) {
        JsonObject lease = JsonParser.parseString(body).getAsJsonObject();
        Said invalid = invalid(lease, name);
        if (invalid != null) {
            return invalid;
        }
        String present = string(objects.handleGet(uri.getPath()));
        JsonElement uid = metadata(lease).get("uid");
        if (present.isEmpty() && uid == null) {
            // So it is with leases.
            metadata(lease).remove("resourceVersion");
            return created(URI.create(path("")), lease.toString());
        }
        boolean same = !present.isEmpty()
                && (uid == null
                        || uid.equals(metadata(JsonParser.parseString(present).getAsJsonObject())
                                .get("uid")));
        MockResponse response =
                same ? objects.handleUpdate(request(HttpMethod.PUT, uri.toString(), body)) : new MockResponse();
        return !same || response.code() == 409
                ? refused(
                        409,
                        "Conflict",
                        "Operation cannot be fulfilled on leases.coordination.k8s.io \"" + name
                                + "\": the object has been modified",
                        name,
                        "leases")
                : new Said(response.code(), string(response));
    }

    private static @Nullable Said invalid(JsonObject lease, String name) {
        boolean named = name.length() <= 253 && NAME.matcher(name).matches();
        JsonElement labels = metadata(lease).get("labels");
        boolean labelled = labels == null
                || labels.getAsJsonObject().entrySet().stream()
                        .allMatch(each ->
                                LABEL.matcher(each.getValue().getAsString()).matches());
        return named && labelled
                ? null
                : refused(422, "Invalid", "Lease \"" + name + "\" is invalid: " + labels, name, "leases");
    }

    private static JsonObject metadata(JsonObject object) {
        return object.getAsJsonObject("metadata");
    }

    private Said listed(URI uri) {
        Map<String, String> query = new HashMap<>();
        for (String pair :
                uri.getRawQuery() == null ? new String[0] : uri.getRawQuery().split("&")) {
            int equals = pair.indexOf('=');
            query.put(pair.substring(0, equals), URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
        }
        String token = query.get("continue");
        JsonArray all;
        int from = 0;
        String snapshot = UUID.randomUUID().toString();
        if (token == null) {
            all = selected(items(string(objects.handleGet(uri.getPath()))), query.getOrDefault("labelSelector", ""));
        } else {
            String[] parts = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8).split(" ", 2);
            snapshot = parts[0];
            from = Integer.parseInt(parts[1]);
            all = Objects.requireNonNull(snapshots.get(snapshot), "a list that was not begun");
        }
        int to = Math.min(all.size(), from + Integer.parseInt(query.getOrDefault("limit", "1000000")));
        JsonObject metadata = new JsonObject();
        if (to < all.size()) {
            snapshots.put(snapshot, all);
            metadata.addProperty(
                    "continue",
                    Base64.getUrlEncoder().encodeToString((snapshot + " " + to).getBytes(StandardCharsets.UTF_8)));
        }
        JsonArray page = new JsonArray();
        for (int i = from; i < to; i++) {
            page.add(all.get(i));
        }
        JsonObject list = new JsonObject();
        list.addProperty("kind", "LeaseList");
        list.addProperty("apiVersion", "coordination.k8s.io/v1");
        list.add("metadata", metadata);
        list.add("items", page);
        return new Said(200, list.toString());
    }

    private static JsonArray selected(JsonArray all, String selector) {
        Map<String, List<String>> wanted = new HashMap<>();
        Matcher parts = IN.matcher(selector);
        int end = 0;
        while (parts.find() && parts.start() == end) {
            wanted.put(parts.group(1), Arrays.asList(parts.group(2).split(",")));
            end = parts.end();
        }
        if (end != selector.length()) {
            throw new IllegalArgumentException(selector);
        }
        JsonArray selected = new JsonArray();
        for (JsonElement each : all) {
            JsonElement labels = metadata(each.getAsJsonObject()).get("labels");
            Function<String, String> label =
                    key -> labels == null || !labels.getAsJsonObject().has(key)
                            ? ""
                            : labels.getAsJsonObject().get(key).getAsString();
            if (wanted.entrySet().stream().allMatch(w -> w.getValue().contains(label.apply(w.getKey())))) {
                selected.add(each);
            }
        }
        return selected;
    }

    private static JsonArray items(String list) {
        List<JsonElement> items = new ArrayList<>(JsonParser.parseString(list)
                .getAsJsonObject()
                .getAsJsonArray("items")
                .asList());
        JsonArray sorted = new JsonArray();
        items.stream().sorted((a, b) -> name(a).compareTo(name(b))).forEach(sorted::add);
        return sorted;
    }

    private static String name(JsonElement lease) {
        return metadata(lease.getAsJsonObject()).get("name").getAsString();
    }

    private static Said refused(int status, String reason, String message, String name, String kind) {
        JsonObject details = new JsonObject();
        details.addProperty("name", name);
        details.addProperty("kind", kind);
        return new Said(status, status(status, reason, message, details));
    }

    private static String status(int code, String reason, String message, JsonObject details) {
        JsonObject status = new JsonObject();
        status.addProperty("kind", "Status");
        status.addProperty("apiVersion", "v1");
        status.addProperty("status", "Failure");
        status.addProperty("message", message);
        status.addProperty("reason", reason);
        status.add("details", details);
        status.addProperty("code", code);
        return status.toString();
    }

    private static RecordedRequest request(HttpMethod method, String path, String body) {
        return new RecordedRequest(
                "HTTP/1.1",
                method,
                path,
                Headers.builder().add("Content-Type", "application/json").build(),
                new Buffer(body.getBytes(StandardCharsets.UTF_8)));
    }

    private static String string(MockResponse response) {
        return response.getBody() == null ? "" : response.getBody().readUtf8();
    }
}
