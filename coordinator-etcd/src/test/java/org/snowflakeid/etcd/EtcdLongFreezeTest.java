// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.time;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.EtcdServer;

/** Long enough for gRPC to give its connections up, and to wait longer and longer before it connects again. */
class EtcdLongFreezeTest {

    @Test
    void worksWithinTwoSecondsOfTheEndOfAFreezeOf35Seconds() {
        String namespace = Node.freshNamespace();
        try (EtcdServer server = EtcdServer.start();
                Node node = EtcdNode.at(server.endpoint(), namespace)) {
            node.createMeta();
            Stored mark = node.claim(3);

            requireWithin(Duration.ofSeconds(2), () -> {
                server.pause();
                // It may have been about to answer.
                long unused = await(Node.PATIENCE, () -> !node.answers());
                long frozenUntil = System.nanoTime() + TimeUnit.SECONDS.toNanos(35);

                while (System.nanoTime() < frozenUntil) {
                    requireWithin(
                            Duration.ofMillis(2_700),
                            () -> time(() -> {
                                CoordinatorException thrown = catchThrowableOfType(
                                        CoordinatorException.class,
                                        () -> node.coordinator.read(0, 0, Duration.ofSeconds(2)));
                                assertThat(thrown.permanent()).isFalse();
                            }));
                }
                server.resume();
                return Duration.ofMillis(await(Node.PATIENCE, node::answers));
            });

            assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
        }
    }
}
