// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.nio.file.Path;
import java.util.Map;
import org.snowflakeid.testservers.RedisServer;

/** A single Redis. */
final class FragileRedis implements FragileCoordinator {
    private final RedisServer redis = RedisServer.start();

    @Override
    public int port() {
        return redis.clientPort();
    }

    @Override
    public Map<String, String> settings(int port) {
        return Map.of("snowflake.coordinator", "redis", "snowflake.redis.uri", "redis://127.0.0.1:" + port);
    }

    @Override
    public void loseAllData() {
        redis.kill();
        redis.wipe();
        startAgain();
    }

    private void startAgain() {
        redis.startAgain();
        redis.awaitHealthy();
    }

    @Override
    public Backup backup() {
        Path backup = redis.backup();
        return () -> {
            redis.kill();
            redis.restore(backup);
            startAgain();
        };
    }

    private static String name(String path) {
        return path.substring(1);
    }

    /** Without the owner, which stands in a second line. */
    @Override
    public String read(String key) {
        return redis.command("GET", name(key)).lines().findFirst().orElse("");
    }

    @Override
    public void write(String key, String value) {
        String before = redis.command("GET", name(key));
        int end = before.indexOf('\n');
        redis.command("SET", name(key), end < 0 ? value : value + before.substring(end));
    }

    @Override
    public void delete(String key) {
        redis.command("DEL", name(key));
    }

    @Override
    public void close() {
        redis.close();
    }
}
