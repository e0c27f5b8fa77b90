// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.time.Duration;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.ForwardingCoordinator;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * Broken on purpose: grants an extension though the mark is not what its holder believes, so that a process which was taken over
 * goes on. Shows that this chaos finds duplicates where there are some.
 */
final class BlindProvider implements WorkerCoordinatorProvider {
    private final WorkerCoordinatorProvider provider;

    BlindProvider(WorkerCoordinatorProvider provider) {
        this.provider = provider;
    }

    @Override
    public String name() {
        return provider.name();
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        return new Blind(provider.open(config, lossHint));
    }

    private static final class Blind extends ForwardingCoordinator {

        Blind(WorkerCoordinator coordinator) {
            super(coordinator);
        }

        @Override
        public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
            CasResult result = super.extend(id, mark, next, owner, meta, timeout);
            return result instanceof CasResult.Rejected
                    ? new CasResult.Applied(new Stored(next, mark.version()), true)
                    : result;
        }
    }
}
