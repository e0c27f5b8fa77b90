// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
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
import org.snowflakeid.tck.Stopwatch;
import org.snowflakeid.testservers.EtcdCluster;
import org.snowflakeid.testservers.EtcdServer;

/** Three servers, one of which fails. */
class EtcdClusterTest {
    private static final Duration CALL = Duration.ofSeconds(2);

    private final EtcdCluster cluster = EtcdCluster.start(3);
    private final Node node = EtcdNode.at(cluster.endpoints(), Node.freshNamespace());

    private Stored meta;

    @BeforeEach
    void createMeta() {
        meta = node.createMeta();
    }

    @AfterEach
    void close() {
        node.close();
        cluster.close();
    }

    /** As core does: an extension of unknown outcome is sent again, and its own bytes are taken for success. */
    private void extendUntilApplied(AtomicReference<Stored> mark) {
        String next = Node.unique("limit=2");
        await(Node.PATIENCE, () -> {
            try {
                CasResult result = node.coordinator.extend(3, mark.get(), next, node.owner(3), meta, CALL);
                if (result instanceof CasResult.Rejected rejected) {
                    Slot seen = rejected.seen();
                    assertThat(seen).isNotNull();
                    assertThat(seen.mark()).isEqualTo(new Stored(next, 0));
                }
                return !(result instanceof CasResult.Unknown);
            } catch (CoordinatorException e) {
                assertThat(e.permanent()).isFalse();
                return false;
            }
        });
        mark.set(new Stored(next, 0));
    }

    @Test
    void goesOnAfterTheLeaderWasKilled() {
        AtomicReference<Stored> mark = new AtomicReference<>(node.claim(3));

        cluster.leader().kill();

        extendUntilApplied(mark);
        assertThat(node.slot(3).owner()).isNotNull();
        for (int i = 0; i < 6; i++) {
            extendUntilApplied(mark);
        }
    }

    @Test
    void goesOnWhileOneMemberIsFrozen() throws Exception {
        AtomicReference<Stored> mark = new AtomicReference<>(node.claim(3));
        EtcdServer frozen =
                cluster.members().stream().filter(m -> !m.leads()).findFirst().orElseThrow();

        frozen.pause();

        for (int i = 0; i < 3; i++) {
            extendUntilApplied(mark);
        }
        Stopwatch.unlessHeldUp(CALL, (number, stopwatch) -> {
            mark.set(node.slot(3).mark());
            for (int i = 0; i < 6; i++) {
                stopwatch.startAgain();
                CasResult.Applied extended = applied(node.extend(3, mark.get(), CALL));
                assertThat(extended.ownerHeld()).isTrue();
                mark.set(extended.written());
            }
        });
        frozen.resume();
    }

    @Test
    void learnerAmongTheServersDoesNoHarm() {
        try (EtcdServer learner = cluster.addLearner()) {
            for (int id = 10; id < 15; id++) {
                try (Node other = EtcdNode.at(learner.endpoint() + "," + cluster.endpoints(), node.namespace)) {
                    Stored mark = other.claim(id);
                    for (int i = 0; i < 6; i++) {
                        CasResult.Applied extended = applied(other.extend(id, mark));
                        assertThat(extended.ownerHeld()).isTrue();
                        mark = extended.written();
                    }
                    assertThat(other.hints.get()).isLessThan(3);
                }
            }
        }
    }

    @Test
    void learnerAloneIsToldFromAMember() {
        try (EtcdServer learner = cluster.addLearner();
                Node other = EtcdNode.at(learner.endpoint(), node.namespace)) {
            CoordinatorException thrown =
                    catchThrowableOfType(CoordinatorException.class, () -> other.coordinator.read(0, 0, Node.TIMEOUT));

            assertThat(thrown)
                    .hasMessageContaining("not supported for learner")
                    .hasMessageContaining("snowflake.etcd.endpoints");
            assertThat(thrown.permanent()).isFalse();
        }
    }

    @Test
    void withoutAQuorumNothingIsAppliedAndNothingIsPermanent() {
        Stored mark = node.claim(3);
        EtcdServer last = cluster.leader();
        cluster.members().stream().filter(m -> m != last).forEach(EtcdServer::kill);

        assertThat(node.answers()).isFalse();
        try {
            assertThat(node.coordinator.extend(3, mark, "limit=2 token=y", node.owner(3), meta, CALL))
                    .isInstanceOf(CasResult.Unknown.class);
        } catch (CoordinatorException e) {
            assertThat(e.permanent()).isFalse();
        }
    }
}
