// SPDX-License-Identifier: Apache-2.0
package org.apache.zookeeper;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.apache.zookeeper.ClientCnxn.EndOfStreamException;
import org.apache.zookeeper.ClientCnxn.Packet;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * Connects ZooKeeper's client by sockets that the JDK encrypts. The client's own way, by Netty, takes key and certificate from one file only,
 * in which they would have to be written together, and ignores {@code zookeeper.ssl.context.supplier.class}. Here because a connection of
 * the client can be made in its package only.
 *
 * <p>A thread of its own connects, shakes hands and reads; what it read is worked off by the client's thread, as is all that is written. So
 * nothing of the client's state is seen by two threads, and it notices by itself that a server has become silent.
 */
@NullMarked
public final class EncryptedClientCnxnSocket extends ClientCnxnSocket {

    /** What the client's configuration has to be beside. */
    public interface Encryption {
        /**
         * Shakes hands, as the client's end. The socket is closed by the caller, whatever happens.
         *
         * @param host as the user wrote it, which the server's certificate must be for
         */
        SSLSocket encrypt(Socket connected, String host, int port) throws IOException;
    }

    private final Encryption encryption;
    private final int maxFrameBytes;

    /** Something is to be done: it was connected, read, ended or asked to write. */
    private final Semaphore signal = new Semaphore(0);

    private volatile @Nullable Connection connection;

    /** Called by ZooKeeper's client, by this class's name. */
    EncryptedClientCnxnSocket(ZKClientConfig clientConfig) throws IOException {
        this.clientConfig = clientConfig;
        this.encryption = (Encryption) clientConfig;
        this.maxFrameBytes = clientConfig.getInt(ZKClientConfig.JUTE_MAXBUFFER, 1 << 20);
        initProperties();
    }

    /** One attempt to be connected, and what comes of it. */
    private final class Connection implements Runnable {
        private final InetSocketAddress address;

        /** Closed without a farewell: that of the encrypted one would wait for a write that is stuck. */
        private final Socket socket = new Socket();

        private final Queue<ByteBuffer> frames = new ConcurrentLinkedQueue<>();
        private volatile @Nullable SSLSocket encrypted;
        private volatile @Nullable IOException failure;

        /** Of the client's thread. */
        private boolean primed;

        Connection(InetSocketAddress address) {
            this.address = address;
        }

        @Override
        public void run() {
            try {
                socket.setTcpNoDelay(true);
                // How long it may take is the client's to say, which closes the socket.
                socket.connect(address);
                SSLSocket established = encryption.encrypt(socket, address.getHostString(), address.getPort());
                encrypted = established;
                signal.release();
                DataInputStream in = new DataInputStream(established.getInputStream());
                while (true) {
                    int length = in.readInt();
                    if (length < 0 || length > maxFrameBytes) {
                        throw new IOException("a message of " + length + " bytes");
                    }
                    byte[] frame = new byte[length];
                    in.readFully(frame);
                    frames.add(ByteBuffer.wrap(frame));
                    signal.release();
                }
            } catch (IOException e) {
                failure = e;
            } catch (RuntimeException e) {
                failure = new IOException(e);
            } finally {
                close();
                signal.release();
            }
        }

        void close() {
            try {
                socket.close();
            } catch (IOException e) {
                // It is of no use either way.
            }
        }
    }

    @Override
    boolean isConnected() {
        return connection != null;
    }

    @Override
    void connect(InetSocketAddress address) throws IOException {
        initialized = false;
        Connection begun = new Connection(address);
        connection = begun;
        Thread reader = new Thread(begun, Thread.currentThread().getName() + "-reader");
        reader.setDaemon(true);
        reader.start();
    }

    @Override
    void doTransport(int waitTimeOut, Queue<Packet> pendingQueue, ClientCnxn client)
            throws IOException, InterruptedException {
        boolean unused = signal.tryAcquire(waitTimeOut, TimeUnit.MILLISECONDS);
        int unusedPermits = signal.drainPermits();
        updateNow();
        Connection current = connection;
        if (current == null) {
            return;
        }
        // Asked for first: what was read before the end still counts.
        IOException failure = current.failure;
        if (current.encrypted != null && !current.primed) {
            current.primed = true;
            updateLastSendAndHeard();
            sendThread.primeConnection();
        }
        for (ByteBuffer frame = current.frames.poll(); frame != null; frame = current.frames.poll()) {
            take(frame);
        }
        if (failure != null) {
            EndOfStreamException ended = new EndOfStreamException("the connection ended: " + failure);
            ended.initCause(failure);
            throw ended;
        }
        SSLSocket open = current.encrypted;
        if (open != null) {
            write(open, pendingQueue, client);
        }
    }

    private void take(ByteBuffer frame) throws IOException {
        long unused = recvCount.getAndIncrement();
        if (initialized) {
            sendThread.readResponse(frame);
        } else {
            incomingBuffer = frame;
            readConnectResult();
            initialized = true;
        }
        updateLastHeard();
    }

    private void write(SSLSocket open, Queue<Packet> pendingQueue, ClientCnxn client) throws IOException {
        for (Packet next = outgoingQueue.peek(); next != null; next = outgoingQueue.peek()) {
            boolean request = next.requestHeader != null;
            if (request && !initialized) {
                // A server that refuses the session closes the connection, and its answer may be lost if there is more
                // to read.
                return;
            }
            boolean answered = request
                    && next.requestHeader.getType() != OpCode.ping
                    && next.requestHeader.getType() != OpCode.auth;
            if (answered) {
                next.requestHeader.setXid(client.getXid());
            }
            next.createBB();
            updateLastSend();
            open.getOutputStream().write(next.bb.array());
            long unusedCount = sentCount.getAndIncrement();
            boolean unusedFound = outgoingQueue.removeFirstOccurrence(next);
            if (answered) {
                synchronized (pendingQueue) {
                    pendingQueue.add(next);
                }
            }
            if (!request) {
                return;
            }
        }
    }

    @Override
    void packetAdded() {
        signal.release();
    }

    @Override
    void onClosing() {
        signal.release();
    }

    @Override
    void connectionPrimed() {
        signal.release();
    }

    @Override
    void cleanup() {
        testableCloseSocket();
        connection = null;
    }

    @Override
    void testableCloseSocket() {
        Connection current = connection;
        if (current != null) {
            current.close();
        }
    }

    @Override
    void close() {
        testableCloseSocket();
    }

    @Override
    @Nullable
    SocketAddress getRemoteSocketAddress() {
        Connection current = connection;
        return current == null ? null : current.socket.getRemoteSocketAddress();
    }

    @Override
    @Nullable
    SocketAddress getLocalSocketAddress() {
        Connection current = connection;
        return current == null ? null : current.socket.getLocalSocketAddress();
    }

    @Override
    void saslCompleted() {
        throw new UnsupportedOperationException("SASL is off");
    }

    @Override
    void sendPacket(Packet packet) {
        throw new UnsupportedOperationException("SASL is off");
    }
}
