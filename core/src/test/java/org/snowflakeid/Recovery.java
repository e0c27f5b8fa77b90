// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** After the faults everything is well again, in time and without help. */
final class Recovery {

    private static final Duration LOOK = Duration.ofMillis(500);

    /** A request that is never answered, pauses between attempts, and the next look. */
    private static final long ATTEMPT_MILLIS = 10_000;

    /** Longer than any recovery takes: whatever is wrong has been reported by then. */
    private static final long MOST_MILLIS = 600_000;

    private final Simulation run;
    private final SimulatedSettings settings;
    private final long beganMillis;

    /**
     * How much longer worker ids are reserved than by a right clock: generators believe small steps of a clock, one after the other, and
     * claims of before the end of the faults may arrive late.
     */
    private long reservedTooLongMillis;

    /** Since when a worker id could be claimed, and a process needs one. */
    private final Map<Integer, Long> freeSince = new HashMap<>();

    private final Map<SimulatedProcess, Long> needySince = new HashMap<>();

    /** Since when a process that has started is refused all ids, though its clock is not behind them. */
    private final Map<SimulatedProcess, Long> strandedSince = new HashMap<>();

    /** When its clock was last seen in doubt. */
    private final Map<SimulatedProcess, Long> doubtedUntil = new HashMap<>();

    Recovery(Simulation run) {
        this.run = run;
        settings = run.simulated;
        beganMillis = now();
    }

    /** A claim begins at most one window ahead, and reserves one window; none begins below the floor of the namespace. */
    private void noteReserved() {
        long elapsed = now() - beganMillis;
        if (elapsed <= run.store.latest.toMillis()) {
            long furthest = IntStream.range(settings.firstId, settings.firstId + settings.ids)
                    .filter(id -> run.oracle.isUsable(run.store, id))
                    .mapToLong(id -> Math.max(
                            run.oracle.floor(run.store),
                            run.oracle.ledger(run.store).limit(id) - 2 * settings.window.toMillis()))
                    .max()
                    .orElse(0);
            reservedTooLongMillis = Math.max(reservedTooLongMillis, elapsed + furthest - run.trueTick());
        }
    }

    private long now() {
        return run.world.nanoTime() / 1_000_000;
    }

    /** Waits until as many processes issue again as there are usable worker ids for. */
    void await() {
        run.processes.forEach(process -> process.issuedSince = 0);
        long calmSince = beganMillis;
        // Copies learn of each other when they write.
        long least = run.oracle.copies.isEmpty() ? 0 : settings.window.toMillis() + ATTEMPT_MILLIS;
        boolean counts = least == 0;
        while (run.isGoingOn() && now() - beganMillis < MOST_MILLIS) {
            run.world.sleep(LOOK);
            if (run.processes.stream().anyMatch(process -> process.machine.isPaused())) {
                calmSince = now();
            }
            look();
            if (!counts && now() - calmSince > least) {
                // Ids issued until now may come from grants made before the faults ended.
                counts = true;
                run.processes.forEach(process -> process.issuedSince = 0);
                calmSince = now();
                continue;
            }
            long issuing = 0;
            for (SimulatedProcess process : run.processes) {
                issuing += process.issuedSince > 0 && !process.isFarAhead() ? 1 : 0;
            }
            long wanted = wanted();
            if (counts && issuing >= wanted && !isAnyThreadLeft()) {
                run.tally.recovered(now() - beganMillis);
                return;
            }
            if (issuing < wanted && now() - calmSince > longestMillis()) {
                run.oracle.violated("only " + issuing + " of " + wanted + " processes issue ids "
                        + (now() - calmSince) + " ms after the faults, with " + settings.ids + " worker ids, "
                        + settings.workers + " for each");
            }
        }
        if (run.isGoingOn() && least + 2 * longestMillis() < MOST_MILLIS) {
            run.oracle.violated("not well " + MOST_MILLIS + " ms after the faults");
        }
    }

    /** Whether a process is in a call that never ends: only a restart would help it. */
    private boolean hangs(SimulatedProcess process) {
        return run.rim.hanging(process.machine) > 0;
    }

    private long wanted() {
        long processes = run.processes.stream()
                .filter(process -> !process.isFarAhead() && !hangs(process))
                .count();
        long heldInVain = run.store.owners.keySet().stream()
                .filter(id -> run.oracle.isUsable(run.store, id))
                .map(run.store::held)
                .filter(held -> held != null && isFarAhead(held.machine()))
                .count();
        return Math.min((run.oracle.usableIds(run.store) - heldInVain) / settings.workers, processes);
    }

    /** Whether a process is far ahead: one worker id reserved into the far future makes all of a generator's useless. */
    private boolean isFarAhead(VirtualWorld.@Nullable Machine machine) {
        SimulatedProcess process = machine == null ? null : run.process(machine);
        return process != null && process.isFarAhead();
    }

    /**
     * Entries of crashed owners expire, their reservations pass, and so does the reservation of a claim that has to wait for that; and a
     * process goes on distrusting a clock for a while after it was set right. Where each process needs several worker ids, those that wait
     * get in each other's way.
     */
    private long longestMillis() {
        return 4 * settings.window.toMillis()
                + 2 * settings.maxSkew.toMillis()
                + settings.burst.plus(settings.startupAhead).toMillis()
                + reservedTooLongMillis
                + (settings.workers + 1) * ATTEMPT_MILLIS;
    }

    /** Starts may see for a window what a wrong clock, or a process that is gone, has written. */
    private long longestNeedMillis() {
        return ATTEMPT_MILLIS + settings.window.toMillis() + (run.store.tellsTime ? 0 : settings.maxSkew.toMillis());
    }

    /** Whether a thread is left of a generator that was closed, or never opened. */
    private boolean isAnyThreadLeft() {
        return run.processes.stream()
                .flatMap(process -> process.watches().stream())
                .anyMatch(watch -> watch.hasEnded() && watch.threadsLeft() > 0);
    }

    private void look() {
        noteReserved();
        long now = now();
        for (int id = settings.firstId; id < settings.firstId + settings.ids; id++) {
            if (run.oracle.isFree(run.store, id)) {
                freeSince.putIfAbsent(id, now);
            } else {
                freeSince.remove(id);
            }
        }
        for (SimulatedProcess process : run.processes) {
            process.watch().requireStartInTime();
            process.watches().forEach(Watch::requireNoThreadLeft);
            // A copy may hold what the process claimed before it was copied.
            if (process.watch().isOpening()
                    && !isMisled()
                    && !process.machine.isPaused()
                    && !run.oracle.copies.isCopied(process.machine)
                    && held(process) < settings.workers) {
                needySince.putIfAbsent(process, now);
            } else {
                needySince.remove(process);
            }
            if (isStranded(process)) {
                strandedSince.putIfAbsent(process, now);
            } else {
                strandedSince.remove(process);
            }
        }
        requireNoneStranded(now);
        needySince.forEach((process, needy) -> {
            List<Integer> free = freeSince.entrySet().stream()
                    .filter(each -> now - Math.max(each.getValue(), needy) > longestNeedMillis())
                    .map(Map.Entry::getKey)
                    .toList();
            // A process that can't claim all that it needs gives back what it has.
            if (free.size() >= settings.workers - held(process) && !hangs(process)) {
                run.oracle.violated(process.name + " starts and has not claimed worker ids " + free
                        + ", which have been free for more than " + longestNeedMillis() + " ms since");
            }
        });
    }

    private boolean isStranded(SimulatedProcess process) {
        return process.watch().isRefusing()
                && !hangs(process)
                && !process.machine.isPaused()
                && !run.oracle.copies.isCopied(process.machine)
                && process.watch().highestTick <= run.trueTick()
                && !(isMisled() && process.status().workerIds().isEmpty());
    }

    /** A process that can't go on with a worker id claims another: once its clock is vetted, that takes no longer than a claim. */
    private void requireNoneStranded(long now) {
        long longest = ATTEMPT_MILLIS + 2 * settings.maxSkew.toMillis();
        strandedSince.forEach((process, stranded) -> {
            boolean doubts = isVettedByPeers(process);
            if (doubts) {
                doubtedUntil.put(process, now);
            }
            long ready = doubts ? stranded : Math.max(stranded, doubtedUntil.getOrDefault(process, stranded));
            long most = doubts ? longest + longestDoubtMillis() : longest;
            if (freeSince.values().stream().anyMatch(since -> now - Math.max(since, ready) > most)) {
                run.oracle.violated(process.name + " is refused all ids for more than " + most
                        + " ms, though a worker id has been free for as long: " + process.status());
            }
        });
    }

    private boolean isVettedByPeers(SimulatedProcess process) {
        return !run.store.tellsTime && process.status().clockWarning().isPresent();
    }

    /** A live peer that has not written since the step confirms the clock when it extends, and the keeper looks for that now and then. */
    private long longestDoubtMillis() {
        return settings.window.toMillis() / 3 + settings.window.toMillis() / 12;
    }

    /**
     * Whether owner entries tell starts a wrong time: a late request of a crashed process may create one that lasts for a window from then on.
     */
    private boolean isMisled() {
        return !run.store.tellsTime && run.store.owners.keySet().stream().anyMatch(this::isMisleading);
    }

    private boolean isMisleading(int workerId) {
        FakeStore.Held held = run.store.held(workerId);
        if (held == null || held.machine() == null || !held.machine().isCrashed()) {
            return false;
        }
        Duration off = Duration.between(run.store.mark(workerId).at(), run.world.trueTime())
                .abs();
        return off.compareTo(settings.maxSkew.plus(settings.window)) > 0;
    }

    private long held(SimulatedProcess process) {
        return run.store.owners.keySet().stream()
                .map(run.store::held)
                .filter(held -> held != null && process.machine.equals(held.machine()))
                .count();
    }
}
