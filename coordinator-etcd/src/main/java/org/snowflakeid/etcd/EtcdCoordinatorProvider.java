// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import java.util.List;
import org.snowflakeid.config.Key;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** Selected by {@code snowflake.coordinator=etcd}, or by being the only coordinator on the class path. */
public final class EtcdCoordinatorProvider implements WorkerCoordinatorProvider {

    @Override
    public String name() {
        return "etcd";
    }

    @Override
    public List<Key<?>> keys() {
        return EtcdSettings.KEYS;
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        EtcdConnection connection = new EtcdConnection(new EtcdSettings(config));
        return new EtcdCoordinator(config, connection, lossHint);
    }
}
