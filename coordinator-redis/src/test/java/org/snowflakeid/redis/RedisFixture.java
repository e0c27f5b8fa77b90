// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import java.time.Duration;
import java.util.Map;
import org.snowflakeid.testservers.ProxiedServer;
import org.snowflakeid.testservers.RedisServer;

/** A real Redis behind a proxy that can be cut. */
final class RedisFixture {
    private RedisFixture() {}

    static ProxiedServer start() {
        return new ProxiedServer(
                new RedisCoordinatorProvider(),
                RedisServer.start(),
                port -> Map.of("snowflake.redis.uri", "redis://127.0.0.1:" + port),
                Duration.ofSeconds(1));
    }
}
