// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.snowflakeid.interleaving.Scenario;
import org.snowflakeid.interleaving.Schedule;
import org.snowflakeid.records.Mark;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.testing.MemoryStore;

/** A generator with its keeper, a coordinator in memory, and a ledger of all that was issued. */
abstract class GeneratorScenario implements Scenario {

    private static final String NAMESPACE = "snowflake";
    private static final Instant BEGIN = Instant.parse("2026-03-01T10:00:00Z");
    /** A fifth of a schedule's time would be spent on checking the same keys again. */
    private static final Map<Map<String, String>, SnowflakeSettings> CHECKED = new HashMap<>();

    Schedule schedule;
    MemoryStore store;
    LeasedSnowflake ids;

    private final TreeSet<Long> issued = new TreeSet<>();
    private final Map<Integer, Mark> atTakeover = new HashMap<>();
    private Platform platform;
    private boolean forgotten;
    private boolean severalWorkerIds;
    private boolean clockIsWatched;
    private Consumer<SnowflakeEvent> listener;
    private OutOfMemoryError failure;
    private Thread keeper;
    private long wallAheadMillis;
    private long wakesLateMillis;
    private long drawn;
    private long returned;

    @Override
    public final void begin(Schedule schedule) {
        this.schedule = schedule;
        platform = new ScheduledPlatform();
        store = new MemoryStore(platform);
        prepare();
    }

    abstract void prepare();

    final void open(String... settings) {
        Map<String, String> values =
                new HashMap<>(Map.of("snowflake.coordinator", "memory", "snowflake.worker-ids", "0-1"));
        for (int i = 0; i < settings.length; i += 2) {
            values.put("snowflake." + settings[i], settings[i + 1]);
        }
        severalWorkerIds = values.containsKey("snowflake.workers");
        SnowflakeSettings checked = CHECKED.computeIfAbsent(values, SnowflakeSettings::of);
        ids = listener == null
                ? LeasedSnowflake.open(checked, store.provider(), platform)
                : LeasedSnowflake.open(checked, store.provider(), platform, listener);
    }

    /** Before {@link #open}. */
    final void listen(Consumer<SnowflakeEvent> to) {
        listener = to;
    }

    /** Lets the extension of the first window, 10 s, fall due. */
    final void makeExtensionDue() {
        schedule.advance(Duration.ofSeconds(5).toNanos());
    }

    /** The wall clock steps, as it does for a restored image. From now on other threads may run at each reading of it. */
    final void stepAhead(Duration by) {
        wallAheadMillis += by.toMillis();
        clockIsWatched = true;
    }

    /** From now on a thread that waits for the next millisecond wakes up so much later. */
    final void wakeLate(long millis) {
        wakesLateMillis = millis;
    }

    /** The next time that the keeper wakes a thread, it runs out of memory. */
    final void failAtNextWake() {
        failure = new OutOfMemoryError("on purpose");
    }

    /** Opens a generator of two ids per tick that may run far ahead of the clock, and uses its window up but for some. */
    final void openWithLeft(int left, String... settings) {
        List<String> all = new ArrayList<>(List.of("sequence-bits", "1", "burst", "PT30S"));
        all.addAll(List.of(settings));
        open(all.toArray(new String[0]));
        int count = 2 * 10_000 - left;
        long first = ids.nextId();
        long[] rest = ids.nextIds(count - (int) (first & 1) - 1);
        returned = rest[rest.length - 1];
    }

    /** The coordinator loses all it knew. */
    final void wipe() {
        store.wipe(NAMESPACE);
        forgotten = true;
    }

    /** Another process lawfully claims what comes after this generator's limit. */
    final void takeOver() {
        int workerId = ids.status().workerId().orElseThrow();
        Stored stored = new Stored(store.mark(NAMESPACE, workerId), 0);
        Mark ours = Mark.parse(stored);
        atTakeover.put(workerId, ours);
        Mark theirs = Mark.next(ours.pairs(), ours.limit() + 60_000, "rival", 0, ours.limit(), BEGIN, ids.layout(), 1);
        rival().claim(
                        workerId,
                        stored,
                        theirs.value(),
                        "token=rival",
                        true,
                        new Stored(store.meta(NAMESPACE), 0),
                        Duration.ofSeconds(1));
    }

    /**
     * A copy of this process, restored from the same image, extends its mark: it has the same token.
     *
     * @return the worker id; -1 if it is just being changed
     */
    final int copyExtends() {
        int workerId = ids.status().workerId().orElse(-1);
        if (workerId < 0) {
            return -1;
        }
        Stored stored = new Stored(store.mark(NAMESPACE, workerId), 0);
        Mark ours = Mark.parse(stored);
        Mark theirs = Mark.next(
                ours.pairs(),
                ours.limit() + 10_000,
                ours.token(),
                ours.count() + 1,
                ours.from(),
                BEGIN,
                ids.layout(),
                1);
        CasResult result = rival().extend(
                        workerId,
                        stored,
                        theirs.value(),
                        "copy",
                        new Stored(store.meta(NAMESPACE), 0),
                        Duration.ofSeconds(1));
        return result instanceof CasResult.Applied ? workerId : -1;
    }

    private WorkerCoordinator rival() {
        CoordinatorConfig config = new CoordinatorConfig("rival", NAMESPACE, Duration.ofMinutes(1), key -> null);
        return store.provider().open(config, () -> {});
    }

    final void callers(String... names) {
        for (String name : names) {
            schedule.actor(name, () -> call(2));
        }
    }

    final void call(int times) {
        long mine = -1;
        for (int i = 0; i < times; i++) {
            long before = returned;
            long id = ids.nextId();
            enter(before, id);
            require(id > mine, "one thread got " + id + " after " + mine);
            mine = id;
        }
    }

    final void callForBatch(int count) {
        long before = returned;
        long[] batch = ids.nextIds(count);
        require(batch.length == count, "a batch has " + batch.length + " ids");
        for (int i = 0; i < count; i++) {
            enter(i == 0 ? before : batch[i - 1], batch[i]);
            require(i == 0 || batch[i] > batch[i - 1], "a batch does not increase");
            IdParts here = ids.layout().decode(batch[i]);
            IdParts last = ids.layout().decode(batch[Math.max(0, i - 1)]);
            boolean sameTick =
                    here.workerId() == last.workerId() && here.timestamp().equals(last.timestamp());
            require(
                    !sameTick || i == 0 || here.sequence() == last.sequence() + 1,
                    "a batch skips from " + last + " to " + here);
        }
    }

    private void enter(long before, long id) {
        boolean later = severalWorkerIds ? tickOf(id) >= tickOf(before) : id > before;
        require(later, id + " was asked for after " + before + " had been returned");
        require(issued.add(id), id + " was issued twice");
        returned = Math.max(returned, id);
        if (!forgotten) {
            requireGranted(id);
        }
    }

    final long tickOf(long id) {
        return ids.layout().tickOf(ids.layout().decode(id).timestamp().toEpochMilli());
    }

    /** An id lies between the beginning of its claim and the limit of the mark, which a release lowers. */
    private void requireGranted(long id) {
        IdParts parts = ids.layout().decode(id);
        long tick = tickOf(id);
        Mark mark = atTakeover.get(parts.workerId());
        if (mark == null) {
            mark = Mark.parse(new Stored(store.mark(NAMESPACE, parts.workerId()), 0));
        }
        require(tick >= mark.from() && tick < mark.limit(), parts + " at tick " + tick + " lies outside of " + mark);
    }

    static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    @Override
    public void end() {
        if (forgotten) {
            return;
        }
        issued.forEach(this::requireGranted);
    }

    class ScheduledPlatform implements Platform {
        @Override
        public long wallMillis() {
            if (clockIsWatched) {
                schedule.advance(0);
            }
            return BEGIN.toEpochMilli() + wallAheadMillis + schedule.nanoTime() / 1_000_000;
        }

        @Override
        public long nanoTime() {
            return schedule.nanoTime();
        }

        @Override
        public void park(long nanos) {
            schedule.park(nanos);
        }

        @Override
        public void awaitNextMillis() {
            schedule.advance((1 + wakesLateMillis) * 1_000_000 - schedule.nanoTime() % 1_000_000);
        }

        @Override
        public void unpark(Thread thread) {
            OutOfMemoryError now = failure;
            if (now != null && Thread.currentThread().equals(keeper)) {
                failure = null;
                throw now;
            }
            schedule.unpark(thread);
        }

        @Override
        public Thread start(String name, Runnable task) {
            Thread thread = schedule.start(name.endsWith("-events") ? "events" : "keeper", task);
            keeper = keeper == null ? thread : keeper;
            return thread;
        }

        @Override
        public String process() {
            return "test";
        }

        @Override
        public long randomLong() {
            return ++drawn;
        }
    }
}
