// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.http;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.support.Tls;
import org.snowflakeid.support.TlsKeys;
import org.snowflakeid.testservers.Certificates;

/** Answers each request over TLS with 200. */
final class TlsServer implements AutoCloseable {
    private final HttpsServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger requests = new AtomicInteger();

    private TlsServer(Certificates certificates) throws IOException, GeneralSecurityException {
        TlsKeys keys = TlsKeys.below("snowflake.server.tls");
        Map<Key<Path>, Path> files =
                Map.of(keys.cert(), certificates.serverCertificate(), keys.key(), certificates.serverKey());
        SettingsReader reader = new SettingsReader("server", name -> files.entrySet().stream()
                .filter(file -> file.getKey().name().equals(name))
                .map(file -> file.getValue().toString())
                .findFirst()
                .orElse(null));
        Tls tls = keys.read(reader);
        reader.throwProblems();
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(tls.keyManagers().orElseThrow().getKeyManagers(), null, null);
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        // A handshake that is held up holds up one of them.
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            requests.incrementAndGet();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
    }

    static TlsServer start(Certificates certificates) throws IOException, GeneralSecurityException {
        return new TlsServer(certificates);
    }

    int port() {
        return server.getAddress().getPort();
    }

    int requests() {
        return requests.get();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
