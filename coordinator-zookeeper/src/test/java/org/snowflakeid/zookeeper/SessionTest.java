// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.snowflakeid.tck.Node.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Deadline;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.support.HostAndPort;
import org.snowflakeid.testservers.FreePorts;
import org.snowflakeid.testservers.ZooKeeperServer;

class SessionTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String GENERATOR = "session-test";
    private static final String OWNER = "/owner";

    private final AtomicInteger refused = new AtomicInteger();
    private volatile boolean full;

    // the first call of a start failed at once, and said that no session was granted in time
    @Test
    void aRequestWaitsForAClientThatIsConnectedBeforeItIsThere() throws Exception {
        try (ZooKeeperServer server = ZooKeeperServer.start();
                Sessions sessions = sessions(server.connectString())) {
            Session session = new Session(sessions);
            session.changed(new WatchedEvent(EventType.None, KeeperState.SyncConnected, null));
            CompletableFuture<List<OpResult>> answer = CompletableFuture.supplyAsync(() -> {
                try {
                    return session.send(List.of(Op.check("/", -1)), Deadline.after(PATIENCE));
                } catch (ZooKeeperFailure e) {
                    throw new IllegalStateException(e);
                }
            });

            session.connect();

            assertThat(answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).hasSize(1);
            session.end();
        }
    }

    // such a session lived until the JVM ended, and kept its worker id
    @Test
    void aSessionThatFindsNoThreadToEndWithEndsWhenThereIsOne() throws Exception {
        try (ZooKeeperServer server = ZooKeeperServer.start();
                Inspector inspector = new Inspector(server.clientPort(), null);
                Sessions sessions = sessions(server.connectString())) {
            Session session = sessionWithOwner(sessions);

            full = true;
            session.end();
            await(PATIENCE, () -> refused.get() > 0);
            full = false;

            await(PATIENCE, () -> !isThere(inspector));
        }
    }

    @Test
    void aSessionThatFindsNoThreadToEndWithEndsAlsoAfterItsCoordinatorWasClosed() throws Exception {
        try (ZooKeeperServer server = ZooKeeperServer.start();
                Inspector inspector = new Inspector(server.clientPort(), null)) {
            Sessions sessions = sessions(server.connectString());
            Session ended = sessionWithOwner(sessions);

            full = true;
            ended.end();
            sessions.close();
            full = false;

            await(PATIENCE, () -> !isThere(inspector));
            await(PATIENCE, () -> Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().startsWith("snowflake-zookeeper-" + GENERATOR)));
        }
    }

    private static Session sessionWithOwner(Sessions sessions) throws ZooKeeperFailure {
        Session session = sessions.current();
        List<OpResult> unused = session.send(
                List.of(Op.create(OWNER, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL)),
                Deadline.after(PATIENCE));
        return session;
    }

    private static boolean isThere(Inspector inspector) {
        try {
            return inspector.stat(OWNER) != null;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** As the JVM does when it is allowed no more threads. */
    private void start(Thread thread) {
        if (full) {
            refused.incrementAndGet();
            throw new OutOfMemoryError("unable to create native thread");
        }
        thread.start();
    }

    private Sessions sessions(String servers) {
        Map<String, String> settings = Map.of("snowflake.zookeeper.connect-string", servers);
        return new Sessions(
                new ZooKeeperSettings(new CoordinatorConfig(GENERATOR, "snowflake", PATIENCE, settings::get)),
                PATIENCE,
                () -> {},
                this::start,
                server -> Reachability.NOTHING_FOUND);
    }

    // the look was given up after 0.7 s, and a worker id was claimed at one of the servers
    @Test
    void nothingIsClaimedBeforeTheServersAreKnownToBeOneEnsemble() throws Exception {
        try (ZooKeeperServer one = ZooKeeperServer.start();
                ZooKeeperServer other = ZooKeeperServer.start()) {
            BlockingQueue<Thread> held = new LinkedBlockingQueue<>();
            Map<String, String> keys =
                    Map.of("snowflake.zookeeper.connect-string", one.connectString() + "," + other.connectString());
            CoordinatorConfig config = new CoordinatorConfig(GENERATOR, "snowflake", PATIENCE, keys::get);
            ZooKeeperSettings settings = new ZooKeeperSettings(config);
            Consumer<Thread> starter = held::add;
            Sessions sessions =
                    new Sessions(settings, PATIENCE, () -> {}, starter, server -> Reachability.NOTHING_FOUND);
            try (ZooKeeperCoordinator coordinator = new ZooKeeperCoordinator(settings, sessions)) {
                CompletableFuture<CasResult> claim = CompletableFuture.supplyAsync(
                        () -> coordinator.claim(3, null, "m", "o", false, new Stored("x", 0), Duration.ofSeconds(3)));
                // It connects, and does not look.
                held.take().start();
                Thread look = held.take();

                assertThatThrownBy(claim::join)
                        .cause()
                        .isInstanceOfSatisfying(CoordinatorException.class, e -> assertThat(e.permanent())
                                .isFalse())
                        .hasMessageContaining("one ensemble");

                look.start();
                assertThatThrownBy(() -> coordinator.claim(3, null, "m", "o", false, new Stored("x", 0), PATIENCE))
                        .isInstanceOfSatisfying(CoordinatorException.class, e -> assertThat(e.permanent())
                                .isTrue())
                        .hasMessageContaining("are no ensemble");
            } finally {
                List<Thread> rest = new ArrayList<>();
                held.drainTo(rest);
                rest.forEach(Thread::start);
            }
        }
    }

    // the search that ended with an error was awaited for ever, and so there was no other
    @Test
    void aSearchForTheReasonThatEndsWithAnErrorIsFollowedByAnother() throws Exception {
        Map<String, String> keys = Map.of("snowflake.zookeeper.connect-string", "127.0.0.1:" + FreePorts.next());
        ZooKeeperSettings settings =
                new ZooKeeperSettings(new CoordinatorConfig(GENERATOR, "snowflake", PATIENCE, keys::get));
        AtomicInteger searches = new AtomicInteger();
        Function<HostAndPort, Reachability.Finding> search = server -> {
            if (searches.incrementAndGet() == 1) {
                throw new NoClassDefFoundError("planted");
            }
            return new Reachability(settings).look(server);
        };
        try (Sessions sessions = new Sessions(settings, PATIENCE, () -> {}, this::start, search)) {
            await(PATIENCE, () -> {
                if (searches.get() < 2) {
                    sessions.look();
                }
                return sessions.whyNoSession().text().contains("is not reachable");
            });
        }
    }
}
