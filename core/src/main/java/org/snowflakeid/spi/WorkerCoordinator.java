// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Keeps, per worker id, a persistent <em>mark</em> and an <em>owner</em> entry with a time to live, and one <em>meta</em>
 * record per namespace. It decides nothing: slot choice, deadlines, retries, read-back, renewal and the meaning of the values
 * belong to core.
 *
 * <p>Promises core relies on:
 *
 * <ul>
 *   <li>Each write is one atomic compare-and-set; it compares the whole value (or a version that changes with every write and
 *       never repeats), and an {@link CasResult.Applied applied} one survives a crash of client and server.
 *   <li>Values are opaque: stored and returned exactly.
 *   <li>A write is sent at most once per call. No retry behind core's back.
 *   <li>Every call ends within about its timeout. An interrupted one ends soon, as {@link CasResult.Unknown}, and keeps the
 *       thread's interrupt flag.
 *   <li>Marks are never deleted and never expire.
 *   <li>An owner entry vanishes by itself when its time to live ({@link CoordinatorConfig#timeToLive()}) has passed since the
 *       last applied claim or extension; nothing else renews it.
 * </ul>
 *
 * <p>Calls come from one thread at a time. A failure that certainly changed nothing is thrown as {@link
 * org.snowflakeid.CoordinatorException}, permanent if waiting cannot cure it; every other failure of a write is {@link
 * CasResult.Unknown}.
 */
public interface WorkerCoordinator extends AutoCloseable {

    /**
     * Reads meta and the slots {@code fromId} to {@code toId}, both inclusive, at one moment. Linearizable where the coordinator
     * can.
     *
     * @throws org.snowflakeid.CoordinatorException if it could not be read
     */
    Snapshot read(int fromId, int toId, Duration timeout);

    /** Creates the namespace record ({@code expected} null: must be absent) or replaces exactly {@code expected}. */
    CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout);

    /**
     * Takes a worker id: if its mark is exactly {@code mark} (null: absent), meta is exactly {@code meta} and no owner is
     * present, writes {@code next} as the mark and {@code owner} as the owner entry with a fresh time to live, all or nothing.
     *
     * @param evict also succeed if an owner is present, replacing it: its mark ended long ago. Where an owner entry cannot be
     *     replaced, apply the mark and answer with {@code ownerHeld} false
     */
    CasResult claim(
            int id, @Nullable Stored mark, String next, String owner, boolean evict, Stored meta, Duration timeout);

    /**
     * Moves the mark of a claimed worker id: if its mark is exactly {@code mark} and meta is exactly {@code meta}, writes
     * {@code next}; then renews the owner's time to live if the owner entry is still this process's. Never creates an owner.
     */
    CasResult extend(int id, Stored mark, String next, Stored meta, Duration timeout);

    /**
     * Gives a worker id back: if its mark is exactly {@code mark} and meta is exactly {@code meta}, writes {@code next} and
     * deletes the owner entry if it is this process's.
     */
    CasResult release(int id, Stored mark, String next, Stored meta, Duration timeout);

    /**
     * Lets go of a worker id without touching its mark: removes this process's owner entry, and as far as possible keeps a claim
     * of unknown outcome from being applied later. Best effort: what it misses, the time to live clears. Never throws.
     */
    void abandon(int id, Duration timeout);

    /** Ends connections and threads. Does not release anything; never throws. */
    @Override
    void close();
}
