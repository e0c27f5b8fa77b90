// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Node.rejected;
import static org.snowflakeid.tck.Node.unique;
import static org.snowflakeid.tck.Node.unknown;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.FreePorts;
import org.snowflakeid.testservers.TcpProxy;
import org.snowflakeid.testservers.ZooKeeperServer;

/** Requests and answers that are held or lost on the way: what was asked may have been done, or be done later. */
class ZooKeeperUnknownOutcomeTest {
    private static ZooKeeperServer server;

    private final TcpProxy proxy = TcpProxy.to(server.clientPort());
    private final String namespace = Node.freshNamespace();
    private final Node node = ZooKeeperNode.at("127.0.0.1:" + proxy.port(), namespace);
    private final Node other = ZooKeeperNode.at(server.connectString(), namespace);
    private Stored meta;

    @BeforeAll
    static void startServer() {
        server = ZooKeeperServer.builder().longestSession(Node.TIME_TO_LIVE).start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void createMeta() {
        meta = node.createMeta();
        other.slot(0);
    }

    @AfterEach
    void close() {
        proxy.pass();
        node.close();
        other.close();
        proxy.close();
    }

    /**
     * Holds replies for the length of a claim. Its look is answered or not, and then its transaction: whichever is held, what stands there
     * afterwards is all of the claim or nothing, and the same session can tell.
     */
    @Test
    void claimWhoseReplyIsLostIsWholeOrNothingAndTheSameSessionKnows() {
        for (int id = 10; id < 14; id++) {
            int claimed = id;
            CompletableFuture<Void> cut = CompletableFuture.runAsync(
                    proxy::holdReplies, CompletableFuture.delayedExecutor(claimed - 10, TimeUnit.MILLISECONDS));
            boolean applied = false;
            boolean unsent = false;
            try {
                applied = node.coordinator.claim(
                                claimed, null, "limit=1 token=x", "o", false, meta, Duration.ofSeconds(1))
                        instanceof CasResult.Applied;
            } catch (CoordinatorException e) {
                unsent = true;
            }
            cut.join();
            proxy.pass();

            await(TIMEOUT, node::answers);
            Slot seen = node.slot(claimed);
            Slot whole = new Slot(claimed, new Stored("limit=1 token=x", 0), "o");
            Slot nothing = new Slot(claimed, null, null);
            assertThat(seen).isIn(unsent ? nothing : whole, applied ? whole : nothing);
            assertThat(other.slot(claimed)).isEqualTo(seen);
        }
    }

    @Test
    void extensionSentAgainShowsItsOwnBytesAndGoesOn() {
        Stored mark = node.claim(3);
        applied(node.coordinator.extend(3, mark, "limit=2 token=x", node.owner(3), meta, TIMEOUT));

        CasResult again = node.coordinator.extend(3, mark, "limit=2 token=x", node.owner(3), meta, TIMEOUT);

        Slot seen = rejected(again).seen();
        assertThat(seen).isNotNull();
        assertThat(seen.mark()).isEqualTo(new Stored("limit=2 token=x", 1));
        assertThat(applied(node.extend(3, seen.mark())).ownerHeld()).isTrue();
    }

    @Test
    void abandonedClaimBesideAnotherIsClearedAwayWhenItArrivesLate() {
        Stored mark = node.claim(3);
        proxy.freeze();
        try {
            unknown(node.coordinator.claim(4, null, "limit=1", "late", false, meta, Duration.ofSeconds(1)));
        } catch (CoordinatorException notSent) {
            assertThat(notSent.permanent()).isFalse();
        }
        node.coordinator.abandon(4, "late", Duration.ofMillis(500));
        proxy.pass();

        await(TIMEOUT, node::answers);
        CasResult.Applied extended = applied(node.extend(3, mark));

        assertThat(extended.ownerHeld()).isTrue();
        assertThat(other.slot(4).owner()).isNull();
        assertThat(applied(other.claim(4, other.slot(4).mark(), unique("host=b")))
                        .ownerHeld())
                .isTrue();
        assertThat(applied(node.extend(3, extended.written())).ownerHeld()).isTrue();
    }

    @Test
    void unreachableServerIsReportedInTimeAndNotPermanent() {
        int closed = FreePorts.next();
        try (Node nowhere = ZooKeeperNode.at("127.0.0.1:" + closed, namespace)) {
            // On a slow machine the first may end before a connection was tried.
            AtomicReference<CoordinatorException> last = new AtomicReference<>();
            await(Node.PATIENCE, () -> {
                last.set(catchThrowableOfType(
                        CoordinatorException.class, () -> nowhere.coordinator.read(0, 0, Duration.ofSeconds(1))));
                return last.get().getMessage().contains("Connection refused");
            });
            CoordinatorException read = last.get();
            CoordinatorException write = catchThrowableOfType(
                    CoordinatorException.class,
                    () -> nowhere.coordinator.writeMeta(null, "id=1", Duration.ofSeconds(1)));

            assertThat(read)
                    .hasMessageContaining("127.0.0.1:" + closed)
                    .hasMessageContaining("Connection refused")
                    .hasMessageContaining("snowflake.zookeeper.connect-string");
            assertThat(read.permanent()).isFalse();
            assertThat(write.permanent()).isFalse();
        }
        try (Node some = ZooKeeperNode.at("127.0.0.1:" + closed + "," + server.connectString(), namespace)) {
            assertThat(applied(some.extend(9, some.claim(9))).ownerHeld()).isTrue();
        }
    }
}
