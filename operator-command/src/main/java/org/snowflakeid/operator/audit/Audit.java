// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** What is found in the ids of a table, which come in the order of the column. Memory is bounded, however many there are. */
public final class Audit {

    /** 65 MB. */
    private static final int MOST_DAYS_OF_WORKERS = 500_000;

    private final IdLayout layout;
    private final Duplicates duplicates;
    private final NegativeIds negative = new NegativeIds();
    private final IdsAhead ahead;
    private final SequenceSkew skew = new SequenceSkew();
    private final ColumnSize size;
    private final Days days;
    private final SharedWorkerIds shared;
    private long rows;
    private long smallest = Long.MAX_VALUE;
    private long largest = Long.MIN_VALUE;

    public Audit(AuditedColumn column, IdLayout layout, InstantSource clock) {
        this(column, layout, clock, MOST_DAYS_OF_WORKERS);
    }

    Audit(AuditedColumn column, IdLayout layout, InstantSource clock, int mostDaysOfWorkers) {
        this.layout = layout;
        duplicates = new Duplicates(column);
        ahead = new IdsAhead(clock);
        size = new ColumnSize(column);
        days = new Days(mostDaysOfWorkers);
        shared = new SharedWorkerIds(layout);
    }

    /** @param rowsOfIt in how many rows it is */
    public void see(long id, long rowsOfIt) {
        rows += rowsOfIt;
        smallest = Math.min(smallest, id);
        largest = Math.max(largest, id);
        duplicates.see(id, rowsOfIt);
        negative.see(id, rowsOfIt);
        skew.see(id, rowsOfIt);
        size.see(id, rowsOfIt);
        if (id >= 0) {
            SeenId seen = SeenId.of(id, rowsOfIt, layout);
            ahead.see(seen);
            shared.see(seen, days.see(seen));
        }
    }

    public long rows() {
        return rows;
    }

    /** Only if there are rows. */
    public long smallest() {
        return smallest;
    }

    /** Only if there are rows. */
    public long largest() {
        return largest;
    }

    Days days() {
        return days;
    }

    SequenceSkew skew() {
        return skew;
    }

    /** Of all checks, whatever they say. Without rows only that of the column says something. */
    public List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        if (rows > 0) {
            findings.add(duplicates.finding());
            findings.add(shared.finding(days));
            findings.add(ahead.finding());
            findings.add(negative.finding());
            findings.add(TimeJumps.finding(days));
            findings.add(skew.finding());
        }
        findings.add(size.column());
        if (rows > 0) {
            findings.add(size.javaScript());
        }
        return findings;
    }
}
