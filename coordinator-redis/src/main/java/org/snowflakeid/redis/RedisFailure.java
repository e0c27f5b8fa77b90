// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import java.net.ConnectException;
import java.net.InetAddress;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Key;
import org.snowflakeid.support.Handshakes;
import org.snowflakeid.support.RequestFailure;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * A request that failed, and what is certain about it. The distinctions are those of real servers: the tests have the words of their
 * answers.
 */
final class RedisFailure extends RequestFailure {
    private static final long serialVersionUID = 1L;

    /**
     * A server's answers when it did not replace a record. Any other answer may come from something between server and client: after it
     * nothing is certain.
     */
    private enum Answer {
        PASSWORD_MISSING("NOAUTH .*", true),
        PASSWORD_WRONG("(WRONGPASS|ERR invalid password).*", true),
        PASSWORD_NEEDLESS("ERR (AUTH .* called without any password|Client sent AUTH, but no password).*", true),
        FORBIDDEN(
                "(NOPERM |ERR (.*@user_script.*)?(The user executing the script can't |ACL failure in script: )).*",
                true),
        NO_SUCH_COMMAND("ERR unknown command.*", true),
        NO_SUCH_DATABASE("ERR (DB index|SELECT is not allowed|invalid DB index).*", true),
        PROTECTED("DENIED .*", true),
        REPLICA("(READONLY|MASTERDOWN) .*", false),
        CLUSTER("(MOVED|ASK|CROSSSLOT|CLUSTERDOWN|TRYAGAIN) .*", true),
        OTHER_TYPE("WRONGTYPE .*", true),
        LOADING("LOADING .*", false),
        BUSY("BUSY .*", false),
        NO_MEMORY("OOM .*", false),
        NO_DISK("MISCONF .*", false),
        NO_REPLICAS("NOREPLICAS .*", false),
        CONNECTIONS("ERR max number of clients.*", false),
        SCRIPT("ERR .*@user_script.*", false);

        private final Pattern words;
        private final boolean permanent;

        Answer(String words, boolean permanent) {
            this.words = Pattern.compile(words, Pattern.DOTALL);
            this.permanent = permanent;
        }

        /** Null: none of these. */
        static @Nullable Answer of(String message) {
            return Stream.of(values())
                    .filter(answer -> answer.words.matcher(message).matches())
                    .findFirst()
                    .orElse(null);
        }
    }

    /** Servers before 7 put words of their own before what fails within a script, some with a hyphen. */
    private static final Pattern WITHIN_SCRIPT =
            Pattern.compile("ERR .*@user_script: ?\\d+: -?([A-Z]+ .*)", Pattern.DOTALL);

    /** From Redis 5 on a server repeats the arguments of what it does not know, and those of AUTH are secret. */
    private static final Pattern ARGUMENTS = Pattern.compile(", with args beginning with:.*", Pattern.DOTALL);

    private static final Handshakes HANDSHAKES =
            Handshakes.by(RedisSettings.TLS, "the host name in " + RedisSettings.URI);

    private final boolean loss;

    private RedisFailure(CoordinatorException exception, boolean nothingChanged, boolean loss) {
        super(exception, nothingChanged);
        this.loss = loss;
    }

    private static String named(RedisSettings settings, String complaint) {
        return "redis (" + settings.access() + ") " + complaint;
    }

    static RedisFailure interrupted(RedisSettings settings, InterruptedException e) {
        return new RedisFailure(
                new CoordinatorException(named(settings, "was not waited for: the call was interrupted"), e, false),
                false,
                false);
    }

    static RedisFailure closed(RedisSettings settings) {
        return new RedisFailure(
                new CoordinatorException(named(settings, "is not asked any more: closed"), true), true, false);
    }

    /** @param sent false if the request will never leave this process */
    static RedisFailure late(RedisSettings settings, boolean sent) {
        String complaint = "does not answer in time ("
                + (sent ? "the request was sent" : "no connection was established") + "). Check " + RedisSettings.URI
                + " and the server.";
        return new RedisFailure(new CoordinatorException(named(settings, complaint), false), !sent, false);
    }

    /** The server is one that must not be used. */
    static RedisFailure refused(RedisSettings settings, String complaint) {
        return new RedisFailure(new CoordinatorException(named(settings, complaint), true), true, false);
    }

    /** @param other where another primary is */
    static RedisFailure severalServers(RedisSettings settings, InetAddress other) {
        return refused(
                settings,
                "is not one server: its host has several addresses, and at " + other.getHostAddress()
                        + " is another primary, with records of its own: ids would repeat. Name one of them in "
                        + RedisSettings.URI + ".");
    }

    /** The server must not be used now; waiting cures that. */
    static RedisFailure notYet(RedisSettings settings, String complaint) {
        return new RedisFailure(new CoordinatorException(named(settings, complaint), false), true, false);
    }

    static RedisFailure answered(RedisSettings settings, JedisDataException answered) {
        JedisDataException e = withoutArguments(answered);
        // A script's name says nothing to an operator.
        String message = String.valueOf(e.getMessage())
                .replaceFirst(" script: \\w+, on @user_script:\\d+\\.?$", "")
                .replaceFirst("\\.$", "");
        Matcher within = WITHIN_SCRIPT.matcher(message);
        if (within.matches()) {
            message = within.group(1);
        }
        Answer answer = Answer.of(message);
        String text = named(settings, complaint(settings, answer, message));
        boolean permanent = answer != null && answer.permanent;
        CoordinatorException exception = new CoordinatorException(text, e, permanent);
        boolean login = answer == Answer.PASSWORD_WRONG || answer == Answer.PASSWORD_NEEDLESS;
        return new RedisFailure(login ? exception.withLoginRefused() : exception, answer != null, false);
    }

    private static JedisDataException withoutArguments(JedisDataException e) {
        Matcher arguments = ARGUMENTS.matcher(String.valueOf(e.getMessage()));
        return arguments.find() ? new JedisDataException(arguments.replaceFirst("")) : e;
    }

    /** Whether the server refuses this command, rather than this client or all clients. */
    static boolean isAboutTheCommand(JedisDataException e) {
        String message = String.valueOf(e.getMessage());
        return Answer.of(message) != Answer.CONNECTIONS
                && (message.startsWith("NOPERM ") || message.startsWith("ERR "));
    }

    private static String complaint(RedisSettings settings, @Nullable Answer answer, String message) {
        if (answer == null) {
            return "answers: " + message;
        }
        Key<?> password = settings.access().login().passwordKey();
        String user = settings.user() == null ? "the default user" : "user '" + settings.user() + "'";
        return switch (answer) {
            case PASSWORD_MISSING ->
                "wants a password: " + message + ". Set " + RedisSettings.PASSWORD + ", and " + RedisSettings.USER
                        + " if it is not the default user's.";
            case PASSWORD_WRONG ->
                "refuses " + user + ": " + message + ". Check " + RedisSettings.USER + " and " + password + ".";
            case PASSWORD_NEEDLESS ->
                "has no password for its default user: " + message + ". Remove " + password + ", or set "
                        + RedisSettings.USER + ".";
            case FORBIDDEN ->
                "forbids " + user + " what namespace '" + settings.namespace() + "' needs: " + message
                        + ". Grant ~" + settings.namespace() + "/* +eval +get +set +mget +time +info +config|get"
                        + (settings.server().database() == 0 ? "" : " +select") + ", or check " + RedisSettings.USER
                        + " and snowflake.namespace.";
            case NO_SUCH_COMMAND ->
                "lacks a command, or has it under another name: " + message
                        + ". It must have EVAL, GET, SET, MGET and TIME.";
            case NO_SUCH_DATABASE ->
                "has no database " + settings.server().database() + ": " + message + ". Check the number at the end of "
                        + RedisSettings.URI + ".";
            case PROTECTED -> "takes connections of its own host only: " + message + ".";
            case REPLICA ->
                "is a replica, and takes no writes: " + message + ". Name the primary in " + RedisSettings.URI + ".";
            case CLUSTER -> isACluster() + " It says: " + message + ".";
            case OTHER_TYPE ->
                "has something else at a key of namespace '" + settings.namespace() + "': " + message
                        + ". Choose another snowflake.namespace, or another database in " + RedisSettings.URI + ".";
            case LOADING -> "has just been started: " + message + ".";
            case BUSY -> "is kept busy by a script: " + message + ".";
            case NO_MEMORY ->
                "has no memory left: " + message + ". Nothing was written. Raise its maxmemory, or make room.";
            case NO_DISK -> "can't write to its disk: " + message + ".";
            case NO_REPLICAS -> "takes no writes without replicas (min-replicas-to-write): " + message + ".";
            case CONNECTIONS -> "has no connection left (maxclients): " + message + ".";
            case SCRIPT -> "can't run the script that compares and sets: " + message + ".";
        };
    }

    static String isACluster() {
        return "is a member of a Redis Cluster, which is not supported: a failover there loses what was acknowledged."
                + " Name a single server in " + RedisSettings.URI + ".";
    }

    /** @param sent false if the request will never leave this process */
    static RedisFailure lost(RedisSettings settings, Throwable e, boolean sent) {
        List<Throwable> chain = Handshakes.causes(e);
        for (Throwable each : chain) {
            if (each instanceof InvalidSettingsException settingsChanged) {
                // A file that was replaced, and perhaps only in part so far.
                String text = String.valueOf(settingsChanged.getMessage());
                return new RedisFailure(new CoordinatorException(text, e, false), true, false);
            }
        }
        String text = named(settings, complaint(chain, sent));
        boolean untrusted = Handshakes.refusal(chain).isPresent();
        return new RedisFailure(new CoordinatorException(text, e, untrusted), !sent, true);
    }

    private static String complaint(List<Throwable> chain, boolean sent) {
        Throwable root = chain.get(chain.size() - 1);
        Optional<Throwable> refusal = Handshakes.refusal(chain);
        if (refusal.isPresent()) {
            return HANDSHAKES.complaint(refusal.get(), "", root.getMessage());
        }
        if (sent) {
            return "gave no answer: " + root;
        }
        if (root instanceof ConnectException
                || root instanceof NoRouteToHostException
                || root instanceof UnknownHostException) {
            return "is not reachable: " + root + ". Check " + RedisSettings.URI + ".";
        }
        if (root instanceof SocketTimeoutException) {
            return "does not answer in time (no connection was established). Check redis:// or rediss:// in "
                    + RedisSettings.URI + ", the port and the server.";
        }
        return "does not speak as a Redis server does: " + root + ". Check redis:// or rediss:// in "
                + RedisSettings.URI + ", the port, and snowflake.redis.tls.*.";
    }

    /** The connection broke. */
    boolean isLoss() {
        return loss;
    }
}
