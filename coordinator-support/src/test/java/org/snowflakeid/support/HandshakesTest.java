// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.security.cert.CertificateException;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HandshakesTest {
    private final Handshakes handshakes =
            Handshakes.by(TlsKeys.below("snowflake.test.tls"), "the host name in snowflake.test.url");

    private String complaint(Throwable failure) {
        List<Throwable> causes = Handshakes.causes(failure);
        return Handshakes.refusal(causes)
                .map(refusal -> handshakes.complaint(refusal, " (b:1)", failure.getMessage()))
                .orElse("");
    }

    @Test
    void saysWhoseCertificateIsRefusedAndWhatToCheck() {
        assertThat(complaint(new IOException("outer", new CertificateException("inner"))))
                .isEqualTo("shows a certificate that is not trusted (b:1): outer. Check snowflake.test.tls.ca and the"
                        + " host name in snowflake.test.url.");
        assertThat(complaint(new SSLHandshakeException("Received fatal alert: bad_certificate")))
                .isEqualTo("refuses this client's certificate (b:1): Received fatal alert: bad_certificate. Check"
                        + " snowflake.test.tls.cert and snowflake.test.tls.key.");
    }

    // each was said to refuse this client's certificate, which may have none, and ended the start
    @ParameterizedTest
    @ValueSource(
            strings = {"protocol_version", "insufficient_security", "unrecognized_name", "no_application_protocol"})
    void aServerThatSpeaksAnotherTlsRefusesNoCertificate(String alert) {
        assertThat(complaint(new SSLHandshakeException("Received fatal alert: " + alert)))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"certificate_required", "certificate_expired", "unknown_ca", "handshake_failure"})
    void aServerThatWantsAnotherCertificateRefusesIt(String alert) {
        assertThat(complaint(new SSLHandshakeException("(" + alert + ") Received fatal alert: " + alert)))
                .startsWith("refuses this client's certificate");
    }

    @Test
    void aServerThatGoesAwayRefusesNothing() {
        assertThat(complaint(new SSLException("Received fatal alert: internal_error")))
                .isEmpty();
        assertThat(complaint(new SSLHandshakeException("Remote host terminated the handshake")))
                .isEmpty();
        assertThat(complaint(new IOException("Received fatal alert: bad_certificate")))
                .isEmpty();
    }

    @Test
    void causesInACircleAreLookedAtOnce() {
        IOException one = new IOException("one");
        IOException other = new IOException("other", one);
        Throwable unused = one.initCause(other);

        assertThat(Handshakes.causes(one)).containsExactly(one, other);
    }
}
