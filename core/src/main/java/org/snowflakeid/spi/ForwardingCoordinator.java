// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spi;

import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Forwards each call to another coordinator: a base for counting, delaying, refusing or changing some of the calls. A subclass overrides the
 * operations it cares about, or {@link #call} for all of them. What is not overridden keeps every promise of the other coordinator.
 *
 * <p>{@link #extendAll} is not forwarded but calls {@link #extend} for each, so that a subclass which overrides {@code extend} sees them all. One
 * that need not see each can pass the whole call to {@link #forwarded}, to keep it in one transaction.
 */
public abstract class ForwardingCoordinator implements WorkerCoordinator {
    private final WorkerCoordinator coordinator;

    /** @param coordinator the one that does the work; closed with this one */
    protected ForwardingCoordinator(WorkerCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    /** The one that does the work. */
    protected final WorkerCoordinator forwarded() {
        return coordinator;
    }

    /** Forwards one call. {@link #read} and all writes come through here; {@link #abandon} does not. */
    protected <T> T call(Supplier<T> operation) {
        return operation.get();
    }

    @Override
    public Snapshot read(int fromId, int toId, Duration timeout) {
        return call(() -> coordinator.read(fromId, toId, timeout));
    }

    @Override
    public CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
        return call(() -> coordinator.writeMeta(expected, next, timeout));
    }

    @Override
    public CasResult claim(
            int id, @Nullable Stored mark, String next, String owner, boolean evict, Stored meta, Duration timeout) {
        return call(() -> coordinator.claim(id, mark, next, owner, evict, meta, timeout));
    }

    @Override
    public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
        return call(() -> coordinator.extend(id, mark, next, owner, meta, timeout));
    }

    @Override
    public CasResult release(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
        return call(() -> coordinator.release(id, mark, next, owner, meta, timeout));
    }

    @Override
    public void abandon(int id, String owner, Duration timeout) {
        coordinator.abandon(id, owner, timeout);
    }

    @Override
    public @Nullable Object connection() {
        return coordinator.connection();
    }

    @Override
    public String location() {
        return coordinator.location();
    }

    @Override
    public void close() {
        coordinator.close();
    }
}
