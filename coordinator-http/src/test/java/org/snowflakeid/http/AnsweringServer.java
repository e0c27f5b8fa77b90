// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Answers each request with the same bytes, on a connection of its own. */
final class AnsweringServer implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final byte[] answer;
    private final boolean keepOpen;

    private AnsweringServer(String answer, boolean keepOpen) throws IOException {
        this.answer = answer.getBytes(StandardCharsets.UTF_8);
        this.keepOpen = keepOpen;
        Thread thread = new Thread(this::serve, "server");
        thread.setDaemon(true);
        thread.start();
    }

    /** @param answer without {@code HTTP/1.1}; empty: none */
    static AnsweringServer start(String answer) throws IOException {
        return new AnsweringServer(
                answer.isEmpty() ? "" : "HTTP/1.1 " + answer.replaceFirst("\r\n", "\r\nConnection: close\r\n"), false);
    }

    /** After an answer that need not be whole. */
    static AnsweringServer startAndKeepOpen(String answer) throws IOException {
        return new AnsweringServer(answer.isEmpty() ? "" : "HTTP/1.1 " + answer, true);
    }

    private void serve() {
        try {
            while (!server.isClosed()) {
                Socket socket = server.accept();
                open.add(socket);
                byte[] request = new byte[8_192];
                int length = socket.getInputStream().read(request);
                if (length > 0) {
                    requests.add(new String(request, 0, length, StandardCharsets.US_ASCII));
                    socket.getOutputStream().write(answer);
                }
                if (!keepOpen) {
                    socket.close();
                }
            }
        } catch (IOException closed) {
            // the end of the test
        }
    }

    int port() {
        return server.getLocalPort();
    }

    /** Each as far as it came at once. */
    List<String> requests() {
        return requests;
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket each : open) {
            each.close();
        }
    }
}
