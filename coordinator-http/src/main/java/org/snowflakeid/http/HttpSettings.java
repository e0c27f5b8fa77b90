// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.http;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.support.CallTimeout;
import org.snowflakeid.support.ServerUrl;
import org.snowflakeid.support.Tls;
import org.snowflakeid.support.TlsKeys;

/** The settings that all coordinators over HTTP have: which servers there are, how they are reached, and how long that may take. */
public final class HttpSettings {

    /**
     * @param product its name in messages, such as {@code Consul}
     * @param address the key that says where the servers are
     */
    public record Keys(String product, Key<String> address, TlsKeys tls, Key<Duration> callTimeout) {}

    /**
     * Equal for coordinators that may use the same connections. Files are named here and read when they are needed, since they are
     * replaced while a process runs.
     */
    public record Access(Keys keys, List<String> servers, Map<String, String> files) {
        public boolean isEncrypted() {
            return !servers.isEmpty() && servers.get(0).startsWith("https:");
        }
    }

    private final String generator;
    private final Access access;
    private final CallTimeout callTimeout;

    /**
     * Reads and checks them. What is wrong is noted in the reader, and so are warnings.
     *
     * @param servers URLs, all {@code http} or all {@code https} in lower case, without a slash at their ends; empty if the address was refused
     * @param secretFile the key of a file with a secret, which {@link #anew} reads
     * @param secret what is sent to the servers and must not be in messages; null: nothing
     */
    public HttpSettings(
            String generator,
            SettingsReader reader,
            Keys keys,
            List<String> servers,
            Key<Path> secretFile,
            @Nullable String secret) {
        this.generator = generator;
        Map<String, String> files = new HashMap<>(keys.tls().files(reader));
        reader.optional(secretFile).ifPresent(file -> files.put(secretFile.name(), file.toString()));
        this.access = new Access(keys, List.copyOf(servers), Map.copyOf(files));
        this.callTimeout = new CallTimeout(reader.optional(keys.callTimeout()));
        Tls tls = keys.tls().read(reader);
        if (access.isEncrypted()) {
            var unused = keys.tls().make(reader, tls, Tls::context);
        } else if (!servers.isEmpty()) {
            keys.tls().checkUnencrypted(reader, keys.address(), "https://", secret);
        }
    }

    /** The URL of a server that the JDK's client takes; empty if it is none. */
    public static Optional<ServerUrl> url(String text, int usualPort) {
        return ServerUrl.of(text, ServerUrl.HTTP, usualPort)
                .filter(url -> !url.server().isUnderscored());
    }

    /**
     * What is said of an address that is none, and also where only the host's name is what the JDK's client does not take.
     *
     * @param address as it was written, or a part of it
     * @param complaint of anything else
     */
    public static String complaint(String address, String complaint) {
        boolean underscore = address.replaceFirst("^[A-Za-z]+://", "")
                .replaceFirst("[/?#].*", "")
                .contains("_");
        return underscore
                ? complaint + " The HTTP client of Java takes no host name with an '_': give the server another"
                        + " name, or write its IP address."
                : complaint;
    }

    public Access access() {
        return access;
    }

    /** For messages, such as {@code Consul (http://localhost:8500)}. */
    public String server() {
        return access.keys().product() + " (" + String.join(",", access.servers()) + ")";
    }

    public CallTimeout callTimeout() {
        return callTimeout;
    }

    /**
     * What a file of these settings holds now.
     *
     * @param read notes in the reader what is wrong with it
     * @throws CoordinatorException if anything is: the file was replaced, and perhaps only in part so far
     */
    public <T> @Nullable T anew(Key<Path> key, BiFunction<SettingsReader, Path, @Nullable T> read) {
        return read(reader ->
                reader.optional(key).map(file -> read.apply(reader, file)).orElse(null));
    }

    /** As the files are now; null over plain HTTP. Throws as {@link #anew} does. */
    @Nullable
    public Tls tls() {
        return access.isEncrypted() ? read(access.keys().tls()::read) : null;
    }

    /** Throws as {@link #anew} does. */
    SSLContext context(Tls tls) {
        SSLContext context = read(reader -> access.keys().tls().make(reader, tls, Tls::context));
        if (context == null) {
            throw new IllegalStateException("refused without a problem");
        }
        return context;
    }

    private <T> @Nullable T read(Function<SettingsReader, @Nullable T> read) {
        SettingsReader reader = new SettingsReader(generator, access.files()::get);
        T content = read.apply(reader);
        try {
            reader.throwProblems();
        } catch (InvalidSettingsException e) {
            throw new CoordinatorException(String.valueOf(e.getMessage()), e, false);
        }
        return content;
    }
}
