// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.http;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.config.Key;
import org.snowflakeid.support.Handshakes;

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
        List<Throwable> causes = Handshakes.causes(thrown);
        // It ends a handshake, also one that looks complete from here: no request was read.
        boolean handshake = has(causes, SSLHandshakeException.class::isInstance);
        Optional<Throwable> refusal = handshake ? Handshakes.refusal(causes) : Optional.empty();
        if (refusal.isPresent()) {
            Handshakes handshakes = Handshakes.by(settings.access().keys().tls(), "the host name in " + address);
            String complaint = handshakes.complaint(refusal.get(), "", said(causes));
            return new NoAnswer(settings, complaint, thrown, true, false);
        }
        if (thrown instanceof ConnectException || thrown instanceof HttpConnectTimeoutException) {
            return new NoAnswer(
                    settings,
                    "is not reachable: " + unreachable(causes) + ". Check host, port, and http or https in " + address
                            + ".",
                    thrown,
                    false,
                    false);
        }
        if (has(causes, SSLException.class::isInstance)) {
            return new NoAnswer(
                    settings,
                    "does not speak TLS as expected: " + said(causes) + ". Check http or https and the port in "
                            + address + ".",
                    thrown,
                    false,
                    !handshake);
        }
        return new NoAnswer(
                settings,
                "gave no answer: " + said(causes) + ". Check http or https in " + address + ", and the server.",
                thrown,
                false,
                true);
    }

    private static boolean has(List<Throwable> causes, Predicate<Throwable> kind) {
        return causes.stream().anyMatch(kind);
    }

    /** What the client says of it is of no use: a closed channel, for example, where a connection was refused. */
    private static String unreachable(List<Throwable> causes) {
        return has(causes, t -> t instanceof UnresolvedAddressException || t instanceof UnknownHostException)
                ? "its host is unknown"
                : "it accepts no connection";
    }

    private static String said(List<Throwable> causes) {
        Throwable root = causes.get(causes.size() - 1);
        String message = root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
        return message.lines().findFirst().orElse("");
    }
}
