// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.IdParts;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.administration.NamespaceReport;
import org.snowflakeid.administration.NamespaceReport.Worker;

/**
 * What pages are shown of a namespace. When a page asks for changes it reads the coordinator, unless it did so a moment ago or is doing so:
 * one reading at a time however many pages ask, and none if no page asks.
 */
final class LiveNamespace implements AutoCloseable {

    /** Between two readings. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1_000);

    /** If readings take long, the next one waits for a multiple of that time. */
    private static final int PAUSE_PER_READING = 8;

    /** How long a page waits for a reading under way before it gets what is already known. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

    /** More is not shown. */
    private static final int MOST_EVENTS = 500;

    /**
     * The news for a page.
     *
     * @param cursor to be sent with the next question
     * @param reset forget everything before: this is all there is
     * @param read when the coordinator was last read; null if it was not
     * @param ageMillis how long ago that was
     * @param trouble why it can't be read; null if it can
     * @param summary lines of name and text
     * @param workers id, state, number of the host
     * @param hosts names of the numbers that follow those that are known
     */
    record Changes(
            String cursor,
            boolean reset,
            int size,
            @Nullable Instant read,
            @Nullable Long ageMillis,
            @Nullable String trouble,
            @Nullable String namespace,
            @Nullable Instant historySince,
            List<List<String>> summary,
            List<int[]> workers,
            List<String> hosts,
            List<WorkerHistory.Event> events) {}

    record WorkerAnswer(
            int workerId,
            int state,
            @Nullable String host,
            @Nullable Instant since,
            @Nullable Instant reservedUntil,
            List<TenureAnswer> history) {}

    record TenureAnswer(
            String host,
            @Nullable Instant since,
            Instant from,
            @Nullable Instant reservedUntil,
            Instant firstSeen,
            Instant lastSeen,
            @Nullable String ending) {}

    /** Ids and their parts as text and small numbers: JavaScript's end at 2^53. */
    record IdAnswer(
            String id,
            Instant timestamp,
            int workerId,
            int sequence,
            @Nullable String host,
            @Nullable Instant since,
            boolean certain,
            String sentence) {}

    private record Cursor(String run, int version, int hosts, long event) {
        static @Nullable Cursor parse(@Nullable String text) {
            String[] parts = text == null ? new String[0] : text.split("\\.", -1);
            try {
                return parts.length != 4
                        ? null
                        : new Cursor(
                                parts[0],
                                Integer.parseInt(parts[1]),
                                Integer.parseInt(parts[2]),
                                Long.parseLong(parts[3]));
            } catch (NumberFormatException notOurs) {
                return null;
            }
        }

        @Override
        public String toString() {
            return run + "." + version + "." + hosts + "." + event;
        }
    }

    private final Supplier<SeenNamespace> source;
    private final Function<SeenNamespace, List<String>> summary;
    private final ExecutorService reader = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "snowflake-map-reader");
        thread.setDaemon(true);
        return thread;
    });

    private SnowflakeLayout layout;
    /** Identifies a map: random for each, so that no page confuses the versions of two maps. */
    private String run = UUID.randomUUID().toString();

    private WorkerMap map;
    private WorkerHistory history = new WorkerHistory();
    private @Nullable SeenNamespace last;
    private @Nullable Instant read;
    private long readNanos;
    private @Nullable String trouble;
    private boolean reading;
    private long nextNanos = System.nanoTime();

    /**
     * @param source asked by one thread at a time; may block and fail
     * @param configured the layout where the namespace has no record
     * @param summary a report for people, as the command status shows it: lines of a name, spaces, and text
     */
    LiveNamespace(
            Supplier<SeenNamespace> source, SnowflakeLayout configured, Function<SeenNamespace, List<String>> summary) {
        this.source = source;
        this.summary = summary;
        this.layout = configured;
        this.map = new WorkerMap(configured.maxWorkerId() + 1);
    }

    /** Blocks for a second at most. */
    synchronized Changes changes(@Nullable String since) throws InterruptedException {
        refresh();
        Cursor cursor = Cursor.parse(since);
        boolean reset = cursor == null || !cursor.run().equals(run) || !map.continues(cursor.version());
        Cursor from = reset || cursor == null ? new Cursor(run, 0, 0, 0) : cursor;
        return new Changes(
                new Cursor(run, map.version(), map.hostCount(), history.lastNumber()).toString(),
                reset,
                map.size(),
                read,
                read == null ? null : TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - readNanos),
                trouble,
                last == null ? null : last.report().namespace(),
                history.begin(),
                summary(),
                map.changedAfter(from.version()),
                map.hostsFrom(from.hosts()),
                history.eventsAfter(from.event(), MOST_EVENTS));
    }

    private List<List<String>> summary() {
        List<List<String>> rows = new ArrayList<>();
        if (last != null) {
            for (String line : summary.apply(last)) {
                rows.add(List.of(line.split("\\s{2,}", 2)));
            }
        }
        return rows;
    }

    private void refresh() throws InterruptedException {
        if (!reading && System.nanoTime() - nextNanos >= 0) {
            reading = true;
            reader.execute(this::read);
        }
        long end = System.nanoTime() + PATIENCE_NANOS;
        for (long left = PATIENCE_NANOS; reading && left > 0; left = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    private void read() {
        long start = System.nanoTime();
        SeenNamespace seen = null;
        String problem = "the reading ended without an answer";
        try {
            seen = source.get();
        } catch (RuntimeException e) {
            problem = e instanceof SnowflakeException ? OperatorCommand.withoutGenerator(e) : e.toString();
        } finally {
            note(seen, problem, start);
        }
    }

    private synchronized void note(@Nullable SeenNamespace seen, String problem, long start) {
        long end = System.nanoTime();
        reading = false;
        nextNanos = end + Math.max(PAUSE_NANOS, PAUSE_PER_READING * (end - start));
        trouble = seen == null ? problem : null;
        if (seen != null) {
            observe(seen);
            readNanos = end;
        }
        notifyAll();
    }

    private void observe(SeenNamespace seen) {
        NamespaceReport report = seen.report();
        SnowflakeLayout now = report.layout().orElse(layout);
        if (!now.equals(layout)) {
            layout = now;
            map = new WorkerMap(layout.maxWorkerId() + 1);
            history = new WorkerHistory();
            run = UUID.randomUUID().toString();
        }
        read = now(report);
        last = seen;
        map.observe(report, read);
        history.observe(report, read);
    }

    /** By whichever clock is ahead, as restoring does. */
    private static Instant now(NamespaceReport report) {
        Instant here = report.clock();
        return report.coordinatorTime().filter(time -> time.isAfter(here)).orElse(here);
    }

    /** Null if the namespace has no such worker id. */
    synchronized @Nullable WorkerAnswer worker(String text) {
        long id = number(text);
        if (id < 0 || id >= map.size()) {
            return null;
        }
        int workerId = (int) id;
        Worker worker = worker(workerId);
        Holder holder = worker == null ? null : worker.heldBy().map(Holder::of).orElse(null);
        List<TenureAnswer> tenures = history.tenures(workerId).stream()
                .map(tenure -> new TenureAnswer(
                        tenure.holder().host(),
                        tenure.holder().since(),
                        tenure.from(),
                        tenure.reservedUntil(),
                        tenure.firstSeen(),
                        tenure.lastSeen(),
                        tenure.ending() == null ? null : tenure.ending().words()))
                .toList();
        return new WorkerAnswer(
                workerId,
                worker == null || read == null ? WorkerMap.FREE : WorkerMap.state(worker, read),
                holder == null ? null : holder.host(),
                holder == null ? null : holder.since(),
                worker == null ? null : worker.reservedUntil().orElse(null),
                tenures);
    }

    private @Nullable Worker worker(int workerId) {
        if (last != null) {
            for (Worker worker : last.report().workers()) {
                if (worker.workerId() == workerId) {
                    return worker;
                }
            }
        }
        return null;
    }

    /** Null if that is no id. */
    synchronized @Nullable IdAnswer id(String text) {
        long id = number(text);
        if (id < 0) {
            return null;
        }
        IdParts parts = layout.decode(id);
        WorkerHistory.Answer answer = history.who(parts.workerId(), parts.timestamp());
        Holder holder = answer.holder();
        return new IdAnswer(
                Long.toString(id),
                parts.timestamp(),
                parts.workerId(),
                parts.sequence(),
                holder == null ? null : holder.host(),
                holder == null ? null : holder.since(),
                answer.certain(),
                answer.sentence());
    }

    /** Decimal digits; -1 if it is anything else, or does not fit 63 bits. */
    private static long number(String text) {
        if (!text.matches("[0-9]{1,19}")) {
            return -1;
        }
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException tooLarge) {
            return -1;
        }
    }

    /** Does not wait for a reading under way. */
    @Override
    public void close() {
        reader.shutdownNow();
    }
}
