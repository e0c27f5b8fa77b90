// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.util.List;
import org.snowflakeid.config.Key;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** Selected by {@code snowflake.coordinator=zookeeper}, or by being the only coordinator on the class path. */
public final class ZooKeeperCoordinatorProvider implements WorkerCoordinatorProvider {

    @Override
    public String name() {
        return "zookeeper";
    }

    @Override
    public List<Key<?>> keys() {
        return ZooKeeperSettings.KEYS;
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        ZooKeeperSettings settings = new ZooKeeperSettings(config);
        return new ZooKeeperCoordinator(settings, new Sessions(settings, config.timeToLive(), lossHint));
    }
}
