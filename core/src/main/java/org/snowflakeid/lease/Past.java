// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.lease;

import org.jspecify.annotations.Nullable;

/**
 * What a generator that goes on after a checkpoint keeps of the time before.
 *
 * @param isBegun whether there was such a time
 * @param highestTick no id was issued of a later one; -1: none was issued
 * @param issued ids
 * @param swaps of leases
 * @param counters the same ones go on
 * @param namespace the id of its record, which has to be the same still; null: any will do, as at a start
 */
public record Past(
        boolean isBegun,
        long highestTick,
        long issued,
        long swaps,
        Counters counters,
        @Nullable String namespace) {

    /** Of a generator that is opened. */
    public static Past none() {
        return new Past(false, -1, 0, 0, new Counters(), null);
    }

    /** Of a process that goes on elsewhere, perhaps, or later: as one that is started there. */
    public Past restored() {
        return new Past(isBegun, highestTick, issued, swaps, counters, null);
    }
}
