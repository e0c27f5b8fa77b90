// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.util.List;
import org.snowflakeid.config.Key;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordCoordinator;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** Selected by {@code snowflake.coordinator=jdbc}, or by being the only coordinator on the class path. */
public final class JdbcCoordinatorProvider implements WorkerCoordinatorProvider {

    @Override
    public String name() {
        return "jdbc";
    }

    @Override
    public List<Key<?>> keys() {
        return JdbcSettings.KEYS;
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        return new RecordCoordinator(config, new JdbcStore(new JdbcSettings(config)));
    }
}
