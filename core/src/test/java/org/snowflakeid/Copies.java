// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SimulatedClient.Sent;
import org.snowflakeid.VirtualWorld.Machine;
import org.snowflakeid.ids.IdIssuer;
import org.snowflakeid.lease.CurrentLease;
import org.snowflakeid.lease.Lease;
import org.snowflakeid.records.Mark;

/**
 * Processes that run twice from some moment on, with the same memory. What was granted until then is granted to both: if the copy can't see
 * that it missed time, both may issue from it until they have written again. If it can, it issues none of it.
 */
final class Copies {

    enum Kind {
        /** It runs on at once. */
        IN_LOCK_STEP,
        /** It runs again after less than a second. */
        SOON,
        /** It runs again later, and its clock shows it. */
        LATE,
        /** It runs again later, with the time of the copy. */
        LATE_AND_UNAWARE,
        /** It runs again later, on a machine whose clock is behind by more than that. */
        LATE_AND_BEHIND
    }

    /** A jump of the clock by no more than this may go unnoticed; so may one that another step has offset to within this. */
    private static final long UNSEEN_MILLIS = 1000;

    private final Simulation run;
    private final List<Copy> copies = new ArrayList<>();

    /** The machines that have written since there are copies. */
    private final Set<Machine> writers = new HashSet<>();

    /** What copies have claimed, each with random bytes of its own. */
    private final List<Claimed> claimed = new ArrayList<>();

    private final List<GivenBack> givenBack = new ArrayList<>();

    /**
     * @param shared what both may hold, or get by a write whose answer is not known
     * @param lateMillis how much later it runs again
     * @param stepMillis by how much the copy's wall clock steps against its monotonic one by that
     * @param unseenMillis by how much it steps against what the original saw last
     * @param wallMillis by how much the original's wall clock was ahead of its monotonic one
     * @param timeMillis by how much what both took for the time was
     * @param running the copy's generator
     * @param reserved up to where it then held one of them
     * @param lastTicks of each worker id the tick that was issued last by then: a call under way may have those ids, and both finish it
     */
    private record Copy(
            SimulatedProcess original,
            SimulatedProcess copy,
            List<Sent> shared,
            long lateMillis,
            long stepMillis,
            long unseenMillis,
            long wallMillis,
            long timeMillis,
            @Nullable LeasedSnowflake running,
            List<Integer> workerIds,
            long reserved,
            Map<Integer, Long> lastTicks) {

        boolean isOf(@Nullable Machine machine) {
            return original.machine.equals(machine) || copy.machine.equals(machine);
        }

        boolean isShared(FakeStore store, int id, long tick) {
            return shared.stream()
                    .anyMatch(sent -> sent.workerId() == id && sent.store() == store && tick < sent.limit());
        }
    }

    private record Claimed(Machine machine, int workerId, long from) {}

    /** One of two gave a worker id back, with what the other one holds of these ticks: the next process to claim it is granted that as well. */
    private record GivenBack(Copy copy, Machine by, int workerId, long from, long to) {

        boolean covers(FakeStore store, int id, long tick) {
            return id == workerId && from <= tick && tick < to && copy.isShared(store, id, tick);
        }

        boolean isToBoth(Machine one, Machine other) {
            return copy.isOf(one) != copy.isOf(other) && one != by && other != by;
        }
    }

    Copies(Simulation run) {
        this.run = run;
    }

    SimulatedProcess copy(SimulatedProcess original, Kind kind) {
        run.tally.count(kind);
        long lateMillis =
                switch (kind) {
                    case IN_LOCK_STEP -> 0;
                    case SOON -> 1 + run.random.nextInt(900);
                    case LATE, LATE_AND_UNAWARE -> UNSEEN_MILLIS + 200 + run.random.nextInt(15_000);
                    // As late as an answer may be that is still on its way.
                    case LATE_AND_BEHIND ->
                        UNSEEN_MILLIS
                                + 1
                                + run.random.nextInt(run.random.nextInt(3) > 0 ? longestAnswerMillis() : 15_000);
                };
        long behindMillis =
                switch (kind) {
                    case IN_LOCK_STEP, SOON, LATE -> 0;
                    case LATE_AND_UNAWARE -> lateMillis;
                    case LATE_AND_BEHIND -> lateMillis + behindMillis();
                };
        List<Sent> shared = original.clients.held();
        SimulatedProcess copy = original.copy(original.name + "'", Duration.ofMillis(lateMillis), behindMillis);
        LeasedSnowflake running = copy.generator();
        SnowflakeStatus status = running == null ? null : copy.status();
        copies.add(new Copy(
                original,
                copy,
                shared,
                lateMillis,
                lateMillis - behindMillis,
                copy.watch().steps.unseenMillis(),
                wallMillis(original.machine),
                running == null
                        ? 0
                        : running.issuer().clock.shownMillis(copy.machine.nanosNow()) - monotonicMillis(copy.machine),
                running,
                status == null ? List.of() : status.workerIds(),
                status == null ? 0 : reserved(status, shared),
                running == null ? Map.of() : lastTicks(running.issuer())));
        return copy;
    }

    private static Map<Integer, Long> lastTicks(IdIssuer issuer) {
        Map<Integer, Long> ticks = new HashMap<>();
        for (CurrentLease inUse : issuer.shared.leases()) {
            long last = inUse.get().lastIssued();
            if (last != Lease.SEALED) {
                ticks.put(inUse.get().workerId, issuer.positions.tick(last));
            }
        }
        return ticks;
    }

    /** Up to where it is reserved, or may prove to be by the last write sent, whose answer is under way. */
    private long reserved(SnowflakeStatus status, List<Sent> shared) {
        long reserved = run.simulated.tickOf(
                status.reservedUntil().map(Instant::toEpochMilli).orElse(0L));
        Map<Integer, Long> last = new HashMap<>();
        shared.stream()
                .filter(sent -> status.workerIds().contains(sent.workerId()))
                .forEach(sent -> last.put(sent.workerId(), sent.limit()));
        return last.values().stream().mapToLong(limit -> limit).reduce(reserved, Math::max);
    }

    /** The longest that an answer takes to a process that has started. */
    private int longestAnswerMillis() {
        return (int) Math.min(2000, run.simulated.window.toMillis() / 6);
    }

    /** How far the clock is behind, beyond the time that was missed: mostly so far that the process sees that it was set back. */
    private long behindMillis() {
        int maxSkew = (int) run.simulated.maxSkew.toMillis();
        return run.random.nextInt(4) == 0 ? run.random.nextInt(maxSkew) : maxSkew + 1 + run.random.nextInt(20_000);
    }

    private static long wallMillis(Machine machine) {
        return machine.wallNow() - monotonicMillis(machine);
    }

    private static long monotonicMillis(Machine machine) {
        return machine.nanosNow() / 1_000_000;
    }

    /**
     * A generator follows a clock that is set back by no more than max-skew. Clocks are compared in whole milliseconds: a step that is one more
     * than the bound is seen at one reading, and not at the next.
     */
    private boolean isSeen(long stepMillis) {
        return stepMillis > UNSEEN_MILLIS + 1 || stepMillis < -run.simulated.maxSkew.toMillis() - 1;
    }

    boolean isEmpty() {
        return copies.isEmpty();
    }

    boolean isCopied(@Nullable Machine machine) {
        return copies.stream().anyMatch(copy -> copy.isOf(machine));
    }

    void written(FakeStore store, @Nullable Machine writer, int id, long limitBefore, Mark mark) {
        if (writer != null && !copies.isEmpty()) {
            writers.add(writer);
            if (mark.token().startsWith("free-")) {
                copies.stream()
                        .filter(copy -> copy.isOf(writer) && copy.isShared(store, id, mark.limit()))
                        .forEach(copy -> givenBack.add(new GivenBack(copy, writer, id, mark.limit(), limitBefore)));
            }
            boolean known = copies.stream()
                    .flatMap(copy -> copy.shared.stream())
                    .anyMatch(sent -> sent.mark().equals(mark.value()));
            if (mark.count() == 0 && !mark.token().startsWith("free-") && !known) {
                claimed.add(new Claimed(writer, id, mark.from()));
            }
        }
    }

    private boolean hasClaimed(Machine machine, int id, long tick) {
        return claimed.stream()
                .anyMatch(each -> each.machine.equals(machine) && each.workerId == id && tick >= each.from);
    }

    /** Whether a tick was granted to this one and a copy of it. */
    boolean isShared(@Nullable Machine machine, FakeStore store, int id, long tick) {
        return copies.stream().anyMatch(copy -> copy.isOf(machine) && copy.isShared(store, id, tick));
    }

    /**
     * Whether a tick was granted to these two: one is a copy of the other, or one was granted it after the other's copy, or original, had
     * given the worker id back.
     */
    boolean isShared(Machine one, Machine other, FakeStore store, int id, long tick) {
        return copies.stream().anyMatch(copy -> copy.isOf(one) && copy.isOf(other) && copy.isShared(store, id, tick))
                || givenBack.stream().anyMatch(given -> given.covers(store, id, tick) && given.isToBoth(one, other));
    }

    /** Whether the other copy gave this back: from then on no mark covers the ids issued of it. */
    boolean isGivenBack(@Nullable Machine issuer, FakeStore store, int id, long tick) {
        return givenBack.stream()
                .anyMatch(given -> given.covers(store, id, tick) && given.copy.isOf(issuer) && given.by != issuer);
    }

    void issued(SimulatedProcess process, int id, long tick) {
        for (Copy copy : copies) {
            if (copy.copy == process
                    && copy.running == process.generator()
                    && copy.lateMillis > UNSEEN_MILLIS
                    && isSeen(copy.stepMillis)
                    // A step that the original had not seen yet may make up for it.
                    && isSeen(copy.unseenMillis)
                    && (isSeen(copy.copy.watch().steps.furthestSeenAheadMillis())
                            || isSeen(copy.copy.watch().steps.furthestSeenBackMillis()))
                    && Math.abs(wallMillis(process.machine) - copy.wallMillis) > UNSEEN_MILLIS
                    && isSeen(wallMillis(process.machine) - copy.timeMillis)
                    && tick < copy.reserved
                    && tick > copy.lastTicks.getOrDefault(id, Long.MIN_VALUE)
                    // Each of several worker ids ends at a tick of its own.
                    && copy.isShared(process.watch().place.store(), id, tick)
                    && copy.workerIds.contains(id)
                    && !hasClaimed(process.machine, id, tick)) {
                run.oracle.violated(
                        writers.contains(process.machine)
                                ? process.name
                                        + " is the copy of a process that goes on, has written since, and issues of the"
                                        + " span that both hold: tick " + tick + " of worker id " + id
                                : process.name + " is the copy of a process that goes on, runs again after "
                                        + copy.lateMillis + " ms, and issues before it has written: tick " + tick
                                        + " of worker id " + id);
            }
        }
    }
}
