// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Deadline;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;

/**
 * Marks at {@code /<namespace>/marks/<n>}, owners as ephemeral nodes at {@code /<namespace>/workers/<n>}, the namespace record at {@code
 * /<namespace>/meta}.
 *
 * <p>Versions of nodes count from 0 again after a restore of ZooKeeper, values never repeat. So each write looks first, compares values,
 * and then names the versions it saw: one transaction that is applied if nothing changed in between.
 *
 * <p>What a server shows may be old. That is enough to try a write, since the leader compares again, but not to report that a write is
 * lost. So nothing is reported as rejected unless a quorum has answered this session before the last look: the refused transaction
 * itself, or one made for the purpose. (sync() would not do: a leader that has just been deposed answers it alone.)
 */
final class ZooKeeperCoordinator implements WorkerCoordinator {
    private static final System.Logger LOG = System.getLogger(ZooKeeperCoordinator.class.getName());

    /** So many marks are far less than a server takes in one message, which is a mebibyte unless it is configured otherwise. */
    private static final int MAX_EXTENSIONS = 256;

    /** More than the client's longest pause between two attempts to connect. */
    private static final Duration ADVANTAGE = Duration.ofMillis(1_500);

    /**
     * Servers that come back show owner entries of processes that are about to come back too. If they lost data, these must see that before
     * other processes are granted the same: twice the pause between two attempts to connect, and one of core's between two calls.
     */
    private static final Duration BEFORE_EVICTION = Duration.ofSeconds(3);

    private final NamespaceTree tree;
    private final NamespaceReader reader;
    private final Sessions sessions;
    private final ZooKeeperSettings.Access connection;

    private final Map<Integer, Holding> held = new HashMap<>();

    /** @param session on which the owner entry of a worker id hangs, or may hang */
    private record Holding(String owner, Session session) {}

    ZooKeeperCoordinator(ZooKeeperSettings settings, Sessions sessions) {
        this.tree = new NamespaceTree(settings);
        this.reader = new NamespaceReader(tree);
        this.connection = settings.access();
        this.sessions = sessions;
    }

    // Reading

    @Override
    public Snapshot read(int fromId, int toId, Duration timeout) {
        Deadline deadline = Deadline.after(timeout);
        sessions.beginCall();
        try {
            // The one that claimed it knows what became of a claim of unknown outcome.
            Session session = fromId == toId ? session(fromId, deadline) : sessions.current();
            clearAway(session, List.of(), deadline);
            Snapshot snapshot = reader.read(session, fromId, toId, deadline);
            sessions.requireNoStrangers(deadline);
            return snapshot;
        } catch (ZooKeeperFailure e) {
            throw e.exception();
        } finally {
            sessions.endCall();
        }
    }

    // Writing

    @Override
    public CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
        Deadline deadline = Deadline.after(timeout);
        return write(
                        sessions.current(),
                        List.of(),
                        expected,
                        List.of(new GuardedWrite.Change(expected, next)),
                        deadline,
                        seen -> List.of(tree.writeMeta(expected, next)))
                .get(0);
    }

    @Override
    public CasResult claim(
            int id, @Nullable Stored mark, String next, String owner, boolean evict, Stored meta, Duration timeout) {
        Deadline deadline = Deadline.after(timeout);
        sessions.beginCall();
        Session claimant = sessions.current();
        try {
            sessions.requireOneEnsemble(deadline);
        } catch (CoordinatorException e) {
            sessions.endCall();
            throw e;
        }
        Holding before = held.get(id);
        held.put(id, new Holding(owner, claimant));
        Long heldUntil = claimant.hold(id, System.nanoTime());
        boolean nothingHangs = true;
        try {
            if (evict) {
                claimant.awaitConnectedFor(BEFORE_EVICTION, deadline);
            }
            CasResult result = write(claimant, id, mark, meta, next, deadline, slot -> {
                // Its own may still hang on a session that has ended.
                if (slot.owned() && !evict && !slot.ownedBy(owner)) {
                    return null;
                }
                List<Op> operations = new ArrayList<>(List.of(tree.writeMark(id, mark, next), tree.unchanged(meta)));
                if (slot.owned()) {
                    operations.add(Op.delete(tree.worker(id), -1));
                }
                operations.add(tree.createWorker(id, owner));
                return operations;
            });
            nothingHangs = result instanceof CasResult.Rejected;
            if (result instanceof CasResult.Applied applied) {
                claimant.watch(tree.worker(id));
                return new CasResult.Applied(applied.written(), true, applied.serverTime());
            }
            return result;
        } catch (ZooKeeperFailure e) {
            sessions.endCall();
            return new CasResult.Unknown(e.ofUnknownOutcome());
        } finally {
            if (nothingHangs) {
                if (before == null) {
                    held.remove(id);
                } else {
                    held.put(id, before);
                }
                claimant.holdUntil(id, heldUntil);
            }
        }
    }

    @Override
    public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
        return extendAll(List.of(new Extension(id, mark, next, owner)), meta, timeout)
                .get(0);
    }

    @Override
    public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
        Deadline deadline = Deadline.after(timeout);
        Map<Integer, CasResult> results = new HashMap<>();
        CoordinatorException failure = null;
        for (List<Extension> together : onOneSession(extensions, deadline)) {
            if (failure == null) {
                try {
                    extendTogether(together, meta, deadline, results);
                } catch (CoordinatorException e) {
                    if (results.isEmpty()) {
                        throw e;
                    }
                    failure = e;
                }
            }
            if (failure != null) {
                // They would fail in the same way, or exceed the time that is left.
                CasResult unknown = new CasResult.Unknown(failure);
                together.forEach(each -> results.put(each.id(), unknown));
            } else if (results.get(together.get(0).id()) instanceof CasResult.Unknown unknown) {
                failure = unknown.cause();
            }
        }
        return extensions.stream().map(each -> results.get(each.id())).toList();
    }

    /** What hangs on the same session, in parts that fit one transaction. Nearly always that is all. */
    private List<List<Extension>> onOneSession(List<Extension> extensions, Deadline deadline) {
        sessions.beginCall();
        Map<Session, List<Extension>> bySession = new LinkedHashMap<>();
        extensions.forEach(each -> bySession
                .computeIfAbsent(session(each.id(), deadline), session -> new ArrayList<>())
                .add(each));
        sessions.endCall();
        List<List<Extension>> parts = new ArrayList<>();
        for (List<Extension> all : bySession.values()) {
            for (int from = 0; from < all.size(); from += MAX_EXTENSIONS) {
                parts.add(all.subList(from, Math.min(from + MAX_EXTENSIONS, all.size())));
            }
        }
        return parts;
    }

    private void extendTogether(
            List<Extension> extensions, Stored meta, Deadline deadline, Map<Integer, CasResult> results) {
        long now = System.nanoTime();
        sessions.beginCall();
        Session extender = session(extensions.get(0).id(), deadline);
        Map<Integer, Session> own = new HashMap<>();
        List<Op> operations = new ArrayList<>();
        extensions.forEach(each -> operations.add(tree.writeMark(each.id(), each.mark(), each.next())));
        operations.add(tree.unchanged(meta));
        List<CasResult> written = write(
                extender,
                extensions.stream().map(Extension::id).toList(),
                meta,
                extensions.stream()
                        .map(each -> new GuardedWrite.Change(each.mark(), each.next()))
                        .toList(),
                deadline,
                seen -> {
                    own.clear();
                    for (int i = 0; i < extensions.size(); i++) {
                        Extension each = extensions.get(i);
                        ownSession(seen.slots().get(i), each.owner(), extender).ifPresent(on -> own.put(each.id(), on));
                    }
                    return operations;
                });
        for (int i = 0; i < extensions.size(); i++) {
            int id = extensions.get(i).id();
            CasResult result = written.get(i);
            if (result instanceof CasResult.Applied applied) {
                Session on = own.get(id);
                if (on != null) {
                    on.hold(id, now);
                    on.watch(tree.worker(id));
                }
                result = new CasResult.Applied(applied.written(), on != null, applied.serverTime());
            }
            results.put(id, result);
        }
    }

    /** The session of this coordinator on which that owner's entry hangs, if it does. */
    private Optional<Session> ownSession(NamespaceReader.SlotSeen slot, String owner, Session writer) {
        Holding holding = held.get(slot.slot().workerId());
        return Stream.concat(Stream.of(writer), Stream.ofNullable(holding).map(Holding::session))
                .filter(session -> slot.ownedBy(owner) && session.isAlive() && session.id() == slot.ownerSession())
                .findFirst();
    }

    @Override
    public CasResult release(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
        Deadline deadline = Deadline.after(timeout);
        sessions.beginCall();
        Session releaser = session(id, deadline);
        Session holder = holder(id, owner);
        if (holder != null) {
            holder.unwatch(tree.worker(id));
        }
        CasResult result = write(releaser, id, mark, meta, next, deadline, slot -> {
            List<Op> operations = new ArrayList<>(List.of(tree.writeMark(id, mark, next), tree.unchanged(meta)));
            if (slot.ownedBy(owner)) {
                operations.add(Op.delete(tree.worker(id), -1));
            }
            return operations;
        });
        if (holder != null && result instanceof CasResult.Applied) {
            held.remove(id);
            holder.forget(id);
        }
        return result;
    }

    /** The session on which what was claimed for that owner hangs, or may hang. */
    private @Nullable Session holder(int id, String owner) {
        Holding holding = held.get(id);
        return holding != null && holding.owner().equals(owner) ? holding.session() : null;
    }

    /** As {@link GuardedWrite.Plan}, for one mark. */
    private interface SlotPlan {
        @Nullable
        List<Op> operations(NamespaceReader.SlotSeen seen);
    }

    private CasResult write(
            Session writer, int id, @Nullable Stored mark, Stored meta, String next, Deadline deadline, SlotPlan plan) {
        return write(
                        writer,
                        List.of(id),
                        meta,
                        List.of(new GuardedWrite.Change(mark, next)),
                        deadline,
                        seen -> plan.operations(seen.slots().get(0)))
                .get(0);
    }

    /**
     * Makes changes in one transaction, if all of them are possible. Ends the call that began before the session was chosen.
     *
     * @param ids of the marks to be changed; empty for a write of the namespace record
     */
    private List<CasResult> write(
            Session writer,
            List<Integer> ids,
            @Nullable Stored meta,
            List<GuardedWrite.Change> changes,
            Deadline deadline,
            GuardedWrite.Plan plan) {
        try {
            clearAway(writer, ids, deadline);
            return new GuardedWrite(tree, reader, writer, deadline).make(ids, meta, changes, plan);
        } catch (ZooKeeperFailure e) {
            return Collections.nCopies(changes.size(), new CasResult.Unknown(e.ofUnknownOutcome()));
        } finally {
            sessions.endCall();
        }
    }

    // Letting go

    @Override
    public void abandon(int id, String owner, Duration timeout) {
        Session holder = holder(id, owner);
        if (holder == null) {
            return;
        }
        held.remove(id);
        if (!holder.isAlive()) {
            return;
        }
        Deadline deadline = Deadline.after(timeout);
        holder.unwatch(tree.worker(id));
        if (holder.holdsOnly(id)) {
            // After that nothing can come to hang on it, whatever is still on its way.
            awaitEnd(holder, deadline);
            return;
        }
        holder.leave(id);
        try {
            clearAway(holder, List.of(), deadline);
        } catch (ZooKeeperFailure e) {
            LOG.log(Level.DEBUG, () -> "worker id " + id + " is left to be cleared away: " + e.getMessage());
            sessions.leave(holder);
        }
    }

    private static void awaitEnd(Session holder, Deadline deadline) {
        try {
            holder.end();
            holder.closed().get(deadline.nanosLeft(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.log(Level.DEBUG, "a session is left to expire", e);
        }
    }

    /** Deletes what hangs on a session without being held. A claim that is still on its way comes first. */
    private void clearAway(Session holder, List<Integer> exceptIds, Deadline deadline) throws ZooKeeperFailure {
        for (int id : holder.leftovers()) {
            if (exceptIds.contains(id)) {
                continue;
            }
            holder.unwatch(tree.worker(id));
            reader.agree(holder, deadline);
            if (reader.look(holder, List.of(id), deadline).slots().get(0).ownerSession() == holder.id()) {
                List<OpResult> ignored = holder.prepare(List.of(Op.delete(tree.worker(id), -1)), deadline);
            }
            holder.forget(id);
        }
    }

    /**
     * The session to look after a worker id by: that on which it hangs, if it is connected. Servers that lost data refuse a client that has
     * seen more than they have, and would do so until its session has ended; so while it is away another looks in its place. If that one
     * was let in for long and the first still is not, the first is given up.
     */
    private Session session(int id, Deadline deadline) {
        Holding holding = held.get(id);
        if (holding == null || !holding.session().isAlive()) {
            return sessions.current();
        }
        Session first = holding.session();
        if (first.isConnectedFor(Duration.ZERO)) {
            return first;
        }
        Session second = sessions.currentBeside(first);
        try {
            sessions.awaitEither(first, second, deadline);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (first.isConnectedFor(Duration.ZERO) || !second.isConnectedFor(Duration.ZERO)) {
            return first;
        }
        if (second.isConnectedFor(ADVANTAGE)) {
            first.end();
        }
        return second;
    }

    /**
     * It does not share its session: that lives as long as the windows of its worker ids, and this coordinator ends it to be sure that
     * nothing is added to it any more, which must not affect another generator.
     */
    @Override
    public Object connection() {
        return connection;
    }

    @Override
    public void close() {
        sessions.close();
    }
}
