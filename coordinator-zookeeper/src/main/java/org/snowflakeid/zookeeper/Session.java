// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.Deadline;

/**
 * One ZooKeeper session, from its first connection to its end; never replaced by another. Owner
 * entries hang on it, and end with it. Its requests are answered in the order they were sent, also when it changes servers: the old server
 * can't apply what it still has.
 *
 * <p>ZooKeeper's client keeps a session alive even if the process's work has stopped. So the session records which worker ids depend on
 * it, and ends itself when none of them was extended for a time to live.
 *
 * <p>Requests are sent once, and waited for no longer than the caller allows.
 */
final class Session {
    private static final System.Logger LOG = System.getLogger(Session.class.getName());

    /** After so many requests without an answer another server is tried; a slow one is not helped by a new connection. */
    private static final int PATIENCE_WITH_SEVERAL = 2;

    private static final int PATIENCE_WITH_ONE = 3;

    private static final Duration CALL_UNDER_WAY = Duration.ofMillis(20);

    private final Sessions sessions;
    private final CompletableFuture<Void> ending = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** Requests in a row that were not answered in time. Used by the calling thread only. */
    private int unanswered;

    // All that follows is guarded by this.
    private @Nullable ZooKeeper zooKeeper;
    private boolean connected;
    private boolean wasConnected;
    private long connectedSinceNanos;
    private int changes;
    private boolean ended;
    private @Nullable Throwable failure;

    /** Until when each worker id hangs on it, by the monotonic clock. */
    private final Map<Integer, Long> holds = new HashMap<>();

    /** Released worker ids whose owner entry may still exist, or still arrive. */
    private final Set<Integer> leftovers = new HashSet<>();

    private long idleUntilNanos;

    private final Set<String> watched = new HashSet<>();

    Session(Sessions sessions) {
        this.sessions = sessions;
        staysUntil(System.nanoTime());
        endWhenDue();
    }

    // ---- the connection

    void connect() {
        // Not in this thread: the client looks up the name of this host when it is first used.
        var ignored = CompletableFuture.supplyAsync(this::open, sessions::background)
                .thenAcceptBothAsync(ending, (client, nothing) -> close(client), sessions::background)
                .whenComplete((nothing, failed) -> closed.complete(null));
    }

    private ZooKeeper open() {
        try {
            ZooKeeper client = sessions.client(this::changed);
            synchronized (this) {
                zooKeeper = client;
                notifyAll();
            }
            return client;
        } catch (IOException e) {
            notOpened(e);
            throw new UncheckedIOException(e);
        } catch (RuntimeException | Error e) {
            // The client starts two threads, which may fail.
            notOpened(e);
            throw e;
        }
    }

    private void notOpened(Throwable failure) {
        LOG.log(Level.DEBUG, "a session can't be opened", failure);
        lose(failure);
    }

    private static void close(ZooKeeper client) {
        try {
            client.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void changed(WatchedEvent event) {
        if (event.getType() != EventType.None) {
            return;
        }
        KeeperState state = event.getState();
        if (state == KeeperState.Expired || state == KeeperState.AuthFailed) {
            lose(state == KeeperState.AuthFailed ? KeeperException.create(Code.AUTHFAILED) : null);
            return;
        }
        boolean usable = state == KeeperState.SyncConnected;
        synchronized (this) {
            if (ended) {
                return;
            }
            connected = usable;
            wasConnected |= usable;
            connectedSinceNanos = System.nanoTime();
            changes++;
            notifyAll();
        }
        if (!usable && isDispensable()) {
            end();
        } else {
            sessions.changed(this, usable);
        }
    }

    /**
     * Nothing is lost with it: the next one begins at once. Servers that lost data would refuse this one for ever, and its client would
     * never give it up.
     */
    private synchronized boolean isDispensable() {
        return wasConnected && holds.isEmpty() && leftovers.isEmpty();
    }

    /** The servers ended it, or it never came to be. */
    private void lose(@Nullable Throwable cause) {
        boolean held;
        synchronized (this) {
            held = !ended && !holds.isEmpty();
            failure = failure == null ? cause : failure;
        }
        end();
        if (held) {
            sessions.hintLoss();
        }
    }

    synchronized boolean isAlive() {
        return !ended;
    }

    /** Whether it is connected now, and has been for that long. */
    synchronized boolean isConnectedFor(Duration time) {
        return connected && System.nanoTime() - connectedSinceNanos >= time.toNanos();
    }

    /** 0 before it is connected for the first time. */
    synchronized long id() {
        return zooKeeper == null ? 0 : zooKeeper.getSessionId();
    }

    /** Ends it here at once, and at the servers as soon as one of them hears of it. */
    void end() {
        synchronized (this) {
            ended = true;
            connected = false;
            notifyAll();
        }
        ending.complete(null);
        sessions.changed(this, false);
    }

    /** Completed when a server has heard of its end, or can't. */
    CompletableFuture<Void> closed() {
        return closed;
    }

    // ---- requests

    /** Sends requests that are applied all or not at all, or that only read, and waits for the answer. */
    List<OpResult> send(List<Op> operations, Deadline deadline) throws ZooKeeperFailure {
        ZooKeeperSettings settings = sessions.settings();
        try {
            staysUntil(deadline.atNanos());
            ZooKeeper client = awaitConnection(deadline);
            int connection = changes();
            CompletableFuture<List<OpResult>> answer = new CompletableFuture<>();
            client.multi(
                    operations,
                    (code, path, context, results) -> {
                        if (results != null) {
                            answer.complete(results);
                        } else {
                            answer.completeExceptionally(KeeperException.create(Code.get(code)));
                        }
                    },
                    null);
            try {
                List<OpResult> results = answer.get(deadline.nanosLeft(), TimeUnit.NANOSECONDS);
                unanswered = 0;
                return results;
            } catch (TimeoutException e) {
                unanswered++;
                if (unanswered >= (settings.servers().size() > 1 ? PATIENCE_WITH_SEVERAL : PATIENCE_WITH_ONE)) {
                    unanswered = 0;
                    leaveServer(client, connection);
                }
                throw ZooKeeperFailure.noAnswer(settings);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ZooKeeperFailure.interrupted(settings, e);
        } catch (ExecutionException e) {
            Code code = e.getCause() instanceof KeeperException refused ? refused.code() : Code.SYSTEMERROR;
            throw ZooKeeperFailure.of(settings, code);
        }
    }

    /** As {@link #send}, for what changes nothing that matters. */
    List<OpResult> prepare(List<Op> operations, Deadline deadline) throws ZooKeeperFailure {
        try {
            return send(operations, deadline);
        } catch (ZooKeeperFailure e) {
            throw e.withNothingChanged();
        }
    }

    /** @param code the {@link #outcome} */
    ZooKeeperFailure failure(Code code) {
        return ZooKeeperFailure.answered(sessions.settings(), code);
    }

    /** For all of them: OK, or why nothing was applied. */
    static Code outcome(List<OpResult> results) {
        for (OpResult result : results) {
            if (result instanceof OpResult.ErrorResult error && error.getErr() != Code.OK.intValue()) {
                return Code.get(error.getErr());
            }
        }
        return Code.OK;
    }

    private ZooKeeper awaitConnection(Deadline deadline) throws ZooKeeperFailure, InterruptedException {
        ZooKeeper client = awaitConnection(deadline, Sessions.LOOK);
        if (client == null) {
            // The reason has to be known when the call ends: it may take no longer.
            sessions.look();
            client = awaitConnection(deadline, Duration.ZERO);
        }
        if (client == null) {
            throw ZooKeeperFailure.noSession(sessions.settings(), sessions.whyNoSession());
        }
        return client;
    }

    /** Null if there is none so long before the deadline. */
    private synchronized @Nullable ZooKeeper awaitConnection(Deadline deadline, Duration before)
            throws ZooKeeperFailure, InterruptedException {
        while (!ended) {
            // The client may say that it is connected before its constructor has returned.
            ZooKeeper client = zooKeeper;
            if (connected && client != null) {
                return client;
            }
            long left = deadline.nanosLeft() - before.toNanos();
            if (left <= 0) {
                return null;
            }
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(1_000_000, left));
        }
        throw ZooKeeperFailure.sessionEnded(sessions.settings(), failure);
    }

    /** Returns once it has been connected for that long without a break. */
    void awaitConnectedFor(Duration time, Deadline deadline) throws ZooKeeperFailure {
        try {
            ZooKeeper unused = awaitConnection(deadline);
            synchronized (this) {
                while (connected && deadline.nanosLeft() > 0) {
                    long left = connectedSinceNanos + time.toNanos() - System.nanoTime();
                    if (left <= 0) {
                        return;
                    }
                    TimeUnit.NANOSECONDS.timedWait(this, Math.max(1_000_000, Math.min(left, deadline.nanosLeft())));
                }
            }
            throw ZooKeeperFailure.tooSoon(sessions.settings());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ZooKeeperFailure.interrupted(sessions.settings(), e);
        }
    }

    private synchronized int changes() {
        return changes;
    }

    /** The client itself would wait for two thirds of a session. It connects again at once, to another server if there is one. */
    private void leaveServer(ZooKeeper client, int connection) {
        sessions.background(() -> {
            try {
                if (changes() == connection) {
                    client.getTestable().closeSocket();
                    // It notices when it has something to send.
                    client.exists("/", false, (code, path, context, stat) -> {}, null);
                }
            } catch (IOException | RuntimeException e) {
                LOG.log(Level.DEBUG, "the connection can't be closed", e);
            }
        });
    }

    /** Gives the loss hint when the node is deleted. */
    void watch(String path) {
        ZooKeeper client;
        synchronized (this) {
            client = zooKeeper;
            if (ended || client == null || !watched.add(path)) {
                return;
            }
        }
        client.exists(
                path,
                event -> {
                    if (event.getType() != EventType.None
                            && unwatch(path)
                            && event.getType() == EventType.NodeDeleted) {
                        sessions.hintLoss();
                    }
                },
                (code, at, context, stat) -> {
                    if (code != Code.OK.intValue() && unwatch(path) && code == Code.NONODE.intValue()) {
                        sessions.hintLoss();
                    }
                },
                null);
    }

    /** From now on the node may be deleted without a hint. */
    synchronized boolean unwatch(String path) {
        return watched.remove(path);
    }

    // ---- what hangs on it

    /**
     * The worker id hangs on it, for a time to live from that moment.
     *
     * @return until when it did so before; null: it did not
     */
    synchronized @Nullable Long hold(int id, long sinceNanos) {
        leftovers.remove(id);
        return holds.put(id, sinceNanos + sessions.timeToLive().toNanos());
    }

    /** Takes {@link #hold} back. */
    synchronized void holdUntil(int id, @Nullable Long untilNanos) {
        if (untilNanos == null) {
            forget(id);
        } else {
            holds.put(id, untilNanos);
        }
    }

    /** Nothing of that worker id can depend on it. */
    synchronized void forget(int id) {
        holds.remove(id);
        leftovers.remove(id);
        staysUntil(System.nanoTime());
    }

    private synchronized void staysUntil(long nanos) {
        idleUntilNanos = nanos + sessions.timeToLive().toNanos();
    }

    /** An entry of that worker id may depend on it, or still arrive: it has to be deleted. */
    synchronized void leave(int id) {
        holds.remove(id);
        leftovers.add(id);
    }

    synchronized boolean holdsAny() {
        return !ended && !holds.isEmpty();
    }

    /** Whether nothing but that worker id hangs on it. */
    synchronized boolean holdsOnly(int id) {
        return holds.keySet().stream().allMatch(other -> other == id);
    }

    /** Worker ids to clear away: let go of, or not extended in time. */
    synchronized Set<Integer> leftovers() {
        long now = System.nanoTime();
        Set<Integer> all = new HashSet<>(leftovers);
        holds.forEach((id, until) -> {
            if (now - until > 0) {
                all.add(id);
            }
        });
        return all;
    }

    private void endWhenDue() {
        Duration left = sessions.isCalling() ? CALL_UNDER_WAY : endIfDue();
        if (!left.isZero()) {
            sessions.later(left, this::endWhenDue);
        }
    }

    /** Ends it if nothing that hangs on it was extended in time, and else returns how long to wait. */
    Duration endIfDue() {
        long left;
        synchronized (this) {
            if (ended) {
                return Duration.ZERO;
            }
            long now = System.nanoTime();
            left = holds.isEmpty() ? idleUntilNanos - now : Long.MIN_VALUE;
            for (long until : holds.values()) {
                left = Math.max(left, until - now);
            }
        }
        if (left > 0) {
            return Duration.ofNanos(left);
        }
        end();
        return Duration.ZERO;
    }
}
