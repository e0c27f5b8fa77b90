// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.util.Set;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.support.RequestFailure;

/** A request that failed, and what is certain about it. */
final class ZooKeeperFailure extends RequestFailure {
    private static final long serialVersionUID = 1L;

    /** After these it is unknown what became of the request. All other codes of the API are a server's refusal. */
    private static final Set<Code> UNKNOWN =
            Set.of(Code.SESSIONEXPIRED, Code.SESSIONMOVED, Code.REQUESTTIMEOUT, Code.RECONFIGINPROGRESS);

    private static final String UPGRADING = "set localSessionsUpgradingEnabled=true on all servers.";

    private final boolean interrupted;

    private ZooKeeperFailure(CoordinatorException exception, boolean nothingChanged, boolean interrupted) {
        super(exception, nothingChanged);
        this.interrupted = interrupted;
    }

    static String prefix(ZooKeeperSettings settings) {
        return "ZooKeeper (" + settings.connectString() + ") ";
    }

    static ZooKeeperFailure interrupted(ZooKeeperSettings settings, InterruptedException e) {
        String text = prefix(settings) + "was not waited for: the call was interrupted";
        return new ZooKeeperFailure(new CoordinatorException(text, e, false), false, true);
    }

    /** The request was sent. */
    static ZooKeeperFailure noAnswer(ZooKeeperSettings settings) {
        String text = prefix(settings) + "does not answer in time (the request was sent). Check "
                + ZooKeeperSettings.CONNECT_STRING + " and the servers.";
        return new ZooKeeperFailure(new CoordinatorException(text, false), false, false);
    }

    /** Nothing was sent, since an owner may be about to come back. */
    static ZooKeeperFailure tooSoon(ZooKeeperSettings settings) {
        String text =
                prefix(settings) + "was connected to just now, and shows an owner that may be connecting too. Wait.";
        return new ZooKeeperFailure(new CoordinatorException(text, false), true, false);
    }

    /** Nothing was sent, since one of several ensembles may be about to be used. */
    static ZooKeeperFailure notKnownToBeOneEnsemble(ZooKeeperSettings settings) {
        String text =
                prefix(settings) + "has servers that answer too late to tell whether all of them are one ensemble."
                        + " Wait, or remove those from " + ZooKeeperSettings.CONNECT_STRING + " that are gone.";
        return new ZooKeeperFailure(new CoordinatorException(text, false), true, false);
    }

    /** Nothing could be sent. */
    static ZooKeeperFailure noSession(ZooKeeperSettings settings, Reachability.Finding why) {
        return new ZooKeeperFailure(
                new CoordinatorException(prefix(settings) + why.text(), why.permanent()), true, false);
    }

    /** This process or the servers ended the session, or it could not be opened. */
    static ZooKeeperFailure sessionEnded(ZooKeeperSettings settings, @Nullable Throwable cause) {
        if (cause instanceof KeeperException refused) {
            return of(settings, refused.code());
        }
        CoordinatorException exception = cause == null
                ? new CoordinatorException(prefix(settings) + "ended the session. The next call opens another.", false)
                : new CoordinatorException(
                        prefix(settings) + "could not be asked for a session: " + cause, cause, false);
        return new ZooKeeperFailure(exception, true, false);
    }

    static ZooKeeperFailure of(ZooKeeperSettings settings, Code code) {
        boolean refused = code.intValue() <= Code.APIERROR.intValue() && !UNKNOWN.contains(code);
        boolean login = code == Code.NOAUTH || code == Code.AUTHFAILED || code == Code.SESSIONCLOSEDREQUIRESASLAUTH;
        CoordinatorException exception = new CoordinatorException(
                prefix(settings) + complaint(settings, code),
                KeeperException.create(code),
                login || code == Code.UNIMPLEMENTED || code == Code.EPHEMERALONLOCALSESSION);
        return new ZooKeeperFailure(login ? exception.withLoginRefused() : exception, refused, false);
    }

    /** As {@link #of}, of a transaction that was answered, and so was not applied. */
    static ZooKeeperFailure answered(ZooKeeperSettings settings, Code code) {
        if (code != Code.SESSIONEXPIRED) {
            return of(settings, code);
        }
        // So answers a follower where the leader would answer EPHEMERALONLOCALSESSION.
        String text =
                prefix(settings) + "does not know this session. If it has localSessionsEnabled=true, " + UPGRADING;
        return new ZooKeeperFailure(new CoordinatorException(text, false), true, false);
    }

    private static String complaint(ZooKeeperSettings settings, Code code) {
        return switch (code) {
            case NOAUTH ->
                "forbids " + user(settings) + " what namespace '" + settings.namespace() + "' needs at "
                        + settings.root() + " and below. Check " + digestKey(settings)
                        + " and the ACLs there (getAcl), or snowflake.namespace.";
            case AUTHFAILED ->
                "refuses " + user(settings) + ". Check " + digestKey(settings)
                        + ", and whether the servers know users by digest.";
            case SESSIONCLOSEDREQUIRESASLAUTH ->
                "enforces another login than that of " + user(settings) + ". Set " + digestKey(settings)
                        + ", and name digest in enforce.auth.schemes of the servers: SASL is not supported.";
            case UNIMPLEMENTED -> "is too old. Use ZooKeeper 3.6 or newer.";
            case EPHEMERALONLOCALSESSION ->
                "has localSessionsEnabled=true, and gives such sessions no owner entries: " + UPGRADING;
            case QUOTAEXCEEDED ->
                "has a quota at " + settings.root() + " or above that leaves no room: " + code
                        + ". Raise it (listquota, setquota).";
            case CONNECTIONLOSS -> "gave no answer: the connection was closed";
            case SESSIONEXPIRED -> "gave no answer: the session ended";
            default -> "answers " + code;
        };
    }

    private static String digestKey(ZooKeeperSettings settings) {
        Digest digest = settings.digest();
        return (digest != null && digest.file() != null ? ZooKeeperSettings.PASSWORD_FILE : ZooKeeperSettings.DIGEST)
                .name();
    }

    private static String user(ZooKeeperSettings settings) {
        Digest digest = settings.digest();
        return digest == null ? "an anonymous client" : digest.user();
    }

    /** The same failure of a request that only prepared the write. An interrupted call stays one of unknown outcome. */
    ZooKeeperFailure withNothingChanged() {
        return interrupted ? this : new ZooKeeperFailure(exception(), true, false);
    }
}
