// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy on loopback between client and server that can hold what the server answers, hold everything, or cut
 * connections: what makes a write's outcome unknown.
 */
public final class TcpProxy implements AutoCloseable {
    private final ServerSocket listener;
    private volatile int targetPort;
    private volatile Duration beforeFirstReply = Duration.ZERO;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Object gate = new Object();
    private boolean requestsHeld;
    private boolean repliesHeld;

    /** Guarded by the gate, as those above. */
    private @Nullable String awaited;

    private @Nullable String counted;
    private int count;

    private @Nullable String last;

    private volatile UnaryOperator<String> showing = UnaryOperator.identity();

    private volatile boolean closed;

    private TcpProxy(String host, int port, int targetPort) {
        this.targetPort = targetPort;
        try {
            this.listener = new ServerSocket(port, 50, InetAddress.getByName(host));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Listens on a free loopback port and forwards to another. */
    public static TcpProxy to(int targetPort) {
        return to(targetPort, "127.0.0.1");
    }

    /** The same on another loopback address, such as {@code 127.0.0.2}. */
    public static TcpProxy to(int targetPort, String host) {
        return to(targetPort, host, 0);
    }

    /** The same on a port that is given: 0 stands for a free one. */
    public static TcpProxy to(int targetPort, String host, int port) {
        TcpProxy proxy = new TcpProxy(host, port, targetPort);
        start("proxy-accept", proxy::accept);
        return proxy;
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** From now on connections that are made lead to that port: an address that is given to another server. */
    public void leadTo(int port) {
        targetPort = port;
    }

    /** From now on the first reply of each connection that is made waits so long: a handshake on a busy machine. */
    public void delayFirstReplies(Duration delay) {
        beforeFirstReply = delay;
    }

    /** From now on replies have other characters of ASCII in place of these, as many. */
    public void show(String other, String inPlaceOf) {
        showing = reply -> reply.replace(inPlaceOf, other);
    }

    /** How many are open now. */
    public int connections() {
        return sockets.size() / 2;
    }

    /** Requests pass, answers wait until {@link #pass()}. */
    public void holdReplies() {
        set(false, true);
    }

    /** As {@link #holdReplies()}, from the next request on that has these characters of ASCII in it. */
    public void holdRepliesFrom(String part) {
        synchronized (gate) {
            if (requestsHeld || !repliesHeld) {
                set(false, false);
                awaited = part;
                counted = part;
                count = 0;
            }
        }
    }

    /** How many requests have had in them what {@link #holdRepliesFrom} was given last. */
    public int requestsWithThatPart() {
        synchronized (gate) {
            return count;
        }
    }

    /** Nothing passes, nothing is closed: a network that drops every packet. */
    public void freeze() {
        set(true, true);
    }

    /** Back to normal; what was held is delivered. */
    public void pass() {
        set(false, false);
    }

    /** Closes all present connections. */
    public void cut() {
        sockets.forEach(TcpProxy::closeQuietly);
    }

    /** Closes the connection that sends the next request with these characters of ASCII in it, behind that. */
    public void cutAfter(String part) {
        synchronized (gate) {
            last = part;
        }
    }

    private void set(boolean requests, boolean replies) {
        synchronized (gate) {
            awaited = null;
            requestsHeld = requests;
            repliesHeld = replies;
            gate.notifyAll();
        }
    }

    private void accept() {
        while (!closed) {
            Socket client = null;
            try {
                client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), targetPort);
                sockets.add(client);
                sockets.add(server);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                pump(client, server, false);
                pump(server, client, true);
            } catch (IOException e) {
                closeQuietly(client);
            }
        }
    }

    private void pump(Socket from, Socket to, boolean replies) {
        start(replies ? "proxy-replies" : "proxy-requests", () -> {
            byte[] buffer = new byte[16_384];
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                if (replies) {
                    // The fault itself is a delay: there is nothing to wait for.
                    Thread.sleep(beforeFirstReply.toMillis());
                }
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    boolean goesOn = replies || note(new String(buffer, 0, n, StandardCharsets.ISO_8859_1));
                    if (!mayPass(replies)) {
                        return;
                    }
                    String shown = new String(buffer, 0, n, StandardCharsets.ISO_8859_1);
                    out.write((replies ? showing.apply(shown) : shown).getBytes(StandardCharsets.ISO_8859_1));
                    if (!goesOn) {
                        return;
                    }
                }
            } catch (IOException | InterruptedException endOfConnection) {
                // both sides are closed
            } finally {
                sockets.remove(from);
                sockets.remove(to);
            }
        });
    }

    /** Whether the connection goes on after it. */
    private boolean note(String request) {
        synchronized (gate) {
            count += counted != null && request.contains(counted) ? 1 : 0;
            if (awaited != null && request.contains(awaited)) {
                set(requestsHeld, true);
            }
            boolean ends = last != null && request.contains(last);
            if (ends) {
                last = null;
            }
            return !ends;
        }
    }

    private boolean mayPass(boolean replies) throws InterruptedException {
        synchronized (gate) {
            while (!closed && (replies ? repliesHeld : requestsHeld)) {
                gate.wait();
            }
            return !closed;
        }
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void closeQuietly(@Nullable Socket socket) {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
            // it is gone either way
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
        pass();
    }
}
