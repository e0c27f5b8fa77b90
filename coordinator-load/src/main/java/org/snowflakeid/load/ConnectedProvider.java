// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.load;

import java.time.Duration;
import java.util.Map;
import java.util.ServiceLoader;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * A coordinator whose connection is already there, so that claims are measured and not what two processors need to set up a
 * thousand connections, which belong to a thousand machines.
 */
final class ConnectedProvider implements WorkerCoordinatorProvider {

    private final String name;
    private final WorkerCoordinator coordinator;
    private volatile Runnable lossHint = () -> {};

    ConnectedProvider(String name, Map<String, String> settings, Duration timeToLive) {
        this.name = name;
        coordinator = ServiceLoader.load(WorkerCoordinatorProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals(name))
                .findFirst()
                .orElseThrow()
                .open(new CoordinatorConfig("default", "snowflake", timeToLive, settings::get), () -> lossHint.run());
        coordinator.read(0, 0, Duration.ofSeconds(30));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable hint) {
        lossHint = hint;
        return coordinator;
    }
}
