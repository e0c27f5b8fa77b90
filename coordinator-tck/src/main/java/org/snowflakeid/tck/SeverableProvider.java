// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** The coordinator of one generator, which can lose its connection alone, or crash. */
final class SeverableProvider implements WorkerCoordinatorProvider, WorkerCoordinator {

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
        coordinator = provider.open(config, lossHint);
        return this;
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

    private WorkerCoordinator connected() {
        if (severed || coordinator == null) {
            throw new CoordinatorException("severed by the test", false);
        }
        return coordinator;
    }

    private synchronized <T> T call(Supplier<T> call) {
        return call.get();
    }

    @Override
    public Snapshot read(int fromId, int toId, Duration timeout) {
        return call(() -> connected().read(fromId, toId, timeout));
    }

    @Override
    public CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
        return call(() -> connected().writeMeta(expected, next, timeout));
    }

    @Override
    public CasResult claim(
            int id, @Nullable Stored mark, String next, String owner, boolean evict, Stored meta, Duration timeout) {
        return call(() -> connected().claim(id, mark, next, owner, evict, meta, timeout));
    }

    @Override
    public CasResult extend(int id, Stored mark, String next, Stored meta, Duration timeout) {
        return call(() -> connected().extend(id, mark, next, meta, timeout));
    }

    @Override
    public CasResult release(int id, Stored mark, String next, Stored meta, Duration timeout) {
        return call(() -> connected().release(id, mark, next, meta, timeout));
    }

    @Override
    public synchronized void abandon(int id, Duration timeout) {
        if (!severed && coordinator != null) {
            coordinator.abandon(id, timeout);
        }
    }

    @Override
    public synchronized void close() {
        if (coordinator != null) {
            coordinator.close();
        }
    }
}
