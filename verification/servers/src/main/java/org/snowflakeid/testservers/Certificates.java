// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.Map;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * A certificate authority made for one test run, with a certificate for servers on loopback and one for clients, as PEM files.
 * Two of these do not trust each other.
 */
public final class Certificates {
    private static final X500Principal AUTHORITY = new X500Principal("CN=test authority");

    private final Path directory;
    private final Instant until;

    /** @param directory where the files go; it must exist */
    public Certificates(Path directory) {
        this(directory, Duration.ofDays(2));
    }

    /** @param validity from now on */
    public Certificates(Path directory, Duration validity) {
        this.directory = directory;
        this.until = Instant.now().plus(validity);
        try {
            KeyPair authority = keyPair();
            writePem("ca", "CERTIFICATE", certificate(AUTHORITY, authority, authority, true));
            for (String name : new String[] {"server", "client"}) {
                KeyPair keys = keyPair();
                writePem(name, "CERTIFICATE", certificate(new X500Principal("CN=" + name), keys, authority, false));
                writePem(name + "-key", "PRIVATE KEY", keys.getPrivate().getEncoded());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalStateException(e);
        }
    }

    private Certificates(Path directory, Certificates others) {
        this.directory = directory;
        this.until = others.until;
        Directories.copy(others.directory, directory);
    }

    /** The same in a new directory of that name. */
    Certificates copyTo(Path newDirectory) {
        return new Certificates(newDirectory, this);
    }

    /** Puts the others' files in place of these, as who rotates certificates does. */
    public void become(Certificates others) {
        Directories.copy(others.directory, directory);
    }

    private static KeyPair keyPair() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        return generator.generateKeyPair();
    }

    private byte[] certificate(X500Principal subject, KeyPair keys, KeyPair authority, boolean isAuthority)
            throws IOException, OperatorCreationException {
        Instant now = Instant.now();
        X509CertificateHolder signed = new JcaX509v3CertificateBuilder(
                        AUTHORITY,
                        new BigInteger(64, new SecureRandom()),
                        Date.from(now.minus(Duration.ofHours(1))),
                        Date.from(until),
                        subject,
                        keys.getPublic())
                .addExtension(Extension.basicConstraints, true, new BasicConstraints(isAuthority))
                .addExtension(Extension.subjectAlternativeName, false, new GeneralNames(new GeneralName[] {
                    new GeneralName(GeneralName.dNSName, "localhost"),
                    new GeneralName(GeneralName.iPAddress, "127.0.0.1")
                }))
                .build(new JcaContentSignerBuilder("SHA256withECDSA").build(authority.getPrivate()));
        return signed.getEncoded();
    }

    private void writePem(String name, String type, byte[] content) throws IOException {
        String body = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(content);
        Files.writeString(
                directory.resolve(name + ".pem"),
                "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n");
    }

    /**
     * What a client of theirs is configured with.
     *
     * @param group such as {@code snowflake.etcd.tls}
     */
    public Map<String, String> settings(String group) {
        return Map.of(
                group + ".ca", ca().toString(),
                group + ".cert", clientCertificate().toString(),
                group + ".key", clientKey().toString());
    }

    public Path ca() {
        return directory.resolve("ca.pem");
    }

    public Path serverCertificate() {
        return directory.resolve("server.pem");
    }

    public Path serverKey() {
        return directory.resolve("server-key.pem");
    }

    public Path clientCertificate() {
        return directory.resolve("client.pem");
    }

    /** The client's private key, PKCS 8. */
    public Path clientKey() {
        return directory.resolve("client-key.pem");
    }
}
