// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import org.snowflakeid.testservers.ZooKeeperAdministrator;
import org.snowflakeid.testservers.ZooKeeperServer;

/** A single ZooKeeper server. */
final class FragileZooKeeper implements FragileCoordinator {
    private final ZooKeeperServer zooKeeper = ZooKeeperServer.start();

    @Override
    public int port() {
        return zooKeeper.clientPort();
    }

    @Override
    public Map<String, String> settings(int port) {
        return settings("127.0.0.1:" + port);
    }

    static Map<String, String> settings(String connectString) {
        return Map.of("snowflake.coordinator", "zookeeper", "snowflake.zookeeper.connect-string", connectString);
    }

    @Override
    public void loseAllData() {
        zooKeeper.kill();
        zooKeeper.wipe();
        startAgain();
    }

    private void startAgain() {
        zooKeeper.startAgain();
        zooKeeper.awaitHealthy();
    }

    @Override
    public Backup backup() {
        Path backup = zooKeeper.backup();
        return () -> {
            zooKeeper.kill();
            zooKeeper.restore(backup);
            startAgain();
        };
    }

    private void administer(Consumer<ZooKeeperAdministrator> act) {
        try (ZooKeeperAdministrator administrator = ZooKeeperAdministrator.of(zooKeeper)) {
            act.accept(administrator);
        }
    }

    @Override
    public String read(String key) {
        try (ZooKeeperAdministrator administrator = ZooKeeperAdministrator.of(zooKeeper)) {
            return administrator.value(key).orElseThrow();
        }
    }

    @Override
    public void write(String key, String value) {
        administer(administrator -> administrator.write(key, value));
    }

    @Override
    public void delete(String key) {
        administer(administrator -> {
            administrator.permitDeletionBelow(key.substring(0, key.lastIndexOf('/')));
            if (!administrator.delete(key)) {
                throw new IllegalStateException("no " + key);
            }
        });
    }

    @Override
    public void close() {
        zooKeeper.close();
    }
}
