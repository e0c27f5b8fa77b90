// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.snowflakeid.testservers.ZooKeeperAdministrator;

/** Looks at ZooKeeper, and meddles with it, as an operator does. */
final class Inspector implements AutoCloseable {
    private final ZooKeeper client;

    /** @param user user and password; null for none */
    Inspector(int port, String user) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        client = new ZooKeeper(
                "127.0.0.1:" + port,
                10_000,
                event -> {
                    if (event.getState() == KeeperState.SyncConnected) {
                        connected.countDown();
                    }
                },
                ZooKeeperAdministrator.plainTcp());
        if (user != null) {
            client.addAuthInfo("digest", user.getBytes(StandardCharsets.UTF_8));
        }
        if (!connected.await(20, TimeUnit.SECONDS)) {
            throw new IllegalStateException("no connection");
        }
    }

    String get(String path) throws Exception {
        return new String(client.getData(path, false, null), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String value) {
        return value == null ? null : value.getBytes(StandardCharsets.UTF_8);
    }

    /** @param value null: none, which is not the same as an empty one */
    void set(String path, String value) throws Exception {
        client.setData(path, bytes(value), -1);
    }

    void create(String path, String value, CreateMode mode) throws Exception {
        client.create(path, bytes(value), Ids.OPEN_ACL_UNSAFE, mode);
    }

    void permitReadingOnly(String path) throws Exception {
        client.setACL(path, Ids.READ_ACL_UNSAFE, -1);
    }

    void delete(String path) throws Exception {
        client.delete(path, -1);
    }

    List<String> children(String path) throws Exception {
        return client.getChildren(path, false).stream().sorted().toList();
    }

    /** Null if there is no such node. */
    Stat stat(String path) throws Exception {
        return client.exists(path, false);
    }

    /** One line for each: permissions, scheme, id. */
    List<String> acl(String path) throws Exception {
        return client.getACL(path, new Stat()).stream()
                .map(acl -> permissions(acl.getPerms()) + " " + acl.getId().getScheme() + " "
                        + acl.getId().getId())
                .toList();
    }

    private static String permissions(int bits) {
        StringBuilder text = new StringBuilder();
        String letters = "rwcda";
        for (int i = 0; i < letters.length(); i++) {
            if ((bits & (1 << i)) != 0) {
                text.append(letters.charAt(i));
            }
        }
        return text.toString();
    }

    /** What it is refused with; null if it is not. */
    KeeperException.Code refusal(Act act) throws Exception {
        try {
            act.run(this);
            return null;
        } catch (KeeperException e) {
            return e.code();
        }
    }

    interface Act {
        void run(Inspector inspector) throws Exception;
    }

    @Override
    public void close() {
        try {
            client.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
