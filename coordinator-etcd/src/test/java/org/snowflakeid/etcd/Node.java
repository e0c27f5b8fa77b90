// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** What one process does with its coordinator, in few words. Its values are unique as core's are. */
final class Node implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofSeconds(30);

    final WorkerCoordinator coordinator;
    final String namespace;
    final AtomicInteger hints = new AtomicInteger();

    Node(String namespace, Duration timeToLive, Map<String, String> settings) {
        this.namespace = namespace;
        WorkerCoordinatorProvider etcd = ServiceLoader.load(WorkerCoordinatorProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(p -> p.name().equals("etcd"))
                .findFirst()
                .orElseThrow();
        coordinator = etcd.open(
                new CoordinatorConfig("orders", namespace, timeToLive, settings::get), hints::incrementAndGet);
    }

    static Node at(String endpoints, String namespace) {
        return at(endpoints, namespace, Duration.ofSeconds(60));
    }

    static Node at(String endpoints, String namespace, Duration timeToLive) {
        return new Node(namespace, timeToLive, Map.of("snowflake.etcd.endpoints", endpoints));
    }

    static Node at(String endpoints, Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("snowflake.etcd.endpoints", endpoints);
        return new Node("snowflake", Duration.ofSeconds(60), all);
    }

    static String freshNamespace() {
        return "test-" + UUID.randomUUID();
    }

    /** A value no other write has. */
    static String unique(String text) {
        return text + " token=" + UUID.randomUUID();
    }

    Stored createMeta() {
        return applied(coordinator.writeMeta(null, unique("id=1 state=active"), TIMEOUT))
                .written();
    }

    Stored meta() {
        Stored meta = coordinator.read(0, 0, TIMEOUT).meta();
        assertThat(meta).isNotNull();
        return meta;
    }

    CasResult claim(int id, @Nullable Stored mark, String owner) {
        return coordinator.claim(id, mark, unique("limit=1"), owner, false, meta(), TIMEOUT);
    }

    /** Claims a worker id that has no mark. */
    Stored claim(int id) {
        CasResult.Applied applied = applied(claim(id, null, unique("host=a")));
        assertThat(applied.ownerHeld()).isTrue();
        return applied.written();
    }

    CasResult extend(int id, Stored mark) {
        return extend(id, mark, TIMEOUT);
    }

    CasResult extend(int id, Stored mark, Duration timeout) {
        return coordinator.extend(id, mark, unique("limit=2"), meta(), timeout);
    }

    Slot slot(int id) {
        return coordinator.read(id, id, TIMEOUT).slots().get(0);
    }

    Snapshot read(int from, int to) {
        return coordinator.read(from, to, TIMEOUT);
    }

    static CasResult.Applied applied(CasResult result) {
        assertThat(result).isInstanceOf(CasResult.Applied.class);
        return (CasResult.Applied) result;
    }

    static CasResult.Rejected rejected(CasResult result) {
        assertThat(result).isInstanceOf(CasResult.Rejected.class);
        return (CasResult.Rejected) result;
    }

    static CasResult.Unknown unknown(CasResult result) {
        assertThat(result).isInstanceOf(CasResult.Unknown.class);
        return (CasResult.Unknown) result;
    }

    /** Whether a read succeeds now, within a second. */
    boolean answers() {
        try {
            coordinator.read(0, 0, Duration.ofSeconds(1));
            return true;
        } catch (CoordinatorException e) {
            return false;
        }
    }

    /** Waits until it holds, and returns after how many milliseconds it did. */
    static long await(Duration atMost, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(atMost);
            pause();
        }
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(10);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    static List<Integer> ids(Snapshot snapshot) {
        return snapshot.slots().stream()
                .filter(s -> s.mark() != null)
                .map(Slot::workerId)
                .toList();
    }

    @Override
    public void close() {
        coordinator.close();
    }
}
