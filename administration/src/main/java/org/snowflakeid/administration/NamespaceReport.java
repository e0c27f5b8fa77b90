// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.administration;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.records.NamespaceState;

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
        NamespaceState state,
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

    /**
     * One worker id.
     *
     * @param reservedUntil up to where timestamps were granted, to any process; exclusive; empty if nothing is known of it
     * @param unreadable whether there is a mark that makes no sense
     * @param heldBy host and time of the process that holds it; empty if none does
     */
    public record Worker(int workerId, Optional<Instant> reservedUntil, boolean unreadable, Optional<String> heldBy) {}
}
