// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import okhttp3.tls.HeldCertificate;

/**
 * A certificate authority made for one test run, with a certificate for servers on loopback and one for clients, as PEM files.
 * Two of these do not trust each other.
 */
public final class Certificates {
    private final Path directory;

    /** @param directory where the files go; it must exist */
    public Certificates(Path directory) {
        this.directory = directory;
        HeldCertificate authority = new HeldCertificate.Builder()
                .commonName("test authority")
                .certificateAuthority(0)
                .build();
        write("ca.pem", authority.certificatePem());
        issue(authority, "server");
        issue(authority, "client");
    }

    private void issue(HeldCertificate authority, String name) {
        HeldCertificate issued = new HeldCertificate.Builder()
                .commonName(name)
                .addSubjectAlternativeName("localhost")
                .addSubjectAlternativeName("127.0.0.1")
                .signedBy(authority)
                .build();
        write(name + ".pem", issued.certificatePem());
        write(name + "-key.pem", issued.privateKeyPkcs8Pem());
    }

    private void write(String name, String pem) {
        try {
            Files.writeString(directory.resolve(name), pem);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
