// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.http;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import java.util.function.Predicate;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.config.Key;
import org.snowflakeid.support.TlsKeys;

/** There was no complete answer to a request. */
final class NoAnswer extends Exception {
    private static final long serialVersionUID = 1L;

    private final CoordinatorException exception;
    private final boolean sent;

    private NoAnswer(
            HttpSettings settings, String complaint, @Nullable Throwable cause, boolean permanent, boolean sent) {
        super(complaint, cause);
        this.exception = new CoordinatorException(settings.server() + " " + complaint, this, permanent);
        this.sent = sent;
    }

    /** For the caller of the coordinator. */
    CoordinatorException exception() {
        return exception;
    }

    boolean permanent() {
        return exception.permanent();
    }

    /** The same of one server among several: another may answer. */
    NoAnswer ofOneAmongSeveral(HttpSettings settings) {
        return new NoAnswer(settings, String.valueOf(getMessage()), getCause(), false, sent);
    }

    /** False if the server certainly read no request. */
    boolean sent() {
        return sent;
    }

    static NoAnswer interrupted(HttpSettings settings, InterruptedException e) {
        return new NoAnswer(settings, "was asked by a thread that was interrupted.", e, false, true);
    }

    static NoAnswer late(HttpSettings settings, long millis) {
        return new NoAnswer(
                settings,
                "does not answer within " + millis + " ms. Check host, port, and http or https in "
                        + settings.access().keys().address() + ", and the server.",
                null,
                false,
                true);
    }

    static NoAnswer of(HttpSettings settings, Throwable thrown) {
        Key<String> address = settings.access().keys().address();
        TlsKeys tls = settings.access().keys().tls();
        if (has(thrown, CertificateException.class::isInstance)) {
            return new NoAnswer(
                    settings,
                    "shows a certificate that is not trusted: " + said(thrown) + ". Check " + tls.ca()
                            + " and the host name in " + address + ".",
                    thrown,
                    true,
                    false);
        }
        // It ends a handshake, also one that looks complete from here: no request was read.
        boolean handshake = has(thrown, SSLHandshakeException.class::isInstance);
        if (handshake && said(thrown).contains("Received fatal alert: ")) {
            return new NoAnswer(
                    settings,
                    "refuses this client's certificate: " + said(thrown) + ". Check " + tls.cert() + " and " + tls.key()
                            + ".",
                    thrown,
                    true,
                    false);
        }
        if (thrown instanceof ConnectException || thrown instanceof HttpConnectTimeoutException) {
            return new NoAnswer(
                    settings,
                    "is not reachable: " + unreachable(thrown) + ". Check host, port, and http or https in " + address
                            + ".",
                    thrown,
                    false,
                    false);
        }
        if (has(thrown, SSLException.class::isInstance)) {
            return new NoAnswer(
                    settings,
                    "does not speak TLS as expected: " + said(thrown) + ". Check http or https and the port in "
                            + address + ".",
                    thrown,
                    false,
                    !handshake);
        }
        return new NoAnswer(
                settings,
                "gave no answer: " + said(thrown) + ". Check http or https in " + address + ", and the server.",
                thrown,
                false,
                true);
    }

    private static boolean has(Throwable thrown, Predicate<Throwable> kind) {
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            if (kind.test(t)) {
                return true;
            }
        }
        return false;
    }

    /** What the client says of it is of no use: a closed channel, for example, where a connection was refused. */
    private static String unreachable(Throwable thrown) {
        return has(thrown, t -> t instanceof UnresolvedAddressException || t instanceof UnknownHostException)
                ? "nobody knows its host"
                : "it accepts no connection";
    }

    private static String said(Throwable thrown) {
        Throwable root = thrown;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String message = root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
        return message.lines().findFirst().orElse("");
    }
}
