// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Snapshot;
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

    private record Blind(WorkerCoordinator coordinator) implements WorkerCoordinator {

        @Override
        public Snapshot read(int fromId, int toId, Duration timeout) {
            return coordinator.read(fromId, toId, timeout);
        }

        @Override
        public CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
            return coordinator.writeMeta(expected, next, timeout);
        }

        @Override
        public CasResult claim(
                int id,
                @Nullable Stored mark,
                String next,
                String owner,
                boolean evict,
                Stored meta,
                Duration timeout) {
            return coordinator.claim(id, mark, next, owner, evict, meta, timeout);
        }

        @Override
        public CasResult extend(int id, Stored mark, String next, Stored meta, Duration timeout) {
            CasResult result = coordinator.extend(id, mark, next, meta, timeout);
            return result instanceof CasResult.Rejected
                    ? new CasResult.Applied(new Stored(next, mark.version()), true)
                    : result;
        }

        @Override
        public CasResult release(int id, Stored mark, String next, Stored meta, Duration timeout) {
            return coordinator.release(id, mark, next, meta, timeout);
        }

        @Override
        public void abandon(int id, Duration timeout) {
            coordinator.abandon(id, timeout);
        }

        @Override
        public void close() {
            coordinator.close();
        }
    }
}
