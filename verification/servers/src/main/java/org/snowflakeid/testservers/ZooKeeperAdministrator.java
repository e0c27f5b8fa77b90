// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.StaticHostProvider;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.Stat;

/**
 * The session of an administrator who may do everything with one server's data. Where it is used ZooKeeper's client has to be
 * on the class path.
 *
 * <p>Each method throws {@link IllegalStateException} if the server does not answer in a few seconds.
 */
public final class ZooKeeperAdministrator implements AutoCloseable {
    private static final int SESSION_MILLIS = 4_000;
    private static final int CONNECT_MILLIS = 3_000;

    /** What ZooKeeper's servers make the passwords of sessions from. */
    private static final long SECRET = 0xB3415C00L;

    // Held, since java.util.logging forgets the level of a logger without a reference. It logs each attempt to connect.
    private static final Logger CLIENT_LOGGER = Logger.getLogger(ZooKeeper.class.getPackageName());

    static {
        CLIENT_LOGGER.setLevel(Level.OFF);
    }

    private final ZooKeeperServer server;
    private final ZooKeeper client;

    private ZooKeeperAdministrator(ZooKeeperServer server) {
        this.server = server;
        this.client = connect(watcher -> new ZooKeeper(address(), SESSION_MILLIS, watcher, plainTcp()));
    }

    /** A new session with this server, not with others of its ensemble. */
    public static ZooKeeperAdministrator of(ZooKeeperServer server) {
        return new ZooKeeperAdministrator(server);
    }

    private String address() {
        return "127.0.0.1:" + server.plainPort();
    }

    /** The standard one needs Netty on the class path, which nothing here does. */
    public static ZKClientConfig plainTcp() {
        ZKClientConfig config = new ZKClientConfig() {
            @Override
            protected void handleBackwardCompatibility() {}
        };
        config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
        return config;
    }

    private interface Opening {
        ZooKeeper open(Watcher watcher) throws IOException;
    }

    private static ZooKeeper connect(Opening opening) {
        CountDownLatch connected = new CountDownLatch(1);
        try {
            ZooKeeper opened = opening.open(event -> {
                if (event.getState() == KeeperState.SyncConnected) {
                    connected.countDown();
                }
            });
            if (connected.await(CONNECT_MILLIS, TimeUnit.MILLISECONDS)) {
                return opened;
            }
            close(opened);
            throw new IllegalStateException("no session");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted", e);
    }

    private static void close(ZooKeeper open) {
        try {
            open.close();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private interface Request<T> {
        T send() throws KeeperException, InterruptedException;
    }

    private static <T> Optional<T> ifPresent(Request<T> request) {
        try {
            return Optional.ofNullable(request.send());
        } catch (KeeperException.NoNodeException e) {
            return Optional.empty();
        } catch (KeeperException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** What a node holds. */
    public Optional<String> value(String path) {
        return ifPresent(() -> client.getData(path, false, null)).map(data -> new String(data, StandardCharsets.UTF_8));
    }

    /** The names of what is below a node. */
    public List<String> children(String path) {
        return ifPresent(() -> client.getChildren(path, false)).orElse(List.of());
    }

    /** Overwrites what a node holds. */
    public void write(String path, String value) {
        Stat unused = ifPresent(() -> client.setData(path, value.getBytes(StandardCharsets.UTF_8), -1))
                .orElseThrow(() -> new IllegalStateException("no " + path));
    }

    /**
     * Deletes a node.
     *
     * @return whether there was one
     */
    public boolean delete(String path) {
        return ifPresent(() -> {
                    client.delete(path, -1);
                    return path;
                })
                .isPresent();
    }

    /** Gives all clients the right to delete what is below a node, even if its ACL grants it to none. */
    public void permitDeletionBelow(String path) {
        Stat unused = ifPresent(() -> client.setACL(path, Ids.OPEN_ACL_UNSAFE, -1))
                .orElseThrow(() -> new IllegalStateException("no " + path));
    }

    private Optional<Long> sessionOf(String path) {
        return ifPresent(() -> client.exists(path, false)).map(Stat::getEphemeralOwner);
    }

    /**
     * Ends the session on which a node hangs, whatever its client does: takes it over by its id and password, and says farewell in its
     * name.
     *
     * @return whether the node is gone, or hangs on another by now
     */
    public boolean endSessionOf(String path) {
        long session = sessionOf(path).orElse(0L);
        if (session == 0) {
            return false;
        }
        byte[] password = new byte[16];
        new Random(session ^ SECRET).nextBytes(password);
        close(connect(watcher -> new ZooKeeper(
                address(),
                SESSION_MILLIS,
                watcher,
                session,
                password,
                false,
                new StaticHostProvider(List.of(InetSocketAddress.createUnresolved("127.0.0.1", server.plainPort()))),
                plainTcp())));
        return sessionOf(path).orElse(0L) != session;
    }

    @Override
    public void close() {
        close(client);
    }
}
