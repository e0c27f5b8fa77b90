// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.unique;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.EtcdServer;

/** A server whose space ends under many writers: what it answers with {@code RESOURCE_EXHAUSTED} it has partly applied. */
class EtcdSpaceTest {
    private static final int WRITERS = 32;
    private static final String LARGE = "x".repeat(20_000);

    /** How the last extension of a worker id ended. */
    private record Last(int id, Stored before, Stored written, CoordinatorException failure, boolean isDoubtful) {}

    private static Last extendUntilItFails(EtcdServer server, String namespace, int id, CyclicBarrier claimed)
            throws Exception {
        try (Node node = EtcdNode.at(server.endpoint(), namespace)) {
            Stored meta = node.meta();
            Stored mark = node.claim(id);
            // A late one would find no space for that.
            claimed.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            for (; ; ) {
                Stored next = new Stored(unique(LARGE), 0);
                try {
                    CasResult result = node.coordinator.extend(id, mark, next.value(), node.owner(id), meta, TIMEOUT);
                    if (result instanceof CasResult.Unknown unknown) {
                        return new Last(id, mark, next, unknown.cause(), true);
                    }
                    mark = Node.applied(result).written();
                } catch (CoordinatorException e) {
                    return new Last(id, mark, next, e, false);
                }
            }
        }
    }

    @Test
    void extensionRefusedForSpaceIsOfUnknownOutcome() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
        try (EtcdServer server =
                EtcdServer.builder().arguments("--quota-backend-bytes=8388608").start()) {
            String namespace = Node.freshNamespace();
            List<Last> all = new ArrayList<>();
            try (Node node = EtcdNode.at(server.endpoint(), namespace)) {
                node.createMeta();
                CyclicBarrier claimed = new CyclicBarrier(WRITERS);
                List<Callable<Last>> writers = new ArrayList<>();
                for (int i = 0; i < WRITERS; i++) {
                    int id = i;
                    writers.add(() -> extendUntilItFails(server, namespace, id, claimed));
                }
                for (Future<Last> writer : threads.invokeAll(writers)) {
                    all.add(writer.get());
                }

                assertThat(all).allSatisfy(last -> {
                    assertThat(last.failure())
                            .hasMessageContaining("has no space left")
                            .hasMessageContaining("--quota-backend-bytes");
                    assertThat(last.failure().permanent()).isFalse();
                    Stored seen = node.slot(last.id()).mark();
                    assertThat(seen).isIn(last.before(), last.written());
                    assertThat(last.isDoubtful()).isTrue();
                });
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
