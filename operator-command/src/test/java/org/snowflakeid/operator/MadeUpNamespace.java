// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.administration.NamespaceReport;
import org.snowflakeid.administration.NamespaceReport.Worker;
import org.snowflakeid.records.NamespaceState;

/** A namespace that says whatever a test wants, at a time of its own. Readers on other threads may ask it meanwhile. */
final class MadeUpNamespace {

    static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

    private final SnowflakeLayout layout;
    private final Map<Integer, Worker> workers = new TreeMap<>();
    private Instant now = NOON;

    MadeUpNamespace(int workerIdBits) {
        layout = new SnowflakeLayout(SnowflakeLayout.STANDARD.epoch(), workerIdBits, 22 - workerIdBits);
    }

    SnowflakeLayout layout() {
        return layout;
    }

    synchronized Instant now() {
        return now;
    }

    synchronized void now(Instant time) {
        now = time;
    }

    /** No reader sees a part of it. */
    synchronized void atOnce(Runnable changes) {
        changes.run();
    }

    synchronized void pass(Duration time) {
        now = now.plus(time);
    }

    void hold(int workerId, String host, Instant since, Instant reservedUntil) {
        put(workerId, reservedUntil, "host " + host + " since " + since);
    }

    /** No host holds it. */
    void leave(int workerId, Instant reservedUntil) {
        put(workerId, reservedUntil, null);
    }

    synchronized void unreadable(int workerId, @Nullable String heldBy) {
        workers.put(workerId, new Worker(workerId, Optional.empty(), true, Optional.ofNullable(heldBy)));
    }

    private synchronized void put(int workerId, Instant reservedUntil, @Nullable String heldBy) {
        workers.put(workerId, new Worker(workerId, Optional.of(reservedUntil), false, Optional.ofNullable(heldBy)));
    }

    synchronized void forget(int workerId) {
        workers.remove(workerId);
    }

    static List<String> summary(SeenNamespace seen) {
        NamespaceReport report = seen.report();
        return List.of("namespace    " + report.namespace() + " at " + report.coordinator());
    }

    SeenNamespace seen() {
        NamespaceReport report = report();
        return new SeenNamespace(report, Clocks.of(report, report.clock()));
    }

    synchronized NamespaceReport report() {
        List<Worker> all = new ArrayList<>(workers.values());
        return new NamespaceReport(
                "etcd",
                "",
                "shop/orders",
                NamespaceState.ACTIVE,
                Optional.of("9cb4e1d07a3f4c55"),
                Optional.of(layout),
                Optional.of(Instant.parse("2026-03-02T08:15:00Z")),
                Optional.of(Duration.ofMinutes(1)),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(now),
                now,
                all);
    }
}
