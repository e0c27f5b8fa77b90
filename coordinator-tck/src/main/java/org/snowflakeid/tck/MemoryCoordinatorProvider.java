// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.snowflakeid.Platform;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * Worker ids coordinated within one class loader, for tests: {@code snowflake.coordinator=memory}. A test that wants to
 * interfere makes a {@link MemoryStore} and takes its {@link MemoryStore#provider()}.
 */
public final class MemoryCoordinatorProvider implements WorkerCoordinatorProvider {

    private static final Map<String, MemoryStore> STORES = new ConcurrentHashMap<>();

    private final Function<String, MemoryStore> stores;

    /** For {@link java.util.ServiceLoader}: one store per namespace. */
    public MemoryCoordinatorProvider() {
        this(namespace -> STORES.computeIfAbsent(namespace, n -> new MemoryStore(Platform.system())));
    }

    MemoryCoordinatorProvider(Function<String, MemoryStore> stores) {
        this.stores = stores;
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        return new MemoryCoordinator(stores.apply(config.namespace()), config);
    }
}
