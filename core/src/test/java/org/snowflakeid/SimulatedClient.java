// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Accidents.Place;
import org.snowflakeid.VirtualWorld.Machine;
import org.snowflakeid.records.Mark;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * A process's client of a {@link FakeStore}: it has accidents, and repeats to a machine that becomes a copy the answers that the original got.
 */
final class SimulatedClient implements WorkerCoordinator {

    /** A clock is not compared with the time in an answer that took longer. */
    private static final long LONGEST_AGE_MILLIS = 5_000;

    /** The clients of one process, in the order in which they were opened. */
    static final class Clients {
        private final List<SimulatedClient> opened = new ArrayList<>();
        private final @Nullable Clients copied;

        /** @param copied the clients of the process whose memory is copied; null: none is */
        Clients(@Nullable Clients copied) {
            this.copied = copied;
        }

        /** Marks of this process that the coordinator may have, or may yet get, and that are not given back. */
        List<Sent> held() {
            List<Sent> held = new ArrayList<>();
            opened.forEach(client -> held.addAll(client.sent));
            return held;
        }

        WorkerCoordinatorProvider provider(
                FakeStore store, Machine machine, Watch watch, @Nullable Accidents accidents) {
            return new WorkerCoordinatorProvider() {
                @Override
                public String name() {
                    return store.name();
                }

                @Override
                public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
                    if (accidents != null) {
                        accidents.mayHappen(Place.OPENING_A_CLIENT);
                    }
                    if (watch.process.run.rim.isWithoutDescriptors(machine)) {
                        throw new CoordinatorException("no connection: too many open files", false);
                    }
                    WorkerCoordinator real = copied != null && machine.isBeingCopied()
                            ? store.openAgain(copied.opened.get(opened.size()).real, lossHint, machine)
                            : store.usedBy(machine).open(config, lossHint);
                    SimulatedClient client = new SimulatedClient(store, real, machine, watch, accidents);
                    opened.add(client);
                    return client;
                }
            };
        }
    }

    record Sent(FakeStore store, int workerId, String mark, long limit) {}

    private final FakeStore store;
    private final WorkerCoordinator real;
    private final Machine machine;
    private final Watch watch;
    private final @Nullable Accidents accidents;
    private final List<Sent> sent = new ArrayList<>();

    private SimulatedClient(
            FakeStore store, WorkerCoordinator real, Machine machine, Watch watch, @Nullable Accidents accidents) {
        this.store = store;
        this.real = real;
        this.machine = machine;
        this.watch = watch;
        this.accidents = accidents;
    }

    /** The outcome of a call, as a value. */
    private record Outcome<T>(@Nullable T result, @Nullable CoordinatorException failure) {

        static <T> Outcome<T> of(Supplier<T> call) {
            try {
                return new Outcome<>(call.get(), null);
            } catch (CoordinatorException e) {
                return new Outcome<>(null, e);
            }
        }

        T get() {
            if (failure != null) {
                throw failure;
            }
            return result;
        }
    }

    private <T> T call(Supplier<T> request, Supplier<T> lost) {
        watch.coordinatorAsked();
        mayFail(Place.BEFORE_A_REQUEST);
        long began = watch.millis();
        T result = answer(request, lost).get();
        if (isAnswer(result)) {
            watch.coordinatorAnswered();
        }
        if (tellsTime(result) && watch.millis() - began <= LONGEST_AGE_MILLIS) {
            watch.process.timeTold();
        }
        mayFail(Place.AFTER_A_REQUEST);
        return result;
    }

    private <T> Outcome<T> answer(Supplier<T> request, Supplier<T> lost) {
        watch.requestBegins();
        try {
            return machine.answer(() -> live(request, lost), () -> Outcome.of(lost));
        } finally {
            watch.requestEnds();
        }
    }

    private <T> Outcome<T> live(Supplier<T> request, Supplier<T> lost) {
        RimFaults rim = watch.process.run.rim;
        if (rim.isWithoutRequests(machine) || !watch.process.isReached()) {
            return Outcome.of(lost);
        }
        boolean hangs = rim.mayHang(machine);
        boolean sent = !hangs || watch.process.run.world.random().nextBoolean();
        Outcome<T> outcome = Outcome.of(sent ? request : lost);
        if (hangs) {
            rim.hang(machine);
            return Outcome.of(lost);
        }
        return watch.process.receives() ? outcome : Outcome.of(lost);
    }

    private static boolean isAnswer(Object result) {
        return result instanceof List<?> several
                ? several.stream().anyMatch(SimulatedClient::isAnswer)
                : !(result instanceof CasResult.Unknown);
    }

    private static boolean tellsTime(Object result) {
        return (result instanceof List<?> several && several.stream().anyMatch(SimulatedClient::tellsTime))
                || (result instanceof Snapshot seen && seen.serverTime() != null)
                || (result instanceof CasResult.Applied applied && applied.serverTime() != null);
    }

    private void mayFail(Place place) {
        if (accidents != null) {
            accidents.mayHappen(place);
        }
    }

    private CasResult write(Supplier<CasResult> request) {
        return call(request, () -> new CasResult.Unknown(cut()));
    }

    private static CoordinatorException cut() {
        return new CoordinatorException("the connection was cut", false);
    }

    private CasResult raise(int id, String next, Stored meta, Supplier<CasResult> request) {
        noteSent(id, next, meta);
        CasResult result = write(request);
        noteAnswer(next, result);
        return result;
    }

    private void noteSent(int id, String next, Stored meta) {
        watch.process.run.oracle.sent(store, next, meta);
        if (machine.isCopyable()) {
            sent.add(new Sent(store, id, next, Mark.parse(new Stored(next, 0)).limit()));
        }
    }

    /** A write that was not applied never will be: others have written since. */
    private void noteAnswer(String next, CasResult result) {
        if (result instanceof CasResult.Rejected rejected
                && rejected.seen() != null
                && rejected.seen().mark() != null
                && !rejected.seen().mark().value().equals(next)) {
            sent.removeIf(earlier -> earlier.mark().equals(next));
        }
    }

    @Override
    public Snapshot read(int fromId, int toId, Duration timeout) {
        Snapshot seen = call(() -> real.read(fromId, toId, timeout), () -> {
            throw cut();
        });
        watch.shown(seen);
        return seen;
    }

    @Override
    public CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
        return write(() -> real.writeMeta(expected, next, timeout));
    }

    @Override
    public CasResult claim(
            int id, @Nullable Stored mark, String next, String owner, boolean evict, Stored meta, Duration timeout) {
        return raise(id, next, meta, () -> real.claim(id, mark, next, owner, evict, meta, timeout));
    }

    @Override
    public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
        return raise(id, next, meta, () -> real.extend(id, mark, next, owner, meta, timeout));
    }

    @Override
    public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
        // All marks have their bytes now: a copy taken from here on sends the same, whichever is next.
        extensions.forEach(each -> noteSent(each.id(), each.next(), meta));
        if (!store.extendsTogether) {
            return extendOneByOne(extensions, meta, timeout);
        }
        List<CasResult> results = call(
                () -> real.extendAll(extensions, meta, timeout),
                () -> Collections.nCopies(extensions.size(), new CasResult.Unknown(cut())));
        for (int i = 0; i < results.size(); i++) {
            noteAnswer(extensions.get(i).next(), results.get(i));
        }
        return results;
    }

    /** Extends as clients do that have no better way, but by this machine's clock. */
    private List<CasResult> extendOneByOne(List<Extension> extensions, Stored meta, Duration timeout) {
        long end = machine.nanoTime() + timeout.toNanos();
        List<CasResult> results = new ArrayList<>();
        for (Extension each : extensions) {
            Duration left = Duration.ofNanos(Math.max(1_000_000, end - machine.nanoTime()));
            CasResult result;
            try {
                result = write(() -> real.extend(each.id(), each.mark(), each.next(), each.owner(), meta, left));
            } catch (CoordinatorException nothingChanged) {
                result = new CasResult.Unknown(nothingChanged);
            }
            noteAnswer(each.next(), result);
            results.add(result);
        }
        return results;
    }

    @Override
    public CasResult release(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
        CasResult result = write(() -> real.release(id, mark, next, owner, meta, timeout));
        if (result instanceof CasResult.Applied) {
            sent.removeIf(earlier -> earlier.workerId() == id);
        }
        return result;
    }

    @Override
    public void abandon(int id, String owner, Duration timeout) {
        machine.answer(
                () -> {
                    real.abandon(id, owner, timeout);
                    return true;
                },
                () -> false);
    }

    @Override
    public void close() {
        real.close();
    }
}
