// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.support.Tls;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** One connection: opened once, by the thread that uses it, and closed by any thread. */
final class RedisConnection {

    /** For each step on the way to an open connection; a virtual machine that has just started needs seconds for its first handshake. */
    private static final int STEP_MILLIS = 5_000;

    /** For all steps together: a step does not end while single bytes trickle in. */
    private static final long SET_UP_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** How long what the server said of itself is believed: its settings can be changed while it runs. */
    private static final long BELIEVED_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** For each step towards another server that has the same name: it may be away. */
    private static final int LOOK_MILLIS = 1_000;

    private final RedisSettings settings;
    private final Addresses addresses;
    private final LongSupplier nanoTime;
    private final long beganNanos;

    // Guarded by this.
    private boolean closed;
    private final List<Socket> sockets = new ArrayList<>();

    private volatile @Nullable Connection connection;

    // What was found when it was judged last.
    private long lookedNanos;
    private String server = "";

    /** Addresses of the host at which another server may be. */
    private final List<InetAddress> notLookedAt = new ArrayList<>();

    private boolean used;

    /** Those of a host. */
    interface Addresses {
        InetAddress[] of(String host) throws UnknownHostException;
    }

    static InetAddress[] resolved(String host) throws UnknownHostException {
        return InetAddress.getAllByName(host);
    }

    RedisConnection(RedisSettings settings, Addresses addresses, LongSupplier nanoTime) {
        this.settings = settings;
        this.addresses = addresses;
        this.nanoTime = nanoTime;
        this.beganNanos = nanoTime.getAsLong();
    }

    /**
     * Returns what is dangerous about the server, and is tolerated.
     *
     * @param before the connection that this one replaces; null: there was none
     */
    List<String> open(@Nullable RedisConnection before) throws RedisFailure {
        try {
            InetAddress[] all = addresses.of(settings.server().host());
            Socket connected = connected(all);
            Connection opened = loggedIn(connected);
            lookedNanos = nanoTime.getAsLong();
            ServerCheck seen = ServerCheck.look(settings, opened);
            server = seen.run();
            List<String> warnings;
            if (before != null && isGoingOnFrom(before)) {
                warnings = seen.judgeOpen();
                notLookedAt.addAll(before.notLookedAt);
            } else {
                warnings = seen.judgeNew();
                notLookedAt.addAll(List.of(all));
                notLookedAt.remove(connected.getInetAddress());
                requireOneServer(opened);
            }
            connected.setSoTimeout(0);
            connection = opened;
            return warnings;
        } catch (JedisDataException e) {
            throw RedisFailure.answered(settings, e);
        } catch (IOException | RuntimeException | OutOfMemoryError | StackOverflowError e) {
            // An answer that is not in its protocol makes the client fail in many ways.
            throw RedisFailure.lost(settings, e, false);
        }
    }

    private Connection loggedIn(Socket connected) throws IOException {
        RedisSettings.Server address = settings.server();
        SSLSocketFactory encryption = settings.socketFactory();
        Socket top =
                encryption == null ? connected : Tls.handshake(encryption, connected, address.host(), address.port());
        Connection opened = new Connection(new OnlyOnce(top));
        opened.connect();
        logIn(opened);
        return opened;
    }

    /**
     * The name of a host may have the addresses of several servers. Those that take writes have records of their own each, and which of them
     * a process uses is up to chance.
     */
    private void requireOneServer(Connection opened) throws RedisFailure {
        for (InetAddress other : List.copyOf(notLookedAt)) {
            ServerCheck seen = lookAt(other);
            if (seen == null) {
                continue;
            }
            boolean another =
                    !seen.run().isEmpty() && !server.isEmpty() && !seen.run().equals(server);
            if (another && seen.isPrimary() && isStillThere(opened)) {
                throw RedisFailure.severalServers(settings, other);
            }
            notLookedAt.remove(other);
        }
    }

    /** Null: it does not answer, or not to this user, which is no sign of anything. */
    private @Nullable ServerCheck lookAt(InetAddress other) {
        Socket socket = null;
        try {
            socket = next();
            connect(socket, other, LOOK_MILLIS);
            return ServerCheck.look(settings, loggedIn(socket));
        } catch (IOException | RuntimeException | OutOfMemoryError | StackOverflowError unanswered) {
            return null;
        } finally {
            forget(socket);
        }
    }

    /** A server with two addresses that was started again in between has another run at the second one. */
    private boolean isStillThere(Connection opened) {
        try {
            return server.equals(ServerCheck.look(settings, opened).run());
        } catch (RuntimeException gone) {
            return false;
        }
    }

    /** A rewrite slows a server, by which connections are lost: its end must not be waited for then. */
    private boolean isGoingOnFrom(RedisConnection before) {
        return before.connection != null
                && !server.isEmpty()
                && server.equals(before.server)
                && lookedNanos - before.lookedNanos < 2 * BELIEVED_NANOS;
    }

    private Socket connected(InetAddress[] all) throws IOException {
        IOException last = null;
        for (InetAddress address : all) {
            Socket next = next();
            try {
                connect(next, address, STEP_MILLIS);
                return next;
            } catch (IOException e) {
                forget(next);
                last = e;
            }
        }
        throw last == null ? new IOException("no address") : last;
    }

    private void connect(Socket socket, InetAddress address, int millis) throws IOException {
        socket.connect(new InetSocketAddress(address, settings.server().port()), millis);
        socket.setSoTimeout(millis);
        socket.setTcpNoDelay(true);
        socket.setKeepAlive(true);
    }

    private synchronized Socket next() throws IOException {
        if (closed) {
            throw new IOException("closed");
        }
        Socket socket = new Socket();
        sockets.add(socket);
        return socket;
    }

    /** Jedis connects again, without logging in, wherever it finds its socket closed. */
    private static final class OnlyOnce implements JedisSocketFactory {
        private final List<Socket> left;

        OnlyOnce(Socket socket) {
            this.left = new ArrayList<>(List.of(socket));
        }

        @Override
        public Socket createSocket() {
            if (left.isEmpty()) {
                throw new JedisConnectionException("the connection is closed");
            }
            return left.remove(0);
        }
    }

    private void logIn(Connection opened) {
        String user = settings.user();
        String password = settings.password();
        if (password != null) {
            if (user == null) {
                opened.sendCommand(Command.AUTH, password);
            } else {
                opened.sendCommand(Command.AUTH, user, password);
            }
            Object unused = opened.getOne();
        }
        int database = settings.server().database();
        if (database != 0) {
            opened.sendCommand(Command.SELECT, Integer.toString(database));
            Object unused = opened.getOne();
        }
    }

    /** Whether it is still being set up, after a time in which it should be open. */
    boolean isOverdue() {
        return connection == null && nanoTime.getAsLong() - beganNanos > SET_UP_NANOS;
    }

    /** Whether it has had an answer. */
    boolean isUsed() {
        return used;
    }

    /** Looks at the server again, unless it did so in the last minute; returns as {@link #open} does. */
    List<String> lookAgain() throws RedisFailure {
        long now = nanoTime.getAsLong();
        if (now - lookedNanos < BELIEVED_NANOS) {
            return List.of();
        }
        List<String> warnings = ask(open -> ServerCheck.look(settings, open)).judgeOpen();
        Connection open = connection;
        if (open != null && !notLookedAt.isEmpty()) {
            requireOneServer(open);
        }
        lookedNanos = now;
        return warnings;
    }

    /** Sends a request and reads its answer. */
    <T> T ask(Function<Connection, T> request) throws RedisFailure {
        Connection open = connection;
        if (open == null) {
            throw new IllegalStateException("not open");
        }
        try {
            T answer = request.apply(open);
            used = true;
            return answer;
        } catch (JedisDataException e) {
            throw RedisFailure.answered(settings, e);
        } catch (RuntimeException | OutOfMemoryError | StackOverflowError e) {
            throw RedisFailure.lost(settings, e, true);
        }
    }

    private synchronized void forget(@Nullable Socket socket) {
        if (socket != null) {
            sockets.remove(socket);
            closeQuietly(socket);
        }
    }

    /** The sockets alone: the client would flush first what is left of a request. */
    synchronized void close() {
        closed = true;
        sockets.forEach(RedisConnection::closeQuietly);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it is gone either way
        }
    }
}
