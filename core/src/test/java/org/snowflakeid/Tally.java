// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.EnumMap;
import java.util.Map;
import org.snowflakeid.Simulation.Fault;

/** What happened in many runs, for a report: a simulation in which nothing happens proves nothing. */
final class Tally {

    final Map<Fault, Long> faults = new EnumMap<>(Fault.class);
    final Map<Disaster.Kind, Long> disasters = new EnumMap<>(Disaster.Kind.class);
    long runs;
    long ids;
    long refused;
    long notOpened;
    long claims;
    long takeovers;
    long extensions;
    long releases;
    long writes;
    long mishaps;
    long regressions;
    long restored;
    long longestRecoveryNanos;

    void add(FakeStore store) {
        writes += store.writes;
        mishaps += store.mishaps;
    }

    @Override
    public String toString() {
        return String.format(
                "%,d runs, %,d ids, %,d writes: %,d claims (%,d of a worker id that was not given back), %,d extensions,"
                        + " %,d releases; %,d mishaps, %,d ids refused, %,d starts refused, %,d losses noticed, ids again"
                        + " at most %.1f s after the faults; faults: %s; disasters: %s, %,d of them restored",
                runs,
                ids,
                writes,
                claims,
                takeovers,
                extensions,
                releases,
                mishaps,
                refused,
                notOpened,
                regressions,
                longestRecoveryNanos / 1e9,
                faults,
                disasters,
                restored);
    }
}
