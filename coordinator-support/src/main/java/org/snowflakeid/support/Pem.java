// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.support;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads PEM files, which may hold more than what is looked for. */
final class Pem {

    private static final Pattern CERTIFICATE =
            Pattern.compile("-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----([^-]*)-----END ");
    private static final Pattern PRIVATE_KEY = Pattern.compile("-----BEGIN ([A-Z ]*)PRIVATE KEY-----([^-]*)");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA", "RSASSA-PSS", "DSA");

    private Pem() {}

    /** In the file's order, never empty. */
    static List<Certificate> certificates(Path file) throws IOException, GeneralSecurityException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        List<Certificate> certificates = new ArrayList<>();
        for (MatchResult block : CERTIFICATE.matcher(text(file)).results().toList()) {
            certificates.add(factory.generateCertificate(new ByteArrayInputStream(decoded(block.group(1)))));
        }
        if (certificates.isEmpty()) {
            throw new GeneralSecurityException("no BEGIN CERTIFICATE in it");
        }
        return certificates;
    }

    static PrivateKey privateKey(Path file) throws IOException, GeneralSecurityException {
        Matcher block = PRIVATE_KEY.matcher(text(file));
        if (!block.find()) {
            throw new GeneralSecurityException("no BEGIN PRIVATE KEY in it");
        }
        if (!block.group(1).isEmpty()) {
            // ENCRYPTED, or a format from before PKCS 8: RSA, EC.
            throw new GeneralSecurityException("it begins with " + block.group(1) + "PRIVATE KEY");
        }
        PKCS8EncodedKeySpec encoded = new PKCS8EncodedKeySpec(decoded(block.group(2)));
        GeneralSecurityException last = null;
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
            } catch (GeneralSecurityException e) {
                last = e;
            }
        }
        throw new GeneralSecurityException("it is of none of the algorithms " + String.join(", ", ALGORITHMS), last);
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }

    private static byte[] decoded(String base64) throws GeneralSecurityException {
        try {
            return Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new GeneralSecurityException("its Base64 is damaged", e);
        }
    }
}
