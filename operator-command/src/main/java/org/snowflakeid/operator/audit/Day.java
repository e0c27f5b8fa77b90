// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import java.time.LocalDate;
import java.util.Map;
import java.util.TreeMap;

/** The ids of one day, in UTC. */
final class Day {

    /** What is seen of one worker id on one day. */
    static final class Worker {
        long rows;
        /** Ids in several rows. */
        int duplicates;
        /** Ticks with two runs of sequence numbers that are far from each other. */
        int farApart;
        /** How often one of two sequences went on where it had stopped, after the other. */
        int interleaved;
    }

    final LocalDate date;
    final Map<Integer, Worker> workers = new TreeMap<>();
    long rows;
    long smallest = Long.MAX_VALUE;
    long largest;

    Day(LocalDate date) {
        this.date = date;
    }
}
