// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Duration;
import java.time.Instant;
import org.snowflakeid.administration.NamespaceAdministration;
import org.snowflakeid.administration.NamespaceReport;
import org.snowflakeid.records.NamespaceState;

/** What the coordinator holds for a namespace, and the clocks at that moment. */
record SeenNamespace(NamespaceReport report, Clocks clocks) {

    /** The first call may have to connect first, and says little about the clocks then. */
    private static final Duration VAGUE = Duration.ofSeconds(2);

    static SeenNamespace at(NamespaceAdministration namespace) {
        SeenNamespace seen = once(namespace);
        boolean vague =
                seen.clocks.there().isPresent() && seen.clocks.resolution().compareTo(VAGUE) > 0;
        return vague ? once(namespace) : seen;
    }

    /** As {@link #at}, by one call however long it takes. */
    static SeenNamespace once(NamespaceAdministration namespace) {
        Instant asked = Instant.now();
        NamespaceReport report = namespace.report();
        return new SeenNamespace(report, Clocks.of(report, asked));
    }

    /** Whether anything is there: a record, or marks of a lost one. */
    boolean exists() {
        return report.state() != NamespaceState.ABSENT
                || report.workers().stream().anyMatch(SeenNamespace::hasMark);
    }

    private static boolean hasMark(NamespaceReport.Worker worker) {
        return worker.unreadable() || worker.reservedUntil().isPresent();
    }
}
