// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.load;

import java.time.Duration;
import java.util.Map;
import org.snowflakeid.testservers.ConsulServer;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.RedisServer;
import org.snowflakeid.testservers.ZooKeeperServer;

/** One real server, with what it counts of itself. */
interface MeasuredServer extends AutoCloseable {

    /** The settings of a generator that uses it. */
    Map<String, String> settings();

    /** What it has used of a processor's time. */
    Duration cpuTime();

    /** Entries in its log so far: what it has written to disk. */
    long writes();

    @Override
    void close();

    static MeasuredServer start(String coordinator) {
        return switch (coordinator) {
            case "etcd" -> etcd();
            case "zookeeper" -> zooKeeper();
            case "redis" -> redis();
            case "consul" -> consul();
            default ->
                throw new IllegalArgumentException(
                        "no server for '" + coordinator + "', only etcd, zookeeper, redis and consul");
        };
    }

    private static MeasuredServer etcd() {
        EtcdServer server = EtcdServer.start();
        return new MeasuredServer() {
            @Override
            public Map<String, String> settings() {
                return Map.of("snowflake.coordinator", "etcd", "snowflake.etcd.endpoints", server.endpoint());
            }

            @Override
            public Duration cpuTime() {
                return server.cpuTime();
            }

            @Override
            public long writes() {
                return (long) server.metric("etcd_server_proposals_committed_total");
            }

            @Override
            public void close() {
                server.close();
            }
        };
    }

    private static MeasuredServer zooKeeper() {
        ZooKeeperServer server =
                ZooKeeperServer.builder().configure("maxClientCnxns", "0").start();
        return new MeasuredServer() {
            @Override
            public Map<String, String> settings() {
                return Map.of(
                        "snowflake.coordinator",
                        "zookeeper",
                        "snowflake.zookeeper.connect-string",
                        server.connectString());
            }

            @Override
            public Duration cpuTime() {
                return server.cpuTime();
            }

            @Override
            public long writes() {
                // Each has the next number, one that fails included; so have sessions that begin or end.
                String number = server.command("srvr")
                        .lines()
                        .filter(line -> line.startsWith("Zxid: 0x"))
                        .findFirst()
                        .orElseThrow()
                        .substring("Zxid: 0x".length());
                return Long.parseLong(number, 16) & 0xffff_ffffL;
            }

            @Override
            public void close() {
                server.close();
            }
        };
    }

    private static MeasuredServer redis() {
        RedisServer server = RedisServer.start();
        return new MeasuredServer() {
            @Override
            public Map<String, String> settings() {
                return Map.of("snowflake.coordinator", "redis", "snowflake.redis.uri", server.uri());
            }

            @Override
            public Duration cpuTime() {
                return server.cpuTime();
            }

            @Override
            public long writes() {
                return server.calls("set");
            }

            @Override
            public void close() {
                server.close();
            }
        };
    }

    private static MeasuredServer consul() {
        // All come from one address here.
        ConsulServer server = ConsulServer.builder()
                .configure("limits", "{\"http_max_conns_per_client\": 10000}")
                .start();
        return new MeasuredServer() {
            @Override
            public Map<String, String> settings() {
                return Map.of("snowflake.coordinator", "consul", "snowflake.consul.url", server.url());
            }

            @Override
            public Duration cpuTime() {
                return server.cpuTime();
            }

            @Override
            public long writes() {
                String index = server.consul("info")
                        .lines()
                        .map(String::strip)
                        .filter(line -> line.startsWith("applied_index = "))
                        .findFirst()
                        .orElseThrow();
                return Long.parseLong(index.substring("applied_index = ".length()));
            }

            @Override
            public void close() {
                server.close();
            }
        };
    }
}
