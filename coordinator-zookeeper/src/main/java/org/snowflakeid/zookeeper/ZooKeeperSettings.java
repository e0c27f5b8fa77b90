// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.util.PemReader;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.spi.CoordinatorConfig;

/**
 * The keys {@code snowflake.zookeeper.*}, checked: whatever can be known to be wrong without asking a server is refused here.
 *
 * <ul>
 *   <li>{@code connect-string}: <em>required</em>, servers joined by commas, and perhaps a path below which everything stands
 *   <li>{@code digest}: <em>optional</em>, user and password joined by a colon
 *   <li>{@code tls.enabled}: <em>optional</em>; default: whether one of the following is set
 *   <li>{@code tls.ca}: <em>optional</em>, PEM file of the authorities to trust; default: those of the JVM
 *   <li>{@code tls.cert}, {@code tls.key}: <em>optional</em>, both or none, PEM files that identify this client
 * </ul>
 */
final class ZooKeeperSettings {
    static final String CONNECT_STRING = "snowflake.zookeeper.connect-string";
    static final String DIGEST = "snowflake.zookeeper.digest";
    static final String TLS_ENABLED = "snowflake.zookeeper.tls.enabled";
    static final String TLS_CA = "snowflake.zookeeper.tls.ca";
    static final String TLS_CERT = "snowflake.zookeeper.tls.cert";
    static final String TLS_KEY = "snowflake.zookeeper.tls.key";

    private static final int DEFAULT_PORT = 2181;

    private final CoordinatorConfig config;
    private final List<String> problems = new ArrayList<>();
    private final List<Server> servers = new ArrayList<>();
    private final String root;
    private final @Nullable String digest;
    private final boolean tls;
    private final @Nullable String ca;
    private final @Nullable KeyStore trusted;
    private final @Nullable KeyStore keys;

    record Server(String host, int port) {
        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    /** @throws InvalidSettingsException naming every problem at once */
    static ZooKeeperSettings of(CoordinatorConfig config) {
        return new ZooKeeperSettings(config);
    }

    private ZooKeeperSettings(CoordinatorConfig config) {
        this.config = config;
        root = readConnectString() + "/" + config.namespace();
        digest = readDigest();
        Optional<String> caFile = config.value(TLS_CA);
        Optional<String> cert = config.value(TLS_CERT);
        Optional<String> key = config.value(TLS_KEY);
        tls = readTlsEnabled(Stream.of(caFile, cert, key).anyMatch(Optional::isPresent));
        ca = caFile.orElse(null);
        trusted = caFile.map(this::readTrusted).orElse(null);
        keys = readKeys(cert, key);
        if (!problems.isEmpty()) {
            throw new InvalidSettingsException(problems);
        }
    }

    private void problem(String key, String value, String complaint) {
        problems.add("snowflake '" + config.generator() + "': " + key + "=" + value + " " + complaint);
    }

    /** Returns the path at its end, empty if there is none. */
    private String readConnectString() {
        Optional<String> text = config.value(CONNECT_STRING);
        if (text.isEmpty()) {
            problems.add("snowflake '" + config.generator() + "': " + CONNECT_STRING
                    + " is not set. Set it to the ZooKeeper servers, such as zk-1:2181,zk-2:2181,zk-3:2181.");
            return "";
        }
        int slash = text.get().indexOf('/');
        String hosts = slash < 0 ? text.get() : text.get().substring(0, slash);
        for (String part : hosts.split(",", -1)) {
            Server server = server(part.strip());
            if (server == null) {
                problem(
                        CONNECT_STRING,
                        text.get(),
                        "holds '" + part.strip()
                                + "', which is not a server. Write host:2181, several joined by commas,"
                                + " and perhaps a path after the last.");
                return "";
            }
            servers.add(server);
        }
        String path = slash < 0 ? "" : text.get().substring(slash);
        try {
            if (!path.isEmpty() && !path.equals("/")) {
                PathUtils.validatePath(path);
            }
        } catch (IllegalArgumentException e) {
            problem(
                    CONNECT_STRING,
                    text.get(),
                    "ends in a path that can't be used: " + e.getMessage() + ". Write it as /path or leave it out.");
        }
        return path.equals("/") ? "" : path;
    }

    private static @Nullable Server server(String text) {
        try {
            URI uri = new URI("zk://" + text);
            int port = uri.getPort() == -1 ? DEFAULT_PORT : uri.getPort();
            boolean bare = uri.getUserInfo() == null && uri.getQuery() == null && uri.getFragment() == null;
            return !bare || uri.getHost() == null || text.endsWith(":") || port < 1 || port > 65_535
                    ? null
                    : new Server(uri.getHost(), port);
        } catch (URISyntaxException e) {
            return null;
        }
    }

    private @Nullable String readDigest() {
        // Not config.value(): blanks at the end may belong to the password.
        String text = config.settings().apply(DIGEST);
        if (text == null || text.isBlank()) {
            return null;
        }
        int colon = text.indexOf(':');
        if (colon < 1 || colon == text.length() - 1) {
            problem(DIGEST, "(not shown)", "is not a user and a password. Write them as user:password.");
            return null;
        }
        return text;
    }

    private boolean readTlsEnabled(boolean anyFile) {
        String text = config.value(TLS_ENABLED).orElse(Boolean.toString(anyFile));
        if (!text.equals("true") && !text.equals("false")) {
            problem(TLS_ENABLED, text, "is neither true nor false. Write one of these.");
        }
        if (text.equals("false") && anyFile) {
            problem(TLS_ENABLED, text, "contradicts the other keys snowflake.zookeeper.tls.*. Remove it or these.");
        }
        return text.equals("true");
    }

    private @Nullable KeyStore readTrusted(String file) {
        if (!isReadable(TLS_CA, file)) {
            return null;
        }
        try {
            KeyStore store = PemReader.loadTrustStore(new File(file));
            if (store.size() > 0) {
                return store;
            }
            problem(TLS_CA, file, "holds no certificates. Name a PEM file of certificates.");
        } catch (IOException | GeneralSecurityException e) {
            problem(TLS_CA, file, "holds no certificates (" + e.getMessage() + "). Name a PEM file of certificates.");
        }
        return null;
    }

    private @Nullable KeyStore readKeys(Optional<String> cert, Optional<String> key) {
        if (cert.isPresent() && key.isEmpty()) {
            problem(TLS_CERT, cert.get(), "comes without its private key. Set " + TLS_KEY + " to its PEM file.");
        }
        if (key.isPresent() && cert.isEmpty()) {
            problem(TLS_KEY, key.get(), "comes without its certificate. Set " + TLS_CERT + " to its PEM file.");
        }
        boolean certReadable = cert.map(file -> isReadable(TLS_CERT, file)).orElse(false);
        boolean keyReadable = key.map(file -> isReadable(TLS_KEY, file)).orElse(false);
        if (!certReadable || !keyReadable) {
            return null;
        }
        try {
            if (PemReader.readCertificateChain(new File(cert.orElseThrow())).isEmpty()) {
                throw new GeneralSecurityException("no certificate in it");
            }
        } catch (IOException | GeneralSecurityException e) {
            problem(
                    TLS_CERT,
                    cert.orElseThrow(),
                    "can't be used (" + e.getMessage() + "). Name the PEM file of a certificate chain.");
            return null;
        }
        try {
            return PemReader.loadKeyStore(new File(cert.orElseThrow()), new File(key.orElseThrow()), Optional.empty());
        } catch (IOException | GeneralSecurityException e) {
            problem(
                    TLS_KEY,
                    key.orElseThrow(),
                    "can't be used (" + e.getMessage()
                            + "). Name the PEM file of the certificate's private key, in PKCS 8 without a password.");
            return null;
        }
    }

    private boolean isReadable(String key, String name) {
        File file = new File(name);
        if (file.isFile() && file.canRead()) {
            return true;
        }
        problem(key, name, "is not a readable file. Name a PEM file this process can read.");
        return false;
    }

    String generator() {
        return config.generator();
    }

    String namespace() {
        return config.namespace();
    }

    List<Server> servers() {
        return servers;
    }

    /** Without the path, which {@link #root()} begins with. */
    String connectString() {
        return servers.stream().map(Server::toString).collect(Collectors.joining(","));
    }

    /** The node of the namespace. */
    String root() {
        return root;
    }

    /** User and password; null for an anonymous client. */
    @Nullable
    String digest() {
        return digest;
    }

    boolean tls() {
        return tls;
    }

    /** PEM file; null for the authorities of the JVM. */
    @Nullable
    String ca() {
        return ca;
    }

    /** What is in {@link #ca()}. */
    @Nullable
    KeyStore trusted() {
        return trusted;
    }

    /** This client's key and certificate, without a password; null if it needs none. */
    @Nullable
    KeyStore keys() {
        return keys;
    }
}
