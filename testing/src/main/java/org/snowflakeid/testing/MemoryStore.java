// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.Platform;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;

/**
 * The server behind {@link MemoryCoordinatorProvider}: several "processes" of one test share it, and a test can make it fail as a real
 * server does. Safe for use by any number of threads.
 *
 * <p>An application reaches a store by its name, {@code snowflake.memory.store}; so does a test that wants to interfere, by
 * {@link #named}. Applications that name the same store and namespace are like two processes on one etcd: they get different worker ids,
 * and one finds what another left behind. A store belongs to the class loader of this library:
 * applications that bring a copy of it each share nothing.
 *
 * <p>Values alone are compared, as etcd does, so that a caller whose values repeat is found out. Owners expire by the
 * platform's {@link Platform#nanoTime}; the server's own wall clock runs with it and never jumps.
 */
public final class MemoryStore {

    /** The store of an application that names none. */
    public static final String DEFAULT_NAME = "default";

    private static final Map<String, MemoryStore> NAMED = new ConcurrentHashMap<>();

    /** The fate of one call. */
    public enum Fault {
        /** All goes well. */
        NONE,
        /** Refused before it was sent: the caller knows that nothing changed. */
        REFUSED,
        /** Never arrives; the caller can't know. */
        REQUEST_LOST,
        /** Arrives only at {@link MemoryStore#deliverHeldRequests}; the caller has long given up. */
        REQUEST_HELD,
        /** Applied; the caller never hears of it. */
        REPLY_LOST
    }

    /** A copy of everything in the store. */
    public static final class Backup {
        private final Map<String, Namespace> namespaces;

        private Backup(Map<String, Namespace> namespaces) {
            this.namespaces = namespaces;
        }
    }

    record Owner(String value, long expiresAt) {}

    static final class Namespace {
        @Nullable
        Stored meta;

        final Map<Integer, Stored> marks = new HashMap<>();
        final Map<Integer, Owner> owners = new HashMap<>();

        Namespace copy() {
            Namespace copy = new Namespace();
            copy.meta = meta;
            copy.marks.putAll(marks);
            copy.owners.putAll(owners);
            return copy;
        }

        CasResult.Rejected rejected(@Nullable Integer id) {
            return new CasResult.Rejected(meta, id == null ? null : slot(id));
        }

        Slot slot(int id) {
            Owner owner = owners.get(id);
            return new Slot(id, marks.get(id), owner == null ? null : owner.value());
        }
    }

    interface Operation<T> {
        T on(Namespace namespace);
    }

    private final Platform platform;
    private final long startNanos;
    private final Instant startTime;
    private final Map<String, Namespace> namespaces = new HashMap<>();
    private final Deque<Fault> nextFaults = new ArrayDeque<>();
    private final List<Runnable> held = new ArrayList<>();
    private Supplier<Fault> faults = () -> Fault.NONE;
    private Duration latency = Duration.ZERO;
    private Duration clockOffset = Duration.ZERO;
    private boolean tellsTime = true;
    private long calls;

    /** @param platform whose time passes here too */
    public MemoryStore(Platform platform) {
        this.platform = platform;
        this.startNanos = platform.nanoTime();
        this.startTime = Instant.ofEpochMilli(platform.wallMillis());
    }

    /** The store that {@code snowflake.memory.store} names; created at the first call. */
    public static MemoryStore named(String name) {
        return NAMED.computeIfAbsent(name, n -> new MemoryStore(Platform.system()));
    }

    /**
     * The next application that names this store gets an empty one, as the first test in a fresh JVM does. Running applications
     * keep theirs, and no new one shares it.
     */
    public static void discard(String name) {
        NAMED.remove(name);
    }

    /** A coordinator for this store. */
    public MemoryCoordinatorProvider provider() {
        return new MemoryCoordinatorProvider(config -> this);
    }

    /** Decides the fate of each call from now on. */
    public synchronized void faults(Supplier<Fault> faults) {
        this.faults = faults;
    }

    /** The fates of the next calls, before {@link #faults} decides again. */
    public synchronized void nextCalls(Fault... fates) {
        nextFaults.addAll(List.of(fates));
    }

    /** No call succeeds until {@link #reconnect}. Some are refused, some are lost on the way there, some on the way back. */
    public synchronized void disconnect() {
        Deque<Fault> cycle = new ArrayDeque<>(List.of(Fault.REPLY_LOST, Fault.REFUSED, Fault.REQUEST_LOST));
        faults = () -> {
            Fault next = cycle.removeFirst();
            cycle.addLast(next);
            return next;
        };
    }

    /** Ends every fault. Held requests stay held. */
    public synchronized void reconnect() {
        faults = () -> Fault.NONE;
        nextFaults.clear();
    }

    /** Applies, now and in their order, the requests that met {@link Fault#REQUEST_HELD}. */
    public synchronized void deliverHeldRequests() {
        List<Runnable> requests = List.copyOf(held);
        held.clear();
        requests.forEach(Runnable::run);
    }

    /** How long each call takes. One that takes longer than its timeout is applied and answered as unknown. */
    public synchronized void latency(Duration latency) {
        this.latency = latency;
    }

    /** How far the server's clock is ahead of the time at which the store was made. */
    public synchronized void clockOffset(Duration offset) {
        this.clockOffset = offset;
    }

    /** Whether a read answers with the server's time; true at first. */
    public synchronized void tellsTime(boolean tells) {
        this.tellsTime = tells;
    }

    /** As if the time to live of an owner entry had passed, or an operator had deleted it. */
    public synchronized void removeOwner(String namespace, int workerId) {
        namespace(namespace).owners.remove(workerId);
    }

    /** Loses a namespace with everything in it. */
    public synchronized void wipe(String namespace) {
        namespaces.remove(namespace);
    }

    /** A backup to {@link #restore} later. */
    public synchronized Backup backup() {
        return new Backup(copyOf(namespaces));
    }

    /** Puts an old state in place of the present one. */
    public synchronized void restore(Backup backup) {
        namespaces.clear();
        namespaces.putAll(copyOf(backup.namespaces));
    }

    private static Map<String, Namespace> copyOf(Map<String, Namespace> namespaces) {
        Map<String, Namespace> copy = new HashMap<>();
        namespaces.forEach((name, namespace) -> copy.put(name, namespace.copy()));
        return copy;
    }

    /** The mark of a worker id, past every fault; null if absent. */
    public synchronized @Nullable String mark(String namespace, int workerId) {
        Stored mark = namespace(namespace).marks.get(workerId);
        return mark == null ? null : mark.value();
    }

    /** The owner of a worker id, past every fault; null if absent. */
    public synchronized @Nullable String owner(String namespace, int workerId) {
        Owner owner = namespace(namespace).owners.get(workerId);
        return owner == null ? null : owner.value();
    }

    /** The namespace record, past every fault; null if absent. */
    public synchronized @Nullable String meta(String namespace) {
        Stored meta = namespace(namespace).meta;
        return meta == null ? null : meta.value();
    }

    /** How many calls were made, with any outcome. */
    public synchronized long calls() {
        return calls;
    }

    long expiry(Duration timeToLive) {
        return platform.nanoTime() + timeToLive.toNanos();
    }

    Snapshot read(String name, int fromId, int toId, Duration timeout) {
        if (Thread.currentThread().isInterrupted()) {
            throw failure("interrupted");
        }
        Fault fault = fate();
        Duration took = fault == Fault.REFUSED ? Duration.ZERO : delay(timeout);
        if (fault != Fault.NONE) {
            throw failure(fault.name());
        }
        synchronized (this) {
            if (took.compareTo(timeout) > 0) {
                throw failure("no answer within " + timeout);
            }
            Namespace namespace = namespace(name);
            List<Slot> slots = new ArrayList<>();
            for (int id = fromId; id <= toId; id++) {
                slots.add(namespace.slot(id));
            }
            return new Snapshot(namespace.meta, slots, serverTime());
        }
    }

    CasResult write(String name, Duration timeout, Operation<CasResult> operation) {
        return write(name, timeout, operation, unknown -> unknown);
    }

    /** @param unknown what a caller gets that can't know the outcome */
    <T> T write(String name, Duration timeout, Operation<T> operation, Function<CasResult.Unknown, T> unknown) {
        if (Thread.currentThread().isInterrupted()) {
            return unknown.apply(new CasResult.Unknown(failure("interrupted")));
        }
        Fault fault = fate();
        if (fault == Fault.REFUSED) {
            throw failure(fault.name());
        }
        Duration took = delay(timeout);
        synchronized (this) {
            if (fault == Fault.REQUEST_HELD) {
                held.add(() -> operation.on(namespace(name)));
            }
            if (fault == Fault.REQUEST_HELD || fault == Fault.REQUEST_LOST) {
                return unknown.apply(new CasResult.Unknown(failure(fault.name())));
            }
            T result = operation.on(namespace(name));
            boolean heard = fault == Fault.NONE && took.compareTo(timeout) <= 0;
            return heard ? result : unknown.apply(new CasResult.Unknown(failure("no answer within " + timeout)));
        }
    }

    private synchronized Fault fate() {
        calls++;
        Fault next = nextFaults.poll();
        return next == null ? faults.get() : next;
    }

    /** Lets the latency pass, at most the timeout of it, and returns the whole of it. */
    private Duration delay(Duration timeout) {
        Duration whole;
        synchronized (this) {
            whole = latency;
        }
        long end = platform.nanoTime() + Math.min(whole.toNanos(), timeout.toNanos());
        long left = end - platform.nanoTime();
        while (left > 0 && !Thread.currentThread().isInterrupted()) {
            platform.park(left);
            left = end - platform.nanoTime();
        }
        return left > 0 ? timeout.plusNanos(1) : whole;
    }

    /** Null: it does not say. */
    synchronized @Nullable Instant serverTime() {
        return tellsTime ? now() : null;
    }

    private Instant now() {
        return startTime.plusNanos(platform.nanoTime() - startNanos).plus(clockOffset);
    }

    private Namespace namespace(String name) {
        Namespace namespace = namespaces.computeIfAbsent(name, n -> new Namespace());
        namespace.owners.values().removeIf(owner -> owner.expiresAt() - platform.nanoTime() <= 0);
        return namespace;
    }

    private static CoordinatorException failure(String what) {
        return new CoordinatorException("memory: " + what, false);
    }
}
