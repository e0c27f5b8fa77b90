// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.http.HttpSettings;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.support.CallTimeout;
import org.snowflakeid.support.PasswordKeys;
import org.snowflakeid.support.ServerUrl;
import org.snowflakeid.support.TlsKeys;

/** The keys {@code snowflake.nacos.*}, checked: whatever can be known to be wrong without asking a server is refused here. */
final class NacosSettings {
    private static final System.Logger LOG = System.getLogger(NacosSettings.class.getName());
    private static final int LONGEST_GROUP = 128;

    static final Key<String> SERVER_ADDR = Key.addressWithoutCredentials(
                    "snowflake.nacos.server-addr",
                    "`nacos-1:8848,nacos-2:8848`, or URLs",
                    "Set snowflake.nacos.user and snowflake.nacos.password instead.")
            .required("Set it to the Nacos servers, such as nacos-1:8848,nacos-2:8848.")
            .use(Key.Use.ESSENTIAL)
            .meaning("The servers of one cluster. `https://nacos-1:8848` encrypts;"
                    + " a path in an address replaces the context path.");
    static final Key<String> CONTEXT_PATH = Key.text(
                    "snowflake.nacos.context-path",
                    path -> path.matches("/|(/[A-Za-z0-9._-]+)+"),
                    "is not a context path. Write / for the root, or a path such as /config.",
                    "`/`, or a path such as `/config`")
            .standard("/nacos")
            .place()
            .meaning("What the servers have as `nacos.server.contextPath`. Not beside a path in an address.");
    static final Key<String> NACOS_NAMESPACE = Key.text(
                    "snowflake.nacos.nacos-namespace",
                    id -> id.matches("[A-Za-z0-9_-]{1,64}") && !id.equals("public"),
                    "can't be used. Write the id of a Nacos namespace in up to 64 letters, digits, '-' and '_';"
                            + " not public, of which Nacos keeps two copies.",
                    "a namespace id")
            .standard("snowflake")
            .place()
            .meaning("The Nacos namespace, called tenant before, that holds the records. Each `snowflake.namespace`"
                    + " is a group in it.");
    static final Key<String> USER =
            Key.text("snowflake.nacos.user").use(Key.Use.OFTEN).meaning("Set together with the password.");
    static final Key<String> PASSWORD = Key.secret("snowflake.nacos.password", "text")
            .use(Key.Use.OFTEN)
            .meaning("Set it, or the file, together with the user.");
    static final Key<Path> PASSWORD_FILE = Key.file("snowflake.nacos.password-file")
            .use(Key.Use.OFTEN)
            .meaning("File of the password, read anew at each login. A line end after it is ignored.");
    private static final PasswordKeys PASSWORDS = new PasswordKeys(USER, PASSWORD, PASSWORD_FILE);
    static final TlsKeys TLS = TlsKeys.below("snowflake.nacos.tls");
    static final Key<Duration> CALL_TIMEOUT = CallTimeout.key("snowflake.nacos.call-timeout");

    static final List<Key<?>> KEYS = List.of(
            SERVER_ADDR,
            CONTEXT_PATH,
            NACOS_NAMESPACE,
            USER,
            PASSWORD,
            PASSWORD_FILE,
            TLS.ca(),
            TLS.cert(),
            TLS.key(),
            CALL_TIMEOUT);

    private final CoordinatorConfig config;
    private final HttpSettings http;
    private final String nacosNamespace;
    private final @Nullable String user;
    private final @Nullable String password;

    /** @throws InvalidSettingsException naming every problem at once */
    NacosSettings(CoordinatorConfig config) {
        this.config = config;
        SettingsReader reader = new SettingsReader(config);
        // A slash after a host says nothing, as in Nacos' own client: many write just the server so.
        String contextPath = reader.value(CONTEXT_PATH).replaceFirst("^/$", "");
        List<String> servers = reader.optional(SERVER_ADDR)
                .map(text -> servers(reader, text, contextPath))
                .orElse(List.of());
        nacosNamespace = reader.value(NACOS_NAMESPACE);
        user = reader.optional(USER).orElse(null);
        password = reader.optional(PASSWORD).orElse(null);
        PASSWORDS.requirePasswordOfUser(reader);
        PASSWORDS.requireUserOfPassword(reader);
        PASSWORDS.check(reader);
        http = new HttpSettings(
                config.generator(),
                reader,
                new HttpSettings.Keys("Nacos", SERVER_ADDR, TLS, CALL_TIMEOUT),
                servers,
                PASSWORD_FILE,
                user == null ? null : "the password of " + USER);
        if (group().length() > LONGEST_GROUP) {
            reader.problem("the namespace '" + config.namespace() + "' is longer than " + LONGEST_GROUP
                    + " characters, which is the most that a group of Nacos may have. Shorten snowflake.namespace.");
        }
        reader.throwProblems();
        reader.logWarnings(LOG);
    }

    private static List<String> servers(SettingsReader reader, String text, String contextPath) {
        List<ServerUrl> servers = ServerUrl.several(
                reader,
                SERVER_ADDR,
                text,
                part -> server(part, contextPath),
                part -> HttpSettings.complaint(
                        part, "a server. Write host:8848 or https://host:8848, several joined by commas."));
        if (reader.isSet(CONTEXT_PATH)
                && servers.stream().anyMatch(server -> !server.path().equals(contextPath))) {
            reader.refuse(CONTEXT_PATH, "is set beside a path in " + SERVER_ADDR + ". Remove one of them.");
        }
        ServerUrl.requireOneScheme(reader, SERVER_ADDR, servers);
        return servers.stream().map(ServerUrl::toString).toList();
    }

    private static Optional<ServerUrl> server(String text, String contextPath) {
        return HttpSettings.url(text.contains("://") ? text : "http://" + text, 8848)
                .map(url -> new ServerUrl(url.scheme(), url.server(), url.path().replaceFirst("/+$", "")))
                .filter(url -> url.path().matches("(/[A-Za-z0-9._-]+)*"))
                .map(url -> url.path().isEmpty() ? new ServerUrl(url.scheme(), url.server(), contextPath) : url);
    }

    /**
     * As the file has it now, if it is in a file; null without a user.
     *
     * @throws CoordinatorException if the file can't be read
     */
    @Nullable
    String password() {
        String read = http.anew(PASSWORD_FILE, PASSWORDS::read);
        return read == null ? password : read;
    }

    @Nullable
    String user() {
        return user;
    }

    /** Where the password is set, for messages. */
    Key<?> passwordKey() {
        return password == null ? PASSWORD_FILE : PASSWORD;
    }

    HttpSettings http() {
        return http;
    }

    String nacosNamespace() {
        return nacosNamespace;
    }

    /** The namespace as a group: it has no colon, and a group no slash. */
    String group() {
        return config.namespace().replace('/', ':');
    }

    /** Of the record of this namespace. */
    String metaKey() {
        return config.namespace() + "/meta";
    }

    /** What a record of this namespace is called in its group. */
    String dataId(String key) {
        return key.substring(config.namespace().length() + 1).replace('/', ':');
    }

    String key(String dataId) {
        return config.namespace() + "/" + dataId.replace(':', '/');
    }
}
