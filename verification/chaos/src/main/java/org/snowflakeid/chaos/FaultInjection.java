// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/** Makes faults happen, and undoes them. */
final class FaultInjection {
    private final Cluster cluster;
    private final List<WorkerProcess> workers;
    private final String namespace;

    FaultInjection(Cluster cluster, List<WorkerProcess> workers, String namespace) {
        this.cluster = cluster;
        this.workers = workers;
        this.namespace = namespace;
    }

    /**
     * Makes it happen now.
     *
     * @return what undoes it; empty if it could not happen, because there is nothing it could hurt
     */
    Optional<Runnable> begin(Fault fault) {
        return switch (fault.kind()) {
            case FREEZE_WORKER -> {
                // Counted also where nothing runs, so that the end of another does not end this one too.
                worker(fault).freeze();
                yield Optional.of(worker(fault)::thaw);
            }
            case KILL_WORKER -> when(worker(fault).kill(), worker(fault)::start);
            case CLOSE_WORKER ->
                when(worker(fault).command("close " + fault.lasts().toMillis()), () -> {});
            case STEP_CLOCK ->
                when(worker(fault).command("clock " + fault.amount()), () -> worker(fault)
                        .command("clock 0"));
            case HOLD_REPLIES -> {
                worker(fault).holdReplies(fault.amount(), 1);
                yield Optional.of(() -> worker(fault).holdReplies(fault.amount(), -1));
            }
            case FREEZE_CONNECTIONS -> {
                worker(fault).freezeConnections(fault.amount(), 1);
                yield Optional.of(() -> worker(fault).freezeConnections(fault.amount(), -1));
            }
            case CUT_CONNECTIONS -> {
                worker(fault).cutConnections(fault.amount());
                yield Optional.of(() -> {});
            }
            case EXPIRE_OWNER -> when(cluster.expireOwner(namespace, fault.target()), () -> {});
            case DELETE_OWNER -> when(cluster.deleteOwner(namespace, fault.target()), () -> {});
            case FREEZE_MEMBER -> onMembers(IntStream.of(fault.target()), cluster::freeze, cluster::thaw);
            case KILL_MEMBER -> onMembers(IntStream.of(fault.target()), cluster::kill, cluster::start);
            case RESTART_MEMBER -> onMembers(IntStream.of(fault.target()), cluster::stop, cluster::start);
            case KILL_LEADER -> onLeader(cluster::kill, cluster::start);
            case FREEZE_LEADER -> onLeader(cluster::freeze, cluster::thaw);
            case FREEZE_QUORUM -> onMembers(allBut(fault.target()), cluster::freeze, cluster::thaw);
            case KILL_QUORUM -> onMembers(allBut(fault.target()), cluster::kill, cluster::start);
        };
    }

    private WorkerProcess worker(Fault fault) {
        return workers.get(fault.target());
    }

    private static Optional<Runnable> when(boolean happened, Runnable undo) {
        return happened ? Optional.of(undo) : Optional.empty();
    }

    private IntStream allBut(int member) {
        return IntStream.range(0, cluster.size()).filter(m -> m != member);
    }

    private Optional<Runnable> onLeader(IntConsumer action, IntConsumer undo) {
        OptionalInt leader = cluster.leader();
        return leader.isPresent() ? onMembers(IntStream.of(leader.getAsInt()), action, undo) : Optional.empty();
    }

    private static Optional<Runnable> onMembers(IntStream members, IntConsumer action, IntConsumer undo) {
        int[] hurt = members.toArray();
        if (hurt.length == 0) {
            return Optional.empty();
        }
        IntStream.of(hurt).forEach(action);
        return Optional.of(() -> IntStream.of(hurt).forEach(undo));
    }
}
