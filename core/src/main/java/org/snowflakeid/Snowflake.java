// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.Objects;
import java.util.UUID;

/**
 * A generator of 64-bit ids that increase strictly within this process and are unique over all processes that share its
 * namespace. Safe for use by any number of threads, virtual ones included; one instance per namespace serves a whole
 * application.
 */
public interface Snowflake {

    /**
     * The next id: positive, and greater than every id that this generator returned before. (With {@code snowflake.workers} above 1 it is
     * greater than every id that this thread got before; ids of different threads may be out of order within a millisecond.)
     *
     * <p>A call takes nanoseconds. It blocks, for a bounded time, in three cases: the sequence of this millisecond is used up; the clock was set
     * ({@code snowflake.clock.*}); the reserved window has ended, or a checkpoint is under way ({@code snowflake.wait-timeout}).
     *
     * @throws ClockMovedBackwardsException if the clock stepped back by more than the policy waits for
     * @throws CoordinatorRegressedException if the coordinator lost data it had acknowledged: no id is safe any more
     * @throws SnowflakeUnavailableException if the window is used up and was not extended in time, the clock stands still or was not vetted in time,
     *     the wait was interrupted (the thread's flag stays set), or the generator is closed
     */
    long nextId();

    /**
     * {@code count} ids in ascending order, taken with few atomic steps. Ids of other callers may lie between them. The call takes as many
     * milliseconds as the layout needs: with the usual 12 sequence bits there are 4,096 ids in each; with 1 bit, 1,000 ids take half a second.
     *
     * @param count 1 to 1,000,000
     * @throws IllegalArgumentException if {@code count} is outside this range
     * @throws SnowflakeException as {@link #nextId()}; the ids taken until then are lost, never repeated
     */
    long[] nextIds(int count);

    /**
     * As {@link #nextIds(int)}, without a new array.
     *
     * @param into receives the ids; if this throws, its elements from {@code from} to {@code from + count} are undefined
     * @param from the index of the first id
     * @param count 1 to 1,000,000
     * @throws IllegalArgumentException if {@code count} is outside this range
     * @throws IndexOutOfBoundsException if they don't fit into the array; no id is taken then
     * @throws SnowflakeException as {@link #nextId()}; the ids taken until then are lost, never repeated
     */
    default void nextIds(long[] into, int from, int count) {
        int unused = Objects.checkFromIndexSize(from, count, into.length);
        System.arraycopy(nextIds(count), 0, into, from, count);
    }

    /**
     * A UUID of version 7 (RFC 9562) that contains the next id: {@code layout().uuid(nextId())}. It is greater than every UUID that this
     * generator returned before, compared as text or as unsigned bytes, as most databases do. (With {@code snowflake.workers} above 1 it is
     * greater than those that this thread got before.) {@link UUID#compareTo} compares signed numbers; among UUIDs of this version its order
     * is the same until the year 6429.
     *
     * <p>A call blocks as {@link #nextId()} does, and takes as long as {@link UUID#randomUUID()} in addition, for its random bits.
     *
     * @throws SnowflakeException as {@link #nextId()}
     * @see SnowflakeLayout#uuid
     */
    default UUID nextUuid() {
        return layout().uuid(nextId());
    }

    /** How the ids of this generator are composed. */
    SnowflakeLayout layout();

    /** A snapshot for people and health checks; never blocks. */
    SnowflakeStatus status();

    /** What it has done until now, for metrics; never blocks. All are zero where an implementation doesn't count. */
    default SnowflakeCounts counts() {
        return SnowflakeCounts.NONE;
    }
}
