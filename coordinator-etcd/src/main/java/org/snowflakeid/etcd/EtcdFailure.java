// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Coordinators;
import org.snowflakeid.support.Handshakes;
import org.snowflakeid.support.RequestFailure;

/**
 * A request that failed, and what is certain about it. The distinctions are those a real server showed: which status and which
 * causes it answers with is in the test of the faults.
 */
final class EtcdFailure extends RequestFailure {
    private static final long serialVersionUID = 1L;

    private static final String PERMISSION_DENIED = "etcdserver: permission denied";
    private static final String LEASE_NOT_FOUND = "etcdserver: requested lease not found";
    private static final String LEARNER = "etcdserver: rpc not supported for learner";

    private static final Set<String> EXPIRED_TOKEN =
            Set.of("etcdserver: invalid auth token", "etcdserver: revision of auth store is old");

    /**
     * With these words etcd says that it did not apply a request: before it is proposed to the members, or, for rights and leases, instead
     * of being applied, which every member decides alike. What is not named may have been applied: of {@code RESOURCE_EXHAUSTED} it is known
     * (the database exceeds its space), of timeouts and changes of the leader as well.
     */
    private static final Set<String> REFUSALS = Set.of(
            PERMISSION_DENIED,
            LEASE_NOT_FOUND,
            LEARNER,
            "etcdserver: invalid auth token",
            "etcdserver: revision of auth store is old",
            "etcdserver: user name is empty",
            "etcdserver: request is too large",
            "etcdserver: too many operations in txn request");

    private static final Set<Code> REFUSED =
            Set.of(Code.PERMISSION_DENIED, Code.UNAUTHENTICATED, Code.UNIMPLEMENTED, Code.INVALID_ARGUMENT);

    /** "HTTP/", as Netty shows what another server says first. */
    private static final String OLDER_HTTP = "485454502f";

    private static final Handshakes HANDSHAKES =
            Handshakes.by(EtcdSettings.TLS, "the host names in " + EtcdSettings.ENDPOINTS);

    private final Code code;
    private final String description;
    private final boolean sent;
    private final boolean interrupted;

    private EtcdFailure(
            Code code, String description, boolean sent, boolean interrupted, CoordinatorException exception) {
        super(exception, !interrupted && (!sent || REFUSALS.contains(description)));
        this.code = code;
        this.description = description;
        this.sent = sent;
        this.interrupted = interrupted;
    }

    static EtcdFailure interrupted(EtcdSettings settings, InterruptedException e) {
        String text = "etcd (" + settings.endpointsText() + "): the call was interrupted";
        return new EtcdFailure(Code.CANCELLED, "", true, true, new CoordinatorException(text, e, false));
    }

    /** @param sent false if the request certainly never left this process */
    static EtcdFailure severalClusters(EtcdSettings settings, Map<URI, Long> clusters, boolean sent) {
        String each = clusters.entrySet().stream()
                .map(server -> server.getKey() + " is of cluster " + Long.toHexString(server.getValue()))
                .collect(Collectors.joining(", "));
        return severalClusters(settings, each, sent);
    }

    /** Of a request that was sent, and whose answer may be one cluster's, and the answer before it another's. */
    static EtcdFailure severalClusters(EtcdSettings settings) {
        return severalClusters(settings, "an answer is of another one than the answer before it", true);
    }

    /** @param sent false if the request certainly never left this process */
    static EtcdFailure namesakes(EtcdSettings settings, URI one, URI other, boolean sent) {
        return severalClusters(
                settings,
                one + " and " + other + " call themselves the same, and do not know each other's leases",
                sent);
    }

    private static EtcdFailure severalClusters(EtcdSettings settings, String seen, boolean sent) {
        String text = "etcd (" + settings.endpointsText() + ") is not one cluster: " + seen
                + ", and each cluster has records of its own. Name servers of one cluster in " + EtcdSettings.ENDPOINTS
                + ".";
        return new EtcdFailure(
                Code.FAILED_PRECONDITION, "several clusters", sent, false, new CoordinatorException(text, true));
    }

    /** @param sent false if the request certainly never left this process */
    static EtcdFailure of(EtcdSettings settings, Throwable e, boolean sent) {
        List<Throwable> chain = Handshakes.causes(e);
        for (Throwable each : chain) {
            if (each instanceof InvalidSettingsException settingsChanged) {
                // A file that was replaced, and perhaps only in part so far.
                String text = String.valueOf(settingsChanged.getMessage());
                return new EtcdFailure(Code.UNKNOWN, "", false, false, new CoordinatorException(text, e, false));
            }
        }
        Code code = status(chain).getCode();
        String description = chain.stream()
                .map(Throwable::getMessage)
                .filter(m -> m != null && m.contains("etcdserver: "))
                .reduce((outer, inner) -> inner)
                .map(m -> m.substring(m.indexOf("etcdserver: ")))
                .orElse("");
        boolean permanent = Handshakes.refusal(chain).isPresent()
                || isOlderHttp(chain)
                || EtcdChannel.lacksPolicy()
                || settingIsWrong(code, description);
        String text = "etcd (" + settings.endpointsText() + ") " + complaint(settings, chain, code, description, sent);
        CoordinatorException exception = new CoordinatorException(text, e, permanent);
        return new EtcdFailure(
                code,
                description,
                sent,
                false,
                description.contains("authentication failed") ? exception.withLoginRefused() : exception);
    }

    private static Status status(List<Throwable> chain) {
        if (chain.stream().anyMatch(TimeoutException.class::isInstance)) {
            return Status.DEADLINE_EXCEEDED;
        }
        Status status = Status.UNKNOWN;
        for (Throwable t : chain) {
            if (t instanceof StatusRuntimeException e) {
                status = e.getStatus();
            }
        }
        return status;
    }

    private static boolean isOlderHttp(List<Throwable> chain) {
        return chain.stream().anyMatch(t -> String.valueOf(t.getMessage()).contains(OLDER_HTTP));
    }

    private static boolean settingIsWrong(Code code, String description) {
        return code == Code.PERMISSION_DENIED
                || description.contains("authentication failed")
                || description.contains("authentication is not enabled")
                || description.contains("user name is empty");
    }

    private static String complaint(
            EtcdSettings settings, List<Throwable> chain, Code code, String description, boolean sent) {
        Throwable root = chain.get(chain.size() - 1);
        if (EtcdChannel.lacksPolicy()) {
            return "can't be asked: gRPC has no load-balancing policy " + EtcdChannel.POLICY
                    + ", since no file META-INF/services/io.grpc.LoadBalancerProvider names it. "
                    + Coordinators.MERGE_SERVICE_FILES;
        }
        Optional<Throwable> refusal = Handshakes.refusal(chain);
        if (refusal.isPresent()) {
            return HANDSHAKES.complaint(refusal.get(), "", root.getMessage());
        }
        if (isOlderHttp(chain)) {
            return "answers in HTTP/1, as a web server does and etcd does not. Check the host and the port in "
                    + EtcdSettings.ENDPOINTS + ".";
        }
        if (description.contains("authentication failed")) {
            return "refuses user '" + settings.user() + "': " + description + ". Check " + EtcdSettings.USER + " and "
                    + settings.access().login().passwordKey() + ".";
        }
        if (description.contains("authentication is not enabled")) {
            return "has no users: " + description + ". Remove " + EtcdSettings.USER
                    + ", or enable authentication there.";
        }
        if (description.contains("user name")) {
            return "wants a user: " + description + ". Set " + EtcdSettings.USER + " and " + EtcdSettings.PASSWORD
                    + ".";
        }
        if (code == Code.PERMISSION_DENIED && description.isEmpty()) {
            return "can't be asked: " + seen(chain, root) + ". That is no answer of etcd: check what lies between.";
        }
        if (code == Code.PERMISSION_DENIED) {
            return "forbids "
                    + forbidden(settings)
                    + " the keys of namespace '" + settings.namespace() + "': " + description
                    + ". Grant read and write on the prefix /" + settings.namespace() + "/, or check "
                    + EtcdSettings.USER + " and snowflake.namespace.";
        }
        if (description.equals(LEARNER)) {
            return "has no member among these that has a vote: " + description + ". Name such members in "
                    + EtcdSettings.ENDPOINTS + ".";
        }
        if (description.contains("database space exceeded")) {
            return "has no space left: " + description
                    + ". Compact and defragment it, then disarm its alarm, or raise its --quota-backend-bytes.";
        }
        if (!description.isEmpty()) {
            return "answers " + code + ": " + description;
        }
        if (code == Code.DEADLINE_EXCEEDED) {
            // Where the wait for gRPC's report ended, the report is missing as well.
            boolean reported = chain.stream().noneMatch(TimeoutException.class::isInstance);
            String certain = reported ? "the request was sent" : "the request may have been sent";
            return "does not answer in time (" + (sent ? certain : "no connection was established") + "). Check "
                    + EtcdSettings.ENDPOINTS + " and the servers.";
        }
        String seen = seen(chain, root);
        if (sent) {
            return "gave no answer: " + code + ", " + seen;
        }
        boolean connected = code != Code.UNKNOWN
                && chain.stream()
                        .noneMatch(t -> t instanceof ConnectException
                                || t instanceof UnknownHostException
                                || t instanceof UnresolvedAddressException);
        return connected
                ? "closes connections before it says a word: " + seen + ". Check http or https in "
                        + EtcdSettings.ENDPOINTS + ", the port, and snowflake.etcd.tls.*."
                : "is not reachable: " + seen + ". Check " + EtcdSettings.ENDPOINTS + ".";
    }

    /** Without a user etcd takes the CN of the certificate for one. */
    private static String forbidden(EtcdSettings settings) {
        if (settings.user() != null) {
            return "user '" + settings.user() + "'";
        }
        return settings.access().files().containsKey(EtcdSettings.TLS.cert().name())
                ? "the user that is the CN of " + EtcdSettings.TLS.cert()
                : "an anonymous client";
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
        return new EtcdFailure(code, description, false, interrupted, exception());
    }

    /** Waiting can't cure it, and it is about a single server: it shows a certificate that is not trusted, or refuses the client's. */
    boolean refusesToTalk() {
        return exception().permanent() && noAnswer();
    }

    /** The same of one server among several: another may answer. */
    EtcdFailure ofOneAmongSeveral() {
        String text = String.valueOf(exception().getMessage());
        Throwable cause = Objects.requireNonNullElse(exception().getCause(), exception());
        return new EtcdFailure(code, description, sent, interrupted, new CoordinatorException(text, cause, false));
    }

    /** A server, or what lies before it, does not serve this client such requests. */
    boolean refused() {
        return REFUSED.contains(code);
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

    /** The server no longer knows the token of an earlier login. */
    boolean tokenExpired() {
        return (code == Code.UNAUTHENTICATED || code == Code.INVALID_ARGUMENT || code == Code.UNKNOWN)
                && EXPIRED_TOKEN.contains(description);
    }

    boolean leaseNotFound() {
        return description.equals(LEASE_NOT_FOUND);
    }

    /** The server has no vote yet, and answers nothing that could be of use. */
    boolean learner() {
        return description.equals(LEARNER);
    }
}
