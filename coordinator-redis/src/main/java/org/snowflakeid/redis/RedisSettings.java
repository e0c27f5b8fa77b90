// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.support.CallTimeout;
import org.snowflakeid.support.Credentials;
import org.snowflakeid.support.Durability;
import org.snowflakeid.support.HostAndPort;
import org.snowflakeid.support.PasswordKeys;
import org.snowflakeid.support.ServerUrl;
import org.snowflakeid.support.Tls;
import org.snowflakeid.support.TlsKeys;

/** The keys {@code snowflake.redis.*}, checked: whatever can be known to be wrong without asking the server is refused here. */
final class RedisSettings {
    private static final System.Logger LOG = System.getLogger(RedisSettings.class.getName());

    static final Key<String> URI = Key.addressWithoutCredentials(
                    "snowflake.redis.uri",
                    "`redis://host:6379/0`, or `rediss://` for TLS",
                    "Set snowflake.redis.user and snowflake.redis.password instead.")
            .required("Set it to the URL of the Redis server, such as redis://localhost:6379.")
            .use(Key.Use.ESSENTIAL)
            .meaning(
                    "A single server, or the primary of its replicas. The number at the end is that of the database, by default 0.");
    static final Key<String> USER =
            Key.text("snowflake.redis.user").use(Key.Use.OFTEN).meaning("Without it a password is the default user's.");
    static final Key<String> PASSWORD =
            Key.secret("snowflake.redis.password", "text").use(Key.Use.OFTEN).meaning("The password of that user.");
    static final Key<Path> PASSWORD_FILE = Key.file("snowflake.redis.password-file")
            .use(Key.Use.OFTEN)
            .meaning("File of the password, read anew at each login. A line end after it is ignored.");
    private static final PasswordKeys PASSWORDS = new PasswordKeys(USER, PASSWORD, PASSWORD_FILE);
    static final Key<Durability> DURABILITY = Durability.key(
            "redis",
            "a server that would lose what it has acknowledged when it ends: without an append-only file, with"
                    + " `appendfsync` other than `always`, with `no-appendfsync-on-rewrite yes`, or with a policy that evicts"
                    + " records");
    static final TlsKeys TLS = TlsKeys.below("snowflake.redis.tls");
    static final Key<Duration> CALL_TIMEOUT = CallTimeout.key("snowflake.redis.call-timeout");

    static final List<Key<?>> KEYS =
            List.of(URI, USER, PASSWORD, PASSWORD_FILE, DURABILITY, TLS.ca(), TLS.cert(), TLS.key(), CALL_TIMEOUT);

    private static final Server NONE = new Server(false, "", 0, 0);

    private static final Pattern DATABASE = Pattern.compile("(/\\d{1,6})?");

    private static final Set<String> SCHEMES = Set.of("redis", "rediss");

    private final CoordinatorConfig config;
    private final Access access;
    private final CallTimeout callTimeout;

    /** @param host without the brackets of an IPv6 address */
    record Server(boolean encrypted, String host, int port, int database) {
        @Override
        public String toString() {
            return (encrypted ? "rediss://" : "redis://")
                    + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port
                    + (database == 0 ? "" : "/" + database);
        }
    }

    /**
     * Which server is reached, and how; equal for those who may use the same connection. Files are named here and read when they are needed,
     * since they are replaced while a process runs.
     *
     * @param files of the encryption, by key
     */
    record Access(Server server, Credentials login, Map<String, String> files, Durability durability) {

        /** Without the password. */
        @Override
        public String toString() {
            return server.toString();
        }
    }

    /** @throws InvalidSettingsException naming every problem at once */
    RedisSettings(CoordinatorConfig config) {
        this.config = config;
        SettingsReader reader = new SettingsReader(config);
        Server server = readServer(reader);
        PASSWORDS.requirePasswordOfUser(reader);
        PASSWORDS.check(reader);
        access = new Access(server, PASSWORDS.credentials(reader), TLS.files(reader), reader.value(DURABILITY));
        if (server.encrypted()) {
            var unused = TLS.make(reader, TLS.read(reader), RedisSettings::socketFactory);
            if (server.host().indexOf('_') >= 0) {
                reader.refuse(URI, HostAndPort.uncertifiable("its host"));
            }
        } else {
            TLS.read(reader);
            if (!server.equals(NONE)) {
                boolean secret = access.login().hasPassword();
                TLS.checkUnencrypted(reader, URI, "rediss://", secret ? "the password" : null);
            }
        }
        callTimeout = new CallTimeout(reader.optional(CALL_TIMEOUT));
        reader.throwProblems();
        reader.logWarnings(LOG);
    }

    private static Server readServer(SettingsReader reader) {
        Optional<String> text = reader.optional(URI);
        Optional<Server> server = text.flatMap(RedisSettings::server);
        if (text.isPresent() && server.isEmpty()) {
            reader.refuse(
                    URI,
                    "is not the URL of a single Redis server. Write redis://host:6379, or rediss://host:6379 for TLS,"
                            + " with /1 behind it for database 1. Clusters and Sentinels are not supported: name"
                            + " one server.");
        }
        return server.orElse(NONE);
    }

    private static Optional<Server> server(String text) {
        return ServerUrl.of(text, SCHEMES, 6379)
                .filter(url -> DATABASE.matcher(url.path()).matches())
                .map(url -> new Server(
                        url.scheme().equals("rediss"),
                        url.server().host().replaceAll("[\\[\\]]", ""),
                        url.server().port(),
                        url.path().isEmpty() ? 0 : Integer.parseInt(url.path().substring(1))));
    }

    private static SSLSocketFactory socketFactory(Tls files) throws GeneralSecurityException {
        return files.context().getSocketFactory();
    }

    /**
     * Of the files as they are now; null without encryption.
     *
     * @throws InvalidSettingsException if they can't be used
     */
    @Nullable
    SSLSocketFactory socketFactory() {
        return server().encrypted()
                ? TLS.makeAnew(config.generator(), access.files(), RedisSettings::socketFactory)
                : null;
    }

    /**
     * As the file has it now, if it is in a file; null: none.
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

    Server server() {
        return access.server();
    }

    @Nullable
    String user() {
        return access.login().user();
    }

    CallTimeout callTimeout() {
        return callTimeout;
    }
}
