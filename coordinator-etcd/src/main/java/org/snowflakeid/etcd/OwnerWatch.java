// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Gives the loss hint when an owner entry of this process is deleted or replaced, or its lease is revoked; and when the connection
 * breaks: after it the client may reach a server with older data, and the extension that the hint asks for is tried again until a server
 * answers. It is only a hint: it may come late or never, and if it fails, no call fails with it. This class does not repair a watch that
 * ended: the next extension that finds the owner in place begins a new one.
 */
final class OwnerWatch {
    private static final System.Logger LOG = System.getLogger(OwnerWatch.class.getName());

    /** If watches broke as soon as they began, extensions would follow each other without a pause. */
    private static final long BETWEEN_BREAKS_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final EtcdConnection connection;
    private final Opening opening;
    private final Runnable lossHint;

    // Guarded by this.
    private @Nullable Stream stream;
    private boolean over;
    private long nextBreakNanos = System.nanoTime();

    /** Opens a stream of watches. */
    interface Opening {
        ClientCall<WatchRequest, WatchResponse> open(
                EtcdChannel channel, EtcdChannel.Trace trace, ClientCall.Listener<WatchResponse> listener);
    }

    OwnerWatch(EtcdConnection connection, Runnable lossHint) {
        this(connection, connection::watch, lossHint);
    }

    OwnerWatch(EtcdConnection connection, Opening opening, Runnable lossHint) {
        this.connection = connection;
        this.opening = opening;
        this.lossHint = lossHint;
    }

    /** The owner entry was this process's at that revision: report when it is no longer. */
    synchronized void watch(ByteString key, long revision) {
        EtcdChannel present = connection.channel();
        if (stream != null && !stream.channel.equals(present)) {
            // Its end is still to come. None comes if an error has ended the thread of that connection.
            ended(stream);
        }
        Stream open = stream;
        // After any exception the next call begins a new one.
        stream = null;
        try {
            if (open == null && present != null) {
                open = new Stream(present);
            }
            if (open != null) {
                open.watch(key, revision);
            }
            stream = open;
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "the watch on owner entries could not be begun", e);
        }
    }

    synchronized void end(ByteString key) {
        if (stream != null) {
            stream.heard.remove(key);
        }
    }

    /** Others may go on using the connection. */
    synchronized void endAll() {
        over = true;
        Stream open = stream;
        stream = null;
        if (open != null) {
            open.close();
        }
    }

    private void hint() {
        try {
            lossHint.run();
        } catch (RuntimeException e) {
            // Thrown on, it would end the watch without a sign.
            LOG.log(Level.DEBUG, "the loss hint failed", e);
        }
    }

    private synchronized void ended(Stream which) {
        if (stream == which && !over) {
            stream = null;
            long now = System.nanoTime();
            long wait = Math.max(0, nextBreakNanos - now);
            nextBreakNanos = now + wait + BETWEEN_BREAKS_NANOS;
            connection.later(wait, this::hint);
        }
    }

    /** All watches of this coordinator. One that is not needed any more goes on until the stream ends, and is not listened to. */
    private final class Stream extends ClientCall.Listener<WatchResponse> {
        private final EtcdChannel.Trace trace = new EtcdChannel.Trace();
        private final EtcdChannel channel;

        // Guarded by the owner watch.
        private final Set<ByteString> begun = new HashSet<>();
        private final Map<ByteString, Long> heard = new HashMap<>();
        private final ClientCall<WatchRequest, WatchResponse> requests;

        Stream(EtcdChannel channel) {
            this.channel = channel;
            this.requests = opening.open(channel, trace, this);
        }

        void watch(ByteString key, long revision) {
            heard.put(key, revision);
            if (begun.add(key)) {
                WatchCreateRequest create = WatchCreateRequest.newBuilder()
                        .setKey(key)
                        .setStartRevision(revision + 1)
                        .build();
                try {
                    requests.sendMessage(
                            WatchRequest.newBuilder().setCreateRequest(create).build());
                } catch (IllegalStateException e) {
                    LOG.log(Level.DEBUG, "the watch on owner entries is ending", e);
                }
            }
        }

        void close() {
            requests.cancel("no longer needed", null);
        }

        @Override
        public void onMessage(WatchResponse response) {
            requests.request(1);
            boolean lost = false;
            synchronized (OwnerWatch.this) {
                for (Event event : response.getEventsList()) {
                    Long since = heard.get(event.getKv().getKey());
                    lost |= since != null && event.getKv().getModRevision() > since;
                }
                lost &= stream == this;
                if (response.getCanceled()) {
                    close();
                }
            }
            if (lost) {
                hint();
            }
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            if (!status.isOk()) {
                Throwable failure = status.asRuntimeException(trailers);
                LOG.log(Level.DEBUG, "the watch on owner entries ended", failure);
                connection.noteWatchFailed(trace, failure);
            }
            // This may be the thread of another call, which holds locks of its own: it must not wait for a lock that is
            // held here.
            connection.later(0, () -> ended(this));
        }
    }
}
