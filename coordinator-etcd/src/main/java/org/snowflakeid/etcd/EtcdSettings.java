// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.File;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.spi.CoordinatorConfig;

/**
 * The keys {@code snowflake.etcd.*}, checked: whatever can be known to be wrong without asking a server is refused here.
 *
 * <ul>
 *   <li>{@code endpoints}: <em>required</em>, URLs joined by commas, all http or all https
 *   <li>{@code user}, {@code password}: <em>optional</em>, both or none
 *   <li>{@code tls.ca}: <em>optional</em>, PEM file of the authorities to trust; default: those of the JVM
 *   <li>{@code tls.cert}, {@code tls.key}: <em>optional</em>, both or none, PEM files that identify this client
 *   <li>{@code call-timeout}: <em>optional</em>, an upper bound for each call; default: what the window allows
 * </ul>
 */
final class EtcdSettings {
    static final String ENDPOINTS = "snowflake.etcd.endpoints";
    static final String USER = "snowflake.etcd.user";
    static final String PASSWORD = "snowflake.etcd.password";
    static final String TLS_CA = "snowflake.etcd.tls.ca";
    static final String TLS_CERT = "snowflake.etcd.tls.cert";
    static final String TLS_KEY = "snowflake.etcd.tls.key";
    static final String CALL_TIMEOUT = "snowflake.etcd.call-timeout";

    private static final Duration MIN_CALL_TIMEOUT = Duration.ofMillis(100);
    private static final Duration MAX_CALL_TIMEOUT = Duration.ofMinutes(1);

    private final CoordinatorConfig config;
    private final List<String> problems = new ArrayList<>();
    private final List<URI> endpoints;
    private final @Nullable String user;
    private final @Nullable String password;
    private final @Nullable JdkSslContext tls;
    private final @Nullable Duration callTimeout;

    /** @throws InvalidSettingsException naming every problem at once */
    static EtcdSettings of(CoordinatorConfig config) {
        return new EtcdSettings(config);
    }

    private EtcdSettings(CoordinatorConfig config) {
        this.config = config;
        endpoints = readEndpoints();
        user = config.value(USER).orElse(null);
        // Not config.value(): blanks at the ends may belong to a password.
        String secret = config.settings().apply(PASSWORD);
        password = secret == null || secret.isEmpty() ? null : secret;
        if (user != null && password == null) {
            problem(USER, user, "comes without a password. Set " + PASSWORD + " or remove it.");
        }
        if (user == null && password != null) {
            problem(PASSWORD, "(not shown)", "comes without a user. Set " + USER + " or remove it.");
        }
        tls = readTls();
        callTimeout = readCallTimeout();
        if (!problems.isEmpty()) {
            throw new InvalidSettingsException(problems);
        }
    }

    private void problem(String key, String value, String complaint) {
        problems.add("snowflake '" + config.generator() + "': " + key + "=" + value + " " + complaint);
    }

    private List<URI> readEndpoints() {
        Optional<String> text = config.value(ENDPOINTS);
        if (text.isEmpty()) {
            problems.add("snowflake '" + config.generator() + "': " + ENDPOINTS
                    + " is not set. Set it to the URLs of the etcd servers, such as http://localhost:2379.");
            return List.of();
        }
        List<URI> uris = new ArrayList<>();
        for (String part : text.get().split(",", -1)) {
            URI uri = endpoint(part.strip());
            if (uri == null) {
                problem(
                        ENDPOINTS,
                        withoutPasswords(text.get()),
                        "holds '" + withoutPasswords(part.strip()) + "', which is not the URL of a server."
                                + " Write http://host:2379 or https://host:2379, several joined by commas.");
                return List.of();
            }
            uris.add(uri);
        }
        if (uris.stream().map(EtcdSettings::scheme).distinct().count() > 1) {
            problem(ENDPOINTS, text.get(), "mixes http and https. Use the same for all of them.");
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

    private static String withoutPasswords(String urls) {
        return urls.replaceAll("//[^/,]*@", "//***@");
    }

    private static String scheme(URI uri) {
        return String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    }

    private @Nullable JdkSslContext readTls() {
        Optional<String> ca = config.value(TLS_CA);
        Optional<String> cert = config.value(TLS_CERT);
        Optional<String> key = config.value(TLS_KEY);
        if (cert.isPresent() && key.isEmpty()) {
            problem(TLS_CERT, cert.get(), "comes without its private key. Set " + TLS_KEY + " to its PEM file.");
        }
        if (key.isPresent() && cert.isEmpty()) {
            problem(TLS_KEY, key.get(), "comes without its certificate. Set " + TLS_CERT + " to its PEM file.");
        }
        int before = problems.size();
        checkReadable(TLS_CA, ca);
        checkReadable(TLS_CERT, cert);
        checkReadable(TLS_KEY, key);
        boolean readable = problems.size() == before;
        if (endpoints.isEmpty()) {
            return null;
        }
        if (!scheme(endpoints.get(0)).equals("https")) {
            if (Stream.of(ca, cert, key).anyMatch(Optional::isPresent)) {
                problem(
                        ENDPOINTS,
                        endpointsText(),
                        "is not encrypted, but snowflake.etcd.tls.* is set. Write https:// or remove the latter.");
            }
            return null;
        }
        if (!readable || cert.isPresent() != key.isPresent()) {
            return null;
        }
        SslContextBuilder builder = SslContextBuilder.forClient();
        if (ca.isPresent()) {
            try {
                builder.trustManager(new File(ca.get()));
            } catch (IllegalArgumentException e) {
                problem(
                        TLS_CA,
                        ca.get(),
                        "holds no certificates (" + reason(e) + "). Name a PEM file of certificates.");
            }
        }
        if (cert.isPresent() && key.isPresent()) {
            try {
                builder.keyManager(new File(cert.get()), new File(key.get()));
            } catch (IllegalArgumentException e) {
                boolean certificate = String.valueOf(e.getMessage()).contains("certificate");
                problem(
                        certificate ? TLS_CERT : TLS_KEY,
                        certificate ? cert.get() : key.get(),
                        "can't be used (" + reason(e)
                                + "). Name PEM files of a certificate chain and of its private key,"
                                + " in PKCS 8 without a password.");
            }
        }
        try {
            // The JDK's implementation, so that the same context serves the HTTP request for the server's time.
            return (JdkSslContext)
                    GrpcSslContexts.configure(builder, SslProvider.JDK).build();
        } catch (SSLException | IllegalArgumentException e) {
            problem(
                    ca.isPresent() ? TLS_CA : TLS_CERT,
                    ca.or(() -> cert).orElse(""),
                    "can't be used (" + reason(e) + "). Name PEM files.");
            return null;
        }
    }

    private void checkReadable(String key, Optional<String> file) {
        if (file.map(File::new).filter(f -> !f.isFile() || !f.canRead()).isPresent()) {
            problem(key, file.orElseThrow(), "is not a readable file. Name a PEM file this process can read.");
        }
    }

    private static String reason(Throwable e) {
        Throwable cause = e.getCause();
        return cause == null ? String.valueOf(e.getMessage()) : e.getMessage() + ": " + cause.getMessage();
    }

    private @Nullable Duration readCallTimeout() {
        Optional<String> text = config.value(CALL_TIMEOUT);
        if (text.isEmpty()) {
            return null;
        }
        try {
            Duration value = Duration.parse(text.get());
            if (value.compareTo(MIN_CALL_TIMEOUT) >= 0 && value.compareTo(MAX_CALL_TIMEOUT) <= 0) {
                return value;
            }
            problem(CALL_TIMEOUT, text.get(), "is not between PT0.1S and PT1M. Remove it, and the window decides.");
        } catch (DateTimeException e) {
            problem(CALL_TIMEOUT, text.get(), "is not an ISO-8601 duration. Write it as PT2S, or remove it.");
        }
        return null;
    }

    String namespace() {
        return config.namespace();
    }

    String generator() {
        return config.generator();
    }

    /** Scheme, host and port each. */
    List<URI> endpoints() {
        return endpoints;
    }

    /** For messages. */
    String endpointsText() {
        return endpoints.stream().map(URI::toString).collect(Collectors.joining(","));
    }

    @Nullable
    String user() {
        return user;
    }

    @Nullable
    String password() {
        return password;
    }

    /** Null over plain HTTP. */
    @Nullable
    JdkSslContext tls() {
        return tls;
    }

    /** The shorter of what the caller grants and what the settings allow. */
    Duration callTimeout(Duration granted) {
        return callTimeout != null && callTimeout.compareTo(granted) < 0 ? callTimeout : granted;
    }
}
