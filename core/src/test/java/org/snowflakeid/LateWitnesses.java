// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.lease.CurrentLease;
import org.snowflakeid.lease.Lease;
import org.snowflakeid.records.RecordLine;
import org.snowflakeid.spi.Stored;

/**
 * Processes that may learn of lost data elsewhere than by an extension: at a checkpoint, answered or not, or at a start that gets an answer or
 * two and then none. What was granted before must not be issued, and a generator that had such a grant must not begin anew in what is left.
 */
final class LateWitnesses {

    enum Kind {
        CHECKPOINT,
        CHECKPOINT_WITHOUT_ANSWERS,
        HALF_ANSWERED_START
    }

    private final Simulation run;
    private final FakeStore store;
    private final Random random;
    private final List<Held> held = new ArrayList<>();
    private final @Nullable Stored metaBefore;

    /** Those whose own ids were lost still when the checkpoint was wanted. */
    private List<Held> losers = List.of();

    /** The one whose checkpoint was wanted: it may have given its worker ids up before it could learn of the loss. */
    private @Nullable SimulatedProcess checkpointed;

    /**
     * What was issued under these worker ids is lost.
     *
     * @param used those of which this generator has issued ids; a process before it may have issued those of the others
     */
    private record Held(
            SimulatedProcess process, LeasedSnowflake generator, List<Integer> workerIds, List<Integer> used) {

        boolean goesOn() {
            return generator.equals(process.generator()) && process.status().state() == SnowflakeStatus.State.ACTIVE;
        }
    }

    /** Just before data is lost. */
    LateWitnesses(Simulation run, Random random, List<SimulatedProcess> issuing) {
        this.run = run;
        this.random = random;
        store = run.store;
        metaBefore = store.meta;
        issuing.forEach(this::hold);
    }

    private void hold(SimulatedProcess process) {
        LeasedSnowflake generator = process.generator();
        SnowflakeStatus status = process.status();
        if (generator != null && status.reservedUntil().isPresent()) {
            List<Integer> used = generator.issuer().shared.leases().stream()
                    .map(CurrentLease::get)
                    .filter(lease -> lease.lastIssuedHere() != Lease.SEALED)
                    .map(lease -> lease.workerId)
                    .toList();
            held.add(new Held(process, generator, status.workerIds(), used));
        }
    }

    /** Just after data was lost, before any process can have written again. */
    void keepThoseThatLost() {
        held.removeIf(each -> !hasLost(each, each.workerIds));
    }

    private boolean hasLost(Held each, List<Integer> workerIds) {
        return !isSame(metaBefore, store.meta) || workerIds.stream().anyMatch(id -> isLost(each, id));
    }

    /**
     * Another process has claimed such a worker id since, above all that was issued, as if it had been given back; or a write of before
     * arrived late, and covers that.
     */
    private boolean isHidden(Held each) {
        return isSame(metaBefore, store.meta) && each.workerIds.stream().anyMatch(id -> isHidden(each, id));
    }

    private boolean isHidden(Held each, int workerId) {
        Ledger ledger = run.oracle.ledger(store);
        return ledger.isGrantedToOthers(workerId, each.process.machine)
                || ledger.holder(workerId, ledger.highestIssued(workerId).tick()) != null;
    }

    /** A mark that was given back, or is about to be, is above what was issued. */
    private boolean isLost(Held each, int workerId) {
        Ledger.Issued issued = run.oracle.ledger(store).highestIssued(workerId);
        return each.process.machine.equals(issued.by()) && run.oracle.limit(store.marks.get(workerId)) <= issued.tick();
    }

    private static boolean isSame(@Nullable Stored before, @Nullable Stored now) {
        return before != null && now != null && id(before).equals(id(now));
    }

    private static String id(Stored meta) {
        return RecordLine.parse(meta.value()).text("id");
    }

    /** Takes up to a minute. */
    void play() {
        List<Held> running = held.stream()
                .filter(each -> each.generator.equals(each.process.generator()))
                .toList();
        if (running.isEmpty() || random.nextBoolean()) {
            return;
        }
        boolean isByNotes = run.resuming && random.nextInt(3) > 0;
        Kind kind = isByNotes
                ? Kind.HALF_ANSWERED_START
                : random.nextBoolean() ? Kind.CHECKPOINT : Kind.CHECKPOINT_WITHOUT_ANSWERS;
        SimulatedProcess process = running.get(random.nextInt(running.size())).process;
        run.tally.count(kind);
        run.note("WITNESS " + kind + " " + process.name);
        run.world.sleep(Duration.ofMillis(random.nextInt(2_000)));
        switch (kind) {
            case CHECKPOINT -> checkpoint(process);
            case CHECKPOINT_WITHOUT_ANSWERS -> {
                process.answersLeft = 0;
                checkpoint(process);
            }
            case HALF_ANSWERED_START -> startAgain(process);
        }
    }

    private void checkpoint(SimulatedProcess process) {
        checkpointed = process;
        losers = held.stream().filter(each -> hasLost(each, each.used)).toList();
        boolean reached = process.checkpoint.reach(process);
        run.world.sleep(Duration.ofMillis(random.nextInt(15_000)));
        process.answersLeft = Integer.MAX_VALUE;
        if (reached) {
            process.checkpoint.restore(process);
        }
        run.world.sleep(Duration.ofMillis(random.nextInt(15_000)));
    }

    private void startAgain(SimulatedProcess process) {
        process.crash();
        run.world.sleep(Duration.ofMillis(random.nextInt(3_000)));
        SimulatedProcess again = run.newProcess(process.disk);
        again.answersLeft = 1 + random.nextInt(3);
        run.processes.set(run.processes.indexOf(process), again);
        run.world.sleep(run.simulated.startupTimeout.plusMillis(random.nextInt(5_000)));
        again.answersLeft = Integer.MAX_VALUE;
    }

    void requireStopped() {
        for (Held each : held) {
            boolean knows = (!each.process.equals(checkpointed) || losers.contains(each))
                    && !each.process.watch().hasLostNotes();
            if (each.goesOn() && knows && !isHidden(each)) {
                run.oracle.violated(each.process.name + " issued ids under worker ids " + each.workerIds
                        + ", which the coordinator has lost, and goes on: " + each.process.status());
            }
        }
    }
}
