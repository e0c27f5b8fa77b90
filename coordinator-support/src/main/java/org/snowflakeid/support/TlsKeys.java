// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.support;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;

/**
 * The keys for encrypted connections, the same for all coordinators: PEM files. {@link #read} opens them each time it is called.
 *
 * @param ca the authorities to trust
 * @param cert the certificate chain of this client
 * @param key its private key
 */
public record TlsKeys(Key<Path> ca, Key<Path> cert, Key<Path> key) {

    /** @param group such as {@code snowflake.etcd.tls} */
    public static TlsKeys below(String group) {
        return new TlsKeys(
                Key.file(group + ".ca")
                        .otherwise("the authorities of the JVM")
                        .use(Key.Use.OFTEN)
                        .meaning("PEM file of the authorities to trust."),
                Key.file(group + ".cert")
                        .use(Key.Use.OFTEN)
                        .meaning("PEM file of this client's certificate chain, for mutual TLS."),
                Key.file(group + ".key")
                        .use(Key.Use.OFTEN)
                        .meaning("PEM file of the private key of that certificate, PKCS#8 without a password."));
    }

    public List<Key<?>> all() {
        return List.of(ca, cert, key);
    }

    public boolean areSet(SettingsReader reader) {
        return all().stream().anyMatch(reader::isSet);
    }

    /** Which files are named, by key: equal where the same ones are read, whatever they hold. */
    public Map<String, String> files(SettingsReader reader) {
        Map<String, String> files = new HashMap<>();
        for (Key<?> each : all()) {
            reader.optional(each).ifPresent(file -> files.put(each.name(), file.toString()));
        }
        return Map.copyOf(files);
    }

    /**
     * Checks an address that is not encrypted: refuses TLS files, which would have no effect, and warns of a secret that is sent there.
     *
     * @param scheme of an encrypted address, such as {@code https://}
     * @param secret what is sent there, for the warning; null: nothing
     */
    public void checkUnencrypted(SettingsReader reader, Key<?> address, String scheme, @Nullable String secret) {
        if (areSet(reader)) {
            reader.refuse(
                    address,
                    "is not encrypted, but " + ca.name().replaceFirst("ca$", "*") + " is set. Write " + scheme
                            + " or remove the latter.");
        }
        if (secret != null) {
            reader.warn(
                    address,
                    "is not encrypted, and " + secret
                            + " is sent there: anyone who sees the network's traffic can read it." + " Write " + scheme
                            + ".");
        }
    }

    /** Makes what a library wants from certificates and keys. */
    public interface Making<T> {
        T of(Tls files) throws IOException, GeneralSecurityException;
    }

    /** Null if the files can't be used, which is noted in the reader. */
    public <T> @Nullable T make(SettingsReader reader, Tls files, Making<T> making) {
        try {
            return making.of(files);
        } catch (IOException | GeneralSecurityException e) {
            reader.refuse(reader.isSet(ca) ? ca : cert, "can't be used (" + e.getMessage() + "). Name PEM files.");
            return null;
        }
    }

    /**
     * As {@link #make}, of the files as they are now.
     *
     * @param files as {@link #files} gives them
     * @throws InvalidSettingsException if they can't be used
     */
    public <T> T makeAnew(String generator, Map<String, String> files, Making<T> making) {
        SettingsReader reader = new SettingsReader(generator, files::get);
        T made = make(reader, read(reader), making);
        reader.throwProblems();
        if (made == null) {
            throw new IllegalStateException("refused without a problem");
        }
        return made;
    }

    /**
     * What is wrong is noted in the reader; the result is then as if the files in question were not named. A private key that
     * all users may read is a warning.
     */
    public Tls read(SettingsReader reader) {
        requireOther(reader, cert, key, "comes without its private key.");
        requireOther(reader, key, cert, "comes without its certificate.");
        Optional<KeyStore> trusted = reader.optional(ca)
                .flatMap(file -> read(
                        reader,
                        ca,
                        () -> store(Pem.certificates(file)),
                        "holds no certificates",
                        "Name a PEM file of certificates."));
        Optional<List<Certificate>> chain = reader.optional(cert)
                .flatMap(file -> read(
                        reader,
                        cert,
                        () -> Pem.certificates(file),
                        "holds no certificates",
                        "Name the PEM file of a certificate chain."));
        reader.optional(key).ifPresent(file -> reader.warnOfReaders(key, file));
        Optional<PrivateKey> privateKey = reader.optional(key)
                .flatMap(file -> read(
                        reader,
                        key,
                        () -> Pem.privateKey(file),
                        "holds no private key that can be used",
                        "Name the PEM file of the certificate's private key, in PKCS 8 without a password,"
                                + " as 'openssl pkcs8 -topk8 -nocrypt' writes it."));
        return new Tls(
                trusted,
                chain.flatMap(certificates -> privateKey.flatMap(secret -> read(
                        reader,
                        key,
                        () -> store(certificates, secret),
                        "can't be used with " + cert,
                        "Name a certificate and its private key."))));
    }

    private static void requireOther(SettingsReader reader, Key<?> key, Key<?> other, String complaint) {
        if (reader.isSet(key) && !reader.isSet(other)) {
            reader.refuse(key, complaint + " Set " + other + " to its PEM file.");
        }
    }

    private interface Reading<T> {
        T get() throws IOException, GeneralSecurityException;
    }

    private static <T> Optional<T> read(
            SettingsReader reader, Key<?> key, Reading<T> reading, String complaint, String remedy) {
        try {
            return Optional.of(reading.get());
        } catch (IOException | GeneralSecurityException e) {
            reader.refuse(key, complaint + " (" + e.getMessage() + "). " + remedy);
            return Optional.empty();
        }
    }

    private static KeyStore store(List<Certificate> trusted) throws IOException, GeneralSecurityException {
        KeyStore store = empty();
        for (int i = 0; i < trusted.size(); i++) {
            store.setCertificateEntry("ca-" + i, trusted.get(i));
        }
        return store;
    }

    private static KeyStore store(List<Certificate> chain, PrivateKey key)
            throws IOException, GeneralSecurityException {
        KeyStore store = empty();
        store.setKeyEntry("client", key, new char[0], chain.toArray(Certificate[]::new));
        return store;
    }

    private static KeyStore empty() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("JKS");
        store.load(null, null);
        return store;
    }
}
