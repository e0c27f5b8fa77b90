// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.snowflakeid.chaos.Recording;

/**
 * Reads what all processes of one generator recorded, and looks for ids that were issued twice, ids that are lower than the one before in the same process,
 * times without ids, and worker ids that two processes used at the same time. Of what is in an id it knows nothing but where the worker id is, since each
 * generator has a layout of its own.
 */
final class Oracle {
    private static final int MOST_DETAILS = 20;

    private final Subject.WorkerIds workerIds;
    private final List<Use> uses = new ArrayList<>();
    private final Map<Chapter, Findings.Figures> chapters = new EnumMap<>(Chapter.class);
    private final List<Run> runs = new ArrayList<>();
    private final List<String> details = new ArrayList<>();

    /** Consecutive ids that a process got. */
    private record Run(Life life, long first, long last, long returnedNanos) {}

    /** From the first to the last time that a process got an id with some worker id. */
    private record Use(Life life, long workerId, long fromNanos, long toNanos) {
        Use plus(Use later) {
            return new Use(life, workerId, fromNanos, later.toNanos());
        }

        long sharedNanos(Use other) {
            return workerId != other.workerId()
                    ? 0
                    : Math.min(toNanos, other.toNanos()) - Math.max(fromNanos, other.fromNanos());
        }
    }

    private Oracle(Subject.WorkerIds workerIds) {
        this.workerIds = workerIds;
    }

    static Findings examine(List<Life> lives, Subject.WorkerIds workerIds) {
        Oracle oracle = new Oracle(workerIds);
        lives.forEach(oracle::read);
        oracle.findDuplicates();
        oracle.findSharedWorkerIds();
        return new Findings(oracle.chapters, List.copyOf(oracle.details));
    }

    private Findings.Figures figures(Life life) {
        return chapters.computeIfAbsent(life.chapter(), chapter -> new Findings.Figures());
    }

    private void read(Life life) {
        Findings.Figures figures = figures(life);
        if (!Files.exists(life.recording())) {
            // Killed before it could ask for a generator.
            figures.startsWithoutIds++;
            return;
        }
        Recording recording = new Recording(life.recording());
        Map<Long, Use> used = new TreeMap<>();
        long previous = Long.MIN_VALUE;
        boolean begun = false;
        long since = 0;
        while (recording.next()) {
            long awake = life.awakeNanos(begun ? since : recording.openedNanos(), recording.returned());
            if (begun) {
                figures.longestGapNanos = Math.max(figures.longestGapNanos, awake);
            } else {
                figures.slowestStartNanos = Math.max(figures.slowestStartNanos, awake);
            }
            if (recording.first() < previous) {
                figures.disorder++;
            }
            figures.ids += recording.count();
            runs.add(new Run(life, recording.first(), recording.last(), recording.returned()));
            long workerId = workerIds.of(recording.first());
            used.merge(workerId, new Use(life, workerId, recording.returned(), recording.returned()), Use::plus);
            begun = true;
            previous = recording.last();
            since = recording.returned();
        }
        if (begun) {
            figures.longestGapNanos = Math.max(figures.longestGapNanos, life.awakeNanos(since, life.endedNanos()));
        } else {
            figures.startsWithoutIds++;
        }
        uses.addAll(used.values());
    }

    private void findSharedWorkerIds() {
        for (Use use : uses) {
            for (Use other : uses) {
                if (!use.life().equals(other.life())) {
                    Findings.Figures figures = figures(use.life());
                    figures.sharedNanos = Math.max(figures.sharedNanos, use.sharedNanos(other));
                }
            }
        }
    }

    /** Sorted by their first ids, two runs overlap only if one begins before the end of those that began earlier. */
    private void findDuplicates() {
        runs.sort(Comparator.comparingLong(Run::first));
        Run highest = null;
        for (Run run : runs) {
            if (highest != null && run.first() <= highest.last()) {
                note(run, highest, Math.min(highest.last(), run.last()) - run.first() + 1);
            }
            if (highest == null || run.last() > highest.last()) {
                highest = run;
            }
        }
    }

    /** Counted where the second of them was issued. */
    private void note(Run one, Run other, long count) {
        Run later = one.returnedNanos() >= other.returnedNanos() ? one : other;
        figures(later.life()).duplicates += count;
        if (details.size() < MOST_DETAILS) {
            details.add(count + " from " + one.first() + " on, by " + other.life() + " and " + one.life() + ", "
                    + Math.abs(one.returnedNanos() - other.returnedNanos()) / 1_000_000 + " ms apart");
        }
    }
}
