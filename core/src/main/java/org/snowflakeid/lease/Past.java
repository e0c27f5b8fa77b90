// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.lease;

/**
 * What a generator that goes on after a checkpoint keeps of the time before.
 *
 * @param isBegun whether there was such a time
 * @param highestTick no id was issued of a later one; -1: none was issued
 * @param issued ids
 * @param swaps of leases
 * @param counters the same ones go on
 */
public record Past(boolean isBegun, long highestTick, long issued, long swaps, Counters counters) {

    /** Of a generator that is opened. */
    public static Past none() {
        return new Past(false, -1, 0, 0, new Counters());
    }
}
