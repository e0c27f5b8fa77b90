// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.ForwardingCoordinator;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** The coordinator of one generator, which can lose its connection alone, or crash. */
final class SeverableProvider implements WorkerCoordinatorProvider {

    private final WorkerCoordinatorProvider provider;
    private @Nullable WorkerCoordinator coordinator;
    private boolean severed;

    SeverableProvider(WorkerCoordinatorProvider provider) {
        this.provider = provider;
    }

    @Override
    public String name() {
        return provider.name();
    }

    @Override
    public synchronized WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        WorkerCoordinator opened = provider.open(config, lossHint);
        coordinator = opened;
        return new Severable(opened);
    }

    /** From now on no call gets through. One that is under way ends before. */
    synchronized void sever() {
        severed = true;
    }

    synchronized void rejoin() {
        severed = false;
    }

    /** Severed for ever, and the server learns what it learns of a process that is killed. */
    synchronized void crash(CoordinatorFixture fixture) throws Exception {
        severed = true;
        WorkerCoordinator crashing = coordinator;
        coordinator = null;
        if (crashing != null) {
            fixture.crash(crashing);
        }
    }

    private synchronized <T> T connected(Supplier<T> call) {
        if (severed || coordinator == null) {
            throw new CoordinatorException("severed by the test", false);
        }
        return call.get();
    }

    private final class Severable extends ForwardingCoordinator {

        Severable(WorkerCoordinator coordinator) {
            super(coordinator);
        }

        @Override
        protected <T> T call(Supplier<T> operation) {
            return connected(operation);
        }

        @Override
        public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
            return call(() -> forwarded().extendAll(extensions, meta, timeout));
        }

        @Override
        public void abandon(int id, String owner, Duration timeout) {
            synchronized (SeverableProvider.this) {
                if (!severed && coordinator != null) {
                    super.abandon(id, owner, timeout);
                }
            }
        }

        @Override
        public void close() {
            synchronized (SeverableProvider.this) {
                if (coordinator != null) {
                    super.close();
                }
            }
        }
    }
}
