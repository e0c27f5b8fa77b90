// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;

/** The map from the jar, as operators start and end it. */
class PackagedServeIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private static String get(int port, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(PATIENCE)
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    }

    private interface Look {
        void at(int port) throws Exception;
    }

    /** Starts the command, and ends it by a signal. */
    private void serve(String directory, Look look) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        Path.of("target", "snowflake-operator.jar").toString(),
                        "serve",
                        "--port=0",
                        "-Dsnowflake.file.directory=" + directory)
                .redirectError(folder.resolve("err").toFile());
        builder.environment().keySet().removeIf(key -> key.startsWith("SNOWFLAKE_"));
        Process process = builder.start();
        try (BufferedReader out = process.inputReader()) {
            String line = String.valueOf(out.readLine());
            Matcher url = Pattern.compile("http://127\\.0\\.0\\.1:([0-9]+)/").matcher(line);
            assertThat(url.find()).as(line).isTrue();
            look.at(Integer.parseInt(url.group(1)));
        } finally {
            process.destroy();
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
        assertThat(folder.resolve("err")).isEmptyFile();
    }

    @Test
    void thePageIsInTheJarAndASignalEndsTheCommand() throws Exception {
        String directory = folder.resolve("ids").toString();
        try (LeasedSnowflake ids = LeasedSnowflake.open(
                SnowflakeSettings.of(Map.of("snowflake.coordinator", "file", "snowflake.file.directory", directory)))) {
            serve(directory, port -> {
                assertThat(get(port, "/")).startsWith("<!DOCTYPE html>");
                assertThat(get(port, "/map.js")).contains("function poll()");
                assertThat(get(port, "/workers/0")).contains("\"workerId\":0");
                Scene.await(PATIENCE, () -> {
                    try {
                        return get(port, "/ids/" + ids.nextId()).contains("holds worker id")
                                || get(port, "/changes").isEmpty();
                    } catch (IOException | InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                });
            });
        }
    }

    /** The JDK's server learns its deadlines once in a process, so this needs one of its own. */
    @Test
    void aRequestThatNeverEndsIsEnded() throws Exception {
        String directory = folder.resolve("ids").toString();
        LeasedSnowflake.open(SnowflakeSettings.of(
                        Map.of("snowflake.coordinator", "file", "snowflake.file.directory", directory)))
                .close();
        serve(directory, port -> {
            try (Socket halfOpen = new Socket(InetAddress.getLoopbackAddress(), port)) {
                halfOpen.setSoTimeout((int) PATIENCE.toMillis());
                halfOpen.getOutputStream().write("GET / HT".getBytes(StandardCharsets.US_ASCII));

                assertThat(halfOpen.getInputStream().read()).isEqualTo(-1);
            }
        });
    }
}
