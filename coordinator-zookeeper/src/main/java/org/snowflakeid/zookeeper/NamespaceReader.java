// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.Deadline;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;

/** Reads what is stored in a namespace, by the session it is told to. */
final class NamespaceReader {

    /** Up to so many ids are read one by one without asking first which there are. */
    private static final int MAX_POINT_READS = 64;

    private static final int PAGE = 1_000;

    /** Of the paths in a page, with what is around each: less than a server takes in one message, which is a mebibyte. */
    private static final int PAGE_BYTES = 900_000;

    private static final int BYTES_AROUND_PATH = 32;

    private final NamespaceTree tree;

    /** @param ownerSession on which the owner entry hangs; 0 if there is none */
    record SlotSeen(Slot slot, long ownerSession) {
        boolean owned() {
            return slot.owner() != null;
        }

        boolean ownedBy(String owner) {
            return owner.equals(slot.owner());
        }
    }

    /** @param slots of the worker ids that were asked for, in their order */
    record Look(@Nullable Stored meta, List<SlotSeen> slots) {}

    NamespaceReader(NamespaceTree tree) {
        this.tree = tree;
    }

    Snapshot read(Session reader, int fromId, int toId, Deadline deadline) throws ZooKeeperFailure {
        Instant now = touch(reader, deadline);
        if (toId - fromId >= MAX_POINT_READS) {
            return readListed(reader, fromId, toId, now, deadline);
        }
        Look seen = look(reader, IntStream.rangeClosed(fromId, toId).boxed().toList(), deadline);
        return new Snapshot(
                seen.meta(), seen.slots().stream().map(SlotSeen::slot).toList(), now);
    }

    /**
     * Writes nothing, to a node that is only a parent: the leader stamps it with its clock, and once a quorum has agreed, what this session
     * reads is not older. Creates nothing where there is nothing.
     *
     * @return the leader's time; null if it reports none
     */
    private @Nullable Instant touch(Session reader, Deadline deadline) throws ZooKeeperFailure {
        List<OpResult> results = reader.prepare(List.of(Op.setData(tree.marks(), NamespaceTree.NOTHING, -1)), deadline);
        if (results.get(0) instanceof OpResult.SetDataResult written) {
            return Instant.ofEpochMilli(written.getStat().getMtime());
        }
        if (Session.outcome(results) == Code.NONODE) {
            return tree.timeWithoutNamespace(reader, deadline);
        }
        throw reader.failure(Session.outcome(results)).withNothingChanged();
    }

    /** Not at one moment: ZooKeeper reads no more than fits one message at once. Each entry is as it was after the call began. */
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
        int longest = Math.max(
                1, Math.min(PAGE, PAGE_BYTES / (parent.getBytes(StandardCharsets.UTF_8).length + BYTES_AROUND_PATH)));
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
            // Null where another program wrote it so.
            byte[] bytes = data.getData() == null ? NamespaceTree.NOTHING : data.getData();
            return new Stored(
                    new String(bytes, StandardCharsets.UTF_8), data.getStat().getVersion());
        }
        Code code = Session.outcome(List.of(result));
        if (code != Code.NONODE) {
            throw reader.failure(code).withNothingChanged();
        }
        return null;
    }

    Look look(Session reader, List<Integer> ids, Deadline deadline) throws ZooKeeperFailure {
        List<Op> gets = new ArrayList<>(List.of(Op.getData(tree.meta())));
        for (int id : ids) {
            gets.add(Op.getData(tree.mark(id)));
            gets.add(Op.getData(tree.worker(id)));
        }
        List<OpResult> got = reader.prepare(gets, deadline);
        List<SlotSeen> slots = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            OpResult worker = got.get(2 + 2 * i);
            Slot slot = new Slot(ids.get(i), stored(reader, got.get(1 + 2 * i)), value(reader, worker));
            long ownerSession = worker instanceof OpResult.GetDataResult owner
                    ? owner.getStat().getEphemeralOwner()
                    : 0;
            slots.add(new SlotSeen(slot, ownerSession));
        }
        return new Look(stored(reader, got.get(0)), slots);
    }

    /** Has a quorum answer: a transaction that writes nothing, or fails. */
    void agree(Session session, Deadline deadline) throws ZooKeeperFailure {
        List<OpResult> ignored = session.prepare(List.of(Op.check(tree.meta(), -1)), deadline);
    }
}
