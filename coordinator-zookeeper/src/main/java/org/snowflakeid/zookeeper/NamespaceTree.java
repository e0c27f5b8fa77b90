// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.Deadline;
import org.snowflakeid.spi.Stored;

/**
 * The nodes of a namespace: where they are and who may do what to them. With a digest only its user may use them. No client
 * can delete marks or the record of the namespace, not even this process: their parents don't grant it.
 */
final class NamespaceTree {
    private static final int KEEP = Perms.READ | Perms.WRITE | Perms.CREATE | Perms.ADMIN;
    static final byte[] NOTHING = {};

    private final String root;
    private final Id user;

    NamespaceTree(ZooKeeperSettings settings) {
        this.root = settings.root();
        this.user = settings.digest() == null ? Ids.ANYONE_ID_UNSAFE : Ids.AUTH_IDS;
    }

    String meta() {
        return root + "/meta";
    }

    String marks() {
        return root + "/marks";
    }

    String mark(int id) {
        return marks() + "/" + id;
    }

    String workers() {
        return root + "/workers";
    }

    String worker(int id) {
        return workers() + "/" + id;
    }

    /** @param seen what is replaced; null: nothing is there */
    Op writeMeta(@Nullable Stored seen, String next) {
        return write(meta(), seen, next);
    }

    /** @param seen what is replaced; null: nothing is there */
    Op writeMark(int id, @Nullable Stored seen, String next) {
        return write(mark(id), seen, next);
    }

    private Op write(String path, @Nullable Stored seen, String next) {
        return seen == null
                ? create(path, utf8(next), KEEP, CreateMode.PERSISTENT)
                : Op.setData(path, utf8(next), (int) seen.version());
    }

    /** Refuses the transaction if the namespace record is another. */
    Op unchanged(Stored meta) {
        return Op.check(meta(), (int) meta.version());
    }

    Op createWorker(int id, String owner) {
        return create(worker(id), utf8(owner), Perms.READ, CreateMode.EPHEMERAL);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private Op create(String path, byte[] value, int permissions, CreateMode mode) {
        return Op.create(path, value, List.of(new ACL(permissions, user)), mode);
    }

    /** Creates the parents of marks and owners, and what is absent above them. */
    void create(Session session, Deadline deadline) throws ZooKeeperFailure {
        createFolder(session, marks(), KEEP, deadline);
        createFolder(session, workers(), KEEP | Perms.DELETE, deadline);
    }

    /**
     * The leader's time if the namespace has no node yet to touch: the stamp of a node that is created and deleted in one
     * transaction, so that no client ever sees it. Null if that is not permitted.
     */
    @Nullable
    Instant timeWithoutNamespace(Session session, Deadline deadline) throws ZooKeeperFailure {
        Code code = Code.NONODE;
        for (String above = parent(root); code == Code.NONODE; above = parent(above)) {
            String path = (above.equals("/") ? "" : above) + "/snowflake-time-" + UUID.randomUUID();
            List<OpResult> results = session.prepare(
                    List.of(
                            create(path, NOTHING, KEEP, CreateMode.PERSISTENT),
                            Op.setData(path, NOTHING, -1),
                            Op.delete(path, -1)),
                    deadline);
            if (results.get(1) instanceof OpResult.SetDataResult written) {
                return Instant.ofEpochMilli(written.getStat().getMtime());
            }
            code = above.equals("/") ? Code.OK : Session.outcome(results);
        }
        return null;
    }

    private static String parent(String path) {
        return path.lastIndexOf('/') > 0 ? path.substring(0, path.lastIndexOf('/')) : "/";
    }

    /** Upwards from the deepest: a user that may write here need not have rights on the nodes above. */
    private void createFolder(Session session, String path, int permissions, Deadline deadline)
            throws ZooKeeperFailure {
        for (int attempt = 0; attempt < 2; attempt++) {
            Code code = Session.outcome(
                    session.prepare(List.of(create(path, NOTHING, permissions, CreateMode.PERSISTENT)), deadline));
            if (code == Code.NONODE && attempt == 0 && !parent(path).equals("/")) {
                createFolder(session, parent(path), KEEP, deadline);
            } else if (code == Code.OK || code == Code.NODEEXISTS) {
                return;
            } else {
                throw session.failure(code).withNothingChanged();
            }
        }
    }
}
