// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.RedisServer;
import org.snowflakeid.testservers.TestServer;
import org.snowflakeid.testservers.ZooKeeperServer;

/** Where worker ids come from: one real server, or none. */
enum Coordinator {
    NONE,
    ETCD,
    REDIS,
    ZOOKEEPER;

    private static final Pattern ZOOKEEPER_VERSION = Pattern.compile("Zookeeper version: ([0-9.]+)");

    Optional<TestServer> start() {
        return switch (this) {
            case NONE -> Optional.empty();
            case ETCD -> Optional.of(EtcdServer.start());
            case REDIS -> Optional.of(RedisServer.start());
            case ZOOKEEPER -> Optional.of(ZooKeeperServer.start());
        };
    }

    static String version(TestServer server) {
        if (server instanceof EtcdServer etcd) {
            return etcd.version().replace("Version: ", "");
        } else if (server instanceof RedisServer redis) {
            return "Redis " + redis.info("redis_version");
        } else if (server instanceof ZooKeeperServer zooKeeper) {
            Matcher matcher = ZOOKEEPER_VERSION.matcher(zooKeeper.command("srvr"));
            return "ZooKeeper " + (matcher.find() ? matcher.group(1) : "of unknown version");
        }
        throw new IllegalArgumentException(server.toString());
    }
}
