// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.support.CallTimeout;
import org.snowflakeid.support.Credentials;
import org.snowflakeid.support.HostAndPort;
import org.snowflakeid.support.PasswordKeys;
import org.snowflakeid.support.ServerUrl;
import org.snowflakeid.support.Tls;
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
            .meaning("File of the password, read anew at each login. A line end after it is ignored.");
    private static final PasswordKeys PASSWORDS = new PasswordKeys(USER, PASSWORD, PASSWORD_FILE);
    static final TlsKeys TLS = TlsKeys.below("snowflake.etcd.tls");
    static final Key<Duration> CALL_TIMEOUT = CallTimeout.key("snowflake.etcd.call-timeout");

    static final List<Key<?>> KEYS =
            List.of(ENDPOINTS, USER, PASSWORD, PASSWORD_FILE, TLS.ca(), TLS.cert(), TLS.key(), CALL_TIMEOUT);

    private final CoordinatorConfig config;
    private final Access access;
    private final CallTimeout callTimeout;

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
    EtcdSettings(CoordinatorConfig config) {
        this.config = config;
        SettingsReader reader = new SettingsReader(config);
        List<URI> endpoints = readEndpoints(reader);
        PASSWORDS.requirePasswordOfUser(reader);
        PASSWORDS.requireUserOfPassword(reader);
        PASSWORDS.check(reader);
        access = new Access(endpoints, PASSWORDS.credentials(reader), TLS.files(reader));
        if (access.isEncrypted()) {
            var unused = TLS.make(reader, TLS.read(reader), EtcdSettings::sslContext);
        } else {
            TLS.read(reader);
            if (!endpoints.isEmpty()) {
                TLS.checkUnencrypted(reader, ENDPOINTS, "https://", user() == null ? null : "the password of " + USER);
            }
        }
        callTimeout = new CallTimeout(reader.optional(CALL_TIMEOUT));
        reader.throwProblems();
        reader.logWarnings(LOG);
    }

    private static List<URI> readEndpoints(SettingsReader reader) {
        List<ServerUrl> urls = reader.optional(ENDPOINTS)
                .map(text -> ServerUrl.several(
                        reader,
                        ENDPOINTS,
                        text,
                        part -> ServerUrl.of(part, ServerUrl.HTTP, 2379)
                                .filter(url -> url.path().isEmpty()),
                        part -> "the URL of a server."
                                + " Write http://host:2379 or https://host:2379, several joined by commas."))
                .orElse(List.of());
        ServerUrl.requireOneScheme(reader, ENDPOINTS, urls);
        if (urls.stream()
                .anyMatch(url -> url.scheme().equals("https") && url.server().isUnderscored())) {
            reader.refuse(ENDPOINTS, HostAndPort.uncertifiable("a host"));
        }
        return urls.stream().map(url -> URI.create(url.toString())).toList();
    }

    private static JdkSslContext sslContext(Tls files) throws IOException, GeneralSecurityException {
        SslContextBuilder builder = SslContextBuilder.forClient().trustManager(files.trustManagers());
        files.keyManagers().ifPresent(builder::keyManager);
        // The JDK's implementation, so that the same context serves the HTTP request for the server's time.
        return (JdkSslContext)
                GrpcSslContexts.configure(builder, SslProvider.JDK).build();
    }

    /**
     * Of the files as they are now; null without encryption.
     *
     * @throws InvalidSettingsException if they can't be used
     */
    @Nullable
    JdkSslContext sslContext() {
        return access.isEncrypted() ? TLS.makeAnew(config.generator(), access.files(), EtcdSettings::sslContext) : null;
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

    CallTimeout callTimeout() {
        return callTimeout;
    }
}
