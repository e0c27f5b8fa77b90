// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.http.HttpSettings;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.support.CallTimeout;
import org.snowflakeid.support.Durability;
import org.snowflakeid.support.PasswordKeys;
import org.snowflakeid.support.ServerUrl;
import org.snowflakeid.support.TlsKeys;

/** The keys {@code snowflake.consul.*}, checked: whatever can be known to be wrong without asking a server is refused here. */
final class ConsulSettings {
    private static final System.Logger LOG = System.getLogger(ConsulSettings.class.getName());

    static final Key<String> URL = Key.addressWithoutCredentials(
                    "snowflake.consul.url", "a URL", "Set snowflake.consul.token instead.")
            .required("Set it to the URL of a Consul agent, such as http://localhost:8500.")
            .use(Key.Use.ESSENTIAL)
            .meaning("An agent or a server of Consul. Without a port: 8500 for `http`, 8501 for `https`.");
    static final Key<String> DATACENTER = Key.text(
                    "snowflake.consul.datacenter",
                    ConsulSettings::isDatacenter,
                    "is not the name of a datacenter. Write letters, digits, '-' and '_'.",
                    "a name")
            .otherwise("that of the agent it starts with")
            .place()
            .meaning("Whose records are used. Each datacenter has its own:"
                    + " set it to the same wherever ids must not repeat.");
    static final Key<String> TOKEN =
            Key.secret("snowflake.consul.token", "text").use(Key.Use.OFTEN).meaning("The ACL token: its secret id.");
    static final Key<Path> TOKEN_FILE = Key.file("snowflake.consul.token-file")
            .use(Key.Use.OFTEN)
            .meaning("File of the ACL token, read anew for each request. Blanks and line ends around it are ignored.");
    static final Key<Durability> DURABILITY = Durability.key("consul", "an agent that keeps all in memory (`-dev`)");
    static final TlsKeys TLS = TlsKeys.below("snowflake.consul.tls");
    static final Key<Duration> CALL_TIMEOUT = CallTimeout.key("snowflake.consul.call-timeout");

    static final List<Key<?>> KEYS =
            List.of(URL, DATACENTER, TOKEN, TOKEN_FILE, DURABILITY, TLS.ca(), TLS.cert(), TLS.key(), CALL_TIMEOUT);

    private final CoordinatorConfig config;
    private final HttpSettings http;
    private final @Nullable String datacenter;
    private final @Nullable String token;
    private final Durability durability;

    /** @throws InvalidSettingsException naming every problem at once */
    ConsulSettings(CoordinatorConfig config) {
        this.config = config;
        SettingsReader reader = new SettingsReader(config);
        List<String> url = reader.optional(URL).map(text -> url(reader, text)).orElse(List.of());
        datacenter = reader.optional(DATACENTER).orElse(null);
        token = reader.optional(TOKEN).map(String::strip).orElse(null);
        durability = reader.value(DURABILITY);
        if (reader.isSet(TOKEN) && reader.isSet(TOKEN_FILE)) {
            reader.refuse(TOKEN_FILE, "is set beside " + TOKEN + ". Remove one of them.");
        }
        if (token != null) {
            requireToken(reader, TOKEN, token);
        }
        reader.optional(TOKEN_FILE).ifPresent(file -> {
            String unused = readToken(reader, file);
            reader.warnOfReaders(TOKEN_FILE, file);
        });
        http = new HttpSettings(
                config.generator(),
                reader,
                new HttpSettings.Keys("Consul", URL, TLS, CALL_TIMEOUT),
                url,
                TOKEN_FILE,
                reader.isSet(TOKEN) || reader.isSet(TOKEN_FILE) ? "the ACL token" : null);
        reader.throwProblems();
        reader.logWarnings(LOG);
    }

    private static List<String> url(SettingsReader reader, String text) {
        int usualPort = text.toLowerCase(Locale.ROOT).startsWith("https:") ? 8501 : 8500;
        Optional<ServerUrl> url =
                HttpSettings.url(text, usualPort).filter(read -> read.path().isEmpty());
        if (url.isEmpty()) {
            String complaint = "is not the URL of an agent. Write http://host:8500 or https://host:8501.";
            reader.refuse(URL, HttpSettings.complaint(text, complaint));
        }
        return url.stream().map(ServerUrl::toString).toList();
    }

    /** What can't be in a header is no token; and no exception of the HTTP client shall show it. */
    private static void requireToken(SettingsReader reader, Key<?> key, String token) {
        if (!token.matches("[!-~]+")) {
            reader.refuse(
                    key,
                    (key.isSecret() ? "holds" : "names a file whose content holds")
                            + " characters that no ACL token has. Write the token's secret id, and nothing else.");
        }
    }

    private static @Nullable String readToken(SettingsReader reader, Path file) {
        String token = PasswordKeys.text(reader, TOKEN_FILE, file, "the ACL token")
                .map(String::strip)
                .orElse(null);
        if (token != null && token.isEmpty()) {
            reader.refuse(TOKEN_FILE, "is empty. Write the ACL token into it.");
        } else if (token != null) {
            requireToken(reader, TOKEN_FILE, token);
        }
        return token;
    }

    /**
     * As the file has it now, if it is in a file; null if none is set.
     *
     * @throws CoordinatorException if the file can't be used
     */
    @Nullable
    String token() {
        String read = http.anew(TOKEN_FILE, ConsulSettings::readToken);
        return read == null ? token : read;
    }

    /** Where the token is set, for messages; both places if it is not. */
    String tokenKey() {
        if (token != null) {
            return TOKEN.name();
        }
        return http.access().files().containsKey(TOKEN_FILE.name()) ? TOKEN_FILE.name() : TOKEN + ", " + TOKEN_FILE;
    }

    HttpSettings http() {
        return http;
    }

    String namespace() {
        return config.namespace();
    }

    Durability durability() {
        return durability;
    }

    static boolean isDatacenter(String name) {
        return name.matches("[A-Za-z0-9_-]+");
    }

    /** Whose records are used; null: that of the agent. */
    @Nullable
    String datacenter() {
        return datacenter;
    }

    /** Of a record, or of all whose keys begin so. */
    static String path(String key, String query, @Nullable String datacenter) {
        return "/v1/kv/" + key + "?" + query + (datacenter == null ? "" : "&dc=" + datacenter);
    }

    void warn(String danger) {
        LOG.log(System.Logger.Level.WARNING, "snowflake '" + config.generator() + "': " + danger);
    }
}
