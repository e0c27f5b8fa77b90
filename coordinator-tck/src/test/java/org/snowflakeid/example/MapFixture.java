// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.example;

import java.time.Duration;
import java.util.Map;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;
import org.snowflakeid.tck.CoordinatorFixture;
import org.snowflakeid.tck.ManualPlatform;

/** The server that a map stands for, on a clock that stands still until a test moves it. */
class MapFixture implements CoordinatorFixture {

    final ManualPlatform platform = new ManualPlatform().callersMoveTime();
    private final MapServer server = new MapServer(platform);

    @Override
    public WorkerCoordinatorProvider provider() {
        return new MapCoordinator(server);
    }

    @Override
    public Map<String, String> settings() {
        return Map.of();
    }

    @Override
    public ManualPlatform platform() {
        return platform;
    }

    @Override
    public void crash(WorkerCoordinator coordinator) {
        // The server never hears of it again.
    }

    @Override
    public void disconnect(String namespace) {
        server.setReachable(false);
    }

    @Override
    public void reconnect(String namespace) {
        server.setReachable(true);
    }

    @Override
    public void pass(Duration time) {
        platform.advance(time);
    }
}
