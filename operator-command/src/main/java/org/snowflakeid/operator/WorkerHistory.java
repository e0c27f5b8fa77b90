// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.administration.NamespaceReport;
import org.snowflakeid.administration.NamespaceReport.Worker;

/** Who held which worker id in the last hour, worked out from one reading to the next. Not safe for use by several threads. */
final class WorkerHistory {

    static final Duration KEPT = Duration.ofHours(1);

    /** Readings further apart may have missed anything. */
    static final Duration LONGEST_STEP = Duration.ofSeconds(10);

    /** A rolling restart of some thousands; more than an operator reads. */
    static final int MOST_EVENTS = 10_000;

    /** Ended tenures of one worker id: one that is claimed in a loop must not fill the memory. */
    private static final int MOST_TENURES = 50;

    /** @param after the reading before the one that showed it */
    record Event(
            long number,
            String kind,
            int workerId,
            String host,
            @Nullable Instant since,
            Instant after,
            Instant at) {}

    /**
     * Who made an id.
     *
     * @param holder null if it is unknown
     * @param certain false: one of several, or not seen to the end
     */
    record Answer(@Nullable Holder holder, boolean certain, String sentence) {
        private static Answer unknown(String sentence) {
            return new Answer(null, false, sentence);
        }
    }

    private record Gap(Instant from, Instant to) {}

    private final Map<Integer, Deque<Tenure>> tenures = new HashMap<>();
    private final Deque<Event> events = new ArrayDeque<>();
    private final Deque<Gap> gaps = new ArrayDeque<>();
    private Map<Integer, Worker> previous = new HashMap<>();
    private @Nullable Instant begin;
    private @Nullable Instant lastReading;
    private long lastNumber;

    void observe(NamespaceReport report, Instant now) {
        if (begin == null || now.isBefore(begin)) {
            begin = now;
        }
        Map<Integer, Worker> current = new HashMap<>();
        report.workers().forEach(worker -> current.put(worker.workerId(), worker));
        Step step = new Step(lastReading, now);
        if (step.isGap()) {
            gaps.add(new Gap(step.after(), now));
        }
        current.forEach((id, worker) -> step.compare(id, previous.get(id), worker));
        previous.forEach((id, worker) -> {
            if (!current.containsKey(id)) {
                step.compare(id, worker, new Worker(id, Optional.empty(), false, Optional.empty()));
            }
        });
        previous = current;
        lastReading = now;
        forget(now.minus(KEPT));
    }

    private void forget(Instant before) {
        if (begin != null && begin.isBefore(before)) {
            begin = before;
        }
        events.removeIf(event -> event.at().isBefore(before));
        gaps.removeIf(gap -> gap.to().isBefore(before));
        tenures.values().removeIf(ofWorker -> {
            ofWorker.removeIf(
                    tenure -> tenure.ending() != null && tenure.lastSeen().isBefore(before));
            return ofWorker.isEmpty();
        });
    }

    /** From one reading to the next. */
    private final class Step {
        private final @Nullable Instant before;
        private final Instant now;

        Step(@Nullable Instant before, Instant now) {
            this.before = before;
            this.now = now;
        }

        /** The first reading shows the state so far, no change. */
        Instant after() {
            return before == null ? now : before;
        }

        boolean isGap() {
            return Duration.between(after(), now).compareTo(LONGEST_STEP) > 0;
        }

        void compare(int id, @Nullable Worker was, Worker is) {
            Tenure open = open(id);
            Holder holder = is.heldBy().map(Holder::of).orElse(null);
            if (open != null && holder != null && open.holder().entry().equals(holder.entry())) {
                open.seen(now, is.reservedUntil());
                return;
            }
            if (open != null) {
                end(id, open, is);
            }
            if (holder != null) {
                begin(id, holder, open == null ? was : null, is);
            }
        }

        private void end(int id, Tenure open, Worker is) {
            Instant had = open.reservedUntil();
            Instant has = is.reservedUntil().orElse(null);
            Tenure.Ending how;
            if (is.heldBy().isPresent() || had == null || has == null || (isGap() && !has.equals(had))) {
                how = Tenure.Ending.UNSEEN;
            } else {
                how = has.isBefore(had) ? Tenure.Ending.RELEASED : Tenure.Ending.LOST;
            }
            open.end(how, how == Tenure.Ending.UNSEEN ? had : has);
            note(how.words(), id, open.holder());
        }

        /** @param unheld as it was before, if no process held it then */
        private void begin(int id, Holder holder, @Nullable Worker unheld, Worker is) {
            Instant from = holder.since() == null ? after() : holder.since();
            if (unheld != null && !isGap()) {
                Instant granted = unheld.reservedUntil().orElse(from);
                from = granted.isAfter(from) ? granted : from;
            }
            Deque<Tenure> ofWorker = tenures.computeIfAbsent(id, any -> new ArrayDeque<>());
            ofWorker.add(new Tenure(holder, from, now, is.reservedUntil()));
            if (ofWorker.size() > MOST_TENURES) {
                ofWorker.remove();
            }
            if (before != null) {
                note("claimed", id, holder);
            }
        }

        private void note(String kind, int id, Holder holder) {
            events.add(new Event(++lastNumber, kind, id, holder.host(), holder.since(), after(), now));
            if (events.size() > MOST_EVENTS) {
                events.remove();
            }
        }
    }

    private @Nullable Tenure open(int id) {
        Deque<Tenure> ofWorker = tenures.get(id);
        Tenure last = ofWorker == null ? null : ofWorker.peekLast();
        return last == null || last.ending() != null ? null : last;
    }

    /** Oldest first. */
    List<Tenure> tenures(int workerId) {
        return List.copyOf(tenures.getOrDefault(workerId, new ArrayDeque<>()));
    }

    /** What was noted after event {@code number}, at most the newest {@code most}, oldest first. */
    List<Event> eventsAfter(long number, int most) {
        List<Event> found = new ArrayList<>();
        events.descendingIterator().forEachRemaining(event -> {
            if (event.number() > number && found.size() < most) {
                found.add(0, event);
            }
        });
        return found;
    }

    long lastNumber() {
        return lastNumber;
    }

    /** Null before the first reading. */
    @Nullable
    Instant begin() {
        return begin;
    }

    Answer who(int workerId, Instant timestamp) {
        if (begin == null || lastReading == null) {
            return Answer.unknown("Nothing has been read from the coordinator yet, so who held worker id " + workerId
                    + " is not known.");
        }
        List<Tenure> holders =
                tenures(workerId).stream().filter(t -> t.covers(timestamp)).toList();
        if (holders.size() > 1) {
            return new Answer(
                    null,
                    false,
                    holders.stream().map(t -> t.holder().host()).collect(Collectors.joining(" or ", "Host ", ""))
                            + ": worker id " + workerId
                            + " changed hands between two readings, and either may have been granted that timestamp.");
        }
        return holders.isEmpty()
                ? unheld(workerId, timestamp, begin, lastReading)
                : one(workerId, timestamp, holders.get(0));
    }

    private static Answer one(int workerId, Instant timestamp, Tenure tenure) {
        Holder holder = tenure.holder();
        String host = holder.host();
        if (tenure.ending() == Tenure.Ending.UNSEEN && timestamp.isAfter(tenure.lastSeen())) {
            return new Answer(
                    holder,
                    false,
                    "Probably host " + host + ": it held worker id " + workerId + " when last seen, at "
                            + tenure.lastSeen() + ", and had reserved timestamps until " + tenure.reservedUntil()
                            + ".");
        }
        String held = tenure.ending() == null ? "holds" : "held";
        if (timestamp.isBefore(tenure.firstSeen()) && holder.since() != null) {
            return new Answer(
                    holder,
                    true,
                    "Host " + host + " " + held + " worker id " + workerId + " since " + holder.since()
                            + ", says its owner entry. This command first saw it at " + tenure.firstSeen() + ".");
        }
        return new Answer(
                holder,
                true,
                "Host " + host + " " + held + " worker id " + workerId + ": seen at it "
                        + (tenure.ending() == null
                                ? "since " + tenure.firstSeen()
                                : "from " + tenure.firstSeen() + " to " + tenure.lastSeen())
                        + ", granted timestamps until "
                        + (tenure.reservedUntil() == null ? "an unknown time" : tenure.reservedUntil()) + ".");
    }

    private Answer unheld(int workerId, Instant timestamp, Instant first, Instant last) {
        Tenure open = open(workerId);
        if (open != null && !timestamp.isBefore(open.firstSeen())) {
            return Answer.unknown("Not known: when last read, at " + last + ", timestamps of worker id " + workerId
                    + " were granted to host " + open.holder().host() + " until "
                    + (open.reservedUntil() == null ? "an unknown time" : open.reservedUntil())
                    + " and no further. The id was made after that, or not in this namespace.");
        }
        for (Gap gap : gaps) {
            if (!timestamp.isBefore(gap.from()) && timestamp.isBefore(gap.to())) {
                return Answer.unknown("Not known: nothing was read between " + gap.from() + " and " + gap.to()
                        + ", because no page was open or the coordinator did not answer.");
            }
        }
        if (timestamp.isBefore(first)) {
            return Answer.unknown("Not known: the history of this command begins at " + first
                    + ", and the present owner entry, if there is one, is of a later claim.");
        }
        if (timestamp.isAfter(last)) {
            return Answer.unknown("Not known: no process held worker id " + workerId + " when last read, at " + last
                    + ". The id was made after that, or not in this namespace.");
        }
        return Answer.unknown("Not known: no process was seen holding worker id " + workerId
                + " then. It was held only between two readings, or the id was not made in this namespace.");
    }
}
