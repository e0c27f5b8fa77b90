// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.extension;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Asks the application under test. */
final class Http {

    private Http() {}

    /** Between those of the test servers and those that Linux gives to connections: no other process takes it before the application does. */
    static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(32_000, 32_768);
            try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return free.getLocalPort();
            } catch (BindException taken) {
                // Then another one.
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static String get(int port, String path) {
        return send(path, request(port, path)).body();
    }

    static HttpResponse<String> post(int port, String path, String json) {
        return send(
                path,
                request(port, path)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    private static HttpRequest.Builder request(int port, String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .timeout(Duration.ofMinutes(2));
    }

    private static HttpResponse<String> send(String path, HttpRequest.Builder request) {
        try {
            return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(path, e);
        }
    }
}
