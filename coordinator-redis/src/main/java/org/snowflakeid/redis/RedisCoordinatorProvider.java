// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import java.util.List;
import org.snowflakeid.config.Key;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordCoordinator;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** Selected by {@code snowflake.coordinator=redis}, or by being the only coordinator on the class path. */
public final class RedisCoordinatorProvider implements WorkerCoordinatorProvider {

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public List<Key<?>> keys() {
        return RedisSettings.KEYS;
    }

    /** Redis does not report what other clients change, so there are no hints. */
    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        return new RecordCoordinator(config, new RedisStore(new RedisSettings(config)));
    }
}
