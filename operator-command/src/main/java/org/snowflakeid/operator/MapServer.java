// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The map of a namespace by HTTP, for browsers on this machine. It changes nothing. It has no passwords: all users of this machine may
 * look. So it must not be reached from elsewhere: neither over the network, nor through another site's page in a browser here.
 */
final class MapServer implements AutoCloseable {

    /** Small answers gain nothing from compression. */
    private static final int WORTH_COMPRESSING = 2_000;

    /** Within so many seconds a request must have arrived, and an answer must have been taken. */
    private static final Map<String, Integer> DEADLINES =
            Map.of("sun.net.httpserver.maxReqTime", 5, "sun.net.httpserver.maxRspTime", 120);

    static {
        // The JDK's server reads them once, and would wait for ever.
        DEADLINES.forEach((key, seconds) -> {
            if (System.getProperty(key) == null) {
                System.setProperty(key, seconds.toString());
            }
        });
    }

    private static final int HTTP = 80;

    private static final Map<String, String> PAGE = Map.of(
            "/", "index.html",
            "/map.css", "map.css",
            "/map.js", "map.js",
            "/icon.svg", "icon.svg");

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "svg", "image/svg+xml");

    private static final String JSON = "application/json; charset=utf-8";

    /** Nothing but this server's own files and answers: no inline script or style, no request to anywhere else, no frame around it. */
    private static final String CONTENT_SECURITY_POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none';"
                    + " form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

    private final HttpServer server;
    private final ExecutorService threads;
    private final LiveNamespace namespace;
    private final Set<String> ownNames;
    private final Gson gson = new GsonBuilder()
            .registerTypeAdapter(Instant.class, (JsonSerializer<Instant>)
                    (time, type, context) -> new JsonPrimitive(time.toString()))
            .create();

    private record Failure(String error) {}

    /**
     * Answers from here on, on 127.0.0.1 alone.
     *
     * @param port 0: any that is free
     */
    MapServer(LiveNamespace namespace, int port) throws IOException {
        this.namespace = namespace;
        InetAddress loopback = InetAddress.getByAddress("127.0.0.1", new byte[] {127, 0, 0, 1});
        server = HttpServer.create(new InetSocketAddress(loopback, port), 0);
        ownNames = ownNames(port());
        // As many as there are requests: one that never ends keeps its thread until its deadline, and must keep out no
        // other.
        threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "snowflake-map");
            thread.setDaemon(true);
            return thread;
        });
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    /** The host as browsers send it: they leave out HTTP's default port. */
    static Set<String> ownNames(int port) {
        Set<String> names = Set.of("127.0.0.1", "localhost", "[::1]");
        Set<String> all = names.stream().map(name -> name + ":" + port).collect(Collectors.toSet());
        if (port == HTTP) {
            all.addAll(names);
        }
        return all;
    }

    int port() {
        return server.getAddress().getPort();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Headers headers = exchange.getResponseHeaders();
            headers.set("Content-Security-Policy", CONTENT_SECURITY_POLICY);
            headers.set("X-Content-Type-Options", "nosniff");
            headers.set("Referrer-Policy", "no-referrer");
            headers.set("Cross-Origin-Resource-Policy", "same-origin");
            headers.set("Cross-Origin-Opener-Policy", "same-origin");
            headers.set("Cache-Control", "no-store");
            String path = exchange.getRequestURI().getPath();
            String file = PAGE.get(path);
            if (!isForUs(exchange)) {
                fail(exchange, 403, "This page is at http://127.0.0.1:" + port() + "/ and under no other name.");
            } else if (!exchange.getRequestMethod().equals("GET")) {
                headers.set("Allow", "GET");
                fail(exchange, 405, "Nothing can be changed here: GET is all there is.");
            } else if (file != null) {
                send(exchange, 200, TYPES.getOrDefault(file.substring(file.indexOf('.') + 1), ""), resource(file));
            } else if (!isOfOurPage(exchange)) {
                fail(exchange, 403, "Answers are for the page of this server, not for those of others.");
            } else {
                answer(exchange, path);
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * If the name of another site suddenly resolves to 127.0.0.1, the browser takes that site's pages for pages of this server. The name in
     * the request gives it away.
     */
    private boolean isForUs(HttpExchange exchange) {
        List<String> hosts = exchange.getRequestHeaders().getOrDefault("Host", List.of());
        return hosts.size() == 1 && ownNames.contains(hosts.get(0));
    }

    /** Browsers send this header; other clients need no protection from other pages. */
    private static boolean isOfOurPage(HttpExchange exchange) {
        String site = exchange.getRequestHeaders().getFirst("Sec-Fetch-Site");
        return site == null || site.equals("same-origin") || site.equals("none");
    }

    private void answer(HttpExchange exchange, String path) throws IOException, InterruptedException {
        if (path.equals("/changes")) {
            send(exchange, namespace.changes(exchange.getRequestURI().getQuery()));
        } else if (path.startsWith("/workers/")) {
            sendIfThere(
                    exchange,
                    namespace.worker(path.substring("/workers/".length())),
                    404,
                    "The namespace has no such worker id.");
        } else if (path.startsWith("/ids/")) {
            sendIfThere(
                    exchange,
                    namespace.id(path.substring("/ids/".length())),
                    400,
                    "That is no id: an id is a decimal number from 0 to " + Long.MAX_VALUE + ".");
        } else {
            fail(exchange, 404, "There is nothing here. The page is at /");
        }
    }

    private void sendIfThere(HttpExchange exchange, @Nullable Object answer, int otherwise, String error)
            throws IOException {
        if (answer == null) {
            fail(exchange, otherwise, error);
        } else {
            send(exchange, answer);
        }
    }

    private void send(HttpExchange exchange, Object answer) throws IOException {
        send(exchange, 200, JSON, json(answer));
    }

    private void fail(HttpExchange exchange, int status, String error) throws IOException {
        send(exchange, status, JSON, json(new Failure(error)));
    }

    private byte[] json(Object value) {
        return gson.toJson(value).getBytes(StandardCharsets.UTF_8);
    }

    private static void send(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", type);
        byte[] sent = body;
        String accepted = exchange.getRequestHeaders().getFirst("Accept-Encoding");
        if (body.length >= WORTH_COMPRESSING && accepted != null && accepted.contains("gzip")) {
            headers.set("Content-Encoding", "gzip");
            sent = compressed(body);
        }
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(status, -1);
            return;
        }
        exchange.sendResponseHeaders(status, sent.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(sent);
        }
    }

    private static byte[] compressed(byte[] body) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
            zip.write(body);
        }
        return bytes.toByteArray();
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = MapServer.class.getResourceAsStream("map/" + name)) {
            if (in == null) {
                throw new IOException(name + " is missing in this jar");
            }
            return in.readAllBytes();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        try {
            threads.awaitTermination(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
