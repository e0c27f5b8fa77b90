// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
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

    private final RedisSettings settings;
    private final LongSupplier nanoTime;
    private final long beganNanos;

    // Guarded by this.
    private boolean closed;
    private @Nullable Socket socket;

    private volatile @Nullable Connection connection;

    // What was found when it was judged last.
    private long lookedNanos;
    private String server = "";
    private boolean used;

    RedisConnection(RedisSettings settings, LongSupplier nanoTime) {
        this.settings = settings;
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
            RedisSettings.Server address = settings.server();
            Socket connected = connected();
            SSLSocketFactory encryption = settings.socketFactory();
            Socket top = encryption == null
                    ? connected
                    : Tls.handshake(encryption, connected, address.host(), address.port());
            Connection opened = new Connection(new OnlyOnce(top));
            opened.connect();
            logIn(opened);
            lookedNanos = nanoTime.getAsLong();
            ServerCheck seen = ServerCheck.look(settings, opened);
            server = seen.run();
            List<String> warnings = before != null && isGoingOnFrom(before) ? seen.judgeOpen() : seen.judgeNew();
            connected.setSoTimeout(0);
            connection = opened;
            return warnings;
        } catch (JedisDataException e) {
            throw RedisFailure.answered(settings, e);
        } catch (IOException | RuntimeException e) {
            // An answer that is not in its protocol makes the client fail in many ways.
            throw RedisFailure.lost(settings, e, false);
        }
    }

    /** A rewrite slows a server, by which connections are lost: its end must not be waited for then. */
    private boolean isGoingOnFrom(RedisConnection before) {
        return before.connection != null
                && !server.isEmpty()
                && server.equals(before.server)
                && lookedNanos - before.lookedNanos < 2 * BELIEVED_NANOS;
    }

    private Socket connected() throws IOException {
        IOException last = null;
        for (InetAddress address : InetAddress.getAllByName(settings.server().host())) {
            Socket next = next();
            try {
                next.connect(new InetSocketAddress(address, settings.server().port()), STEP_MILLIS);
                next.setSoTimeout(STEP_MILLIS);
                next.setTcpNoDelay(true);
                next.setKeepAlive(true);
                return next;
            } catch (IOException e) {
                next.close();
                last = e;
            }
        }
        throw last == null ? new IOException("no address") : last;
    }

    private synchronized Socket next() throws IOException {
        if (closed) {
            throw new IOException("closed");
        }
        socket = new Socket();
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
        } catch (RuntimeException e) {
            throw RedisFailure.lost(settings, e, true);
        }
    }

    /** The socket alone: the client would flush first what is left of a request. */
    synchronized void close() {
        closed = true;
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
            // it is gone either way
        }
    }
}
