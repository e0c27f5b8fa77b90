// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing;

import java.util.List;
import java.util.function.Function;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * Worker ids coordinated within one class loader, for tests: {@code snowflake.coordinator=memory}. What was claimed is in
 * the {@link MemoryStore} that {@code snowflake.memory.store} names, {@value MemoryStore#DEFAULT_NAME} unless it is set.
 */
public final class MemoryCoordinatorProvider implements WorkerCoordinatorProvider {

    private static final Key<String> STORE = Key.text("snowflake.memory.store")
            .standard(MemoryStore.DEFAULT_NAME)
            .meaning("In tests: applications that name the same store share it.");

    private final Function<CoordinatorConfig, MemoryStore> stores;

    /** For {@link java.util.ServiceLoader}. */
    public MemoryCoordinatorProvider() {
        this(config -> MemoryStore.named(new SettingsReader(config).value(STORE)));
    }

    MemoryCoordinatorProvider(Function<CoordinatorConfig, MemoryStore> stores) {
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
    public List<Key<?>> keys() {
        return List.of(STORE);
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        return new MemoryCoordinator(stores.apply(config), config);
    }
}
