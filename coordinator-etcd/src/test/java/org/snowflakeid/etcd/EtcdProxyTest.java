// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Node.unique;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.Stopwatch;
import org.snowflakeid.testservers.EtcdProxy;
import org.snowflakeid.testservers.EtcdServer;

/** What etcd's own command may put between: {@code grpc-proxy} and {@code gateway}. */
class EtcdProxyTest {
    private static final Duration TIME_TO_LIVE = Duration.ofSeconds(5);
    private static final long LIVES = 3;

    private static EtcdServer etcd;

    private final String namespace = Node.freshNamespace();

    enum Way {
        REQUESTS(""),
        REQUESTS_IN_A_NAMESPACE("/tenant"),
        CONNECTIONS("");

        private final String prefix;

        Way(String prefix) {
            this.prefix = prefix;
        }

        EtcdProxy start() {
            return switch (this) {
                case REQUESTS -> EtcdProxy.ofRequests(etcd);
                case REQUESTS_IN_A_NAMESPACE -> EtcdProxy.ofRequests(etcd, "--namespace=" + prefix);
                case CONNECTIONS -> EtcdProxy.ofConnections(etcd);
            };
        }
    }

    @BeforeAll
    static void startServer() {
        etcd = EtcdServer.start();
    }

    @AfterAll
    static void stopServer() {
        etcd.close();
    }

    @ParameterizedTest
    @EnumSource
    void ownerLivesAsLongAsItIsExtendedAndIsGivenBack(Way way) throws Exception {
        try (EtcdProxy proxy = way.start()) {
            Stopwatch.unlessHeldUp(TIME_TO_LIVE, (number, stopwatch) -> {
                String tenant = namespace + number;
                try (Node node = EtcdNode.at(proxy.endpoint(), tenant, TIME_TO_LIVE)) {
                    Stored meta = node.createMeta();
                    Stored mark = stopwatch.startAgainWith(() -> node.claim(3));
                    String owner = way.prefix + "/" + tenant + "/workers/3";
                    long end = System.nanoTime() + LIVES * TIME_TO_LIVE.toNanos();
                    while (System.nanoTime() < end) {
                        Stored before = mark;
                        CasResult.Applied extended = stopwatch.startAgainWith(() -> applied(node.extend(3, before)));
                        assertThat(extended.ownerHeld()).isTrue();
                        mark = extended.written();
                        TimeUnit.MILLISECONDS.sleep(500);
                    }
                    assertThat(value(owner)).isEqualTo(node.owner(3));
                    assertThat(Node.ids(node.read(0, 1_023))).containsExactly(3);
                    assertThat(node.read(0, 1_023).slots().get(3).owner()).isEqualTo(node.owner(3));

                    applied(node.coordinator.release(3, mark, unique("free"), node.owner(3), meta, TIMEOUT));

                    assertThat(value(owner)).isEmpty();
                }
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void ownerThatIsNotExtendedAnyMoreIsGone(Way way) {
        try (EtcdProxy proxy = way.start()) {
            try (Node node = EtcdNode.at(proxy.endpoint(), namespace, TIME_TO_LIVE)) {
                node.createMeta();
                applied(node.extend(3, node.claim(3)));
            }
            try (Node other = EtcdNode.at(proxy.endpoint(), namespace, TIME_TO_LIVE)) {
                await(Node.PATIENCE, () -> other.slot(3).owner() == null);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void deletionOfTheOwnerIsHintedAndTheTimeIsTold(Way way) {
        try (EtcdProxy proxy = way.start();
                Node node = EtcdNode.at(proxy.endpoint(), namespace)) {
            node.createMeta();
            node.claim(3);
            assertThat(node.hints).hasValue(0);

            etcd.etcdctl("del", way.prefix + "/" + namespace + "/workers/3");

            await(Node.PATIENCE, () -> node.hints.get() > 0);
            await(Node.PATIENCE, () -> node.read(0, 0).serverTime() != null);
        }
    }

    private static String value(String key) {
        return etcd.etcdctl("get", "--print-value-only", key).strip();
    }
}
