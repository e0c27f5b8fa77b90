// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.zookeeper.common.PathUtils;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.support.Durability;
import org.snowflakeid.support.HostAndPort;
import org.snowflakeid.support.ServerUrl;
import org.snowflakeid.support.TlsKeys;

/** The keys {@code snowflake.zookeeper.*}, checked: whatever can be known to be wrong without asking a server is refused here. */
final class ZooKeeperSettings {
    private static final System.Logger LOG = System.getLogger(ZooKeeperSettings.class.getName());

    static final Key<String> CONNECT_STRING = Key.addressWithoutCredentials(
                    "snowflake.zookeeper.connect-string",
                    "`zk-1:2181,zk-2:2181,zk-3:2181`, and perhaps a path, `/ids`",
                    "Set snowflake.zookeeper.digest instead.")
            .required("Set it to the ZooKeeper servers, such as zk-1:2181,zk-2:2181,zk-3:2181.")
            .use(Key.Use.ESSENTIAL)
            .meaning("The servers. Everything is stored below the path at the end.");
    static final Key<String> DIGEST = Key.secret("snowflake.zookeeper.digest", "`user:password`")
            .use(Key.Use.OFTEN)
            .meaning("What is created then belongs to that user alone.");
    static final Key<Path> PASSWORD_FILE = Key.file("snowflake.zookeeper.password-file")
            .use(Key.Use.OFTEN)
            .meaning("File that holds what `snowflake.zookeeper.digest` would, read anew for each session.");
    static final Key<Durability> DURABILITY =
            Durability.key("zookeeper", "servers that are named together and run alone, each with records of its own");
    static final Key<Boolean> TLS_ENABLED = Key.bool("snowflake.zookeeper.tls.enabled")
            .otherwise("whether a key below is set")
            .meaning("Whether connections are encrypted.");
    static final TlsKeys TLS = TlsKeys.below("snowflake.zookeeper.tls");

    static final List<Key<?>> KEYS =
            List.of(CONNECT_STRING, DIGEST, PASSWORD_FILE, DURABILITY, TLS_ENABLED, TLS.ca(), TLS.cert(), TLS.key());

    private static final int DEFAULT_PORT = 2181;

    /** A path may have colons, but what looks like a port is one. */
    private static final Pattern SERVER_IN_PATH = Pattern.compile(",|:\\d+(/|$)");

    private final CoordinatorConfig config;
    private final List<HostAndPort> servers = new ArrayList<>();
    private final String root;
    private final @Nullable Digest digest;
    private final boolean tls;
    private final Durability durability;
    private final Encryption encryption;

    /** Which servers are reached, and how: by which files, whatever they hold now. */
    record Access(List<HostAndPort> servers, @Nullable Digest digest, boolean encrypted, Map<String, String> files) {

        /** Without the password. */
        @Override
        public String toString() {
            return servers.toString();
        }
    }

    /** @throws InvalidSettingsException naming every problem at once */
    ZooKeeperSettings(CoordinatorConfig config) {
        this.config = config;
        SettingsReader reader = new SettingsReader(config);
        root = readConnectString(reader) + "/" + config.namespace();
        digest = readDigest(reader);
        tls = readTlsEnabled(reader);
        durability = reader.value(DURABILITY);
        encryption = new Encryption(TLS, config.generator(), reader);
        var unused = encryption.read(reader);
        if (digest != null && !tls) {
            reader.warn(
                    reader.isSet(DIGEST) ? DIGEST : PASSWORD_FILE,
                    "is sent over connections that are not encrypted: anyone who sees the network's traffic can read the"
                            + " password. Set " + TLS_ENABLED + "=true.");
        }
        if (tls && servers.stream().anyMatch(HostAndPort::isUnderscored)) {
            reader.refuse(CONNECT_STRING, HostAndPort.uncertifiable("a host"));
        }
        reader.throwProblems();
        reader.logWarnings(LOG);
    }

    /** Returns the path at its end, empty if there is none. */
    private String readConnectString(SettingsReader reader) {
        String text = reader.optional(CONNECT_STRING).orElse("");
        if (text.isEmpty()) {
            return "";
        }
        int slash = text.indexOf('/');
        String hosts = slash < 0 ? text : text.substring(0, slash);
        servers.addAll(ServerUrl.several(
                reader,
                CONNECT_STRING,
                hosts,
                ZooKeeperSettings::server,
                part -> "a server. Write host:2181, several joined by commas, and perhaps a path after the last."));
        if (servers.isEmpty()) {
            return "";
        }
        String path = slash < 0 ? "" : text.substring(slash);
        if (SERVER_IN_PATH.matcher(path).find()) {
            // ZooKeeper would take it, and instances whose text differs would share nothing.
            reader.refuse(
                    CONNECT_STRING,
                    "goes on with a server after the path. Write the path once, after the last server, as in"
                            + " zk-1:2181,zk-2:2181/ids.");
            return "";
        }
        try {
            if (!path.isEmpty() && !path.equals("/")) {
                PathUtils.validatePath(path);
            }
        } catch (IllegalArgumentException e) {
            reader.refuse(
                    CONNECT_STRING,
                    "ends in a path that can't be used: " + e.getMessage() + ". Write it as /path or leave it out.");
        }
        return path.equals("/") ? "" : path;
    }

    private static Optional<HostAndPort> server(String text) {
        return ServerUrl.of("zk://" + text, Set.of("zk"), DEFAULT_PORT)
                .filter(url -> !text.endsWith(":"))
                .map(ServerUrl::server);
    }

    private static @Nullable Digest readDigest(SettingsReader reader) {
        String text = reader.optional(DIGEST).orElse(null);
        Path file = reader.optional(PASSWORD_FILE).orElse(null);
        if (text == null && file == null) {
            return null;
        }
        if (text != null && file != null) {
            reader.refuse(PASSWORD_FILE, "contradicts " + DIGEST + ". Set one of the two.");
        }
        if (file != null) {
            reader.warnOfReaders(PASSWORD_FILE, file);
        }
        Digest digest = new Digest(text, text == null ? file : null);
        try {
            String unused = digest.read();
        } catch (IOException e) {
            if (text != null) {
                reader.refuse(DIGEST, "is not a user and a password. Write them as user:password.");
            } else {
                reader.refuse(PASSWORD_FILE, "can't be used: " + e.getMessage() + ". Write one line, user:password.");
            }
        }
        return digest;
    }

    private static boolean readTlsEnabled(SettingsReader reader) {
        boolean anyFile = TLS.areSet(reader);
        boolean enabled = reader.optional(TLS_ENABLED).orElse(anyFile);
        if (!enabled && anyFile) {
            reader.refuse(TLS_ENABLED, "contradicts the other keys snowflake.zookeeper.tls.*. Remove it or these.");
        }
        return enabled;
    }

    /** Equal for coordinators that wait for the same servers. */
    Access access() {
        return new Access(List.copyOf(servers), digest, tls, encryption.named());
    }

    String generator() {
        return config.generator();
    }

    Durability durability() {
        return durability;
    }

    String namespace() {
        return config.namespace();
    }

    List<HostAndPort> servers() {
        return servers;
    }

    /** Without the path, which {@link #root()} begins with. */
    String connectString() {
        return servers.stream().map(HostAndPort::toString).collect(Collectors.joining(","));
    }

    /** The node of the namespace. */
    String root() {
        return root;
    }

    /** Null for an anonymous client. */
    @Nullable
    Digest digest() {
        return digest;
    }

    boolean tls() {
        return tls;
    }

    Encryption encryption() {
        return encryption;
    }
}
