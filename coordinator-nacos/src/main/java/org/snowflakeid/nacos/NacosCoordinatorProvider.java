// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import java.util.List;
import org.snowflakeid.config.Key;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordCoordinator;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** Selected by {@code snowflake.coordinator=nacos}, or by being the only coordinator on the class path. */
public final class NacosCoordinatorProvider implements WorkerCoordinatorProvider {

    @Override
    public String name() {
        return "nacos";
    }

    @Override
    public List<Key<?>> keys() {
        return NacosSettings.KEYS;
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        return new RecordCoordinator(config, new NacosStore(new NacosSettings(config)));
    }
}
