// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import com.google.common.base.Throwables;
import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdException;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.net.ConnectException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.snowflakeid.CoordinatorException;

/**
 * A request that failed, and what is certain about it. The distinctions are those a real server showed: which status and which
 * causes it answers with is in the test of the faults.
 */
final class EtcdFailure extends Exception {
    private static final long serialVersionUID = 1L;

    /** With these etcd refuses a request before it applies it. Timeouts and leader changes are not among them. */
    private static final Set<Code> REFUSALS = Set.of(
            Code.INVALID_ARGUMENT,
            Code.NOT_FOUND,
            Code.PERMISSION_DENIED,
            Code.UNAUTHENTICATED,
            Code.FAILED_PRECONDITION,
            Code.RESOURCE_EXHAUSTED,
            Code.OUT_OF_RANGE);

    private static final Set<String> EXPIRED_TOKEN =
            Set.of("etcdserver: invalid auth token", "etcdserver: revision of auth store is old");

    private final Code code;
    private final String description;
    private final boolean sent;
    private final boolean interrupted;
    private final CoordinatorException exception;

    private EtcdFailure(
            Code code, String description, boolean sent, boolean interrupted, CoordinatorException exception) {
        super(exception.getMessage(), exception);
        this.code = code;
        this.description = description;
        this.sent = sent;
        this.interrupted = interrupted;
        this.exception = exception;
    }

    static EtcdFailure interrupted(EtcdSettings settings, InterruptedException e) {
        String text = "etcd (" + settings.endpointsText() + "): the call was interrupted";
        return new EtcdFailure(Code.CANCELLED, "", true, true, new CoordinatorException(text, e, false));
    }

    /** @param sent false if the request certainly never left this process */
    static EtcdFailure of(EtcdSettings settings, Exception e, boolean sent) {
        List<Throwable> chain = Throwables.getCausalChain(e);
        Code code = status(chain).getCode();
        String description = chain.stream()
                .map(Throwable::getMessage)
                .filter(m -> m != null && m.contains("etcdserver: "))
                .reduce((outer, inner) -> inner)
                .map(m -> m.substring(m.indexOf("etcdserver: ")))
                .orElse("");
        boolean untrusted = chain.stream().anyMatch(EtcdFailure::refusesCertificate);
        boolean permanent = untrusted || settingIsWrong(code, description);
        String text = "etcd (" + settings.endpointsText() + ") "
                + complaint(settings, chain, code, description, untrusted, sent);
        return new EtcdFailure(code, description, sent, false, new CoordinatorException(text, e, permanent));
    }

    private static Status status(List<Throwable> chain) {
        if (chain.stream().anyMatch(TimeoutException.class::isInstance)) {
            return Status.DEADLINE_EXCEEDED;
        }
        Status status = Status.UNKNOWN;
        for (Throwable t : chain) {
            if (t instanceof StatusRuntimeException e) {
                // The innermost one: a login that failed is the cause of an UNAUTHENTICATED that says nothing.
                status = e.getStatus();
            } else if (t instanceof EtcdException e && e.getErrorCode() == ErrorCode.NOT_FOUND) {
                // keepAliveOnce() speaks jetcd's own error codes.
                status = Status.NOT_FOUND;
            }
        }
        return status;
    }

    /** A handshake that ended because the server went away is an SSLException too; waiting cures that. */
    private static boolean refusesCertificate(Throwable t) {
        return t instanceof CertificateException
                || (t instanceof SSLException
                        && String.valueOf(t.getMessage()).contains("Received fatal alert: ")
                        && !String.valueOf(t.getMessage()).contains("internal_error"));
    }

    private static boolean settingIsWrong(Code code, String description) {
        return code == Code.PERMISSION_DENIED
                || description.contains("authentication failed")
                || description.contains("authentication is not enabled")
                || description.contains("user name is empty");
    }

    private static String complaint(
            EtcdSettings settings,
            List<Throwable> chain,
            Code code,
            String description,
            boolean untrusted,
            boolean sent) {
        Throwable root = chain.get(chain.size() - 1);
        if (untrusted) {
            return root instanceof SSLException
                    ? "refuses this client's certificate: " + root.getMessage() + ". Check " + EtcdSettings.TLS_CERT
                            + " and " + EtcdSettings.TLS_KEY + "."
                    : "shows a certificate that is not trusted: " + root.getMessage() + ". Check " + EtcdSettings.TLS_CA
                            + " and the host names in " + EtcdSettings.ENDPOINTS + ".";
        }
        if (description.contains("authentication failed")) {
            return "refuses user '" + settings.user() + "': " + description + ". Check " + EtcdSettings.USER + " and "
                    + EtcdSettings.PASSWORD + ".";
        }
        if (description.contains("authentication is not enabled")) {
            return "has no users: " + description + ". Remove " + EtcdSettings.USER
                    + ", or enable authentication there.";
        }
        if (description.contains("user name")) {
            return "wants a user: " + description + ". Set " + EtcdSettings.USER + " and " + EtcdSettings.PASSWORD
                    + ".";
        }
        if (code == Code.PERMISSION_DENIED) {
            return "forbids "
                    + (settings.user() == null ? "an anonymous client" : "user '" + settings.user() + "'")
                    + " the keys of namespace '" + settings.namespace() + "': " + description
                    + ". Grant read and write on the prefix /" + settings.namespace() + "/, or check "
                    + EtcdSettings.USER + " and snowflake.namespace.";
        }
        if (!description.isEmpty()) {
            return "answers " + code + ": " + description;
        }
        if (code == Code.DEADLINE_EXCEEDED) {
            return "does not answer in time ("
                    + (sent ? "the request was sent" : "no connection was established") + "). Check "
                    + EtcdSettings.ENDPOINTS + " and the servers.";
        }
        String seen = seen(chain, root);
        if (sent) {
            return "gave no answer: " + code + ", " + seen;
        }
        boolean connected = code != Code.UNKNOWN
                && chain.stream()
                        .noneMatch(t -> t instanceof ConnectException || t instanceof UnresolvedAddressException);
        return connected
                ? "closes connections before it says a word: " + seen + ". Check http or https in "
                        + EtcdSettings.ENDPOINTS + ", the port, and snowflake.etcd.tls.*."
                : "is not reachable: " + seen + ". Check " + EtcdSettings.ENDPOINTS + ".";
    }

    /** gRPC's own words and the root cause; each alone often says nothing. */
    private static String seen(List<Throwable> chain, Throwable root) {
        String status = chain.stream()
                .filter(StatusRuntimeException.class::isInstance)
                .map(t -> firstLine(String.valueOf(t.getMessage())))
                .reduce((outer, inner) -> inner)
                .orElse("");
        return root instanceof StatusRuntimeException ? status : status + ", " + firstLine(String.valueOf(root));
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }

    /** The same failure of a request that only prepared the write. An interrupted call stays one of unknown outcome. */
    EtcdFailure withNothingChanged() {
        return new EtcdFailure(code, description, false, interrupted, exception);
    }

    /** For the caller of the coordinator. */
    CoordinatorException exception() {
        return exception;
    }

    /** Certain: no change was made, and none will be. */
    boolean nothingChanged() {
        return !interrupted && (!sent || (REFUSALS.contains(code) && !description.isEmpty()));
    }

    boolean interrupted() {
        return interrupted;
    }

    /** No server looked at the request, as far as can be seen. */
    boolean noAnswer() {
        return description.isEmpty();
    }

    /** The connection is down, and the client will wait before it connects again. */
    boolean unreachable() {
        return noAnswer() && (code == Code.UNAVAILABLE || code == Code.INTERNAL);
    }

    /** The server no longer knows the token of an earlier login; jetcd logs in again with the next request. */
    boolean tokenExpired() {
        return (code == Code.UNAUTHENTICATED || code == Code.INVALID_ARGUMENT || code == Code.UNKNOWN)
                && EXPIRED_TOKEN.contains(description);
    }

    boolean leaseNotFound() {
        return code == Code.NOT_FOUND && description.contains("lease not found");
    }
}
