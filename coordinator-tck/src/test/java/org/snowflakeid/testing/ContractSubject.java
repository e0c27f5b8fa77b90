// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing;

import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;
import org.snowflakeid.tck.WorkerCoordinatorContract;

/** The contract applied to any coordinator; its name keeps it from being run by itself. */
class ContractSubject extends WorkerCoordinatorContract {

    interface Factory {
        WorkerCoordinator open(MemoryStore store, CoordinatorConfig config);
    }

    static volatile Factory factory = MemoryCoordinator::new;

    ContractSubject() {
        super(new Fixture());
    }

    private static class Fixture extends MemoryFixture {
        @Override
        public WorkerCoordinatorProvider provider() {
            return new WorkerCoordinatorProvider() {
                @Override
                public String name() {
                    return "memory";
                }

                @Override
                public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
                    return factory.open(store, config);
                }
            };
        }
    }
}
