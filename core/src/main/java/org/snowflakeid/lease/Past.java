// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.lease;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a generator that goes on after a checkpoint keeps of the time before.
 *
 * @param isBegun whether there was such a time
 * @param highestTick no id was issued of a later one; -1: none was issued
 * @param issued ids
 * @param swaps of leases
 * @param counters the same objects, which go on counting
 * @param known what the coordinator must still have; null: nothing, as at a start
 */
public record Past(
        boolean isBegun,
        long highestTick,
        long issued,
        long swaps,
        Counters counters,
        @Nullable Known known) {

    /**
     * What the coordinator cannot lack unless it lost data.
     *
     * @param namespace the id of its record
     * @param leastLimits for worker ids, what the limits of their marks can't be below: a tick above all that was issued
     */
    public record Known(String namespace, Map<Integer, Long> leastLimits) {}

    /** Of a newly opened generator. */
    public static Past none() {
        return new Past(false, -1, 0, 0, new Counters(), null);
    }

    /** Whether other copies may go on from the same image, with the same files on their disks. */
    public boolean isRestored() {
        return isBegun && known == null;
    }

    /** For a process that was restored, perhaps elsewhere or much later: like a start, it expects nothing to be there. */
    public Past restored() {
        return new Past(isBegun, highestTick, issued, swaps, counters, null);
    }
}
