// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Node.unique;

import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.LogLines;

/** Leases that are not renewed though all else works: a real server refuses that only in the moment in which it loses its leader. */
class EtcdRenewalTest {
    private static final String OWNER = "host=a token=1";

    private static final Status NO_LEADER = Status.UNAVAILABLE.withDescription("etcdserver: no leader");

    private final EtcdServer etcd = EtcdServer.start();
    private final Passing between = new Passing(etcd.clientPort());
    private final String generator = "renewals-" + between.port();
    private final AtomicInteger hints = new AtomicInteger();

    @AfterEach
    void close() {
        between.close();
        etcd.close();
    }

    private WorkerCoordinator open(Duration timeToLive) {
        Map<String, String> settings = Map.of("snowflake.etcd.endpoints", "http://127.0.0.1:" + between.port());
        return new EtcdCoordinatorProvider()
                .open(new CoordinatorConfig(generator, "snowflake", timeToLive, settings::get), hints::incrementAndGet);
    }

    private static boolean extend(WorkerCoordinator coordinator, List<Stored> last) {
        Stored meta = last.get(0);
        String next = unique("limit=2");
        boolean held = applied(coordinator.extend(3, last.get(1), next, OWNER, meta, TIMEOUT))
                .ownerHeld();
        last.set(1, new Stored(next, 0));
        return held;
    }

    private static List<Stored> claim(WorkerCoordinator coordinator) {
        Stored meta = applied(coordinator.writeMeta(null, unique("id=1 state=active"), TIMEOUT))
                .written();
        Stored mark = applied(coordinator.claim(3, null, unique("limit=1"), OWNER, false, meta, TIMEOUT))
                .written();
        return new ArrayList<>(List.of(meta, mark));
    }

    @Test
    void failedRenewalIsSaidOncePerOutage() {
        LogLines.listen();
        try (WorkerCoordinator coordinator = open(Node.TIME_TO_LIVE)) {
            List<Stored> stored = claim(coordinator);
            assertThat(extend(coordinator, stored)).isTrue();
            assertThat(LogLines.of(generator)).isEmpty();

            between.refuse(EtcdMethods.KEEP_ALIVE, NO_LEADER);
            assertThat(extend(coordinator, stored)).isTrue();
            assertThat(extend(coordinator, stored)).isTrue();
            between.pass(EtcdMethods.KEEP_ALIVE);
            assertThat(extend(coordinator, stored)).isTrue();
            assertThat(extend(coordinator, stored)).isTrue();

            assertThat(LogLines.of(generator)).hasSize(2);
            assertThat(LogLines.of(generator).get(0))
                    .startsWith("WARNING snowflake '" + generator + "': ")
                    .contains("was not renewed", "300 s", "etcdserver: no leader", "http://127.0.0.1:");
            assertThat(LogLines.of(generator).get(1)).startsWith("INFO ").contains("renewed again");
        }
    }

    @Test
    void failedRenewalIsTriedAgainBeforeItIsTimeForTheNextExtension() {
        try (WorkerCoordinator coordinator = open(Duration.ofSeconds(12))) {
            List<Stored> stored = claim(coordinator);
            between.refuse(EtcdMethods.KEEP_ALIVE, NO_LEADER);

            assertThat(extend(coordinator, stored)).isTrue();

            await(Node.PATIENCE, () -> hints.get() > 0);
        }
    }

    @Test
    void ownerThatWasNeverRenewedIsNotHeldAnyMore() {
        try (WorkerCoordinator coordinator = open(Duration.ofSeconds(2))) {
            List<Stored> stored = claim(coordinator);
            between.refuse(EtcdMethods.KEEP_ALIVE, NO_LEADER);

            await(Node.PATIENCE, () -> !extend(coordinator, stored));
        }
    }
}
