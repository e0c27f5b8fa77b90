// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.kubernetes;

import java.util.List;
import org.snowflakeid.config.Key;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordCoordinator;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** Selected by {@code snowflake.coordinator=kubernetes}, or by being the only coordinator on the class path. */
public final class KubernetesCoordinatorProvider implements WorkerCoordinatorProvider {

    @Override
    public String name() {
        return "kubernetes";
    }

    @Override
    public List<Key<?>> keys() {
        return KubernetesSettings.KEYS;
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        return new RecordCoordinator(
                config,
                new LeaseStore(new KubernetesSettings(config, KubernetesSettings.Pod.HERE), config.timeToLive()));
    }
}
