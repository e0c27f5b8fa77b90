// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import static org.snowflakeid.operator.audit.Finding.Result.FOUND;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Worker ids that two processes seem to have used at once. Ids say nothing of their process, so this is circumstantial evidence, of three kinds:
 *
 * <ul>
 *   <li>an id in two rows: two processes made it, or a row was copied;
 *   <li>in one millisecond, two runs of sequence numbers that are more than a quarter of the range apart. One process counts on by ones, and
 *       would have had to issue the thousand ids between them in that millisecond;
 *   <li>where a generator's sequence goes on from one millisecond to the next, two such sequences that take turns.
 * </ul>
 *
 * <p>Two processes whose generators begin each millisecond at 0 leave the first kind only, and none where a unique key refused it.
 */
final class SharedWorkerIds {
    private static final String NAME = "shared-worker-ids";
    private static final int MOST = 5;

    /** Short sequences and long units are used up by one process. */
    private static final int FEWEST_SEQUENCE_BITS = 10;

    private static final long LONGEST_UNIT_MILLIS = 10;

    /** Fewer may be chance, or one process with a large batch. */
    private static final int FEWEST_FAR_APART = 3;

    private static final int FEWEST_INTERLEAVED = 16;
    private static final int INTERLEAVED_ONE_OF = 20;

    /** Below it are the first numbers of generators that begin each millisecond anew, and go on by chance. */
    private static final int FIRST_NUMBERS = 64;

    /** Where the sequences of a worker id stopped. */
    private static final class Tracks {
        long tick = -1;
        int last = -1;
        int recent = -1;
        int older = -1;
        long farApartTick = -1;
    }

    private final Map<Integer, Tracks> tracks = new HashMap<>();
    private final boolean sequencesTell;
    private final int mask;

    SharedWorkerIds(IdLayout layout) {
        sequencesTell = layout.sequence().count() >= FEWEST_SEQUENCE_BITS
                && layout.unit().toMillis() <= LONGEST_UNIT_MILLIS;
        mask = (1 << layout.sequence().count()) - 1;
    }

    /** @param worker that of the id on its day; null if there were too many */
    void see(SeenId id, Day.@Nullable Worker worker) {
        if (!sequencesTell || worker == null) {
            return;
        }
        Tracks track = tracks.computeIfAbsent(id.workerId(), key -> new Tracks());
        if (track.tick == id.tick()) {
            seeInSameTick(id, track, worker);
        } else {
            seeInNextTick(id, track, worker);
        }
        track.tick = id.tick();
        track.last = id.sequence();
    }

    private void seeInSameTick(SeenId id, Tracks track, Day.Worker worker) {
        if (id.sequence() - track.last > mask / 4 && track.farApartTick != id.tick()) {
            track.farApartTick = id.tick();
            worker.farApart++;
        }
        goOn(id.sequence(), track);
    }

    private void seeInNextTick(SeenId id, Tracks track, Day.Worker worker) {
        if (goOn(id.sequence(), track) && id.sequence() >= FIRST_NUMBERS) {
            worker.interleaved++;
        }
    }

    /** Whether the older of two sequences goes on with this number. */
    private boolean goOn(int sequence, Tracks track) {
        boolean turns = !goesOn(track.recent, sequence) && goesOn(track.older, sequence);
        if (!goesOn(track.recent, sequence)) {
            track.older = track.recent;
        }
        track.recent = sequence;
        return turns;
    }

    private boolean goesOn(int from, int sequence) {
        return from >= 0 && ((from + 1) & mask) == sequence;
    }

    static boolean isShared(Day.Worker worker) {
        return worker.duplicates > 0 || sequencesShow(worker);
    }

    private static boolean sequencesShow(Day.Worker worker) {
        return hasDistantRuns(worker) || takesTurns(worker);
    }

    private static boolean hasDistantRuns(Day.Worker worker) {
        return worker.farApart >= FEWEST_FAR_APART;
    }

    private static boolean takesTurns(Day.Worker worker) {
        return worker.interleaved >= FEWEST_INTERLEAVED
                && (long) worker.interleaved * INTERLEAVED_ONE_OF >= worker.rows;
    }

    Finding finding(Days days) {
        List<String> bySequence = new ArrayList<>();
        List<String> byDuplicates = new ArrayList<>();
        long count = 0;
        for (Day day : days.all()) {
            for (Map.Entry<Integer, Day.Worker> entry : day.workers.entrySet()) {
                Day.Worker worker = entry.getValue();
                if (isShared(worker)) {
                    count++;
                    // Duplicates have a finding of their own, so they are shown last.
                    List<String> shown = sequencesShow(worker) ? bySequence : byDuplicates;
                    if (shown.size() < MOST) {
                        shown.add(day.date + " worker id " + entry.getKey() + " (" + evidence(worker) + ")");
                    }
                }
            }
        }
        if (count > 0) {
            List<String> shown = Stream.concat(bySequence.stream(), byDuplicates.stream())
                    .limit(MOST)
                    .toList();
            return new Finding(
                    NAME,
                    FOUND,
                    count,
                    "Two processes seem to have used one worker id at once, in " + Counted.of(count, "case") + ": "
                            + String.join("; ", shown) + (count > shown.size() ? "; …" : "")
                            + ". Ids don't name their process: a copied row, or one process that gave a thousand ids to"
                            + " other tables within that millisecond, looks the same.",
                    List.of());
        }
        return days.passed(
                NAME,
                sequencesTell
                        ? "No sign of two processes with one worker id. Two that begin each millisecond at 0 would show"
                                + " only as duplicates."
                        : "No sign of two processes with one worker id: with this layout they show only as duplicates.");
    }

    private static String evidence(Day.Worker worker) {
        List<String> seen = new ArrayList<>();
        if (worker.duplicates > 0) {
            seen.add(Counted.of(worker.duplicates, "id") + " in several rows");
        }
        if (hasDistantRuns(worker)) {
            seen.add("two distant runs of sequence numbers in " + Counted.of(worker.farApart, "millisecond"));
        }
        if (takesTurns(worker)) {
            seen.add("two sequences that took turns " + Counted.of(worker.interleaved, "time"));
        }
        return String.join(", ", seen);
    }
}
