// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spi;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one {@link WorkerCoordinator#read read} showed of a namespace.
 *
 * @param meta null if the namespace does not exist
 * @param slots one entry for each worker id asked for, in ascending order, with or without a mark
 * @param serverTime the coordinator's own clock, to about a second, read during this call and never before it began: an earlier answer
 *     would hide that time has passed; null if the coordinator reports no time
 */
public record Snapshot(
        @Nullable Stored meta, List<Slot> slots, @Nullable Instant serverTime) {
    public Snapshot {
        slots = List.copyOf(slots);
    }
}
