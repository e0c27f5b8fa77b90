// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Key;
import org.snowflakeid.spi.SettingsReader;
import org.snowflakeid.spi.Tls;
import org.snowflakeid.spi.TlsKeys;

/** The keys {@code snowflake.etcd.*}, checked: whatever can be known to be wrong without asking a server is refused here. */
final class EtcdSettings {
    static final Key<String> ENDPOINTS = Key.addressWithoutCredentials(
                    "snowflake.etcd.endpoints",
                    "URLs joined by commas",
                    "Set snowflake.etcd.user and snowflake.etcd.password instead.")
            .required("Set it to the URLs of the etcd servers, such as http://localhost:2379.")
            .use(Key.Use.ESSENTIAL)
            .meaning("The servers, all `http` or all `https`.");
    static final Key<String> USER =
            Key.text("snowflake.etcd.user").use(Key.Use.OFTEN).meaning("Set together with the password.");
    static final Key<String> PASSWORD =
            Key.secret("snowflake.etcd.password", "text").use(Key.Use.OFTEN).meaning("Set together with the user.");
    private static final TlsKeys TLS = TlsKeys.below("snowflake.etcd.tls");
    static final Key<Path> TLS_CA = TLS.ca();
    static final Key<Path> TLS_CERT = TLS.cert();
    static final Key<Path> TLS_KEY = TLS.key();
    static final Key<Duration> CALL_TIMEOUT = Key.duration("snowflake.etcd.call-timeout", "PT0.1S", "PT1M")
            .otherwise("what the window allows")
            .meaning("Upper bound of one call.");

    static final List<Key<?>> KEYS = List.of(ENDPOINTS, USER, PASSWORD, TLS_CA, TLS_CERT, TLS_KEY, CALL_TIMEOUT);

    private final CoordinatorConfig config;
    private final Access access;
    private final @Nullable Duration callTimeout;

    /**
     * Which servers are reached, and how; equal for those who may use the same client. A file that was replaced since makes a difference.
     *
     * @param endpoints scheme, host and port each
     * @param files of the encryption
     * @param sslContext made of these; null over plain HTTP
     */
    record Access(
            List<URI> endpoints,
            @Nullable String user,
            @Nullable String password,
            Tls files,
            @Nullable JdkSslContext sslContext) {

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Access access
                    && endpoints.equals(access.endpoints)
                    && Objects.equals(user, access.user)
                    && Objects.equals(password, access.password)
                    && files.equals(access.files);
        }

        @Override
        public int hashCode() {
            return Objects.hash(endpoints, user, password, files);
        }

        /** Without the password. */
        @Override
        public String toString() {
            return endpoints.stream().map(URI::toString).collect(Collectors.joining(","));
        }
    }

    /** @throws InvalidSettingsException naming every problem at once */
    static EtcdSettings of(CoordinatorConfig config) {
        return new EtcdSettings(config);
    }

    private EtcdSettings(CoordinatorConfig config) {
        this.config = config;
        SettingsReader reader = new SettingsReader(config);
        List<URI> endpoints = readEndpoints(reader);
        String user = reader.optional(USER).orElse(null);
        String password = reader.optional(PASSWORD).orElse(null);
        if (user != null && password == null) {
            reader.refuse(USER, "comes without a password. Set " + PASSWORD + " or remove it.");
        }
        if (user == null && password != null) {
            reader.refuse(PASSWORD, "comes without a user. Set " + USER + " or remove it.");
        }
        Tls files = TLS.read(reader);
        access = new Access(endpoints, user, password, files, sslContext(reader, endpoints, files));
        callTimeout = reader.optional(CALL_TIMEOUT).orElse(null);
        reader.throwProblems();
    }

    private static List<URI> readEndpoints(SettingsReader reader) {
        Optional<String> text = reader.optional(ENDPOINTS);
        if (text.isEmpty()) {
            return List.of();
        }
        List<URI> uris = new ArrayList<>();
        for (String part : text.get().split(",", -1)) {
            URI uri = endpoint(part.strip());
            if (uri == null) {
                reader.refuse(
                        ENDPOINTS,
                        "holds '" + ENDPOINTS.shown(part.strip()) + "', which is not the URL of a server."
                                + " Write http://host:2379 or https://host:2379, several joined by commas.");
                return List.of();
            }
            uris.add(uri);
        }
        if (uris.stream().map(EtcdSettings::scheme).distinct().count() > 1) {
            reader.refuse(ENDPOINTS, "mixes http and https. Use the same for all of them.");
        }
        return List.copyOf(uris);
    }

    private static @Nullable URI endpoint(String text) {
        try {
            URI uri = new URI(text);
            boolean known = scheme(uri).equals("http") || scheme(uri).equals("https");
            String path = uri.getPath();
            boolean bare = uri.getUserInfo() == null
                    && uri.getQuery() == null
                    && uri.getFragment() == null
                    && (path == null || path.isEmpty() || path.equals("/"));
            int port = uri.getPort() == -1 ? 2379 : uri.getPort();
            if (!known || !bare || uri.getHost() == null || port < 1 || port > 65_535) {
                return null;
            }
            return new URI(scheme(uri), null, uri.getHost(), port, null, null, null);
        } catch (URISyntaxException e) {
            return null;
        }
    }

    private static String scheme(URI uri) {
        return String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    }

    private static @Nullable JdkSslContext sslContext(SettingsReader reader, List<URI> endpoints, Tls files) {
        if (endpoints.isEmpty()) {
            return null;
        }
        if (!scheme(endpoints.get(0)).equals("https")) {
            if (TLS.areSet(reader)) {
                reader.refuse(
                        ENDPOINTS,
                        "is not encrypted, but snowflake.etcd.tls.* is set. Write https:// or remove the latter.");
            }
            return null;
        }
        try {
            SslContextBuilder builder = SslContextBuilder.forClient().trustManager(files.trustManagers());
            files.keyManagers().ifPresent(builder::keyManager);
            // The JDK's implementation, so that the same context serves the HTTP request for the server's time.
            return (JdkSslContext)
                    GrpcSslContexts.configure(builder, SslProvider.JDK).build();
        } catch (SSLException | GeneralSecurityException e) {
            reader.refuse(
                    reader.isSet(TLS_CA) ? TLS_CA : TLS_CERT,
                    "can't be used (" + e.getMessage() + "). Name PEM files.");
            return null;
        }
    }

    String namespace() {
        return config.namespace();
    }

    String generator() {
        return config.generator();
    }

    Access access() {
        return access;
    }

    List<URI> endpoints() {
        return access.endpoints();
    }

    /** For messages. */
    String endpointsText() {
        return access.toString();
    }

    @Nullable
    String user() {
        return access.user();
    }

    /** The shorter of what the caller grants and what the settings allow. */
    Duration callTimeout(Duration granted) {
        return callTimeout != null && callTimeout.compareTo(granted) < 0 ? callTimeout : granted;
    }
}
