// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing;

import java.time.Duration;
import java.util.Map;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;
import org.snowflakeid.tck.CoordinatorFixture;
import org.snowflakeid.tck.ManualPlatform;
import org.snowflakeid.testing.MemoryStore.Fault;

/** A store in memory on a clock that stands still until a test moves it. */
class MemoryFixture implements CoordinatorFixture {

    final ManualPlatform platform = new ManualPlatform().callersMoveTime();
    final MemoryStore store = new MemoryStore(platform);
    private boolean arrives;

    @Override
    public WorkerCoordinatorProvider provider() {
        return store.provider();
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
        // The store never hears of it again.
    }

    /** Every other request is lost, and so are the answers to those that arrive; callers wait in vain. */
    @Override
    public void disconnect(String namespace) {
        store.latency(Duration.ofDays(1));
        store.faults(() -> {
            arrives = !arrives;
            return arrives ? Fault.REPLY_LOST : Fault.REQUEST_LOST;
        });
    }

    @Override
    public void reconnect(String namespace) {
        mend(store);
    }

    static void mend(MemoryStore store) {
        store.latency(Duration.ZERO);
        store.reconnect();
    }

    @Override
    public void pass(Duration time) {
        platform.advance(time);
    }
}
