// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing;

import java.time.Duration;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.ForwardingCoordinator;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;
import org.snowflakeid.tck.WorkerCoordinatorContract;

/** What overrides nothing keeps the promises of what it hands calls on to. */
class ForwardingCoordinatorTest extends WorkerCoordinatorContract {

    ForwardingCoordinatorTest() {
        super(new MemoryFixture() {
            @Override
            public WorkerCoordinatorProvider provider() {
                WorkerCoordinatorProvider memory = super.provider();
                return new WorkerCoordinatorProvider() {
                    @Override
                    public String name() {
                        return memory.name();
                    }

                    @Override
                    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
                        return new ForwardingCoordinator(memory.open(config, lossHint)) {};
                    }
                };
            }

            @Override
            public void disconnect(String namespace) {
                super.disconnect(namespace);
                // Extensions made one by one share a timeout by the clock of this machine, which is not the store's.
                store.latency(Duration.ZERO);
            }
        });
    }
}
