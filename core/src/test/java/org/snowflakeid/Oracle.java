// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.VirtualWorld.Machine;
import org.snowflakeid.spi.Stored;

/**
 * What must hold in every run. Grants are checked at every write of a mark, not only ids: two grants that overlap are an error even
 * if nobody happened to issue the same tick.
 */
final class Oracle {

    private static final long HOUR_MILLIS = 3_600_000;

    /** How late a coordinator's time may reach the process that asked for it. */
    private static final long REFERENCE_AGE_MILLIS = 5000;

    private final Simulation run;
    private final SnowflakeLayout layout;
    private final Map<Machine, SimulatedProcess> processes = new HashMap<>();

    /** Per worker id, as the coordinator keeps it. */
    private final Map<Integer, Long> limits = new HashMap<>();

    private final Map<Integer, Long> highestIssued = new HashMap<>();
    private final List<Run> runs = new ArrayList<>();
    private @Nullable String violation;
    private @Nullable Stored parsedMeta;
    private long parsedFloor;

    /** Since the coordinator lost data: what it shows can't cover what was granted before. */
    private boolean dataLost;

    private boolean duplicatesExcused;

    /** Ids of one worker id without a gap, as numbers in which the worker id comes first. */
    private record Run(long first, long last, String process) {}

    Oracle(Simulation run) {
        this.run = run;
        layout = run.settings.layout();
    }

    void add(SimulatedProcess process) {
        processes.put(process.machine, process);
    }

    /** The first thing that was wrong; null: all is well. */
    @Nullable
    String violation() {
        return violation;
    }

    void violated(String what) {
        run.note("VIOLATION " + what);
        if (violation == null) {
            violation = what;
        }
    }

    // ---- at each write of a mark

    void markWritten(@Nullable Machine writer, int id, @Nullable Mark before, Mark after) {
        long limit = before == null ? 0 : before.limit();
        boolean released = after.token().startsWith("free-");
        if (released) {
            run.tally.releases++;
            require(after.limit() <= limit, "a release raises the mark", id, before, after);
        } else if (before != null && before.from() == after.from() && after.count() == before.count() + 1) {
            run.tally.extensions++;
            require(after.limit() >= limit, "an extension lowers the mark", id, before, after);
        } else {
            run.tally.claims++;
            run.tally.takeovers += before == null || before.token().startsWith("free-") ? 0 : 1;
            require(after.count() == 0, "neither a claim nor the next write of one", id, before, after);
            require(after.from() >= limit, "a claim begins below the mark", id, before, after);
            require(after.from() >= floor(), "a claim begins below the floor", id, before, after);
        }
        if (dataLost) {
            limits.put(id, after.limit());
            return;
        }
        require(
                after.limit() > highestIssued.getOrDefault(id, -1L),
                "the mark does not cover what was issued",
                id,
                before,
                after);
        for (SimulatedProcess process : processes.values()) {
            requireCovered(process, id, before, after);
        }
        SimulatedProcess process = processes.get(writer);
        if (run.store.tellsTime && after.limit() > limit && process != null) {
            long ahead = after.limit() - layout.tickOf(run.world.trueMillis());
            require(ahead <= furthest(process), "raised " + ahead + " ms ahead of the time", id, before, after);
        }
        limits.put(id, after.limit());
    }

    private long floor() {
        Stored meta = run.store.meta;
        if (meta != null && !meta.equals(parsedMeta)) {
            parsedMeta = meta;
            parsedFloor = Meta.parse(meta).floor();
        }
        return meta == null ? 0 : parsedFloor;
    }

    private void require(boolean holds, String else_, int id, @Nullable Mark before, Mark after) {
        if (!holds) {
            violated("worker id " + id + ": " + else_ + ": " + before + " -> " + after);
        }
    }

    /** What a generator may still issue lies below the mark, whoever writes it. */
    private void requireCovered(SimulatedProcess process, int id, @Nullable Mark before, Mark after) {
        LeasedSnowflake generator = process.generator();
        if (generator == null) {
            return;
        }
        SnowflakeStatus status = generator.status();
        if (status.workerId().isPresent() && status.workerId().getAsInt() == id) {
            long granted = layout.tickOf(status.reservedUntil().orElseThrow().toEpochMilli());
            require(after.limit() >= granted, process.name + " may issue up to " + granted, id, before, after);
        }
    }

    /** Where the coordinator tells the time no clock carries a mark further: a claim begins a window ahead at most, and takes one. */
    private long furthest(SimulatedProcess process) {
        return process.unvettedMillis
                + run.settings.maxSkew().toMillis()
                + REFERENCE_AGE_MILLIS
                + 2 * run.settings.window().toMillis()
                + run.settings.burst().toMillis()
                + 100;
    }

    // ---- at each call

    void issued(SimulatedProcess process, long[] ids, long lastId) {
        run.tally.ids += ids.length;
        long previous = lastId;
        long first = 0;
        long last = -2;
        for (long id : ids) {
            if (id <= previous) {
                violated(process.name + " issued " + id + " after " + previous);
            }
            previous = id;
            long workerId = (id >>> layout.sequenceBits()) & layout.maxWorkerId();
            long tick = id >>> (layout.sequenceBits() + layout.workerIdBits());
            long key = (workerId << (63 - layout.workerIdBits()))
                    | (tick << layout.sequenceBits())
                    | (id & layout.maxSequence());
            if (key != last + 1) {
                close(process, first, last);
                first = key;
            }
            last = key;
        }
        close(process, first, last);
    }

    private void close(SimulatedProcess process, long first, long last) {
        if (last < 0) {
            return;
        }
        runs.add(new Run(first, last, process.name));
        int workerId = (int) (last >>> (63 - layout.workerIdBits()));
        long tick = (last << (layout.workerIdBits() + 1)) >>> (layout.workerIdBits() + 1 + layout.sequenceBits());
        if (run.traced()) {
            run.note("ids of worker id " + workerId + " in tick " + tick + ", " + (last - first + 1));
        }
        if (dataLost) {
            return;
        }
        highestIssued.merge(workerId, tick, Math::max);
        Long limit = limits.get(workerId);
        if (limit == null || tick >= limit) {
            violated(process.name + " issued tick " + tick + " of worker id " + workerId + ", its mark ends at "
                    + limit);
        }
        long ahead = tick - layout.tickOf(process.machine.wallMillis());
        long allowed = run.settings.burst().plus(run.settings.startupAhead()).toMillis();
        if (!process.clockTouched && ahead > allowed) {
            violated(process.name + " issued an id " + ahead + " ms ahead of its clock");
        }
    }

    void regressed(SimulatedProcess process, CoordinatorRegressedException e) {
        run.tally.regressions++;
        if (!dataLost) {
            violated("a false alarm in " + process.name + ": " + e.getMessage());
        }
    }

    // ---- disasters

    /** @param fenced whether a new namespace starts above everything the old one may have granted */
    void dataLost(boolean fenced) {
        dataLost = true;
        duplicatesExcused = !fenced || processes.values().stream().anyMatch(process -> process.clockTouched);
        limits.clear();
    }

    /** Whoever held a grant then has stopped by now, unless the coordinator still shows it, or shows a new one. */
    void requireCoveredAgain(List<SimulatedProcess> issuing) {
        for (SimulatedProcess process : issuing) {
            LeasedSnowflake generator = process.generator();
            if (generator == null || generator.status().state() != SnowflakeStatus.State.ACTIVE) {
                continue;
            }
            SnowflakeStatus status = generator.status();
            Stored mark = run.store.marks.get(status.workerId().orElseThrow());
            long granted = layout.tickOf(status.reservedUntil().orElseThrow().toEpochMilli());
            if (mark == null || run.store.meta == null || Mark.parse(mark).limit() < granted) {
                violated(process.name + " issues under " + status + " though the coordinator shows " + mark);
            }
        }
    }

    // ---- at the end

    void requireNoDuplicates() {
        runs.sort((a, b) -> Long.compare(a.first, b.first));
        for (int i = 1; i < runs.size(); i++) {
            Run earlier = runs.get(i - 1);
            Run later = runs.get(i);
            if (later.first <= earlier.last && !duplicatesExcused) {
                violated("duplicate ids: " + earlier + " and " + later);
            }
        }
    }

    /** Those not reserved, one by one or by the floor, into a far future by a process without a reference and with a wrong clock. */
    long usableSlots(int slots) {
        long soon = layout.tickOf(run.world.trueMillis()) + HOUR_MILLIS;
        long poisoned = run.store.marks.values().stream()
                .filter(mark -> Mark.parse(mark).limit() > soon)
                .count();
        return floor() > soon ? 0 : slots - poisoned;
    }
}
