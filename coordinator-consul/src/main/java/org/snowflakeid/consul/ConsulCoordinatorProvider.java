// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import java.util.List;
import org.snowflakeid.config.Key;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordCoordinator;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** Selected by {@code snowflake.coordinator=consul}, or by being the only coordinator on the class path. */
public final class ConsulCoordinatorProvider implements WorkerCoordinatorProvider {

    @Override
    public String name() {
        return "consul";
    }

    @Override
    public List<Key<?>> keys() {
        return ConsulSettings.KEYS;
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        return new RecordCoordinator(config, new ConsulStore(new ConsulSettings(config)));
    }
}
