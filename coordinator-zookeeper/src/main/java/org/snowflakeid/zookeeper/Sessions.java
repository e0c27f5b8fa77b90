// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.curator.CuratorZookeeperClient;
import org.apache.curator.ensemble.fixed.FixedEnsembleProvider;
import org.apache.zookeeper.ClientCnxnSocketNIO;
import org.apache.zookeeper.ClientCnxnSocketNetty;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.apache.zookeeper.common.ZKConfig;
import org.jspecify.annotations.Nullable;

/** Opens the sessions of one coordinator and ends them, with the threads they need: none of this may delay a call. */
final class Sessions implements AutoCloseable {
    private static final int MAX_MESSAGE_BYTES = 16 << 20;
    private static final long FAREWELL_MILLIS = 1_000;
    private static final long LOOK_MILLIS = 700;

    // Both log each attempt to connect, which is reported to the caller anyway. The loggers are their own, by the
    // packages they are relocated to. Held here, since java.util.logging forgets the level of a logger that nobody
    // holds.
    private static final List<Logger> LOGGERS = List.of(
            Logger.getLogger(ZooKeeper.class.getPackageName()),
            Logger.getLogger(CuratorZookeeperClient.class.getPackageName()));

    static {
        for (Logger logger : LOGGERS) {
            if (logger.getLevel() == null) {
                logger.setLevel(Level.OFF);
            }
        }
    }

    private final ZooKeeperSettings settings;
    private final Duration timeToLive;
    private final Runnable lossHint;
    private final ScheduledThreadPoolExecutor timer;
    private final AtomicInteger threads = new AtomicInteger();
    private final List<Session> open = Collections.synchronizedList(new ArrayList<>());
    private @Nullable ZKClientConfig clientConfig;
    private @Nullable Path keyStoreFile;
    private @Nullable CompletableFuture<Reachability.Finding> look;
    private volatile boolean calling;
    private volatile boolean closed;

    Sessions(ZooKeeperSettings settings, Duration timeToLive, Runnable lossHint) {
        this.settings = settings;
        this.timeToLive = timeToLive;
        this.lossHint = lossHint;
        ThreadFactory daemons = this::thread;
        this.timer = new ScheduledThreadPoolExecutor(1, daemons);
        timer.setRemoveOnCancelPolicy(true);
    }

    private Thread thread(Runnable task) {
        Thread thread =
                new Thread(task, "snowflake-zookeeper-" + settings.generator() + "-" + threads.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }

    ZooKeeperSettings settings() {
        return settings;
    }

    Duration timeToLive() {
        return timeToLive;
    }

    /** An owner entry may be lost. */
    void hintLoss() {
        lossHint.run();
    }

    /** A call begins: what is due has ended before, and nothing ends by itself until {@link #endCall}. */
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

    void background(Runnable task) {
        thread(task).start();
    }

    void later(Duration delay, Runnable task) {
        if (!timer.isShutdown()) {
            var ignored = timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    /** A new session, which connects by itself. */
    Session open() {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        Session session = new Session(this);
        open.removeIf(s -> !s.isAlive());
        open.add(session);
        session.connect();
        return session;
    }

    /**
     * A client of ZooKeeper, under Curator's care. Only its client: the framework around it repeats requests and gives sessions up by the
     * wall clock.
     */
    CuratorZookeeperClient client(Session session) {
        int timeoutMillis = (int) Math.min(Integer.MAX_VALUE, timeToLive.toMillis());
        return new CuratorZookeeperClient(
                (servers, timeout, watcher, readOnly) -> {
                    session.requireFirst();
                    ZooKeeper client = new ZooKeeper(servers, timeout, watcher, readOnly, clientConfig());
                    String digest = settings.digest();
                    if (digest != null) {
                        client.addAuthInfo("digest", digest.getBytes(StandardCharsets.UTF_8));
                    }
                    session.created(client);
                    return client;
                },
                new FixedEnsembleProvider(settings.connectString()),
                timeoutMillis,
                timeoutMillis,
                session::changed,
                (count, elapsed, sleeper) -> false,
                false);
    }

    /** Each property is set, since the defaults are system properties, meant for other clients in this process. */
    private synchronized ZKClientConfig clientConfig() {
        if (clientConfig != null) {
            return clientConfig;
        }
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
        config.setProperty(ZKClientConfig.ZOOKEEPER_REQUEST_TIMEOUT, "0");
        config.setProperty(ZKClientConfig.DISABLE_AUTO_WATCH_RESET, "false");
        config.setProperty(ZKConfig.JUTE_MAXBUFFER, Integer.toString(MAX_MESSAGE_BYTES));
        config.setProperty(ZKClientConfig.SECURE_CLIENT, Boolean.toString(settings.tls()));
        config.setProperty(
                ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET,
                (settings.tls() ? ClientCnxnSocketNetty.class : ClientCnxnSocketNIO.class).getName());
        try (ClientX509Util names = new ClientX509Util()) {
            KeyStore keys = settings.files().identity().orElse(null);
            String ca = settings.ca();
            String password = HexFormat.of().formatHex(new SecureRandom().generateSeed(16));
            Path file = keys == null ? null : writeKeys(keys, password.toCharArray());
            keyStoreFile = file;
            config.setProperty(names.getSslKeystoreLocationProperty(), file == null ? "" : file.toString());
            config.setProperty(names.getSslKeystorePasswdProperty(), password);
            config.setProperty(names.getSslKeystoreTypeProperty(), "PKCS12");
            config.setProperty(names.getSslTruststoreLocationProperty(), ca == null ? "" : ca);
            config.setProperty(names.getSslTruststoreTypeProperty(), "PEM");
            config.setProperty(names.getSslHostnameVerificationEnabledProperty(), "true");
        }
        clientConfig = config;
        return config;
    }

    /** The client takes key and certificate from one file only: this user's, and encrypted with a password known here alone. */
    private static Path writeKeys(KeyStore keys, char[] password) {
        try {
            KeyStore copy = KeyStore.getInstance("PKCS12");
            copy.load(null, password);
            for (String alias : Collections.list(keys.aliases())) {
                copy.setKeyEntry(alias, keys.getKey(alias, new char[0]), password, keys.getCertificateChain(alias));
            }
            // Created for this user alone.
            Path file = Files.createTempFile("snowflake-zookeeper-", ".p12");
            file.toFile().deleteOnExit();
            try (OutputStream out = Files.newOutputStream(file)) {
                copy.store(out, password);
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the key in " + ZooKeeperSettings.TLS_KEY + " can't be put into a temporary file", e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the key in " + ZooKeeperSettings.TLS_KEY + " can't be used", e);
        }
    }

    /** Why there is no connection, as far as it can be found out soon. */
    Reachability.Finding whyNoSession() throws InterruptedException {
        CompletableFuture<Reachability.Finding> looking;
        synchronized (this) {
            if (look == null || look.isDone()) {
                CompletableFuture<Reachability.Finding> next = new CompletableFuture<>();
                background(() -> {
                    try {
                        next.complete(new Reachability(settings).look());
                    } catch (RuntimeException e) {
                        next.completeExceptionally(e);
                    }
                });
                look = next;
            }
            looking = look;
        }
        try {
            return looking.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            return Reachability.NOTHING_FOUND;
        }
    }

    /** Says farewell for as long as a server listens. */
    @Override
    public void close() {
        closed = true;
        timer.shutdownNow();
        List<Session> ending = List.copyOf(open);
        ending.forEach(Session::end);
        CompletableFuture<Void> ended = CompletableFuture.allOf(
                        ending.stream().map(Session::closed).toArray(CompletableFuture<?>[]::new))
                // Not before: a client that is still connecting reads them.
                .thenRun(this::deleteKeys);
        try {
            ended.get(FAREWELL_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // The servers end what heard no farewell.
        }
    }

    private synchronized void deleteKeys() {
        if (keyStoreFile != null) {
            try {
                Files.deleteIfExists(keyStoreFile);
            } catch (IOException e) {
                // Deleted when this process ends.
            }
            keyStoreFile = null;
        }
    }
}
