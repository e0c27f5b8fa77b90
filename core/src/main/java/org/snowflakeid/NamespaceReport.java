// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What stands in the coordinator for one namespace.
 *
 * @param id of the namespace record, drawn anew when it is replaced; empty if there is no readable record
 * @param floor no id is dated before it
 * @param maxWindow the longest window of any generator here
 * @param movedTo where a retired namespace goes on
 * @param coordinatorTime the coordinator's clock; empty if it does not tell
 * @param clock this machine's
 * @param workers those that were ever claimed, in ascending order
 */
public record NamespaceReport(
        String coordinator,
        String namespace,
        State state,
        Optional<String> id,
        Optional<SnowflakeLayout> layout,
        Optional<Instant> floor,
        Optional<Duration> maxWindow,
        Optional<String> movedTo,
        Optional<Instant> coordinatorTime,
        Instant clock,
        List<Worker> workers) {

    public NamespaceReport {
        workers = List.copyOf(workers);
    }

    /** What the namespace record says. */
    public enum State {
        /** There is none: nobody ever claimed a worker id, or it was lost. */
        ABSENT,
        /** Worker ids are claimed and extended. */
        ACTIVE,
        /** Nothing is claimed or extended any more. */
        RETIRED,
        /** Not written by this library, or by a newer version of it. */
        UNREADABLE
    }

    /**
     * One worker id.
     *
     * @param reservedUntil up to where timestamps were granted, to anybody; empty if nothing is known of it
     * @param unreadable whether there is a mark that makes no sense
     * @param heldBy host and time of the process that holds it; empty if nobody does
     */
    public record Worker(int workerId, Optional<Instant> reservedUntil, boolean unreadable, Optional<String> heldBy) {}
}
