// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What etcd's own command puts before a server: a proxy of requests, or of connections. */
public final class EtcdProxy extends TestServer {
    private final List<String> command;
    private final int port;

    private EtcdProxy(String kind, int port, EtcdServer behind, String... arguments) {
        super("etcd " + kind, ServerPlace.chosen().server("etcd", "etcd-" + kind + "-" + port, Map.of(), port));
        this.port = port;
        this.command = new ArrayList<>(List.of("etcd", kind, "start"));
        command.add("--endpoints=" + behind.endpointOfServers());
        command.add("--listen-addr=" + ServerPlace.chosen().listenAddress() + ":" + port);
        command.addAll(List.of(arguments));
    }

    /** {@code etcd grpc-proxy}, which answers requests as a client of its own of the server, and merges those of its clients. */
    public static EtcdProxy ofRequests(EtcdServer behind, String... arguments) {
        int port = FreePorts.next();
        EtcdProxy proxy = new EtcdProxy("grpc-proxy", port, behind, arguments);
        proxy.command.add("--data-dir=" + proxy.server.data());
        proxy.command.add("--advertise-client-url=127.0.0.1:" + port);
        return proxy.started(proxy);
    }

    /** {@code etcd gateway}, which passes on what is sent. */
    public static EtcdProxy ofConnections(EtcdServer behind) {
        EtcdProxy gateway = new EtcdProxy("gateway", FreePorts.next(), behind);
        // A start that finds the server busy is not to wait for a minute.
        gateway.command.add("--retry-delay=1s");
        return gateway.started(gateway);
    }

    /** Where clients connect. */
    public String endpoint() {
        return "http://127.0.0.1:" + port;
    }

    @Override
    public int clientPort() {
        return port;
    }

    @Override
    void launch() {
        server.launch(command);
    }

    @Override
    boolean healthy() {
        try {
            HttpURLConnection connection = (HttpURLConnection)
                    URI.create(endpoint() + "/health").toURL().openConnection();
            connection.setConnectTimeout(BRIEFLY);
            connection.setReadTimeout(BRIEFLY);
            connection.setRequestProperty("Connection", "close");
            try (var body = connection.getInputStream()) {
                return new String(body.readAllBytes(), StandardCharsets.UTF_8).contains("\"true\"");
            } finally {
                connection.disconnect();
            }
        } catch (IOException e) {
            return false;
        }
    }

    /** It is no member. */
    @Override
    public boolean leads() {
        return false;
    }
}
