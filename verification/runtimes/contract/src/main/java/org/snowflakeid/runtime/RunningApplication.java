// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.snowflakeid.testservers.FreePorts;

/** A packaged application as a process of its own, configured by its environment. */
public final class RunningApplication implements AutoCloseable {

    /** Servers of a whole platform need half a minute on a quiet machine. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final Duration ANSWER = Duration.ofMinutes(2);

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final int port;
    private final String contextPath;
    private final Path log;
    private final Process process;

    private RunningApplication(Launcher launcher, String name, Map<String, String> environment) throws IOException {
        port = FreePorts.next();
        contextPath = launcher.contextPath();
        log = Path.of("target", name + ".log");
        ProcessBuilder builder =
                launcher.prepare(port).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().keySet().removeIf(key -> key.startsWith("SNOWFLAKE_"));
        builder.environment().putAll(environment);
        process = builder.start();
    }

    /**
     * Starts it and does not wait.
     *
     * @param name that of its log file
     */
    public static RunningApplication launch(Launcher launcher, String name, Map<String, String> environment)
            throws IOException {
        return new RunningApplication(launcher, name, environment);
    }

    /** Starts it and waits until it is ready. */
    public static RunningApplication start(Launcher launcher, String name, Map<String, String> environment)
            throws Exception {
        RunningApplication application = launch(launcher, name, environment);
        try {
            application.awaitReady();
            return application;
        } catch (Exception | Error e) {
            application.close();
            throw e;
        }
    }

    public void awaitReady() throws Exception {
        HttpResponse<String> ignored = await("/health/ready", answer -> answer.statusCode() == 200);
    }

    public HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return get(path, ANSWER);
    }

    /** @throws java.net.http.HttpTimeoutException if there is no answer in that time */
    public HttpResponse<String> get(String path, Duration timeout) throws IOException, InterruptedException {
        return get(address(path), timeout);
    }

    private HttpResponse<String> get(URI address, Duration timeout) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(address).timeout(timeout).build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Sends a body of JSON. */
    public HttpResponse<String> send(String method, String path, String body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(address(path))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .header("Content-Type", "application/json")
                .timeout(ANSWER)
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    public URI address(String path) {
        return URI.create("http://127.0.0.1:" + port + contextPath + path);
    }

    /** Asks until the answer is as wanted, and returns it. */
    public HttpResponse<String> await(String path, Predicate<HttpResponse<String>> wanted) throws Exception {
        return await(address(path), wanted);
    }

    /** The same at an address that is not below the application's own. */
    public HttpResponse<String> await(URI address, Predicate<HttpResponse<String>> wanted) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        Object last = "";
        while (System.nanoTime() < deadline) {
            try {
                HttpResponse<String> answer = get(address, ANSWER);
                if (wanted.test(answer)) {
                    return answer;
                }
                last = answer + " " + answer.body();
            } catch (IOException notThere) {
                last = notThere;
            }
            if (process.waitFor(50, TimeUnit.MILLISECONDS)) {
                throw new AssertionError("the application ended with " + process.exitValue() + ":\n" + log());
            }
        }
        throw new AssertionError(address + " was last " + last + ", and its log is\n" + log());
    }

    /** Whether it answers, and with what was asked for. */
    public boolean answers(String path) throws InterruptedException {
        try {
            // Open Liberty keeps requests waiting for an application that starts.
            return get(path, Duration.ofSeconds(2)).statusCode() == 200;
        } catch (IOException notThere) {
            return false;
        }
    }

    /** Of an application that must not start: some servers go on without it. */
    public void awaitEndOrLog(String pattern) throws Exception {
        Pattern wanted = Pattern.compile(pattern);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (isRunning() && !wanted.matcher(log()).find() && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    /** The body of an answer that must be JSON. */
    public static JsonObject json(HttpResponse<String> answer) {
        assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("application/json");
        try (JsonReader reader = Json.createReader(new StringReader(answer.body()))) {
            return reader.readObject();
        }
    }

    /** The id in an answer to {@code /ids}. */
    public static long id(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return Long.parseLong(json(answer).getString("id"));
    }

    public String log() throws IOException {
        return Files.readString(log);
    }

    public boolean isRunning() {
        return process.isAlive();
    }

    /** SIGTERM. Returns the exit code. */
    public int terminate() throws Exception {
        process.destroy();
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("still running " + PATIENCE + " after SIGTERM:\n" + log());
        }
        return process.exitValue();
    }

    /** What the JDK's command says of the process, {@code Thread.print} for example. */
    public String jcmd(String... command) throws Exception {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString());
        line.add(Long.toString(process.pid()));
        line.addAll(List.of(command));
        Process jcmd = new ProcessBuilder(line).redirectErrorStream(true).start();
        String output = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(jcmd.waitFor()).as(output).isZero();
        return output;
    }

    /** The largest amount of memory it has had, in MiB; 0 where the system doesn't tell. */
    public long peakMemory() throws IOException {
        Path status = Path.of("/proc", Long.toString(process.pid()), "status");
        if (!Files.exists(status)) {
            return 0;
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
                .findFirst()
                .orElse(0);
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
