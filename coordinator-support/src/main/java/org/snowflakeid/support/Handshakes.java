// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.support;

import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Says of a failed connection whether one side refused the other's certificate, which waiting can't cure, and what to check then.
 *
 * @param trust what decides whom this client trusts, and what the server's certificate must be for
 * @param identity what this client shows of itself
 */
public record Handshakes(String trust, String identity) {

    /** The last one is OpenSSL's answer to a missing certificate. */
    private static final Pattern OF_THE_CERTIFICATE = Pattern.compile("Received fatal alert: (?:bad_certificate"
            + "|unsupported_certificate|certificate_|no_certificate|unknown_ca|access_denied|decrypt_error"
            + "|handshake_failure)");

    /** @param hosts what the server's certificate must be for, such as {@code the host name in snowflake.redis.uri} */
    public static Handshakes by(TlsKeys keys, String hosts) {
        return new Handshakes(keys.ca() + " and " + hosts, keys.cert() + " and " + keys.key());
    }

    /** A failure and its causes, the outermost first. Drivers are known whose causes go in a circle. */
    public static List<Throwable> causes(Throwable failure) {
        List<Throwable> causes = new ArrayList<>();
        for (Throwable each = failure; each != null && !causes.contains(each); each = each.getCause()) {
            causes.add(each);
        }
        return causes;
    }

    /** The first of these by which a certificate was refused; empty if none was. */
    public static Optional<Throwable> refusal(List<Throwable> causes) {
        return causes.stream().filter(Handshakes::refuses).findFirst();
    }

    /** A handshake that ended because the server went away, or speaks another TLS, is an SSLException too. */
    private static boolean refuses(Throwable cause) {
        String message = String.valueOf(cause.getMessage());
        return cause instanceof CertificateException
                || (cause instanceof SSLException
                        && OF_THE_CERTIFICATE.matcher(message).find());
    }

    /**
     * The complaint about a server, to follow its name.
     *
     * @param refusal as {@link #refusal} finds it
     * @param at which one of several servers; empty if that was said
     * @param seen what the failure says
     */
    public String complaint(Throwable refusal, String at, @Nullable String seen) {
        return refusal instanceof CertificateException
                ? "shows a certificate that is not trusted" + at + ": " + seen + ". Check " + trust + "."
                : "refuses this client's certificate" + at + ": " + seen + ". Check " + identity + ".";
    }
}
