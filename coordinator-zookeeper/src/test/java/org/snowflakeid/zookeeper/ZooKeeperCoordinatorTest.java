// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Node.rejected;
import static org.snowflakeid.tck.Node.unique;
import static org.snowflakeid.tck.Stopwatch.unlessHeldUp;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.TcpProxy;
import org.snowflakeid.testservers.ZooKeeperServer;

/** What only ZooKeeper does, on a healthy server. */
class ZooKeeperCoordinatorTest {
    private static final String SUPER = "super:secret";

    private static ZooKeeperServer server;
    private static Inspector inspector;
    private static Inspector superuser;

    private final String namespace = Node.freshNamespace();
    private Node node;
    private Node other;

    @BeforeAll
    static void startServer() throws Exception {
        server = ZooKeeperServer.builder()
                .longestSession(Node.TIME_TO_LIVE)
                .jvmArguments("-Dzookeeper.DigestAuthenticationProvider.superDigest="
                        + DigestAuthenticationProvider.generateDigest(SUPER))
                .start();
        inspector = new Inspector(server.clientPort(), null);
        superuser = new Inspector(server.clientPort(), SUPER);
    }

    @AfterAll
    static void stopServer() throws Exception {
        inspector.close();
        superuser.close();
        server.close();
    }

    @BeforeEach
    void open() {
        node = ZooKeeperNode.at(server.connectString(), namespace);
        other = ZooKeeperNode.at(server.connectString(), namespace);
        node.createMeta();
    }

    @AfterEach
    void close() {
        node.close();
        other.close();
    }

    private String path(String kind, int id) {
        return "/" + namespace + "/" + kind + "/" + id;
    }

    /** The number of transactions so far. */
    private static long transactions() {
        String zxid = server.command("srvr")
                .lines()
                .filter(line -> line.startsWith("Zxid: "))
                .findFirst()
                .orElseThrow();
        return Long.decode(zxid.substring("Zxid: ".length()));
    }

    @Test
    void storesReadableValuesUnderTheirPaths() throws Exception {
        String owner = unique("host=app-17");
        Stored mark = applied(node.claim(7, null, owner)).written();

        assertThat(inspector.children("/" + namespace)).containsExactly("marks", "meta", "workers");
        assertThat(inspector.get("/" + namespace + "/meta"))
                .isEqualTo(node.meta().value());
        assertThat(inspector.get(path("marks", 7))).isEqualTo(mark.value());
        assertThat(inspector.get(path("workers", 7))).isEqualTo(owner);
        assertThat(inspector.stat(path("marks", 7)).getEphemeralOwner()).isZero();
        assertThat(inspector.stat(path("workers", 7)).getEphemeralOwner()).isNotZero();
    }

    @Test
    void keepsEverythingBelowThePathOfTheConnectStringAndCreatesIt() throws Exception {
        String root = "/team-" + namespace + "/ids";
        try (Node below = ZooKeeperNode.at(server.connectString() + root, namespace)) {
            below.createMeta();
            Stored mark = below.claim(7);

            assertThat(inspector.get(root + path("marks", 7))).isEqualTo(mark.value());
            assertThat(node.slot(7)).isEqualTo(new Slot(7, null, null));
        }
    }

    @Test
    void goesOnWhereTheParentsWereCreatedOnlyInPart() throws Exception {
        String begun = Node.freshNamespace();
        superuser.create("/" + begun, "", CreateMode.PERSISTENT);
        superuser.create("/" + begun + "/marks", "", CreateMode.PERSISTENT);

        try (Node late = ZooKeeperNode.at(server.connectString(), begun)) {
            assertThat(late.read(0, 1_023).slots())
                    .hasSize(1_024)
                    .allMatch(slot -> slot.mark() == null && slot.owner() == null);
            late.createMeta();
            late.claim(7);

            assertThat(inspector.children("/" + begun)).containsExactly("marks", "meta", "workers");
        }
    }

    /** As an operator's command writes a node without a value. */
    @Test
    void nodesWithoutDataAreReadAsEmptyOnes() throws Exception {
        Stored mark = node.claim(7);
        superuser.create(path("marks", 8), null, CreateMode.PERSISTENT);
        superuser.create(path("workers", 8), null, CreateMode.PERSISTENT);
        superuser.set(path("marks", 7), null);

        assertThat(node.slot(7).mark().value()).isEmpty();
        assertThat(node.read(0, 1_023).slots().get(8).mark().value()).isEmpty();
        assertThat(node.slot(8).owner()).isEmpty();
        assertThat(rejected(node.extend(7, mark)).seen().mark().value()).isEmpty();
        superuser.set("/" + namespace + "/meta", null);
        assertThat(node.meta().value()).isEmpty();
    }

    /** Their paths alone would be more than the server takes in one message. */
    @Test
    void readsThousandsOfMarksBelowALongPath() throws Exception {
        String root = ("/" + "a".repeat(250)).repeat(8);
        try (Node below = ZooKeeperNode.at(server.connectString() + root, namespace)) {
            below.createMeta();
            below.claim(7);
            for (int id = 8; id < 1_000; id++) {
                superuser.create(root + path("marks", id), "limit=1", CreateMode.PERSISTENT);
            }

            assertThat(below.read(0, 1_023).slots())
                    .filteredOn(slot -> slot.mark() != null)
                    .hasSize(993);
        }
    }

    private static List<String> tree(String path) throws Exception {
        List<String> all = new ArrayList<>(List.of(path));
        for (String child : inspector.children(path)) {
            all.addAll(tree((path.equals("/") ? "" : path) + "/" + child));
        }
        return all;
    }

    @Test
    void readingWhatIsNotThereCreatesNothing() throws Exception {
        String absent = Node.freshNamespace();
        List<String> before = tree("/");
        for (String servers : List.of(server.connectString(), server.connectString() + "/nowhere/yet")) {
            try (Node reader = ZooKeeperNode.at(servers, absent)) {
                Snapshot page = reader.read(3, 5);
                Snapshot all = reader.read(0, 1_023);

                assertThat(page.meta()).isNull();
                assertThat(page.slots())
                        .containsExactly(new Slot(3, null, null), new Slot(4, null, null), new Slot(5, null, null));
                assertThat(all.slots()).hasSize(1_024).allMatch(slot -> slot.mark() == null && slot.owner() == null);
                assertThat(all.serverTime()).isNotNull();
                assertThat(rejected(reader.coordinator.claim(
                                        3, null, "limit=1", "o", false, new Stored("id=1", 0), TIMEOUT))
                                .meta())
                        .isNull();
            }
        }

        assertThat(tree("/")).isEqualTo(before);
    }

    @Test
    void readsWhatIsNotThereWithoutTheRightToCreateIt() throws Exception {
        String closed = "/closed-" + namespace;
        superuser.create(closed, "", CreateMode.PERSISTENT);
        superuser.permitReadingOnly(closed);
        try (Node reader = ZooKeeperNode.at(server.connectString() + closed, namespace)) {
            Snapshot seen = reader.read(0, 1_023);

            assertThat(seen.meta()).isNull();
            assertThat(seen.serverTime()).isNull();
        }
    }

    @Test
    void hintsAtALossAfterEachReconnectOfWhatIsHeld() throws Exception {
        try (TcpProxy proxy = TcpProxy.to(server.clientPort());
                Node cut = ZooKeeperNode.at("127.0.0.1:" + proxy.port(), namespace)) {
            cut.read(0, 0);
            assertThat(cut.hints).hasValue(0);
            Stored mark = cut.claim(9);
            for (int i = 0; i < 3; i++) {
                int before = cut.hints.get();

                proxy.cut();

                await(TIMEOUT, () -> cut.hints.get() > before);
                CasResult.Applied extended = applied(cut.extend(9, mark));
                assertThat(extended.ownerHeld()).isTrue();
                mark = extended.written();
            }
        }
    }

    @Test
    void letsNoClientDeleteMarksOrTheRecordOrWhatIsAboveThem() throws Exception {
        node.claim(7);

        for (String kept : List.of(path("marks", 7), "/" + namespace + "/meta")) {
            assertThat(inspector.refusal(i -> i.delete(kept))).as(kept).isEqualTo(Code.NOAUTH);
        }
        assertThat(inspector.acl("/" + namespace + "/marks")).containsExactly("rwca world anyone");
        assertThat(inspector.acl("/" + namespace + "/workers")).containsExactly("rwcda world anyone");
        assertThat(inspector.refusal(i -> i.delete(path("workers", 7)))).isNull();
    }

    @Test
    void comparesValuesSinceVersionsAreCountedAgainAfterARestore() throws Exception {
        Stored mark = node.claim(3);
        mark = applied(node.extend(3, mark)).written();
        superuser.delete(path("marks", 3));
        superuser.create(path("marks", 3), "limit=0 token=old", CreateMode.PERSISTENT);
        superuser.set(path("marks", 3), "limit=1 token=old");

        CasResult.Rejected rejected = rejected(node.extend(3, mark));

        assertThat(rejected.seen()).isNotNull();
        assertThat(rejected.seen().mark()).isEqualTo(new Stored("limit=1 token=old", mark.version()));
        assertThat(inspector.get(path("marks", 3))).isEqualTo("limit=1 token=old");
    }

    @Test
    void comparesVersionsToo() throws Exception {
        Stored mark = node.claim(3);
        inspector.set(path("marks", 3), "something else");
        inspector.set(path("marks", 3), mark.value());

        CasResult.Rejected rejected = rejected(node.extend(3, mark));

        Stored seen = rejected.seen().mark();
        assertThat(seen).isEqualTo(new Stored(mark.value(), 2));
        assertThat(applied(node.extend(3, seen)).ownerHeld()).isTrue();
    }

    @Test
    void writesNoMarkOnceTheRecordHasChangedSinceItLooked() throws Exception {
        Stored[] mark = {node.claim(7)};
        ExecutorService extending = Executors.newSingleThreadExecutor();
        try {
            for (int round = 0; round < 100; round++) {
                Stored meta = node.meta();
                Future<?> untilRejected = extending.submit(() -> {
                    while (node.coordinator.extend(7, mark[0], unique("limit=2"), node.owner(7), meta, TIMEOUT)
                            instanceof CasResult.Applied applied) {
                        mark[0] = applied.written();
                    }
                });

                applied(other.coordinator.writeMeta(meta, unique("id=1 state=active"), TIMEOUT));

                untilRejected.get();
                assertThat(inspector.stat(path("marks", 7)).getMzxid())
                        .isLessThan(inspector.stat("/" + namespace + "/meta").getMzxid());
            }
        } finally {
            extending.shutdownNow();
        }
    }

    @Test
    void overwritesNoMarkThatAnotherChangedSinceItLooked() throws Exception {
        Stored[] mark = {node.claim(7)};
        Stored meta = node.meta();
        ExecutorService extending = Executors.newSingleThreadExecutor();
        try {
            for (int round = 0; round < 100; round++) {
                Future<Stored> untilRejected = extending.submit(() -> {
                    CasResult result;
                    do {
                        result = node.coordinator.extend(7, mark[0], unique("limit=2"), node.owner(7), meta, TIMEOUT);
                        mark[0] = result instanceof CasResult.Applied applied ? applied.written() : mark[0];
                    } while (result instanceof CasResult.Applied);
                    return rejected(result).seen().mark();
                });
                String another = unique("limit=3");

                inspector.set(path("marks", 7), another);

                mark[0] = untilRejected.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
                assertThat(mark[0].value()).isEqualTo(another);
            }
        } finally {
            extending.shutdownNow();
        }
    }

    @Test
    void deletedOwnerIsHintedAndNotCreatedByAnExtension() throws Exception {
        Stored mark = node.claim(3);
        inspector.delete(path("workers", 3));

        await(TIMEOUT, () -> node.hints.get() > 0);
        CasResult.Applied extended = applied(node.extend(3, mark));

        assertThat(extended.ownerHeld()).isFalse();
        assertThat(node.slot(3)).isEqualTo(new Slot(3, extended.written(), null));
    }

    @Test
    void watchIsBegunAgainWithANewClaimAndWithAnExtension() throws Exception {
        Stored mark = node.claim(3);
        inspector.delete(path("workers", 3));
        await(TIMEOUT, () -> node.hints.get() > 0);
        mark = applied(node.claim(3, mark, unique("host=a"))).written();
        applied(node.extend(3, mark));
        int before = node.hints.get();

        inspector.delete(path("workers", 3));

        await(TIMEOUT, () -> node.hints.get() > before);
    }

    @Test
    void releaseFreesTheOwnerWithoutAHint() {
        Stored mark = node.claim(3);

        CasResult released =
                node.coordinator.release(3, mark, "limit=1 token=free", node.owner(3), node.meta(), TIMEOUT);
        Stored free = applied(released).written();
        applied(other.claim(3, free, unique("host=b")));
        node.read(0, 5);

        assertThat(node.hints).hasValue(0);
    }

    @Test
    void ownersOfOtherSessionsAreNotHeld() throws Exception {
        String owner = unique("host=a");
        Stored mark = applied(node.claim(3, null, owner)).written();
        inspector.delete(path("workers", 3));
        inspector.create(path("workers", 3), owner, CreateMode.EPHEMERAL);

        assertThat(applied(node.extend(3, mark)).ownerHeld()).isFalse();
    }

    @Test
    void endsItsSessionWhenNothingWasExtendedForATimeToLive() throws Exception {
        try (Node brief = ZooKeeperNode.at(server.connectString(), namespace, Duration.ofSeconds(2))) {
            Stored mark = brief.claim(1);
            long session = inspector.stat(path("workers", 1)).getEphemeralOwner();
            await(TIMEOUT, () -> server.command("dump").contains(Long.toHexString(session)));

            await(TIMEOUT, () -> !server.command("dump").contains(Long.toHexString(session)));

            assertThat(inspector.stat(path("workers", 1))).isNull();
            assertThat(applied(brief.extend(1, mark)).ownerHeld()).isFalse();
        }
    }

    @Test
    void clearsAnOwnerAwayThatWasNotExtendedBesideOneThatWas() throws Exception {
        Duration timeToLive = Duration.ofSeconds(2);
        unlessHeldUp(timeToLive, (number, stopwatch) -> {
            int kept = 2 * number;
            int lost = 2 * number + 1;
            try (Node brief = ZooKeeperNode.at(server.connectString(), namespace, timeToLive)) {
                List<Stored> marks = new ArrayList<>(List.of(brief.claim(kept)));
                Stored left = brief.claim(lost);

                await(Node.PATIENCE, () -> {
                    CasResult.Applied extended =
                            applied(stopwatch.startAgainWith(() -> brief.extend(kept, marks.get(marks.size() - 1))));
                    assertThat(extended.ownerHeld()).isTrue();
                    marks.add(extended.written());
                    return other.slot(lost).owner() == null;
                });

                assertThat(other.slot(kept).owner()).isNotNull();
                assertThat(applied(brief.extend(lost, left)).ownerHeld()).isFalse();
            }
        });
    }

    @Test
    void readTellsTheServersTime() {
        for (int i = 0; i < 3; i++) {
            Instant before = Instant.now();
            Instant time = node.read(0, 1_023).serverTime();
            Instant after = Instant.now();

            assertThat(time).isBetween(before.minusSeconds(1), after.plusSeconds(1));
        }
    }

    @Test
    void eachCallIsOneTransaction() {
        long eight = eightCalls(3);
        // The end of a session of the test before may have come in between, but not each time.
        for (int id = 4; id < 8 && eight != 8; id++) {
            eight = eightCalls(id);
        }

        assertThat(eight).isEqualTo(8);
    }

    private long eightCalls(int id) {
        Stored meta = node.meta();
        long before = transactions();

        Stored mark = applied(node.coordinator.claim(id, null, "limit=1", "o", false, meta, TIMEOUT))
                .written();
        for (int i = 0; i < 5; i++) {
            mark = applied(node.coordinator.extend(id, mark, unique("limit=2"), "o", meta, TIMEOUT))
                    .written();
        }
        applied(node.coordinator.release(id, mark, "limit=0", "o", meta, TIMEOUT));
        node.read(0, 1_023);

        return transactions() - before;
    }

    @Test
    void interruptedWriteIsOfUnknownOutcomeAndKeepsTheFlag() {
        Stored mark = node.claim(3);
        Stored meta = node.meta();

        Thread.currentThread().interrupt();
        CasResult extend = node.coordinator.extend(3, mark, "limit=2", node.owner(3), meta, TIMEOUT);
        boolean afterExtend = Thread.interrupted();
        Thread.currentThread().interrupt();
        CasResult claim = node.coordinator.claim(4, null, "limit=2", "o", false, meta, TIMEOUT);
        boolean afterClaim = Thread.interrupted();

        assertThat(Node.unknown(extend).cause().permanent()).isFalse();
        Node.unknown(claim);
        assertThat(afterExtend).isTrue();
        assertThat(afterClaim).isTrue();
    }
}
