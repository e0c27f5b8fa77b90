// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One page in a headless Chromium, by the DevTools protocol. It resolves no host but this one, so that pages can't load anything from
 * elsewhere. Its absence is a failure: Debian's package is chromium.
 */
final class Browser implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final Path profile;
    private final Process process;
    private final WebSocket socket;
    private final AtomicInteger lastNumber = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonObject>> answers = new ConcurrentHashMap<>();

    /** What the page asked for, of any server. */
    final List<String> requests = new CopyOnWriteArrayList<>();

    /** Errors of the script, and what the Content-Security-Policy refused. */
    final List<String> complaints = new CopyOnWriteArrayList<>();

    Browser() {
        try {
            profile = Files.createTempDirectory("browser");
            process = new ProcessBuilder(
                            program(),
                            "--headless=new",
                            // Needs privileges that containers and build machines don't give; nothing foreign is shown.
                            "--no-sandbox",
                            "--disable-gpu",
                            "--disable-dev-shm-usage",
                            "--no-first-run",
                            "--disable-background-networking",
                            "--disable-component-update",
                            "--disable-sync",
                            "--hide-scrollbars",
                            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
                            "--user-data-dir=" + profile,
                            "--remote-debugging-port=0",
                            "about:blank")
                    .redirectErrorStream(true)
                    .redirectOutput(profile.resolve("output").toFile())
                    .start();
            Path port = profile.resolve("DevToolsActivePort");
            Scene.await(PATIENCE, () -> port.toFile().length() > 5);
            HttpClient client = HttpClient.newHttpClient();
            socket = client.newWebSocketBuilder()
                    .buildAsync(URI.create(page(client, Files.readAllLines(port).get(0))), new Answers())
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        List.of("Page", "Network", "Runtime", "Log").forEach(domain -> call(domain + ".enable", Map.of()));
    }

    private static String program() {
        return Stream.of("chromium", "chromium-browser", "google-chrome")
                .flatMap(name -> Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "no Chromium on the path; on Debian: apt-get install --no-install-recommends chromium"))
                .toString();
    }

    private static String page(HttpClient client, String port) throws IOException, InterruptedException {
        HttpRequest list = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/list"))
                .timeout(PATIENCE)
                .build();
        JsonArray pages = JsonParser.parseString(
                        client.send(list, HttpResponse.BodyHandlers.ofString()).body())
                .getAsJsonArray();
        for (JsonElement page : pages) {
            if (page.getAsJsonObject().get("type").getAsString().equals("page")) {
                return page.getAsJsonObject().get("webSocketDebuggerUrl").getAsString();
            }
        }
        throw new IllegalStateException("no page among " + pages);
    }

    private final class Answers implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                JsonObject message = JsonParser.parseString(text.toString()).getAsJsonObject();
                text.setLength(0);
                take(message);
            }
            from.request(1);
            return null;
        }
    }

    private void take(JsonObject message) {
        if (message.has("id")) {
            CompletableFuture<JsonObject> answer =
                    answers.remove(message.get("id").getAsInt());
            if (answer != null) {
                answer.complete(message);
            }
            return;
        }
        JsonObject params = message.getAsJsonObject("params");
        switch (message.get("method").getAsString()) {
            case "Network.requestWillBeSent" ->
                requests.add(params.getAsJsonObject("request").get("url").getAsString());
            case "Runtime.exceptionThrown" -> complaints.add(params.toString());
            case "Log.entryAdded" -> {
                JsonObject entry = params.getAsJsonObject("entry");
                // An answer of 400 is one to the page.
                if (!entry.get("source").getAsString().equals("network")) {
                    complaints.add(entry.toString());
                }
            }
            default -> {}
        }
    }

    private JsonObject call(String method, Map<String, ?> params) {
        int number = lastNumber.incrementAndGet();
        JsonObject message = new JsonObject();
        message.addProperty("id", number);
        message.addProperty("method", method);
        message.add("params", new Gson().toJsonTree(params));
        CompletableFuture<JsonObject> answer = new CompletableFuture<>();
        answers.put(number, answer);
        try {
            socket.sendText(message.toString(), true).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            JsonObject got = answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(got.has("error")).as(method + ": " + got).isFalse();
            return got.getAsJsonObject("result");
        } catch (Exception e) {
            throw new IllegalStateException(method + " in the browser", e);
        }
    }

    /** Leaves the page that was shown and forgets what it did. */
    void begin() {
        call("Page.navigate", Map.of("url", "about:blank"));
        await("location.href === 'about:blank' && document.readyState === 'complete'");
        requests.clear();
        complaints.clear();
    }

    void open(String url) {
        call("Page.navigate", Map.of("url", url));
        await(
                "document.body && document.body.dataset.ready === 'yes' && document.getElementById('live').className === ''");
    }

    /** What an expression gives, as text; a promise is awaited. */
    String evaluate(String expression) {
        JsonObject result =
                call("Runtime.evaluate", Map.of("expression", expression, "awaitPromise", true, "returnByValue", true));
        assertThat(result.has("exceptionDetails"))
                .as(expression + ": " + result)
                .isFalse();
        JsonElement value = result.getAsJsonObject("result").get("value");
        return value == null || value.isJsonNull() ? "" : value.getAsString();
    }

    String text(String selector) {
        return evaluate("document.querySelector('" + selector + "').textContent");
    }

    void await(String condition) {
        try {
            Scene.await(PATIENCE, () -> evaluate("!!(" + condition + ")").equals("true"));
        } catch (AssertionError e) {
            throw new AssertionError(
                    condition + " never came true. The page shows: " + evaluate("document.body.innerText") + "\n"
                            + complaints,
                    e);
        }
    }

    void awaitText(String selector, String part) {
        await("document.querySelector('" + selector + "').textContent.includes(" + new JsonPrimitive(part) + ")");
    }

    /** As a user at the keyboard does: into what has the focus. */
    void type(String selector, String text) {
        evaluate("{ const field = document.querySelector('" + selector + "'); field.focus(); field.select(); }");
        call("Input.insertText", Map.of("text", text));
    }

    /** A key that writes nothing, or Enter. */
    void press(String key, int code) {
        String written = key.equals("Enter") ? "\r" : "";
        call("Input.dispatchKeyEvent", key("keyDown", key, code, written));
        call("Input.dispatchKeyEvent", key("keyUp", key, code, ""));
    }

    private static Map<String, Object> key(String type, String key, int code, String text) {
        return Map.of("type", type, "key", key, "code", key, "windowsVirtualKeyCode", code, "text", text);
    }

    void dark(boolean dark) {
        call(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    }

    void size(int width, int height, double scale) {
        call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", scale, "mobile", false));
    }

    byte[] screenshot() {
        return Base64.getDecoder()
                .decode(call("Page.captureScreenshot", Map.of("format", "png"))
                        .get("data")
                        .getAsString());
    }

    List<String> cookies() {
        List<String> names = new ArrayList<>();
        call("Network.getAllCookies", Map.of())
                .getAsJsonArray("cookies")
                .forEach(cookie -> names.add(cookie.toString()));
        return names;
    }

    @Override
    public void close() {
        socket.abort();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        try {
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        // Its children may write a last file while they end.
        Scene.await(PATIENCE, () -> {
            delete(profile.toFile());
            return !profile.toFile().exists();
        });
    }

    private static void delete(File file) {
        for (File child : Objects.requireNonNullElse(file.listFiles(), new File[0])) {
            if (!Files.isSymbolicLink(child.toPath())) {
                delete(child);
            } else {
                var unused = child.delete();
            }
        }
        var unused = file.delete();
    }
}
