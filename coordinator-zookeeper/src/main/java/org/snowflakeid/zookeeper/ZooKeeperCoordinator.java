// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Deadline;
import org.snowflakeid.spi.Slot;
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

    /** Up to so many ids are read one by one without asking first which there are. */
    private static final int MAX_POINT_READS = 64;

    private static final int PAGE = 1_000;

    /** Of the paths in a page, with what is around each: less than a server takes in one message, which is a mebibyte. */
    private static final int PAGE_BYTES = 900_000;

    private static final int BYTES_AROUND_PATH = 32;

    /** So many marks are far less than a server takes in one message, which is a mebibyte unless it is configured otherwise. */
    private static final int MAX_EXTENSIONS = 256;

    private static final int ATTEMPTS = 4;
    private static final byte[] NOTHING = {};

    /** More than the client's longest pause between two attempts to connect. */
    private static final Duration ADVANTAGE = Duration.ofMillis(1_500);

    /**
     * Servers that come back show owner entries of processes that are about to come back too. If they lost data, these must see that before
     * other processes are granted the same: twice the pause between two attempts to connect, and one of core's between two calls.
     */
    private static final Duration BEFORE_EVICTION = Duration.ofSeconds(3);

    private final NamespaceTree tree;
    private final Sessions sessions;
    private final ZooKeeperSettings.Access connection;

    private final Map<Integer, Holding> held = new HashMap<>();

    /** @param session on which the owner entry of a worker id hangs, or may hang */
    private record Holding(String owner, Session session) {}

    /** @param ownerSession on which the owner entry hangs; 0 if there is none */
    private record SlotSeen(Slot slot, long ownerSession) {
        boolean owned() {
            return slot.owner() != null;
        }

        boolean ownedBy(String owner) {
            return owner.equals(slot.owner());
        }
    }

    /** @param slots of the worker ids that were asked for, in their order */
    private record Look(@Nullable Stored meta, List<SlotSeen> slots) {}

    /** A mark, or the namespace record, to be replaced. */
    private record Change(@Nullable Stored expected, String next) {}

    /** What to write, going by what was seen, which was as expected. */
    private interface Plan {
        /** The first operations write the values, in the order of the changes. Null: not under these circumstances. */
        @Nullable
        List<Op> operations(Look seen);
    }

    ZooKeeperCoordinator(ZooKeeperSettings settings, Sessions sessions) {
        this.tree = new NamespaceTree(settings);
        this.connection = settings.access();
        this.sessions = sessions;
    }

    // Reading

    @Override
    public Snapshot read(int fromId, int toId, Duration timeout) {
        Deadline deadline = Deadline.after(timeout);
        sessions.beginCall();
        try {
            // The session that sent a claim of unknown outcome knows whether it was applied.
            Session reader = fromId == toId ? session(fromId, deadline) : sessions.current();
            clearAway(reader, List.of(), deadline);
            Instant now = touch(reader, deadline);
            return toId - fromId < MAX_POINT_READS
                    ? readPoints(reader, fromId, toId, now, deadline)
                    : readListed(reader, fromId, toId, now, deadline);
        } catch (ZooKeeperFailure e) {
            throw e.exception();
        } finally {
            sessions.endCall();
        }
    }

    /**
     * Writes nothing, to a node that is only a parent: the leader stamps it with its clock, and once a quorum has agreed, what this session
     * reads is not older. Creates nothing where there is nothing.
     *
     * @return the leader's time; null if it reports none
     */
    private @Nullable Instant touch(Session reader, Deadline deadline) throws ZooKeeperFailure {
        List<OpResult> results = reader.prepare(List.of(Op.setData(tree.marks(), NOTHING, -1)), deadline);
        if (results.get(0) instanceof OpResult.SetDataResult written) {
            return Instant.ofEpochMilli(written.getStat().getMtime());
        }
        if (Session.outcome(results) == Code.NONODE) {
            return tree.timeWithoutNamespace(reader, deadline);
        }
        throw reader.failure(Session.outcome(results)).withNothingChanged();
    }

    private Snapshot readPoints(Session reader, int fromId, int toId, @Nullable Instant now, Deadline deadline)
            throws ZooKeeperFailure {
        List<Op> gets = new ArrayList<>();
        gets.add(Op.getData(tree.meta()));
        for (int id = fromId; id <= toId; id++) {
            gets.add(Op.getData(tree.mark(id)));
            gets.add(Op.getData(tree.worker(id)));
        }
        List<OpResult> got = reader.prepare(gets, deadline);
        List<Slot> slots = new ArrayList<>();
        for (int id = fromId; id <= toId; id++) {
            int i = 1 + 2 * (id - fromId);
            slots.add(new Slot(id, stored(reader, got.get(i)), value(reader, got.get(i + 1))));
        }
        return new Snapshot(stored(reader, got.get(0)), slots, now);
    }

    /**
     * Not a snapshot: ZooKeeper reads no more at once than fits one message. Each entry is as it was at some moment after the call began.
     */
    private Snapshot readListed(Session reader, int fromId, int toId, @Nullable Instant now, Deadline deadline)
            throws ZooKeeperFailure {
        List<OpResult> listed = reader.prepare(
                List.of(Op.getData(tree.meta()), Op.getChildren(tree.marks()), Op.getChildren(tree.workers())),
                deadline);
        Map<Integer, OpResult> marks = readChildren(reader, listed.get(1), tree.marks(), fromId, toId, deadline);
        Map<Integer, OpResult> workers = readChildren(reader, listed.get(2), tree.workers(), fromId, toId, deadline);
        List<Slot> slots = new ArrayList<>(toId - fromId + 1);
        for (int id = fromId; id <= toId; id++) {
            OpResult mark = marks.get(id);
            OpResult worker = workers.get(id);
            slots.add(new Slot(
                    id, mark == null ? null : stored(reader, mark), worker == null ? null : value(reader, worker)));
        }
        return new Snapshot(stored(reader, listed.get(0)), slots, now);
    }

    private static Map<Integer, OpResult> readChildren(
            Session reader, OpResult listed, String parent, int fromId, int toId, Deadline deadline)
            throws ZooKeeperFailure {
        if (Session.outcome(List.of(listed)) == Code.NONODE) {
            return Map.of();
        }
        if (!(listed instanceof OpResult.GetChildrenResult children)) {
            throw reader.failure(Session.outcome(List.of(listed))).withNothingChanged();
        }
        List<Integer> ids = new ArrayList<>();
        for (String name : children.getChildren()) {
            // Anything else there is not ours to read: "007" and "7" would be the same worker id.
            if (name.matches("0|[1-9]\\d{0,8}")) {
                int id = Integer.parseInt(name);
                if (id >= fromId && id <= toId) {
                    ids.add(id);
                }
            }
        }
        Map<Integer, OpResult> read = new HashMap<>();
        int longest = Math.max(1, Math.min(PAGE, PAGE_BYTES / (utf8(parent).length + BYTES_AROUND_PATH)));
        for (int start = 0; start < ids.size(); start += longest) {
            List<Integer> page = ids.subList(start, Math.min(start + longest, ids.size()));
            List<OpResult> got = reader.prepare(
                    page.stream().map(id -> Op.getData(parent + "/" + id)).toList(), deadline);
            for (int i = 0; i < page.size(); i++) {
                read.put(page.get(i), got.get(i));
            }
        }
        return read;
    }

    private static @Nullable String value(Session reader, OpResult result) throws ZooKeeperFailure {
        Stored stored = stored(reader, result);
        return stored == null ? null : stored.value();
    }

    private static @Nullable Stored stored(Session reader, OpResult result) throws ZooKeeperFailure {
        if (result instanceof OpResult.GetDataResult data) {
            // Null if another program wrote it so.
            byte[] bytes = data.getData() == null ? NOTHING : data.getData();
            return new Stored(
                    new String(bytes, StandardCharsets.UTF_8), data.getStat().getVersion());
        }
        Code code = Session.outcome(List.of(result));
        if (code != Code.NONODE) {
            throw reader.failure(code).withNothingChanged();
        }
        return null;
    }

    // Writing

    @Override
    public CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
        Deadline deadline = Deadline.after(timeout);
        return write(
                        sessions.current(),
                        List.of(),
                        expected,
                        List.of(new Change(expected, next)),
                        deadline,
                        seen -> List.of(
                                expected == null
                                        ? tree.createMeta(utf8(next))
                                        : Op.setData(tree.meta(), utf8(next), (int) expected.version())))
                .get(0);
    }

    @Override
    public CasResult claim(
            int id, @Nullable Stored mark, String next, String owner, boolean evict, Stored meta, Duration timeout) {
        Deadline deadline = Deadline.after(timeout);
        sessions.beginCall();
        Session claimant = sessions.current();
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
                List<Op> operations = new ArrayList<>(List.of(
                        mark == null ? tree.createMark(id, utf8(next)) : setMark(id, mark, next), unchanged(meta)));
                if (slot.owned()) {
                    operations.add(Op.delete(tree.worker(id), -1));
                }
                operations.add(tree.createWorker(id, utf8(owner)));
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
            if (e.nothingChanged()) {
                throw e.exception();
            }
            return new CasResult.Unknown(e.exception());
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
        extensions.forEach(each -> operations.add(setMark(each.id(), each.mark(), each.next())));
        operations.add(unchanged(meta));
        List<CasResult> written = write(
                extender,
                extensions.stream().map(Extension::id).toList(),
                meta,
                extensions.stream()
                        .map(each -> new Change(each.mark(), each.next()))
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
    private Optional<Session> ownSession(SlotSeen slot, String owner, Session writer) {
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
            List<Op> operations = new ArrayList<>(List.of(setMark(id, mark, next), unchanged(meta)));
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

    private Op setMark(int id, Stored mark, String next) {
        return Op.setData(tree.mark(id), utf8(next), (int) mark.version());
    }

    private Op unchanged(Stored meta) {
        return Op.check(tree.meta(), (int) meta.version());
    }

    /** As {@link Plan}, for one mark. */
    private interface SlotPlan {
        @Nullable
        List<Op> operations(SlotSeen seen);
    }

    private CasResult write(
            Session writer, int id, @Nullable Stored mark, Stored meta, String next, Deadline deadline, SlotPlan plan) {
        return write(
                        writer,
                        List.of(id),
                        meta,
                        List.of(new Change(mark, next)),
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
            List<Change> changes,
            Deadline deadline,
            Plan plan) {
        try {
            clearAway(writer, ids, deadline);
            boolean agreed = false;
            for (int attempt = 1; ; attempt++) {
                Look seen = look(writer, ids, deadline);
                List<Op> operations = isAsExpected(seen, meta, changes) ? plan.operations(seen) : null;
                if ((operations == null && agreed) || attempt == ATTEMPTS) {
                    return rejected(seen);
                }
                if (operations == null) {
                    agree(writer, deadline);
                } else {
                    List<OpResult> results = writer.send(operations, deadline);
                    switch (Session.outcome(results)) {
                        case OK -> {
                            return applied(changes, results);
                        }
                        case NONODE -> tree.create(writer, deadline);
                        case BADVERSION, NODEEXISTS -> {
                            // The next look shows why.
                        }
                        default -> throw writer.failure(Session.outcome(results));
                    }
                }
                agreed = true;
            }
        } catch (ZooKeeperFailure e) {
            if (e.nothingChanged()) {
                throw e.exception();
            }
            return Collections.nCopies(changes.size(), new CasResult.Unknown(e.exception()));
        } finally {
            sessions.endCall();
        }
    }

    private static boolean isAsExpected(Look seen, @Nullable Stored meta, List<Change> changes) {
        boolean asExpected = Objects.equals(meta, seen.meta());
        for (int i = 0; i < seen.slots().size(); i++) {
            asExpected &= Objects.equals(
                    changes.get(i).expected(), seen.slots().get(i).slot().mark());
        }
        return asExpected;
    }

    private static List<CasResult> rejected(Look seen) {
        return seen.slots().isEmpty()
                ? List.of(new CasResult.Rejected(seen.meta(), null))
                : seen.slots().stream()
                        .<CasResult>map(slot -> new CasResult.Rejected(seen.meta(), slot.slot()))
                        .toList();
    }

    private static List<CasResult> applied(List<Change> changes, List<OpResult> results) {
        List<CasResult> applied = new ArrayList<>();
        for (int i = 0; i < changes.size(); i++) {
            // The leader stamps what it writes with its clock.
            Stat written = results.get(i) instanceof OpResult.SetDataResult set ? set.getStat() : null;
            applied.add(new CasResult.Applied(
                    new Stored(changes.get(i).next(), written == null ? 0 : written.getVersion()),
                    false,
                    written == null ? null : Instant.ofEpochMilli(written.getMtime())));
        }
        return applied;
    }

    private Look look(Session writer, List<Integer> ids, Deadline deadline) throws ZooKeeperFailure {
        List<Op> gets = new ArrayList<>(List.of(Op.getData(tree.meta())));
        for (int id : ids) {
            gets.add(Op.getData(tree.mark(id)));
            gets.add(Op.getData(tree.worker(id)));
        }
        List<OpResult> got = writer.prepare(gets, deadline);
        List<SlotSeen> slots = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            OpResult worker = got.get(2 + 2 * i);
            Slot slot = new Slot(ids.get(i), stored(writer, got.get(1 + 2 * i)), value(writer, worker));
            long ownerSession = worker instanceof OpResult.GetDataResult owner
                    ? owner.getStat().getEphemeralOwner()
                    : 0;
            slots.add(new SlotSeen(slot, ownerSession));
        }
        return new Look(stored(writer, got.get(0)), slots);
    }

    /** Has a quorum answer: a transaction that writes nothing, or fails. */
    private void agree(Session writer, Deadline deadline) throws ZooKeeperFailure {
        List<OpResult> ignored = writer.prepare(List.of(Op.check(tree.meta(), -1)), deadline);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
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
            agree(holder, deadline);
            if (look(holder, List.of(id), deadline).slots().get(0).ownerSession() == holder.id()) {
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
