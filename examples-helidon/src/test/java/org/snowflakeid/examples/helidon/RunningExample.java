// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.helidon;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The packaged example as a process of its own, configured by its environment alone. */
final class RunningExample implements AutoCloseable {

    private static final Path TARGET = Path.of("target");

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final int port;
    private final Path log;
    private final Process process;

    private RunningExample(String name, Map<String, String> environment) throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        log = TARGET.resolve(name + ".log");
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        TARGET.resolve("examples-helidon.jar").toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().keySet().removeIf(key -> key.startsWith("SNOWFLAKE_"));
        builder.environment().put("SERVER_PORT", Integer.toString(port));
        builder.environment().putAll(environment);
        process = builder.start();
    }

    /** @param name that of its log file */
    static RunningExample start(String name, Map<String, String> environment) throws Exception {
        RunningExample example = new RunningExample(name, environment);
        try {
            example.await("/health/ready", answer -> answer.statusCode() == 200);
            return example;
        } catch (Exception | Error e) {
            example.close();
            throw e;
        }
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(10))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** Asks until the answer is as wanted, and returns it. */
    HttpResponse<String> await(String path, Predicate<HttpResponse<String>> wanted) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        Object last = "";
        while (System.nanoTime() < deadline) {
            try {
                HttpResponse<String> answer = get(path);
                if (wanted.test(answer)) {
                    return answer;
                }
                last = answer + " " + answer.body();
            } catch (IOException notThere) {
                last = notThere;
            }
            if (process.waitFor(50, TimeUnit.MILLISECONDS)) {
                throw new AssertionError("the example ended with " + process.exitValue() + ":\n" + log());
            }
        }
        throw new AssertionError(path + " was last " + last + ", and its log is\n" + log());
    }

    String log() throws IOException {
        return Files.readString(log);
    }

    /** SIGTERM. Returns the exit code. */
    int terminate() throws Exception {
        process.destroy();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            throw new AssertionError("still running 20 s after SIGTERM:\n" + log());
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
