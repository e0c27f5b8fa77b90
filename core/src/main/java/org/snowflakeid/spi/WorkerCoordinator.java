// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spi;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;

/**
 * Keeps, per worker id, a persistent <em>mark</em> and an <em>owner</em> entry with a time to live, and one <em>meta</em> record per namespace. It
 * decides nothing: the choice of slots, deadlines, retries, read-back, extension and the meaning of the values belong to core.
 *
 * <p>Promises core relies on:
 *
 * <ul>
 *   <li>Each write is one atomic compare-and-set; it compares the whole value (or a version that changes with every write and
 *       never repeats), and an {@link CasResult.Applied applied} one survives a crash of client and server.
 *   <li>Values are opaque: stored and returned exactly, up to 4,000 characters at least.
 *   <li>A write is sent at most once per call. No hidden retries.
 *   <li>Every call ends within about its timeout. An interrupted one ends soon, as {@link CasResult.Unknown}, and keeps the
 *       thread's interrupt flag.
 *   <li>Marks are never deleted and never expire.
 *   <li>An owner entry vanishes by itself when its time to live ({@link CoordinatorConfig#timeToLive()}) has passed since the
 *       last applied claim or extension; nothing else renews it.
 * </ul>
 *
 * <p>Calls come from one thread at a time, which may be another one later. A failure that certainly changed nothing is thrown as {@link
 * org.snowflakeid.CoordinatorException}, permanent if waiting does not help; every other failure of a write is {@link
 * CasResult.Unknown}.
 */
public interface WorkerCoordinator extends AutoCloseable {

    /**
     * Reads meta and the slots {@code fromId} to {@code toId}, both inclusive. Linearizable, and at one moment, where the coordinator can; else each
     * entry is as it was at some moment of this call. Changes nothing, and creates no namespace.
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
     * @param evict also succeed if an owner is present, replacing it: its mark ended long ago, or this process has taken over from it. Where an owner
     *     entry cannot be replaced, apply the mark and answer with {@code ownerHeld} false
     */
    CasResult claim(
            int id, @Nullable Stored mark, String next, String owner, boolean evict, Stored meta, Duration timeout);

    /**
     * Moves the mark of a claimed worker id: if its mark is exactly {@code mark} and meta is exactly {@code meta}, writes
     * {@code next}; then renews the owner's time to live if the owner entry is still this process's. Never creates an owner.
     *
     * @param owner what this process wrote as the owner when it claimed the worker id: no other process ever writes the same, nor this one
     *     for another worker id
     */
    CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout);

    /**
     * One of several marks to be moved at once.
     *
     * @param mark must be exactly what is stored
     * @param next is written then
     * @param owner as in {@link #extend}
     */
    record Extension(int id, Stored mark, String next, String owner) {}

    /**
     * Moves the marks of several claimed worker ids, each as {@link #extend} does, and renews the owners of those that were moved. In one transaction
     * where the coordinator can: then all marks are moved, or none. Otherwise, or if there are too many for one, some may be moved and others not.
     * Each mark is sent at most once; rejected ones are left to the caller.
     *
     * <p>The whole call ends within about the timeout. A mark that was not sent by then, or because of an earlier failure, is answered as {@link
     * CasResult.Unknown}.
     *
     * <p>By default each is extended by itself, one after the other.
     *
     * @param extensions of different worker ids; if empty, nothing is called
     * @return one answer for each, in the same order. {@link CasResult.Rejected} shows what was seen of that worker id, even if that was as expected
     *     and another made the transaction fail
     * @throws CoordinatorException if it is certain that none of them was moved, nor will be
     */
    default List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
        long end = System.nanoTime() + timeout.toNanos();
        List<CasResult> results = new ArrayList<>();
        for (Extension each : extensions) {
            Duration left = Duration.ofNanos(end - System.nanoTime());
            if (left.isNegative() || left.isZero()) {
                results.add(new CasResult.Unknown(
                        new CoordinatorException("no time was left for worker id " + each.id(), false)));
                continue;
            }
            try {
                results.add(extend(each.id(), each.mark(), each.next(), each.owner(), meta, left));
            } catch (CoordinatorException nothingChanged) {
                results.add(new CasResult.Unknown(nothingChanged));
            }
        }
        return results;
    }

    /**
     * Gives a worker id back: if its mark is exactly {@code mark} and meta is exactly {@code meta}, writes {@code next} and
     * deletes the owner entry if it is this process's.
     *
     * @param owner as in {@link #extend}
     */
    CasResult release(int id, Stored mark, String next, String owner, Stored meta, Duration timeout);

    /**
     * Lets go of a worker id without touching its mark: removes this process's owner entry, and as far as possible keeps a claim
     * of unknown outcome from being applied later. Best effort: what it misses, the time to live clears. Never throws.
     *
     * @param owner as in {@link #extend}, or as in a claim of unknown outcome
     */
    void abandon(int id, String owner, Duration timeout);

    /**
     * Identifies the connection that this coordinator shares with others of this process: equal for those that reach the same servers in the same
     * way, and only for those. Each is called by the thread of its own generator, so those that share one may be called at the same time, and a call
     * without an answer must not hold up another coordinator. The object must not change; it is asked for while this coordinator is open.
     *
     * @return null: it shares none
     */
    default @Nullable Object connection() {
        return null;
    }

    /**
     * Where the records are, for people, in addition to the coordinator's name: {@code table public.snowflake_record}. Asked for only after something
     * was read.
     *
     * @return empty: the settings say enough
     */
    default String location() {
        return "";
    }

    /** Ends connections and threads, as far as no other coordinator uses them. Does not release anything; never throws. */
    @Override
    void close();
}
