// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a coordinator holds for one namespace.
 *
 * @param location where the coordinator keeps the records, such as {@code table public.snowflake_record}; empty if the settings say it all
 * @param id of the namespace record, drawn anew when it is replaced; empty if there is no readable record
 * @param floor no id is dated before it
 * @param maxWindow the longest window of any generator here
 * @param movedTo where the namespace goes on, as coordinator and namespace: {@code etcd:snowflake}
 * @param successor the id of the record there; empty also where an early version did not note it
 * @param replaces the id of the record that this one took the place of, or is reserved for
 * @param coordinatorTime the coordinator's clock, right to about a second; empty if the coordinator reports none
 * @param clock this machine's
 * @param workers those that were ever claimed, in ascending order
 */
public record NamespaceReport(
        String coordinator,
        String location,
        String namespace,
        State state,
        Optional<String> id,
        Optional<SnowflakeLayout> layout,
        Optional<Instant> floor,
        Optional<Duration> maxWindow,
        Optional<String> movedTo,
        Optional<String> successor,
        Optional<String> replaces,
        Optional<Instant> coordinatorTime,
        Instant clock,
        List<Worker> workers) {

    public NamespaceReport {
        workers = List.copyOf(workers);
    }

    /** What the namespace record says. In every state but {@link #ACTIVE} nothing is claimed and nothing is extended. */
    public enum State {
        /** There is none: nobody ever claimed a worker id, or it was lost. */
        ABSENT,
        /** Worker ids are claimed and extended. */
        ACTIVE,
        /** It is kept for a namespace that is to move here: {@link NamespaceReport#replaces}. */
        RESERVED,
        /** It is to be replaced in its place, by {@link NamespaceRestore}. */
        RESTORING,
        /** It is to go on elsewhere, by {@link NamespaceMove}; whether the successor is in use already is not known here. */
        MOVING,
        /** Its successor is in use: {@link NamespaceReport#successor}. */
        MOVED,
        /** Not written by this library, or by a newer version of it, or edited to something absurd. */
        UNREADABLE
    }

    /**
     * One worker id.
     *
     * @param reservedUntil up to where timestamps were granted, to anybody; exclusive; empty if nothing is known of it
     * @param unreadable whether there is a mark that makes no sense
     * @param heldBy host and time of the process that holds it; empty if nobody does
     */
    public record Worker(int workerId, Optional<Instant> reservedUntil, boolean unreadable, Optional<String> heldBy) {}
}
