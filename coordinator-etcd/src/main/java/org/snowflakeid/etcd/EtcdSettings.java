// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.support.Credentials;
import org.snowflakeid.support.HostAndPort;
import org.snowflakeid.support.PasswordKeys;
import org.snowflakeid.support.TlsKeys;

/** The keys {@code snowflake.etcd.*}, checked: whatever can be known to be wrong without asking a server is refused here. */
final class EtcdSettings {
    private static final System.Logger LOG = System.getLogger(EtcdSettings.class.getName());

    static final Key<String> ENDPOINTS = Key.addressWithoutCredentials(
                    "snowflake.etcd.endpoints",
                    "URLs joined by commas",
                    "Set snowflake.etcd.user and snowflake.etcd.password instead.")
            .required("Set it to the URLs of the etcd servers, such as http://localhost:2379.")
            .use(Key.Use.ESSENTIAL)
            .meaning("The servers, all `http` or all `https`.");
    static final Key<String> USER =
            Key.text("snowflake.etcd.user").use(Key.Use.OFTEN).meaning("Set together with the password.");
    static final Key<String> PASSWORD = Key.secret("snowflake.etcd.password", "text")
            .use(Key.Use.OFTEN)
            .meaning("Set it, or the file, together with the user.");
    static final Key<Path> PASSWORD_FILE = Key.file("snowflake.etcd.password-file")
            .use(Key.Use.OFTEN)
            .meaning("File of the password, read anew at each login. A line end after it does not belong to it.");
    private static final PasswordKeys PASSWORDS = new PasswordKeys(USER, PASSWORD, PASSWORD_FILE);
    static final TlsKeys TLS = TlsKeys.below("snowflake.etcd.tls");
    static final Key<Path> TLS_CA = TLS.ca();
    static final Key<Path> TLS_CERT = TLS.cert();
    static final Key<Path> TLS_KEY = TLS.key();
    static final Key<Duration> CALL_TIMEOUT = Key.duration("snowflake.etcd.call-timeout", "PT0.1S", "PT1M")
            .otherwise("what the window allows")
            .meaning("Upper bound of one call.");

    static final List<Key<?>> KEYS =
            List.of(ENDPOINTS, USER, PASSWORD, PASSWORD_FILE, TLS_CA, TLS_CERT, TLS_KEY, CALL_TIMEOUT);

    private final CoordinatorConfig config;
    private final Access access;
    private final @Nullable Duration callTimeout;

    /**
     * Which servers are reached, and how; equal for those who may use the same connection. Files are named here and read when they are
     * needed, since they are replaced while a process runs.
     *
     * @param endpoints scheme, host and port each; where the host has an underscore, only their {@linkplain URI#getAuthority authority}
     *     tells it
     * @param files of the encryption, by key
     */
    record Access(List<URI> endpoints, Credentials login, Map<String, String> files) {

        boolean isEncrypted() {
            return !endpoints.isEmpty() && endpoints.get(0).getScheme().equals("https");
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
        PASSWORDS.requirePasswordOfUser(reader);
        PASSWORDS.requireUserOfPassword(reader);
        PASSWORDS.check(reader);
        access = new Access(endpoints, PASSWORDS.credentials(reader), TLS.files(reader));
        if (access.isEncrypted()) {
            sslContext(reader);
        } else {
            TLS.read(reader);
            if (!endpoints.isEmpty()) {
                TLS.checkUnencrypted(reader, ENDPOINTS, "https://", user() == null ? null : "the password of " + USER);
            }
        }
        callTimeout = reader.optional(CALL_TIMEOUT).orElse(null);
        reader.throwProblems();
        reader.logWarnings(LOG);
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
        if (uris.stream().anyMatch(uri -> scheme(uri).equals("https") && uri.getHost() == null)) {
            reader.refuse(
                    ENDPOINTS,
                    "has '_' in the name of a host, and Java trusts no certificate for such a name. Name the host without"
                            + " '_', by an alias perhaps.");
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
            HostAndPort server = HostAndPort.of(uri, 2379).orElse(null);
            if (!known || !bare || server == null) {
                return null;
            }
            return new URI(scheme(uri), server.toString(), null, null, null);
        } catch (URISyntaxException e) {
            return null;
        }
    }

    private static String scheme(URI uri) {
        return String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    }

    private static @Nullable JdkSslContext sslContext(SettingsReader reader) {
        return TLS.make(reader, TLS.read(reader), files -> {
            SslContextBuilder builder = SslContextBuilder.forClient().trustManager(files.trustManagers());
            files.keyManagers().ifPresent(builder::keyManager);
            // The JDK's implementation, so that the same context serves the HTTP request for the server's time.
            return (JdkSslContext)
                    GrpcSslContexts.configure(builder, SslProvider.JDK).build();
        });
    }

    /**
     * Of the files as they are now; null over plain HTTP.
     *
     * @throws InvalidSettingsException if they can't be used
     */
    @Nullable
    JdkSslContext sslContext() {
        if (!access.isEncrypted()) {
            return null;
        }
        SettingsReader reader = new SettingsReader(config.generator(), access.files()::get);
        JdkSslContext context = sslContext(reader);
        reader.throwProblems();
        return context;
    }

    /**
     * As the file has it now, if it is in a file; null without a user.
     *
     * @throws InvalidSettingsException if the file can't be read
     */
    @Nullable
    String password() {
        return access.login().passwordNow(config.generator());
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
        return access.login().user();
    }

    /** The shorter of what the caller grants and what the settings allow. */
    Duration callTimeout(Duration granted) {
        return callTimeout != null && callTimeout.compareTo(granted) < 0 ? callTimeout : granted;
    }
}
