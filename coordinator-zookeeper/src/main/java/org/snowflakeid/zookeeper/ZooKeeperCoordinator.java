// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.CasResult;
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
 * <p>What a server shows may be old. That is enough to try a write by, since the leader compares again, but not to say that a write is
 * lost. So nothing is reported as rejected unless a quorum has answered this session before the last look: the refused transaction
 * itself, or one made for the purpose. (sync() would not do: a leader that has just been deposed answers it alone.)
 */
final class ZooKeeperCoordinator implements WorkerCoordinator {
    private static final System.Logger LOG = System.getLogger(ZooKeeperCoordinator.class.getName());

    /** Up to so many ids are read one by one without asking first which there are. */
    private static final int MAX_POINT_READS = 64;

    private static final int PAGE = 1_000;
    private static final int ATTEMPTS = 4;
    private static final byte[] NOTHING = {};

    /** More than the client's longest pause between two attempts to connect. */
    private static final Duration ADVANTAGE = Duration.ofMillis(1_500);

    private final NamespaceTree tree;
    private final Sessions sessions;

    /** On which the next claim will hang. */
    private @Nullable Session session;

    private final Map<Integer, Holding> held = new HashMap<>();

    /**
     * @param session on which the owner entry of a worker id hangs, or may hang
     * @param former ids of sessions that ended on which it hung before
     */
    private record Holding(Session session, Set<Long> former) {}

    /** @param ownerSession on which the owner entry hangs; 0 if there is none */
    private record Look(@Nullable Stored meta, @Nullable Slot slot, long ownerSession) {

        boolean shows(@Nullable Stored expectedMark, @Nullable Stored expectedMeta) {
            return Objects.equals(expectedMeta, meta)
                    && Objects.equals(expectedMark, slot == null ? null : slot.mark());
        }

        boolean owned() {
            return slot != null && slot.owner() != null;
        }
    }

    /** What to write, going by what was seen. */
    private interface Plan {
        /** The first operation writes the value. Null: not under these circumstances. */
        @Nullable
        List<Op> operations(Look seen);
    }

    ZooKeeperCoordinator(ZooKeeperSettings settings, Sessions sessions) {
        this.tree = new NamespaceTree(settings);
        this.sessions = sessions;
    }

    // Reading

    @Override
    public Snapshot read(int fromId, int toId, Duration timeout) {
        Deadline deadline = Deadline.after(timeout);
        sessions.beginCall();
        try {
            // The one that claimed it knows what became of a claim of unknown outcome.
            Session reader = fromId == toId ? session(fromId) : session();
            clearAway(reader, -1, deadline);
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
     * reads is not older.
     */
    private Instant touch(Session reader, Deadline deadline) throws ZooKeeperFailure {
        List<Op> write = List.of(Op.setData(tree.marks(), NOTHING, -1));
        List<OpResult> results = reader.prepare(write, deadline);
        if (Session.outcome(results) == Code.NONODE) {
            tree.create(reader, deadline);
            results = reader.prepare(write, deadline);
        }
        if (results.get(0) instanceof OpResult.SetDataResult written) {
            return Instant.ofEpochMilli(written.getStat().getMtime());
        }
        throw reader.failure(Session.outcome(results)).withNothingChanged();
    }

    private Snapshot readPoints(Session reader, int fromId, int toId, Instant now, Deadline deadline)
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

    /** Not at one moment: ZooKeeper reads no more than fits one message at once. Each entry is as it was after the call began. */
    private Snapshot readListed(Session reader, int fromId, int toId, Instant now, Deadline deadline)
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
        for (int start = 0; start < ids.size(); start += PAGE) {
            List<Integer> page = ids.subList(start, Math.min(start + PAGE, ids.size()));
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
            return new Stored(
                    new String(data.getData(), StandardCharsets.UTF_8),
                    data.getStat().getVersion());
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
                session(),
                -1,
                null,
                expected,
                next,
                deadline,
                seen -> List.of(
                        expected == null
                                ? tree.createMeta(utf8(next))
                                : Op.setData(tree.meta(), utf8(next), (int) expected.version())));
    }

    @Override
    public CasResult claim(
            int id, @Nullable Stored mark, String next, String owner, boolean evict, Stored meta, Duration timeout) {
        Deadline deadline = Deadline.after(timeout);
        sessions.beginCall();
        Session claimant = session();
        Holding before = held.get(id);
        Set<Long> former = former(before);
        held.put(id, new Holding(claimant, former));
        Long heldUntil = claimant.hold(id, System.nanoTime());
        boolean nothingHangs = true;
        try {
            CasResult result = write(claimant, id, mark, meta, next, deadline, seen -> {
                if (seen.owned() && !evict && !former.contains(seen.ownerSession())) {
                    return null;
                }
                List<Op> operations = new ArrayList<>(List.of(
                        mark == null ? tree.createMark(id, utf8(next)) : setMark(id, mark, next), unchanged(meta)));
                if (seen.owned()) {
                    operations.add(Op.delete(tree.worker(id), -1));
                }
                operations.add(tree.createWorker(id, utf8(owner)));
                return operations;
            });
            nothingHangs = result instanceof CasResult.Rejected;
            if (result instanceof CasResult.Applied applied) {
                claimant.watch(tree.worker(id));
                return new CasResult.Applied(applied.written(), true);
            }
            return result;
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

    private static Set<Long> former(@Nullable Holding before) {
        Set<Long> former = new HashSet<>();
        if (before != null) {
            former.addAll(before.former());
            if (!before.session().isAlive() && before.session().id() != 0) {
                former.add(before.session().id());
            }
        }
        return former;
    }

    @Override
    public CasResult extend(int id, Stored mark, String next, Stored meta, Duration timeout) {
        long now = System.nanoTime();
        sessions.beginCall();
        Session extender = session(id);
        boolean[] own = {false};
        CasResult result = write(extender, id, mark, meta, next, Deadline.after(timeout), seen -> {
            own[0] = seen.owned() && seen.ownerSession() == extender.id();
            return List.of(setMark(id, mark, next), unchanged(meta));
        });
        if (result instanceof CasResult.Applied applied) {
            if (own[0]) {
                extender.hold(id, now);
                extender.watch(tree.worker(id));
            }
            return new CasResult.Applied(applied.written(), own[0]);
        }
        return result;
    }

    @Override
    public CasResult release(int id, Stored mark, String next, Stored meta, Duration timeout) {
        sessions.beginCall();
        Session releaser = session(id);
        Set<Long> former = former(held.get(id));
        releaser.unwatch(tree.worker(id));
        CasResult result = write(releaser, id, mark, meta, next, Deadline.after(timeout), seen -> {
            List<Op> operations = new ArrayList<>(List.of(setMark(id, mark, next), unchanged(meta)));
            if (seen.owned() && (seen.ownerSession() == releaser.id() || former.contains(seen.ownerSession()))) {
                operations.add(Op.delete(tree.worker(id), -1));
            }
            return operations;
        });
        if (result instanceof CasResult.Applied) {
            held.remove(id);
            releaser.forget(id);
        }
        return result;
    }

    private Op setMark(int id, Stored mark, String next) {
        return Op.setData(tree.mark(id), utf8(next), (int) mark.version());
    }

    private Op unchanged(Stored meta) {
        return Op.check(tree.meta(), (int) meta.version());
    }

    /**
     * Ends the call that began before the session was chosen.
     *
     * @param id -1 for a write of the namespace record
     */
    private CasResult write(
            Session writer,
            int id,
            @Nullable Stored mark,
            @Nullable Stored meta,
            String next,
            Deadline deadline,
            Plan plan) {
        try {
            clearAway(writer, id, deadline);
            boolean agreed = false;
            for (int attempt = 1; ; attempt++) {
                Look seen = look(writer, id, deadline);
                List<Op> operations = seen.shows(mark, meta) ? plan.operations(seen) : null;
                if ((operations == null && agreed) || attempt == ATTEMPTS) {
                    return new CasResult.Rejected(seen.meta(), seen.slot());
                }
                if (operations == null) {
                    agree(writer, deadline);
                } else {
                    List<OpResult> results = writer.send(operations, deadline);
                    switch (Session.outcome(results)) {
                        case OK -> {
                            return new CasResult.Applied(written(next, results.get(0)), false);
                        }
                        case NONODE -> tree.create(writer, deadline);
                        case BADVERSION, NODEEXISTS -> {
                            // The next look tells.
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
            return new CasResult.Unknown(e.exception());
        } finally {
            sessions.endCall();
        }
    }

    private static Stored written(String value, OpResult result) {
        int version =
                result instanceof OpResult.SetDataResult set ? set.getStat().getVersion() : 0;
        return new Stored(value, version);
    }

    private Look look(Session writer, int id, Deadline deadline) throws ZooKeeperFailure {
        List<Op> gets = new ArrayList<>(List.of(Op.getData(tree.meta())));
        if (id >= 0) {
            gets.addAll(List.of(Op.getData(tree.mark(id)), Op.getData(tree.worker(id))));
        }
        List<OpResult> got = writer.prepare(gets, deadline);
        Stored meta = stored(writer, got.get(0));
        if (id < 0) {
            return new Look(meta, null, 0);
        }
        Slot slot = new Slot(id, stored(writer, got.get(1)), value(writer, got.get(2)));
        long ownerSession = got.get(2) instanceof OpResult.GetDataResult owner
                ? owner.getStat().getEphemeralOwner()
                : 0;
        return new Look(meta, slot, ownerSession);
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
    public void abandon(int id, Duration timeout) {
        Holding holding = held.remove(id);
        if (holding == null || !holding.session().isAlive()) {
            return;
        }
        Session holder = holding.session();
        Deadline deadline = Deadline.after(timeout);
        holder.unwatch(tree.worker(id));
        if (holder.holdsOnly(id)) {
            // After that nothing can come to hang on it, whatever is still on its way.
            awaitEnd(holder, deadline);
            return;
        }
        holder.leave(id);
        try {
            clearAway(holder, -1, deadline);
        } catch (ZooKeeperFailure e) {
            LOG.log(Level.DEBUG, () -> "worker id " + id + " is left to be cleared away: " + e.getMessage());
            if (holder.equals(session)) {
                session = null;
            }
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
    private void clearAway(Session holder, int exceptId, Deadline deadline) throws ZooKeeperFailure {
        for (int id : holder.leftovers()) {
            if (id == exceptId) {
                continue;
            }
            holder.unwatch(tree.worker(id));
            agree(holder, deadline);
            if (look(holder, id, deadline).ownerSession() == holder.id()) {
                List<OpResult> ignored = holder.prepare(List.of(Op.delete(tree.worker(id), -1)), deadline);
            }
            holder.forget(id);
        }
    }

    /** The session for new claims and for reading. */
    private Session session() {
        Session present = session;
        if (present == null || !present.isAlive()) {
            present = sessions.open();
            session = present;
        }
        return present;
    }

    /**
     * The session on which a worker id hangs. Servers that lost data refuse a client that has seen more than they have, and would do so
     * until its session has ended, so a second one is begun while the first is away. If that one is let in, and the first still is not, the
     * first is given up.
     */
    private Session session(int id) {
        Holding holding = held.get(id);
        if (holding == null || !holding.session().isAlive()) {
            return session();
        }
        Session first = holding.session();
        if (first.isConnectedFor(Duration.ZERO)) {
            return first;
        }
        if (first.equals(session)) {
            session = null;
        }
        Session second = session();
        if (!second.isConnectedFor(ADVANTAGE)) {
            return first;
        }
        first.end();
        return second;
    }

    @Override
    public void close() {
        sessions.close();
    }
}
