// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spi;

import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Hands each call on to another coordinator: the base of one that counts, delays, refuses or changes a part of what another does.
 * It overrides the operations it cares about, or {@link #call} if it cares about all of them. Without an override it keeps every
 * promise that the other coordinator keeps.
 *
 * <p>{@link #extendAll} is not handed on but makes an {@link #extend} of each: or one that overrides {@code extend} would not see most of
 * them. One that has no need to see each of them hands it to {@link #forwarded} as a whole, and has them in one transaction.
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

    /** Makes one call of those that answer or throw, which are all but {@link #abandon} and {@link #close}. */
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
