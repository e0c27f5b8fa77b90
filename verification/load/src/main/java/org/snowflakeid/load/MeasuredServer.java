// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.testservers.ConsulServer;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.MariaDbServer;
import org.snowflakeid.testservers.NacosServer;
import org.snowflakeid.testservers.PostgresServer;
import org.snowflakeid.testservers.RedisServer;
import org.snowflakeid.testservers.TestServer;
import org.snowflakeid.testservers.ZooKeeperServer;
import org.snowflakeid.testservers.kubernetes.ApiServer;

/**
 * One store, which waits for its disk before it answers.
 *
 * @param settings of a generator that uses it
 * @param processorTime what its process has used; null if it has none of its own
 */
record MeasuredServer(
        String name, Map<String, String> settings, @Nullable Supplier<Duration> processorTime, Runnable stop)
        implements AutoCloseable {

    static MeasuredServer start(String name) {
        return switch (name) {
            case "static" ->
                new MeasuredServer(
                        name, Map.of("snowflake.coordinator", name, "snowflake.static.worker-id", "1"), null, () -> {});
            case "file" -> file();
            case "kubernetes" -> kubernetes();
            case "etcd" -> {
                EtcdServer server = EtcdServer.start();
                yield of(name, server, name, "snowflake.etcd.endpoints", server.endpoint());
            }
            case "zookeeper" -> {
                ZooKeeperServer server = ZooKeeperServer.builder()
                        .configure("maxClientCnxns", "0")
                        .jvmArguments("-Dzookeeper.forceSync=yes")
                        .start();
                yield of(name, server, name, "snowflake.zookeeper.connect-string", server.connectString());
            }
            case "redis" -> {
                RedisServer server = RedisServer.start();
                yield of(name, server, name, "snowflake.redis.uri", server.uri());
            }
            case "postgresql" -> {
                PostgresServer server = PostgresServer.builder()
                        .configure("fsync", "on")
                        .configure("max_connections", "2000")
                        .start();
                yield of(name, server, "jdbc", "snowflake.jdbc.url", server.url());
            }
            case "mariadb" -> {
                MariaDbServer server = MariaDbServer.start("--max-connections=2000");
                yield of(name, server, "jdbc", "snowflake.jdbc.url", server.url());
            }
            case "consul" -> {
                ConsulServer server = ConsulServer.start();
                yield of(name, server, name, "snowflake.consul.url", server.url());
            }
            case "nacos" -> {
                NacosServer server = NacosServer.builder()
                        .jvmArguments("-Dderby.system.durability=full")
                        .start();
                yield of(name, server, name, "snowflake.nacos.server-addr", server.address());
            }
            default ->
                throw new IllegalArgumentException(
                        "no server for '" + name + "', only etcd, zookeeper, redis, postgresql, mariadb, consul, nacos,"
                                + " kubernetes, file and static");
        };
    }

    private static MeasuredServer of(String name, TestServer server, String coordinator, String key, String value) {
        return new MeasuredServer(
                name, Map.of("snowflake.coordinator", coordinator, key, value), server::cpuTime, server::close);
    }

    private static MeasuredServer file() {
        try {
            Path folder = Files.createTempDirectory("coordinator-load-");
            return new MeasuredServer(
                    "file",
                    Map.of("snowflake.coordinator", "file", "snowflake.file.directory", folder.toString()),
                    null,
                    () -> delete(folder));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static MeasuredServer kubernetes() {
        ApiServer server = ApiServer.start();
        Map<String, String> settings = new HashMap<>(server.settings());
        settings.put("snowflake.coordinator", "kubernetes");
        return new MeasuredServer("kubernetes", settings, null, server::close);
    }

    /** Which of the coordinators it is for. */
    String coordinator() {
        return settings.getOrDefault("snowflake.coordinator", "");
    }

    @Override
    public void close() {
        stop.run();
    }
}
