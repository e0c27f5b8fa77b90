// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.snowflakeid.administration.NamespaceReport;
import org.snowflakeid.administration.NamespaceReport.Worker;

/**
 * All worker ids of a namespace as a page draws them, and in which reading each of them last changed, so that a page is sent changes only. Not
 * safe for use by several threads.
 */
final class WorkerMap {

    static final int FREE = 0;
    static final int HELD = 1;

    /** No process holds it, but timestamps ahead of the clock are granted already. */
    static final int RESERVED = 2;

    /** No process with a right clock reserves so far ahead. */
    static final int FAR_AHEAD = 4;

    static final int UNREADABLE = 8;

    private static final Duration FAR = Duration.ofHours(1);

    private static final int NO_HOST = -1;

    private final byte[] states;
    private final int[] hosts;
    private final int[] changed;
    private final List<String> hostNames = new ArrayList<>();
    private final Map<String, Integer> hostNumbers = new HashMap<>();
    private int version;
    private int numberedAnew;

    WorkerMap(int size) {
        states = new byte[size];
        hosts = new int[size];
        changed = new int[size];
        Arrays.fill(hosts, NO_HOST);
    }

    static int state(Worker worker, Instant now) {
        int state = worker.heldBy().isPresent() ? HELD : FREE;
        if (worker.unreadable()) {
            return state | UNREADABLE;
        }
        Instant until = worker.reservedUntil().orElse(Instant.MIN);
        if (until.isAfter(now.plus(FAR))) {
            return state | FAR_AHEAD;
        }
        return state == FREE && until.isAfter(now) ? RESERVED : state;
    }

    void observe(NamespaceReport report, Instant now) {
        version++;
        Set<String> inUse = new HashSet<>();
        int next = 0;
        for (Worker worker : report.workers()) {
            for (; next < worker.workerId(); next++) {
                set(next, FREE, NO_HOST);
            }
            int host = worker.heldBy()
                    .map(by -> {
                        String name = Holder.of(by).host();
                        inUse.add(name);
                        return number(name);
                    })
                    .orElse(NO_HOST);
            set(worker.workerId(), state(worker, now), host);
            next++;
        }
        for (; next < states.length; next++) {
            set(next, FREE, NO_HOST);
        }
        // Names of hosts that come and go must not fill the memory.
        if (hostNames.size() > 2 * inUse.size() + 1_000) {
            numberAnew();
        }
    }

    private void set(int id, int state, int host) {
        if (states[id] != state || hosts[id] != host) {
            states[id] = (byte) state;
            hosts[id] = host;
            changed[id] = version;
        }
    }

    private int number(String host) {
        return hostNumbers.computeIfAbsent(host, name -> {
            hostNames.add(name);
            return hostNames.size() - 1;
        });
    }

    private void numberAnew() {
        List<String> old = List.copyOf(hostNames);
        hostNames.clear();
        hostNumbers.clear();
        for (int id = 0; id < hosts.length; id++) {
            hosts[id] = hosts[id] == NO_HOST ? NO_HOST : number(old.get(hosts[id]));
        }
        numberedAnew = version;
    }

    int version() {
        return version;
    }

    int size() {
        return states.length;
    }

    /** Whether a page can go on from that version. */
    boolean continues(int since) {
        return since >= Math.max(1, numberedAnew) && since <= version;
    }

    /** Worker id, state and number of the host, or -1, of each that changed after that version; 0: of each that is not free. */
    List<int[]> changedAfter(int since) {
        List<int[]> found = new ArrayList<>();
        for (int id = 0; id < states.length; id++) {
            if (since == 0 ? states[id] != FREE : changed[id] > since) {
                found.add(new int[] {id, states[id], hosts[id]});
            }
        }
        return found;
    }

    /** The names of hosts from that number on. */
    List<String> hostsFrom(int number) {
        return List.copyOf(hostNames.subList(Math.min(number, hostNames.size()), hostNames.size()));
    }

    int hostCount() {
        return hostNames.size();
    }
}
