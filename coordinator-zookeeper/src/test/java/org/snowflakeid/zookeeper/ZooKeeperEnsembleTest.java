// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.ZooKeeperEnsemble;
import org.snowflakeid.testservers.ZooKeeperServer;

/** Three servers, some of which fail. */
class ZooKeeperEnsembleTest {
    private static final Duration CALL = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(100);

    private final ZooKeeperEnsemble ensemble =
            ZooKeeperEnsemble.start(3, ZooKeeperServer.builder().longestSession(Node.TIME_TO_LIVE));
    private final Node node = ZooKeeperNode.at(ensemble.connectString(), Node.freshNamespace());

    private Stored meta;

    @BeforeEach
    void createMeta() {
        meta = node.createMeta();
    }

    @AfterEach
    void close() {
        node.close();
        ensemble.close();
    }

    /**
     * As core does: an extension of unknown outcome is sent again, its own bytes are taken for success, and an owner entry that was lost
     * with its session is claimed again.
     */
    private void extendUntilApplied(AtomicReference<Stored> mark) {
        String next = Node.unique("limit=2");
        boolean[] ownerHeld = {false};
        await(PATIENCE, () -> {
            try {
                CasResult result = node.coordinator.extend(3, mark.get(), next, node.owner(3), meta, CALL);
                if (result instanceof CasResult.Rejected rejected) {
                    Slot seen = rejected.seen();
                    assertThat(seen).isNotNull();
                    assertThat(seen.mark().value()).isEqualTo(next);
                    mark.set(seen.mark());
                    ownerHeld[0] = seen.owner() != null;
                } else if (result instanceof CasResult.Applied applied) {
                    mark.set(applied.written());
                    ownerHeld[0] = applied.ownerHeld();
                }
                return !(result instanceof CasResult.Unknown);
            } catch (CoordinatorException e) {
                assertThat(e.permanent()).isFalse();
                return false;
            }
        });
        if (!ownerHeld[0]) {
            claimUntilHeld(mark);
        }
    }

    /** A claim of unknown outcome may have been applied: the next one is rejected then, and sees this node's own owner entry. */
    private void claimUntilHeld(AtomicReference<Stored> mark) {
        String owner = node.owner(3);
        await(PATIENCE, () -> {
            try {
                CasResult result = node.claim(3, mark.get(), owner);
                if (result instanceof CasResult.Rejected rejected) {
                    Slot seen = rejected.seen();
                    assertThat(seen).isNotNull();
                    mark.set(seen.mark());
                    return owner.equals(seen.owner());
                } else if (result instanceof CasResult.Applied applied) {
                    mark.set(applied.written());
                    return true;
                }
                return false;
            } catch (CoordinatorException e) {
                assertThat(e.permanent()).isFalse();
                return false;
            }
        });
    }

    @Test
    void keepsItsWorkerIdWhileMembersAreKilledOrFrozenOneAfterAnother() {
        AtomicReference<Stored> mark = new AtomicReference<>(node.claim(3));

        for (ZooKeeperServer frozen : ensemble.members()) {
            frozen.pause();
            for (int i = 0; i < 3; i++) {
                extendUntilApplied(mark);
            }
            frozen.resume();
            await(PATIENCE, () -> ensemble.members().stream().anyMatch(ZooKeeperServer::leads));
        }
        ZooKeeperServer leader = ensemble.leader();
        leader.kill();

        extendUntilApplied(mark);
        leader.startAgain();
        leader.awaitHealthy();
        for (int i = 0; i < 3; i++) {
            extendUntilApplied(mark);
        }
        assertThat(node.slot(3).owner()).isNotNull();
    }

    // with windows of five minutes a call that came to it first waited there for a hundred seconds
    @Test
    void noCallWaitsForLongAtAFrozenMember() {
        ZooKeeperServer frozen = ensemble.members().stream()
                .filter(member -> !member.leads())
                .findFirst()
                .orElseThrow();
        frozen.pause();

        for (int i = 0; i < 6; i++) {
            try (Node next =
                    ZooKeeperNode.at(frozen.connectString() + "," + ensemble.connectString(), node.namespace)) {
                assertThat(next.read(0, 0).meta()).isEqualTo(meta);
            }
        }
        frozen.resume();
    }

    @Test
    void withoutAQuorumNothingIsAppliedAndNothingIsPermanent() {
        Stored mark = node.claim(3);
        ZooKeeperServer last = ensemble.leader();
        ensemble.members().stream().filter(m -> m != last).forEach(ZooKeeperServer::kill);

        assertThat(node.answers()).isFalse();
        try {
            assertThat(node.coordinator.extend(3, mark, "limit=2 token=y", node.owner(3), meta, CALL))
                    .isInstanceOf(CasResult.Unknown.class);
        } catch (CoordinatorException e) {
            assertThat(e.permanent()).isFalse();
        }
        ensemble.members().stream().filter(m -> m != last).forEach(ZooKeeperServer::startAgain);

        await(PATIENCE, node::answers);
        Stored seen = node.slot(3).mark();
        assertThat(seen.value()).isIn(mark.value(), "limit=2 token=y");
        applied(node.extend(3, seen));
    }
}
