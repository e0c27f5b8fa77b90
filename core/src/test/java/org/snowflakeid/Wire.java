// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.config.Key;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * The way from one process to a {@link FakeStore}, on which chosen writes stay until the test lets them arrive: late, in another
 * order, twice, or after their sender crashed.
 */
final class Wire implements WorkerCoordinatorProvider {

    enum Kind {
        /** Not a write, and never held; OPEN and CLOSE aren't either. */
        READ,
        OPEN,
        CLOSE,
        META,
        CLAIM,
        EXTEND,
        RELEASE,
        /** Not a write. It is held for as long as the call may take, since no test can let it arrive. */
        ABANDON
    }

    private final VirtualWorld world;
    private final WorkerCoordinatorProvider store;
    private final Set<Kind> held = EnumSet.noneOf(Kind.class);
    private final Queue<Request> inFlight = new ArrayDeque<>();
    private final List<Trouble> troubles = new ArrayList<>();
    private int connections;
    private int applied;

    /** The keys that this provider declares. */
    List<Key<?>> keys = List.of();

    /** Whether nothing gets through, in either direction. */
    boolean cut;

    /** How long each call takes. */
    Duration latency = Duration.ZERO;

    /** Whether no call ends. */
    volatile boolean hangs;

    /** Letting go of owner entries does not end. */
    volatile boolean abandonHangs;

    /** Each worker id that this end has given up, once for each time. */
    final List<Integer> abandoned = new ArrayList<>();

    /** Changes a read on its way back. */
    UnaryOperator<Snapshot> reads = UnaryOperator.identity();

    Wire(VirtualWorld world, WorkerCoordinatorProvider store) {
        this.world = world;
        this.store = store;
    }

    /** From now on writes of this kind stay on the wire; each sender waits for its answer until the call times out. */
    void hold(Kind kind) {
        held.add(kind);
    }

    /** Held writes stay held; later ones go through. */
    void release(Kind kind) {
        held.remove(kind);
    }

    /** Waits for the next write to be held. */
    Request next() {
        for (int waited = 0; inFlight.isEmpty(); waited++) {
            if (waited > 60_000) {
                throw new AssertionError("nothing was sent within 10 minutes");
            }
            world.sleep(Duration.ofMillis(waited < 100 ? 1 : 10));
        }
        return inFlight.remove();
    }

    boolean isEmpty() {
        return inFlight.isEmpty();
    }

    /** The next {@code times} calls of this kind throw this and are never sent. */
    void throwInsteadOf(Kind kind, int times, Throwable thrown) {
        troubles.add(new Trouble(kind, false, times, thrown));
    }

    /** The next {@code times} calls of this kind are carried out, and then throw this. */
    void throwAfter(Kind kind, int times, Throwable thrown) {
        troubles.add(new Trouble(kind, true, times, thrown));
    }

    /** From now on no call throws. */
    void heal() {
        troubles.clear();
    }

    /** How many connections are open. */
    int connections() {
        return connections;
    }

    /** How many writes from this end were applied. */
    int applied() {
        return applied;
    }

    private static final class Trouble {
        final Kind kind;
        final boolean afterwards;
        final Throwable thrown;
        int times;

        Trouble(Kind kind, boolean afterwards, int times, Throwable thrown) {
            this.kind = kind;
            this.afterwards = afterwards;
            this.times = times;
            this.thrown = thrown;
        }
    }

    private void raise(Kind kind, boolean afterwards) {
        for (Trouble trouble : troubles) {
            if (trouble.kind == kind && trouble.afterwards == afterwards && trouble.times > 0) {
                trouble.times--;
                throw unchecked(trouble.thrown);
            }
        }
    }

    /** Throws checked exceptions too: a coordinator in another language may do so. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    static <T extends Throwable> RuntimeException unchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }

    private <T> T call(Kind kind, Supplier<T> operation) {
        raise(kind, false);
        world.park(latency.toNanos());
        while (hangs && kind != Kind.OPEN) {
            // Like a driver that heeds neither its timeout nor an interrupt.
            boolean unused = Thread.interrupted();
            world.park(100_000_000);
        }
        T answer = operation.get();
        raise(kind, true);
        return answer;
    }

    /** A write on its way. */
    final class Request {
        final Kind kind;
        final int workerId;
        final String value;
        private final Supplier<CasResult> operation;
        private final Thread sender = Thread.currentThread();
        private @Nullable CasResult answer;

        private Request(Kind kind, int workerId, String value, Supplier<CasResult> operation) {
            this.kind = kind;
            this.workerId = workerId;
            this.value = value;
            this.operation = operation;
        }

        /** Lets the write arrive now, once more for each call. The sender does not learn the outcome. */
        CasResult arrive() {
            CasResult result = operation.get();
            applied += result instanceof CasResult.Applied ? 1 : 0;
            return result;
        }

        /** The sender gets this answer, if it still waits. */
        void answer(CasResult result) {
            answer = result;
            world.unpark(sender);
        }

        /** Loses the write: the sender waits no longer than its call may last, and learns nothing. */
        void lose() {
            answer(new CasResult.Unknown(new CoordinatorException("no answer", false)));
        }
    }

    private void requireWhole(Duration timeout) {
        if (cut) {
            world.park(timeout.toNanos());
            throw new CoordinatorException("no answer within " + timeout, false);
        }
    }

    private CasResult send(Request request, Duration timeout) {
        try {
            requireWhole(timeout);
        } catch (CoordinatorException e) {
            return new CasResult.Unknown(e);
        }
        if (!held.contains(request.kind)) {
            return request.arrive();
        }
        inFlight.add(request);
        long deadline = world.nanoTime() + timeout.toNanos();
        while (request.answer == null && !Thread.currentThread().isInterrupted()) {
            long left = deadline - world.nanoTime();
            if (left <= 0) {
                break;
            }
            world.park(left);
        }
        CasResult answer = request.answer;
        return answer != null
                ? answer
                : new CasResult.Unknown(new CoordinatorException("no answer within " + timeout, false));
    }

    @Override
    public List<Key<?>> keys() {
        return keys;
    }

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        return call(Kind.OPEN, () -> {
            WorkerCoordinator end = new End(store.open(config, lossHint));
            connections++;
            return end;
        });
    }

    private final class End implements WorkerCoordinator {
        private final WorkerCoordinator beyond;

        End(WorkerCoordinator beyond) {
            this.beyond = beyond;
        }

        @Override
        public Snapshot read(int fromId, int toId, Duration timeout) {
            return call(Kind.READ, () -> {
                requireWhole(timeout);
                return reads.apply(beyond.read(fromId, toId, timeout));
            });
        }

        private CasResult write(Kind kind, int id, String next, Duration timeout, Supplier<CasResult> operation) {
            return call(kind, () -> send(new Request(kind, id, next, operation), timeout));
        }

        @Override
        public CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
            return write(Kind.META, -1, next, timeout, () -> beyond.writeMeta(expected, next, timeout));
        }

        @Override
        public CasResult claim(
                int id,
                @Nullable Stored mark,
                String next,
                String owner,
                boolean evict,
                Stored meta,
                Duration timeout) {
            return write(
                    Kind.CLAIM, id, next, timeout, () -> beyond.claim(id, mark, next, owner, evict, meta, timeout));
        }

        @Override
        public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
            return write(Kind.EXTEND, id, next, timeout, () -> beyond.extend(id, mark, next, owner, meta, timeout));
        }

        /** Extends one after the other, by the clock of this world. */
        @Override
        public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
            long end = world.nanoTime() + timeout.toNanos();
            List<CasResult> results = new ArrayList<>();
            for (Extension each : extensions) {
                long left = end - world.nanoTime();
                if (left <= 0) {
                    results.add(new CasResult.Unknown(new CoordinatorException("no time was left", false)));
                    continue;
                }
                try {
                    results.add(
                            extend(each.id(), each.mark(), each.next(), each.owner(), meta, Duration.ofNanos(left)));
                } catch (CoordinatorException nothingChanged) {
                    results.add(new CasResult.Unknown(nothingChanged));
                }
            }
            return results;
        }

        @Override
        public CasResult release(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
            return write(Kind.RELEASE, id, next, timeout, () -> beyond.release(id, mark, next, owner, meta, timeout));
        }

        @Override
        public void abandon(int id, String owner, Duration timeout) {
            abandoned.add(id);
            if (held.contains(Kind.ABANDON)) {
                world.park(timeout.toNanos());
            }
            while (abandonHangs) {
                boolean unused = Thread.interrupted();
                world.park(100_000_000);
            }
            if (!cut) {
                beyond.abandon(id, owner, timeout);
            }
        }

        @Override
        public void close() {
            raise(Kind.CLOSE, false);
            connections--;
            beyond.close();
            raise(Kind.CLOSE, true);
        }
    }
}
