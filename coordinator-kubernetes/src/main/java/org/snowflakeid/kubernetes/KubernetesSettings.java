// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.kubernetes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.http.HttpSettings;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.support.CallTimeout;
import org.snowflakeid.support.PasswordKeys;
import org.snowflakeid.support.TlsKeys;

/**
 * The keys {@code snowflake.kubernetes.*}, checked. In a pod none has to be set: what Kubernetes mounts there is as good as set, and every
 * message names the key that would replace it.
 */
final class KubernetesSettings {
    private static final System.Logger LOG = System.getLogger(KubernetesSettings.class.getName());

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    private static final Pattern TOKEN = Pattern.compile("[!-~]+");

    static final Key<String> URL = Key.addressWithoutCredentials(
                    "snowflake.kubernetes.url", "a URL", "Set snowflake.kubernetes.token-file instead.")
            .otherwise("in a pod, that of its API server")
            .use(Key.Use.OFTEN)
            .meaning("The API server, such as `https://10.0.0.1:6443`.");
    static final Key<String> NAMESPACE = Key.address("snowflake.kubernetes.namespace", "a name")
            .otherwise("in a pod, its own")
            .use(Key.Use.OFTEN)
            .meaning("The namespace of Kubernetes in which the `Lease` objects are.");
    static final Key<Path> TOKEN_FILE = Key.file("snowflake.kubernetes.token-file")
            .otherwise("in a pod, that of its service account, unless `snowflake.kubernetes.tls.cert` is set")
            .use(Key.Use.OFTEN)
            .meaning("File of the token, read anew for each request, since Kubernetes replaces it.");
    static final TlsKeys TLS = new TlsKeys(
            Key.file("snowflake.kubernetes.tls.ca")
                    .otherwise("in a pod, those that are mounted; else those of the JVM")
                    .use(Key.Use.OFTEN)
                    .meaning("PEM file of the authorities to trust."),
            TlsKeys.below("snowflake.kubernetes.tls").cert(),
            TlsKeys.below("snowflake.kubernetes.tls").key());
    static final Key<Duration> CALL_TIMEOUT = CallTimeout.key("snowflake.kubernetes.call-timeout");

    static final List<Key<?>> KEYS = List.of(URL, NAMESPACE, TOKEN_FILE, TLS.ca(), TLS.cert(), TLS.key(), CALL_TIMEOUT);

    /**
     * What Kubernetes gives to a pod.
     *
     * @param environment by name
     * @param mount the folder of its service account; elsewhere it does not exist
     */
    record Pod(Function<String, @Nullable String> environment, Path mount) {

        static final Pod HERE = new Pod(System::getenv, Path.of("/var/run/secrets/kubernetes.io/serviceaccount"));

        /**
         * @param encrypted whether the server is reached so: nothing of it is for one that is not
         * @param certificate whether the client has one, and needs no token then
         */
        Map<String, String> settings(boolean encrypted, boolean certificate) {
            Map<String, String> given = new HashMap<>();
            String host = environment.apply("KUBERNETES_SERVICE_HOST");
            String port = environment.apply("KUBERNETES_SERVICE_PORT");
            if (host != null && port != null) {
                given.put(URL.name(), "https://" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port);
            }
            try {
                given.put(NAMESPACE.name(), Files.readString(mount.resolve("namespace")));
            } catch (IOException notInAPod) {
                // It has to be set, then.
            }
            if (encrypted && !certificate && Files.isReadable(mount.resolve("token"))) {
                given.put(TOKEN_FILE.name(), mount.resolve("token").toString());
            }
            if (encrypted && Files.isReadable(mount.resolve("ca.crt"))) {
                given.put(TLS.ca().name(), mount.resolve("ca.crt").toString());
            }
            return given;
        }
    }

    private final HttpSettings http;
    private final String namespace;
    private final @Nullable Path tokenFile;

    /** @throws InvalidSettingsException naming every problem at once */
    KubernetesSettings(CoordinatorConfig config, Pod pod) {
        SettingsReader set = new SettingsReader(config);
        boolean encrypted =
                set.optional(URL).map(url -> scheme(url).equals("https")).orElse(true);
        Map<String, String> given = pod.settings(encrypted, set.isSet(TLS.cert()));
        Function<String, @Nullable String> settings = key -> config.value(key).orElseGet(() -> given.get(key));
        SettingsReader reader = new SettingsReader(config.generator(), settings);

        String url = readUrl(reader);
        namespace = readNamespace(reader);
        tokenFile = reader.optional(TOKEN_FILE).orElse(null);
        if (tokenFile != null) {
            readToken(reader, tokenFile);
        }
        set.optional(TOKEN_FILE).ifPresent(file -> reader.warnOfReaders(TOKEN_FILE, file));
        http = new HttpSettings(
                config.generator(),
                reader,
                new HttpSettings.Keys("Kubernetes", URL, TLS, CALL_TIMEOUT),
                url.isEmpty() ? List.of() : List.of(url),
                TOKEN_FILE,
                reader.isSet(TOKEN_FILE) ? "the token of " + TOKEN_FILE : null);
        reader.throwProblems();
        reader.logWarnings(LOG);
    }

    private static String readUrl(SettingsReader reader) {
        Optional<String> text = reader.optional(URL);
        if (text.isEmpty()) {
            if (!reader.isSet(URL)) {
                reader.problem(URL + " is not set, and this process is not in a pod (KUBERNETES_SERVICE_HOST and"
                        + " KUBERNETES_SERVICE_PORT are not set). Set it to the URL of the API server, as"
                        + " 'kubectl cluster-info' shows it.");
            }
            return "";
        }
        if (HttpSettings.url(text.get(), 443).isEmpty()) {
            String complaint = "is not the URL of a server. Write https://host:port.";
            reader.refuse(URL, HttpSettings.complaint(text.get(), complaint));
            return "";
        }
        return text.get().replaceFirst("^[^:]*", scheme(text.get())).replaceFirst("/+$", "");
    }

    private static String scheme(String url) {
        return url.substring(0, Math.max(0, url.indexOf(':'))).toLowerCase(Locale.ROOT);
    }

    private static String readNamespace(SettingsReader reader) {
        Optional<String> name = reader.optional(NAMESPACE);
        if (name.isEmpty()) {
            reader.problem(NAMESPACE + " is not set, and this process is not in a pod with a service account"
                    + " (none is mounted). Set it to the namespace of Kubernetes that the Lease objects are to be in.");
            return "";
        }
        if (!NAME.matcher(name.get()).matches()) {
            reader.refuse(
                    NAMESPACE,
                    "is not the name of a namespace of Kubernetes. Write up to 63 lower-case letters, digits and '-'."
                            + " (The namespace of the ids is snowflake.namespace.)");
        }
        return name.get();
    }

    private static @Nullable String readToken(SettingsReader reader, Path file) {
        String token = PasswordKeys.text(reader, TOKEN_FILE, file, "the token")
                .map(String::strip)
                .orElse(null);
        if (token != null && !TOKEN.matcher(token).matches()) {
            reader.refuse(TOKEN_FILE, "holds no token. Name a file with one line of letters, digits and signs.");
        }
        return token;
    }

    /**
     * As the file has it now; null without one.
     *
     * @throws CoordinatorException if it can't be read
     */
    @Nullable
    String token() {
        return http.anew(TOKEN_FILE, KubernetesSettings::readToken);
    }

    /** For messages. */
    @Nullable
    Path tokenFile() {
        return tokenFile;
    }

    HttpSettings http() {
        return http;
    }

    /** That of Kubernetes. */
    String namespace() {
        return namespace;
    }
}
