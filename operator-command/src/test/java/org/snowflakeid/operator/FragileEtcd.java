// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.nio.file.Path;
import java.util.Map;
import org.snowflakeid.testservers.EtcdServer;

/** A single etcd. */
final class FragileEtcd implements FragileCoordinator {
    private final EtcdServer etcd = EtcdServer.start();

    @Override
    public int port() {
        return etcd.clientPort();
    }

    @Override
    public Map<String, String> settings(int port) {
        return settings("http://127.0.0.1:" + port);
    }

    static Map<String, String> settings(String endpoints) {
        return Map.of("snowflake.coordinator", "etcd", "snowflake.etcd.endpoints", endpoints);
    }

    @Override
    public void loseAllData() {
        etcd.kill();
        etcd.wipe();
        startAgain();
    }

    private void startAgain() {
        etcd.startAgain();
        etcd.awaitHealthy();
    }

    @Override
    public Backup backup() {
        Path backup = etcd.backup();
        return () -> {
            etcd.kill();
            etcd.restore(backup);
            startAgain();
        };
    }

    @Override
    public String read(String key) {
        return etcd.etcdctl("get", "--print-value-only", key).strip();
    }

    @Override
    public void write(String key, String value) {
        etcd.etcdctl("put", key, value);
    }

    @Override
    public void delete(String key) {
        etcd.etcdctl("del", key);
    }

    @Override
    public void close() {
        etcd.close();
    }
}
