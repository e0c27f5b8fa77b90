// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.RecordLine;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordCoordinator;
import org.snowflakeid.spi.RecordStore;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * The data of a coordinator's server, in a virtual world, with faults that no real server shows on demand.
 *
 * <p>Like etcd it compares values and keeps an owner for its time to live, which extensions prolong. Like ZooKeeper it compares versions
 * too and keeps an owner while the session of its client lives, which the client closes when no extension has succeeded for the time to
 * live. Like a store of records it replaces one record at a time, mark and owner together, and reports no end of an owner: the {@link
 * RecordCoordinator} makes a coordinator of it, several requests a call.
 */
final class FakeStore implements WorkerCoordinatorProvider {

    enum Likeness {
        ETCD,
        ZOOKEEPER,
        RECORDS
    }

    private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(5);

    private static final Duration SOON = Duration.ofSeconds(3);

    final VirtualWorld world;
    final Map<Integer, Stored> marks = new HashMap<>();
    final Map<Integer, Held> owners = new HashMap<>();

    Likeness likeness = Likeness.ETCD;

    @Nullable
    Stored meta;

    /** Requests never arrive. */
    boolean down;

    /** Requests of all other machines don't arrive either; null: all arrive. */
    VirtualWorld.@Nullable Machine reservedFor;

    /** The next writes are applied, but their answers are lost. */
    int repliesToLose;

    /** The next writes never arrive. */
    int requestsToLose;

    /** One in this many writes is lost, delayed or repeated, and one in this many answers is lost; 0: none. */
    int mishapsOneIn;

    /** One in this many calls takes up to its whole timeout, on its way there and back; 0: none. */
    int slowOneIn;

    int slowCalls;

    /** Reads are answered, and no write is. */
    boolean locked;

    /** How long each request takes. */
    Duration latency = Duration.ZERO;

    /** Whether reads are lost as often as writes. */
    boolean readsFail;

    /** How late a delayed or repeated write may arrive. */
    Duration latest = Duration.ofSeconds(40);

    boolean tellsTime = true;

    Duration timeAhead = Duration.ZERO;

    /** Whether several marks are extended in one transaction, all or none; otherwise one after the other. */
    boolean extendsTogether;

    @Nullable
    MarkObserver observer;

    /** Sees each namespace record before a client's write of it is applied. */
    @Nullable
    Consumer<Stored> metaObserver;

    /** Receives each request and its outcome. */
    @Nullable
    Consumer<String> trace;

    /** How many claims have not arrived yet though their senders no longer wait for an answer. */
    int lateClaims;

    /** Arrivals of late claims, to be run just after the record of the namespace is written. */
    private final List<Runnable> afterMeta = new ArrayList<>();

    int writes;
    int slotsRead;
    int mishaps;
    private int wipes;
    private long version;
    private final List<Client> clients = new ArrayList<>();

    /** The client behind each coordinator made of records. */
    private final IdentityHashMap<WorkerCoordinator, Client> behind = new IdentityHashMap<>();

    interface MarkObserver {
        /** Is called before a mark is stored. The writer may have been closed or have crashed since. */
        void write(VirtualWorld.@Nullable Machine writer, int id, @Nullable Mark before, Mark after);
    }

    /**
     * @param holder what the entry is bound to: a client, or one of its sessions
     * @param machine who created it
     * @param sinceNanos when
     */
    record Held(
            String value, Object holder, long expiresNanos, VirtualWorld.@Nullable Machine machine, long sinceNanos) {

        Held(String value, Object holder, long expiresNanos) {
            this(value, holder, expiresNanos, null, 0);
        }
    }

    /** All data of the server, to be restored later. */
    record Backup(
            Map<Integer, Stored> marks,
            Map<Integer, Held> owners,
            @Nullable Stored meta) {}

    FakeStore(VirtualWorld world) {
        this.world = world;
    }

    /** Deletes all data, and ends the connections on which a namespace was about to be created. */
    void wipe() {
        wipes++;
        marks.clear();
        owners.clear();
        putMeta(null);
    }

    @Override
    public String name() {
        return "fake";
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        return open(config, lossHint, world.runningMachine());
    }

    /** A client of a process that runs on none of its own threads. */
    WorkerCoordinatorProvider usedBy(VirtualWorld.Machine machine) {
        FakeStore store = this;
        return new WorkerCoordinatorProvider() {
            @Override
            public String name() {
                return store.name();
            }

            @Override
            public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
                return store.open(config, lossHint, machine);
            }
        };
    }

    private WorkerCoordinator open(
            CoordinatorConfig config, Runnable lossHint, VirtualWorld.@Nullable Machine machine) {
        return opened(new Client(config, lossHint, machine));
    }

    private WorkerCoordinator opened(Client client) {
        clients.add(client);
        if (likeness != Likeness.RECORDS) {
            return client;
        }
        WorkerCoordinator coordinator = new RecordCoordinator(client.config, client.new Records(), world::nanoTime);
        behind.put(coordinator, client);
        return coordinator;
    }

    /** A client of a machine that is becoming a copy: the server can't tell the two clients apart. */
    WorkerCoordinator openAgain(WorkerCoordinator copied, Runnable lossHint, VirtualWorld.Machine machine) {
        Client earlier = copied instanceof Client itself ? itself : behind.get(copied);
        Client client = new Client(earlier.config, lossHint, machine);
        client.identity = earlier.identity;
        client.session = earlier.session;
        return opened(client);
    }

    void hintLoss() {
        clients.forEach(Client::hint);
    }

    /** Ends what the owners are bound to. */
    void expireOwners() {
        owners.clear();
        List.copyOf(clients).forEach(Client::endSession);
    }

    Backup backup() {
        return new Backup(Map.copyOf(marks), Map.copyOf(owners), meta);
    }

    void restore(Backup backup) {
        marks.clear();
        marks.putAll(backup.marks());
        owners.clear();
        owners.putAll(backup.owners());
        meta = backup.meta();
    }

    @Nullable
    String owner(int id) {
        Held held = held(id);
        return held == null ? null : held.value();
    }

    @Nullable
    Held held(int id) {
        Held held = owners.get(id);
        boolean over = held == null
                || held.expiresNanos() <= world.nanoTime()
                || (held.holder() instanceof Session session && session.ended);
        return over ? null : held;
    }

    Mark mark(int id) {
        return Mark.parse(marks.get(id));
    }

    /** Grants the next ticks after the limit to a process of another host. */
    void takeOver(int workerId, long ticks) {
        Mark before = mark(workerId);
        owners.remove(workerId);
        putMark(
                workerId,
                Mark.next(
                                RecordLine.NONE,
                                before.limit() + ticks,
                                "another",
                                0,
                                before.limit(),
                                world.trueTime(),
                                SnowflakeLayout.STANDARD,
                                1)
                        .value());
    }

    void putMark(int id, String value) {
        marks.put(id, new Stored(value, ++version));
    }

    void putMeta(@Nullable String value) {
        meta = value == null ? null : new Stored(value, ++version);
    }

    /** A process is silent for this long: the server ends its sessions when they time out. */
    void silence(VirtualWorld.Machine process, Duration silence) {
        if (silence.compareTo(SESSION_TIMEOUT) > 0) {
            world.later(SESSION_TIMEOUT, () -> clients.stream()
                    .filter(client -> process.equals(client.machine))
                    .forEach(Client::endSession));
        }
    }

    /** The time by the server's own clock; null: it tells none. */
    private @Nullable Instant time() {
        return tellsTime ? world.trueTime().plus(timeAhead) : null;
    }

    /** Whether each request is answered at once. */
    boolean isWell() {
        return !down
                && !locked
                && reservedFor == null
                && mishapsOneIn == 0
                && slowOneIn == 0
                && latency.isZero()
                && requestsToLose + repliesToLose == 0;
    }

    private void tell(String what) {
        if (trace != null) {
            trace.accept(what);
        }
    }

    /** What an owner entry is bound to where it lives as long as its client's session. */
    private static final class Session {
        boolean ended;
    }

    private final class Client implements WorkerCoordinator {
        private final CoordinatorConfig config;
        private final Duration timeToLive;
        private final Runnable hint;
        private final VirtualWorld.@Nullable Machine machine;
        private Object identity = this;
        private Session session = new Session();

        Client(CoordinatorConfig config, Runnable hint, VirtualWorld.@Nullable Machine machine) {
            this.config = config;
            this.timeToLive = config.timeToLive();
            this.hint = hint;
            this.machine = machine;
        }

        /** Ends this client's session, also for a client that the server can't tell apart. */
        void endSession() {
            Session ended = session;
            ended.ended = true;
            for (Client client : List.copyOf(clients)) {
                if (client.session.equals(ended)) {
                    client.session = new Session();
                    client.hint();
                }
            }
        }

        void hint() {
            if (machine == null) {
                hint.run();
            } else {
                int number = clients.stream()
                        .filter(client -> machine.equals(client.machine))
                        .toList()
                        .indexOf(this);
                machine.happen(m -> clients.stream()
                        .filter(client -> m.equals(client.machine))
                        .toList()
                        .get(number)
                        .hint
                        .run());
            }
        }

        /**
         * Takes the request to the server, which then carries it out.
         *
         * @return how long the answer takes on its way back, in nanoseconds
         */
        private long travel(Duration timeout) {
            if (down || (reservedFor != null && !reservedFor.equals(machine))) {
                world.park(timeout.toNanos());
                throw new CoordinatorException("no answer within " + timeout, false);
            }
            if (!latency.isZero()) {
                return delay(timeout);
            }
            if (slowOneIn == 0 || world.random().nextInt(slowOneIn) > 0) {
                world.park(500_000 + world.random().nextInt(1_000_000));
                return 0;
            }
            slowCalls++;
            long both = world.random().nextLong(timeout.toNanos());
            long there =
                    switch (world.random().nextInt(3)) {
                        case 0 -> 0;
                        case 1 -> both;
                        default -> world.random().nextLong(both + 1);
                    };
            world.park(there);
            return both - there;
        }

        private long delay(Duration timeout) {
            if (timeout.compareTo(latency) <= 0) {
                world.park(timeout.toNanos());
                throw new CoordinatorException("no answer within " + timeout, false);
            }
            world.park(latency.toNanos());
            return 0;
        }

        private void travelBack(long nanos) {
            if (nanos > 0) {
                world.park(nanos);
            }
        }

        private Slot slot(int id) {
            return new Slot(id, marks.get(id), owner(id));
        }

        @Override
        public Snapshot read(int fromId, int toId, Duration timeout) {
            long back = travel(timeout);
            if (readsFail && mishap()) {
                world.park(timeout.toNanos());
                throw new CoordinatorException("no answer within " + timeout, false);
            }
            List<Slot> slots = new ArrayList<>();
            for (int id = fromId; id <= toId; id++) {
                slots.add(slot(id));
            }
            slotsRead += slots.size();
            Snapshot snapshot = new Snapshot(meta, slots, time());
            travelBack(back);
            return snapshot;
        }

        private Stored storeMeta(String next) {
            Stored stored = new Stored(next, ++version);
            if (metaObserver != null) {
                metaObserver.accept(stored);
            }
            meta = stored;
            afterMeta.forEach(Runnable::run);
            afterMeta.clear();
            return stored;
        }

        private CasResult write(String what, boolean claim, Duration timeout, Supplier<CasResult> operation) {
            return writeTogether(what, claim, 1, timeout, () -> List.of(operation.get()))
                    .get(0);
        }

        /** @param operation returns the results of the {@code count} writes of one transaction */
        private List<CasResult> writeTogether(
                String what, boolean claim, int count, Duration timeout, Supplier<List<CasResult>> operation) {
            writes++;
            Session sender = session;
            List<CasResult> results = send(what, claim, count, timeout, () -> {
                if (likeness == Likeness.ZOOKEEPER && sender.ended) {
                    return unknown(count, new CoordinatorException("the session has ended", false));
                }
                return operation.get();
            });
            if (trace != null) {
                tell("answer to " + what + ": " + describe(results));
            }
            return results;
        }

        private List<CasResult> unknown(int count, CoordinatorException cause) {
            return Collections.nCopies(count, new CasResult.Unknown(cause));
        }

        private List<CasResult> send(
                String what, boolean claim, int count, Duration timeout, Supplier<List<CasResult>> operation) {
            List<CasResult> lost = unknown(count, new CoordinatorException("no answer within " + timeout, false));
            long back;
            try {
                back = travel(timeout);
            } catch (CoordinatorException e) {
                return unknown(count, e);
            }
            if (locked) {
                world.park(timeout.toNanos());
                return lost;
            }
            if (requestsToLose > 0) {
                requestsToLose--;
                return lost;
            }
            if (mishap()) {
                return lost;
            }
            if (mishap()) {
                later("late", what, claim, operation);
                world.park(timeout.toNanos());
                return lost;
            }
            List<CasResult> results = operation.get();
            if (mishap()) {
                later("repeated", what, claim, operation);
            }
            if (mishap()) {
                tell("lost is the answer to " + what + ": " + describe(results));
                world.park(timeout.toNanos());
                return lost;
            }
            if (repliesToLose > 0) {
                repliesToLose--;
                return lost;
            }
            travelBack(back);
            return results;
        }

        private void later(String how, String what, boolean claim, Supplier<List<CasResult>> operation) {
            int lateClaim = how.equals("late") && claim ? 1 : 0;
            lateClaims += lateClaim;
            Runnable arrival = () -> {
                lateClaims -= lateClaim;
                tell(how + " " + what + ": " + describe(operation.get()));
            };
            switch (world.random().nextInt(4)) {
                // The write arrives so soon that its sender may still see it.
                case 0 -> arrive(arrival, SOON);
                case 1 -> arrive(arrival, latest);
                default -> {
                    AtomicBoolean arrived = new AtomicBoolean();
                    Runnable once = () -> {
                        if (!arrived.getAndSet(true)) {
                            arrival.run();
                        }
                    };
                    afterMeta.add(() -> arrive(once, Duration.ofMillis(100)));
                    arrive(once, latest);
                }
            }
        }

        private void arrive(Runnable arrival, Duration within) {
            long millis = Math.min(within.toMillis(), latest.toMillis());
            world.later(Duration.ofMillis(world.random().nextLong(millis)), arrival);
        }

        private String describe(List<CasResult> results) {
            return trace == null ? "" : results.stream().map(Client::describe).collect(Collectors.joining("; "));
        }

        private static String describe(CasResult result) {
            return switch (result) {
                case CasResult.Applied applied -> "applied" + (applied.ownerHeld() ? ", owner held" : "");
                case CasResult.Rejected rejected -> "rejected, " + rejected.seen();
                case CasResult.Unknown unknown -> "unknown";
            };
        }

        private boolean mishap() {
            boolean mishap = mishapsOneIn > 0 && world.random().nextInt(mishapsOneIn) == 0;
            mishaps += mishap ? 1 : 0;
            return mishap;
        }

        private Stored put(int id, String next) {
            if (observer != null) {
                Stored before = marks.get(id);
                observer.write(
                        machine, id, before == null ? null : Mark.parse(before), Mark.parse(new Stored(next, 0)));
            }
            Stored stored = new Stored(next, ++version);
            marks.put(id, stored);
            return stored;
        }

        private boolean same(@Nullable Stored expected, @Nullable Stored actual) {
            if (expected == null || actual == null) {
                return expected == null && actual == null;
            }
            return expected.value().equals(actual.value())
                    && (likeness == Likeness.ETCD || expected.version() == actual.version());
        }

        private Held held(String owner, long sinceNanos) {
            return new Held(
                    owner,
                    likeness == Likeness.ETCD ? identity : session,
                    world.nanoTime() + timeToLive.toNanos(),
                    machine,
                    sinceNanos);
        }

        /** Whether the entry is this client's, and not one that a copy of this process has made since. */
        private boolean ours(int id, String owner) {
            Held held = FakeStore.this.held(id);
            return held != null
                    && held.value().equals(owner)
                    && (held.holder().equals(identity) || held.holder().equals(session));
        }

        @Override
        public CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
            int wipesBefore = wipes;
            return write(trace == null ? "" : "meta " + next, false, timeout, () -> {
                if (!same(expected, meta) || wipesBefore < wipes) {
                    return new CasResult.Rejected(meta, null);
                }
                Stored stored = storeMeta(next);
                return new CasResult.Applied(stored, false);
            });
        }

        @Override
        public CasResult claim(
                int id,
                @Nullable Stored mark,
                String next,
                String owner,
                boolean evict,
                Stored expectedMeta,
                Duration timeout) {
            return write(trace == null ? "" : "claim " + id + " " + next, true, timeout, () -> {
                if (!same(mark, marks.get(id)) || !same(expectedMeta, meta) || (owner(id) != null && !evict)) {
                    return new CasResult.Rejected(meta, slot(id));
                }
                owners.put(id, held(owner, world.nanoTime()));
                return new CasResult.Applied(put(id, next), true);
            });
        }

        @Override
        public CasResult extend(int id, Stored mark, String next, String owner, Stored expectedMeta, Duration timeout) {
            return write(trace == null ? "" : "extend " + id + " " + next, false, timeout, () -> {
                if (!same(mark, marks.get(id)) || !same(expectedMeta, meta)) {
                    return new CasResult.Rejected(meta, slot(id));
                }
                return extendNow(id, next, owner);
            });
        }

        private CasResult extendNow(int id, String next, String owner) {
            Stored written = put(id, next);
            boolean ours = ours(id, owner);
            if (ours) {
                Held before = owners.get(id);
                owners.put(id, held(before.value(), before.sinceNanos()));
            }
            return new CasResult.Applied(written, ours, time());
        }

        @Override
        public List<CasResult> extendAll(List<Extension> extensions, Stored expectedMeta, Duration timeout) {
            String what = trace == null ? "" : "extend together " + extensions;
            return writeTogether(what, false, extensions.size(), timeout, () -> {
                boolean applied = same(expectedMeta, meta)
                        && extensions.stream().allMatch(each -> same(each.mark(), marks.get(each.id())));
                return extensions.stream()
                        .map(each -> applied
                                ? extendNow(each.id(), each.next(), each.owner())
                                : new CasResult.Rejected(meta, slot(each.id())))
                        .toList();
            });
        }

        @Override
        public CasResult release(
                int id, Stored mark, String next, String owner, Stored expectedMeta, Duration timeout) {
            return write(trace == null ? "" : "release " + id + " " + next, false, timeout, () -> {
                if (!same(mark, marks.get(id)) || !same(expectedMeta, meta)) {
                    return new CasResult.Rejected(meta, slot(id));
                }
                abandonNow(id, owner);
                return new CasResult.Applied(put(id, next), false);
            });
        }

        private void abandonNow(int id, String owner) {
            if (ours(id, owner)) {
                owners.remove(id);
            }
        }

        @Override
        public void abandon(int id, String owner, Duration timeout) {
            tell("abandon " + id);
            world.park(1_000_000);
            if (!down && reservedFor == null) {
                abandonNow(id, owner);
            }
        }

        @Override
        public void close() {
            clients.remove(this);
            endSession();
        }

        /** The same data as records: a mark in the first line, its owner in the second. */
        private final class Records implements RecordStore {

            private static final String OWNED = "expires=";

            @Override
            public Reading read(List<String> keys, Duration timeout) {
                long back = travel(timeout);
                if (readsFail && mishap()) {
                    world.park(timeout.toNanos());
                    throw new CoordinatorException("no answer within " + timeout, false);
                }
                Map<String, Entry> found = new HashMap<>();
                for (String key : keys) {
                    // Each record is read by itself: other clients write meanwhile.
                    if (mishap()) {
                        world.park(world.random().nextInt(2_000_000));
                    }
                    Entry entry = entry(key);
                    if (entry != null) {
                        found.put(key, entry);
                    }
                }
                slotsRead += keys.size();
                Reading reading = new Reading(found, world.trueTime());
                travelBack(back);
                return reading;
            }

            private boolean isMeta(String key) {
                return key.endsWith("/meta");
            }

            private int workerId(String key) {
                return Integer.parseInt(key.substring(key.lastIndexOf('/') + 1));
            }

            private @Nullable Entry entry(String key) {
                if (isMeta(key)) {
                    return meta == null ? null : new Entry(meta.value(), meta.version());
                }
                Stored mark = marks.get(workerId(key));
                Held owner = owners.get(workerId(key));
                return mark == null
                        ? null
                        : new Entry(owner == null ? mark.value() : mark.value() + "\n" + owner.value(), mark.version());
            }

            @Override
            public Write compareAndSet(String key, @Nullable Entry expected, String next, Duration timeout) {
                int wipesBefore = wipes;
                CasResult result = write(
                        trace == null ? "" : "record " + key + " " + next,
                        next.contains(" k=0 ") && !next.contains("token=free-"),
                        timeout,
                        () -> isMeta(key) && wipesBefore < wipes
                                ? new CasResult.Rejected(null, null)
                                : replace(key, expected, next));
                return switch (result) {
                    case CasResult.Applied applied -> new Write.Applied();
                    case CasResult.Rejected rejected -> new Write.Rejected();
                    case CasResult.Unknown unknown -> new Write.Unknown(unknown.cause());
                };
            }

            /** Some stores compare versions, some values. This one compares values, which may recur. */
            private CasResult replace(String key, @Nullable Entry expected, String next) {
                Entry present = entry(key);
                if (!Objects.equals(
                        expected == null ? null : expected.value(), present == null ? null : present.value())) {
                    return new CasResult.Rejected(null, null);
                }
                if (isMeta(key)) {
                    Stored stored = storeMeta(next);
                    return new CasResult.Applied(stored, false);
                }
                int id = workerId(key);
                int end = next.indexOf('\n');
                String mark = end < 0 ? next : next.substring(0, end);
                String owner = end < 0 ? null : next.substring(end + 1);
                boolean same = marks.containsKey(id) && marks.get(id).value().equals(mark);
                Stored written = same ? new Stored(mark, ++version) : put(id, mark);
                marks.put(id, written);
                own(id, owner);
                return new CasResult.Applied(written, false);
            }

            private void own(int id, @Nullable String line) {
                Held before = owners.remove(id);
                if (line == null) {
                    return;
                }
                String text = line.substring(line.indexOf(' ') + 1);
                boolean renewed = before != null && before.value().endsWith(text);
                owners.put(
                        id,
                        new Held(
                                line,
                                this,
                                expiresNanos(line.substring(OWNED.length(), line.indexOf(' '))),
                                renewed ? before.machine() : machine,
                                renewed ? before.sinceNanos() : world.nanoTime()));
            }

            private long expiresNanos(String expires) {
                return world.nanoTime()
                        + Duration.between(world.trueTime(), Instant.parse(expires))
                                .toNanos();
            }

            @Override
            public void close() {
                Client.this.close();
            }
        }
    }
}
