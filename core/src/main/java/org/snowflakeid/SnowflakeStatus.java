// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a generator is doing, for people and health checks.
 *
 * @param generator its name, {@code default} unless it was given one
 * @param workerIds the worker ids that ids carry now, one unless {@code snowflake.workers} says otherwise; empty while there is none: before the
 *     first claim, between checkpoint and restore, after a loss of data, after close
 * @param reservedUntil timestamps below this instant are reserved for this process, whatever happens to the coordinator; empty if {@code workerIds}
 *     is
 * @param drift how far ids run ahead of the clock in use, in whole milliseconds: what a burst has borrowed. It is zero
 *     without {@code snowflake.burst} and {@code snowflake.startup-ahead} unless the clock is set back
 * @param ready whether traffic should be sent here: active, with more than a third of the window left, or with
 *     {@code snowflake.health.ready-until=window-end} as long as it is active
 * @param lastError what is wrong now, such as why the last claim or extension failed; empty if nothing is
 * @param clockWarning set while the system clock is not believed, or has stepped and was not vetted yet
 */
public record SnowflakeStatus(
        String generator,
        State state,
        List<Integer> workerIds,
        String namespace,
        String coordinator,
        Optional<Instant> reservedUntil,
        Duration drift,
        boolean ready,
        Optional<String> lastError,
        Optional<String> clockWarning) {

    public SnowflakeStatus {
        workerIds = List.copyOf(workerIds);
    }

    /** The first of {@link #workerIds}. */
    public OptionalInt workerId() {
        return workerIds.stream().mapToInt(Integer::intValue).findFirst();
    }

    /** A change of the worker id is not a state, since ids go on meanwhile. */
    public enum State {
        /** Claiming the first worker id. */
        STARTING,
        /** Ids are issued. */
        ACTIVE,
        /**
         * No ids now: the window is used up, the clock is behind by more than calls wait for, stands still, or stepped and was not vetted in time,
         * the generator was sealed for a checkpoint, or the coordinator lost data.
         */
        SUSPENDED,
        /** Closed: there will be no more ids. The worker ids are given back as far as the coordinator answers. */
        CLOSED
    }
}
