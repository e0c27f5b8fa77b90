// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.VirtualWorld.Machine;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.NamespaceRecord;
import org.snowflakeid.records.RecordLine;
import org.snowflakeid.resume.ResumeNote;
import org.snowflakeid.spi.Stored;

/**
 * What must hold in every run. Grants are checked at every write of a mark, not only ids: two grants that overlap are an error even if no
 * two processes happened to issue the same tick.
 */
final class Oracle {

    private static final long HOUR_MILLIS = 3_600_000;

    final Copies copies;
    private final MarkTimes times;

    private final Simulation run;
    private final SimulatedSettings settings;
    private final Map<Machine, SimulatedProcess> processes = new LinkedHashMap<>();
    private final Map<FakeStore, Ledger> ledgers = new HashMap<>();
    private final List<Run> runs = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();

    /** Parsed limits: some marks are looked at again and again. */
    private final Map<Stored, SeenRecord> namespacesRead = new HashMap<>();

    private final Map<Stored, Long> limitsRead = new HashMap<>();

    /** For the bytes of each mark, the namespace that its writer took for the one in use. */
    private final Map<String, Stored> sentUnder = new HashMap<>();

    /** Whether the coordinator lost data: what it shows then can't cover what was granted before. */
    private boolean dataLost;

    private boolean duplicatesExcused;

    /** The tick above all that was granted before the coordinator lost data; 0: unknown, since clocks were wrong. */
    private long grantedBeforeLoss;

    /** What the record of a namespace says. */
    private record SeenRecord(String id, boolean active, long floor) {
        static final SeenRecord NONE = new SeenRecord("", false, 0);
    }

    /** Ids without a gap. */
    private record Run(long first, long last, SimulatedProcess process, FakeStore store) {}

    Oracle(Simulation run) {
        this.run = run;
        settings = run.simulated;
        copies = new Copies(run);
        times = new MarkTimes(run);
    }

    void add(SimulatedProcess process) {
        processes.put(process.machine, process);
    }

    SimulatedProcess process(Machine machine) {
        return processes.get(machine);
    }

    /** All processes there ever were. */
    List<SimulatedProcess> allProcesses() {
        return List.copyOf(processes.values());
    }

    Ledger ledger(FakeStore store) {
        return ledgers.computeIfAbsent(store, first -> new Ledger());
    }

    /** The violations, in the order in which they were found. */
    List<String> violations() {
        return violations;
    }

    void violated(String what) {
        run.note("VIOLATION " + what);
        violations.add(what);
    }

    // ---- at each write of a mark

    void markWritten(FakeStore store, @Nullable Machine writer, int id, @Nullable Mark before, Mark after) {
        long limit = before == null ? 0 : before.limit();
        boolean released = after.token().startsWith("free-");
        boolean granted = isGrant(store, after);
        if (released) {
            run.tally.count(Tally.Count.RELEASES);
            require(after.limit() <= limit, "a release raises the mark", id, before, after);
        } else if (before != null && before.from() == after.from() && after.count() == before.count() + 1) {
            run.tally.count(Tally.Count.EXTENSIONS);
            require(after.limit() >= limit, "an extension lowers the mark", id, before, after);
        } else {
            run.tally.count(Tally.Count.CLAIMS);
            if (before != null && !before.token().startsWith("free-")) {
                run.tally.count(Tally.Count.TAKEOVERS);
            }
            require(after.count() == 0, "neither a claim nor the next write of one", id, before, after);
            require(after.from() >= limit, "a claim begins below the mark", id, before, after);
            if (granted) {
                require(after.from() >= namespace(store).floor, "a claim begins below the floor", id, before, after);
            }
        }
        copies.written(store, writer, id, limit, after);
        Ledger ledger = ledger(store);
        if (!dataLost) {
            Ledger.Issued issued = ledger.highestIssued(id);
            if (!isOfBoth(store, issued.by(), writer, id, issued.tick())
                    && !copies.isGivenBack(issued.by(), store, id, issued.tick())) {
                require(after.limit() > issued.tick(), "the mark does not cover what was issued", id, before, after);
            }
            for (SimulatedProcess process : processes.values()) {
                requireCovered(store, process, writer, id, before, after);
            }
            times.written(store, writer, id, before, after);
        }
        if (!granted) {
            run.tally.count(Tally.Count.VOID_WRITES);
            run.note("grants nothing, since the namespace is not the one in use: " + after);
        }
        ledger.write(granted ? writer : null, id, after);
    }

    /** A process sends a mark for a grant in this namespace. */
    void sent(FakeStore store, String mark, Stored namespace) {
        // Other stores compare the namespace themselves, in the write of the mark.
        if (store.likeness == FakeStore.Likeness.RECORDS) {
            sentUnder.put(mark, namespace);
        }
    }

    /**
     * Whether a mark that is being stored grants what it adds. Where marks are records of their own it does not if the namespace was
     * retired or replaced since its writer looked (rule 19): the operator who replaced it need not have seen this mark. Its writer finds
     * that out by looking at the namespace once more.
     */
    private boolean isGrant(FakeStore store, Mark mark) {
        Stored sent = sentUnder.isEmpty() ? null : sentUnder.get(mark.value());
        if (sent == null) {
            return true;
        }
        SeenRecord now = namespace(store);
        return now.active && now.id.equals(namespace(sent).id);
    }

    /** Whether grants are made there. */
    boolean isActive(FakeStore store) {
        return namespace(store).active;
    }

    /** Whether a coordinator has lost what it had acknowledged. */
    boolean isDataLost() {
        return dataLost;
    }

    long floor(FakeStore store) {
        return namespace(store).floor;
    }

    private SeenRecord namespace(FakeStore store) {
        return store.meta == null ? SeenRecord.NONE : namespace(store.meta);
    }

    private SeenRecord namespace(Stored meta) {
        return namespacesRead.computeIfAbsent(meta, Oracle::readNamespace);
    }

    private static SeenRecord readNamespace(Stored stored) {
        try {
            NamespaceRecord meta = NamespaceRecord.parse(stored);
            return new SeenRecord(meta.id(), meta.active(), meta.floor());
        } catch (IllegalArgumentException edited) {
            return SeenRecord.NONE;
        }
    }

    void require(boolean holds, String else_, int id, @Nullable Mark before, Mark after) {
        if (!holds) {
            violated("worker id " + id + ": " + else_ + ": " + before + " -> " + after);
        }
    }

    /** Whether both were granted the same because a process was copied: then neither one's mark covers what the other issues of it. */
    private boolean isOfBoth(FakeStore store, @Nullable Machine one, @Nullable Machine other, int id, long tick) {
        return one != null && other != null && one != other && copies.isShared(one, other, store, id, tick);
    }

    /** What a generator may still issue lies below the mark, whichever process writes it. */
    private void requireCovered(
            FakeStore store,
            SimulatedProcess process,
            @Nullable Machine writer,
            int id,
            @Nullable Mark before,
            Mark after) {
        if (process.generator() == null || process.watch().place.store() != store || settings.workers > 1) {
            return;
        }
        SnowflakeStatus status = process.status();
        if (status.workerId().isPresent() && status.workerId().getAsInt() == id) {
            long granted = settings.tickOf(status.reservedUntil().orElseThrow().toEpochMilli());
            if (isOfBoth(store, process.machine, writer, id, granted - 1)) {
                return;
            }
            long usable = process.disk.leftBy(writer, id, granted);
            require(after.limit() >= usable, process.name + " may issue up to " + usable, id, before, after);
        }
    }

    // ---- at each call

    void issued(SimulatedProcess process, long[] ids) {
        if (process.machine.isBeingCopied()) {
            return;
        }
        run.tally.count(Tally.Count.IDS, ids.length);
        int from = 0;
        for (int i = 1; i <= ids.length; i++) {
            if (i == ids.length || ids[i] != ids[i - 1] + 1) {
                issued(process, ids[from], ids[i - 1]);
                from = i;
            }
        }
    }

    private void issued(SimulatedProcess process, long first, long last) {
        FakeStore store = process.watch().place.store();
        runs.add(new Run(first, last, process, store));
        int id = settings.workerId(first);
        long tick = settings.tick(first);
        if (run.traced()) {
            run.note("ids of worker id " + id + " in tick " + tick + ", " + (last - first + 1));
        }
        if (dataLost) {
            return;
        }
        Ledger ledger = ledger(store);
        ledger.issued(id, tick, process.machine);
        Machine holder = ledger.holder(id, tick);
        boolean grantedToBoth = copies.isShared(process.machine, store, id, tick)
                && (holder == null || holder == process.machine || isOfBoth(store, process.machine, holder, id, tick));
        if (!grantedToBoth) {
            if (tick >= ledger.limit(id)) {
                violated(process.name + " issued tick " + tick + " of worker id " + id + ", its mark ends at "
                        + ledger.limit(id));
            } else if (holder != process.machine && !isSuperseded(process, holder, id, tick)) {
                violated(process.name + " issued tick " + tick + " of worker id " + id + ", which was granted to "
                        + (holder == null ? "no process" : process(holder).name));
            }
        }
        copies.issued(process, id, tick);
        long ahead = tick - settings.tickOf(process.machine.wallNow());
        long allowed = settings.burst.plus(settings.startupAhead).toMillis();
        if (!process.clockTouched && ahead > allowed) {
            violated(process.name + " issued an id " + ahead + " ms ahead of its clock");
        }
    }

    /** Checks the worker id that a started process reports. */
    void opened(SimulatedProcess process, SnowflakeStatus status) {
        if (dataLost || settings.workers > 1 || status.reservedUntil().isEmpty()) {
            return;
        }
        FakeStore store = process.watch().place.store();
        int id = status.workerId().orElseThrow();
        long last = settings.tickOf(status.reservedUntil().get().toEpochMilli()) - 1;
        Machine holder = ledger(store).holder(id, last);
        if (holder != process.machine
                && !process.disk.wasTakenOver(id, last)
                && !copies.isShared(process.machine, store, id, last)) {
            violated(process.name + " has started with worker id " + id + " up to tick " + last
                    + ", which was granted to " + (holder == null ? "no process" : process(holder).name));
        }
    }

    /**
     * Whether this process took over from another on its host. The last note says what that one has not issued, and only one process can go
     * on from it.
     */
    private boolean isSuperseded(SimulatedProcess process, @Nullable Machine from, int id, long tick) {
        SimulatedProcess before = from == null ? null : processes.get(from);
        return before != null && before.disk == process.disk && process.disk.wasTakenOver(process.machine, id, tick);
    }

    /** A process goes on from this note. */
    void noteRead(SimulatedProcess process, ResumeNote note) {
        if (dataLost) {
            process.watch().requireNotContradicted(note);
        }
        Ledger ledger = ledger(process.watch().place.store());
        long highest = ledger.highestIssued(note.workerId()).tick();
        if (!dataLost && highest < note.hi() && highest >= note.lo()) {
            violated("a note says that nothing was issued from " + note.lo() + " under worker id " + note.workerId()
                    + ", but tick " + highest + " was");
        }
        if (!dataLost && ledger.limit(note.workerId()) < note.hi()) {
            violated("a note says that worker id " + note.workerId() + " was granted up to " + note.hi()
                    + ", but its mark ends at " + ledger.limit(note.workerId()));
        }
    }

    void regressed(SimulatedProcess process, CoordinatorRegressedException e) {
        if (process.machine.isBeingCopied()) {
            return;
        }
        run.tally.count(Tally.Count.REGRESSIONS_NOTICED);
        if (!dataLost && run.operations == 0 && !copies.isCopied(process.machine)) {
            violated("a false alarm in " + process.name + ": " + e.getMessage());
        }
    }

    // ---- disasters

    /** @param fenced whether a new namespace starts above everything the old one may have granted */
    void dataLost(boolean fenced) {
        if (!dataLost) {
            requireNoDuplicates();
        }
        // A creeping clock is compared with the coordinator's.
        boolean wrongClocks =
                !run.creeping.happens() && processes.values().stream().anyMatch(process -> process.clockTouched);
        if (!dataLost && !wrongClocks) {
            grantedBeforeLoss = ledgers.values().stream()
                    .mapToLong(Ledger::highestGranted)
                    .max()
                    .orElse(0);
        }
        dataLost = true;
        duplicatesExcused = !fenced || wrongClocks;
        ledgers.values().forEach(Ledger::forget);
    }

    /** Holds where an operator restored the namespace before any process saw the loss. */
    void requireFloorAboveAllThatWasGranted(FakeStore store) {
        if (floor(store) < grantedBeforeLoss) {
            violated("a restored namespace begins at " + floor(store) + ", though ticks up to " + grantedBeforeLoss
                    + " were granted before");
        }
    }

    /** A process that held a grant then has stopped by now, unless the coordinator still shows it, or shows a new one. */
    void requireCoveredAgain(List<SimulatedProcess> issuing) {
        for (SimulatedProcess process : issuing) {
            if (process.generator() == null || process.status().state() != SnowflakeStatus.State.ACTIVE) {
                continue;
            }
            SnowflakeStatus status = process.status();
            FakeStore store = process.watch().place.store();
            long granted = settings.tickOf(status.reservedUntil().orElseThrow().toEpochMilli());
            long shown = status.workerIds().stream()
                    .mapToLong(id -> limit(store.marks.get(id)))
                    .max()
                    .orElse(-1);
            if (store.meta == null || shown < granted) {
                violated(process.name + " issues under " + status + " though the coordinator shows " + store.meta
                        + " and a limit of " + shown);
            }
        }
    }

    /** Returns the limit of a mark; -1: there is none, or it is unreadable. */
    long limit(@Nullable Stored mark) {
        return mark == null ? -1 : limitsRead.computeIfAbsent(mark, Oracle::readLimit);
    }

    private static long readLimit(Stored mark) {
        try {
            return RecordLine.parse(mark.value()).number("limit");
        } catch (IllegalArgumentException edited) {
            return -1;
        }
    }

    // ---- at the end

    void requireNoDuplicates() {
        if (duplicatesExcused) {
            run.tally.count(Tally.Count.DUPLICATES_EXCUSED);
            return;
        }
        runs.sort((a, b) -> Long.compare(a.first, b.first));
        Run highest = null;
        Map<SimulatedProcess, Run> own = new HashMap<>();
        for (Run later : runs) {
            Run before = own.put(later.process, later);
            if (before != null && later.first <= before.last && !isExcused(before, later)) {
                violated("duplicate ids " + later.first + " of " + later.process.name + " alone");
            }
            if (highest != null && later.first <= highest.last && !isExcused(highest, later)) {
                violated("duplicate ids " + later.first + " to " + Math.min(highest.last, later.last) + ", of "
                        + highest.process.name + " and " + later.process.name);
            }
            highest = highest == null || later.last > highest.last ? later : highest;
        }
    }

    private boolean isExcused(Run a, Run b) {
        Machine machine = a.process.machine;
        int id = settings.workerId(b.first);
        long tick = settings.tick(b.first);
        if (machine.equals(b.process.machine)) {
            // The process started again, and was granted what it had issued, since its copy had given that back.
            return copies.isGivenBack(machine, a.store, id, tick);
        }
        return isOfBoth(a.store, machine, b.process.machine, id, tick);
    }

    /** Counts worker ids that no wrong clock has reserved into the far future, one by one or by the floor. */
    long usableIds(FakeStore store) {
        return IntStream.range(settings.firstId, settings.firstId + settings.ids)
                .filter(id -> isUsable(store, id))
                .count();
    }

    boolean isUsable(FakeStore store, int id) {
        long soon = run.trueTick() + HOUR_MILLIS;
        Stored mark = store.marks.get(id);
        return floor(store) <= soon && (mark == null || (limit(mark) >= 0 && limit(mark) <= soon));
    }

    /** Whether a worker id can be claimed; valid as long as the coordinator has lost nothing. */
    boolean isFree(FakeStore store, int id) {
        return store.held(id) == null && ledger(store).limit(id) <= run.trueTick() && floor(store) <= run.trueTick();
    }
}
