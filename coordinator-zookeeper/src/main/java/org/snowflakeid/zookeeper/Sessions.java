// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.zookeeper.CompleteZooKeeper;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.Deadline;
import org.snowflakeid.support.Durability;
import org.snowflakeid.support.HostAndPort;

/** Opens and ends the sessions of one coordinator, with the threads for that: none of it may delay a call. */
final class Sessions implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Sessions.class.getName());
    private static final long FAREWELL_MILLIS = 1_000;

    /** So long before a call ends without a connection its reason is looked for. */
    static final Duration LOOK = Duration.ofMillis(700);

    private static final Duration NEXT_THREAD = Duration.ofMillis(500);

    // It logs each attempt to connect, which is reported to the caller anyway. The logger is our own, by the package
    // it is relocated to. Held here, since java.util.logging forgets the level of a logger without a reference.
    private static final Logger CLIENT_LOGGER = Logger.getLogger(ZooKeeper.class.getPackageName());

    static {
        if (CLIENT_LOGGER.getLevel() == null) {
            CLIENT_LOGGER.setLevel(Level.OFF);
        }
    }

    private final ZooKeeperSettings settings;
    private final Duration timeToLive;
    private final Runnable lossHint;
    private final Consumer<Thread> starter;
    private final Function<HostAndPort, Reachability.Finding> reachability;
    private final ScheduledThreadPoolExecutor timer;
    private final AtomicInteger threads = new AtomicInteger();
    private final List<Session> open = Collections.synchronizedList(new ArrayList<>());

    /** For new claims and for reading. Guarded by this. */
    private @Nullable Session current;

    /** At each of the servers. Guarded by this. */
    private List<CompletableFuture<Reachability.Finding>> looks = List.of();

    /** What is wrong with the servers together, looked at with each new session. Guarded by this. */
    private CompletableFuture<Optional<String>> ensemble = CompletableFuture.completedFuture(Optional.empty());

    private boolean warned;
    private volatile boolean calling;
    private volatile boolean closed;

    Sessions(ZooKeeperSettings settings, Duration timeToLive, Runnable lossHint) {
        this(settings, timeToLive, lossHint, Thread::start, new Reachability(settings)::look);
    }

    /**
     * @param starter starts the threads of {@link #background}
     * @param reachability looks why there is no connection to a server
     */
    Sessions(
            ZooKeeperSettings settings,
            Duration timeToLive,
            Runnable lossHint,
            Consumer<Thread> starter,
            Function<HostAndPort, Reachability.Finding> reachability) {
        this.settings = settings;
        this.timeToLive = timeToLive;
        this.lossHint = lossHint;
        this.starter = starter;
        this.reachability = reachability;
        ThreadFactory daemons = this::thread;
        this.timer = new ScheduledThreadPoolExecutor(1, daemons);
        timer.setRemoveOnCancelPolicy(true);
    }

    @SuppressWarnings("ThreadPriorityCheck") // the one that any thread begins with
    private Thread thread(Runnable task) {
        Thread thread =
                new Thread(task, "snowflake-zookeeper-" + settings.generator() + "-" + threads.incrementAndGet());
        thread.setDaemon(true);
        thread.setPriority(Thread.NORM_PRIORITY);
        return thread;
    }

    ZooKeeperSettings settings() {
        return settings;
    }

    Duration timeToLive() {
        return timeToLive;
    }

    /** An owner entry, or more, may be lost. */
    void hintLoss() {
        try {
            lossHint.run();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "the loss hint failed", e);
        }
    }

    /** A call begins: sessions that are due have ended before, and none ends by itself until {@link #endCall}. */
    void beginCall() {
        List.copyOf(open).forEach(Session::endIfDue);
        calling = true;
    }

    void endCall() {
        calling = false;
    }

    boolean isCalling() {
        return calling;
    }

    /**
     * On a thread of its own, as soon as one can be started. Without a second attempt a session that ended would never be closed, and its
     * client would keep it alive, with all that hangs on it.
     */
    void background(Runnable task) {
        try {
            starter.accept(thread(task));
        } catch (OutOfMemoryError e) {
            // The timer has its thread already: each session begins with a task for it.
            later(NEXT_THREAD, () -> background(task));
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> "snowflake '" + settings.generator() + "': no thread can be started for ZooKeeper ("
                            + e.getMessage()
                            + "), which is tried again. Let this process have more threads or memory.");
        }
    }

    void later(Duration delay, Runnable task) {
        if (!timer.isShutdown()) {
            var ignored = timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    /** For new claims and for reading. */
    synchronized Session current() {
        Session present = current;
        if (present == null || !present.isAlive()) {
            present = open();
            current = present;
        }
        return present;
    }

    /** For new claims and for reading, but not this one. */
    synchronized Session currentBeside(Session away) {
        if (away.equals(current)) {
            current = null;
        }
        return current();
    }

    /** No longer for new claims and for reading. */
    synchronized void leave(Session left) {
        if (left.equals(current)) {
            current = null;
        }
    }

    /** A new session, which connects by itself. */
    private Session open() {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        Session session = new Session(this);
        // One that has ended may still wait for a thread, and needs the timer until then.
        open.removeIf(s -> s.closed().isDone());
        open.add(session);
        session.connect();
        if (settings.servers().size() > 1) {
            ensemble = inBackground(new OneEnsemble(settings)::complaint);
        }
        return session;
    }

    ZooKeeper client(Watcher watcher) throws IOException {
        int timeoutMillis = (int) Math.min(Integer.MAX_VALUE, timeToLive.toMillis());
        Digest digest = settings.digest();
        byte[] user = digest == null ? null : digest.bytes();
        ImpatientHosts hosts = new ImpatientHosts(settings.connectString(), timeoutMillis);
        ZooKeeper client = new CompleteZooKeeper(
                settings.connectString(), timeoutMillis, watcher, hosts, new ClientConfig(settings));
        hosts.usedBy(client);
        if (user != null) {
            client.addAuthInfo("digest", user);
        }
        return client;
    }

    /**
     * A session was connected, or is not any more. What hung on it is to be looked after at once in either case: servers that were away may
     * have come back with less than they had, and then refuse the session, but no new one.
     */
    void changed(Session session, boolean connected) {
        if (connected && List.copyOf(open).stream().anyMatch(Session::holdsAny)) {
            hintLoss();
        }
        synchronized (this) {
            if (!connected && !closed && session.holdsAny()) {
                Session unused = currentBeside(session);
            }
            notifyAll();
        }
    }

    /** Waits until one of two sessions is connected, or the first has ended. */
    synchronized void awaitEither(Session first, Session second, Deadline deadline) throws InterruptedException {
        while (first.isAlive()
                && !first.isConnectedFor(Duration.ZERO)
                && !second.isConnectedFor(Duration.ZERO)
                && deadline.nanosLeft() > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(1_000_000, deadline.nanosLeft()));
        }
    }

    /** Begins to find out why there is no connection. */
    synchronized void look() {
        if (looks.stream().allMatch(CompletableFuture::isDone)) {
            looks = settings.servers().stream().map(this::look).toList();
        }
    }

    /** As far as it has been found out. */
    synchronized Reachability.Finding whyNoSession() {
        return Reachability.together(looks.stream()
                .map(look -> look.isCompletedExceptionally()
                        ? Reachability.NOTHING_FOUND
                        : look.getNow(Reachability.NOTHING_FOUND))
                .toList());
    }

    /** Of servers that are no ensemble none may be used: what one acknowledged another does not have. Nothing is claimed before it is known. */
    void requireOneEnsemble(Deadline deadline) {
        if (!hasLookedForStrangers(deadline.nanosLeft())) {
            throw ZooKeeperFailure.notKnownToBeOneEnsemble(settings).exception();
        }
    }

    /** As {@link #requireOneEnsemble}, if it is known soon. */
    void requireNoStrangers(Deadline deadline) {
        boolean unused = hasLookedForStrangers(Math.min(deadline.nanosLeft(), LOOK.toNanos()));
    }

    /** @return false: the look at them is not over */
    private boolean hasLookedForStrangers(long waitNanos) {
        CompletableFuture<Optional<String>> looking;
        synchronized (this) {
            looking = ensemble;
        }
        String complaint = null;
        try {
            complaint = looking.get(waitNanos, TimeUnit.NANOSECONDS)
                    .map(seen -> settings.durability()
                            .complaint(
                                    ZooKeeperFailure.prefix(settings) + seen,
                                    "ZooKeeper",
                                    ZooKeeperSettings.CONNECT_STRING + " to the servers of one ensemble",
                                    ZooKeeperSettings.DURABILITY))
                    .orElse(null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            LOG.log(System.Logger.Level.DEBUG, "whether the servers are one ensemble is not known", e);
        }
        if (complaint != null && settings.durability() == Durability.REQUIRE) {
            throw new CoordinatorException(complaint, true);
        }
        if (complaint != null && !warned) {
            warned = true;
            LOG.log(System.Logger.Level.WARNING, "snowflake '" + settings.generator() + "': " + complaint);
        }
        return true;
    }

    /** On a thread of its own, since one silent server takes longer than the time for all of them. */
    private CompletableFuture<Reachability.Finding> look(HostAndPort server) {
        return inBackground(() -> reachability.apply(server));
    }

    private <T> CompletableFuture<T> inBackground(Supplier<T> task) {
        CompletableFuture<T> found = new CompletableFuture<>();
        background(() -> {
            try {
                found.complete(task.get());
            } catch (RuntimeException | Error e) {
                found.completeExceptionally(e);
            }
        });
        return found;
    }

    /** Closes it properly, if a server still answers. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        List<Session> ending = List.copyOf(open);
        ending.forEach(Session::end);
        try {
            CompletableFuture.allOf(ending.stream().map(Session::closed).toArray(CompletableFuture<?>[]::new))
                    .whenComplete((nothing, failed) -> timer.shutdownNow())
                    .get(FAREWELL_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // The servers end a session that was not closed.
        }
    }
}
