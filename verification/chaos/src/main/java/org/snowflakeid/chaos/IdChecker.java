// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.snowflakeid.IdParts;
import org.snowflakeid.SnowflakeLayout;

/**
 * Reads all recordings of the workers and looks for violations:
 *
 * <ul>
 *   <li>an id that was issued twice, by any processes
 *   <li>ids of a thread that do not increase, or an id that is not above all that the same generator had returned before it was
 *       asked for
 *   <li>an id that carries a worker id outside the range, or a time further ahead than is allowed
 * </ul>
 *
 * The recordings of threads are in ascending order, so that one merge over all of them finds every overlap; where one is not,
 * which is a violation by itself, it is split there. Memory: a few words per recording.
 */
final class IdChecker {
    private static final int MAX_DETAILS = 50;

    /** Between the clock readings in the generator and in the recorder, and for a clock that is being slewed. */
    private static final long CLOCK_TOLERANCE_MILLIS = 10;

    private static final long STEP_ECHO_NANOS = 60_000_000_000L;
    private static final long GAP_NANOS = 2_000_000_000L;

    private final SnowflakeLayout layout;
    private final int minWorkerId;
    private final int maxWorkerId;

    private final List<Segment> segments = new ArrayList<>();
    private final Map<Integer, List<Gap>> gaps = new TreeMap<>();
    private final Map<Integer, Long> idsOfWorkers = new TreeMap<>();
    private final Map<Integer, Long> highestTicks = new TreeMap<>();
    private final List<String> details = new ArrayList<>();
    private long sinceNanos;
    private int recordings;
    private int generators;
    private long ids;
    private long runs;
    private long duplicates;
    private long orderViolations;
    private long aheadViolations;
    private long rangeViolations;
    private long mostAhead = Long.MIN_VALUE;
    private long mostAheadStepped = Long.MIN_VALUE;

    private record Segment(Path path, int from, int to) {}

    /** Monotonic times between which a worker returned no id. */
    record Gap(int worker, long fromNanos, long toNanos) {
        long nanos() {
            return toNanos - fromNanos;
        }
    }

    /**
     * @param mostAheadMillis how far the time of an id was ahead of the true one at most, while clocks told it
     * @param mostAheadSteppedMillis the same for a clock that was stepped not long before
     * @param highestTicks per worker id, in milliseconds since the epoch of the layout
     * @param gaps per worker, those of 2 s and more
     * @param details of the first violations
     */
    record Findings(
            int recordings,
            int generators,
            long ids,
            long runs,
            long duplicates,
            long orderViolations,
            long aheadViolations,
            long rangeViolations,
            long mostAheadMillis,
            long mostAheadSteppedMillis,
            Map<Integer, Long> idsOfWorkers,
            Map<Integer, Long> highestTicks,
            Map<Integer, List<Gap>> gaps,
            List<String> details) {
        long violations() {
            return duplicates + orderViolations + aheadViolations + rangeViolations;
        }
    }

    IdChecker(SnowflakeLayout layout, int minWorkerId, int maxWorkerId) {
        this.layout = layout;
        this.minWorkerId = minWorkerId;
        this.maxWorkerId = maxWorkerId;
    }

    /** @param sinceNanos from when on a worker that returns nothing has a gap */
    Findings check(Path directory, long sinceNanos) {
        this.sinceNanos = sinceNanos;
        Map<String, List<Path>> perGenerator;
        try (Stream<Path> files = Files.list(directory)) {
            perGenerator = files.filter(file -> file.toString().endsWith(".ids"))
                    .collect(Collectors.groupingBy(Recording::generator, TreeMap::new, Collectors.toList()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Map<Integer, Long> lastReturned = new TreeMap<>();
        perGenerator.values().forEach(paths -> checkGenerator(paths, lastReturned));
        generators = perGenerator.size();
        checkUniqueness();
        return new Findings(
                recordings,
                generators,
                ids,
                runs,
                duplicates,
                orderViolations,
                aheadViolations,
                rangeViolations,
                mostAhead,
                mostAheadStepped,
                idsOfWorkers,
                highestTicks,
                gaps,
                details);
    }

    /** Follows all threads of a generator through time. */
    private void checkGenerator(List<Path> paths, Map<Integer, Long> lastReturned) {
        PriorityQueue<ThreadRecording> threads =
                new PriorityQueue<>(Comparator.comparingLong(t -> t.recording.called()));
        for (Path path : paths) {
            recordings++;
            ThreadRecording thread = new ThreadRecording(new Recording(path));
            if (thread.advance()) {
                threads.add(thread);
            }
        }
        PriorityQueue<long[]> underWay = new PriorityQueue<>(Comparator.comparingLong(r -> r[0]));
        long highestReturned = -1;
        for (ThreadRecording thread = threads.poll(); thread != null; thread = threads.poll()) {
            Recording run = thread.recording;
            while (!underWay.isEmpty() && underWay.element()[0] < run.called()) {
                highestReturned = Math.max(highestReturned, underWay.remove()[1]);
            }
            if (run.first() <= highestReturned && run.first() > thread.highest) {
                orderViolations++;
                note(() -> run + ": " + shown(run.first()) + " was asked for after a higher one had been returned");
            }
            underWay.add(new long[] {run.returned(), run.last()});
            checkRun(thread);
            noteGap(run, lastReturned);
            if (thread.advance()) {
                threads.add(thread);
            }
        }
    }

    /** One thread of a generator, and its ascending segments. */
    private final class ThreadRecording {
        final Recording recording;
        long highest = -1;
        private long previous = -1;
        private int segmentFrom;
        private int positionBefore;

        ThreadRecording(Recording recording) {
            this.recording = recording;
        }

        boolean advance() {
            highest = Math.max(highest, previous);
            positionBefore = recording.position();
            if (!recording.next()) {
                segments.add(new Segment(recording.path(), segmentFrom, positionBefore));
                return false;
            }
            if (recording.first() <= previous) {
                orderViolations++;
                note(() -> recording + ": " + shown(recording.first()) + " follows " + shown(previous)
                        + " in the same thread");
                segments.add(new Segment(recording.path(), segmentFrom, positionBefore));
                segmentFrom = positionBefore;
            }
            previous = recording.last();
            return true;
        }
    }

    private void checkRun(ThreadRecording thread) {
        Recording run = thread.recording;
        ids += run.count();
        runs++;
        idsOfWorkers.merge(run.worker(), run.count(), Long::sum);
        IdParts last = layout.decode(run.last());
        IdParts first = layout.decode(run.first());
        if (first.workerId() != last.workerId() || first.workerId() < minWorkerId || first.workerId() > maxWorkerId) {
            rangeViolations++;
            note(() -> run + ": worker ids " + first.workerId() + " to " + last.workerId());
        }
        highestTicks.merge(
                last.workerId(),
                last.timestamp().toEpochMilli() - layout.epoch().toEpochMilli(),
                Math::max);
        long ahead = last.timestamp().toEpochMilli() - run.returnedMillis();
        boolean stepped = run.wrongWithin(STEP_ECHO_NANOS);
        if (stepped) {
            mostAheadStepped = Math.max(mostAheadStepped, ahead);
        } else {
            mostAhead = Math.max(mostAhead, ahead);
        }
        if (ahead > run.allowedAheadMillis(stepped) + CLOCK_TOLERANCE_MILLIS) {
            aheadViolations++;
            note(() -> run + ": " + shown(run.last()) + " is " + ahead + " ms ahead, allowed are "
                    + run.allowedAheadMillis(stepped));
        }
    }

    private void noteGap(Recording run, Map<Integer, Long> lastReturned) {
        long last = lastReturned.getOrDefault(run.worker(), sinceNanos);
        // Returned, not called: a call that waits returns nothing meanwhile.
        if (run.returned() - last >= GAP_NANOS) {
            gaps.computeIfAbsent(run.worker(), w -> new ArrayList<>()).add(new Gap(run.worker(), last, run.returned()));
        }
        lastReturned.merge(run.worker(), run.returned(), Math::max);
    }

    /** One merge over all segments: two runs overlap only if one begins before the end of those that began earlier. */
    private void checkUniqueness() {
        PriorityQueue<Recording> merge = new PriorityQueue<>(Comparator.comparingLong(Recording::first));
        for (Segment segment : segments) {
            Recording recording = new Recording(segment.path(), segment.from(), segment.to());
            if (recording.next()) {
                merge.add(recording);
            }
        }
        long end = -1;
        String endsIn = "";
        for (Recording run = merge.poll(); run != null; run = merge.poll()) {
            if (run.first() <= end) {
                long overlap = Math.min(end, run.last()) - run.first() + 1;
                duplicates += overlap;
                String other = endsIn;
                Recording present = run;
                note(() -> overlap + " ids twice from " + shown(present.first()) + " on: " + present + " and " + other);
            }
            if (run.last() > end) {
                end = run.last();
                endsIn = run.path().getFileName().toString();
            }
            if (run.next()) {
                merge.add(run);
            }
        }
    }

    private String shown(long id) {
        IdParts parts = layout.decode(id);
        return id + " (" + parts.timestamp() + ", worker id " + parts.workerId() + ", sequence " + parts.sequence()
                + ")";
    }

    private interface Detail {
        String text();
    }

    private void note(Detail detail) {
        if (details.size() < MAX_DETAILS) {
            details.add(detail.text());
        }
    }
}
