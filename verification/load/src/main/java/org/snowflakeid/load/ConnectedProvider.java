// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.load;

import java.time.Duration;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.ForwardingCoordinator;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * A coordinator whose connection is already there, so that claims are measured and not what two processors need to set up a
 * thousand connections, which belong to a thousand machines. It shares nothing with others, as if it were in a process of its own. Counts
 * what a claim asks for.
 */
final class ConnectedProvider implements WorkerCoordinatorProvider, AutoCloseable {

    private final String name;
    private final WorkerCoordinator coordinator;
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger extended = new AtomicInteger();
    private volatile Runnable lossHint = () -> {};

    ConnectedProvider(String name, Map<String, String> settings, Duration timeToLive) {
        this.name = name;
        coordinator = inAnApplicationOfItsOwn(() -> ServiceLoader.load(WorkerCoordinatorProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals(name))
                .findFirst()
                .orElseThrow()
                .open(new CoordinatorConfig("default", "snowflake", timeToLive, settings::get), () -> lossHint.run()));
        coordinator.read(0, 0, Duration.ofSeconds(30));
    }

    /** What would share a client with others otherwise doesn't over the bounds of an application. */
    private static WorkerCoordinator inAnApplicationOfItsOwn(Supplier<WorkerCoordinator> opening) {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(new ClassLoader(before) {});
        try {
            return opening.get();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    /** How many reads, claims and writes of the namespace's record there were; extensions don't count. */
    int asked() {
        return asked.get();
    }

    /** How often a mark was extended. */
    int extended() {
        return extended.get();
    }

    /** Itself, of which nothing is counted. */
    WorkerCoordinator coordinator() {
        return coordinator;
    }

    @Override
    public void close() {
        coordinator.close();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable hint) {
        lossHint = hint;
        return new Counted();
    }

    private final class Counted extends ForwardingCoordinator {

        Counted() {
            super(coordinator);
        }

        @Override
        public @Nullable Object connection() {
            return null;
        }

        /** It is there for another start. */
        @Override
        public void close() {}

        @Override
        public Snapshot read(int fromId, int toId, Duration timeout) {
            asked.incrementAndGet();
            return super.read(fromId, toId, timeout);
        }

        @Override
        public CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
            asked.incrementAndGet();
            return super.writeMeta(expected, next, timeout);
        }

        @Override
        public CasResult claim(
                int id,
                @Nullable Stored mark,
                String next,
                String owner,
                boolean evict,
                Stored meta,
                Duration timeout) {
            asked.incrementAndGet();
            return super.claim(id, mark, next, owner, evict, meta, timeout);
        }

        @Override
        public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
            CasResult result = super.extend(id, mark, next, owner, meta, timeout);
            if (result instanceof CasResult.Applied) {
                extended.incrementAndGet();
            }
            return result;
        }
    }
}
